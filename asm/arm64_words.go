package main

import (
	"fmt"
	"slices"
	"strings"
)

// This file spells the instructions that Go's assembler does not: as words
// whose fields are packed as the Arm Architecture Reference Manual (DDI 0487,
// section C7.2) draws them, each with its GNU mnemonic as the comment, which a
// test compares with a disassembler's. All are in ARMv8.0. What comes often is a
// macro, whose operands are the numbers of registers, in Go's order.

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

// macro writes an instruction on registers, the destination first, each with its place
// in the word and its name in the GNU mnemonic.
func (e *arm64) macro(name string, bits uint32, gnu string, operands ...operandARM64) {
	var params, fields, values []string
	for i := len(operands) - 1; i >= 0; i-- {
		o := operands[i]
		params = append(params, o.name)
		values = append(values, fmt.Sprint(o.v))
	}
	for _, o := range operands {
		fields = append(fields, fmt.Sprintf("|%s<<%d", o.name, o.shift))
	}
	define := fmt.Sprintf("// %s\n#define %s(%s) WORD $(%#08x%s)\n", gnu, name, strings.Join(params, ", "), bits, strings.Join(fields, ""))
	if !slices.Contains(e.macros, define) {
		e.macros = append(e.macros, define)
	}
	fmt.Fprintf(&e.body, "\t%s(%s)\n", name, strings.Join(values, ", "))
}

// An operandARM64 is a register among the operands of a macro.
type operandARM64 struct {
	name  string
	shift int
	v     Vec
}

func opD(v Vec) operandARM64 { return operandARM64{"d", 0, v} }
func opN(v Vec) operandARM64 { return operandARM64{"n", 5, v} }
func opM(v Vec) operandARM64 { return operandARM64{"m", 16, v} }

// Fields: registers, all 128 bits, single or double precision.

func rd(v Vec) uint32        { return uint32(v) }
func rn(v Vec) uint32        { return uint32(v) << 5 }
func all(s shape) uint32     { return s.q << 30 }
func precise(s shape) uint32 { return (s.size - 2) << 22 }

// three writes an instruction whose three operands have the same shape.
func (e *arm64) three(opcode uint32, name string, dst, a, b Vec, s shape) {
	gnu := fmt.Sprintf("%s vd.%[2]s, vn.%[2]s, vm.%[2]s", name, s.gnu)
	e.macro(strings.ToUpper(name)+"_"+s.name, opcode|all(s)|precise(s), gnu, opD(dst), opN(a), opM(b))
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
	e.macro("FCVTL", 0b0_0_0_01110_00_10000_10111_10<<10, "fcvtl vd.4s, vn.4h", opD(dst), opN(a))
}

func (e *arm64) FCVTL2(dst, a Vec) {
	e.macro("FCVTL2", 0b0_1_0_01110_00_10000_10111_10<<10, "fcvtl2 vd.4s, vn.8h", opD(dst), opN(a))
}

// FCVTN narrows four float32 to float16, and clears the upper half of dst.
func (e *arm64) FCVTN(dst, a Vec) {
	e.macro("FCVTN", 0b0_0_0_01110_00_10000_10110_10<<10, "fcvtn vd.4h, vn.4s", opD(dst), opN(a))
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
