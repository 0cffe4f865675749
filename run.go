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

// tinyElements is up to how many elements a tensor is small.
const tinyElements = 128

// A tiny is the sum of a small tensor, before an engine has cut it up: its elements
// are gathered in the order of the sum, by a list of their offsets that the plan made,
// so that each group is rows.
type tiny struct {
	offsets []int
	groups  []int // their sizes, innermost first
}

// tinyOf returns the sum of a small tensor of some axes, none of size 0.
func tinyOf(dims []dim) *tiny {
	offsets, groups := []int{0}, []int(nil)
	extend := func(d dim) {
		longer := make([]int, 0, len(offsets)*d.size)
		for _, off := range offsets {
			for i := range d.size {
				longer = append(longer, off+i*d.stride)
			}
		}
		offsets = longer
	}
	for _, d := range dims {
		if !d.reduced {
			extend(d)
		}
	}
	for i, d := range dims { // the outermost group first
		if !d.reduced {
			continue
		}
		if i > 0 && dims[i-1].reduced {
			groups[0] *= d.size
		} else {
			groups = append([]int{d.size}, groups...)
		}
		extend(d)
	}
	return &tiny{offsets, groups}
}

// run sums a small tensor.
func (p *tiny) run(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer) {
	if len(p.groups) == 0 {
		p.gather(t, dst, src)
		return
	}
	s := takeScratch()
	from, sums := unsafe.Pointer(&s.pack), memory{unsafe.Pointer(&s.sums), len(s.sums)}
	p.gather(t, from, src)
	n := len(p.offsets)
	for i, size := range p.groups {
		n /= size
		to := dst
		if i < len(p.groups)-1 || t.Rounded() {
			to, sums = sums.take(n * t.Acc().Size())
		}
		from = sumGathered(isa, t, i, to, from, n, size)
	}
	if t.Rounded() {
		roundTo(isa, t, dst, from, n)
	}
	giveScratch(s)
}

// sumGathered sums n rows of group i.
func sumGathered(isa kernels.ISA, t kernels.Type, i int, dst, src unsafe.Pointer, n, size int) unsafe.Pointer {
	if i > 0 {
		t = t.Acc()
	}
	if n == 1 {
		sumShort(isa, t, dst, src, size)
	} else {
		sumRows(isa, t, dst, src, n, size, size*t.Size())
	}
	return dst
}

// gather copies the elements.
func (p *tiny) gather(t kernels.Type, dst, src unsafe.Pointer) {
	switch t.Size() {
	case 2:
		gather[uint16](dst, src, p.offsets)
	case 4:
		gather[uint32](dst, src, p.offsets)
	default:
		gather[uint64](dst, src, p.offsets)
	}
}

func gather[T uint16 | uint32 | uint64](dst, src unsafe.Pointer, offsets []int) {
	to := unsafe.Slice((*T)(dst), len(offsets))
	for i, off := range offsets {
		to[i] = *(*T)(unsafe.Add(src, off*int(unsafe.Sizeof(to[0]))))
	}
}
