package reducesum

// A group of reduced axes of a view is a sequence, summed for all results of a
// piece at the same time. Kernels want rows, or columns, of neighbours in
// memory. Where the innermost axis of the sequence has them, they read it.
// Where it has not, and where a block goes on from one index of an outer axis to
// the next, elements are packed into scratch memory: rows of a result, or
// columns of all of them, whichever are nearer to each other.
//
// The elements of a group outside of another are sums of the latter, for which
// its axes are kept ones: the same, but packing is summing.
//
// All elements at once, if there is memory for them; else as many whole blocks
// as there is, whose sums are summed as a sequence; else, of the columns of one
// block, as many lanes.

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// A sequence is axes that are summed as one, outermost first; out counts its
// elements.
type sequence struct {
	axes []axis
	n    int
	step int // the least distance in memory of two indexes of any axis
}

// sequenceOf returns the sequence of some axes, outermost first.
func sequenceOf(dims []dim) sequence {
	q := sequence{axes: make([]axis, len(dims)), n: 1}
	for i := len(dims) - 1; i >= 0; i-- {
		d := dims[i]
		q.axes[i] = axis{d.size, d.stride, q.n}
		q.n *= d.size
		if d.stride > 0 && (q.step == 0 || d.stride < q.step) {
			q.step = d.stride
		}
	}
	return q
}

// inner is the innermost axis.
func (q *sequence) inner() axis { return q.axes[len(q.axes)-1] }

// direct reports whether kernels can read elements of the innermost axis for the
// results of a box: as rows, or as columns that are not too narrow.
func (q *sequence) direct(box []axis) bool {
	if q.inner().stride == 1 {
		return true
	}
	return len(box) > 0 && box[0].stride == 1 && !narrow(box[0].size, q.inner().stride)
}

// narrow reports whether columns are too few, in rows that lie apart, to be read
// one row at a time.
func narrow(columns, row int) bool { return columns < 16 && columns != row }

// inRows reports whether the elements of a result, rather than the same element
// of several results, are nearest to each other in memory.
func (q *sequence) inRows(box []axis) bool {
	return len(box) == 0 || box[0].stride == 0 || q.step > 0 && q.step < box[0].stride
}

// offset is where element i lies.
func (q *sequence) offset(i int) int {
	off := 0
	for _, a := range q.axes {
		off += i / a.out % a.size * a.stride
	}
	return off
}

// head returns the largest box that n elements from element i on begin with: a
// number of indexes of the first of the axes returned, and all of the others.
func (q *sequence) head(i, n int) (count int, axes []axis) {
	axes = q.axes
	for axes[0].out > n || i%axes[0].out != 0 {
		axes = axes[1:]
	}
	a := axes[0]
	return min(n/a.out, a.size-i/a.out%a.size), axes
}

// groupBytes is the share of scratch memory that each group has.
func (v *viewer) groupBytes() int { return len(v.scratch.nest) / len(v.groups) &^ 63 }

// memory is the scratch memory of group g.
func (v *viewer) memory(g int) memory {
	n := v.groupBytes()
	return memory{unsafe.Pointer(&v.scratch.nest[g*n]), n}
}

// room is how many accumulators a group has memory for, less what cutting it up
// costs.
func (v *viewer) room() int { return (v.groupBytes() - 1024) / v.t.Acc().Size() }

// waiting is how many sums of blocks, of blocks of blocks, and so on, and of the
// lanes of a block, may wait while a sequence of n elements is summed.
func (v *viewer) waiting(n int) int {
	chunk, count := chunks(n, v.t.Block())
	if count == 1 {
		return v.t.Lanes()
	}
	return count + v.waiting(chunk)
}

// chunks returns of how many sums of blocks, of blocks of blocks, or so, the sum
// of n elements is made, and how many elements each of these has.
func chunks(n, block int) (chunk, count int) {
	chunk = block
	for (n-1)/chunk+1 > block {
		chunk *= block
	}
	return chunk, (n-1)/chunk + 1
}

// atOnce is how many elements of group g there is memory for, w results each.
func (v *viewer) atOnce(g, w int) int {
	if g == 0 {
		return len(v.scratch.pack) / v.t.Size() / w
	}
	return v.room()/w - 1 - v.waiting(v.groups[g].n)
}

// most is for how many results there is memory for n elements of group g.
func (v *viewer) most(g, n int) int {
	if g == 0 {
		return min(v.atOnce(0, n), v.room()/(1+v.waiting(v.groups[0].n)))
	}
	return v.room() / (1 + v.waiting(v.groups[g].n) + n)
}

// sumSequence sums n elements of group g, from element i on, for each result of
// a piece.
func (v *viewer) sumSequence(g int, p *piece, i, n int, dst, src unsafe.Pointer, mem memory) {
	q, block, acc := &v.groups[g], v.t.Block(), v.t.Acc()
	if p.direct && len(q.axes) == 1 {
		v.pass(v.t, p.axes, n, q.inner().stride, dst, unsafe.Add(src, q.offset(i)*v.t.Size()))
		return
	}
	if n <= v.atOnce(g, p.n) && (n <= block || !v.longRuns(g, p)) {
		e := v.pack(g, p, i, n, src)
		v.pass(e.t, e.axes(), n, e.stride, dst, e.p)
		return
	}
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
	v.pass(e.t, e.axes(), count, e.stride, dst, e.p)
}

// longRuns reports whether kernels can read most blocks of group g where they lie.
func (v *viewer) longRuns(g int, p *piece) bool {
	return p.direct && v.groups[g].inner().size >= 4*v.t.Block()
}

// sumBlocks sums each block of n elements of group g, from element i on.
func (v *viewer) sumBlocks(g int, p *piece, i, n int, dst, src unsafe.Pointer, mem memory) {
	block, inner := v.t.Block(), v.groups[g].inner()
	most := v.atOnce(g, p.n) / block * block
	if v.longRuns(g, p) {
		most = min(most, block)
	}
	for n > 0 {
		run := 0 // elements that kernels can read
		if p.direct {
			if run = min(n, inner.size-i%inner.size); run < n {
				run -= run % block
			}
		}
		switch {
		case run > 0:
			from := unsafe.Add(src, v.groups[g].offset(i)*v.t.Size())
			v.passBlocks(v.t, p.axes, run, inner.stride, p.n, dst, from)
		case most <= 0:
			run = min(n, block)
			v.sumLanes(g, p, i, run, dst, src, mem)
		default:
			run = min(n, most)
			e := v.pack(g, p, i, run, src)
			v.passBlocks(e.t, e.axes(), run, e.stride, p.n, dst, e.p)
		}
		dst = unsafe.Add(dst, (run+block-1)/block*p.n*v.t.Acc().Size())
		i, n = i+run, n-run
	}
}

// sumLanes sums a block of n elements of group g, from element i on, for each
// result of a piece: first its rows, for as many lanes as there is memory for,
// then the lanes.
func (v *viewer) sumLanes(g int, p *piece, i, n int, dst, src unsafe.Pointer, mem memory) {
	acc, all := v.t.Acc(), v.t.Lanes()
	lanes, rows := min(n, all), (n+all-1)/all
	sums, _ := mem.take(lanes * p.n * acc.Size())
	most := max(1, v.atOnce(g, p.n)/rows)
	e := v.packing(g, p, most*rows)
	for lane := 0; lane < lanes; lane += most {
		k := min(most, lanes-lane)
		last := max(0, min(k, n-(rows-1)*all-lane)) // lanes that the last row has
		row := k * p.n * e.t.Size()
		for r := range rows - 1 {
			v.fetch(g, p, i+r*all+lane, k, unsafe.Add(e.p, r*row), src, 1, p.n)
		}
		v.fetch(g, p, i+(rows-1)*all+lane, last, unsafe.Add(e.p, (rows-1)*row), src, 1, p.n)
		to := unsafe.Add(sums, lane*p.n*acc.Size())
		v.passRows(e.t, rows, last*p.n, row, to, e.p)
		v.passRows(e.t, rows-1, (k-last)*p.n, row, unsafe.Add(to, last*p.n*acc.Size()), unsafe.Add(e.p, last*p.n*e.t.Size()))
	}
	e = packing{t: acc, p: sums, w: p.n, column: 1, stride: p.n}
	v.pass(e.t, e.axes(), lanes, e.stride, dst, e.p)
}

// A packing is elements of w results in scratch memory.
type packing struct {
	t              kernels.Type
	p              unsafe.Pointer
	w              int
	column, stride int // from one result, from one element to the next
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

// packing is where n elements of group g can be.
func (v *viewer) packing(g int, p *piece, n int) packing {
	if g == 0 {
		return packing{t: v.t, p: unsafe.Pointer(&v.scratch.pack), w: p.n, column: 1, stride: p.n}
	}
	acc, mem := v.t.Acc(), v.memory(g)
	end := unsafe.Add(mem.p, (mem.n-n*p.n*acc.Size())&^63)
	return packing{t: acc, p: end, w: p.n, column: 1, stride: p.n}
}

// pack fetches n elements of group g, from element i on.
func (v *viewer) pack(g int, p *piece, i, n int, src unsafe.Pointer) packing {
	e := v.packing(g, p, n)
	if p.rows {
		e.column, e.stride = n, 1
	}
	v.fetch(g, p, i, n, e.p, src, e.column, e.stride)
	return e
}

// fetch writes n elements of group g, from element i on: those of a result
// stride elements apart, the results column elements apart.
func (v *viewer) fetch(g int, p *piece, i, n int, dst, src unsafe.Pointer, column, stride int) {
	q, acc, free := &v.groups[g], v.t.Acc(), v.axes
	array := v.takeAxes(len(p.axes) + len(q.axes))
	for n > 0 {
		count, axes := q.head(i, n)
		box := array
		for _, a := range p.axes {
			box = append(box, axis{a.size, a.stride, a.out * column})
		}
		for _, a := range axes {
			box = append(box, axis{a.size, a.stride, a.out * stride})
		}
		box[len(p.axes)].size = count
		inMemoryOrder(box)
		box = joinAxes(box)
		fetched := count * axes[0].out
		from := unsafe.Add(src, q.offset(i)*v.t.Size())
		if g == 0 {
			copyBox(v.t.Size(), dst, from, box)
			dst = unsafe.Add(dst, fetched*stride*v.t.Size())
		} else {
			v.sum(g-1, box, acc, dst, from)
			dst = unsafe.Add(dst, fetched*stride*acc.Size())
		}
		i, n = i+fetched, n-fetched
	}
	v.axes = free
}

// passBlocks sums each block of n elements, stride apart, for each of w results.
func (v *viewer) passBlocks(t kernels.Type, axes []axis, n, stride, w int, dst, src unsafe.Pointer) {
	block := t.Block()
	full := n / block
	if full > 0 {
		free := v.axes
		all := append(v.takeAxes(len(axes)+1), axes...)
		v.pass(t, append(all, axis{full, block * stride, w}), block, stride, dst, src)
		v.axes = free
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
			p.dst = unsafe.Add(p.dst, i%a.size*a.out*acc)
			p.src = unsafe.Add(p.src, i%a.size*a.stride*size)
			i /= a.size
		}
		p.run()
	}
}

// passRows sums columns of some rows of a block that follow each other in it.
func (v *viewer) passRows(t kernels.Type, rows, columns, row int, dst, src unsafe.Pointer) {
	if columns == 0 {
		return
	}
	known, mem := memory{unsafe.Pointer(&v.scratch.pass), len(v.scratch.pass)}.takePrograms()
	m := matrix{isa: v.isa, t: t, dst: dst, src: src, outer: 1, width: columns, row: row, programs: known}
	m.sumTree(rows, 1, mem)
}
