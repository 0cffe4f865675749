package reducesum

// A plan's axes alternate between kept and reduced ones, outermost first:
//
//	outer, reduce[n-1], keep[n-1], ..., reduce[0], keep[0]
//
// Each reduced axis is a group; it sums rows that consist of keep[g] times
// what the groups inside of it give. The innermost group is a pass over the
// tensor. An outer one is a pass over the rows that the groups inside give, as
// many outer items at a time as there is scratch memory for. Where not even the
// rows for one item fit, each row is made when the tree of the sum comes to
// it. Where a row is too long for that, the kept axes are tiled.

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// maxGroups is the most groups a nest can have: each doubles the number of
// elements at least twice, but for the outermost and the innermost.
const maxGroups = 32

// A group is a reduced axis and the kept one inside of it, strides in elements.
type group struct {
	reduce, reduceStride int
	keep, keepStride     int
}

// A nest is the axes of a tensor, or of a part of it.
type nest struct {
	outer, outerStride int
	groups             []group // innermost first
}

// rowLen is the number of results of group g for one outer item.
func (n *nest) rowLen(g int) int {
	k := 1
	for _, g := range n.groups[:g+1] {
		k *= g.keep
	}
	return k
}

// results is the number of results of a nest.
func (n *nest) results() int { return n.outer * n.rowLen(len(n.groups)-1) }

// elements is the number of elements of a nest.
func (n *nest) elements() int {
	k := n.outer
	for _, g := range n.groups {
		k *= g.reduce * g.keep
	}
	return k
}

// rowLimit is how many results of the outermost group the scratch memory can
// take: all groups but the innermost share it.
func (n *nest) rowLimit(t kernels.Type) int {
	limit := n.results()
	for _, g := range n.groups[1:] {
		most := n.groupBytes() / t.Acc().Size() / (depth(t.Acc(), g.reduce) + 1)
		limit = min(limit, most)
	}
	return limit
}

// groupBytes is the share of scratch memory that each outer group has.
func (n *nest) groupBytes() int {
	return len(scratch{}.nest) / max(1, len(n.groups)-1) &^ 63
}

// A runner sums a nest on one goroutine, to accumulators.
type runner struct {
	isa     kernels.ISA
	t       kernels.Type
	n       nest
	scratch *scratch
}

// sum sums group g for a number of outer items, stride elements apart.
func (r *runner) sum(g, items, stride int, dst, src unsafe.Pointer) {
	acc, size := r.t.Acc(), r.t.Size()
	grp := r.n.groups[g]
	if g == 0 {
		p := pass{
			isa: r.isa, t: r.t, dst: dst, src: src, scratch: r.scratch,
			outer: items, reduce: grp.reduce, inner: grp.keep,
			srcOuter: stride * size, srcRow: grp.reduceStride * size, dstOuter: grp.keep * acc.Size(),
		}
		p.run()
		return
	}
	row := r.n.rowLen(g)
	mem := unsafe.Pointer(&r.scratch.nest[(g-1)*r.n.groupBytes()])
	most := r.n.groupBytes() / (row * acc.Size()) / grp.reduce // a product could overflow: a view repeats elements
	if most == 0 {
		r.sumTree(g, items, stride, dst, src, mem)
		return
	}
	for i := 0; i < items; i += most {
		n := min(most, items-i)
		r.rows(g, n, stride, mem, unsafe.Add(src, i*stride*size))
		p := pass{
			isa: r.isa, t: acc, dst: unsafe.Add(dst, i*row*acc.Size()), src: mem, scratch: r.scratch,
			outer: n, reduce: grp.reduce, inner: row,
			srcOuter: grp.reduce * row * acc.Size(), srcRow: row * acc.Size(), dstOuter: row * acc.Size(),
		}
		p.run()
	}
}

// rows makes the rows that group g sums, for a number of outer items.
func (r *runner) rows(g, items, stride int, dst, src unsafe.Pointer) {
	grp, size := r.n.groups[g], r.t.Size()
	row := r.n.rowLen(g) * r.t.Acc().Size()
	if grp.keep > 1 && grp.reduceStride != grp.keep*grp.keepStride {
		for i := range items {
			for k := range grp.reduce {
				r.sum(g-1, grp.keep, grp.keepStride, unsafe.Add(dst, (i*grp.reduce+k)*row), unsafe.Add(src, (i*stride+k*grp.reduceStride)*size))
			}
		}
		return
	}
	inner := grp.keepStride
	if grp.keep == 1 {
		inner = grp.reduceStride
	}
	if items == 1 || stride == grp.reduce*grp.reduceStride {
		r.sum(g-1, items*grp.reduce*grp.keep, inner, dst, src)
		return
	}
	for i := range items {
		r.sum(g-1, grp.reduce*grp.keep, inner, unsafe.Add(dst, i*grp.reduce*row), unsafe.Add(src, i*stride*size))
	}
}

// sumTree sums group g for items that are too large for the rows of one to fit
// in memory.
func (r *runner) sumTree(g, items, stride int, dst, src, mem unsafe.Pointer) {
	grp, acc := r.n.groups[g], r.t.Acc()
	width := r.n.rowLen(g)
	row := width * acc.Size()
	for i := range items {
		for order := newTreeOrder(acc, grp.reduce); order.more(); {
			from := unsafe.Add(src, (i*stride+order.index()*grp.reduceStride)*r.t.Size())
			r.sum(g-1, grp.keep, grp.keepStride, unsafe.Add(mem, order.slot*row), from)
			for merges := order.next(); merges > 0; merges-- {
				order.slot--
				mergeSlots(r.isa, acc, mem, order.slot, width)
			}
			order.slot++
		}
		copyRow(acc, unsafe.Add(dst, i*row), mem, width)
	}
}
