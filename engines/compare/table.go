package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/perf/benchmath"

	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/engines/compare/cases"
)

const (
	begin = "<!-- engines:begin -->"
	end   = "<!-- engines:end -->"
)

// summary returns the median of times, of which there is at least one, and its
// confidence interval of 95 %, which assumes nothing of how times are distributed.
func summary(times []time.Duration) benchmath.Summary {
	values := make([]float64, len(times))
	for i, t := range times {
		values[i] = float64(t)
	}
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, 0.95)
}

func median(times []time.Duration) time.Duration { return time.Duration(summary(times).Center) }

// doubt returns how far the true median may be from the one measured, as a part of it.
func doubt(times []time.Duration) float64 {
	s := summary(times)
	return max(s.Hi-s.Center, s.Center-s.Lo) / s.Center
}

// report lists what was measured, and tells whether some of it is too doubtful.
func report(w io.Writer, engines []*engine, limit float64) (noisy bool) {
	for _, e := range engines {
		for _, v := range e.variants {
			for i, r := range v.cases {
				if len(r.times) == 0 {
					continue
				}
				d, mark := doubt(r.times), ""
				if !(d <= limit) {
					noisy, mark = true, "  too much"
				}
				fmt.Fprintf(w, "%-20s %-18s %-29s median %9v ± %2.0f%%%s\n", e.name, v.name, cases.All[i],
					median(r.times).Round(time.Microsecond), 100*d, mark)
			}
		}
	}
	return noisy
}

// table renders what was measured as Markdown.
func table(engines []*engine, repeats int, now time.Time) string {
	var b strings.Builder
	workers := runtime.GOMAXPROCS(0)
	fmt.Fprintf(&b, "Milliseconds for one sum of float32: medians of %d interleaved runs on %s, kernels %v, %s, %s.\n\n",
		repeats, cpuid.CPU.BrandName, reducesum.Implementations()[0], runtime.Version(), now.Format(time.DateOnly))
	fmt.Fprintf(&b, "| engine | sum | before | with reducesum | | on %d workers | |\n|---|---|--:|--:|--:|--:|--:|\n", workers)
	for _, e := range engines {
		for i, c := range cases.All {
			stock := e.variants[before].cases[i]
			fmt.Fprintf(&b, "| %s | %v | %s |", e.name, c, cell(stock))
			for _, v := range e.variants[after:] {
				fmt.Fprintf(&b, " %s | %s |", cell(v.cases[i]), speedup(stock, v.cases[i]))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func cell(r result) string {
	if len(r.times) == 0 {
		return "none"
	}
	text := fmt.Sprintf("%.2f", float64(median(r.times))/float64(time.Millisecond))
	if r.wrong {
		text += ", wrong"
	}
	return text
}

func speedup(before, after result) string {
	if len(before.times) == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f×", float64(median(before.times))/float64(median(after.times)))
}

// insert puts text between the markers of a file.
func insert(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	from, to := bytes.Index(old, []byte(begin)), bytes.Index(old, []byte(end))
	if from < 0 || to < from {
		return fmt.Errorf("%s has no %s before %s", path, begin, end)
	}
	whole := slices.Concat(old[:from+len(begin)], []byte("\n"+text), old[to:])
	return os.WriteFile(path, whole, 0o644)
}
