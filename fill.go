package reducesum

// Elements that kernels cannot read where they lie are packed: copied to
// scratch memory as rows, one for each result, or as columns, one row for each
// element. Memory is read in its own order, in boxes of elements whatever their
// places in the sequence, so that each cache line is fetched once.

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// A packing is elements of some results in scratch memory.
type packing struct {
	t              kernels.Type
	p              unsafe.Pointer
	column, stride int // from one result, from one element to the next
	elements       int // of all results, with what lies between
	axis           [1]axis
}

// axes returns the axes of n results.
func (p *packing) axes(n int) []axis {
	if n == 1 {
		return nil
	}
	p.axis[0] = axis{n, p.column, 1}
	return p.axis[:]
}

// packing is how n elements of each result can be packed.
func (s *summation) packing(n int) packing {
	p := packing{t: s.t, p: unsafe.Pointer(&s.scratch.pack), column: 1, stride: s.n, elements: n * s.n}
	if s.g > 0 { // the upper half of the group's memory
		mem := s.memory(s.g)
		p.t, p.p = s.t.Acc(), unsafe.Add(mem.p, mem.n/2&^63)
	}
	if s.rows {
		p.column, p.stride = n, 1
		p.elements = p.column * s.n
	}
	return p
}

// fetch packs n elements, from element i on.
func (s *summation) fetch(p *packing, i, n int, dst unsafe.Pointer) {
	for from := i; n > 0; {
		k := s.fetchBox(p, i, n, unsafe.Add(dst, (i-from)*p.stride*p.t.Size()))
		i, n = i+k, n-k
	}
}

// fetchBox packs the largest box that n elements from element i on begin with, and
// returns how many it has.
func (s *summation) fetchBox(p *packing, i, n int, dst unsafe.Pointer) int {
	q, used := &s.groups[s.g], s.used
	count, axes := q.head(i, n)
	box := s.take(len(s.axes) + len(axes))
	for _, a := range s.axes {
		box = append(box, axis{a.size, a.stride, a.out * p.column})
	}
	for _, a := range axes {
		box = append(box, axis{a.size, a.stride, a.out * p.stride})
	}
	box[len(s.axes)].size = count
	inMemoryOrder(box)
	box = joinAxes(box)
	src := unsafe.Add(s.src, q.offset(i)*s.t.Size())
	if s.g == 0 {
		packBox(s.isa, s.t, dst, src, box)
	} else {
		s.engine.sumRepeated(s.g-1, box, dst, src)
	}
	s.used = used
	return count * axes[0].out
}

// sumRepeated sums the groups g to 0 for each result of a box, some axes of
// which, the last ones, repeat results.
func (e *engine) sumRepeated(g int, box []axis, dst, src unsafe.Pointer) {
	k := len(box)
	for k > 0 && box[k-1].stride == 0 {
		k--
	}
	e.sum(g, box[:k], e.t.Acc(), dst, src)
	repeatResults(e.isa, e.t.Acc(), dst, box[:k], box[k:])
}

// repeatResults copies the results of a box to where axes repeat them.
func repeatResults(isa kernels.ISA, t kernels.Type, dst unsafe.Pointer, box, repeats []axis) {
	if len(repeats) == 0 {
		return
	}
	var array [maxAxes]axis
	results := array[:0]
	for _, a := range box {
		results = append(results, axis{a.size, a.out, a.out})
	}
	for _, a := range repeats {
		results = append(results, axis{a.size, 0, a.out})
	}
	inMemoryOrder(results)
	packBox(isa, t, dst, dst, results)
}

// packBox copies elements. The box comes in memory order, and is changed.
func packBox(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer, box []axis) {
	box = planeFirst(joinAxes(box))
	a := kernels.PackArgs{Outer: 1, Rows: 1, Cols: 1}
	size := t.Size()
	if len(box) > 0 {
		a.Cols, a.SrcCol, a.DstCol = box[0].size, box[0].stride*size, box[0].out*size
		box = box[1:]
	}
	if len(box) > 0 {
		a.Rows, a.SrcRow, a.DstRow = box[0].size, box[0].stride*size, box[0].out*size
		box = box[1:]
	}
	if len(box) > 0 {
		a.Outer, a.SrcOuter, a.DstOuter = box[0].size, box[0].stride*size, box[0].out*size
		box = box[1:]
	}
	packBoxes(isa, t, a, dst, src, box)
}

// packBoxes packs a box for each index of some axes.
func packBoxes(isa kernels.ISA, t kernels.Type, a kernels.PackArgs, dst, src unsafe.Pointer, axes []axis) {
	if len(axes) == 0 {
		a.Dst, a.Src = dst, src
		packElements(isa, t, a)
		return
	}
	last, size := axes[len(axes)-1], t.Size()
	for i := range last.size {
		packBoxes(isa, t, a, unsafe.Add(dst, i*last.out*size), unsafe.Add(src, i*last.stride*size), axes[:len(axes)-1])
	}
}

// planeFirst moves to the front the axes that the kernel copies at once: first
// those of which neighbours are neighbours, here and there.
func planeFirst(box []axis) []axis {
	if len(box) < 3 {
		return box
	}
	front := func(at int, is func(a axis) bool) {
		for i := at; i < len(box); i++ {
			if is(box[i]) {
				a := box[i]
				copy(box[at+1:i+1], box[at:i])
				box[at] = a
				return
			}
		}
	}
	if box[0].out != 1 {
		front(1, func(a axis) bool { return a.out == 1 })
	}
	return box
}
