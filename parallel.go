package reducesum

// Work is split where that does not change a bit: along kept axes, whose
// results have nothing to do with each other; or, where there are few results,
// into the sums that the order of the additions asks for anyway: those of
// blocks, or of the rows of an outer group, which are then summed in turn.

import (
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
	// minTile is the least number of columns that a tile of a row is worth.
	minTile = 512
)

// parallelBytes is the size of a tensor below which starting goroutines costs
// more than it saves: one core sums it in the time that another one takes to
// wake up for it, some sixty microseconds and more. Tests lower it.
var parallelBytes = 6 << 20

// run sums a nest with all workers.
func (j *job) run(n *nest, dst, src unsafe.Pointer) {
	bytes := n.elements() * j.t.Size()
	if j.workers <= 1 || bytes < parallelBytes {
		j.serial(n, dst, src)
		return
	}
	tasks := taskCount(j.workers, bytes/taskBytes)
	limit := (n.results() + tasks - 1) / tasks
	t := j.tile(n, limit)
	if t.dim < len(n.groups) && limit < minTile { // a part of a row
		t = j.tile(n, minTile)
	}
	if (t.count < j.workers || j.blocksBeatColumns(n, &t)) && j.splitReduction(n, tasks, dst, src) {
		return
	}
	j.do(t.count, func(i int, s *scratch) { j.sumTile(&t, i, dst, src, s) })
}

// blocksBeatColumns reports whether a tiling cuts rows, which makes memory be
// read in pieces, where there are blocks enough of whole rows for all workers.
func (j *job) blocksBeatColumns(n *nest, t *tiling) bool {
	if len(n.groups) > 1 || t.dim == len(n.groups) {
		return false
	}
	return n.groups[0].reduce/j.t.Block()*n.outer >= j.workers
}

// taskCount returns how many tasks to make for some workers, and most at most.
func taskCount(workers, most int) int {
	return min(min(workers, most)*tasksPerWorker, most)
}

// splitReduction splits the outermost reduced axis, if it can.
func (j *job) splitReduction(n *nest, tasks int, dst, src unsafe.Pointer) bool {
	top := len(n.groups) - 1
	g := n.groups[top]
	partial := *j
	partial.to = j.t.Acc()
	final := *j
	final.t = j.t.Acc()
	row := n.rowLen(top)
	block := j.t.Block()
	reduce := g.reduce
	var sums unsafe.Pointer
	switch {
	case top > 0:
		// The rows of the outermost group are results of what is inside.
		if g.reduceStride != g.keep*g.keepStride {
			return false
		}
		if n.outer > 1 && n.outerStride != reduce*g.reduceStride {
			return false
		}
		inside := nest{outer: n.outer * reduce * g.keep, outerStride: g.keepStride, groups: n.groups[:top]}
		if sums = newAccumulators(j.t, n.outer, reduce, row); sums == nil {
			return false
		}
		partial.run(&inside, sums, src)
	case reduce > block:
		reduce = (reduce + block - 1) / block
		if sums = newAccumulators(j.t, n.outer, reduce, row); sums == nil {
			return false
		}
		partial.sumEachBlock(n, tasks, sums, src)
	default:
		return false
	}
	outside := nest{outer: n.outer, outerStride: reduce * row, groups: []group{{reduce, row, row, 1}}}
	final.run(&outside, dst, sums)
	return true
}

// sumEachBlock sums each block of the one reduced axis of a nest.
func (j *job) sumEachBlock(n *nest, tasks int, dst, src unsafe.Pointer) {
	acc, size, block, g := j.t.Acc().Size(), j.t.Size(), j.t.Block(), n.groups[0]
	blocks := (g.reduce + block - 1) / block
	per := (n.outer*blocks + tasks - 1) / tasks
	cuts := (blocks + per - 1) / per
	j.do(n.outer*cuts, func(i int, s *scratch) {
		o, b := i/cuts, i%cuts*per
		p := pass{
			isa: j.isa, t: j.t, scratch: s, reduce: block, inner: g.keep,
			dst:      unsafe.Add(dst, (o*blocks+b)*g.keep*acc),
			src:      unsafe.Add(src, (o*n.outerStride+b*block*g.reduceStride)*size),
			outer:    min(per, g.reduce/block-b),
			srcOuter: block * g.reduceStride * size, srcRow: g.reduceStride * size, dstOuter: g.keep * acc,
		}
		if p.outer > 0 {
			p.run()
		}
		if rest := g.reduce % block; rest > 0 && b+per >= blocks {
			p.src = unsafe.Add(p.src, p.outer*p.srcOuter)
			p.dst = unsafe.Add(p.dst, p.outer*p.dstOuter)
			p.outer, p.reduce = 1, rest
			p.run()
		}
	})
}

// do runs n tasks on the workers, each with scratch memory.
func (j *job) do(n int, task func(i int, s *scratch)) {
	if j.pool != nil {
		j.pool.Do(n, func(i int) {
			s := takeScratch()
			task(i, s)
			giveScratch(s)
		})
		return
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
