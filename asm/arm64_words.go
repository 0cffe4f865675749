package main

import "fmt"

// This file spells the instructions that Go's assembler does not: as words
// whose fields are packed as the Arm Architecture Reference Manual (DDI 0487,
// section C7.2) draws them, each with its GNU mnemonic as the comment, which a
// test compares with a disassembler's. All are in ARMv8.0.

// A shape is how a vector register is divided into elements: its name in Go's
// assembly and in GNU's, whether all 128 bits are used, and the binary
// logarithm of the element's size in bytes.
type shape struct {
	name, gnu string
	q, size   uint32
}

var (
	b16 = shape{"B16", "16b", 1, 0}
	h8  = shape{"H8", "8h", 1, 1}
	s4  = shape{"S4", "4s", 1, 2}
	d2  = shape{"D2", "2d", 1, 3}
)

// word writes an instruction as its bits.
func (e *arm64) word(bits uint32, format string, args ...any) {
	e.ins("WORD", fmt.Sprintf("$%#08x // %s", bits, fmt.Sprintf(format, args...)))
}

// Fields: registers, all 128 bits, single or double precision.

func rd(v Vec) uint32        { return uint32(v) }
func rn(v Vec) uint32        { return uint32(v) << 5 }
func rm(v Vec) uint32        { return uint32(v) << 16 }
func all(s shape) uint32     { return s.q << 30 }
func precise(s shape) uint32 { return (s.size - 2) << 22 }

// three writes an instruction whose three operands have the same shape.
func (e *arm64) three(opcode uint32, name string, dst, a, b Vec, s shape) {
	e.word(opcode|all(s)|precise(s)|rm(b)|rn(a)|rd(dst), "%s v%d.%s, v%d.%s, v%d.%s", name, dst, s.gnu, a, s.gnu, b, s.gnu)
}

// FADD adds floats.
func (e *arm64) FADD(dst, a, b Vec, s shape) {
	e.three(0b0_0_0_01110_0_0_1_00000_110101<<10, "fadd", dst, a, b, s)
}

// FADDP adds neighbours: those of a, then those of b.
func (e *arm64) FADDP(dst, a, b Vec, s shape) {
	e.three(0b0_0_1_01110_0_0_1_00000_110101<<10, "faddp", dst, a, b, s)
}

// FCMEQ compares floats: all ones where they are equal, so not at a NaN.
func (e *arm64) FCMEQ(dst, a, b Vec, s shape) {
	e.three(0b0_0_0_01110_0_0_1_00000_111001<<10, "fcmeq", dst, a, b, s)
}

// FCVTL widens the lower four float16 of a to float32, FCVTL2 the upper four.
func (e *arm64) FCVTL(dst, a Vec) {
	e.word(0b0_0_0_01110_00_10000_10111_10<<10|rn(a)|rd(dst), "fcvtl v%d.4s, v%d.4h", dst, a)
}

func (e *arm64) FCVTL2(dst, a Vec) {
	e.word(0b0_1_0_01110_00_10000_10111_10<<10|rn(a)|rd(dst), "fcvtl2 v%d.4s, v%d.8h", dst, a)
}

// FCVTN narrows four float32 to float16, and clears the upper half of dst.
func (e *arm64) FCVTN(dst, a Vec) {
	e.word(0b0_0_0_01110_00_10000_10110_10<<10|rn(a)|rd(dst), "fcvtn v%d.4h, v%d.4s", dst, a)
}

// SHRN narrows four 32-bit elements, shifted right by n, to 16 bits, and clears
// the upper half of dst.
func (e *arm64) SHRN(dst, a Vec, n int) {
	e.word(0b0_0_0_011110_0000_000_10000_1<<10|uint32(32-n)<<16|rn(a)|rd(dst), "shrn v%d.4h, v%d.4s, #%d", dst, a, n)
}

// A modified immediate is a byte, shifted left in every 32-bit element: cmode
// says by how much, and whether ones (msl) or zeros (lsl) move in.
type modified struct {
	cmode uint32
	shift string
}

var (
	lsl0  = modified{0b0000, ""}
	lsl16 = modified{0b0100, ", lsl #16"}
	lsl24 = modified{0b0110, ", lsl #24"}
	msl8  = modified{0b1100, ", msl #8"}
)

func immediate8(n uint32) uint32 { return n>>5<<16 | n&0b11111<<5 }

// MOVI sets every 32-bit element to a modified immediate.
func (e *arm64) MOVI(dst Vec, n uint32, m modified) {
	e.word(0b0_1_0_0111100000_000_0000_01<<10|immediate8(n)|m.cmode<<12|rd(dst), "movi v%d.4s, #%#x%s", dst, n, m.shift)
}

// ORRi sets the bits of a modified immediate in every 32-bit element.
func (e *arm64) ORRi(dst Vec, n uint32, m modified) {
	e.word(0b0_1_0_0111100000_000_0001_01<<10|immediate8(n)|m.cmode<<12|rd(dst), "orr v%d.4s, #%#x%s", dst, n, m.shift)
}
