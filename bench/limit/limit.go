// Package limit measures how fast the work of a sum can be done that no sum can
// do without: loops that do it, in memory order, and nothing else. No sum over
// the same memory can be faster than the best of them, so they are what a kernel
// is measured by. They
//   - load every byte once; of a view, each cache line that it touches,
//   - store every byte of the result, where it is more than a tenth of the input,
//   - widen 16-bit floats to float32 and add them, for no sum in float32 does less
//     (of a view, if nearly all that is loaded has to be added),
//   - load what is added several times (windows that overlap, axes of stride 0
//     that are reduced) as often as it is added, from the first-level cache.
//
// Which way is best depends on the CPU and on the size: some CPUs stream better
// with loads half as wide as their widest, some gain from software prefetch. So
// there are several, and the limit is the best one of the same run.
package limit

import "slices"

//go:generate sh -c "cd gen && go run ."

const (
	lineSize = 64
	// maxCall is the most that one call of a loop reads: assembly cannot be
	// preempted, and a longer call would hold up the garbage collector.
	maxCall = 256 << 10
	// again is how much is loaded before it is loaded again: it stays in the
	// first-level cache.
	again = 16 << 10
)

// Work is what a sum has to read and to write.
type Work struct {
	Src []byte // begins at a cache line
	// Runs are the cache lines of Src that are read; none for all bytes of Src.
	Runs  []Run
	Dst   []byte // to be written; none for a result that does not count
	Widen string // F16 or BF16 for elements that are widened and added
	Times int    // that each byte is loaded, 0 for once
}

// Bytes returns how many bytes are loaded.
func (w Work) Bytes() int {
	n := len(w.Src)
	if w.Runs != nil {
		n = linesOf(w.Runs) * lineSize
	}
	return n * max(w.Times, 1)
}

// A Way is one way to do some work.
type Way struct {
	// Name tells the ways apart, as load256 or load512nta.
	Name string
	// Run does the work n times.
	Run func(n int)
}

// Ways returns the ways in which this CPU can do the work, each time on workers
// goroutines that take equal parts. There is always one.
func Ways(w Work, workers int) []Way {
	workers = max(workers, 1)
	shares := make([]Work, workers)
	for i := range shares {
		shares[i] = w.part(i, workers)
	}
	var ways []Way
	for _, k := range kernelsFor(w) {
		var runs []func(n int)
		for _, share := range shares {
			runs = append(runs, k.bind(share))
		}
		ways = append(ways, Way{k.name, together(runs)})
	}
	return ways
}

// Names returns the names of the loops that load memory in order.
func Names() []string {
	var names []string
	for _, l := range loops().loads {
		if l.widen == "" {
			names = append(names, l.name)
		}
	}
	return append(names, "go")
}

// A kernel is a loop that can do some work: bind returns what does its share n
// times.
type kernel struct {
	name string
	bind func(share Work) func(n int)
}

// kernelsFor returns the kernels for the work: those in assembly, or the one in
// Go where there are none.
func kernelsFor(w Work) []kernel {
	all := loops()
	var list []kernel
	switch {
	case w.Runs != nil:
		list = all.forRuns(w)
	case len(w.Dst) > 0:
		for _, l := range all.stores {
			if l.widen == w.Widen {
				list = append(list, kernel{l.name, l.bind})
			}
		}
	default:
		for _, l := range all.loads {
			if l.widen == w.Widen {
				list = append(list, kernel{l.name, l.bind})
			}
		}
	}
	if len(list) > 0 && w.Widen != "" {
		return list
	}
	return append(list, kernel{"go", bindGo})
}

// part returns the share of worker i. Shares begin at cache lines.
func (w Work) part(i, workers int) Work {
	if workers == 1 {
		return w
	}
	w.Dst = part(w.Dst, i, workers)
	if w.Runs == nil {
		w.Src = part(w.Src, i, workers)
		return w
	}
	runs := cut(w.Runs, maxCall/lineSize)
	total, seen := linesOf(runs), 0
	w.Runs = []Run{}
	for _, r := range runs {
		if seen*workers/total == i {
			w.Runs = append(w.Runs, r)
		}
		seen += r.Lines
	}
	return w
}

// part returns the share of b of worker i: parts begin at cache lines.
func part(b []byte, i, workers int) []byte {
	lines := (len(b) + lineSize - 1) / lineSize
	from := min(lines*i/workers*lineSize, len(b))
	to := min(lines*(i+1)/workers*lineSize, len(b))
	return b[from:to]
}

// cut cuts runs that are longer than most lines.
func cut(runs []Run, most int) []Run {
	if !slices.ContainsFunc(runs, func(r Run) bool { return r.Lines > most }) {
		return runs
	}
	var all []Run
	for _, r := range runs {
		for ; r.Lines > most; r.First, r.Lines = r.First+most, r.Lines-most {
			all = append(all, Run{r.First, most})
		}
		all = append(all, r)
	}
	return all
}
