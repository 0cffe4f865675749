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
	OpPack
	NumOps
)

// Ops describes the operations: the prefix in the names of their kernels, the
// Go type of their argument, whether only rounded types have one, whether types of
// one size share one, and what they do.
var Ops = [NumOps]struct {
	Name, Args  string
	RoundedOnly bool
	BySize      bool
	Doc         string
}{
	OpSum:    {"sum", "SumArgs", false, false, "writes the sum of a sequence, up to SumBlocks blocks long"},
	OpBlocks: {"blocks", "RowsArgs", false, false, "writes the sum of each row, a whole block long"},
	OpRows:   {"rows", "RowsArgs", false, false, "writes the sum of each row, shorter than a block"},
	OpCols:   {"cols", "ColsArgs", false, false, "adds rows elementwise, in the order of a tree, for each of several items"},
	OpRound:  {"round", "RoundArgs", true, false, "rounds accumulators to elements, to nearest even"},
	OpPack:   {"pack", "PackArgs", false, true, "copies elements from some strides to others"},
}

// Serving returns the type and the instruction set whose kernel does the operation
// on t where isa is asked for: these themselves with few exceptions. What only moves
// bits is done by the float of that size. Sums of float16 are AVX2's on AVX-512: a
// loop that widens and adds 128 bits at a time was a tenth faster on an Intel Xeon than
// one with 256; rows of 5 to 100 elements took 0.54 to 0.84 of the time on an AMD EPYC
// (Zen 4), longer ones 0.9 to 0.98, only those of one and three elements 1.25. To pack
// is AVX2's, too: wider vectors gained nothing on a Zen 4 where Dst stays in the first
// two caches.
func Serving(op Op, t Type, isa ISA) (Type, ISA) {
	if Ops[op].BySize {
		t = floatOf[t.Size()]
	}
	switch {
	case Ops[op].RoundedOnly && !t.Rounded():
		return t, Generic
	case isa == AVX512 && t == F16 && (op == OpSum || op == OpBlocks || op == OpRows):
		return t, AVX2
	case isa == AVX512 && op == OpPack:
		return t, AVX2
	}
	return t, isa
}

// floatOf is the float of each size.
var floatOf = [...]Type{2: F16, 4: F32, 8: F64}

// Has reports whether there is a kernel of the operation for just this type and
// instruction set.
func Has(op Op, t Type, isa ISA) bool {
	serving, on := Serving(op, t, isa)
	return serving == t && on == isa
}

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
// for leaf i: those of up to eight rows whose weights descend, as the weights of
// lanes do, so that bit i of a leaf's number is bit levels-1-i of its row's. Whole
// trees and those of three rows are the same where the weights ascend; what else
// there is takes two nodes.
var Trees = func() (trees []uint8) {
	for levels := range ColsLevels + 1 {
		for rows := 1<<levels/2 + 1; rows <= 1<<levels; rows++ {
			leaves := uint8(0)
			for i := range 1 << levels {
				if int(bits.Reverse8(uint8(i))>>(8-levels)) < rows {
					leaves |= 1 << i
				}
			}
			trees = append(trees, leaves)
		}
	}
	return trees
}()

// TreeLevels is the binary logarithm of the number of leaves, existing or not,
// of a tree.
func TreeLevels(leaves uint8) int { return bits.Len(uint(bits.Len8(leaves) - 1)) }

// ColsArgs are the arguments of cols: a program of Count nodes, to be run for each
// outer item. For o in [0, Outer), for each node, for c in [0, N),
//
//	x := sum of Src[o*SrcOuter + node.Src + any sum of node.Strides[:levels]][c], as a tree
//	for l in [0, node.Lefts) { x = Slots[node.Left + l*SlotStep][c] + x }
//	Slots[node.To][c] = x, or Dst[o*DstOuter][c] = x for the last node
//
// Src holds elements, Slots and Dst accumulators; all strides count bytes. There is
// at least one outer item and one node. N is a multiple of the accumulators in a
// vector of the instruction set. Dst may be one of the slots, or the first row of
// the last node if that holds accumulators.
type ColsArgs struct {
	Dst, Src, Slots              unsafe.Pointer
	Nodes                        *ColsNode
	Count, N, Outer              int
	SrcOuter, DstOuter, SlotStep int
}

// A ColsNode is a subtree of the order: Trees[Tree], with 2^levels leaves, numbered
// in binary, bit i of a number adding Strides[i]. Its sum is added to those of the
// Lefts subtrees to the left of it, from the nearest one on.
type ColsNode struct {
	Src     int
	Strides [ColsLevels]int
	Tree    int
	To      int
	Left    int
	Lefts   int
}

// RoundArgs are the arguments of round: Dst[i] is Src[i], rounded to the
// element type, for i in [0, N), N > 0.
type RoundArgs struct {
	Dst, Src unsafe.Pointer
	N        int
}

// PackArgs are the arguments of pack, which copies elements: for o in [0, Outer),
// r in [0, Rows) and c in [0, Cols), each at least 1,
//
//	Dst[o*DstOuter + r*DstRow + c*DstCol] = Src[o*SrcOuter + r*SrcRow + c*SrcCol]
//
// All strides count bytes, and are not negative. Dst and Src do not overlap, nor do
// the elements of Dst. What lies between elements of Src may be read, too.
type PackArgs struct {
	Dst, Src                 unsafe.Pointer
	Outer, Rows, Cols        int
	SrcOuter, SrcRow, SrcCol int
	DstOuter, DstRow, DstCol int
}
