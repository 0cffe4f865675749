package report

import (
	"fmt"
	"slices"

	"github.com/reducesum/reducesum/bench/record"
)

// A Headline is the table of one element type and number of workers: what the
// limit is, what ours reach, what the others do.
type Headline struct {
	Type    string
	Workers int
	Ours    []string // names of our implementations that have lines, best first
	Rivals  []string // names of the others
	Rows    []Row
}

// A Row is a case of a table.
type Row struct {
	Case, Kind string
	Suite      string
	Limit      record.Line
	Ours       []Cell // in the order of Headline.Ours
	Rivals     []Cell // in the order of Headline.Rivals
}

// A Cell is what one implementation reached.
type Cell struct {
	Line record.Line // empty when the implementation has no such sum
	Best bool        // of the rivals of its row
}

// Text is the bandwidth, or why there is none.
func (c Cell) Text() string {
	switch {
	case c.Line.Measured():
		return number(c.Line.GBs)
	case c.Line.Note != "":
		return "wrong"
	}
	return "–"
}

// Ratio is the part of the limit, or nothing.
func (c Cell) Ratio() string {
	if !c.Line.Measured() {
		return "–"
	}
	return fmt.Sprintf("%.2f", c.Line.Ratio)
}

// headlines makes a table of each type and number of workers that keep accepts.
func headlines(r *record.Report, keep func(record.Line) bool) []Headline {
	var tables []Headline
	for _, l := range r.Lines {
		if !keep(l) {
			continue
		}
		i := slices.IndexFunc(tables, func(h Headline) bool { return h.Type == l.Type && h.Workers == l.Workers })
		if i < 0 {
			i = len(tables)
			tables = append(tables, Headline{Type: l.Type, Workers: l.Workers})
		}
		tables[i].add(l)
	}
	for i := range tables {
		tables[i].finish(r.Run.Implementations)
	}
	return tables
}

// add adds a line to its row.
func (h *Headline) add(l record.Line) {
	i := slices.IndexFunc(h.Rows, func(r Row) bool { return r.Case == l.Case })
	if i < 0 {
		i = len(h.Rows)
		h.Rows = append(h.Rows, Row{Case: l.Case, Kind: l.Kind, Suite: l.Suite})
	}
	row := &h.Rows[i]
	switch {
	case l.Impl == record.Limit:
		row.Limit = l
	case l.Ours:
		row.Ours = append(row.Ours, Cell{Line: l})
		h.Ours = appendNew(h.Ours, l.Impl)
	default:
		row.Rivals = append(row.Rivals, Cell{Line: l})
		h.Rivals = appendNew(h.Rivals, l.Impl)
	}
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// finish puts the cells of each row into the order of the columns.
func (h *Headline) finish(implementations []string) {
	slices.SortStableFunc(h.Ours, func(a, b string) int {
		return slices.Index(implementations, a) - slices.Index(implementations, b)
	})
	for i := range h.Rows {
		row := &h.Rows[i]
		row.Ours = inOrder(row.Ours, h.Ours)
		row.Rivals = inOrder(row.Rivals, h.Rivals)
		markBest(row.Rivals)
	}
}

func inOrder(cells []Cell, names []string) []Cell {
	ordered := make([]Cell, len(names))
	for i, name := range names {
		if k := slices.IndexFunc(cells, func(c Cell) bool { return c.Line.Impl == name }); k >= 0 {
			ordered[i] = cells[k]
		}
	}
	return ordered
}

func markBest(cells []Cell) {
	best := -1
	for i, c := range cells {
		if c.Line.Measured() && (best < 0 || c.Line.NS < cells[best].Line.NS) {
			best = i
		}
	}
	if best >= 0 {
		cells[best].Best = true
	}
}

// Width is the length of the ratio's bar, as a part of the whole.
func (c Cell) Width() float64 { return min(c.Line.Ratio, 1) }
