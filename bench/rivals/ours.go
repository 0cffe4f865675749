package rivals

import (
	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/bench/cases"
)

// ours returns the implementations of this project, best first.
func ours() []Rival {
	var list []Rival
	for i, impl := range reducesum.Implementations() {
		list = append(list, Rival{
			Name: impl.String(),
			Ours: true,
			New:  func(t Task) (*Entry, error) { return newOurs(t, impl, i == 0) },
		})
	}
	return list
}

// newOurs times what a program would call: Sum for a slice, Run of a plan for
// everything else. Sum always takes the best implementation, so a full sum by
// another one runs through a plan.
func newOurs(t Task, impl reducesum.Implementation, best bool) (*Entry, error) {
	if best && t.Workers == 1 && t.Case.Kind() == cases.Full && len(t.Case.Strides) == 0 {
		return newSum(t), nil
	}
	opts := []reducesum.Option{reducesum.WithImplementation(impl), reducesum.WithWorkers(t.Workers)}
	if len(t.Case.Strides) > 0 {
		opts = append(opts, reducesum.WithStrides(t.Case.Strides))
	}
	p, err := reducesum.NewPlan(t.Case.Shape, reducesum.Op{Axes: t.Case.Axes}, opts...)
	if err != nil {
		return nil, err
	}
	run, err := planRunner(p, t)
	if err != nil {
		return nil, err
	}
	return &Entry{Run: run, Result: func() any { return t.Dst }}, nil
}

// planRunner returns a loop over Run for the task's type.
func planRunner(p *reducesum.Plan, t Task) (func(n int), error) {
	switch src := t.Src.(type) {
	case []float32:
		return runPlan(p, t.Dst.([]float32), src)
	case []float64:
		return runPlan(p, t.Dst.([]float64), src)
	case []reducesum.Float16:
		return runPlan(p, t.Dst.([]reducesum.Float16), src)
	case []reducesum.BFloat16:
		return runPlan(p, t.Dst.([]reducesum.BFloat16), src)
	case []int32:
		return runPlan(p, t.Dst.([]int32), src)
	case []int64:
		return runPlan(p, t.Dst.([]int64), src)
	case []uint32:
		return runPlan(p, t.Dst.([]uint32), src)
	}
	return runPlan(p, t.Dst.([]uint64), t.Src.([]uint64))
}

func runPlan[T reducesum.Element](p *reducesum.Plan, dst, src []T) (func(n int), error) {
	if err := reducesum.Run(p, dst, src); err != nil {
		return nil, err
	}
	return func(n int) {
		for range n {
			_ = reducesum.Run(p, dst, src) // has run once: it cannot fail
		}
	}, nil
}

// newSum returns a loop over Sum. Each type has a loop of its own: through a
// generic one, the call would cost a look-up that a program does not pay.
func newSum(t Task) *Entry {
	e := &Entry{Result: func() any { return t.Dst }}
	switch src := t.Src.(type) {
	case []float32:
		dst := t.Dst.([]float32)
		e.Run = func(n int) {
			for range n {
				dst[0] = reducesum.Sum(src)
			}
		}
	case []float64:
		dst := t.Dst.([]float64)
		e.Run = func(n int) {
			for range n {
				dst[0] = reducesum.Sum(src)
			}
		}
	case []reducesum.Float16:
		dst := t.Dst.([]reducesum.Float16)
		e.Run = func(n int) {
			for range n {
				dst[0] = reducesum.Sum(src)
			}
		}
	case []reducesum.BFloat16:
		dst := t.Dst.([]reducesum.BFloat16)
		e.Run = func(n int) {
			for range n {
				dst[0] = reducesum.Sum(src)
			}
		}
	case []int32:
		dst := t.Dst.([]int32)
		e.Run = func(n int) {
			for range n {
				dst[0] = reducesum.Sum(src)
			}
		}
	case []int64:
		dst := t.Dst.([]int64)
		e.Run = func(n int) {
			for range n {
				dst[0] = reducesum.Sum(src)
			}
		}
	case []uint32:
		dst := t.Dst.([]uint32)
		e.Run = func(n int) {
			for range n {
				dst[0] = reducesum.Sum(src)
			}
		}
	case []uint64:
		dst := t.Dst.([]uint64)
		e.Run = func(n int) {
			for range n {
				dst[0] = reducesum.Sum(src)
			}
		}
	}
	return e
}
