// Command gomlxprobe measures sums of GoMLX's backend in pure Go for compare,
// which builds it with and without reducesum. For each line on its standard
// input, the index of a case, it runs the case once and prints a line:
// "sample", the nanoseconds, and whether the sums were right.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"

	"github.com/reducesum/reducesum/engines/compare/cases"
)

func main() {
	workers := flag.Int("workers", 1, "parallelism of the backend")
	flag.Parse()
	if err := serve(*workers); err != nil {
		fmt.Fprintln(os.Stderr, "gomlxprobe:", err)
		os.Exit(1)
	}
}

func serve(workers int) error {
	backend, err := simplego.New(fmt.Sprintf("parallelism=%d", workers))
	if err != nil {
		return err
	}
	var probes []*probe
	for _, c := range cases.All {
		p, err := newProbe(backend, c)
		if err != nil {
			return fmt.Errorf("%v: %w", c, err)
		}
		probes = append(probes, p)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		i, err := strconv.Atoi(lines.Text())
		if err != nil || i < 0 || i >= len(probes) {
			return fmt.Errorf("no case %q", lines.Text())
		}
		d, right, err := probes[i].sample()
		if err != nil {
			return fmt.Errorf("%v: %w", cases.All[i], err)
		}
		fmt.Println("sample", d.Nanoseconds(), right)
	}
	return lines.Err()
}

// A probe is a compiled graph of one sum, and its input.
type probe struct {
	backend   backends.Backend
	program   backends.Executable
	input     backends.Buffer
	got, want []float32
}

func newProbe(backend backends.Backend, c cases.Case) (*probe, error) {
	shape := shapes.Make(dtypes.Float32, c.Shape...)
	builder := backend.Builder("sum")
	x, err := builder.Parameter("x", shape, nil)
	if err != nil {
		return nil, err
	}
	sum, err := builder.ReduceSum(x, c.Axes...)
	if err != nil {
		return nil, err
	}
	program, err := builder.Compile([]backends.Op{sum}, nil)
	if err != nil {
		return nil, err
	}
	input, err := backend.BufferFromFlatData(0, c.Input(), shape)
	if err != nil {
		return nil, err
	}
	want := c.Sums()
	return &probe{backend, program, input, make([]float32, len(want)), want}, nil
}

func (p *probe) sample() (time.Duration, bool, error) {
	start := time.Now()
	out, err := p.program.Execute([]backends.Buffer{p.input}, nil, 0)
	d := time.Since(start)
	if err != nil {
		return 0, false, err
	}
	if err := p.backend.BufferToFlatData(out[0], p.got); err != nil {
		return 0, false, err
	}
	return d, slices.Equal(p.got, p.want), p.backend.BufferFinalize(out[0])
}
