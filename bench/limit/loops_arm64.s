//go:build !purego && !noasm

#include "textflag.h"

// LINE loads 64 bytes; four registers are enough, for nothing reads them.
#define LINE(at) \
	FLDPQ at(R0), (F0, F1)      \
	FLDPQ (at+32)(R0), (F2, F3)

// AHEAD prefetches the line 1024 bytes ahead of the one at at.
#define AHEAD(at) \
	PRFM (at+1024)(R0), PLDL1KEEP

// TAIL loads the R1 < 64 bytes at R0: each bit of R1 is a load of that size.
#define TAIL \
	TBZ   $5, R1, 3(PC)     \
	FLDPQ (R0), (F0, F1)    \
	ADD   $32, R0           \
	TBZ   $4, R1, 3(PC)     \
	FMOVQ (R0), F0          \
	ADD   $16, R0           \
	TBZ   $3, R1, 3(PC)     \
	MOVD  (R0), R2          \
	ADD   $8, R0            \
	TBZ   $2, R1, 3(PC)     \
	MOVWU (R0), R2          \
	ADD   $4, R0            \
	TBZ   $1, R1, 3(PC)     \
	MOVHU (R0), R2          \
	ADD   $2, R0            \
	TBZ   $0, R1, 2(PC)     \
	MOVBU (R0), R2

// func load128(p *byte, n int)
TEXT ·load128(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	SUBS $512, R1, R1
	BLT  rest

main:
	LINE(0)
	LINE(64)
	LINE(128)
	LINE(192)
	LINE(256)
	LINE(320)
	LINE(384)
	LINE(448)
	ADD  $512, R0
	SUBS $512, R1, R1
	BGE  main

rest:
	ADDS $448, R1, R1
	BLT  tail

line:
	LINE(0)
	ADD  $64, R0
	SUBS $64, R1, R1
	BGE  line

tail:
	TAIL
	RET

// func load128pf(p *byte, n int)
TEXT ·load128pf(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	SUBS $512, R1, R1
	BLT  rest

main:
	AHEAD(0)
	LINE(0)
	AHEAD(64)
	LINE(64)
	AHEAD(128)
	LINE(128)
	AHEAD(192)
	LINE(192)
	AHEAD(256)
	LINE(256)
	AHEAD(320)
	LINE(320)
	AHEAD(384)
	LINE(384)
	AHEAD(448)
	LINE(448)
	ADD  $512, R0
	SUBS $512, R1, R1
	BGE  main

rest:
	ADDS $448, R1, R1
	BLT  tail

line:
	LINE(0)
	ADD  $64, R0
	SUBS $64, R1, R1
	BGE  line

tail:
	TAIL
	RET
