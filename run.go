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
	axes := [1]axis{{reduce, inner, 1}}
	groups := [1]sequence{{axes[:], reduce}}
	kept := [2]axis{{inner, 1, 1}, {outer, reduce * inner, inner}}
	s := takeScratch()
	e := newEngine(isa, t, groups[:], s)
	e.sum(0, joinAxes(kept[:]), t, dst, src)
	giveScratch(s)
}

// run sums what p describes; dst is not empty.
func (p *Plan) run(t kernels.Type, dst, src unsafe.Pointer) error {
	serial := p.workers <= 1 || p.distinct < parallelBytes/t.Size()
	if p.sequence && serial {
		sumSlice(p.isa, t, dst, src, p.elements)
		return nil
	}
	if p.empty {
		clear(unsafe.Slice((*byte)(dst), p.dstLen*t.Size()))
		return nil
	}
	if p.tiny != nil {
		p.tiny.run(p.isa, t, dst, src)
		return nil
	}
	n := p.nest(t)
	if len(n.groups) == 0 {
		var axes [maxAxes]axis
		packBox(p.isa, t, dst, src, append(axes[:0], n.kept...))
	} else if serial {
		s := takeScratch()
		e := newEngine(p.isa, t, n.groups, s)
		e.sum(len(n.groups)-1, n.kept, t, dst, src)
		giveScratch(s)
	} else {
		j := job{isa: p.isa, t: t, to: t, workers: p.workers, pool: p.pool}
		if err := j.run(n, dst, src); err != nil {
			return err
		}
	}
	repeatResults(p.isa, t, dst, n.kept, n.repeats)
	return nil
}
