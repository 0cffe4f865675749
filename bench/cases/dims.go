package cases

// A Dim is an axis of a contiguous tensor, or neighbouring axes that act as one.
type Dim struct {
	Size    int
	Reduced bool
}

// Dims returns the axes that matter, outermost first: axes of size 1 are left
// out, neighbours of the same kind are one.
func (c Case) Dims() []Dim {
	var dims []Dim
	for i, size := range c.Shape {
		if size == 1 {
			continue
		}
		d := Dim{size, c.Reduces(i)}
		if k := len(dims) - 1; k >= 0 && dims[k].Reduced == d.Reduced {
			dims[k].Size *= size
			continue
		}
		dims = append(dims, d)
	}
	return dims
}

// A Kind is where the axes of a case lie.
type Kind string

// The kinds: all axes, the inner ones, the outer ones, ones between two kept
// ones, and everything else.
const (
	Full    Kind = "full"
	Rows    Kind = "rows"
	Columns Kind = "columns"
	Middle  Kind = "middle"
	Mixed   Kind = "mixed"
)

// Kinds lists the kinds, in the order of reports.
var Kinds = []Kind{Full, Rows, Columns, Middle, Mixed}

// Kind returns the kind of the case.
func (c Case) Kind() Kind {
	pattern := ""
	for _, d := range c.Dims() {
		if d.Reduced {
			pattern += "r"
		} else {
			pattern += "k"
		}
	}
	switch pattern {
	case "", "r":
		return Full
	case "kr":
		return Rows
	case "rk":
		return Columns
	case "krk":
		return Middle
	}
	return Mixed
}

// RowLength returns how many neighbouring elements belong to one sum: 1 when the
// innermost axis is kept.
func (c Case) RowLength() int {
	dims := c.Dims()
	if len(dims) == 0 {
		return 1
	}
	if last := dims[len(dims)-1]; last.Reduced {
		return last.Size
	}
	return 1
}
