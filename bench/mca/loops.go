package main

import "fmt"

// A loop is the code between a label and the jump back to it, without the loops
// inside it.
type loop struct {
	name  string // the kernel's, with a number
	code  []instruction
	loads []load
	bytes int // of data that one turn loads
}

// A load is a read of data into a vector register.
type load struct {
	bytes int
	// text is an instruction that loads as much, and does nothing else. There may
	// be two ways; the faster one counts.
	text []string
}

// findLoops returns the loops of a function that load at least min bytes. A loop
// inside another belongs to itself only: it may well run no time at all, as that
// over the partial sums on the left of a tile of columns.
func findLoops(f function, loads func(instruction) load, min int) []loop {
	index := map[uint64]int{}
	for i, in := range f.code {
		index[in.addr] = i
	}
	type span struct{ from, to int }
	var spans []span
	for to, in := range f.code {
		if from, ok := index[in.target]; ok && in.target != 0 && from <= to {
			spans = append(spans, span{from, to})
		}
	}
	var loops []loop
	for _, s := range spans {
		var l loop
		for i := s.from; i <= s.to; i++ {
			inner := false
			for _, o := range spans {
				inner = inner || o != s && s.from <= o.from && o.to <= s.to && o.from <= i && i <= o.to
			}
			if !inner {
				l.add(f.code[i], loads)
			}
		}
		if l.bytes >= min {
			l.name = fmt.Sprintf("%s at %#x", f.name, f.code[s.from].addr-f.code[0].addr)
			loops = append(loops, l)
		}
	}
	return loops
}

func (l *loop) add(in instruction, loads func(instruction) load) {
	l.code = append(l.code, in)
	if read := loads(in); read.bytes > 0 {
		l.loads = append(l.loads, read)
		l.bytes += read.bytes
	}
}
