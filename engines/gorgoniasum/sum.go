package gorgoniasum

import (
	"errors"
	"fmt"

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
	dtype, err := reducesum.DTypeOf(t.Dtype().Type)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTensor, err)
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
	sum := tensor.New(tensor.Of(t.Dtype()), tensor.WithShape(plan.Shape()...), tensor.WithEngine(t.Engine()))
	if err := reducesum.RunBytes(plan, dtype, sum.Raw, t.Raw); err != nil {
		return nil, err
	}
	return sum, nil
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
