package elem

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/x448/float16"

	"github.com/reducesum/reducesum"
)

// FillInexact writes values whose sums depend on the order of the additions: each
// partial sum of floats is rounded. They are always the same, and so are their
// sums if and only if the additions are. Integers have all their bits.
func (t Type) FillInexact(b []byte) {
	b = b[:len(b)/t.Size()*t.Size()]
	first := b[:min(len(b), period*t.Size())]
	switch x := t.View(first).(type) {
	case []float32:
		fillInexact(x, func(v float64) float32 { return float32(v) })
	case []float64:
		fillInexact(x, func(v float64) float64 { return v })
	case []reducesum.Float16:
		fillInexact(x, func(v float64) reducesum.Float16 { return float16.Fromfloat32(float32(v)) })
	case []reducesum.BFloat16:
		fillInexact(x, func(v float64) reducesum.BFloat16 { return reducesum.BFloat16FromFloat32(float32(v)) })
	case []int32:
		fillInexact(x, func(v float64) int32 { return int32(math.Float64bits(v)) })
	case []int64:
		fillInexact(x, func(v float64) int64 { return int64(math.Float64bits(v)) })
	case []uint32:
		fillInexact(x, func(v float64) uint32 { return uint32(math.Float64bits(v)) })
	case []uint64:
		fillInexact(x, math.Float64bits)
	}
	for done := len(first); done < len(b); {
		done += copy(b[done:], b[:done])
	}
}

func fillInexact[T any](x []T, of func(float64) T) {
	for i, v := range inexact()[:len(x)] {
		x[i] = of(v)
	}
}

// inexact returns a period of floats of both signs, with random bits, that differ in
// their exponents.
var inexact = sync.OnceValue(func() []float64 {
	random := rand.New(rand.NewPCG(20, 27))
	list := make([]float64, period)
	for i := range list {
		list[i] = math.Ldexp(2*random.Float64()-1, random.IntN(6))
	}
	return list
})
