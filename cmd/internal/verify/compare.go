package verify

import (
	"fmt"
	"math"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// reference is the sum by the generic implementation, on one goroutine, of a
// contiguous tensor.
func reference[T reducesum.Element](values []T, shape []int, op reducesum.Op) ([]T, error) {
	impls := reducesum.Implementations()
	generic := impls[len(impls)-1]
	if generic.String() != "generic" {
		return nil, fmt.Errorf("the last implementation is %v, not generic", generic)
	}
	want, _, err := reducesum.ReduceSum(values, shape, op, reducesum.WithImplementation(generic))
	return want, err
}

// A sum is one way to sum a tensor.
type sum[T reducesum.Element] struct {
	view    view[T]
	shape   []int
	op      reducesum.Op
	impl    reducesum.Implementation
	workers int
	dirty   int // elements before dst, which must stay as they are
}

// check runs the sum, and compares its bits with want. It also looks for
// writes around the destination.
func (s sum[T]) check(want []T, tamper func(dst any)) error {
	opts := []reducesum.Option{reducesum.WithImplementation(s.impl), reducesum.WithWorkers(s.workers)}
	if s.view.strides != nil {
		opts = append(opts, reducesum.WithStrides(s.view.strides))
	}
	p, err := reducesum.NewPlan(s.shape, s.op, opts...)
	if err != nil {
		return err
	}
	if p.Len() != len(want) {
		return fmt.Errorf("the plan has %d results, the generic one %d", p.Len(), len(want))
	}
	const after = 64
	mark := fromBits[T](0x5a5a5a5a5a5a5a5a)
	memory := make([]T, s.dirty+len(want)+after)
	for i := range memory {
		memory[i] = mark
	}
	dst := memory[s.dirty : s.dirty+len(want)]
	if err := reducesum.Run(p, dst, s.view.src); err != nil {
		return err
	}
	if tamper != nil {
		tamper(memory)
	}
	for i, x := range memory {
		if outside := i < s.dirty || i >= s.dirty+len(want); outside && bits(x) != bits(mark) {
			return fmt.Errorf("it wrote at index %d, outside of dst", i-s.dirty)
		}
	}
	return compare(dst, want)
}

// compare tells the first element that differs in a bit. One NaN is as good as
// another.
func compare[T reducesum.Element](got, want []T) error {
	for i := range want {
		if !equal(got[i], want[i]) {
			return fmt.Errorf("element %d of the result is %s (bits %#x), of the generic one %s (bits %#x)",
				i, tensor.Number(got[i]), bits(got[i]), tensor.Number(want[i]), bits(want[i]))
		}
	}
	return nil
}

func equal[T reducesum.Element](a, b T) bool {
	return bits(a) == bits(b) || isNaN(a) && isNaN(b)
}

func isNaN[T reducesum.Element](x T) bool {
	switch x := any(x).(type) {
	case float32:
		return x != x
	case float64:
		return math.IsNaN(x)
	case reducesum.Float16:
		return x.IsNaN()
	case reducesum.BFloat16:
		return x&0x7fff > 0x7f80
	}
	return false
}

// checkShortcuts compares Sum and SumBlocks, which run the implementation that
// was chosen, where the set of axes is one that they can sum over.
func checkShortcuts[T reducesum.Element](values []T, shape []int, set int, want []T) error {
	if set == 1<<len(shape)-1 { // neighbouring axes merge: one sequence
		if err := compare([]T{reducesum.Sum(values)}, want); err != nil {
			return fmt.Errorf("by Sum: %w", err)
		}
	}
	if len(shape) != 3 || set != 0b010 {
		return nil
	}
	got := make([]T, len(want))
	if err := reducesum.SumBlocks(got, values, shape[0], shape[1], shape[2]); err != nil {
		return fmt.Errorf("by SumBlocks: %w", err)
	}
	if err := compare(got, want); err != nil {
		return fmt.Errorf("by SumBlocks: %w", err)
	}
	return nil
}
