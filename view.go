package reducesum

// A view that is no nest is summed where it lies, a piece of its results at a
// time: those that are nearest to each other in memory, whatever their order
// in dst, into which the sums of a piece are copied at the end.
//
// Kernels want rows, or columns, of neighbours in memory. Where the view has
// them, they read it. Where it has not, because a reduced group is several axes
// that lie apart, or because nothing is contiguous, the elements are packed into
// scratch memory, a few blocks of the sequence of each result at a time.
//
// A group outside of another sums a sequence of results of the latter, for
// which it counts as kept: all elements at once, or blocks of them, or, if even
// these are too much memory, one by one in the order of the tree.

import (
	"math/bits"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

const (
	// pieceResults is the most results of a piece: the sums of several pieces fit
	// into the second-level cache.
	pieceResults = 8 << 10
	// wideEnough is a number of results that makes it worthwhile to have all
	// elements of an outer group in memory.
	wideEnough = 64
)

// A sequence is a group of reduced axes, outermost first, that are summed as
// one; out counts its elements.
type sequence struct {
	axes []axis
	n    int
	step int // the least distance in memory of two neighbours of any axis
}

// sequenceOf returns the sequence of some axes, outermost first.
func sequenceOf(dims []dim) sequence {
	q := sequence{n: 1}
	for i := len(dims) - 1; i >= 0; i-- {
		d := dims[i]
		q.axes = append([]axis{{d.size, d.stride, q.n}}, q.axes...)
		q.n *= d.size
		if d.stride > 0 && (q.step == 0 || d.stride < q.step) {
			q.step = d.stride
		}
	}
	return q
}

// inner is the innermost axis.
func (q *sequence) inner() axis { return q.axes[len(q.axes)-1] }

// offset is where element i lies.
func (q *sequence) offset(i int) int {
	off := 0
	for _, a := range q.axes {
		off += i / a.out % a.size * a.stride
	}
	return off
}

// head returns the largest box that n elements from element i on begin with: a
// number of indexes of the first of the axes returned, all of the others.
func (q *sequence) head(i, n int) (count int, axes []axis) {
	axes = q.axes
	for axes[0].out > n || i%axes[0].out != 0 {
		axes = axes[1:]
	}
	a := axes[0]
	return min(n/a.out, a.size-i/a.out%a.size), axes
}

// A viewer sums parts of a view on one goroutine.
type viewer struct {
	isa     kernels.ISA
	t       kernels.Type
	groups  []sequence // innermost first
	scratch *scratch
}

// direct reports whether kernels can read elements of the innermost axis of the
// innermost group for the results of a box: as rows, or as columns that fill
// cache lines.
func (v *viewer) direct(box []axis) bool {
	stride := v.groups[0].inner().stride
	if stride == 1 || len(box) == 0 || box[0].stride != 1 {
		return stride == 1
	}
	return stride == box[0].size || box[0].size*v.t.Size() >= cacheLine
}

// inRows reports whether the elements of a result, rather than the same
// elements of several results, are neighbours in memory.
func (v *viewer) inRows(g int, box []axis) bool {
	step := v.groups[g].step
	return len(box) == 0 || box[0].stride == 0 || step > 0 && step < box[0].stride
}

// longRuns reports whether kernels can read most blocks of group g where they lie.
func (v *viewer) longRuns(g int, p *piece) bool {
	return p.direct && v.groups[g].inner().size >= 4*v.t.Block()
}

// memory is the share of scratch memory that a group has.
func (v *viewer) memory(g int) memory {
	n := len(v.scratch.nest) / len(v.groups) &^ 63
	return memory{unsafe.Pointer(&v.scratch.nest[g*n]), n}
}

// room is how many accumulators a group has memory for, what rounding up to
// cache lines takes not counted.
func (v *viewer) room(g int) int { return (v.memory(g).n - 1024) / v.t.Acc().Size() }

// waiting is how many sums of blocks, of blocks of blocks, and so on wait while
// a sequence of n elements is summed, and those of a block's lanes.
func (v *viewer) waiting(n int) int {
	chunk, count := chunks(n, v.t.Block())
	if count == 1 {
		return v.t.Lanes()
	}
	return count + v.waiting(chunk)
}

// chunks returns into how many parts the last level of blocks divides a sequence
// of n elements, and how many elements these have.
func chunks(n, block int) (chunk, count int) {
	chunk = block
	for (n+chunk-1)/chunk > block {
		chunk *= block
	}
	return chunk, (n + chunk - 1) / chunk
}

// atOnce is how many elements of w sequences there is memory for.
func (v *viewer) atOnce(g, w int) int {
	if g == 0 {
		return len(v.scratch.pack) / v.t.Size() / w
	}
	return v.room(g)/w - 1 - v.waiting(v.groups[g].n)
}

// most is for how many results there is memory for n elements of each.
func (v *viewer) most(g, n int) int {
	if g == 0 {
		return min(v.atOnce(0, n), v.room(0)/(1+v.waiting(v.groups[0].n)))
	}
	return v.room(g) / (1 + v.waiting(v.groups[g].n) + n)
}

// pieces are the parts into which a box is cut, which have sizes[i] indexes of
// axis i, or what is left of them.
type pieces struct {
	box    []axis // in memory order
	sizes  [maxAxes]int
	count  int
	direct bool // kernels can read the innermost axis of the group where it lies
	rows   bool // elements to be packed become rows, rather than columns
}

// cut cuts a box into pieces of at most limit results.
func (v *viewer) cut(g int, box []axis, limit int) pieces {
	c := pieces{box: box, count: 1, direct: g == 0 && v.direct(box), rows: g == 0 && v.inRows(0, box)}
	n, block := v.groups[g].n, v.t.Block()
	limit = min(limit, pieceResults, v.room(g))
	wide := limit // for the first axis alone
	switch {
	case c.direct && len(v.groups[0].axes) == 1:
	case c.rows && n > block:
		limit = 1
	case c.rows:
		limit = min(limit, v.atOnce(g, n))
	default:
		wide = min(limit, v.most(g, min(n, kernels.Rows)))
		limit = min(limit, v.most(g, min(n, block)))
	}
	if v.inRows(g, box) {
		wide = limit
	}
	for i, a := range box {
		if a.stride == 0 { // the same results again
			c.sizes[i] = a.size
			continue
		}
		if i > 0 {
			wide = limit
		}
		size := max(1, min(a.size, wide))
		if size < a.size && size > 64 {
			size &^= 63
		}
		limit /= size
		c.sizes[i] = size
		c.count *= (a.size + size - 1) / size
	}
	return c
}

// A piece is a part of a box, without the axes that repeat results. Its sums
// lie one after the other, as out of its axes says.
type piece struct {
	axes []axis
	n    int    // results
	to   []axis // from there to where the box goes
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
	var axes, back [maxAxes]axis
	p := c.piece(i, axes[:0], back[:0])
	src = unsafe.Add(src, p.read*v.t.Size())
	dst = unsafe.Add(dst, p.out*to.Size())
	sums, mem := v.memory(g).take(p.n * v.t.Acc().Size())
	v.sumSequence(g, &p, 0, v.groups[g].n, sums, src, mem)
	if to != v.t.Acc() {
		rounded := unsafe.Pointer(&v.scratch.output)
		roundTo(v.isa, to, rounded, sums, p.n)
		sums = rounded
	}
	copyBox(to.Size(), dst, sums, p.to)
}

// sumSequence sums n elements of group g, from element i on, for each result of
// a piece.
func (v *viewer) sumSequence(g int, p *piece, i, n int, dst, src unsafe.Pointer, mem memory) {
	q := &v.groups[g]
	if p.direct && len(q.axes) == 1 {
		stride := q.axes[0].stride
		v.pass(v.t, p.axes, n, stride, dst, unsafe.Add(src, i*stride*v.t.Size()))
		return
	}
	if n <= v.atOnce(g, p.n) && (n <= v.t.Block() || !v.longRuns(g, p)) {
		e := v.pack(g, p, i, n, src)
		v.pass(e.t, e.axes(), n, e.stride, dst, e.p)
		return
	}
	block, acc := v.t.Block(), v.t.Acc()
	if n <= block {
		v.sumLanes(g, p, i, n, dst, src, mem)
		return
	}
	chunk, count := chunks(n, block)
	sums, mem := mem.take(count * p.n * acc.Size())
	if chunk == block {
		v.sumBlocks(g, p, i, n, sums, src, mem)
	} else {
		for k := range count {
			v.sumSequence(g, p, i+k*chunk, min(chunk, n-k*chunk), unsafe.Add(sums, k*p.n*acc.Size()), src, mem)
		}
	}
	e := packing{t: acc, p: sums, w: p.n, column: 1, stride: p.n}
	v.pass(acc, e.axes(), count, e.stride, dst, sums)
}

// sumBlocks sums each block of n elements of group g, from element i on: blocks
// that lie in one axis as they are, the others packed.
func (v *viewer) sumBlocks(g int, p *piece, i, n int, dst, src unsafe.Pointer, mem memory) {
	block, inner := v.t.Block(), v.groups[g].inner()
	row := p.n * v.t.Acc().Size()
	most := v.atOnce(g, p.n) / block * block
	if v.longRuns(g, p) {
		most = min(most, block)
	}
	for n > 0 {
		run := 0
		if p.direct {
			if run = min(n, inner.size-i%inner.size); run < n {
				run -= run % block
			}
		}
		if run > 0 {
			at := unsafe.Add(src, v.groups[g].offset(i)*v.t.Size())
			v.passBlocks(v.t, p.axes, run, inner.stride, p.n, dst, at)
		} else if most == 0 {
			run = min(n, block)
			v.sumLanes(g, p, i, run, dst, src, mem)
		} else {
			run = min(n, most)
			e := v.pack(g, p, i, run, src)
			v.passBlocks(e.t, e.axes(), run, e.stride, p.n, dst, e.p)
		}
		dst = unsafe.Add(dst, (run+block-1)/block*row)
		i, n = i+run, n-run
	}
}

// sumLanes sums a block of n elements of group g, from element i on, for each
// result of a piece: first its rows, for as many lanes as there is memory for,
// then the lanes. A few rows have the tree of a few lanes if they come in
// bit-reversed order.
func (v *viewer) sumLanes(g int, p *piece, i, n int, dst, src unsafe.Pointer, mem memory) {
	acc, all := v.t.Acc(), v.t.Lanes()
	lanes, rows := min(n, all), (n+all-1)/all
	levels := bits.Len(uint(rows - 1))
	sums, mem := mem.take(lanes * p.n * acc.Size())
	e := v.packing(g, p, v.atOnce(g, p.n))
	row := p.n * e.t.Size()
	most := v.atOnce(g, p.n) >> levels
	for lane := 0; lane < lanes; lane += most {
		k := min(most, lanes-lane)
		for r := range 1 << levels {
			to := unsafe.Add(e.p, int(bits.Reverse(uint(r))>>(bits.UintSize-levels))*k*row)
			have := max(0, min(k, n-r*all-lane))
			if have > 0 {
				v.make(g, p, i+r*all+lane, have, to, src, 1, p.n)
			}
			fillAbsent(e.t, unsafe.Add(to, have*row), (k-have)*p.n)
		}
		e.w = k * p.n
		v.pass(e.t, e.axes(), 1<<levels, e.w, unsafe.Add(sums, lane*p.n*acc.Size()), e.p)
	}
	e.w = p.n
	v.pass(acc, e.axes(), lanes, p.n, dst, sums)
}

// A packing is a number of elements of w sequences, in scratch memory.
type packing struct {
	t              kernels.Type
	p              unsafe.Pointer
	w              int
	column, stride int // from one sequence, from one element to the next
	axis           [1]axis
}

// axes returns the axes of the results.
func (e *packing) axes() []axis {
	if e.w == 1 {
		return nil
	}
	e.axis[0] = axis{e.w, e.column, 1}
	return e.axis[:]
}

// packing is where n elements of group g can be made.
func (v *viewer) packing(g int, p *piece, n int) packing {
	if g == 0 {
		return packing{t: v.t, p: unsafe.Pointer(&v.scratch.pack), w: p.n, column: 1, stride: p.n}
	}
	acc, mem := v.t.Acc(), v.memory(g)
	end := unsafe.Add(mem.p, (mem.n-n*p.n*acc.Size())&^63)
	return packing{t: acc, p: end, w: p.n, column: 1, stride: p.n}
}

// pack makes n elements of group g, from element i on.
func (v *viewer) pack(g int, p *piece, i, n int, src unsafe.Pointer) packing {
	e := v.packing(g, p, n)
	if p.rows {
		e.column, e.stride = n, 1
	}
	v.make(g, p, i, n, e.p, src, e.column, e.stride)
	return e
}

// make writes n elements of group g, from element i on: those of a result
// stride elements apart, the results column elements apart.
func (v *viewer) make(g int, p *piece, i, n int, dst, src unsafe.Pointer, column, stride int) {
	q := &v.groups[g]
	var array [maxAxes]axis
	for n > 0 {
		count, axes := q.head(i, n)
		box := array[:0]
		for _, a := range p.axes {
			box = append(box, axis{a.size, a.stride, a.out * column})
		}
		for _, a := range axes {
			box = append(box, axis{a.size, a.stride, a.out * stride})
		}
		box[len(p.axes)].size = count
		inMemoryOrder(box)
		from := unsafe.Add(src, q.offset(i)*v.t.Size())
		made := count * axes[0].out
		if g == 0 {
			copyBox(v.t.Size(), dst, from, box)
			dst = unsafe.Add(dst, made*stride*v.t.Size())
		} else {
			v.sum(g-1, joinAxes(box), v.t.Acc(), dst, from)
			dst = unsafe.Add(dst, made*stride*v.t.Acc().Size())
		}
		i, n = i+made, n-made
	}
}

// passBlocks sums each block of n elements, stride apart, for each of the given
// results, w in all.
func (v *viewer) passBlocks(t kernels.Type, axes []axis, n, stride, w int, dst, src unsafe.Pointer) {
	block := t.Block()
	full := n / block
	if full > 0 {
		var array [maxAxes]axis
		all := append(append(array[:0], axes...), axis{full, block * stride, w})
		v.pass(t, all, block, stride, dst, src)
	}
	if n > full*block {
		v.pass(t, axes, n-full*block, stride, unsafe.Add(dst, full*w*t.Acc().Size()), unsafe.Add(src, full*block*stride*t.Size()))
	}
}

// pass sums n elements, stride apart, for each of the given results: as columns,
// if these are neighbours, else as rows.
func (v *viewer) pass(t kernels.Type, axes []axis, n, stride int, dst, src unsafe.Pointer) {
	size, acc := t.Size(), t.Acc().Size()
	p := pass{isa: v.isa, t: t, outer: 1, inner: 1, reduce: n, srcRow: stride * size, scratch: v.scratch}
	if stride != 1 && len(axes) > 0 && axes[0].stride == 1 {
		p.inner = axes[0].size
		axes = axes[1:]
	}
	if len(axes) > 0 {
		p.outer, p.srcOuter, p.dstOuter = axes[0].size, axes[0].stride*size, axes[0].out*acc
		axes = axes[1:]
	}
	for i := range resultsOf(axes) {
		p.dst, p.src = dst, src
		for _, a := range axes {
			p.src = unsafe.Add(p.src, i%a.size*a.stride*size)
			p.dst = unsafe.Add(p.dst, i%a.size*a.out*acc)
			i /= a.size
		}
		p.run()
	}
}

// runView sums a view.
func (p *Plan) runView(t kernels.Type, dst, src unsafe.Pointer) {
	v := viewer{isa: p.isa, t: t, groups: p.groups}
	if p.workers > 1 {
		j := job{isa: p.isa, t: t, to: t, workers: p.workers, pool: p.pool}
		j.runView(v, p.box, dst, src)
		return
	}
	v.run(p.box, t, dst, src)
}

// run sums a box on this goroutine.
func (v *viewer) run(box []axis, to kernels.Type, dst, src unsafe.Pointer) {
	if len(v.groups) == 0 {
		var array [maxAxes]axis
		copyBox(v.t.Size(), dst, src, append(array[:0], box...))
		return
	}
	v.scratch = takeScratch()
	v.sum(len(v.groups)-1, box, to, dst, src)
	giveScratch(v.scratch)
}

// runView sums a view with all workers: pieces, or, if there are not enough of
// them, parts of the outermost group, which are then summed in turn.
func (j *job) runView(v viewer, box []axis, dst, src unsafe.Pointer) {
	top := len(v.groups) - 1
	bytes := v.t.Size()
	results := 1
	for _, a := range box {
		if a.stride > 0 {
			results *= a.size
		}
	}
	bytes *= results
	for _, q := range v.groups {
		bytes *= q.n
	}
	if top < 0 || bytes < parallelBytes {
		v.run(box, j.to, dst, src)
		return
	}
	tasks := taskCount(j.workers, bytes/(parallelBytes/4))
	limit := (results + tasks - 1) / tasks
	if limit < minTile && !v.inRows(0, box) {
		limit = minTile
	}
	s := takeScratch()
	v.scratch = s
	c := v.cut(top, box, limit)
	giveScratch(s)
	if c.count < j.workers && j.splitView(v, &c, tasks, dst, src) {
		return
	}
	per := (c.count + tasks - 1) / tasks
	j.do((c.count+per-1)/per, func(task int, s *scratch) {
		v := v
		v.scratch = s
		for i := task * per; i < min(c.count, (task+1)*per); i++ {
			v.sumPiece(top, &c, i, j.to, dst, src)
		}
	})
}

// splitView splits the outermost group, if it can.
func (j *job) splitView(v viewer, c *pieces, tasks int, dst, src unsafe.Pointer) bool {
	top := len(v.groups) - 1
	q := &v.groups[top]
	results := resultsOf(c.box)
	parts := q.n
	if top == 0 {
		parts = (q.n + v.t.Block() - 1) / v.t.Block()
	}
	if parts == 1 {
		return false
	}
	sums := newAccumulators(v.t, parts, results)
	if sums == nil {
		return false
	}
	partial := *j
	partial.to = v.t.Acc()
	if top > 0 {
		inside := v
		inside.groups = v.groups[:top]
		var box []axis
		box = append(box, c.box...)
		for _, a := range q.axes {
			box = append(box, axis{a.size, a.stride, a.out * results})
		}
		inMemoryOrder(box)
		partial.runView(inside, box, sums, src)
	} else {
		partial.sumEachBlockOf(v, c, tasks, sums, src)
	}
	final := *j
	final.t = v.t.Acc()
	outside := nest{outer: 1, groups: []group{{parts, results, results, 1}}}
	final.run(&outside, dst, sums)
	return true
}

// sumEachBlockOf sums each block of the one group of a view, to rows of results.
func (j *job) sumEachBlockOf(v viewer, c *pieces, tasks int, dst, src unsafe.Pointer) {
	acc, block, n := v.t.Acc().Size(), v.t.Block(), v.groups[0].n
	results := resultsOf(c.box)
	blocks := (n + block - 1) / block
	per := (c.count*blocks + tasks - 1) / tasks
	cuts := (blocks + per - 1) / per
	j.do(c.count*cuts, func(i int, s *scratch) {
		v := v
		v.scratch = s
		p := c.piece(i/cuts, nil, nil)
		most := max(1, v.room(0)/p.n-v.t.Lanes())
		end := min(blocks, i%cuts*per+per)
		for b := i % cuts * per; b < end; b += most {
			k := min(most, end-b)
			sums, mem := v.memory(0).take(k * p.n * acc)
			v.sumBlocks(0, &p, b*block, min(k*block, n-b*block), sums, unsafe.Add(src, p.read*v.t.Size()), mem)
			to := append(append([]axis{}, p.to...), axis{k, p.n, results})
			copyBox(acc, unsafe.Add(dst, (b*results+p.out)*acc), sums, to)
		}
	})
}
