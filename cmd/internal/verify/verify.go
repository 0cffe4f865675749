// Package verify compares every implementation that this CPU offers with the
// generic one, bit by bit, on random tensors.
package verify

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// Config says how much to compare.
type Config struct {
	Seed     uint64        // with the number of a round, determines all that it does
	Duration time.Duration // no round begins later, once every element type had one
	Round    int           // only this one; negative for all
	Progress func(elapsed time.Duration)

	tamper func(dst any) // lets a test spoil a result; nil otherwise
}

// Totals is how much was compared.
type Totals struct {
	Rounds   int   // tensors
	Sums     int   // over a set of axes, by one implementation
	Results  int64 // elements of results
	Elements int64 // elements summed
}

func (t *Totals) add(o Totals) {
	t.Rounds += o.Rounds
	t.Sums += o.Sums
	t.Results += o.Results
	t.Elements += o.Elements
}

// rounds holds a round for each element type.
var rounds = []func(*rand.Rand, Config) (Totals, error){
	round[float32],
	round[float64],
	round[reducesum.Float16],
	round[reducesum.BFloat16],
	round[int32],
	round[int64],
	round[uint32],
	round[uint64],
}

// Types is the number of element types.
var Types = len(rounds)

// Run compares until the time is over or a difference is found, which the error
// describes.
func Run(c Config) (Totals, error) {
	var totals Totals
	if c.Round >= 0 {
		return totals, c.run(c.Round, &totals)
	}
	start := time.Now()
	for i := 0; i < Types || time.Since(start) < c.Duration; i++ {
		if err := c.run(i, &totals); err != nil {
			return totals, err
		}
		if c.Progress != nil {
			c.Progress(time.Since(start))
		}
	}
	return totals, nil
}

func (c Config) run(i int, totals *Totals) error {
	t, err := rounds[i%Types](rand.New(rand.NewPCG(c.Seed, uint64(i))), c)
	totals.add(t)
	if err != nil {
		return fmt.Errorf("%w; repeat it with: reducesum verify -seed %d -round %d", err, c.Seed, i)
	}
	return nil
}

// round compares all implementations on one tensor, over every set of axes.
func round[T reducesum.Element](r *rand.Rand, c Config) (Totals, error) {
	shape := drawShape(r)
	values, kind := drawValues[T](r, product(shape))
	v := drawView(r, shape, values)
	t := Totals{Rounds: 1}
	for set := range 1 << len(shape) {
		op := drawOp(r, len(shape), set)
		want, err := reference(values, shape, op)
		if err != nil {
			return t, err
		}
		for _, impl := range reducesum.Implementations() {
			w := drawWorkers(r)
			s := sum[T]{view: v, shape: shape, op: op, impl: impl, workers: w, dirty: r.IntN(64)}
			if err := s.check(want, c.tamper); err != nil {
				return t, fmt.Errorf("%s %v over axes %v of %s values, %v, %d workers, offset %d, strides %v: %w",
					tensor.Name[T](), shape, op.Axes, kind, impl, w, v.offset, v.strides, err)
			}
			t.Sums++
			t.Results += int64(len(want))
			t.Elements += int64(len(values))
		}
		if err := checkShortcuts(values, shape, set, want); err != nil {
			return t, fmt.Errorf("%s %v of %s values: %w", tensor.Name[T](), shape, kind, err)
		}
	}
	return t, nil
}
