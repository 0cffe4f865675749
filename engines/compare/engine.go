package main

import (
	"errors"
	"time"

	"github.com/reducesum/reducesum/engines/compare/cases"
)

// An engine has variants: itself, itself with reducesum on one worker, and on
// all of them.
type engine struct {
	name     string
	variants []*variant
}

// A variant is an engine that can run the cases.
type variant struct {
	name  string
	run   runner // nil: the engine has no ReduceSum
	cases []result
}

// A runner runs case i once, and tells how long that took and whether the sums
// were right.
type runner interface {
	run(i int) (d time.Duration, right bool, err error)
	close() error
}

// A result is what came of the runs of one case.
type result struct {
	times []time.Duration
	wrong bool
}

// The variants of an engine, in this order.
const (
	before = iota
	after
	afterParallel
)

func newEngine(name string, stock, one, all runner) *engine {
	e := &engine{name: name}
	for i, r := range []runner{stock, one, all} {
		name := [...]string{before: "before", after: "after, 1 worker", afterParallel: "after, all workers"}[i]
		e.variants = append(e.variants, &variant{name, r, make([]result, len(cases.All))})
	}
	return e
}

func (e *engine) close() error {
	var errs []error
	for _, v := range e.variants {
		if v.run != nil {
			errs = append(errs, v.run.close())
		}
	}
	return errors.Join(errs...)
}

// measure runs case i twice, and keeps the second time: the first run finds the
// caches as another engine has left them.
func (v *variant) measure(i int) error {
	if v.run == nil {
		return nil
	}
	r := &v.cases[i]
	var d time.Duration
	for range 2 {
		var right bool
		var err error
		if d, right, err = v.run.run(i); err != nil {
			return err
		}
		r.wrong = r.wrong || !right
	}
	r.times = append(r.times, d)
	return nil
}

// allEngines returns the engines, with some number of workers for the last
// variant.
func allEngines(workers int) ([]*engine, error) {
	gonnx, err := newGonnx(workers)
	if err != nil {
		return nil, err
	}
	gomlx, err := newGomlx(workers)
	if err != nil {
		return nil, err
	}
	return []*engine{gonnx, newGorgonia(workers), gomlx}, nil
}
