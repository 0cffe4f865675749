package limit

import (
	"runtime"
	"sync/atomic"
)

// together returns a function that does the shares n times, each share on a
// goroutine of its own. They start together and wait for the last after every time.
func together(shares []func(n int)) func(n int) {
	if len(shares) == 1 {
		return shares[0]
	}
	return func(n int) {
		var arrived atomic.Int64
		for _, share := range shares[1:] {
			go inStep(&arrived, share, len(shares), n)
		}
		inStep(&arrived, shares[0], len(shares), n)
	}
}

// inStep is one of the goroutines of together. They spin while they wait: waking
// a goroutine would cost more than a small share does.
func inStep(arrived *atomic.Int64, share func(n int), workers, n int) {
	for time := range int64(n) {
		share(1)
		arrived.Add(1)
		for spins := 0; arrived.Load() < (time+1)*int64(workers); spins++ {
			if spins > 1000 {
				runtime.Gosched() // there may be fewer threads than workers
			}
		}
	}
}
