// Package limit measures how fast memory can be read: loops that load every
// byte once, in memory order, and do nothing with it. No sum over the same bytes
// can be faster than the best of them, so they are what a kernel is measured by.
//
// Which way of loading is best depends on the CPU and on the size: some CPUs
// stream better with loads half as wide as their widest, some gain from software
// prefetch. So there are several, and the limit is the best one of the same run.
package limit

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

//go:generate sh -c "cd gen && go run ."

// maxCall is the most that one call of a loop reads: assembly cannot be
// preempted, and a longer call would hold up the garbage collector.
const maxCall = 256 << 10

// A Loop is one way to load memory in order.
type Loop struct {
	// Name tells the ways apart, as load256 or load512nta.
	Name string
	load func(p *byte, n int) // loads the n bytes at p
}

// Loops returns the loops that this CPU can run. There is always one.
func Loops() []Loop { return append(assembly(), plain) }

// Passes loads all of b n times on the calling goroutine.
func (l Loop) Passes(b []byte, n int) {
	if len(b) == 0 {
		return
	}
	if len(b) <= maxCall {
		p, size := unsafe.SliceData(b), len(b)
		for range n {
			l.load(p, size)
		}
		return
	}
	for range n {
		for rest := b; len(rest) > 0; {
			k := min(len(rest), maxCall)
			l.load(unsafe.SliceData(rest), k)
			rest = rest[k:]
		}
	}
}

// PassesWith loads all of b n times, each time on workers goroutines that take
// equal parts, start together and wait for the last.
func (l Loop) PassesWith(workers int, b []byte, n int) {
	if workers <= 1 {
		l.Passes(b, n)
		return
	}
	var arrived atomic.Int64
	for w := 1; w < workers; w++ {
		go l.worker(&arrived, w, workers, b, n)
	}
	l.worker(&arrived, 0, workers, b, n)
}

// worker is one of the goroutines of PassesWith. They meet after every pass, and
// spin meanwhile: waking a goroutine would cost more than a small pass does.
func (l Loop) worker(arrived *atomic.Int64, w, workers int, b []byte, n int) {
	mine := part(b, w, workers)
	for pass := range int64(n) {
		l.Passes(mine, 1)
		arrived.Add(1)
		for spins := 0; arrived.Load() < (pass+1)*int64(workers); spins++ {
			if spins > 1000 {
				runtime.Gosched() // there may be fewer threads than workers
			}
		}
	}
}

// part returns the share of b of worker w: parts begin at cache lines.
func part(b []byte, w, workers int) []byte {
	const line = 64
	lines := (len(b) + line - 1) / line
	from := min(lines*w/workers*line, len(b))
	to := min(lines*(w+1)/workers*line, len(b))
	return b[from:to]
}
