package rivals

import (
	"github.com/reducesum/reducesum/bench/cases"
)

// loops are the two inner loops of a reduction, on elements T with accumulators
// A. Both add to dst.
type loops[T, A any] struct {
	// rows adds the sum of each n neighbours to one element of dst.
	rows func(dst []A, src []T, n int)
	// columns adds src, row by row, to dst, which is as long as a row.
	columns func(dst []A, src []T)
}

// add adds the sums of src, a contiguous tensor of the given axes, to dst.
func (l loops[T, A]) add(dst []A, src []T, dims []cases.Dim) {
	switch {
	case len(dims) == 0:
		l.rows(dst, src, 1)
	case len(dims) == 1 && dims[0].Reduced:
		l.rows(dst, src, len(src))
	case len(dims) == 1:
		l.columns(dst, src)
	case len(dims) == 2 && dims[0].Reduced:
		l.columns(dst, src)
	case len(dims) == 2:
		l.rows(dst, src, dims[1].Size)
	default:
		l.addParts(dst, src, dims)
	}
}

// addParts is add for each index of the outermost axis.
func (l loops[T, A]) addParts(dst []A, src []T, dims []cases.Dim) {
	size := len(src) / dims[0].Size
	if dims[0].Reduced {
		for i := range dims[0].Size {
			l.add(dst, src[i*size:][:size], dims[1:])
		}
		return
	}
	results := len(dst) / dims[0].Size
	for i := range dims[0].Size {
		l.add(dst[i*results:][:results], src[i*size:][:size], dims[1:])
	}
}

// entry returns an entry that clears dst and adds to it.
func entry[T any](t Task, l loops[T, T]) *Entry {
	dst, src, dims := t.Dst.([]T), t.Src.([]T), t.Case.Dims()
	return &Entry{
		Run: func(n int) {
			for range n {
				clear(dst)
				l.add(dst, src, dims)
			}
		},
		Result: func() any { return dst },
	}
}
