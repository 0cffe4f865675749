package reducesum

import (
	"fmt"
	"reflect"
	"runtime"

	"github.com/reducesum/reducesum/kernels"
)

// An Option changes how a [Plan] runs, never what it computes.
type Option func(*options) error

type options struct {
	workers int
	pool    Pool
	strides []int
	isa     kernels.ISA
}

// A Pool is an engine's own pool of workers. One Run may call Do several times,
// one after the other; Runs at the same time call it at the same time. A task
// never calls Do, so a Run may itself be a task of the pool if Do then works.
type Pool interface {
	// Workers is the number of tasks that can run at the same time; NewPlan asks
	// for it once.
	Workers() int
	// Do runs task(0) to task(n-1), in any order, at the same time or not, and
	// returns when all of them have returned. n may be larger than Workers.
	Do(n int, task func(i int))
}

// WithWorkers lets one [Run] use up to n goroutines, its own included. The
// default is 1; 0 stands for GOMAXPROCS. The bits of the result do not change,
// and what cannot be split is summed by one goroutine all the same: small tensors,
// short sums of few columns. A goroutine that starts too late to help may outlive
// the Run, but touches neither dst nor src. Of WithWorkers and [WithPool], the later
// one counts. An error wraps [ErrWorkers].
func WithWorkers(n int) Option {
	return func(o *options) error {
		if n < 0 {
			return fmt.Errorf("%w: %d", ErrWorkers, n)
		}
		if n == 0 {
			n = runtime.GOMAXPROCS(0)
		}
		o.workers, o.pool = n, nil
		return nil
	}
}

// WithPool runs a plan's tasks on p instead of goroutines of the package's own.
// Of WithPool and [WithWorkers], the later one counts. An error wraps [ErrPool].
func WithPool(p Pool) Option {
	return func(o *options) error {
		if v := reflect.ValueOf(p); p == nil || v.Kind() == reflect.Pointer && v.IsNil() {
			return fmt.Errorf("%w: it is nil (%T)", ErrPool, p)
		}
		n := p.Workers()
		if n < 1 {
			return fmt.Errorf("%w: it has %d workers", ErrPool, n)
		}
		o.workers, o.pool = n, p
		return nil
	}
}

// WithStrides makes src a view: the element at index (i, j, ...) is
// src[i*strides[0] + j*strides[1] + ...]. Strides count elements and are not
// negative; 0 repeats an element (broadcasting). The result has the bits that
// a contiguous copy of the view would give, but no copy is made: what is not
// contiguous is packed block by block into memory that the package has anyway.
func WithStrides(strides []int) Option {
	strides = append([]int{}, strides...) // not nil: that would be no view
	return func(o *options) error {
		o.strides = strides
		return nil
	}
}

// WithImplementation pins one of [Implementations], for tests and benchmarks.
func WithImplementation(i Implementation) Option {
	return func(o *options) error {
		if !available(i.isa) {
			return fmt.Errorf("%w: %v", ErrImplementation, i)
		}
		o.isa = i.isa
		return nil
	}
}

func applyOptions(opts []Option) (options, error) {
	o := options{workers: 1, isa: best}
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		if err := opt(&o); err != nil {
			return options{}, err
		}
	}
	return o, nil
}
