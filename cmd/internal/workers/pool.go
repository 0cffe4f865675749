// Package workers runs the tasks of a sum on several goroutines which survive that
// the memory they read goes away: a file that is mapped may be cut off.
package workers

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A Pool implements reducesum.Pool. Done, if set, is told after each task of the
// first Do, which is by far the longest one, how many of its tasks are done.
type Pool struct {
	N    int // goroutines
	Done func(done, n int)

	begun atomic.Bool
}

// Workers returns the number of goroutines; more of them if someone watches, so
// that there are more tasks to be watched.
func (p *Pool) Workers() int {
	const watched = 64
	if p.Done != nil {
		return max(p.N, watched)
	}
	return p.N
}

// Do runs n tasks, and returns when all have ended. If one of them panics, or
// faults, no more are begun, and Do panics with the same value on the goroutine
// of the caller, where it can be recovered.
func (p *Pool) Do(n int, task func(i int)) {
	var next, done atomic.Int64
	var wg sync.WaitGroup
	var once sync.Once
	var failure any
	report := p.Done != nil && p.begun.CompareAndSwap(false, true)
	work := func() {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if r := recover(); r != nil {
				once.Do(func() { failure = r })
				next.Store(int64(n))
			}
		}()
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			task(int(i))
			if k := done.Add(1); report {
				p.Done(int(k), n)
			}
		}
	}
	for range min(p.N, n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if failure != nil {
		panic(failure)
	}
}
