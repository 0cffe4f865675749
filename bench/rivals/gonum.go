package rivals

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// newGonum sums float64 with package floats. Gonum has no sum of float32: BLAS
// multiplies by a vector of ones, which is how one sums with it.
func newGonum(t Task) (*Entry, error) {
	switch t.Src.(type) {
	case []float64:
		return entry(t, loops[float64, float64]{rowsGonum, columnsGonum}), nil
	case []float32:
		return entry(t, loops[float32, float32]{rowsGonum32, columnsGonum32}), nil
	}
	return nil, ErrUnsupported
}

func rowsGonum(dst, src []float64, n int) {
	for i := range dst {
		dst[i] += floats.Sum(src[i*n:][:n])
	}
}

func columnsGonum(dst, src []float64) {
	for ; len(src) >= len(dst); src = src[len(dst):] {
		floats.Add(dst, src[:len(dst)])
	}
}

// ones is as long as fits into the first cache beside what it multiplies.
var ones = func() []float32 {
	v := make([]float32, 2048)
	for i := range v {
		v[i] = 1
	}
	return v
}()

func rowsGonum32(dst, src []float32, n int) {
	if n <= len(ones) {
		rows := blas32.General{Rows: len(dst), Cols: n, Stride: n, Data: src}
		blas32.Gemv(blas.NoTrans, 1, rows, vector(ones[:n]), 1, vector(dst))
		return
	}
	for i := range dst {
		for row := src[i*n:][:n]; len(row) > 0; {
			k := min(len(row), len(ones))
			dst[i] += blas32.Dot(vector(row[:k]), vector(ones[:k]))
			row = row[k:]
		}
	}
}

func columnsGonum32(dst, src []float32) {
	n := len(dst)
	for len(src) >= n {
		rows := min(len(src)/n, len(ones))
		part := blas32.General{Rows: rows, Cols: n, Stride: n, Data: src[:rows*n]}
		blas32.Gemv(blas.Trans, 1, part, vector(ones[:rows]), 1, vector(dst))
		src = src[rows*n:]
	}
}

func vector(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Inc: 1, Data: x} }
