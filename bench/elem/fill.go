package elem

import (
	"math/rand/v2"
	"sync"

	"github.com/x448/float16"

	"github.com/reducesum/reducesum"
)

// period is the number of elements after which the values repeat. It has no
// common factor with the shapes that anyone would sum, so that results differ.
const period = 2 * 500_009

// Fill writes values of the type to b: whole numbers from -8 to 8 but 0, in an
// order that looks random and is always the same. They are chosen so that float32
// holds every partial sum exactly: whatever the order of its additions, a sum
// that is not exact is wrong. The bytes after the last whole element are kept.
func (t Type) Fill(b []byte) {
	b = b[:len(b)/t.Size()*t.Size()]
	first := b[:min(len(b), period*t.Size())]
	switch x := t.View(first).(type) {
	case []float32:
		fill(x, func(v int8) float32 { return float32(v) })
	case []float64:
		fill(x, func(v int8) float64 { return float64(v) })
	case []reducesum.Float16:
		fill(x, func(v int8) reducesum.Float16 { return float16.Fromfloat32(float32(v)) })
	case []reducesum.BFloat16:
		fill(x, func(v int8) reducesum.BFloat16 { return reducesum.BFloat16FromFloat32(float32(v)) })
	case []int32:
		fill(x, func(v int8) int32 { return int32(v) })
	case []int64:
		fill(x, func(v int8) int64 { return int64(v) })
	case []uint32:
		fill(x, func(v int8) uint32 { return uint32(v) })
	case []uint64:
		fill(x, func(v int8) uint64 { return uint64(v) })
	}
	for done := len(first); done < len(b); {
		done += copy(b[done:], b[:done])
	}
}

// fill writes a period: its second half is its first with the signs changed, so
// that sums stay small however often it is repeated.
func fill[T any](x []T, of func(int8) T) {
	half := values()
	for i := range x {
		v := half[i%len(half)]
		if i >= len(half) {
			v = -v
		}
		x[i] = of(v)
	}
}

// values returns the first half of a period.
var values = sync.OnceValue(func() []int8 {
	random := rand.New(rand.NewPCG(20, 26))
	list := make([]int8, period/2)
	for i := range list {
		list[i] = int8(1 + random.IntN(8))
		if random.IntN(2) == 0 {
			list[i] = -list[i]
		}
	}
	return list
})

// MeanSquare is the mean of the squares of what Fill writes.
const MeanSquare = 25.5
