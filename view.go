package reducesum

// A view that is no nest is summed in pieces: boxes of results whose elements
// are near to each other in memory, whatever the results' order in dst, into
// which the sums of a piece are copied at the end. The axes that are nearest are
// in a piece, the others are looped over. Pieces are also what workers share; if
// there are few, each of the blocks of the reduced axes, or each index of an
// outer group of these, has a sum of its own, and these are summed in turn.

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

const (
	// pieceResults is the most results of a piece, so that their sums stay in the
	// second-level cache.
	pieceResults = 8 << 10
	// minColumns is the least number of columns that a worker's piece is worth:
	// some cache lines of each row.
	minColumns = 128
)

// groupsOf separates reduced from kept axes: groups of neighbours, the innermost
// first, and the box of the results.
func groupsOf(dims []dim) (groups []sequence, box []axis) {
	results := 1
	for to := len(dims); to > 0; {
		from := to - 1
		if d := dims[from]; !d.reduced {
			box = append(box, axis{d.size, d.stride, results})
			results *= d.size
			to = from
			continue
		}
		for from > 0 && dims[from-1].reduced {
			from--
		}
		groups = append(groups, sequenceOf(dims[from:to]))
		to = from
	}
	inMemoryOrder(box)
	return groups, box
}

// A viewer sums parts of a view on one goroutine.
type viewer struct {
	isa     kernels.ISA
	t       kernels.Type
	groups  []sequence // innermost first
	scratch *scratch
	axes    []axis // scratch memory for boxes
}

// newViewer returns a viewer that uses some scratch memory.
func newViewer(isa kernels.ISA, t kernels.Type, groups []sequence, s *scratch) viewer {
	return viewer{isa, t, groups, s, s.axes[:]}
}

// takeAxes returns room for n axes. The caller gives it back by setting v.axes
// to what it was. There is always enough, unless there are more elements than
// could be summed in a day; then the heap serves.
func (v *viewer) takeAxes(n int) []axis {
	if n > len(v.axes) {
		return make([]axis, 0, n)
	}
	box := v.axes[:0:n]
	v.axes = v.axes[n:]
	return box
}

// pieces are the parts of a box.
type pieces struct {
	box    []axis       // in memory order
	sizes  [maxAxes]int // indexes of each axis that a piece has; the last one may have less
	count  int
	direct bool // kernels can read the innermost axis of the group where it lies
	rows   bool // elements to be packed become rows, rather than columns
}

// cut cuts a box into pieces of at most limit results, for each of which group g
// is to be summed.
func (v *viewer) cut(g int, box []axis, limit int) pieces {
	q, block := &v.groups[g], v.t.Block()
	c := pieces{box: box, count: 1}
	c.direct = g == 0 && q.direct(box)
	c.rows = g == 0 && q.inRows(box)
	limit = min(limit, pieceResults, v.room())
	nearest := limit // of the first axis, if no other one is cut
	switch {
	case c.direct && len(q.axes) == 1:
	case c.rows && q.n > block:
		limit = 1
	case c.rows:
		limit = min(limit, v.atOnce(g, q.n))
	default:
		nearest = min(limit, v.most(g, min(q.n, kernels.Rows)))
		limit = min(limit, v.most(g, min(q.n, block)))
	}
	if q.inRows(box) {
		nearest = limit
	}
	for i, a := range box {
		if a.stride == 0 { // the same results again
			c.sizes[i] = a.size
			continue
		}
		size := limit
		if i == 0 {
			size = nearest
		}
		size = max(1, min(size, a.size))
		cuts := (a.size + size - 1) / size
		if even := (a.size + cuts - 1) / cuts; size > 64 {
			size = min(size, (even+63)&^63)
		}
		limit /= size
		c.sizes[i] = size
		c.count *= (a.size + size - 1) / size
	}
	return c
}

// A piece is a part of a box.
type piece struct {
	axes []axis // those that do not repeat results; out as their sums lie, one after the other
	n    int    // results
	to   []axis // all axes, from the sums to where the box goes
	read int    // elements from the beginning of the box
	out  int    // results from there

	direct, rows bool
}

// piece returns piece i, with its axes appended to those given.
func (c *pieces) piece(i int, axes, to []axis) piece {
	p := piece{n: 1, direct: c.direct, rows: c.rows}
	for k, a := range c.box {
		if a.stride == 0 {
			to = append(to, axis{a.size, 0, a.out})
			continue
		}
		cuts := (a.size + c.sizes[k] - 1) / c.sizes[k]
		from := i % cuts * c.sizes[k]
		i /= cuts
		size := min(c.sizes[k], a.size-from)
		p.read += from * a.stride
		p.out += from * a.out
		axes = append(axes, axis{size, a.stride, p.n})
		to = append(to, axis{size, p.n, a.out})
		p.n *= size
	}
	p.axes, p.to = joinAxes(axes), to
	return p
}

// sum sums groups g to 0 for each result of a box, and writes what it gets as
// type to.
func (v *viewer) sum(g int, box []axis, to kernels.Type, dst, src unsafe.Pointer) {
	c := v.cut(g, box, pieceResults)
	for i := range c.count {
		v.sumPiece(g, &c, i, to, dst, src)
	}
}

// sumPiece sums groups g to 0 for piece i.
func (v *viewer) sumPiece(g int, c *pieces, i int, to kernels.Type, dst, src unsafe.Pointer) {
	free := v.axes
	p := c.piece(i, v.takeAxes(len(c.box)), v.takeAxes(len(c.box)))
	sums, mem := v.memory(g).take(p.n * v.t.Acc().Size())
	v.sumSequence(g, &p, 0, v.groups[g].n, sums, unsafe.Add(src, p.read*v.t.Size()), mem)
	if to != v.t.Acc() {
		rounded := unsafe.Pointer(&v.scratch.output)
		roundTo(v.isa, to, rounded, sums, p.n)
		sums = rounded
	}
	copyBox(to.Size(), unsafe.Add(dst, p.out*to.Size()), sums, p.to)
	v.axes = free
}

// runView sums a view.
func (p *Plan) runView(t kernels.Type, dst, src unsafe.Pointer) {
	if p.workers > 1 {
		j := job{isa: p.isa, t: t, to: t, workers: p.workers, pool: p.pool}
		j.runView(p.groups, p.box, dst, src)
		return
	}
	sumView(p.isa, t, t, p.groups, p.box, dst, src)
}

// sumView sums a box on this goroutine.
func sumView(isa kernels.ISA, t, to kernels.Type, groups []sequence, box []axis, dst, src unsafe.Pointer) {
	if len(groups) == 0 {
		var axes [maxAxes]axis
		copyBox(t.Size(), dst, src, append(axes[:0], box...))
		return
	}
	s := takeScratch()
	v := newViewer(isa, t, groups, s)
	v.sum(len(groups)-1, box, to, dst, src)
	giveScratch(s)
}

// runView sums a box with all workers.
func (j *job) runView(groups []sequence, box []axis, dst, src unsafe.Pointer) {
	top, results := len(groups)-1, distinct(box)
	bytes := results * j.t.Size()
	for _, q := range groups {
		bytes *= q.n
	}
	if top < 0 || bytes < parallelBytes {
		sumView(j.isa, j.t, j.to, groups, box, dst, src)
		return
	}
	tasks := taskCount(j.workers, bytes/taskBytes)
	limit := (results + tasks - 1) / tasks
	if !groups[0].inRows(box) {
		limit = max(limit, minColumns)
	}
	v := viewer{isa: j.isa, t: j.t, groups: groups}
	c := v.cut(top, box, limit)
	if c.count < j.workers && j.splitView(groups, &c, tasks, dst, src) {
		return
	}
	per := (c.count + tasks - 1) / tasks
	j.do((c.count+per-1)/per, func(task int, s *scratch) {
		v := newViewer(j.isa, j.t, groups, s)
		for i := task * per; i < min(c.count, (task+1)*per); i++ {
			v.sumPiece(top, &c, i, j.to, dst, src)
		}
	})
}

// splitView splits the outermost group into sums of their own, if it can.
func (j *job) splitView(groups []sequence, c *pieces, tasks int, dst, src unsafe.Pointer) bool {
	top, results := len(groups)-1, resultsOf(c.box)
	q := &groups[top]
	parts := q.n
	if top == 0 {
		parts = (q.n + j.t.Block() - 1) / j.t.Block()
	}
	if parts == 1 {
		return false
	}
	sums := newAccumulators(j.t, parts, results)
	if sums == nil {
		return false
	}
	if top == 0 {
		j.sumBlocksOfView(q, c, tasks, sums, src)
	} else {
		box := append([]axis{}, c.box...)
		for _, a := range q.axes {
			box = append(box, axis{a.size, a.stride, a.out * results})
		}
		inMemoryOrder(box)
		inside := *j
		inside.to = j.t.Acc()
		inside.runView(groups[:top], box, sums, src)
	}
	final := *j
	final.t = j.t.Acc()
	final.run(&nest{outer: 1, groups: []group{{parts, results, results, 1}}}, dst, sums)
	return true
}

// sumBlocksOfView sums each block of the one group of a view, to rows of results.
func (j *job) sumBlocksOfView(q *sequence, c *pieces, tasks int, dst, src unsafe.Pointer) {
	acc, block, n := j.t.Acc().Size(), j.t.Block(), q.n
	results, blocks := resultsOf(c.box), (n+block-1)/block
	per := (c.count*blocks + tasks - 1) / tasks
	cuts := (blocks + per - 1) / per
	j.do(c.count*cuts, func(i int, s *scratch) {
		v := newViewer(j.isa, j.t, []sequence{*q}, s)
		p := c.piece(i/cuts, nil, nil)
		from, to := i%cuts*per, min(blocks, i%cuts*per+per)
		most := max(1, v.room()/p.n-j.t.Lanes())
		for b := from; b < to; b += most {
			k := min(most, to-b)
			sums, mem := v.memory(0).take(k * p.n * acc)
			v.sumBlocks(0, &p, b*block, min(k*block, n-b*block), sums, unsafe.Add(src, p.read*j.t.Size()), mem)
			out := unsafe.Add(dst, (b*results+p.out)*acc)
			copyBox(acc, out, sums, append(append([]axis{}, p.to...), axis{k, p.n, results}))
		}
	})
}
