package reducesum

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/reducesum/reducesum/kernels"
)

// splitCases are shapes that workers share in different ways.
func splitCases(typ kernels.Type) []shapeCase {
	n := 2 * parallelBytes / typ.Size() // from parallelBytes on, tensors are split
	block := typ.Block()
	return []shapeCase{
		{"one long sum", []int{n + 1}, []int{0}},
		{"one long sum of whole blocks", []int{n}, []int{0}},
		{"just too small", []int{n/2 - 1}, []int{0}},
		{"just large enough", []int{n / 2}, []int{0}},
		{"few long rows", []int{3, n / 2}, []int{1}},
		{"many rows", []int{n / 100, 101}, []int{1}},
		{"many pairs", []int{n / 2, 2}, []int{1}},
		{"wide columns", []int{5, n / 5}, []int{0}},
		{"narrow columns", []int{n / 3, 3}, []int{0}},
		{"columns of a block", []int{block, n / block}, []int{0}},
		{"columns of some blocks", []int{n / 100, 99}, []int{0}},
		{"few outer items", []int{3, n / 60, 20}, []int{1}},
		{"outer items, no whole block", []int{2, block - 1, n / block / 2}, []int{1}},
		{"two groups, few results", []int{n / 64, 4, 16}, []int{0, 2}},
		{"two groups, one row of results", []int{40, 30, n / 1200}, []int{0, 2}},
		{"two groups, many results", []int{4, n / 16, 4}, []int{0, 2}},
		{"two groups, kept on both sides", []int{3, 50, 4, n / 1800, 3}, []int{1, 3}},
		{"two groups, too many partial sums", []int{n / 4, 2, 2}, []int{0, 2}},
		{"three groups", []int{20, 3, 50, 2, n / 6000}, []int{0, 2, 4}},
		{"no axes", []int{n}, nil},
	}
}

// TestWorkers checks that 1 to 16 workers give the same bits.
func TestWorkers(t *testing.T) {
	var options [][]Option
	for n := range 17 {
		options = append(options, []Option{WithWorkers(n)}) // 0 is GOMAXPROCS
	}
	if testing.Short() {
		options = [][]Option{options[2], options[3], options[16]}
	}
	eachLarge(t, func(t *testing.T, e element) {
		r := newRand(t)
		for _, s := range splitCases(e.Type()) {
			t.Run(s.name, func(t *testing.T) {
				c := reduction{shape: s.shape, axes: s.axes, noop: true}
				c.check(t, e, newRandom(r, e.Type(), refProduct(s.shape)), options...)
			})
		}
	})
}

// The pools that engines might have. All count what they are asked to do.
type backwards struct{ workers, tasks int }

func (p *backwards) Workers() int { return p.workers }

func (p *backwards) Do(n int, task func(i int)) {
	p.tasks += n
	for i := n - 1; i >= 0; i-- {
		task(i)
	}
}

// allAtOnce starts a goroutine per task.
type allAtOnce struct{ workers, tasks int }

func (p *allAtOnce) Workers() int { return p.workers }

func (p *allAtOnce) Do(n int, task func(i int)) {
	p.tasks += n
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { task(i) })
	}
	wg.Wait()
}

// evenThenOdd is a fixed set of workers that take their tasks from a channel.
type evenThenOdd struct{ workers, tasks int }

func (p *evenThenOdd) Workers() int { return p.workers }

func (p *evenThenOdd) Do(n int, task func(i int)) {
	p.tasks += n
	order := make(chan int, n)
	for i := 0; i < n; i += 2 {
		order <- i
	}
	for i := 1; i < n; i += 2 {
		order <- i
	}
	close(order)
	var wg sync.WaitGroup
	for range p.workers {
		wg.Go(func() {
			for i := range order {
				task(i)
			}
		})
	}
	wg.Wait()
}

// TestPools sums on pools that run their tasks in different orders.
func TestPools(t *testing.T) {
	eachLarge(t, func(t *testing.T, e element) {
		r := newRand(t)
		for _, s := range splitCases(e.Type()) {
			t.Run(s.name, func(t *testing.T) {
				c := reduction{shape: s.shape, axes: s.axes}
				pools := []Pool{&backwards{workers: 3}, &allAtOnce{workers: 2 + r.IntN(15)}, &evenThenOdd{workers: 2}}
				if testing.Short() {
					pools = pools[:2]
				}
				var options [][]Option
				for _, p := range pools {
					options = append(options, []Option{WithPool(p)})
				}
				c.check(t, e, newRandom(r, e.Type(), refProduct(s.shape)), options...)
			})
		}
	})
}

// TestPoolIsUsed checks when a plan's tasks go to the pool: when there is enough
// to do for more than one worker.
func TestPoolIsUsed(t *testing.T) {
	for _, c := range []struct {
		n, workers int
		opts       []Option
		used       bool
	}{
		{n: 1 << 20, workers: 4, used: true},
		{n: 1 << 20, workers: 4, opts: []Option{WithStrides([]int{0})}, used: true}, // one result of a view
		{n: 1 << 10, workers: 4},
		{n: 1 << 20, workers: 1},
		{n: 1 << 20, workers: 4, opts: []Option{WithWorkers(4)}}, // the last option wins
	} {
		pool := &backwards{workers: c.workers}
		opts := append([]Option{WithPool(pool)}, c.opts...)
		if _, _, err := ReduceSum(make([]float32, c.n), []int{c.n}, Op{}, opts...); err != nil {
			t.Fatal(err)
		}
		if used := pool.tasks > 0; used != c.used {
			t.Errorf("%d elements, %d workers, %d more options: the pool was used: %t", c.n, c.workers, len(c.opts), used)
		}
	}
}

// TestTooManyPartialSums sums views whose outer group has more rows than there
// may be partial sums.
func TestTooManyPartialSums(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	e := elementTypes[1]
	for _, strides := range [][]int{{0, 0, 1}, {0, 0, 3}, {0, 6, 3}} { // a nest, and no nests
		c := reduction{shape: []int{partialBytes/8/4 + 1, 4, 2}, strides: strides, axes: []int{0, 2}}
		c.check(t, e, newRandom(newRand(t), e.Type(), c.reach()), []Option{WithWorkers(16)})
	}
}

// TestMoreWorkersThanAnything checks numbers of workers that overflow when they
// are multiplied.
func TestMoreWorkersThanAnything(t *testing.T) {
	r := newRand(t)
	e := elementTypes[0]
	for _, c := range []reduction{
		{shape: []int{300000}, axes: []int{0}},
		{shape: []int{500, 600}, axes: []int{0}},
		{shape: []int{500, 600}, strides: []int{1, 500}, axes: []int{1}},
		{shape: []int{50, 60, 200}, strides: []int{1, 50, 3000}, axes: []int{1}},
	} {
		var options [][]Option
		for _, n := range []int{maxInt, maxInt/2 + 1, maxInt/4 + 1, 1 << 20} {
			options = append(options, []Option{WithWorkers(n)}, []Option{WithPool(&backwards{workers: n})})
		}
		c.check(t, e, newRandom(r, e.Type(), c.reach()), options...)
	}
}

// TestConcurrentRuns runs one plan on more goroutines than there are slots of
// scratch memory.
func TestConcurrentRuns(t *testing.T) {
	r := newRand(t)
	e := element(typed[float32, float32]{"float32", itself[float32], itself[float32]})
	for _, c := range []reduction{
		{shape: []int{3, 70, 5, 40}, axes: []int{1, 3}},
		{shape: []int{150000}, axes: []int{0}},
		{shape: []int{150, 900}, strides: []int{1, 150}, axes: []int{0}},
		{shape: []int{5, 64, 7, 8, 3}, strides: []int{2, 4480, 10, 70, 1}, axes: []int{0, 2, 4}},
	} {
		src := newRandom(r, e.Type(), c.reach())
		want := e.Want(src, c.shape, c.strides, c.reduced())
		for _, workers := range []int{1, 4} {
			opts := []Option{WithWorkers(workers)}
			if c.strides != nil {
				opts = append(opts, WithStrides(c.strides))
			}
			p, err := NewPlan(c.shape, c.op(), opts...)
			if err != nil {
				t.Fatal(err)
			}
			if err := runTogether(e, p, src, want, 3*freeSlots, long(20, 2)); err != nil {
				t.Errorf("%v, %d workers: %v", c, workers, err)
			}
		}
	}
}

func runTogether(e element, p *Plan, src, want buffer, goroutines, times int) error {
	var wg sync.WaitGroup
	var failed atomic.Value
	start := make(chan struct{})
	for range goroutines {
		wg.Go(func() {
			dst := newBuffer(src.typ, p.Len(), 0)
			<-start
			for range times {
				if err := e.Run(p, dst, src); err != nil {
					failed.Store(err)
				}
				if err := dst.same(want); err != nil {
					failed.Store(fmt.Errorf("wrong value: %w", err))
				}
			}
		})
	}
	close(start)
	wg.Wait()
	err, _ := failed.Load().(error)
	return err
}

// lyingPools are pools that do not keep their word, and how often they run a
// task of n.
var lyingPools = []struct {
	name string
	runs func(n int) []int // the tasks, in order
}{
	{"nothing", func(n int) []int { return nil }},
	{"all but the last", func(n int) []int { return upTo(n - 1) }},
	{"all but the first", func(n int) []int { return upTo(n)[1:] }},
	{"one too many", func(n int) []int { return upTo(n + 1) }},
	{"a negative one", func(n int) []int { return append([]int{-1}, upTo(n)...) }},
	{"one far away", func(n int) []int { return append(upTo(n), math.MaxInt) }},
	{"the first one for the last", func(n int) []int { return append(upTo(n-1), 0) }},
}

// lyingPool runs the tasks that it is told to.
type lyingPool struct{ runs func(n int) []int }

func (p lyingPool) Workers() int { return 4 }

func (p lyingPool) Do(n int, task func(i int)) {
	for _, i := range p.runs(n) {
		task(i)
	}
}

// TestLyingPools checks that a pool that runs other tasks than it is asked to is
// an error, and that one that runs some twice does no harm.
func TestLyingPools(t *testing.T) {
	r := newRand(t)
	eachLarge(t, func(t *testing.T, e element) {
		for _, s := range splitCases(e.Type()) {
			src := newRandom(r, e.Type(), refProduct(s.shape))
			for _, b := range lyingPools {
				p, err := NewPlan(s.shape, over(s.axes...), WithPool(lyingPool{b.runs}))
				if err != nil {
					t.Fatal(err)
				}
				if len(p.nests[0].groups) == 0 || p.distinct < parallelBytes/e.Type().Size() {
					continue
				}
				if err := e.Run(p, newBuffer(e.Type(), p.Len(), 0), src); !errors.Is(err, ErrPool) {
					t.Errorf("%s, a pool that runs %s: %v, want %v", s.name, b.name, err, ErrPool)
				}
			}
			twice := lyingPool{func(n int) []int { return append(upTo(n), upTo(n)...) }}
			reduction{shape: s.shape, axes: s.axes, noop: true}.check(t, e, src, []Option{WithPool(twice)})
		}
	})
}
