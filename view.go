package reducesum

// A view whose axes are no nest of contiguous rows is summed result by result:
// the elements of each sequence are packed into a buffer as long as a block,
// and what the buffers of a group give is the sequence of the group outside.

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// A sequence is summed as its values come, in the order of package kernels,
// with one buffer per level of blocks.
type sequence struct {
	isa kernels.ISA
	t   kernels.Type // of the values that come
	buf unsafe.Pointer
	n   [7]int // values in the buffer of each level
}

// sequenceBytes is the size of a sequence's buffers.
const sequenceBytes = len(sequence{}.n) * kernels.BlockBytes

// room returns where the next values go, and how many of them.
func (s *sequence) room() (unsafe.Pointer, int) {
	if s.n[0] == s.t.Block() {
		s.flush(0)
	}
	return unsafe.Add(s.buf, s.n[0]*s.t.Size()), s.t.Block() - s.n[0]
}

// typeAt returns the type of the values of a level.
func (s *sequence) typeAt(level int) kernels.Type {
	if level == 0 {
		return s.t
	}
	return s.t.Acc()
}

// level returns the buffer of a level.
func (s *sequence) level(i int) unsafe.Pointer { return unsafe.Add(s.buf, i*kernels.BlockBytes) }

// flush sums a level's buffer to a value of the next level.
func (s *sequence) flush(level int) {
	if s.n[level+1] == s.t.Block() {
		s.flush(level + 1)
	}
	dst := unsafe.Add(s.level(level+1), s.n[level+1]*s.t.Acc().Size())
	sumRows(s.isa, s.typeAt(level), dst, s.level(level), 1, s.n[level], 0)
	s.n[level], s.n[level+1] = 0, s.n[level+1]+1
}

// sum writes the sum of all values, of which there is at least one, to dst.
func (s *sequence) sum(dst unsafe.Pointer) {
	for i := range s.n {
		if !s.above(i) {
			sumRows(s.isa, s.typeAt(i), dst, s.level(i), 1, s.n[i], 0)
			return
		}
		if s.n[i] > 0 {
			s.flush(i)
		}
	}
}

// above reports whether a level above level i has values.
func (s *sequence) above(i int) bool {
	for _, n := range s.n[i+1:] {
		if n > 0 {
			return true
		}
	}
	return false
}

// A viewer sums results of a view on one goroutine.
type viewer struct {
	p         *Plan
	t         kernels.Type
	src       unsafe.Pointer
	sequences [maxGroups]sequence // one per group, outermost first
}

// runView sums a view.
func (p *Plan) runView(t kernels.Type, dst, src unsafe.Pointer) {
	if len(p.reduced) == 0 {
		v := viewer{p: p, t: t, src: src}
		v.copy(dst, 0, p.dims, 0)
		return
	}
	elements := p.dstLen
	for _, g := range p.reduced {
		for _, d := range g {
			elements *= d.size
		}
	}
	tasks := taskCount(p.workers, min(p.dstLen, elements*t.Size()/taskBytes))
	if p.workers == 1 || tasks < 2 {
		s := takeScratch()
		p.sumView(t, dst, src, 0, p.dstLen, s)
		giveScratch(s)
		return
	}
	per := (p.dstLen + tasks - 1) / tasks
	j := job{workers: p.workers, pool: p.pool}
	j.do((p.dstLen+per-1)/per, func(i int, s *scratch) { p.sumView(t, dst, src, i*per, min(p.dstLen, (i+1)*per), s) })
}

// sumView sums the results from..to-1 of a view.
func (p *Plan) sumView(t kernels.Type, dst, src unsafe.Pointer, from, to int, s *scratch) {
	v := viewer{p: p, t: t, src: src}
	mem := memory{unsafe.Pointer(s), int(unsafe.Offsetof(s.output))}
	for i := range p.reduced {
		v.sequences[i] = sequence{isa: p.isa, t: t.Acc()}
		v.sequences[i].buf, mem = mem.take(sequenceBytes)
	}
	v.sequences[len(p.reduced)-1].t = t
	acc, most := t.Acc().Size(), len(s.output)/t.Acc().Size()
	for i := from; i < to; i += most {
		n := min(most, to-i)
		sums := unsafe.Add(dst, i*t.Size())
		if t.Rounded() {
			sums = unsafe.Pointer(&s.output)
		}
		for k := range n {
			v.sum(0, v.offset(i+k), unsafe.Add(sums, k*acc))
		}
		if t.Rounded() {
			roundTo(p.isa, t, unsafe.Add(dst, i*t.Size()), sums, n)
		}
	}
}

// offset returns where result i begins in src.
func (v *viewer) offset(i int) int {
	off := 0
	for k := len(v.p.kept) - 1; k >= 0; k-- {
		d := v.p.kept[k]
		off += i % d.size * d.stride
		i /= d.size
	}
	return off
}

// sum sums the sequence of group g that begins at off.
func (v *viewer) sum(g, off int, dst unsafe.Pointer) {
	v.sequences[g].n = [len(v.sequences[g].n)]int{}
	v.push(g, v.p.reduced[g], off)
	v.sequences[g].sum(dst)
}

// push adds the values of some axes of group g to its sequence.
func (v *viewer) push(g int, dims []dim, off int) {
	s := &v.sequences[g]
	if len(dims) == 0 {
		dst, _ := s.room()
		v.sum(g+1, off, dst)
		s.n[0]++
		return
	}
	d := dims[0]
	if len(dims) > 1 || g < len(v.p.reduced)-1 {
		for i := range d.size {
			v.push(g, dims[1:], off+i*d.stride)
		}
		return
	}
	for i := 0; i < d.size; {
		dst, room := s.room()
		n := min(room, d.size-i)
		gather(v.t, dst, unsafe.Add(v.src, (off+i*d.stride)*v.t.Size()), n, d.stride)
		s.n[0] += n
		i += n
	}
}

// copy copies the elements of some axes, in row-major order, to dst from
// element k on, and returns where the next ones go.
func (v *viewer) copy(dst unsafe.Pointer, k int, dims []dim, off int) int {
	d := dims[0]
	if len(dims) == 1 {
		gather(v.t, unsafe.Add(dst, k*v.t.Size()), unsafe.Add(v.src, off*v.t.Size()), d.size, d.stride)
		return k + d.size
	}
	for i := range d.size {
		k = v.copy(dst, k, dims[1:], off+i*d.stride)
	}
	return k
}

// gather copies n elements that lie stride elements apart.
func gather(t kernels.Type, dst, src unsafe.Pointer, n, stride int) {
	switch t.Size() {
	case 2:
		gatherAs[uint16](dst, src, n, stride)
	case 4:
		gatherAs[uint32](dst, src, n, stride)
	default:
		gatherAs[uint64](dst, src, n, stride)
	}
}

func gatherAs[T uint16 | uint32 | uint64](dst, src unsafe.Pointer, n, stride int) {
	to := unsafe.Slice((*T)(dst), n)
	if stride == 1 {
		copy(to, unsafe.Slice((*T)(src), n))
		return
	}
	from := unsafe.Slice((*T)(src), (n-1)*stride+1)
	for i := range to {
		to[i] = from[i*stride]
	}
}
