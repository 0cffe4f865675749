package tensor

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unsafe"

	"github.com/reducesum/reducesum"
)

// A Layout says how a tensor lies in memory that came from a file.
type Layout struct {
	DType   string // one of [DTypes]
	Order   binary.ByteOrder
	Dims    []int
	Fortran bool // the first axis is contiguous, not the last one
}

// elements are the types that are summed, by name.
var elements = []struct {
	name string
	size int
	view func(l Layout, b []byte) Tensor
}{
	{"float16", 2, view[reducesum.Float16]},
	{"bfloat16", 2, view[reducesum.BFloat16]},
	{"float32", 4, view[float32]},
	{"float64", 8, view[float64]},
	{"int32", 4, view[int32]},
	{"int64", 8, view[int64]},
	{"uint32", 4, view[uint32]},
	{"uint64", 8, view[uint64]},
}

// DTypes returns the names of the element types that are summed.
func DTypes() []string {
	names := make([]string, len(elements))
	for i, e := range elements {
		names[i] = e.name
	}
	return names
}

// Size returns the number of bytes of an element, or 0 for a type that is not summed.
func Size(dtype string) int {
	for _, e := range elements {
		if e.name == dtype {
			return e.size
		}
	}
	return 0
}

// Tensor returns the tensor whose elements are b, which must outlive it. Where
// b has the CPU's byte order and alignment, the tensor is a view of it; in any
// case nothing is copied.
func (l Layout) Tensor(b []byte) (Tensor, error) {
	n, err := Elements(l.Dims)
	if err != nil {
		return nil, err
	}
	for _, e := range elements {
		if e.name != l.DType {
			continue
		}
		if len(b)/e.size != n || len(b)%e.size != 0 {
			return nil, fmt.Errorf("there are %d bytes of data, shape %s of type %s needs %d",
				len(b), ShapeString(l.Dims), l.DType, n*e.size)
		}
		return e.view(l, b), nil
	}
	return nil, fmt.Errorf("type %s is none of %s", l.DType, strings.Join(DTypes(), ", "))
}

// view makes a tensor of one type. An empty one has no bytes to be converted.
func view[T reducesum.Element](l Layout, b []byte) Tensor {
	var zero T
	size, strides := int(unsafe.Sizeof(zero)), l.strides()
	p := unsafe.Pointer(unsafe.SliceData(b))
	if len(b) == 0 {
		return Of[T]{Data: []T{}, Dims: l.Dims}
	}
	if uintptr(p)%unsafe.Alignof(zero) == 0 && isNative(l.Order) {
		return Of[T]{Data: unsafe.Slice((*T)(p), len(b)/size), Dims: l.Dims, Strides: strides}
	}
	if strides == nil {
		strides = rowMajor(l.Dims)
	}
	return foreign[T]{bytes: b, swap: !isNative(l.Order), dims: l.Dims, strides: strides}
}

// isNative tells whether the CPU has this byte order.
func isNative(order binary.ByteOrder) bool {
	return order.Uint16([]byte{1, 0}) == binary.NativeEndian.Uint16([]byte{1, 0})
}

// strides returns those of Fortran order, and nil for row-major order.
func (l Layout) strides() []int {
	if !l.Fortran {
		return nil
	}
	strides := make([]int, len(l.Dims))
	n := 1
	for i, d := range l.Dims {
		strides[i] = n
		n *= d
	}
	return strides
}

// rowMajor returns the strides of a tensor that is contiguous in row-major order.
func rowMajor(dims []int) []int {
	strides := make([]int, len(dims))
	n := 1
	for i := len(dims) - 1; i >= 0; i-- {
		strides[i] = n
		n *= dims[i]
	}
	return strides
}

// product multiplies sizes that are known to be those of a tensor in memory.
func product(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}

// maxRank is what NumPy and PyTorch have at the most; it keeps a header of a few
// bytes an axis from becoming more memory than the file has.
const maxRank = 64

// Elements returns the number of elements of a shape from a file.
func Elements(dims []int) (int, error) {
	if len(dims) > maxRank {
		return 0, fmt.Errorf("the shape has %d dimensions, %d are the most that are read", len(dims), maxRank)
	}
	for _, d := range dims {
		if d < 0 {
			return 0, fmt.Errorf("the shape %s has a negative dimension", ShapeString(dims))
		}
	}
	if slices.Contains(dims, 0) {
		return 0, nil
	}
	const limit = math.MaxInt / 8 // so that bytes can be counted
	n := uint(1)
	for _, d := range dims {
		hi, lo := bits.Mul(n, uint(d))
		if hi != 0 || lo > limit {
			return 0, fmt.Errorf("the shape %s has more elements than memory can hold", ShapeString(dims))
		}
		n = lo
	}
	return int(n), nil
}
