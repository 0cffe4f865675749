package limit

import "unsafe"

// A load is a loop over memory without gaps.
type load struct {
	name, widen string
	run         func(p *byte, n int)
}

// bind returns what loads the share n times.
func (l load) bind(w Work) func(n int) {
	size, p := len(w.Src), unsafe.SliceData(w.Src)
	switch {
	case size == 0:
		return func(int) {}
	case w.Times <= 1 && size <= maxCall:
		return func(n int) {
			for range n {
				l.run(p, size)
			}
		}
	}
	most := maxCall
	if w.Times > 1 {
		most = again
	}
	return func(n int) {
		for range n {
			for rest := w.Src; len(rest) > 0; {
				k := min(len(rest), most)
				for range max(w.Times, 1) {
					l.run(unsafe.SliceData(rest), k)
				}
				rest = rest[k:]
			}
		}
	}
}

// A store is a loop that stores m bytes at q while it loads n bytes at p, 512
// after every so many times 512.
type store struct {
	name, widen string
	run         func(p *byte, n int, q *byte, m, every int)
}

// bind returns what loads and stores the share n times. Input and result are cut
// into the same number of parts.
func (s store) bind(w Work) func(n int) {
	most := maxCall
	if w.Times > 1 {
		most = again
	}
	parts := max(1, (max(len(w.Src), len(w.Dst))+most-1)/most)
	type call struct{ from, to []byte }
	calls := make([]call, parts)
	for i := range calls {
		calls[i] = call{part(w.Src, i, parts), part(w.Dst, i, parts)}
	}
	return func(n int) {
		for range n {
			for _, c := range calls {
				s.both(c.from, c.to)
				for range w.Times - 1 {
					s.both(c.from, nil)
				}
			}
		}
	}
}

func (s store) both(from, to []byte) {
	s.run(unsafe.SliceData(from), len(from), unsafe.SliceData(to), len(to), max(1, len(from)/max(len(to), 1)))
}
