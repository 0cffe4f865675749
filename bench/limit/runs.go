package limit

import "unsafe"

// A Run is a number of cache lines without a gap.
type Run struct{ First, Lines int }

// A runLoop is a loop over runs in a list. One that prefetches has ahead instead
// of run: the list goes on for so many bytes after its end.
type runLoop struct {
	name, widen string
	single      bool // it takes only the first line of each run
	run         func(base *byte, list *uint64, n int)
	ahead       func(base *byte, list *uint64, n, ahead int)
}

// shortRuns is the mean number of lines up to which runs may be loaded line by
// line, too: branches that depend on their lengths cost more than loads.
const shortRuns = 4

// forRuns returns the kernels for work on runs.
func (s set) forRuns(w Work) []kernel {
	var list []kernel
	short := linesOf(w.Runs) <= shortRuns*len(w.Runs)
	for _, l := range s.runs {
		switch {
		case l.widen != w.Widen || l.single && !short:
		case l.single:
			list = append(list, kernel{l.name, func(share Work) func(n int) {
				share.Runs = cut(share.Runs, 1)
				return l.bind(share, s.onlyStore())
			}})
		default:
			list = append(list, kernel{l.name, func(share Work) func(n int) { return l.bind(share, s.onlyStore()) }})
		}
	}
	if len(w.Dst) > 0 || w.Times > 1 || w.Widen != "" || distance(w.Runs) == 0 {
		return list
	}
	for _, l := range s.strides {
		list = append(list, kernel{l.name, l.bind})
	}
	return list
}

// linesOf returns the number of lines of some runs.
func linesOf(runs []Run) int {
	n := 0
	for _, r := range runs {
		n += r.Lines
	}
	return n
}

// onlyStore returns what stores a part of the result.
func (s set) onlyStore() func(to []byte) {
	if len(s.stores) == 0 {
		return storeGo
	}
	last := s.stores[len(s.stores)-1] // of the widest
	return func(to []byte) { last.both(nil, to) }
}

// runCall is a part of a list that one call takes, and the part of the result
// that is stored after it.
type runCall struct {
	list *uint64
	n    int
	to   []byte
}

// lookahead is how many lines before its turn a line is prefetched.
const lookahead = 48

// bind returns what visits the share's runs n times.
func (l runLoop) bind(w Work, store func(to []byte)) func(n int) {
	calls, lines := runCalls(w)
	if len(calls) == 0 {
		return func(n int) {
			for range n {
				store(w.Dst)
			}
		}
	}
	base := unsafe.SliceData(w.Src)
	ahead := 8 * aheadOf(len(w.Runs), lines)
	visit := func(c runCall) { l.run(base, c.list, c.n) }
	if l.ahead != nil {
		visit = func(c runCall) { l.ahead(base, c.list, c.n, ahead) }
	}
	if len(w.Dst) == 0 && w.Times <= 1 {
		return func(n int) {
			for range n {
				for _, c := range calls {
					visit(c)
				}
			}
		}
	}
	return func(n int) {
		for range n {
			for _, c := range calls {
				for range max(w.Times, 1) {
					visit(c)
				}
				if len(c.to) > 0 {
					store(c.to)
				}
			}
		}
	}
}

// aheadOf returns how many runs are about lookahead lines.
func aheadOf(runs, lines int) int { return max(1, lookahead*runs/max(lines, 1)) }

// runCalls cuts the runs of some work into calls, and its result into as many
// parts. The list goes on after its end with its last run, for loops that look ahead.
func runCalls(w Work) (calls []runCall, lines int) {
	most := maxCall / lineSize
	if len(w.Dst) > 0 || w.Times > 1 {
		most = again / lineSize
	}
	runs := cut(w.Runs, most)
	var list []uint64
	var starts []int
	inCall := most
	for i, r := range runs {
		if inCall+r.Lines > most {
			starts = append(starts, i)
			inCall = 0
		}
		inCall += r.Lines
		lines += r.Lines
		list = append(list, uint64(r.Lines)<<32|uint64(r.First))
	}
	if len(list) == 0 {
		return nil, 0
	}
	for range aheadOf(len(w.Runs), lines) {
		list = append(list, list[len(list)-1])
	}
	starts = append(starts, len(runs))
	for i, from := range starts[:len(starts)-1] {
		calls = append(calls, runCall{&list[from], starts[i+1] - from, part(w.Dst, i, len(starts)-1)})
	}
	return calls, lines
}

// A strideLoop is a loop over lines at equal distances. One that prefetches has
// ahead instead of run.
type strideLoop struct {
	name  string
	run   func(p *byte, stride, n int)
	ahead func(p *byte, stride, n, ahead int)
}

// distance returns how many lines the runs lie apart, 0 if that differs or they
// have more than one.
func distance(runs []Run) int {
	if len(runs) < 2 || linesOf(runs) > len(runs) {
		return 0
	}
	step := runs[1].First - runs[0].First
	for i := 1; i < len(runs); i++ {
		if runs[i].First-runs[i-1].First != step {
			return 0
		}
	}
	return step
}

// bind returns what loads the share's lines n times.
func (l strideLoop) bind(w Work) func(n int) {
	step := distance(w.Runs) * lineSize
	const most = maxCall / lineSize
	return func(n int) {
		for range n {
			for i := 0; i < len(w.Runs); i += most {
				p, k := &w.Src[w.Runs[i].First*lineSize], min(most, len(w.Runs)-i)
				if l.ahead != nil {
					l.ahead(p, step, k, lookahead*step)
				} else {
					l.run(p, step, k)
				}
			}
		}
	}
}
