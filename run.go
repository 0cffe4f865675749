package reducesum

import (
	"slices"
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

// A tensor is small that has up to tinyElements to gather; rows that are summed where
// they lie may be longer.
const (
	tinyElements = 128
	mostTinyRow  = 256
)

// A tiny is the sum of a small tensor, before an engine has cut it up: its elements
// are gathered in the order of the sum, by a list of their offsets that the plan made,
// so that each group is rows. The innermost group of a packed tensor may be rows as it
// is; the elements are then their sums.
type tiny struct {
	rows, length int // of the innermost group, if they are summed where they lie
	offsets      []int
	groups       []int // the sizes of those that are gathered, innermost first
}

// tinyOf returns the sum of a tensor of some axes, none of size 0; nil if it is not
// small.
func tinyOf(dims []dim) *tiny {
	if k := len(dims) - 1; k > 0 && dims[k].reduced && dims[k].size <= mostTinyRow && rowsLie(dims) {
		n := dims[k].size
		outer := slices.Clone(dims[:k])
		for i := range outer {
			outer[i].stride /= n
		}
		if t := gatherOf(outer); t != nil {
			t.rows, t.length = len(t.offsets), n
			return t
		}
	}
	return gatherOf(dims)
}

// rowsLie reports whether a tensor is packed.
func rowsLie(dims []dim) bool {
	n := 1
	for _, d := range slices.Backward(dims) {
		if d.stride != n {
			return false
		}
		n *= d.size
	}
	return true
}

// gatherOf returns the sum of a tensor all of whose elements are gathered; nil if
// there are too many.
func gatherOf(dims []dim) *tiny {
	n := 1
	for _, d := range dims {
		if n *= d.size; n > tinyElements {
			return nil
		}
	}
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
	return &tiny{offsets: offsets, groups: groups}
}

// run sums a small tensor.
func (p *tiny) run(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer) {
	if len(p.groups) == 0 {
		p.gather(t, dst, src)
		return
	}
	s := takeScratch()
	from, sums := unsafe.Pointer(&s.pack), memory{unsafe.Pointer(&s.sums), len(s.sums)}
	of := t
	if p.rows > 0 {
		var to unsafe.Pointer
		to, sums = sums.take(p.rows * t.Acc().Size())
		sumRows(isa, t, to, src, p.rows, p.length, p.length*t.Size())
		of, src = t.Acc(), to
	}
	p.gather(of, from, src)
	n := len(p.offsets)
	for i, size := range p.groups {
		n /= size
		to := dst
		if i < len(p.groups)-1 || t.Rounded() {
			to, sums = sums.take(n * t.Acc().Size())
		}
		if n == 1 {
			sumShort(isa, of, to, from, size)
		} else {
			sumRows(isa, of, to, from, n, size, size*of.Size())
		}
		of, from = t.Acc(), to
	}
	if t.Rounded() {
		roundTo(isa, t, dst, from, n)
	}
	giveScratch(s)
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
