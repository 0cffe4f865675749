package rivals

import (
	"slices"

	"gorgonia.org/tensor"

	"github.com/reducesum/reducesum"
)

// newGorgonia sums a Gorgonia tensor over the task's memory. It knows no 16-bit
// floats.
func newGorgonia(t Task) (*Entry, error) {
	switch t.Src.(type) {
	case []reducesum.Float16, []reducesum.BFloat16:
		return nil, ErrUnsupported
	}
	src := tensor.New(tensor.WithShape(t.Case.Shape...), tensor.WithBacking(t.Src))
	axes := t.Case.Axes
	if len(axes) == len(t.Case.Shape) {
		axes = nil // all of them: the faster way
	}
	sum, err := src.Sum(slices.Clone(axes)...)
	if err != nil {
		return nil, err
	}
	return &Entry{
		Run: func(n int) {
			for range n {
				sum, _ = src.Sum(axes...) // has run once: it cannot fail
			}
		},
		Result: func() any { return listOf(sum.Data()) },
	}, nil
}

// listOf makes the scalar that Gorgonia returns for a full sum a slice.
func listOf(x any) any {
	switch x := x.(type) {
	case float32:
		return []float32{x}
	case float64:
		return []float64{x}
	case int32:
		return []int32{x}
	case int64:
		return []int64{x}
	case uint32:
		return []uint32{x}
	case uint64:
		return []uint64{x}
	}
	return x
}
