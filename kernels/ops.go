package kernels

import (
	"math/bits"
	"unsafe"
)

// An Op is an operation for which there is a kernel per element type and
// instruction set.
type Op uint8

// The operations, each with its row in [Ops] and its arguments in a struct.
const (
	OpSum Op = iota
	OpBlocks
	OpRows
	OpCols
	OpRound
	NumOps
)

// Ops describes the operations: the prefix in the names of their kernels, the
// Go type of their argument, whether only rounded types have one, and what
// they do.
var Ops = [NumOps]struct {
	Name, Args  string
	RoundedOnly bool
	Doc         string
}{
	OpSum:    {"sum", "SumArgs", false, "writes the sum of a sequence, up to SumBlocks blocks long"},
	OpBlocks: {"blocks", "RowsArgs", false, "writes the sum of each row, a whole block long"},
	OpRows:   {"rows", "RowsArgs", false, "writes the sum of each row, shorter than a block"},
	OpCols:   {"cols", "ColsArgs", false, "adds up to eight rows elementwise, as one subtree of the order"},
	OpRound:  {"round", "RoundArgs", true, "rounds accumulators to elements, to nearest even"},
}

// Serving returns the instruction set whose kernel does the operation on the type
// where isa is asked for: isa itself with few exceptions. Sums of float16 are AVX2's on
// AVX-512. A loop that widens and adds 128 bits at a time was a tenth faster on an Intel
// Xeon than one with 256; rows of 5 to 100 elements took 0.54 to 0.84 of the time on an
// AMD EPYC (Zen 4), longer ones 0.9 to 0.98, only those of one and three elements 1.25.
func Serving(op Op, t Type, isa ISA) ISA {
	switch {
	case Ops[op].RoundedOnly && !t.Rounded():
		return Generic
	case isa == AVX512 && t == F16 && op != OpRound:
		return AVX2
	}
	return isa
}

// Has reports whether isa has a kernel of its own for the operation on the type.
func Has(op Op, t Type, isa ISA) bool { return Serving(op, t, isa) == isa }

// SumBlocks is how many blocks long a sequence may be that a call of sum sums.
const SumBlocks = 8

// SumArgs are the arguments of sum, which writes the sum of the N elements at
// Src, 1 <= N <= SumBlocks blocks, to the accumulator at Dst.
type SumArgs struct {
	Dst, Src unsafe.Pointer
	N        int
}

// RowsArgs are the arguments of blocks and rows: for i in [0, Outer), of which
// there is at least one,
//
//	Dst[i] = blockSum(Src[i*Stride:][:N])
//
// where Dst holds accumulators and Stride counts bytes. blocks wants N equal
// to the type's block, rows N in [1, block).
type RowsArgs struct {
	Dst, Src         unsafe.Pointer
	Outer, N, Stride int
}

// A tree of columns has up to 2^ColsLevels rows as leaves. More would be too many
// streams for caches: rows often lie a power of two apart, and then all compete
// for the same eight lines.
const ColsLevels = 3

// Trees are the trees that cols can sum, as sets of the leaves that exist, bit i
// for leaf i: all of them, or those that a limit for their numbers leaves when the
// weights ascend; or when they descend, which reverses the bits of a number.
var Trees = func() (trees []uint8) {
	for levels := range ColsLevels + 1 {
		for rows := 1<<levels/2 + 1; rows <= 1<<levels; rows++ {
			ascending, descending := uint8(1<<rows-1), uint8(0)
			for i := range 1 << levels {
				if int(bits.Reverse8(uint8(i))>>(8-levels)) < rows {
					descending |= 1 << i
				}
			}
			trees = append(trees, ascending)
			if descending != ascending {
				trees = append(trees, descending)
			}
		}
	}
	return trees
}()

// TreeLevels is the binary logarithm of the number of leaves, existing or not,
// of a tree.
func TreeLevels(leaves uint8) int { return bits.Len(uint(bits.Len8(leaves) - 1)) }

// ColsArgs are the arguments of cols: for o in [0, Outer) and c in [0, N),
//
//	x := sum of Src[o*SrcOuter + any sum of Strides[:levels]][c], as a tree
//	for l in [0, Lefts) { x = Left[o*LeftOuter + l*LeftStep][c] + x }
//	Dst[o*DstOuter][c] = x
//
// The tree is Trees[Tree], with 2^levels leaves, numbered in binary, bit i of a
// number adding Strides[i]. Src holds elements, Left and Dst accumulators; all
// strides count bytes. There is at least one outer item and one column. Dst may
// be one of the rows of Left, or the first row of Src if that holds accumulators.
type ColsArgs struct {
	Dst, Src, Left        unsafe.Pointer
	Strides               [ColsLevels]int
	Tree, N, Outer, Lefts int
	SrcOuter, DstOuter    int
	LeftOuter, LeftStep   int
}

// RoundArgs are the arguments of round: Dst[i] is Src[i], rounded to the
// element type, for i in [0, N), N > 0.
type RoundArgs struct {
	Dst, Src unsafe.Pointer
	N        int
}
