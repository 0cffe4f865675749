package reducesum

// Tests run for all element types alike: a buffer is elements of some type, and
// an element is the public API for that type, with its definition.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// A buffer is n elements, of a type that the kernels know.
type buffer struct {
	typ kernels.Type
	p   unsafe.Pointer
	n   int
}

// newBuffer returns n elements behind a 64-byte boundary and offset elements.
// They are dirty: NaNs, or arbitrary integers.
func newBuffer(typ kernels.Type, n, offset int) buffer {
	words := make([]uint64, (n+offset)*typ.Size()/8+24)
	for i := range words {
		words[i] = math.MaxUint64
	}
	i := 0
	for uintptr(unsafe.Pointer(&words[i]))%64 != 0 || i == 0 {
		i++
	}
	return buffer{typ, unsafe.Add(unsafe.Pointer(&words[i]), offset*typ.Size()), n}
}

// newRandom returns n elements of random values.
func newRandom(r *rand.Rand, typ kernels.Type, n int) buffer {
	b := newBuffer(typ, n, r.IntN(64/typ.Size()))
	b.fill(r)
	return b
}

func (b buffer) at(i int) unsafe.Pointer   { return unsafe.Add(b.p, i*b.typ.Size()) }
func (b buffer) slice(from, to int) buffer { return buffer{b.typ, b.at(from), to - from} }
func (b buffer) bytes() []byte             { return unsafe.Slice((*byte)(b.p), b.n*b.typ.Size()) }
func (b buffer) same(want buffer) error    { return sameBits(b.typ, b.p, want.p, want.n) }
func elementsOf[T Element](b buffer) []T   { return unsafe.Slice((*T)(b.p), b.n) }
func bufferOf[T Element](x []T) buffer {
	return buffer{typeOf[T](), unsafe.Pointer(unsafe.SliceData(x)), len(x)}
}
func (b buffer) copyTo(p unsafe.Pointer) buffer {
	c := buffer{b.typ, p, b.n}
	copy(c.bytes(), b.bytes())
	return c
}

// An element is an element type: what the package does with it, and what the
// definition says it should do.
type element interface {
	fmt.Stringer
	Type() kernels.Type
	Sum(src buffer) buffer
	Run(p *Plan, dst, src buffer) error
	SumBlocks(dst, src buffer, outer, reduce, inner int) error
	ReduceSum(src buffer, shape []int, op Op, opts ...Option) (buffer, []int, error)
	// Want is the definition; nil strides are those of a contiguous tensor.
	Want(src buffer, shape, strides []int, reduced []bool) buffer
}

// typed is an element type T that is summed in A.
type typed[T Element, A accumulator] struct {
	name  string
	widen func(T) A
	round func(A) T
}

func (e typed[T, A]) String() string     { return e.name }
func (e typed[T, A]) Type() kernels.Type { return typeOf[T]() }

func (e typed[T, A]) Sum(src buffer) buffer { return bufferOf([]T{Sum(elementsOf[T](src))}) }

func (e typed[T, A]) Run(p *Plan, dst, src buffer) error {
	return Run(p, elementsOf[T](dst), elementsOf[T](src))
}

func (e typed[T, A]) SumBlocks(dst, src buffer, outer, reduce, inner int) error {
	return SumBlocks(elementsOf[T](dst), elementsOf[T](src), outer, reduce, inner)
}

func (e typed[T, A]) ReduceSum(src buffer, shape []int, op Op, opts ...Option) (buffer, []int, error) {
	dst, out, err := ReduceSum(elementsOf[T](src), shape, op, opts...)
	return bufferOf(dst), out, err
}

func (e typed[T, A]) Want(src buffer, shape, strides []int, reduced []bool) buffer {
	if strides == nil {
		strides = make([]int, len(shape))
		for i := range shape {
			strides[i] = refProduct(shape[i+1:])
		}
	}
	return bufferOf(refReduceSum(elementsOf[T](src), shape, strides, reduced, e.widen, e.round))
}

func itself[T any](x T) T { return x }

// elementTypes are all element types.
var elementTypes = []element{
	typed[float32, float32]{"float32", itself[float32], itself[float32]},
	typed[float64, float64]{"float64", itself[float64], itself[float64]},
	typed[Float16, float32]{"float16", float16Value, nearestFloat16},
	typed[BFloat16, float32]{"bfloat16", bfloat16Value, nearestBFloat16},
	typed[int32, int32]{"int32", itself[int32], itself[int32]},
	typed[int64, int64]{"int64", itself[int64], itself[int64]},
	typed[uint32, int32]{"uint32", func(x uint32) int32 { return int32(x) }, func(x int32) uint32 { return uint32(x) }},
	typed[uint64, int64]{"uint64", func(x uint64) int64 { return int64(x) }, func(x int64) uint64 { return uint64(x) }},
}

// eachElement runs a test for every element type.
func eachElement(t *testing.T, f func(t *testing.T, e element)) {
	for _, e := range elementTypes {
		t.Run(e.String(), func(t *testing.T) { f(t, e) })
	}
}

// eachLarge runs a test on large tensors: for every element type, or for two in
// short tests.
func eachLarge(t *testing.T, f func(t *testing.T, e element)) {
	eachElement(t, func(t *testing.T, e element) {
		if testing.Short() && e.Type() != kernels.F64 && e.Type() != kernels.F16 {
			t.Skip("short")
		}
		f(t, e)
	})
}

// want is the definition of a sum over the middle axis.
func want(e element, src buffer, outer, reduce, inner int) buffer {
	return e.Want(src, []int{outer, reduce, inner}, nil, []bool{false, true, false})
}

// newResult returns a dirty buffer for results, and a function that tells
// whether something beside it was written.
func newResult(typ kernels.Type, n, offset int) (buffer, func() error) {
	const beside, mark = 16, 0xa5
	all := newBuffer(typ, n+2*beside, offset)
	frame := all.bytes()
	for i := range frame {
		frame[i] = mark
	}
	dst := all.slice(beside, beside+n)
	for i := range dst.bytes() {
		dst.bytes()[i] = 0xff
	}
	from, to := beside*typ.Size(), (beside+n)*typ.Size()
	return dst, func() error {
		for i, c := range frame {
			if (i < from || i >= to) && c != mark {
				return fmt.Errorf("byte %d was written, the results end at byte %d", i-from, to-from)
			}
		}
		return nil
	}
}
