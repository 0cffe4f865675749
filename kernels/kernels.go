// Package kernels is the vocabulary that the package, its generators, its
// tests and its benchmarks share: the order of summation, the arguments of the
// kernels, and the table of kernels. It imports nothing of the project.
//
// # The order of summation
//
// Floating-point addition is not associative, so a sum is only reproducible
// when the order of its additions is fixed. Ours is fixed by the length of the
// sequence alone, and is the same for every CPU, kernel, thread count,
// alignment and memory layout.
//
// A sequence is cut into blocks of [Rows] rows of 256 bytes of accumulators
// (64 float32 or 32 float64: four 64-byte vectors). Inside a block,
// neighbouring rows are added pairwise, as a perfect binary tree; the one row
// that remains is folded in half until one lane is left. If there was more
// than one block, the block sums form a new sequence, and the same is done
// with it. So the whole is one perfect pairwise tree, whose error is at most
// ceil(log2 n) * u * sum|x|: no order without compensation does better.
//
// # Several axes
//
// Axes of size 1 count as absent. Neighbouring reduced axes then act as one:
// their elements, in row-major order, are one sequence. Where kept axes lie
// between reduced ones, the innermost group of reduced axes is summed first,
// and its sums, not rounded to the element type, are the sequence of the next
// group. (So separate axes are not one sequence, and their errors add up.)
//
// # Absent elements
//
// The last block may be short. What it lacks counts as -0, the identity of
// IEEE 754 addition (x + -0 is x for every x, both zeros included; +0 would
// turn -0 into +0). A kernel may therefore pad with -0, or leave the
// additions with absent elements out: the bits are equal. Integers wrap, so
// every order gives the same bits, and they are padded with 0.
//
// # The tree as a list of weights
//
// Number the leaves of a block's tree from left to right, in binary. The four
// lowest bits of that number choose the row; the bits above choose the lane,
// its own highest bit first, because folding in half pairs lane j with lane
// j + half. So the element at a leaf is the sum of the weights ([Weight]) whose bits
// are set, and every aligned subtree of 2^k leaves is the set of elements
// base + any sum of k weights. That is all a kernel for columns needs: it adds
// up to eight rows of a matrix, at base + any sum of up to three strides.
package kernels

import (
	"fmt"
	"math/bits"
)

const (
	// Rows is the number of rows of a block.
	Rows    = 1 << logRows
	logRows = 4
	// RowBytes is the size of a row of a block, in bytes of accumulators.
	RowBytes = 256
	// BlockBytes is the size of a block, in bytes of accumulators.
	BlockBytes = Rows * RowBytes
	// MaxBytes is the most that one call of a kernel reads: assembly cannot be
	// preempted, and a longer call would hold up the garbage collector.
	MaxBytes = 256 << 10
)

// A Type is an element type, as the kernels see it: unsigned integers share
// the kernels of the signed ones.
type Type uint8

// The element types, each with its row in [Types].
const (
	F32 Type = iota
	F64
	F16
	BF16
	I32
	I64
	NumTypes
)

// Types describes the element types: the suffix in the names of their
// kernels, the size of an element in bytes, and the type of the accumulator.
var Types = [NumTypes]struct {
	Name string
	Size int
	Acc  Type
}{
	F32:  {"F32", 4, F32},
	F64:  {"F64", 8, F64},
	F16:  {"F16", 2, F32},
	BF16: {"BF16", 2, F32},
	I32:  {"I32", 4, I32},
	I64:  {"I64", 8, I64},
}

func (t Type) String() string { return Types[t].Name }

// sizes, accs and lanes hold what the methods of a Type return, padded so that
// looking it up needs no check: it is on the path of the smallest sums.
var sizes, accs, lanes = func() (sizes, accs, lanes [8]uint8) {
	for t, info := range Types {
		sizes[t], accs[t] = uint8(info.Size), uint8(info.Acc)
		lanes[t] = uint8(RowBytes / Types[info.Acc].Size)
	}
	return sizes, accs, lanes
}()

// Size is the size of an element in bytes.
func (t Type) Size() int { return int(sizes[t%8]) }

// Acc is the type in which elements of t are summed.
func (t Type) Acc() Type { return Type(accs[t%8]) }

// Rounded reports whether sums are kept in a wider type than t, and rounded to
// t at the end.
func (t Type) Rounded() bool { return t.Acc() != t }

// Float reports whether the accumulator is a float, whose absent elements are -0.
func (t Type) Float() bool { return t.Acc() == F32 || t.Acc() == F64 }

// Lanes is the number of accumulators in a row of a block.
func (t Type) Lanes() int { return int(lanes[t%8]) }

// Block is the number of elements in a block.
func (t Type) Block() int { return Rows * t.Lanes() }

// LogBlock is the binary logarithm of Block.
func (t Type) LogBlock() int { return bits.Len(uint(t.Lanes())) - 1 + logRows }

// Weight returns what bit i of a leaf's number adds to the index of its element
// inside a block of rows of the given number of lanes: that of a type, or less
// where neighbouring lanes are taken together.
func Weight(lanes, i int) int {
	if i < logRows {
		return lanes << i
	}
	return lanes >> (i - logRows + 1)
}

// An ISA is an instruction set for which kernels are generated.
type ISA uint8

// The instruction sets. Generic is plain Go.
const (
	Generic ISA = iota
	AVX2
	AVX512
	NEON
	NumISAs
)

// ISAs describes the instruction sets: the suffix in the names of their
// kernels, the name that users see, the architecture in Go's spelling, the size of
// a vector, and the features of a CPU that their kernels may use, in the
// manufacturers' names.
var ISAs = [NumISAs]struct {
	Name, Public, Arch string
	VecBytes           int
	Features           []string
}{
	Generic: {"Generic", "generic", "", 1, nil},
	AVX2:    {"AVX2", "avx2", "amd64", 32, []string{"AVX", "AVX2", "F16C"}},
	AVX512: {"AVX512", "avx512", "amd64", 64, []string{
		"AVX", "AVX2", "F16C", "BMI2", "AVX512F", "AVX512BW", "AVX512DQ", "AVX512VL",
	}},
	NEON: {"NEON", "neon", "arm64", 16, []string{"ASIMD"}},
}

func (i ISA) String() string { return ISAs[i].Name }

// Public is the name that users see, and that REDUCESUM_ISA takes.
func (i ISA) Public() string { return ISAs[i].Public }

// Name is the name of a kernel: operation, element type, instruction set.
func Name(op Op, t Type, isa ISA) string {
	return fmt.Sprintf("%s%s%s", Ops[op].Name, t, isa)
}
