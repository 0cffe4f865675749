package rivals

import (
	"github.com/x448/float16"

	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/bench/elem"
)

// newNaive is what one writes without a second thought: one accumulator for a
// row, one addition per element in memory order for columns.
func newNaive(t Task) (*Entry, error) {
	switch t.Src.(type) {
	case []float32:
		return entry(t, naive[float32]()), nil
	case []float64:
		return entry(t, naive[float64]()), nil
	case []int32:
		return entry(t, naive[int32]()), nil
	case []int64:
		return entry(t, naive[int64]()), nil
	case []uint32:
		return entry(t, naive[uint32]()), nil
	case []uint64:
		return entry(t, naive[uint64]()), nil
	case []reducesum.Float16:
		return rounded(t, loops[reducesum.Float16, float32]{rowsFloat16, columnsFloat16}, float16.Fromfloat32), nil
	}
	return rounded(t, loops[reducesum.BFloat16, float32]{rowsBFloat16, columnsBFloat16}, reducesum.BFloat16FromFloat32), nil
}

func naive[T elem.Accumulator]() loops[T, T] { return loops[T, T]{rowsNaive[T], columnsNaive[T]} }

func rowsNaive[T elem.Accumulator](dst, src []T, n int) {
	for i := range dst {
		var sum T
		for _, x := range src[i*n:][:n] {
			sum += x
		}
		dst[i] += sum
	}
}

func columnsNaive[T elem.Accumulator](dst, src []T) {
	for ; len(src) >= len(dst); src = src[len(dst):] {
		for i, x := range src[:len(dst)] {
			dst[i] += x
		}
	}
}

// rounded returns an entry that sums in float32 and rounds at the end.
func rounded[T any](t Task, l loops[T, float32], round func(float32) T) *Entry {
	dst, src, dims := t.Dst.([]T), t.Src.([]T), t.Case.Dims()
	sums := make([]float32, len(dst))
	return &Entry{
		Run: func(n int) {
			for range n {
				clear(sums)
				l.add(sums, src, dims)
				for i, s := range sums {
					dst[i] = round(s)
				}
			}
		},
		Result: func() any { return dst },
	}
}

// The loops of the two 16-bit types are written out: through a generic one, the
// conversion would be a call.

func rowsFloat16(dst []float32, src []reducesum.Float16, n int) {
	for i := range dst {
		var sum float32
		for _, x := range src[i*n:][:n] {
			sum += x.Float32()
		}
		dst[i] += sum
	}
}

func columnsFloat16(dst []float32, src []reducesum.Float16) {
	for ; len(src) >= len(dst); src = src[len(dst):] {
		for i, x := range src[:len(dst)] {
			dst[i] += x.Float32()
		}
	}
}

func rowsBFloat16(dst []float32, src []reducesum.BFloat16, n int) {
	for i := range dst {
		var sum float32
		for _, x := range src[i*n:][:n] {
			sum += x.Float32()
		}
		dst[i] += sum
	}
}

func columnsBFloat16(dst []float32, src []reducesum.BFloat16) {
	for ; len(src) >= len(dst); src = src[len(dst):] {
		for i, x := range src[:len(dst)] {
			dst[i] += x.Float32()
		}
	}
}
