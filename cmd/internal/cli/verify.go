package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/verify"
)

const verifyUsage = `usage: reducesum verify [flags]

Compares every implementation that this CPU offers with the generic one, bit by
bit: all element types, random shapes of rank 0 to 6, every set of axes,
special values, offsets, strides and numbers of workers. A difference is
described so that it can be repeated, and the exit code is 1.

`

func runVerify(c *call) error {
	seconds := c.flags.Float64("seconds", 10, "go on for `n` seconds")
	seed := c.flags.Uint64("seed", 0, "draw with this `number`; 0 for a random one")
	round := c.flags.Int("round", -1, "run this round only: the `number` that a difference was reported with")
	args, err := c.parse()
	if err != nil {
		return err
	}
	switch {
	case len(args) > 0:
		return usagef("verify takes no arguments: %q", args)
	case !(*seconds >= 0 && *seconds <= math.MaxInt32):
		return usagef("-seconds %v is not a number of seconds", *seconds)
	}
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	impls := strings.Join(names(reducesum.Implementations()), ", ")
	if _, err := fmt.Fprintf(c.stdout, "implementations: %s\nseed: %d\n", impls, *seed); err != nil {
		return err
	}
	duration := time.Duration(*seconds * float64(time.Second))
	bar := timeBar(c.stderr, duration, "comparing")
	totals, err := verify.Run(verify.Config{Seed: *seed, Duration: duration, Round: *round, Progress: bar.at})
	bar.done()
	if err != nil {
		return err
	}
	if len(reducesum.Implementations()) == 1 {
		if _, err := fmt.Fprintln(c.stdout, "only generic is available: layouts and workers are compared, no other kernels"); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(c.stdout, "no difference: %d tensors, %d sums over axes, %d results of %d elements\n",
		totals.Rounds, totals.Sums, totals.Results, totals.Elements)
	return err
}
