package reducesum

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/reducesum/reducesum/internal/word"
)

// Engines learn the element type of a tensor when they run. A DType names it as a
// value, and the functions of this file find the [Run] or [ReduceSum] that a
// compiler would have found. What is computed, and what is refused, is theirs.

var (
	// ErrType: what is no element type or no slice of one, or two types that
	// differ, from RunAny, RunBytes, ReduceSumAny, ReduceSumBytes, DTypeOf and
	// DTypeFromONNX.
	ErrType = errors.New("reducesum: bad element type")
	// ErrAlign: bytes whose address no element can have, from RunBytes and
	// ReduceSumBytes.
	ErrAlign = errors.New("reducesum: misaligned bytes")
)

// A DType is an [Element] type that is known at run time. The zero value is none.
type DType uint8

// The element types.
const (
	F32  DType = iota + 1 // float32
	F64                   // float64
	F16                   // Float16
	BF16                  // BFloat16
	I32                   // int32
	I64                   // int64
	U32                   // uint32
	U64                   // uint64
	numDTypes
)

// dtypes describes each DType; the row of the zero value is empty.
var dtypes = [numDTypes]dtype{
	F32:  {"float32", 1, 2, unsafe.Alignof(float32(0))},
	F64:  {"float64", 11, 3, unsafe.Alignof(float64(0))},
	F16:  {"float16", 10, 1, unsafe.Alignof(Float16(0))},
	BF16: {"bfloat16", 16, 1, unsafe.Alignof(BFloat16(0))},
	I32:  {"int32", 6, 2, unsafe.Alignof(int32(0))},
	I64:  {"int64", 7, 3, unsafe.Alignof(int64(0))},
	U32:  {"uint32", 12, 2, unsafe.Alignof(uint32(0))},
	U64:  {"uint64", 13, 3, unsafe.Alignof(uint64(0))},
}

type dtype struct {
	name    string
	onnx    int32   // TensorProto.DataType
	logSize uint8   // the bytes of an element are a power of 2
	align   uintptr // what its address is a multiple of
}

// run is [Run] for elements of type t. (A table of functions would bring the kernels
// of all types into every program.)
func (t DType) run(p *Plan, dst, src array) error {
	switch t {
	case F32:
		return Run(p, sliceOf[float32](dst), sliceOf[float32](src))
	case F64:
		return Run(p, sliceOf[float64](dst), sliceOf[float64](src))
	case F16:
		return Run(p, sliceOf[Float16](dst), sliceOf[Float16](src))
	case BF16:
		return Run(p, sliceOf[BFloat16](dst), sliceOf[BFloat16](src))
	case I32:
		return Run(p, sliceOf[int32](dst), sliceOf[int32](src))
	case I64:
		return Run(p, sliceOf[int64](dst), sliceOf[int64](src))
	case U32:
		return Run(p, sliceOf[uint32](dst), sliceOf[uint32](src))
	}
	return Run(p, sliceOf[uint64](dst), sliceOf[uint64](src))
}

// reduceSum is [ReduceSum] for elements of type t.
func (t DType) reduceSum(src array, shape []int, op Op, opts []Option) (array, []int, error) {
	switch t {
	case F32:
		return reduceArray[float32](src, shape, op, opts)
	case F64:
		return reduceArray[float64](src, shape, op, opts)
	case F16:
		return reduceArray[Float16](src, shape, op, opts)
	case BF16:
		return reduceArray[BFloat16](src, shape, op, opts)
	case I32:
		return reduceArray[int32](src, shape, op, opts)
	case I64:
		return reduceArray[int64](src, shape, op, opts)
	case U32:
		return reduceArray[uint32](src, shape, op, opts)
	}
	return reduceArray[uint64](src, shape, op, opts)
}

func reduceArray[T Element](src array, shape []int, op Op, opts []Option) (array, []int, error) {
	dst, out, err := ReduceSum(sliceOf[T](src), shape, op, opts...)
	return arrayOf(dst), out, err
}

// row returns the row of dtypes for t.
func (t DType) row() *dtype {
	if t >= numDTypes {
		t = 0
	}
	return &dtypes[t]
}

// String returns the type's name, as NumPy and ONNX have it: float32, bfloat16, ...
func (t DType) String() string {
	if name := t.row().name; name != "" {
		return name
	}
	return fmt.Sprintf("DType(%d)", uint8(t))
}

// Size returns the bytes of an element: 0 for what is no type.
func (t DType) Size() int { return 1 << t.row().logSize &^ 1 } // no element is one byte

// ONNX returns the type's number in ONNX's TensorProto.DataType: 0, UNDEFINED, for
// what is no type.
func (t DType) ONNX() int32 { return t.row().onnx }

// DTypeFromONNX returns the type that ONNX's TensorProto.DataType gives a number.
func DTypeFromONNX(number int32) (DType, error) {
	for t := F32; t < numDTypes; t++ {
		if dtypes[t].onnx == number {
			return t, nil
		}
	}
	return 0, fmt.Errorf("%w: TensorProto.DataType %d", ErrType, number)
}

// DTypeFor returns the DType of T.
func DTypeFor[T Element]() DType {
	t, _ := DTypeOf(reflect.TypeFor[T]())
	return t
}

// byKind has the types of numbers that Go knows.
var byKind = [...]DType{
	reflect.Float32: F32, reflect.Float64: F64,
	reflect.Int32: I32, reflect.Int64: I64, reflect.Int: intType,
	reflect.Uint32: U32, reflect.Uint64: U64, reflect.Uint: uintType,
}

// DTypeOf returns the DType that the elements of a []t have: t is an [Element] type,
// int or uint, or one that is defined as a number of these sizes, such as
// time.Duration. (Of another uint16 nobody can tell what it means: see [AsFloat16].)
func DTypeOf(t reflect.Type) (DType, error) {
	switch t {
	case nil:
		return 0, fmt.Errorf("%w: nil", ErrType)
	case reflect.TypeFor[Float16]():
		return F16, nil
	case reflect.TypeFor[BFloat16]():
		return BF16, nil
	}
	if kind := t.Kind(); kind < reflect.Kind(len(byKind)) && byKind[kind] != 0 {
		return byKind[kind], nil
	}
	return 0, fmt.Errorf("%w: %v", ErrType, t)
}

// RunAny is [Run] on slices whose type is known at run time: of one of the eight
// [Element] types, or of what [DTypeOf] takes for one of them, such as []int. dst
// and src hold elements of the same type; else the error wraps [ErrType]. Other
// errors are Run's. Like Run, it allocates nothing with one worker.
func RunAny(p *Plan, dst, src any) error {
	switch s := src.(type) { // every nanosecond shows, so the usual types need no reflection
	case []float32:
		if d, ok := dst.([]float32); ok {
			return Run(p, d, s)
		}
	case []float64:
		if d, ok := dst.([]float64); ok {
			return Run(p, d, s)
		}
	case []Float16:
		if d, ok := dst.([]Float16); ok {
			return Run(p, d, s)
		}
	case []BFloat16:
		if d, ok := dst.([]BFloat16); ok {
			return Run(p, d, s)
		}
	case []int32:
		if d, ok := dst.([]int32); ok {
			return Run(p, d, s)
		}
	case []int64:
		if d, ok := dst.([]int64); ok {
			return Run(p, d, s)
		}
	case []uint32:
		if d, ok := dst.([]uint32); ok {
			return Run(p, d, s)
		}
	case []uint64:
		if d, ok := dst.([]uint64); ok {
			return Run(p, d, s)
		}
	case []int:
		if d, ok := dst.([]int); ok {
			return Run(p, AsInt(d), AsInt(s))
		}
	case []uint:
		if d, ok := dst.([]uint); ok {
			return Run(p, AsUint(d), AsUint(s))
		}
	}
	t := typeIn(src)
	if t == 0 || reflect.TypeOf(dst) != reflect.TypeOf(src) && typeIn(dst) != t {
		return mismatch(dst, src)
	}
	return t.run(p, arrayIn(dst), arrayIn(src))
}

// mismatch is the error of RunAny for slices that have not the same type of elements.
func mismatch(dst, src any) error {
	for _, x := range [...]struct {
		name string
		of   reflect.Type
	}{{"dst", reflect.TypeOf(dst)}, {"src", reflect.TypeOf(src)}} {
		if x.of == nil || x.of.Kind() != reflect.Slice {
			return fmt.Errorf("%w: %s is no slice but %v", ErrType, x.name, x.of)
		}
		if _, err := DTypeOf(x.of.Elem()); err != nil {
			return fmt.Errorf("%w, in %s", err, x.name)
		}
	}
	return fmt.Errorf("%w: dst is a %v, src is a %v", ErrType, reflect.TypeOf(dst), reflect.TypeOf(src))
}

// RunBytes is [Run] on memory that is known as bytes: elements of type t, in this
// machine's byte order. The error wraps [ErrType] for what is no type, [ErrLength] for
// bytes that end within an element, and [ErrAlign] for those that begin where Go puts
// no element: a slice of 8 bytes or more that make returns is always aligned, one that
// was cut off a file's may not be. Other errors are Run's. Like Run, it allocates
// nothing with one worker.
func RunBytes(p *Plan, t DType, dst, src []byte) error {
	d, err := t.elements("dst", dst)
	if err != nil {
		return err
	}
	s, err := t.elements("src", src)
	if err != nil {
		return err
	}
	return t.run(p, d, s)
}

// ReduceSumAny is [ReduceSum] on a slice whose type is known at run time, of those
// that [RunAny] takes. The result is a slice of the same type as src.
func ReduceSumAny(src any, shape []int, op Op, opts ...Option) (dst any, outShape []int, err error) {
	t := typeIn(src)
	if t == 0 {
		return nil, nil, mismatch(src, src)
	}
	d, out, err := t.reduceSum(arrayIn(src), shape, op, opts)
	if err != nil {
		return nil, nil, err
	}
	typ := reflect.TypeOf(src)
	return reflect.SliceAt(typ.Elem(), d.p, d.n).Convert(typ).Interface(), out, nil
}

// ReduceSumBytes is [ReduceSum] on memory that is known as bytes, as [RunBytes] is
// Run. So is the result.
func ReduceSumBytes(t DType, src []byte, shape []int, op Op, opts ...Option) (dst []byte, outShape []int, err error) {
	s, err := t.elements("src", src)
	if err != nil {
		return nil, nil, err
	}
	d, out, err := t.reduceSum(s, shape, op, opts)
	if err != nil {
		return nil, nil, err
	}
	return unsafe.Slice((*byte)(d.p), d.n*t.Size()), out, nil
}

// Int is the element type that an int is like on the system that a program is built
// for: int64, or int32 where an int has 32 bits.
type Int = word.Int

// Uint is the element type that a uint is like: uint64 or uint32.
type Uint = word.Uint

const (
	intType  = I32 + DType(unsafe.Sizeof(int(0))/8)
	uintType = U32 + DType(unsafe.Sizeof(uint(0))/8)
)

// AsInt views x as a slice of [Int] that shares its memory: of int64, or of int32
// where an int has 32 bits.
func AsInt[T ~int](x []T) []Int { return sliceOf[Int](arrayOf(x)) }

// AsUint views x as a slice of [Uint] that shares its memory: of uint64, or of uint32
// where a uint has 32 bits.
func AsUint[T ~uint](x []T) []Uint { return sliceOf[Uint](arrayOf(x)) }

// An array is the elements of a slice whose type stands elsewhere.
type array struct {
	p unsafe.Pointer
	n int
}

func arrayOf[E any](x []E) array { return array{unsafe.Pointer(unsafe.SliceData(x)), len(x)} }
func sliceOf[E any](a array) []E { return unsafe.Slice((*E)(a.p), a.n) }

// typeIn returns the type of the elements of the slice that x holds: 0 if it holds
// none.
func typeIn(x any) DType {
	typ := reflect.TypeOf(x)
	if typ == nil || typ.Kind() != reflect.Slice {
		return 0
	}
	t, _ := DTypeOf(typ.Elem())
	return t
}

// arrayIn returns the elements of the slice that x holds. An interface is a type and
// a pointer to the value, and a slice begins with what an array has. (Package reflect
// would tell too, but from there x itself, not only its elements, seems to get
// about, and a caller's slice would be copied to the heap to make an interface of it.)
func arrayIn(x any) array {
	return *(*array)((*(*[2]unsafe.Pointer)(unsafe.Pointer(&x)))[1])
}

// elements returns the elements of type t that bytes, an argument of some name, hold.
func (t DType) elements(name string, bytes []byte) (array, error) {
	info, p := t.row(), unsafe.Pointer(unsafe.SliceData(bytes))
	inElement, inAlign := len(bytes)&(1<<info.logSize-1), uintptr(p)&(info.align-1)
	if t == 0 || t >= numDTypes || inElement != 0 || inAlign != 0 && len(bytes) > 0 {
		return array{}, t.refuse(name, bytes)
	}
	return array{p, len(bytes) >> info.logSize}, nil
}

// refuse is the error of elements.
func (t DType) refuse(name string, bytes []byte) error {
	switch size := t.Size(); {
	case size == 0:
		return fmt.Errorf("%w: %v", ErrType, t)
	case len(bytes)%size != 0:
		return fmt.Errorf("%w: %s has %d bytes, an element of %v has %d", ErrLength, name, len(bytes), t, size)
	}
	return fmt.Errorf("%w: %s lies at %p, a %v at a multiple of %d", ErrAlign, name, unsafe.SliceData(bytes), t, t.row().align)
}
