package reducesum

// Work is split where that does not change a bit: along kept axes, whose
// results have nothing to do with each other; or, where there are few results,
// into the sums that the order of the additions asks for anyway: those of
// blocks, or of the rows of an outer group, which are then summed in turn.

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

const (
	// taskBytes is the least part of a tensor that is worth a task.
	taskBytes = 128 << 10
	// tasksPerWorker evens out workers that are slower than others.
	tasksPerWorker = 4
	// spins is how often a worker that is out of work looks for the others to
	// end, some ten microseconds, before it sleeps: to be woken takes as long.
	spins = 200
	// partialBytes is how much memory partial sums may take.
	partialBytes = 16 << 20
	// minShare is the least number of columns that a task is worth.
	minShare = 128
)

// parallelBytes is the size of a tensor below which starting goroutines costs
// more than it saves: one core sums it in the time that another one takes to
// wake up for it, some sixty microseconds and more. Tests lower it.
var parallelBytes = 6 << 20

// A job sums nests of elements of type t to results of type to, accumulators or
// what these are rounded to, on several workers.
type job struct {
	isa     kernels.ISA
	t, to   kernels.Type
	workers int
	pool    Pool
}

// run sums a nest with all workers.
func (j *job) run(n *nest, dst, src unsafe.Pointer) error {
	top := len(n.groups) - 1
	bytes := indexes(n.kept) * j.t.Size()
	for i := range n.groups {
		bytes *= n.groups[i].n
	}
	if bytes < parallelBytes {
		s := takeScratch()
		e := newEngine(j.isa, j.t, n.groups, s)
		e.sum(top, n.kept, j.to, dst, src)
		giveScratch(s)
		return nil
	}
	tasks := taskCount(j.workers, bytes/taskBytes)
	c := share(n.kept, tasks)
	if c.count < j.workers || j.blocksBeatColumns(n, &c) {
		if done, err := j.splitReduction(n, tasks, dst, src); done {
			return err
		}
	}
	return j.do(c.count, func(i int, s *scratch) {
		e := newEngine(j.isa, j.t, n.groups, s)
		p := c.tile(i, e.take(len(c.box)))
		e.sum(top, p.axes, j.to, unsafe.Add(dst, p.out*j.to.Size()), unsafe.Add(src, p.read*j.t.Size()))
	})
}

// share cuts a box for a number of tasks: the axis that is nearest in memory only
// if no other one has indexes enough, and not into narrow columns.
func share(box []axis, tasks int) cuts {
	c := cuts{box: box, sizes: make([]axis, len(box)), count: 1}
	for i := len(box) - 1; i >= 0; i-- {
		a := box[i]
		least := 1
		if i == 0 && a.stride == 1 {
			least = minShare
		}
		parts := min((tasks+c.count-1)/c.count, max(1, a.size/least))
		most := (a.size + parts - 1) / parts
		if i == 0 && parts > 1 && most > 64 {
			most = (most + 63) &^ 63
		}
		c.sizes[i].size = most
		c.count *= (a.size + most - 1) / most
	}
	return c
}

// blocksBeatColumns reports whether cuts cut rows, which makes memory be read in
// pieces, where there are blocks enough of whole rows for all workers.
func (j *job) blocksBeatColumns(n *nest, c *cuts) bool {
	if len(n.groups) > 1 || len(n.kept) == 0 || c.sizes[0].size == n.kept[0].size || n.groups[0].step() < n.kept[0].stride {
		return false
	}
	return n.groups[0].n/j.t.Block()*indexes(n.kept[1:]) >= j.workers
}

// taskCount returns how many tasks to make for some workers, and most at most.
func taskCount(workers, most int) int {
	return min(min(workers, most)*tasksPerWorker, most)
}

// splitReduction splits the outermost group, if it can: into the sums of what is
// inside of it, or of its blocks, which are then summed in turn.
func (j *job) splitReduction(n *nest, tasks int, dst, src unsafe.Pointer) (done bool, err error) {
	top := len(n.groups) - 1
	q := n.groups[top]
	partial, final := *j, *j
	partial.to, final.t = j.t.Acc(), j.t.Acc()
	outside := nest{groups: []sequence{q}}
	var sums unsafe.Pointer
	switch k := len(n.kept); {
	case top > 0:
		all := append(append([]axis{}, n.kept...), q.axes...)
		box, moved := together(all, nil, nil)
		if sums = newAccumulators(j.t, indexes(box)); sums == nil {
			return false, nil
		}
		outside.kept = joinAxes(moved[:k])
		outside.groups[0] = sequence{moved[k:], q.n}.joined()
		err = partial.run(&nest{groups: n.groups[:top], kept: box}, sums, src)
	case q.n > j.t.Block():
		blocks, results := (q.n-1)/j.t.Block()+1, indexes(n.kept)
		if sums = newAccumulators(j.t, blocks, results); sums == nil {
			return false, nil
		}
		at := 1
		for _, a := range n.kept {
			outside.kept = append(outside.kept, axis{a.size, at, a.out})
			at *= a.size
		}
		outside.groups[0] = sequence{[]axis{{blocks, results, 1}}, blocks}
		err = partial.sumEachBlock(n, tasks, sums, src)
	default:
		return false, nil
	}
	if err != nil {
		return true, err
	}
	return true, final.run(&outside, dst, sums)
}

// sumEachBlock sums each block of the one group of a nest, to rows of results.
func (j *job) sumEachBlock(n *nest, tasks int, dst, src unsafe.Pointer) error {
	q, acc, block := &n.groups[0], j.t.Acc().Size(), j.t.Block()
	results := indexes(n.kept)
	blocks := (q.n-1)/block + 1
	per := (blocks + tasks - 1) / tasks
	return j.do((blocks+per-1)/per, func(i int, s *scratch) {
		from := i * per * block
		e := newEngine(j.isa, j.t, n.groups, s)
		e.sumBlocks(compacted(n.kept, nil), from, min(per*block, q.n-from), results, unsafe.Add(dst, i*per*results*acc), src)
	})
}

// sumBlocks sums each block of n elements of the one group, from element i on, for
// each result of a box; the sums of a block lie row results from those of the next.
func (e *engine) sumBlocks(box []axis, i, n, row int, dst, src unsafe.Pointer) {
	acc, block := e.t.Acc().Size(), e.t.Block()
	c := e.cut(0, box, true)
	for k := range c.count {
		used := e.used
		p := c.tile(k, e.take(len(box)))
		s := summation{engine: e, n: p.n, rows: c.rows, direct: c.direct, src: unsafe.Add(src, p.read*e.t.Size())}
		s.axes = compacted(p.axes, e.take(len(p.axes)))
		to := unsafe.Add(dst, p.out*acc)
		if p.compact {
			s.sumBlocks(i, n, row, to)
			e.used = used
			continue
		}
		most := max(1, e.room(0)/p.n) * block
		sums, _ := e.memory(0).take(most / block * p.n * acc)
		for at := 0; at < n; at += most {
			m := min(most, n-at)
			s.sumBlocks(i+at, m, p.n, sums)
			axes := append(e.take(len(p.axes)+1), p.axes...)
			for l, near := 0, 1; l < len(axes); l++ {
				axes[l].stride = near
				near *= axes[l].size
			}
			packBox(e.isa, e.t.Acc(), unsafe.Add(to, at/block*row*acc), sums, append(axes, axis{(m-1)/block + 1, p.n, row}))
		}
		e.used = used
	}
}

// do runs n tasks on the workers, each with scratch memory.
func (j *job) do(n int, task func(i int, s *scratch)) error {
	if j.pool != nil {
		return j.doInPool(n, task)
	}
	// A goroutine takes tens of microseconds to start on a sleeping core. The sum
	// is over when all tasks are, and does not wait for those that come too late.
	var next, done atomic.Int64
	finished := make(chan struct{})
	work := func() {
		i := int(next.Add(1)) - 1
		if i >= n {
			return
		}
		s, ran := takeScratch(), int64(0)
		for ; i < n; i = int(next.Add(1)) - 1 {
			task(i, s)
			ran++
		}
		giveScratch(s)
		if done.Add(ran) == int64(n) {
			close(finished)
		}
	}
	for range min(j.workers, n) - 1 {
		go work()
	}
	work()
	for spin := 0; spin < spins && done.Load() < int64(n); spin++ {
		runtime.Gosched()
	}
	<-finished
	return nil
}

// doInPool runs n tasks in an engine's pool, and checks that the pool keeps its
// word: a task that was left out, or that does not exist, is an error, and one
// that comes again, or too late, does nothing.
func (j *job) doInPool(n int, task func(i int, s *scratch)) error {
	var done, wrong atomic.Int64
	var over atomic.Bool
	taken := make([]atomic.Bool, n)
	j.pool.Do(n, func(i int) {
		if i < 0 || i >= n {
			wrong.CompareAndSwap(0, int64(i)^1<<62) // never 0
			return
		}
		if over.Load() || taken[i].Swap(true) {
			return
		}
		s := takeScratch()
		task(i, s)
		giveScratch(s)
		done.Add(1)
	})
	over.Store(true)
	if w := wrong.Load(); w != 0 {
		return fmt.Errorf("%w: it ran task %d of %d", ErrPool, w^1<<62, n)
	}
	if d := done.Load(); d != int64(n) {
		return fmt.Errorf("%w: it ran %d of %d tasks", ErrPool, d, n)
	}
	return nil
}

// newAccumulators allocates accumulators for the given dimensions, or returns
// nil if these would take more memory than partial sums may.
func newAccumulators(t kernels.Type, dims ...int) unsafe.Pointer {
	n, ok := product(dims...)
	if !ok || n > partialBytes/t.Acc().Size() {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, (n*t.Acc().Size()+7)/8)))
}
