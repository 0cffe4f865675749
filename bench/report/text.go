// Package report writes what a suite finds: as text, as a page, in the formats
// of other tools, and into README.md.
package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/reducesum/reducesum/bench/record"
)

// Text writes a table for people.
type Text struct {
	W io.Writer
	// UnderOnly leaves out the lines that are not under their bar.
	UnderOnly bool

	under, judged int
}

const columns = "%-8s  %-34s  %-7s %2s  %11s  %7s  %7s  %5s  %6s  %7s  %6s  %s"

// Run writes what the lines were measured on.
func (t *Text) Run(r record.Run) error {
	_, err := fmt.Fprintf(t.W, "%s\n%d threads, %s/%s, %s, %s\nimplementations, best first: %s\nloops that only load: %s\nmemory: %s\n\n",
		r.CPU, r.Threads, r.OS, r.Arch, r.Go, r.Date,
		strings.Join(r.Implementations, ", "), strings.Join(r.Loops, ", "), memory(r))
	if err != nil {
		return err
	}
	return t.columns("type", "case", "impl", "w", "ns", "GB/s", "limit", "ratio", "bar", "median", "spread", "")
}

func memory(r record.Run) string {
	if r.Huge == 0 {
		return Bytes(r.Buffer) + ", small pages"
	}
	return fmt.Sprintf("%s, %s of the process in huge pages", Bytes(r.Buffer), Bytes(r.Huge))
}

// Case writes the lines of one case.
func (t *Text) Case(lines []record.Line) error {
	for _, l := range lines {
		if l.Judged() {
			t.judged++
		}
		if l.Under != "" {
			t.under++
		} else if t.UnderOnly {
			continue
		}
		if err := t.line(l); err != nil {
			return err
		}
	}
	return nil
}

func (t *Text) line(l record.Line) error {
	workers := strconv.Itoa(l.Workers)
	l.Case = shortCase(l.Case)
	if !l.Measured() {
		return t.columns(l.Type, l.Case, l.Impl, workers, "-", "-", "-", "-", "-", "-", "-", "left out: "+l.Note)
	}
	remark := ""
	switch {
	case l.Impl == record.Limit:
		remark = l.LimitLoop
	case l.Under != "":
		remark = "UNDER: " + l.Under
	case l.Bar != record.Bar{}:
		remark = "ok"
	}
	return t.columns(l.Type, l.Case, l.Impl, workers,
		strconv.FormatFloat(l.NS, 'f', 1, 64), number(l.GBs), number(l.LimitGBs), fmt.Sprintf("%.2f", l.Ratio), l.Bar,
		number(float64(l.Bytes)/l.Median), fmt.Sprintf("%.1f%%", 100*l.Spread), remark)
}

// columns writes a line of the table.
func (t *Text) columns(cells ...any) error {
	_, err := fmt.Fprintln(t.W, strings.TrimRight(fmt.Sprintf(columns, cells...), " "))
	return err
}

// Close writes how many lines are under their bar.
func (t *Text) Close() error {
	_, err := fmt.Fprintf(t.W, "\n%d of our %d lines are under their bar\n", t.under, t.judged)
	return err
}

// number formats a bandwidth with three digits or so.
func number(x float64) string {
	if x < 10 {
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// Bytes formats a size.
func Bytes(n int) string {
	units := []string{"B", "KiB", "MiB", "GiB"}
	x, i := float64(n), 0
	for x >= 1024 && i < len(units)-1 {
		x, i = x/1024, i+1
	}
	return strconv.FormatFloat(x, 'g', 4, 64) + " " + units[i]
}
