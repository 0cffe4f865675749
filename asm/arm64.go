package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// arm64 writes Go assembly for arm64: one method per instruction, named as Go's
// assembler spells it, with the destination first. What Go's assembler does not
// spell is in arm64_words.go. GP and Vec numbers are the hardware's.
//
// Offsets are checked here, because for those that do not fit the assembler
// would silently use more instructions.
type arm64 struct {
	text, data bytes.Buffer
	body       bytes.Buffer // of the current function
	macros     []string     // that instructions of the text use
	name       string
	frame      int               // end of the locals, from RSP on
	consts     map[string]string // name by content
	near       window
}

// gpsARM64 are the general-purpose registers in allocation order: all but R16
// and R17, which linkers use, R18, which is the platform's, R27, which Go's
// assembler uses, R28, which is g, R29 and R30, frame pointer and link; and R26,
// which is the emitter's own, see window.
var gpsARM64 = []GP{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25}

// localsARM64 is where locals begin, behind the saved link register, so that
// they are aligned as RSP is.
const localsARM64 = 16

func newARM64() *arm64 { return &arm64{consts: map[string]string{}} }

// begin starts a function with a pointer as its argument, and loads it.
func (e *arm64) begin(name string, arg GP) {
	e.name, e.frame = name, localsARM64
	e.body.Reset()
	e.near.forget()
	e.ins("MOVD", "a+0(FP)", e.gp(arg))
}

// ret returns. What comes next is reached by jumps alone.
func (e *arm64) ret() {
	e.ins("RET")
	e.near.forget()
}

// end writes the function, whose frame is known now.
func (e *arm64) end() {
	frame := 0
	if e.frame > localsARM64 {
		frame = (e.frame+15)&^15 - 8 // without the link register
	}
	fmt.Fprintf(&e.text, "\n// func %s(a *byte)\nTEXT ·%s(SB), $%d-8\n%s", e.name, e.name, frame, e.body.Bytes())
}

// local reserves memory in the frame, aligned to its size, up to 16 bytes.
func (e *arm64) local(bytes int) Addr {
	align := min(bytes, 16)
	at := (e.frame + align - 1) / align * align
	e.frame = at + bytes
	return At(Frame, at)
}

// constant places 16 bytes or a multiple in the read-only data, once, and
// returns the symbol.
func (e *arm64) constant(data []byte) string {
	if name, ok := e.consts[string(data)]; ok {
		return name
	}
	name := fmt.Sprintf("reducesumConst%d<>", len(e.consts))
	e.consts[string(data)] = name
	e.data.WriteByte('\n')
	for i := 0; i < len(data); i += 8 {
		fmt.Fprintf(&e.data, "DATA %s+%d(SB)/8, $%#016x\n", name, i, binary.LittleEndian.Uint64(data[i:]))
	}
	fmt.Fprintf(&e.data, "GLOBL %s(SB), RODATA|NOPTR, $%d\n", name, len(data))
	return name
}

// file returns the whole file.
func (e *arm64) file() []byte {
	return fmt.Appendf(nil, "%s\n\n//go:build %s\n\n#include \"textflag.h\"\n\n%s%s%s", warning, constraint, strings.Join(e.macros, ""), e.text.Bytes(), e.data.Bytes())
}

func (e *arm64) fail(format string, args ...any) {
	panic(e.name + ": " + fmt.Sprintf(format, args...))
}

// ins writes an instruction with its operands in Go's order.
func (e *arm64) ins(name string, operands ...string) {
	e.body.WriteString("\t" + name)
	if len(operands) > 0 {
		e.body.WriteString("\t" + strings.Join(operands, ", "))
	}
	e.body.WriteByte('\n')
}

// gp names a register that is read.
func (e *arm64) gp(g GP) string {
	switch {
	case g == Frame:
		return "RSP"
	case g >= 0 && g < 16 || g >= 19 && g < 27:
		return fmt.Sprintf("R%d", g)
	}
	e.fail("register R%d is not ours", g)
	return ""
}

// def names a register that is written.
func (e *arm64) def(g GP) string {
	if g == Frame {
		e.fail("RSP is not ours to write")
	}
	e.near.written(g)
	return e.gp(g)
}

func fp(v Vec) string           { return fmt.Sprintf("F%d", v) }
func vec(v Vec, s shape) string { return fmt.Sprintf("V%d.%s", v, s.name) }
func pair(a, b Vec) string      { return fmt.Sprintf("(F%d, F%d)", a, b) }
func immediate(n int) string    { return fmt.Sprintf("$%d", n) }
func element(v Vec, size, i int) string {
	return fmt.Sprintf("V%d.%s[%d]", v, map[int]string{2: "H", 4: "S", 8: "D"}[size], i)
}

// mem is the operand for a load or a store of size bytes: an instruction takes
// a multiple of the size, or a small offset.
func (e *arm64) mem(a Addr, size int) string {
	scaled := a.Off >= 0 && a.Off%size == 0 && a.Off/size < 1<<12
	if small := a.Off >= -256 && a.Off < 256; !scaled && !small || a.Index != None {
		e.fail("no single load or store for %+v", a)
	}
	return e.memory(a)
}

func (e *arm64) memory(a Addr) string {
	if a.Off == 0 {
		return "(" + e.gp(a.Base) + ")"
	}
	return fmt.Sprintf("%d(%s)", a.Off, e.gp(a.Base))
}

// General-purpose registers.

func (e *arm64) MOVDload(dst GP, a Addr)  { e.ins("MOVD", e.mem(a, 8), e.def(dst)) }
func (e *arm64) MOVDstore(a Addr, src GP) { e.ins("MOVD", e.gp(src), e.mem(a, 8)) }

// MOVload and MOVstore move 2, 4 or 8 bytes, the rest of the register zero.
func (e *arm64) MOVload(dst GP, a Addr, size int) {
	e.ins(map[int]string{2: "MOVHU", 4: "MOVWU", 8: "MOVD"}[size], e.mem(a, size), e.def(dst))
}

func (e *arm64) MOVstore(a Addr, src GP, size int) {
	e.ins(map[int]string{2: "MOVH", 4: "MOVW", 8: "MOVD"}[size], e.gp(src), e.mem(a, size))
}

func (e *arm64) MOVD(dst, src GP)               { e.ins("MOVD", e.gp(src), e.def(dst)) }
func (e *arm64) MOVDi(dst GP, n int)            { e.ins("MOVD", immediate(n), e.def(dst)) }
func (e *arm64) MOVDaddr(dst GP, symbol string) { e.ins("MOVD", "$"+symbol+"(SB)", e.def(dst)) }
func (e *arm64) ADD(dst, a, b GP)               { e.ins("ADD", e.gp(b), e.gp(a), e.def(dst)) }
func (e *arm64) SUB(dst, a, b GP)               { e.ins("SUB", e.gp(b), e.gp(a), e.def(dst)) }
func (e *arm64) MUL(dst, a, b GP)               { e.ins("MUL", e.gp(b), e.gp(a), e.def(dst)) }
func (e *arm64) ANDi(dst, a GP, n int)          { e.ins("AND", immediate(n), e.gp(a), e.def(dst)) }
func (e *arm64) LSLi(dst, a GP, n int)          { e.ins("LSL", immediate(n), e.gp(a), e.def(dst)) }
func (e *arm64) LSRi(dst, a GP, n int)          { e.ins("LSR", immediate(n), e.gp(a), e.def(dst)) }

// ADDi emits ADD or SUB, whose immediates are not negative.
func (e *arm64) ADDi(dst, a GP, n int) {
	if n < 0 {
		e.ins("SUB", immediate(-n), e.gp(a), e.def(dst))
		return
	}
	e.ins("ADD", immediate(n), e.gp(a), e.def(dst))
}

// Control flow.

func (e *arm64) label(name string) {
	e.near.forget() // others may jump here
	fmt.Fprintf(&e.body, "\n%s:\n", name)
}

func (e *arm64) JMP(label string)                 { e.ins("JMP", label) }
func (e *arm64) CMP(a, b GP)                      { e.ins("CMP", e.gp(b), e.gp(a)) }
func (e *arm64) CMPi(a GP, n int)                 { e.ins("CMP", immediate(n), e.gp(a)) }
func (e *arm64) CBZ(a GP, label string)           { e.ins("CBZ", e.gp(a), label) }
func (e *arm64) CBNZ(a GP, label string)          { e.ins("CBNZ", e.gp(a), label) }
func (e *arm64) TBZ(a GP, bit int, label string)  { e.ins("TBZ", immediate(bit), e.gp(a), label) }
func (e *arm64) TBNZ(a GP, bit int, label string) { e.ins("TBNZ", immediate(bit), e.gp(a), label) }
func (e *arm64) branch(c Cond, label string)      { e.ins(branchesARM64[c], label) }

var branchesARM64 = map[Cond]string{
	Less: "BLT", LessEqual: "BLE", Greater: "BGT", GreaterEqual: "BGE",
	Equal: "BEQ", NotEqual: "BNE", Above: "BHI",
}

// Loads and stores of vectors: the lowest bytes, the rest of the register zero;
// whole registers; pairs of them; one element, the rest of the register kept.

func (e *arm64) FMOVSload(dst Vec, a Addr)    { e.ins("FMOVS", e.mem(a, 4), fp(dst)) }
func (e *arm64) FMOVDload(dst Vec, a Addr)    { e.ins("FMOVD", e.mem(a, 8), fp(dst)) }
func (e *arm64) FMOVQload(dst Vec, a Addr)    { e.ins("FMOVQ", e.mem(a, 16), fp(dst)) }
func (e *arm64) FMOVSstore(a Addr, src Vec)   { e.ins("FMOVS", fp(src), e.mem(a, 4)) }
func (e *arm64) FMOVDstore(a Addr, src Vec)   { e.ins("FMOVD", fp(src), e.mem(a, 8)) }
func (e *arm64) FMOVQstore(a Addr, src Vec)   { e.ins("FMOVQ", fp(src), e.mem(a, 16)) }
func (e *arm64) PRFM(a Addr)                  { e.ins("PRFM", e.mem(a, 8), "PLDL1KEEP") }
func (e *arm64) FLDPQ(dst1, dst2 Vec, a Addr) { e.ins("FLDPQ", e.pairMem(a), pair(dst1, dst2)) }
func (e *arm64) FSTPQ(a Addr, src1, src2 Vec) { e.ins("FSTPQ", pair(src1, src2), e.pairMem(a)) }
func (e *arm64) VLD1(dst Vec, size, i int, at GP) {
	e.ins("VLD1", "("+e.gp(at)+")", element(dst, size, i))
}
func (e *arm64) VST1(at GP, src Vec, size, i int) {
	e.ins("VST1", element(src, size, i), "("+e.gp(at)+")")
}

// Arithmetic.

func (e *arm64) VADD(dst, a, b Vec, s shape)     { e.ins("VADD", vec(b, s), vec(a, s), vec(dst, s)) }
func (e *arm64) VADDP(dst, a, b Vec, s shape)    { e.ins("VADDP", vec(b, s), vec(a, s), vec(dst, s)) }
func (e *arm64) VZIP1(dst, a, b Vec, s shape)    { e.ins("VZIP1", vec(b, s), vec(a, s), vec(dst, s)) }
func (e *arm64) VUZP1(dst, a, b Vec, s shape)    { e.ins("VUZP1", vec(b, s), vec(a, s), vec(dst, s)) }
func (e *arm64) VZIP2(dst, a, b Vec, s shape)    { e.ins("VZIP2", vec(b, s), vec(a, s), vec(dst, s)) }
func (e *arm64) VAND(dst, a, b Vec)              { e.ins("VAND", vec(b, b16), vec(a, b16), vec(dst, b16)) }
func (e *arm64) VORR(dst, a, b Vec)              { e.ins("VORR", vec(b, b16), vec(a, b16), vec(dst, b16)) }
func (e *arm64) VEOR(dst, a, b Vec)              { e.ins("VEOR", vec(b, b16), vec(a, b16), vec(dst, b16)) }
func (e *arm64) VSHL(dst, a Vec, n int, s shape) { e.ins("VSHL", immediate(n), vec(a, s), vec(dst, s)) }
func (e *arm64) VUSHR(dst, a Vec, n int, s shape) {
	e.ins("VUSHR", immediate(n), vec(a, s), vec(dst, s))
}

// VBIT sets in dst the bits of a that mask selects.
func (e *arm64) VBIT(dst, a, mask Vec) { e.ins("VBIT", vec(mask, b16), vec(a, b16), vec(dst, b16)) }

// VBIF sets in dst the bits of a that mask does not select.
func (e *arm64) VBIF(dst, a, mask Vec) { e.ins("VBIF", vec(mask, b16), vec(a, b16), vec(dst, b16)) }

// VEXT takes 16 bytes from a and then b, n bytes on.
func (e *arm64) VEXT(dst, a, b Vec, n int) {
	e.ins("VEXT", immediate(n), vec(b, b16), vec(a, b16), vec(dst, b16))
}

// VTBL takes the bytes of table that index numbers.
func (e *arm64) VTBL(dst, table, index Vec) {
	e.ins("VTBL", vec(index, b16), "["+vec(table, b16)+"]", vec(dst, b16))
}

// A window is a register, the emitter's own, that points into the middle of
// what lies behind a base register. A pair of registers is loaded from no
// farther than 1 KiB, and a block is 4 KiB.
type window struct {
	base GP
	off  int
	open bool
}

const (
	windowReg  GP = 26
	windowHalf    = 1 << 10
)

func (w *window) forget() { w.open = false }

func (w *window) written(g GP) {
	if g == w.base {
		w.forget()
	}
}

// pairMem is the operand for a pair of 16-byte registers.
func (e *arm64) pairMem(a Addr) string {
	if a.Off%16 != 0 || a.Index != None {
		e.fail("no pair at %+v", a)
	}
	if a.Off >= -windowHalf && a.Off < windowHalf {
		return e.memory(a)
	}
	off := (a.Off + windowHalf) &^ (2*windowHalf - 1)
	if w := (window{a.Base, off, true}); e.near != w {
		e.ADDi(windowReg, a.Base, off)
		e.near = w
	}
	return e.memory(At(windowReg, a.Off-off))
}
