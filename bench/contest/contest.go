// Package contest times functions against each other: in turns, so that what
// else happens on the machine hits all of them alike.
package contest

import (
	"math/rand/v2"
	"runtime"
	"time"
)

// A Contestant is a function to time.
type Contestant struct {
	Name string
	Run  func(n int) // does the work n times
}

// Options say how long to measure.
type Options struct {
	Time   time.Duration // for each contestant
	Rounds int           // the number of samples that Time is divided into
}

// The least number of samples of a contestant, and that of one whose single run
// takes longer than slow.
const (
	minRounds     = 6
	minRoundsSlow = 3
	slow          = 300 * time.Millisecond
)

// The shortest sample: the clock and the start of the loop must not matter.
const minSample = 20 * time.Microsecond

// An entry is a contestant and how it is sampled.
type entry struct {
	Contestant
	index   int
	times   int // runs in a sample
	rounds  int // samples to take
	samples []float64
}

// Run times every contestant. It returns their samples in nanoseconds for one
// run, in the order of the contestants. Each round visits the contestants in
// another order.
func Run(contestants []Contestant, opt Options) [][]float64 {
	entries := make([]*entry, len(contestants))
	rounds := 0
	for i, c := range contestants {
		entries[i] = calibrate(c, opt)
		entries[i].index = i
		rounds = max(rounds, entries[i].rounds)
	}
	order := rand.New(rand.NewPCG(1, 2))
	turns := append([]*entry(nil), entries...)
	for round := range rounds {
		order.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
		runtime.GC() // nobody pays for the garbage of another
		for _, e := range turns {
			if round < e.rounds {
				e.sample()
			}
		}
	}
	samples := make([][]float64, len(entries))
	for _, e := range entries {
		samples[e.index] = e.samples
	}
	return samples
}

// calibrate finds out how many runs make a sample.
func calibrate(c Contestant, opt Options) *entry {
	e := &entry{Contestant: c, times: 1, rounds: max(opt.Rounds, 1)}
	want := max(opt.Time/time.Duration(e.rounds), minSample)
	took := quickest(c.Run, 1)
	for took < want/4 && e.times < 1<<30 {
		e.times *= 2
		took = quickest(c.Run, e.times)
	}
	one := max(took/time.Duration(e.times), 1)
	e.times = max(int(want/one), 1)
	switch {
	case one > slow:
		e.rounds = min(minRoundsSlow, e.rounds)
	case one > want:
		e.rounds = min(max(int(opt.Time/one), minRounds), e.rounds)
	}
	return e
}

// quickest is timeOf, twice unless that takes long: an interruption must not
// make a contestant look slow.
func quickest(run func(n int), n int) time.Duration {
	took := timeOf(run, n)
	if took > 200*time.Millisecond {
		return took
	}
	return min(took, timeOf(run, n))
}

func (e *entry) sample() {
	took := timeOf(e.Run, e.times)
	e.samples = append(e.samples, float64(took)/float64(e.times))
}

func timeOf(run func(n int), n int) time.Duration {
	start := time.Now()
	run(n)
	return time.Since(start)
}
