package record

import (
	"fmt"

	"github.com/reducesum/reducesum/bench/cases"
)

// A Bar is what an implementation should reach on a case. The fields that are 0
// ask for nothing.
type Bar struct {
	Ratio float64 `json:"ratio,omitempty"` // of the limit, at least
	NS    float64 `json:"ns,omitempty"`    // nanoseconds, at most
	Over  float64 `json:"over,omitempty"`  // nanoseconds more than the limit, at most
}

// String returns the bar as reports show it.
func (b Bar) String() string {
	switch {
	case b.Ratio > 0:
		return fmt.Sprintf("%.2f", b.Ratio)
	case b.NS > 0:
		return fmt.Sprintf("%.0f ns", b.NS)
	case b.Over > 0:
		return fmt.Sprintf("+%.0f ns", b.Over)
	}
	return ""
}

// BarOf returns the bar of the best implementation on a case of a type that reads
// so many bytes.
func BarOf(c cases.Case, typ string, bytes, workers int) Bar {
	kind, row := c.Kind(), c.RowLength()
	short := typ == "float16" || typ == "bfloat16"
	switch {
	case workers > 1 && bytes < 4<<20:
		return Bar{}
	case c.Suite == cases.Views:
		return viewBar(c, bytes)
	case workers > 1:
		return Bar{Ratio: 0.85}
	case kind == cases.Full && row <= 16:
		return Bar{NS: 5}
	case kind == cases.Full && row <= 100:
		return Bar{NS: 8}
	case kind == cases.Full && bytes < 4<<10:
		return Bar{}
	case kind == cases.Full && bytes < 1<<20:
		return Bar{Ratio: 0.85}
	case kind == cases.Full && short:
		return Bar{Ratio: 0.9}
	case kind == cases.Full:
		return Bar{Ratio: 0.95}
	case row > 1 && row < 64:
		return Bar{Ratio: 0.6}
	case short:
		return Bar{Ratio: 0.8}
	}
	return Bar{Ratio: 0.85}
}

// viewBar returns the bar of a view that touches so many bytes of cache lines:
// two times the limit from memory, three times where elements have to be
// transposed, four times from a cache.
func viewBar(c cases.Case, bytes int) Bar {
	switch {
	case bytes < 64<<10:
		return Bar{Over: 60}
	case bytes < 2<<20:
		return Bar{Ratio: 1. / 4}
	case c.Transposes():
		return Bar{Ratio: 1. / 3}
	}
	return Bar{Ratio: 1. / 2}
}

const (
	// lesser is the part of its bar that an implementation has to reach that is
	// not the best of the CPU, lesserRows that of 0.85.
	lesser     = 0.85
	lesserRows = 0.75 / 0.85
	// noise is how much slower than another a line may be before it is said to be.
	noise = 1.05
	// planCost is how much longer, in nanoseconds, a Run may take than a Sum, which
	// is what a full sum with one worker is timed by.
	planCost = 15
)

// lessen returns the bar of an implementation that is not the best of the CPU.
func (b Bar) lessen(c cases.Case) Bar {
	switch {
	case c.Suite == cases.Views:
		return b
	case b.Ratio == 0.85 && c.Kind() != cases.Full:
		b.Ratio *= lesserRows
	default:
		b.Ratio *= lesser
	}
	b.NS /= lesser
	return b
}

// Judge sets Bar and Under of our lines among those of one case and type. An
// implementation has a bar, and has to be no slower than the rivals and than
// itself with one worker; the best one, no slower than our others. The plain Go
// code has none of that.
func Judge(c cases.Case, lines []Line, implementations []string) {
	for i := range lines {
		l := &lines[i]
		if !l.Judged() {
			continue
		}
		best := len(implementations) > 0 && l.Impl == implementations[0]
		l.Bar = BarOf(c, l.Type, l.Bytes, l.Workers)
		if !best {
			l.Bar = l.Bar.lessen(c)
		}
		if l.Under = l.underBar(lines); l.Under == "" {
			l.Under = l.underOthers(lines, best)
		}
	}
}

// underBar says how the line falls short of its bar, if it does.
func (l *Line) underBar(lines []Line) string {
	bar := l.Bar
	if bar.Ratio > 0 && l.Ratio < bar.Ratio {
		return fmt.Sprintf("ratio %.2f < %.2f", l.Ratio, bar.Ratio)
	}
	if bar.NS > 0 && l.NS > bar.NS {
		return fmt.Sprintf("%.1f ns > %.1f ns", l.NS, bar.NS)
	}
	for _, other := range lines {
		if bar.Over > 0 && other.Impl == Limit && other.Workers == l.Workers && l.NS > other.NS+bar.Over {
			return fmt.Sprintf("%.1f ns > %.1f ns + %.0f ns", l.NS, other.NS, bar.Over)
		}
	}
	return ""
}

// underOthers says who is faster than the line, if anybody is.
func (l *Line) underOthers(lines []Line, best bool) string {
	part := lesser
	if best {
		part = 1
	}
	for _, other := range lines {
		if !other.Measured() || other.Impl == Limit {
			continue
		}
		ns, most := l.NS*part, other.NS*noise
		sameWork := other.Workers == l.Workers && other.Impl != l.Impl
		switch {
		case sameWork && !other.Ours && ns > most,
			sameWork && other.Ours && best && ns > most+planCost:
			return fmt.Sprintf("%s is %.2f times as fast", other.Impl, l.NS/other.NS)
		case other.Impl == l.Impl && other.Workers == 1 && l.Workers > 1 && ns > most+planCost:
			return fmt.Sprintf("one worker is %.2f times as fast", l.NS/other.NS)
		}
	}
	return ""
}
