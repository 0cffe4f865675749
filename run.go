package reducesum

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// sumSlice sums n >= 1 elements to one.
func sumSlice(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer, n int) {
	if !t.Rounded() {
		sumSequence(isa, t, dst, src, n)
		return
	}
	var acc float32
	sumSequence(isa, t, unsafe.Pointer(&acc), src, n)
	*(*uint16)(dst) = round16(t, acc)
}

// sumSequence sums n >= 1 elements to one accumulator: by one call of a kernel
// where that will do, because every nanosecond shows.
func sumSequence(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer, n int) {
	if n <= kernels.SumBlocks<<t.LogBlock() {
		sumShort(isa, t, dst, src, n)
		return
	}
	p := pass{isa: isa, t: t, scratch: takeScratch()}
	p.longRow(dst, src, n, 0)
	giveScratch(p.scratch)
}

// sumMiddle sums the middle axis of [outer, reduce, inner], none of which is 0.
func sumMiddle(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer, outer, reduce, inner int) {
	if outer == 1 && inner == 1 {
		sumSlice(isa, t, dst, src, reduce)
		return
	}
	if inner == 1 && !t.Rounded() && reduce <= t.Block() {
		sumRows(isa, t, dst, src, outer, reduce, reduce*t.Size())
		return
	}
	groups := [1]group{{reduce: reduce, reduceStride: inner, keep: inner, keepStride: 1}}
	n := nest{outer: outer, outerStride: reduce * inner, groups: groups[:]}
	j := job{isa: isa, t: t, to: t}
	j.serial(&n, dst, src)
}

// run sums what p describes; dst is not empty.
func (p *Plan) run(t kernels.Type, dst, src unsafe.Pointer) {
	serial := p.workers <= 1 || p.elements < parallelBytes/t.Size()
	switch {
	case p.sequence && serial:
		sumSlice(p.isa, t, dst, src, p.elements)
	case p.empty:
		clear(unsafe.Slice((*byte)(dst), p.dstLen*t.Size()))
	case !p.nested:
		p.runView(t, dst, src)
	case len(p.nest.groups) == 0:
		n := p.dstLen * t.Size()
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	case !serial:
		j := job{isa: p.isa, t: t, to: t, workers: p.workers, pool: p.pool}
		j.run(&p.nest, dst, src)
	default:
		j := job{isa: p.isa, t: t, to: t}
		j.serial(&p.nest, dst, src)
	}
}

// A job sums nests of elements of type t to results of type to: accumulators,
// or what these are rounded to.
type job struct {
	isa     kernels.ISA
	t, to   kernels.Type
	workers int
	pool    Pool
}

// serial sums a nest on this goroutine.
func (j *job) serial(n *nest, dst, src unsafe.Pointer) {
	s := takeScratch()
	if j.to == j.t.Acc() && len(n.groups) == 1 {
		r := runner{isa: j.isa, t: j.t, n: *n, scratch: s}
		r.sum(0, n.outer, n.outerStride, dst, src)
	} else {
		tiles := j.tile(n, n.results())
		for i := range tiles.count {
			j.sumTile(&tiles, i, dst, src, s)
		}
	}
	giveScratch(s)
}

// A tiling cuts a nest into tiles of kept indexes, each of which has its
// results side by side. Either the outer axis is cut; or it and the kept axes
// outside of group dim run over single indexes, and the one of dim is cut.
type tiling struct {
	n     *nest
	dim   int // a group, or all of them: the outer axis
	size  int // indexes of the axis that is cut
	cuts  int
	count int
}

// tile returns a tiling into tiles of at most limit results, or a little more
// where the scratch memory allows it.
func (j *job) tile(n *nest, limit int) tiling {
	limit = min(limit, n.rowLimit(j.t))
	if j.to != j.t.Acc() {
		limit = min(limit, len(scratch{}.output)/j.t.Acc().Size())
	}
	limit = max(1, limit)
	t := tiling{n: n, dim: len(n.groups)}
	width, outside := 1, n.results() // results of one index, of the axis and all outside
	for g := 0; g <= len(n.groups); g++ {
		axis := n.outer
		if g < len(n.groups) {
			axis = n.groups[g].keep
		}
		if width*axis > limit || g == len(n.groups) {
			t.dim, t.size = g, min(axis, limit/width)
			if width == 1 && t.size > 64 {
				t.size &^= 63
			}
			t.cuts = (axis + t.size - 1) / t.size
			t.count = outside / (width * axis) * t.cuts
			return t
		}
		width *= axis
	}
	return t
}

// sumTile sums tile i.
func (j *job) sumTile(t *tiling, i int, dst, src unsafe.Pointer, s *scratch) {
	var local [maxGroups]group
	r := runner{isa: j.isa, t: j.t, scratch: s}
	r.n = nest{outer: t.n.outer, outerStride: t.n.outerStride, groups: append(local[:0], t.n.groups...)}

	// The cut axis first, then those outside of it, at one index each.
	from := i % t.cuts * t.size
	i /= t.cuts
	width, in, out := 1, 0, 0 // results of one index; where the tile begins
	for g := 0; g <= len(t.n.groups); g++ {
		axis, stride := &r.n.outer, r.n.outerStride
		if g < len(t.n.groups) {
			axis, stride = &r.n.groups[g].keep, r.n.groups[g].keepStride
		}
		n := *axis
		switch {
		case g == t.dim:
			*axis = min(t.size, n-from)
			in, out = in+from*stride, out+from*width
		case g > t.dim:
			*axis = 1
			in, out = in+i%n*stride, out+i%n*width
			i /= n
		}
		width *= n
	}
	src, dst = unsafe.Add(src, in*j.t.Size()), unsafe.Add(dst, out*j.to.Size())
	top := len(r.n.groups) - 1
	if j.to == j.t.Acc() {
		r.sum(top, r.n.outer, r.n.outerStride, dst, src)
		return
	}
	acc := unsafe.Pointer(&s.output)
	r.sum(top, r.n.outer, r.n.outerStride, acc, src)
	roundTo(j.isa, j.to, dst, acc, r.n.results())
}
