// Package tensor holds a tensor whose element type is known at run time only,
// as it comes out of a file.
package tensor

import (
	"fmt"

	"github.com/reducesum/reducesum"
)

// A Tensor is an [Of] some element type.
type Tensor interface {
	// DType returns the element type's name, as NumPy and ONNX users know it.
	DType() string
	// Shape returns the dimensions. The caller must not change them.
	Shape() []int
	// Len returns the number of elements.
	Len() int
	// Number formats element i of the memory: the shortest decimal that the
	// element type rounds back to the same value.
	Number(i int) string
	// ReduceSum returns the sum that op describes, in row-major order.
	ReduceSum(op reducesum.Op, opts ...reducesum.Option) (Tensor, error)
}

// Of is a tensor of one element type.
type Of[T reducesum.Element] struct {
	Data    []T
	Dims    []int
	Strides []int // in elements; nil for row-major order
}

// DType implements [Tensor].
func (t Of[T]) DType() string { return Name[T]() }

// Shape implements [Tensor].
func (t Of[T]) Shape() []int { return t.Dims }

// Len implements [Tensor].
func (t Of[T]) Len() int { return len(t.Data) }

// Number implements [Tensor].
func (t Of[T]) Number(i int) string { return Number(t.Data[i]) }

// ReduceSum implements [Tensor].
func (t Of[T]) ReduceSum(op reducesum.Op, opts ...reducesum.Option) (Tensor, error) {
	if t.Strides != nil {
		opts = append(opts[:len(opts):len(opts)], reducesum.WithStrides(t.Strides))
	}
	data, shape, err := reducesum.ReduceSum(t.Data, t.Dims, op, opts...)
	if err != nil {
		return nil, err
	}
	return Of[T]{Data: data, Dims: shape}, nil
}

// Name returns the name of an element type.
func Name[T reducesum.Element]() string {
	var zero T
	switch any(zero).(type) {
	case reducesum.Float16:
		return "float16"
	case reducesum.BFloat16:
		return "bfloat16"
	}
	return fmt.Sprintf("%T", zero)
}
