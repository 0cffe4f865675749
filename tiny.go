package reducesum

// A small tensor is summed before an engine has cut it up: its elements are
// gathered in the order of the sum, by a list of their offsets that the plan
// made, so that each group is rows.

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// tinyElements is up to how many elements a tensor is small.
const tinyElements = 128

// A tiny is the sum of a small tensor.
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
