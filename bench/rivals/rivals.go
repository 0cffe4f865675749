// Package rivals runs the sums of this project and of other Go packages over the
// same memory, and checks what they return.
package rivals

import (
	"errors"
	"fmt"

	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/elem"
)

// A Task is a sum to do.
type Task struct {
	Case cases.Case
	Type elem.Type
	// Src and Dst are slices of the type. Src spans the tensor, Dst has room for
	// the results.
	Src, Dst any
	Workers  int
}

// An Entry is an implementation that is ready to do one task.
type Entry struct {
	// Run does the task n times.
	Run func(n int)
	// Result returns what the last Run computed, a slice of the task's type.
	Result func() any
}

// A Rival is an implementation.
type Rival struct {
	// Name is how flags and reports call it.
	Name string
	// Ours tells the implementations of this project from the others.
	Ours bool
	// New prepares a task. ErrUnsupported means that the implementation has no
	// such sum.
	New func(Task) (*Entry, error)
}

// ErrUnsupported is wrapped by the errors of rivals that cannot do a task.
var ErrUnsupported = errors.New("not supported")

// All returns every implementation that this CPU can run, ours first.
func All() []Rival {
	return append(ours(),
		Rival{Name: "naive", New: newNaive},
		Rival{Name: "gonum", New: newGonum},
		Rival{Name: "vek", New: newVek},
		Rival{Name: "gorgonia", New: newGorgonia},
		Rival{Name: "gomlx", New: newGomlx},
	)
}

// Prepare prepares a task, runs it once and compares the result with want. The
// error says what is wrong; a panic of a rival is one.
func (r Rival) Prepare(t Task, want *Want) (e *Entry, err error) {
	defer func() {
		if p := recover(); p != nil {
			e, err = nil, fmt.Errorf("panics: %v", p)
		}
	}()
	if !r.Ours {
		if t.Workers > 1 {
			return nil, fmt.Errorf("%w: rivals run on one goroutine", ErrUnsupported)
		}
		if len(t.Case.Strides) > 0 {
			return nil, fmt.Errorf("%w: rivals take no views", ErrUnsupported)
		}
	}
	if e, err = r.New(t); err != nil {
		return nil, err
	}
	spoil(t.Dst)
	e.Run(1)
	if err := want.Check(e.Result(), r.Ours); err != nil {
		return nil, err
	}
	return e, nil
}

// spoil overwrites dst, so that the results of the last rival do not pass for
// those of the next.
func spoil(dst any) {
	b := bytesOf(dst)
	for i := range b {
		b[i] = 0x55
	}
}
