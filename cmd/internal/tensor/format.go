package tensor

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// NumPy's defaults (numpy.set_printoptions): what has more than threshold
// elements is shortened to edge items at either end of each axis, and lines are
// at most width characters long.
const (
	threshold = 1000
	edge      = 3
	width     = 75
)

// Print writes the values of a row-major tensor in nested brackets, as NumPy
// prints an array: aligned in columns, long ones shortened.
func Print(w io.Writer, t Tensor) error {
	b := bufio.NewWriter(w)
	p := printer{w: b, t: t, shape: t.Shape(), short: t.Len() > threshold}
	switch {
	case t.Len() == 0:
		b.WriteString("[]")
	case len(p.shape) == 0:
		b.WriteString(t.Number(0))
	default:
		p.measure(0, 0)
		p.axis(0, 0)
	}
	b.WriteByte('\n')
	return b.Flush()
}

// ShapeString formats a shape as NumPy does: (), (4,), (2, 3).
func ShapeString(shape []int) string {
	dims := make([]string, len(shape))
	for i, d := range shape {
		dims[i] = strconv.Itoa(d)
	}
	s := strings.Join(dims, ", ")
	if len(shape) == 1 {
		s += ","
	}
	return "(" + s + ")"
}

type printer struct {
	w      *bufio.Writer // keeps the first error until Flush
	t      Tensor
	shape  []int
	short  bool
	cell   int // width of the widest number
	column int
}

// items calls f for each index of an axis that is shown, and with -1 for the gap.
func (p *printer) items(axis int, f func(i int)) {
	n := p.shape[axis]
	if !p.short || n <= 2*edge {
		for i := range n {
			f(i)
		}
		return
	}
	for i := range edge {
		f(i)
	}
	f(-1)
	for i := n - edge; i < n; i++ {
		f(i)
	}
}

// measure finds the widest number that will be shown.
func (p *printer) measure(axis, offset int) {
	p.items(axis, func(i int) {
		if i < 0 {
			return
		}
		at := offset*p.shape[axis] + i
		if axis+1 < len(p.shape) {
			p.measure(axis+1, at)
			return
		}
		p.cell = max(p.cell, len(p.t.Number(at)))
	})
}

// axis prints one axis; offset counts the entries of the axes outside it.
func (p *printer) axis(axis, offset int) {
	p.text("[")
	first := true
	p.items(axis, func(i int) {
		at := offset*p.shape[axis] + i
		if axis+1 == len(p.shape) {
			p.number(i, at, first)
		} else {
			p.row(i, axis, at, first)
		}
		first = false
	})
	p.text("]")
}

// number prints one element of the innermost axis, or the gap.
func (p *printer) number(i, at int, first bool) {
	s := "..."
	if i >= 0 {
		s = p.t.Number(at)
		s = strings.Repeat(" ", p.cell-len(s)) + s
	}
	switch {
	case first:
	case p.column+1+len(s) > width-len(p.shape): // room for the brackets that close
		p.line(1, len(p.shape))
	default:
		p.text(" ")
	}
	p.text(s)
}

// row prints one entry of an outer axis, or the gap.
func (p *printer) row(i, axis, at int, first bool) {
	if !first {
		p.line(len(p.shape)-axis-1, axis+1)
	}
	if i < 0 {
		p.text("...")
		return
	}
	p.axis(axis+1, at)
}

func (p *printer) text(s string) {
	p.w.WriteString(s)
	p.column += len(s)
}

// line ends a line, leaves blank lines so that n lines end, and indents.
func (p *printer) line(n, indent int) {
	p.w.WriteString(strings.Repeat("\n", n) + strings.Repeat(" ", indent))
	p.column = indent
}
