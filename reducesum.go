// Package reducesum sums tensors: ONNX's ReduceSum (versions 1, 11 and 13) for
// float64, float32, float16, bfloat16, int32, int64, uint32 and uint64, at the
// speed of memory, with one result.
//
// The bits of a result depend on the values and the shape alone: not on the
// CPU, the instruction set, the number of workers, the alignment of a slice or
// the memory layout of a tensor. The order of the additions is a perfect
// pairwise tree, defined in package kernels, and the error of a sum of n
// elements is at most ceil(log2 n) * u * sum|x|, u being the unit roundoff of
// the accumulator (2^-24 for float16, bfloat16 and float32, 2^-53 for float64);
// groups of reduced axes that kept axes lie between are summed one after the
// other, and ceil(log2 n) is then the sum of that of each group. Sums of float16
// and bfloat16 are kept in float32 and rounded once, to nearest even, at the
// very end, which adds the error of that rounding. Integers wrap.
//
// # Which function to call
//
// By what you have:
//
//   - A slice: [Sum]. It allocates nothing and starts no goroutine. For a very large
//     one ReduceSum(x, []int{len(x)}, Op{}, WithWorkers(0)) uses all CPUs.
//   - A tensor, once: [ReduceSum], which makes the result.
//   - A shape that comes again and again, as in an inference engine: [NewPlan] once,
//     [Run] each time. A Run with one worker, which is the default, allocates nothing and
//     starts no goroutine; any number of them may share a plan.
//   - Axes that you have merged to [outer, reduce, inner] yourself: [SumBlocks]. There
//     is no plan, and it allocates nothing and starts no goroutine either.
//   - Slices whose type is known when the program runs: [RunAny] and [ReduceSumAny].
//     Memory that is known as bytes and a type: [RunBytes] and [ReduceSumBytes], with a
//     [DType].
//   - A node of an ONNX model: [ONNXNode] makes an [Op] of it, and refuses what the
//     model's opset does not allow.
//
// By how it lies in memory: a transposed, sliced or broadcast tensor is summed where it is
// with [WithStrides]. Slices of another package's 16-bit floats and of int and uint are
// viewed with [AsFloat16], [AsBFloat16], [AsInt] and [AsUint]; no element is copied.
//
// By who does the work: the caller alone, or goroutines too ([WithWorkers]), or an
// engine's own pool ([WithPool]).
//
// # Errors and the environment
//
// An error wraps a sentinel, such as [ErrAxis], and names the value that is wrong.
// No argument makes a function panic.
//
// The environment variable REDUCESUM_ISA (avx512, avx2, neon or generic) lowers the
// instruction set below what the CPU offers, as GODEBUG=cpu.avx512=off does; any other
// value is ignored, and [Implementations] tells what is used. The build tags purego and
// noasm leave assembly out.
package reducesum

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// Element is an element type of a tensor: those of ONNX's ReduceSum. [AsInt], [AsUint],
// [AsFloat16] and [AsBFloat16] view slices of other types as slices of these, and
// [RunAny] takes more types of slices.
type Element interface {
	float32 | float64 | Float16 | BFloat16 | int32 | int64 | uint32 | uint64
}

// Sum returns the sum of x in the package's one order: +0 for an empty slice.
//
// It takes O(len(x)) time, allocates nothing, and gives the same bits as
// [ReduceSum] over all axes of a tensor that holds the same sequence.
func Sum[T Element](x []T) T {
	var dst T
	if len(x) == 0 {
		return dst
	}
	t, src, size := typeOf[T](), unsafe.Pointer(unsafe.SliceData(x)), int(unsafe.Sizeof(dst))
	// One call of a kernel does for short slices, and every nanosecond shows.
	if len(x) > kernels.SumBlocks*kernels.BlockBytes/max(size, 4) {
		sumSlice(best, t, unsafe.Pointer(&dst), src, len(x))
		return dst
	}
	if size >= 4 {
		sumShort(best, t, unsafe.Pointer(&dst), src, len(x))
		return dst
	}
	var acc float32
	sumShort(best, t, unsafe.Pointer(&acc), src, len(x))
	*(*uint16)(unsafe.Pointer(&dst)) = round16(t, acc)
	return dst
}

// ReduceSum sums the tensor src, of the given shape and in row-major order,
// over the axes that op names. It returns the result, in row-major order, and
// its shape. It is [NewPlan] and [Run] in one; its errors are theirs, and
// [ErrShape] for a result that no slice can hold.
func ReduceSum[T Element](src []T, shape []int, op Op, opts ...Option) (dst []T, outShape []int, err error) {
	p, err := NewPlan(shape, op, opts...)
	if err != nil {
		return nil, nil, err
	}
	if err := p.checkSource(len(src)); err != nil {
		return nil, nil, err
	}
	var zero T
	if n, ok := mul(p.Len(), int(unsafe.Sizeof(zero))); !ok || n > maxBytes {
		return nil, nil, fmt.Errorf("%w: the result of shape %v has %d elements, more than memory can hold", ErrShape, p.shape, p.dstLen)
	}
	dst = make([]T, p.Len())
	if err := Run(p, dst, src); err != nil {
		return nil, nil, err
	}
	return dst, p.Shape(), nil
}

// Run sums src as the plan says, and writes the result to dst, which is
// overwritten whole. The length of src must be that of the plan's shape (with
// [WithStrides], reach as far as the view does); the length of dst must be
// p.Len(). dst must not overlap src. Errors wrap [ErrLength], [ErrOverlap], and
// [ErrPlan] for a plan that [NewPlan] did not make.
//
// Any number of Runs may use one plan at the same time. With one worker, a Run
// allocates nothing and starts no goroutine.
func Run[T Element](p *Plan, dst, src []T) error {
	if p == nil {
		return fmt.Errorf("%w: it is nil", ErrPlan)
	}
	if !p.made {
		return fmt.Errorf("%w: it was not made by NewPlan", ErrPlan)
	}
	if err := p.checkSource(len(src)); err != nil {
		return err
	}
	if len(dst) != p.dstLen {
		return fmt.Errorf("%w: dst has %d elements, the result of shape %v has %d", ErrLength, len(dst), p.shape, p.dstLen)
	}
	if overlap(dst, src) {
		return fmt.Errorf("%w: dst (%d elements) and src (%d elements) share memory", ErrOverlap, len(dst), len(src))
	}
	if len(dst) == 0 {
		return nil
	}
	t, to, from := typeOf[T](), unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	if p.sequence && p.workers <= 1 { // every nanosecond shows
		sumSlice(p.isa, t, to, from, p.elements)
		return nil
	}
	return p.run(t, to, from)
}

// SumBlocks sums src, of shape [outer, reduce, inner] in row-major order, over
// its middle axis into dst, of shape [outer, inner]: for engines that have
// merged the axes of a ReduceSum themselves. It needs no plan, allocates
// nothing, and runs on the calling goroutine alone. Errors wrap [ErrShape],
// [ErrLength] and [ErrOverlap].
func SumBlocks[T Element](dst, src []T, outer, reduce, inner int) error {
	if outer < 0 || reduce < 0 || inner < 0 {
		return fmt.Errorf("%w: negative dimension in [%d %d %d]", ErrShape, outer, reduce, inner)
	}
	n, ok := mul(outer, inner)
	if !ok {
		return fmt.Errorf("%w: [%d %d] has more elements than an int can count", ErrShape, outer, inner)
	}
	total, ok := mul(n, reduce)
	if !ok {
		return fmt.Errorf("%w: [%d %d %d] has more elements than an int can count", ErrShape, outer, reduce, inner)
	}
	if len(src) != total {
		return fmt.Errorf("%w: src has %d elements, the shape [%d %d %d] has %d", ErrLength, len(src), outer, reduce, inner, total)
	}
	if len(dst) != n {
		return fmt.Errorf("%w: dst has %d elements, the shape [%d %d] has %d", ErrLength, len(dst), outer, inner, n)
	}
	if overlap(dst, src) {
		return fmt.Errorf("%w: dst (%d elements) and src (%d elements) share memory", ErrOverlap, len(dst), len(src))
	}
	if n == 0 {
		return nil
	}
	if reduce == 0 {
		clear(dst)
		return nil
	}
	sumMiddle(best, typeOf[T](), unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), outer, reduce, inner)
	return nil
}

// maxBytes is more than the memory of any machine, and less than what make
// refuses: 2^47 bytes, or 2^30 where an int has 32 bits.
const maxBytes = 1 << (30 + 17*(^uint(0)>>63))

// typeOf returns the kernels' name for T, and sees to it that there are kernels. The
// compiler knows the answer for all but the 16-bit types.
func typeOf[T Element]() kernels.Type {
	var zero T
	one := T(1)
	float := one/2 != 0 // false for 16 bits, too
	switch size := unsafe.Sizeof(zero); {
	case size == 4 && float:
		use(kernels.F32, tableF32)
		return kernels.F32
	case size == 4:
		use(kernels.I32, tableI32)
		return kernels.I32
	case size == 8 && float:
		use(kernels.F64, tableF64)
		return kernels.F64
	case size == 8:
		use(kernels.I64, tableI64)
		return kernels.I64
	}
	use(kernels.F32, tableF32) // for accumulators
	if _, ok := any(zero).(Float16); ok {
		use(kernels.F16, tableF16)
		return kernels.F16
	}
	use(kernels.BF16, tableBF16)
	return kernels.BF16
}

// overlap reports whether a and b share memory.
func overlap[T Element](a, b []T) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	size := unsafe.Sizeof(a[0])
	a0, b0 := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return a0 < b0+uintptr(len(b))*size && b0 < a0+uintptr(len(a))*size
}

// What is wrong with an argument: errors wrap one of these, and name the value.
var (
	// ErrAxis: an axis outside [-rank, rank), from NewPlan.
	ErrAxis = errors.New("reducesum: axis out of range")
	// ErrShape: a negative dimension or too many elements, from NewPlan, ReduceSum and SumBlocks.
	ErrShape = errors.New("reducesum: bad shape")
	// ErrStride: strides that are negative, too many, too few or too large, from NewPlan.
	ErrStride = errors.New("reducesum: bad strides")
	// ErrLength: a slice that does not fit the shape, from Run, ReduceSum and SumBlocks.
	ErrLength = errors.New("reducesum: wrong length")
	// ErrOverlap: dst and src share memory, from Run and SumBlocks.
	ErrOverlap = errors.New("reducesum: dst overlaps src")
	// ErrWorkers: a negative number of workers, from NewPlan.
	ErrWorkers = errors.New("reducesum: bad number of workers")
	// ErrPool: a nil pool or one without workers, from NewPlan.
	ErrPool = errors.New("reducesum: bad pool")
	// ErrImplementation: one that this CPU cannot run or REDUCESUM_ISA rules out, from NewPlan.
	ErrImplementation = errors.New("reducesum: implementation not available")
	// ErrPlan: a plan that NewPlan did not make, from Run.
	ErrPlan = errors.New("reducesum: bad plan")
	// ErrONNX: what an opset does not allow, from ONNXNode.Op.
	ErrONNX = errors.New("reducesum: not allowed by the ONNX opset")
)
