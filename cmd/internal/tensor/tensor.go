// Package tensor holds a tensor whose element type is known at run time only,
// as it comes out of a file.
package tensor

import (
	"fmt"
	"io"
	"slices"

	"github.com/reducesum/reducesum"
)

// A Tensor is an [Of] some element type, or what a file holds in a form that
// the kernels cannot read.
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
	// Write writes the elements, little endian, in the order of the memory.
	Write(w io.Writer) error
	// ReduceSum returns the sum that op describes, in row-major order and in
	// memory of its own. A pool shares the work; nil is this goroutine alone.
	ReduceSum(op reducesum.Op, pool reducesum.Pool) (Tensor, error)
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

// Write implements [Tensor].
func (t Of[T]) Write(w io.Writer) error {
	if !hostBig {
		return writeAll(w, bytesOf(t.Data))
	}
	return foreign[T]{bytes: bytesOf(t.Data)}.Write(w)
}

// writeAll writes some memory a part at a time, so that a long write can be
// interrupted.
func writeAll(w io.Writer, b []byte) error {
	for part := range slices.Chunk(b, 1<<20) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// ReduceSum implements [Tensor].
func (t Of[T]) ReduceSum(op reducesum.Op, pool reducesum.Pool) (Tensor, error) {
	var opts []reducesum.Option
	if pool != nil {
		opts = append(opts, reducesum.WithPool(pool))
	}
	if t.Strides != nil {
		opts = append(opts, reducesum.WithStrides(t.Strides))
	}
	plan, err := reducesum.NewPlan(t.Dims, op, opts...)
	if err != nil {
		return nil, err
	}
	dst, err := resultOf[T](plan)
	if err != nil {
		return nil, err
	}
	return dst, reducesum.Run(plan, dst.Data, t.Data)
}

// resultOf allocates the result of a plan.
func resultOf[T reducesum.Element](plan *reducesum.Plan) (Of[T], error) {
	data, err := allocate[T](plan.Len(), plan.Shape())
	return Of[T]{Data: data, Dims: plan.Shape()}, err
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
