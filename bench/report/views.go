package report

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reducesum/reducesum/bench/record"
)

// writeViews writes the table of views of a run: how many times the limit each of
// our implementations takes, for each type.
func writeViews(w *bytes.Buffer, r *record.Report) {
	tables := headlines(r, func(record.Line) bool { return true })
	fmt.Fprintf(w, "%s; times the limit, which reads each touched cache line once, or nanoseconds more than the limit.\n\n| |", machine(r.Run))
	var names []string
	columns := 0
	for _, h := range tables {
		for _, impl := range h.Ours {
			fmt.Fprintf(w, " %s %s |", h.Type, impl)
			columns++
		}
		for _, row := range h.Rows {
			names = appendNew(names, row.Case)
		}
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("--:|", columns))
	for _, name := range names {
		fmt.Fprintf(w, "| %s |", caseText(Row{Case: name}))
		for _, h := range tables {
			row := Row{Ours: make([]Cell, len(h.Ours))}
			if i := slices.IndexFunc(h.Rows, func(r Row) bool { return r.Case == name }); i >= 0 {
				row = h.Rows[i]
			}
			for _, c := range row.Ours {
				fmt.Fprintf(w, " %s |", c.times(row.Limit))
			}
		}
		w.WriteByte('\n')
	}
	w.WriteByte('\n')
}

// times is how many times the limit the line takes, or by how much it exceeds it
// where that is its bar.
func (c Cell) times(limit record.Line) string {
	switch {
	case !c.Line.Measured() || !limit.Measured():
		return c.Text()
	case c.Line.Bar.Over > 0:
		return fmt.Sprintf("+%.0f ns", c.Line.NS-limit.NS)
	}
	x := c.Line.NS / limit.NS
	if x < 9.95 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}
