package verify

import (
	"math"
	"math/rand/v2"

	"github.com/x448/float16"

	"github.com/reducesum/reducesum"
)

// A source draws values of one kind.
type source[T reducesum.Element] struct {
	name string
	draw func(*rand.Rand) T
}

// drawValues draws n values, and names their kind.
func drawValues[T reducesum.Element](r *rand.Rand, n int) ([]T, string) {
	s := sources[T]()
	kind := s[r.IntN(len(s))]
	x := make([]T, n)
	for i := range x {
		x[i] = kind.draw(r)
	}
	return x, kind.name
}

func sources[T reducesum.Element]() []source[T] {
	if !isFloat[T]() {
		return []source[T]{
			{"small", func(r *rand.Rand) T { return fromBits[T](uint64(r.IntN(201) - 100)) }},
			{"random", func(r *rand.Rand) T { return fromBits[T](r.Uint64()) }},
			{"extreme", func(r *rand.Rand) T { return extremes[T](r.IntN(6)) }},
		}
	}
	specials := specialFloats[T]()
	special := func(r *rand.Rand) T { return specials[r.IntN(len(specials))] }
	finite := func(r *rand.Rand) T { return finiteBits[T](r.Uint64()) }
	normal := func(r *rand.Rand) T { return fromFloat[T](r.NormFloat64()) }
	negativeZero := fromFloat[T](math.Copysign(0, -1))
	return []source[T]{
		{"normal", normal},
		{"wide-ranging", func(r *rand.Rand) T { return fromFloat[T](math.Ldexp(r.NormFloat64(), r.IntN(41)-20)) }},
		{"tiny", func(r *rand.Rand) T { return fromBits[T](r.Uint64() & (1<<63 | 1<<31 | 1<<15 | 0x7f)) }},
		{"finite", finite},
		{"any", func(r *rand.Rand) T { return fromBits[T](r.Uint64()) }},
		{"special", special},
		{"negative zero", func(*rand.Rand) T { return negativeZero }},
		{"sparse", func(r *rand.Rand) T {
			if r.IntN(64) == 0 {
				return finite(r)
			}
			return negativeZero
		}},
		{"mixed", func(r *rand.Rand) T {
			if r.IntN(256) == 0 {
				return special(r)
			}
			return normal(r)
		}},
	}
}

// specialFloats are signed zeros, subnormals, infinities, NaN and the largest.
func specialFloats[T reducesum.Element]() []T {
	inf := math.Inf(1)
	least := fromBits[T](1)
	largest := fromBits[T](bits(fromFloat[T](inf)) - 1)
	return []T{
		fromFloat[T](0), fromFloat[T](math.Copysign(0, -1)), least, negate(least), largest, negate(largest),
		fromFloat[T](inf), fromFloat[T](-inf), fromFloat[T](math.NaN()), fromFloat[T](1), fromFloat[T](-1),
	}
}

// extremes are the integers at the ends of the signed and unsigned ranges, and
// 2^53 + 1, which no float64 holds.
func extremes[T reducesum.Element](i int) T {
	width := bitSize[T]()
	return fromBits[T]([]uint64{0, 1, math.MaxUint64, 1 << (width - 1), 1<<(width-1) - 1, 1<<53 + 1}[i])
}

// finiteBits makes a finite float of random bits: any sign, exponent, fraction.
func finiteBits[T reducesum.Element](b uint64) T {
	exponent := bits(fromFloat[T](math.Inf(1)))
	if b&exponent == exponent {
		b &^= exponent & -exponent // its lowest bit
	}
	return fromBits[T](b)
}

func negate[T reducesum.Element](x T) T {
	return fromBits[T](bits(x) ^ 1<<(bitSize[T]()-1))
}

func isFloat[T reducesum.Element]() bool {
	var zero T
	switch any(zero).(type) {
	case float32, float64, reducesum.Float16, reducesum.BFloat16:
		return true
	}
	return false
}

// bitSize returns the width of T.
func bitSize[T reducesum.Element]() int {
	var zero T
	switch any(zero).(type) {
	case reducesum.Float16, reducesum.BFloat16:
		return 16
	case float32, int32, uint32:
		return 32
	}
	return 64
}

// fromFloat rounds to a float type.
func fromFloat[T reducesum.Element](f float64) T {
	var x T
	switch p := any(&x).(type) {
	case *float32:
		*p = float32(f)
	case *float64:
		*p = f
	case *reducesum.Float16:
		*p = float16.Fromfloat32(float32(f))
	case *reducesum.BFloat16:
		*p = reducesum.BFloat16FromFloat32(float32(f))
	case *int32:
		*p = int32(f)
	case *int64:
		*p = int64(f)
	case *uint32:
		*p = uint32(f)
	case *uint64:
		*p = uint64(f)
	}
	return x
}

// fromBits makes an element of the low bits of b.
func fromBits[T reducesum.Element](b uint64) T {
	var x T
	switch p := any(&x).(type) {
	case *float32:
		*p = math.Float32frombits(uint32(b))
	case *float64:
		*p = math.Float64frombits(b)
	case *reducesum.Float16:
		*p = reducesum.Float16(b)
	case *reducesum.BFloat16:
		*p = reducesum.BFloat16(b)
	case *int32:
		*p = int32(b)
	case *int64:
		*p = int64(b)
	case *uint32:
		*p = uint32(b)
	case *uint64:
		*p = b
	}
	return x
}

// bits returns the bits of an element.
func bits[T reducesum.Element](x T) uint64 {
	switch x := any(x).(type) {
	case float32:
		return uint64(math.Float32bits(x))
	case float64:
		return math.Float64bits(x)
	case reducesum.Float16:
		return uint64(x)
	case reducesum.BFloat16:
		return uint64(x)
	case int32:
		return uint64(uint32(x))
	case int64:
		return uint64(x)
	case uint32:
		return uint64(x)
	case uint64:
		return x
	}
	panic("unreachable: all of reducesum.Element is above")
}
