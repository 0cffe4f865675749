package onnxcase

import (
	"fmt"
	"math"
	"slices"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// The tolerances of ONNX's own runner (onnx/backend/test/case/test_case.py).
const (
	rtol = 1e-3
	atol = 1e-7
)

// compare tells where got differs from want: in type, in shape, or in the first
// element that is not close enough.
func compare(got, want tensor.Tensor) error {
	if got.DType() != want.DType() {
		return fmt.Errorf("the result is of type %s, %s is expected", got.DType(), want.DType())
	}
	if !slices.Equal(got.Shape(), want.Shape()) {
		return fmt.Errorf("the result has shape %v, %v is expected", got.Shape(), want.Shape())
	}
	// A file's tensor may lie in memory as the CPU does not have it.
	want, err := want.ReduceSum(reducesum.Op{NoopWithEmptyAxes: true}, nil)
	if err != nil {
		return err
	}
	for i := range want.Len() {
		if !near(got, want, i) {
			return fmt.Errorf("the result at %v is %s, %s is expected", index(i, want.Shape()), got.Number(i), want.Number(i))
		}
	}
	return nil
}

// near tells whether element i of two tensors of one type agrees: integers
// exactly, floats as numpy.testing.assert_allclose has it.
func near(got, want tensor.Tensor, i int) bool {
	switch want := want.(type) {
	case tensor.Of[float32]:
		return nearFloats(float64(got.(tensor.Of[float32]).Data[i]), float64(want.Data[i]))
	case tensor.Of[float64]:
		return nearFloats(got.(tensor.Of[float64]).Data[i], want.Data[i])
	case tensor.Of[reducesum.Float16]:
		return nearFloats(float64(got.(tensor.Of[reducesum.Float16]).Data[i].Float32()), float64(want.Data[i].Float32()))
	case tensor.Of[reducesum.BFloat16]:
		return nearFloats(float64(got.(tensor.Of[reducesum.BFloat16]).Data[i].Float32()), float64(want.Data[i].Float32()))
	}
	return got.Number(i) == want.Number(i)
}

func nearFloats(got, want float64) bool {
	switch {
	case got == want, math.IsNaN(got) && math.IsNaN(want):
		return true
	case math.IsInf(got, 0) || math.IsInf(want, 0):
		return false
	}
	return math.Abs(got-want) <= atol+rtol*math.Abs(want)
}

// index turns the position in row-major order into one index per axis.
func index(i int, shape []int) []int {
	at := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		at[axis], i = i%shape[axis], i/shape[axis]
	}
	return at
}
