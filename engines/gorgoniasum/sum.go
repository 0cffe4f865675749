package gorgoniasum

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/reducesum/reducesum"
	"gorgonia.org/tensor"
)

// ErrTensor says that a tensor cannot be summed at all; the error that wraps it
// says why. What is wrong with the axes is an error of package reducesum.
var ErrTensor = errors.New("gorgoniasum: cannot sum this tensor")

// Sum sums a as op says, with options such as [reducesum.WithWorkers] and
// [reducesum.WithPool]; [reducesum.WithStrides] is set by Sum itself. The
// result has a's engine, whichever it is.
//
// Sum takes dense tensors, views included, without a mask. Their element type
// is one of package reducesum, Float16 and BFloat16 included, or Go's int or
// uint, which are integers of 64 or 32 bits.
func Sum(a tensor.Tensor, op reducesum.Op, opts ...reducesum.Option) (*tensor.Dense, error) {
	t, ok := a.(*tensor.Dense)
	if !ok || t == nil {
		return nil, fmt.Errorf("%w: it is a %T, not a *tensor.Dense", ErrTensor, a)
	}
	if !t.IsNativelyAccessible() {
		return nil, fmt.Errorf("%w: its memory is not accessible from Go", ErrTensor)
	}
	if len(t.Mask()) > 0 && t.IsMasked() {
		return nil, fmt.Errorf("%w: it has a mask of %d elements", ErrTensor, len(t.Mask()))
	}
	sum, ok := sums[t.Dtype().Type]
	if !ok {
		return nil, fmt.Errorf("%w: no sum of type %v", ErrTensor, t.Dtype())
	}
	strides, err := stridesOf(t)
	if err != nil {
		return nil, err
	}
	all := make([]reducesum.Option, 0, len(opts)+1)
	all = append(append(all, opts...), reducesum.WithStrides(strides))
	plan, err := reducesum.NewPlan(t.Shape(), op, all...)
	if err != nil {
		return nil, err
	}
	return sum(t, plan)
}

// sums has a function for each type of elements.
var sums = map[reflect.Type]func(*tensor.Dense, *reducesum.Plan) (*tensor.Dense, error){
	reflect.TypeFor[float32]():            sumOf[float32, float32],
	reflect.TypeFor[float64]():            sumOf[float64, float64],
	reflect.TypeFor[reducesum.Float16]():  sumOf[reducesum.Float16, reducesum.Float16],
	reflect.TypeFor[reducesum.BFloat16](): sumOf[reducesum.BFloat16, reducesum.BFloat16],
	reflect.TypeFor[int32]():              sumOf[int32, int32],
	reflect.TypeFor[int64]():              sumOf[int64, int64],
	reflect.TypeFor[uint32]():             sumOf[uint32, uint32],
	reflect.TypeFor[uint64]():             sumOf[uint64, uint64],
	reflect.TypeFor[int]():                sumOf[int, int64],
	reflect.TypeFor[uint]():               sumOf[uint, uint64],
}

func init() {
	if strconv.IntSize == 32 {
		sums[reflect.TypeFor[int]()] = sumOf[int, int32]
		sums[reflect.TypeFor[uint]()] = sumOf[uint, uint32]
	}
}

// sumOf runs a plan on a tensor of type G, which has the layout of E.
func sumOf[G any, E reducesum.Element](t *tensor.Dense, plan *reducesum.Plan) (*tensor.Dense, error) {
	dst := make([]G, plan.Len())
	if err := reducesum.Run(plan, view[E](dst), view[E](dataOf[G](t))); err != nil {
		return nil, err
	}
	return tensor.New(tensor.WithShape(plan.Shape()...), tensor.WithBacking(dst), tensor.WithEngine(t.Engine())), nil
}

// dataOf returns t's memory. It is that of t.Data(), which knows no empty
// tensors (it panics) and gives the value of a scalar instead.
func dataOf[G any](t *tensor.Dense) []G {
	var g G
	return unsafe.Slice((*G)(unsafe.Pointer(unsafe.SliceData(t.Raw))), len(t.Raw)/int(unsafe.Sizeof(g)))
}

// view gives the elements of x, which have the layout of E, that type.
func view[E, G any](x []G) []E {
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// stridesOf returns a stride for each axis of t. Gorgonia drops those that it
// has no need of: a vector in column-major order, although of shape [n, 1], has
// one stride, and what has one element may have none.
func stridesOf(t *tensor.Dense) ([]int, error) {
	shape, strides := t.Shape(), t.Strides()
	if len(strides) == len(shape) {
		return strides, nil
	}
	all := make([]int, len(shape))
	long := 0
	for i, n := range shape {
		if n == 1 {
			continue
		}
		if long == len(strides) {
			return nil, fmt.Errorf("%w: strides %v for shape %v", ErrTensor, strides, shape)
		}
		all[i] = strides[long]
		long++
	}
	return all, nil
}
