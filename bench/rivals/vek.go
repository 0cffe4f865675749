package rivals

import (
	"github.com/viterin/vek"
	"github.com/viterin/vek/vek32"
)

// newVek sums with vek, which has vector code for AVX2 and sums slices; columns
// are added row by row.
func newVek(t Task) (*Entry, error) {
	switch t.Src.(type) {
	case []float64:
		return entry(t, byVek(vek.Sum, vek.Add_Inplace)), nil
	case []float32:
		return entry(t, byVek(vek32.Sum, vek32.Add_Inplace)), nil
	}
	return nil, ErrUnsupported
}

func byVek[T float32 | float64](sum func([]T) T, add func(dst, x []T)) loops[T, T] {
	return loops[T, T]{
		rows: func(dst, src []T, n int) {
			for i := range dst {
				dst[i] += sum(src[i*n:][:n])
			}
		},
		columns: func(dst, src []T) {
			for ; len(src) >= len(dst); src = src[len(dst):] {
				add(dst, src[:len(dst)])
			}
		},
	}
}
