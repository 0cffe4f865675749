package record

import (
	"fmt"

	"github.com/reducesum/reducesum/bench/cases"
)

// A Bar is what an implementation should reach on a case.
type Bar struct {
	Ratio float64 // of the limit; 0 for none
	NS    float64 // at most; 0 for none
}

// BarOf returns the bar of a case that reads so many bytes.
func BarOf(c cases.Case, bytes, workers int) Bar {
	kind, row := c.Kind(), c.RowLength()
	switch {
	case workers > 1 && bytes < 4<<20:
		return Bar{}
	case workers > 1:
		return Bar{Ratio: 0.85}
	case kind == cases.Full && row <= 16:
		return Bar{NS: 5}
	case kind == cases.Full && row <= 100:
		return Bar{NS: 8}
	case kind == cases.Full && bytes < 16<<10:
		return Bar{}
	case kind == cases.Full:
		return Bar{Ratio: 0.95}
	case row > 1 && row < 64:
		return Bar{Ratio: 0.6}
	}
	return Bar{Ratio: 0.85}
}

const (
	// lesser is the part of its bar that an implementation has to reach that is
	// not the best of the CPU.
	lesser = 0.85
	// noise is how much slower than another a line may be before it is said to be.
	noise = 1.03
	// planCost is how much longer, in nanoseconds, a Run may take than a Sum, which
	// is what a full sum with one worker is timed by.
	planCost = 15
)

// Judge sets Under of our lines among those of one case and type. An
// implementation has a bar, and has to be no slower than the rivals and than
// itself with one worker. The plain Go code has none of that.
func Judge(c cases.Case, lines []Line, implementations []string) {
	for i := range lines {
		l := &lines[i]
		if !l.Ours || !l.Measured() || l.Impl == "generic" {
			continue
		}
		part := lesser
		if len(implementations) > 0 && l.Impl == implementations[0] {
			part = 1
		}
		l.Under = under(l, BarOf(c, l.Bytes, l.Workers), lines, part)
	}
}

// under says what l falls short of, if anything.
func under(l *Line, bar Bar, lines []Line, part float64) string {
	if bar.Ratio > 0 && l.Ratio < bar.Ratio*part {
		return fmt.Sprintf("ratio %.2f < %.2f", l.Ratio, bar.Ratio*part)
	}
	if bar.NS > 0 && l.NS > bar.NS/part {
		return fmt.Sprintf("%.1f ns > %.1f ns", l.NS, bar.NS/part)
	}
	for _, other := range lines {
		if !other.Measured() || other.Impl == Limit {
			continue
		}
		ns, most := l.NS*part, other.NS*noise
		if !other.Ours && other.Workers == l.Workers && ns > most {
			return fmt.Sprintf("%s is %.2f times as fast", other.Impl, l.NS/other.NS)
		}
		if other.Impl == l.Impl && other.Workers == 1 && l.Workers > 1 && ns > most+planCost {
			return fmt.Sprintf("one worker is %.2f times as fast", l.NS/other.NS)
		}
	}
	return ""
}
