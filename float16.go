package reducesum

import (
	"math"
	"strconv"
	"unsafe"

	"github.com/x448/float16"

	"github.com/reducesum/reducesum/kernels"
)

// Float16 is IEEE 754 binary16, an alias of github.com/x448/float16.Float16. It
// holds bits: float16.Fromfloat32 makes one of a value, its method Float32 takes
// the value out, and Go's + and * on it mean nothing.
type Float16 = float16.Float16

// BFloat16 is the upper half of an IEEE 754 binary32: 8 bits of exponent, 7 of
// fraction. It holds bits: [BFloat16FromFloat32] makes one of a value, the method
// Float32 takes the value out, and Go's + and * on it mean nothing.
type BFloat16 uint16

// BFloat16FromFloat32 rounds x to the nearest BFloat16, ties to even. What lies
// beyond the largest finite value becomes an infinity, subnormals are kept, and
// a NaN stays a NaN.
func BFloat16FromFloat32(x float32) BFloat16 {
	b := math.Float32bits(x)
	if x != x {
		return BFloat16(b>>16 | 0x40) // quiet, so that no payload is lost to an infinity
	}
	return BFloat16((b + 0x7fff + b>>16&1) >> 16)
}

// float16FromFloat32 rounds x to the nearest Float16, ties to even.
func float16FromFloat32(x float32) Float16 { return float16.Fromfloat32(x) }

// round16 rounds x to the bits of a Float16 or a BFloat16.
func round16(t kernels.Type, x float32) uint16 {
	if t == kernels.F16 {
		return uint16(float16FromFloat32(x))
	}
	return uint16(BFloat16FromFloat32(x))
}

// Float32 returns x as a float32, exactly.
func (x BFloat16) Float32() float32 { return math.Float32frombits(uint32(x) << 16) }

// String formats x as the shortest decimal that a float32 of its value has.
func (x BFloat16) String() string {
	return strconv.FormatFloat(float64(x.Float32()), 'g', -1, 32)
}

// AsFloat16 views x, another package's slice of binary16 bits, as a slice of
// Float16 that shares its memory.
func AsFloat16[T ~uint16](x []T) []Float16 {
	return unsafe.Slice((*Float16)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// AsBFloat16 views x, another package's slice of bfloat16 bits, as a slice of
// BFloat16 that shares its memory.
func AsBFloat16[T ~uint16](x []T) []BFloat16 {
	return unsafe.Slice((*BFloat16)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
