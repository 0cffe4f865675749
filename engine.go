package reducesum

// The engine sums the groups of a nest, from the innermost out. It goes through
// memory in memory's order, a tile at a time, whatever the order of the sum: that
// is kept by where a tile's elements are put, not by when they are read.
//
// A tile is some results, or all elements of some results, that are near to
// each other. Its elements are read where they lie, if these are rows or columns
// for the kernels; else they are packed into scratch memory first, as rows of a
// result or as columns of all of them, whichever are nearer to each other
// (fill.go). The elements of an outer group are the sums of the group inside
// of it, for which the outer group's axes are kept ones: the same, but packing
// is summing. They lie in scratch memory as they do in the tensor, only closer.
//
// What is too long for a tile is done some blocks at a time: the sums of these
// are a sequence in turn.

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

const (
	// tileResults is the most results of a tile, so that their sums stay in the
	// first- or second-level cache.
	tileResults = 8 << 10
	// maxGap is how far apart columns may be for those between them to be summed, too:
	// they are in the same cache lines.
	maxGap = 4
	// copyBytes is how much is packed at a time where elements are only copied.
	copyBytes = 256 << 10
	// minColumns is the least number of columns that a tile should have: some
	// cache lines of each row.
	minColumns = 64
)

// An engine sums tiles on one goroutine.
type engine struct {
	isa     kernels.ISA
	t       kernels.Type
	groups  []sequence // innermost first
	scratch *scratch
	used    int // of the scratch memory for axes
}

// newEngine returns an engine that uses some scratch memory.
func newEngine(isa kernels.ISA, t kernels.Type, groups []sequence, s *scratch) engine {
	return engine{isa: isa, t: t, groups: groups, scratch: s}
}

// take returns room for n axes. The caller gives it back by setting e.used to
// what it was. There is always enough, unless there are more elements than could
// be summed in a day; then the heap serves.
func (e *engine) take(n int) []axis {
	from := e.used
	if n > len(e.scratch.axes)-from {
		return make([]axis, 0, n)
	}
	e.used += n
	return e.scratch.axes[from:from:e.used]
}

// memory is the scratch memory for sums of group g.
func (e *engine) memory(g int) memory {
	if g == 0 {
		return memory{unsafe.Pointer(&e.scratch.sums), sumsBytes}
	}
	n := len(e.scratch.tiles) / (len(e.groups) - 1) &^ 63
	return memory{unsafe.Pointer(&e.scratch.tiles[(g-1)*n]), n}
}

// room is how many accumulators group g has memory for, less what cutting it up
// costs.
func (e *engine) room(g int) int { return (e.memory(g).n - 1024) / e.t.Acc().Size() }

// packRoom is how many elements of a sequence can be packed for a box: fewer if they
// are only copied, so that they are in the second-level cache still when they are
// summed; more if rows are made of columns, so that these are read in longer runs.
func (e *engine) packRoom(q *sequence, box []axis) int {
	if q.inRows(box) && q.inner().stride != q.step() {
		return len(e.scratch.pack) / e.t.Size()
	}
	return copyBytes / e.t.Size()
}

// sum sums the groups g to 0 for each result of a box, and writes what it gets
// as type to: accumulators, or what these are rounded to.
func (e *engine) sum(g int, box []axis, to kernels.Type, dst, src unsafe.Pointer) {
	q := &e.groups[g]
	if g == 0 && to == e.t.Acc() && len(q.axes) == 1 && q.readable(box) && writable(box, q.axes[0].stride) {
		e.pass(e.t, box, q.n, q.axes[0].stride, dst, src)
		return
	}
	used := e.used
	c := e.cut(g, box, false)
	for i := range c.count {
		e.sumTile(g, &c, i, to, dst, src)
	}
	e.used = used
}

// writable reports whether kernels can write the results of a box where they go.
func writable(box []axis, stride int) bool {
	if len(box) == 0 || box[0].out == 1 {
		return true
	}
	for _, a := range box {
		if stride == 1 && a.out == 1 {
			return true
		}
	}
	return false
}

// cuts are the tiles of a box.
type cuts struct {
	box    []axis
	sizes  []axis // indexes of each axis that a tile has; the last one may have less
	count  int
	direct bool // kernels read the elements where they lie
	gap    int  // kernels read columns where they lie, so far apart: those between them, too
	rows   bool // elements to be packed become rows, rather than columns
	whole  bool // of an outer group: a tile has all of its elements
}

// cut cuts a box into tiles, for each result of which group g is to be summed.
// Blocks of columns with gaps are not to be summed one by one.
func (e *engine) cut(g int, box []axis, blocks bool) cuts {
	q, c := &e.groups[g], cuts{box: box, sizes: e.take(len(box))[:len(box)]}
	most, results := tileResults, indexes(box)
	switch {
	case g == 0 && len(q.axes) == 1 && q.readable(box):
		c.direct = true
	case g == 0 && !blocks && q.gaps(box, e.t.Lanes()):
		c.gap = box[0].stride
		most /= c.gap
	case g == 0 && q.inRows(box):
		c.rows = true
		most = min(most, e.packRoom(q, box)/q.n)
	case g == 0:
		most = min(most, e.columns(q.n, e.packRoom(q, box), results))
	default:
		whole := e.room(g) / q.distinct()
		c.whole = whole >= min(results, minColumns) || whole > 0 && q.inRows(box)
		if c.whole {
			most = min(most, whole)
		} else {
			most = min(most, e.columns(q.n, e.room(g)/2, results))
		}
	}
	c.cut(max(1, most))
	return c
}

// columns is for how many results n elements, or a block of them, and the sums of
// all blocks have room.
func (e *engine) columns(n, room, results int) int {
	if all := room / n; all >= min(results, minColumns) {
		return all
	}
	sums := (sumsBytes - 1024) / e.t.Acc().Size()
	if len(e.groups) > 1 {
		sums = e.room(1) / 2
	}
	return min(room/min(n, e.t.Block()), sums/(1+e.waiting(n)))
}

// waiting is how many sums of blocks, and of blocks of these, may have to wait
// while a sequence of n elements is summed.
func (e *engine) waiting(n int) int {
	block := e.t.Block()
	count := (n-1)/block + 1
	return min(count, 2*block) + (count-1)/block + 3
}

// cut cuts the axes that are nearest in memory last.
func (c *cuts) cut(most int) {
	c.count = 1
	for i, a := range c.box {
		size := max(1, min(most, a.size))
		parts := (a.size + size - 1) / size
		if even := (a.size + parts - 1) / parts; size > 64 {
			size = min(size, (even+63)&^63)
		}
		most /= size
		c.sizes[i].size = size
		c.count *= (a.size + size - 1) / size
	}
}

// A tile is a part of a box.
type tile struct {
	axes      []axis
	n         int  // results
	read, out int  // elements from the beginning of the box, results from there
	compact   bool // the results go one behind the other
}

// tile returns tile i, with its axes appended to those given.
func (c *cuts) tile(i int, axes []axis) tile {
	p := tile{n: 1, compact: true}
	for k, a := range c.box {
		most := c.sizes[k].size
		parts := (a.size + most - 1) / most
		from := i % parts * most
		i /= parts
		size := min(most, a.size-from)
		p.read += from * a.stride
		p.out += from * a.out
		if size > 1 {
			axes = append(axes, axis{size, a.stride, a.out})
			p.compact = p.compact && a.out == p.n
		}
		p.n *= size
	}
	p.axes = axes
	return p
}

// sumTile sums the groups g to 0 for tile i.
func (e *engine) sumTile(g int, c *cuts, i int, to kernels.Type, dst, src unsafe.Pointer) {
	used := e.used
	p := c.tile(i, e.take(len(c.box)))
	src = unsafe.Add(src, p.read*e.t.Size())
	dst = unsafe.Add(dst, p.out*to.Size())
	if c.whole {
		e.sumOuter(g, &p, to, dst, src)
		e.used = used
		return
	}
	mem := e.memory(g)
	if c.gap > 0 {
		e.sumGaps(&p, c.gap, to, dst, src, mem)
		e.used = used
		return
	}
	sums := dst
	if !p.compact || to != e.t.Acc() {
		sums, mem = mem.take(p.n * e.t.Acc().Size())
	}
	s := summation{engine: e, g: g, n: p.n, rows: c.rows, direct: c.direct, src: src}
	s.axes = compacted(p.axes, e.take(len(p.axes)))
	s.sum(0, e.groups[g].n, sums, mem)
	if sums != dst {
		n := 1
		for i := range p.axes { // where the sums lie
			p.axes[i].stride = n
			n *= p.axes[i].size
		}
		e.finish(&p, n, to, dst, sums)
	}
	e.used = used
}

// sumGaps sums columns, with gaps between them or not, for the results of a tile: all
// columns, of which those that were asked for go to dst.
func (e *engine) sumGaps(p *tile, gap int, to kernels.Type, dst, src unsafe.Pointer, mem memory) {
	q, span, rest := &e.groups[0], 1, p.axes
	if len(rest) > 0 && rest[0].stride == gap {
		span = (rest[0].size-1)*gap + 1
		rest = rest[1:]
	}
	axes := append(e.take(len(rest)+1), axis{span, 1, 1})
	n := span
	for i, a := range rest {
		axes = append(axes, axis{a.size, a.stride, n})
		rest[i].stride = n
		n *= a.size
	}
	sums := dst
	if gap > 1 || !p.compact || to != e.t.Acc() {
		sums, _ = mem.take(n * e.t.Acc().Size())
	}
	e.passColumns(q, axes, sums, src)
	if sums != dst {
		p.compact = p.compact && gap == 1
		e.finish(p, n, to, dst, sums)
	}
}

// compacted returns axes whose results lie one behind the other, appended to those
// given.
func compacted(from, axes []axis) []axis {
	n := 1
	for _, a := range from {
		axes = append(axes, axis{a.size, a.stride, n})
		n *= a.size
	}
	return joinAxes(axes)
}

// finish rounds the n sums of a tile, and puts them where they go.
func (e *engine) finish(p *tile, n int, to kernels.Type, dst, sums unsafe.Pointer) {
	if to != e.t.Acc() {
		rounded := dst
		if !p.compact {
			rounded = unsafe.Pointer(&e.scratch.output)
		}
		roundTo(e.isa, to, rounded, sums, n)
		if p.compact {
			return
		}
		sums = rounded
	}
	packBox(e.isa, to, dst, sums, p.axes)
}

// sumOuter sums an outer group for the results of a tile: all of its elements are
// summed first, into scratch memory, in the order and to the neighbourhood that
// they have in the tensor.
func (e *engine) sumOuter(g int, p *tile, to kernels.Type, dst, src unsafe.Pointer) {
	q, acc := &e.groups[g], e.t.Acc()
	k := len(p.axes)
	all := append(append(e.take(k+len(q.axes)), p.axes...), q.axes...)
	inside, outside := together(all, e.take(len(all)), e.take(len(all)))
	sums, _ := e.memory(g).take(indexes(inside) * acc.Size())
	e.sum(g-1, inside, acc, sums, src)

	outer := [1]sequence{sequence{outside[k:], q.n}.joined()}
	f := engine{e.isa, acc, outer[:], e.scratch, e.used}
	f.sum(0, joinAxes(outside[:k]), to, dst, sums)
}

// together moves the elements of axes together, in the order that they have in
// memory. It returns, appended to the slices given, the box that does so, and
// the axes as they are then.
func together(axes, box, moved []axis) (inside, outside []axis) {
	for i, a := range axes {
		d := distance(axes, i)
		if a.stride > 0 {
			box = append(box, axis{a.size, a.stride, d})
		}
		moved = append(moved, axis{a.size, d, a.out})
	}
	inMemoryOrder(box)
	return joinAxes(box), moved
}

// distance is how far from one index of an axis to the next it is, when the
// elements of a box are moved together: 0 if it repeats elements.
func distance(box []axis, i int) int {
	a, n := box[i], 1
	if a.stride == 0 {
		return 0
	}
	for k, b := range box {
		if b.stride > 0 && (b.stride < a.stride || b.stride == a.stride && k < i) {
			n *= b.size
		}
	}
	return n
}
