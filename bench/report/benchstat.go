package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/reducesum/reducesum/bench/record"
)

// Benchstat writes Go's benchmark format, a line for each sample, for the command
// golang.org/x/perf/cmd/benchstat. The parts of a name are keys: its -row and -col
// take /case, /impl and so on.
type Benchstat struct {
	w      *benchfmt.Writer
	config []benchfmt.Config
}

// NewBenchstat returns a Benchstat that writes to w.
func NewBenchstat(w io.Writer) *Benchstat { return &Benchstat{w: benchfmt.NewWriter(w)} }

// Run keeps the configuration for the lines.
func (b *Benchstat) Run(r record.Run) error {
	for _, c := range [][2]string{
		{"goos", r.OS}, {"goarch", r.Arch}, {"pkg", "github.com/reducesum/reducesum/bench"}, {"cpu", r.CPU},
	} {
		b.config = append(b.config, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
	}
	return nil
}

// Case writes the samples of one case.
func (b *Benchstat) Case(lines []record.Line) error {
	for _, l := range lines {
		for _, ns := range l.Samples {
			result := &benchfmt.Result{
				Config: b.config,
				Name:   benchfmt.Name(benchName(l)),
				Iters:  1,
				Values: []benchfmt.Value{
					{Value: ns * 1e-9, Unit: "sec/op", OrigValue: round(ns), OrigUnit: "ns/op"},
					{Value: float64(l.Bytes) / ns * 1e9, Unit: "B/s", OrigValue: round(float64(l.Bytes) / ns * 1e3), OrigUnit: "MB/s"},
				},
			}
			if err := b.w.Write(result); err != nil {
				return err
			}
		}
	}
	return nil
}

// benchName writes the case with a colon for the slash, which separates keys.
func benchName(l record.Line) string {
	return fmt.Sprintf("Sum/type=%s/case=%s/impl=%s/workers=%d", l.Type, strings.ReplaceAll(l.Case, "/", ":"), l.Impl, l.Workers)
}

// round rounds to three decimals.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }
