package reducesum

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// A summation sums a group, whose sequence is too irregular or too long for one
// pass, for the results of a tile at the same time.
type summation struct {
	*engine
	g      int
	axes   []axis // the results, one behind the other
	n      int    // how many
	rows   bool
	direct bool
	src    unsafe.Pointer
}

// sum sums n elements, from element i on.
func (s *summation) sum(i, n int, dst unsafe.Pointer, mem memory) {
	q, block, acc := &s.groups[s.g], s.t.Block(), s.t.Acc()
	if s.direct {
		s.pass(s.t, s.axes, n, q.inner().stride, dst, unsafe.Add(s.src, q.offset(i)*s.t.Size()))
		return
	}
	if p := s.packing(n); p.elements <= s.capacity() && (n <= block || !s.longRuns()) {
		s.fetch(&p, i, n, p.p)
		s.pass(p.t, p.axes(s.n), n, p.stride, dst, p.p)
		return
	}
	// The sums of all blocks are a sequence; or, if there is no room for so many, as
	// often as there are blocks enough, the sums of blocks of these.
	count, room := (n-1)/block+1, mem.n/(s.n*acc.Size())-1
	p := packing{t: acc, column: 1, stride: s.n}
	if count <= room {
		sums, _ := mem.take(count * s.n * acc.Size())
		s.sumBlocks(i, n, s.n, sums)
		s.pass(acc, p.axes(s.n), count, p.stride, dst, sums)
		return
	}
	row := s.n * acc.Size()
	upper := (count-1)/block + 1
	total, mem := mem.take(upper * row)
	most := max(2*block, mem.n/row-1)
	sums, _ := mem.take(most * row)
	have, done := 0, 0
	for at := 0; at < n; {
		k := min((most-have)*block, n-at)
		s.sumBlocks(i+at, k, s.n, unsafe.Add(sums, have*row))
		have += (k-1)/block + 1
		at += k
		sum := have
		if at < n {
			sum -= have % block
		}
		s.passBlocks(acc, p.axes(s.n), sum, s.n, s.n, unsafe.Add(total, done*row), sums)
		done += (sum-1)/block + 1
		have -= sum
		copy(unsafe.Slice((*byte)(sums), have*row), unsafe.Slice((*byte)(unsafe.Add(sums, sum*row)), have*row))
	}
	s.pass(acc, p.axes(s.n), done, p.stride, dst, total)
}

// capacity is how many elements there is room for.
func (s *summation) capacity() int {
	if s.g == 0 {
		return s.packRoom()
	}
	return s.room(s.g) / 2
}

// longRuns reports whether kernels can read most blocks where they lie.
func (s *summation) longRuns() bool {
	q := &s.groups[s.g]
	return s.g == 0 && q.inner().size >= 4*s.t.Block() && q.readable(s.axes)
}

// sumBlocks sums each block of n elements, from element i on; the sums of a block
// lie row results from those of the next.
func (s *summation) sumBlocks(i, n, row int, dst unsafe.Pointer) {
	q, block, acc := &s.groups[s.g], s.t.Block(), s.t.Acc().Size()
	runs := s.longRuns() || s.direct
	p := s.packing(0)
	p.column, p.stride = 1, s.n
	room := s.capacity() / s.n
	have := 0 // elements that are packed and not summed
	turned, across := s.across()
	for n > 0 || have > 0 {
		if across && have == 0 {
			if k := turned.sum(s, i, n, row, dst); k > 0 {
				dst = unsafe.Add(dst, k/block*row*acc)
				i, n = i+k, n-k
				continue
			}
		}
		if have == 0 && runs {
			run := min(n, q.inner().size-i%q.inner().size)
			if run < n {
				run -= run % block
			}
			if run > 0 {
				s.passBlocks(s.t, s.axes, run, q.inner().stride, row, dst, unsafe.Add(s.src, q.offset(i)*s.t.Size()))
				dst = unsafe.Add(dst, (run+block-1)/block*row*acc)
				i, n = i+run, n-run
				continue
			}
		}
		most := room
		if runs || across {
			most = block
		}
		for n > 0 && have < block && have < most {
			k := s.fetchBox(&p, i, min(n, most-have), unsafe.Add(p.p, have*s.n*p.t.Size()))
			i, n, have = i+k, n-k, have+k
		}
		sum := have
		if n > 0 {
			sum -= have % block
		}
		s.passBlocks(p.t, p.axes(s.n), sum, p.stride, row, dst, p.p)
		dst = unsafe.Add(dst, (sum+block-1)/block*row*acc)
		if have -= sum; have > 0 {
			bytes := s.n * p.t.Size()
			copy(unsafe.Slice((*byte)(p.p), have*bytes), unsafe.Slice((*byte)(unsafe.Add(p.p, sum*bytes)), have*bytes))
		}
	}
}

// passBlocks sums each block of n elements, stride apart, for each result of
// axes; the sums of a block lie row results from those of the next.
func (e *engine) passBlocks(t kernels.Type, axes []axis, n, stride, row int, dst, src unsafe.Pointer) {
	block := t.Block()
	full := n / block
	if full > 0 {
		used := e.used
		all := append(e.take(len(axes)+1), axes...)
		e.pass(t, append(all, axis{full, block * stride, row}), block, stride, dst, src)
		e.used = used
	}
	if n > full*block {
		e.pass(t, axes, n-full*block, stride, unsafe.Add(dst, full*row*t.Acc().Size()), unsafe.Add(src, full*block*stride*t.Size()))
	}
}

// pass sums n elements, stride apart, for each result of some axes: as columns,
// if these are neighbours, else as rows.
func (e *engine) pass(t kernels.Type, axes []axis, n, stride int, dst, src unsafe.Pointer) {
	size, acc := t.Size(), t.Acc().Size()
	p := pass{isa: e.isa, t: t, outer: 1, inner: 1, reduce: n, srcRow: stride * size, scratch: e.scratch}
	outer := -1 // the axis of outer items
	if stride != 1 && len(axes) > 0 && axes[0].stride == 1 && axes[0].out == 1 {
		p.inner = axes[0].size
		axes = axes[1:]
		outer = outerAxis(axes, n*p.inner*size)
	} else {
		for i, a := range axes {
			if a.out == 1 {
				outer = i
			}
		}
	}
	if outer >= 0 {
		a := axes[outer]
		p.outer, p.srcOuter, p.dstOuter = a.size, a.stride*size, a.out*acc
	}
	e.eachPass(p, axes, outer, dst, src)
}

// outerAxis chooses, for columns of a number of bytes, the axis of outer items: the
// one that is nearest in memory, if that is not too little for a call; -1 if there is
// none.
func outerAxis(axes []axis, bytes int) int {
	const enough = 4 << 10
	outer := -1
	for i, a := range axes {
		if outer < 0 || a.size > axes[outer].size {
			outer = i
		}
		if outer == 0 && a.size*bytes >= enough {
			return 0
		}
	}
	return outer
}

// eachPass runs a pass for each index of axes, but the one of its outer items.
func (e *engine) eachPass(p pass, axes []axis, outer int, dst, src unsafe.Pointer) {
	for len(axes) > 0 && len(axes) == outer+1 { // the last axes are looped over first
		axes = axes[:outer]
		outer = -1
	}
	if len(axes) == 0 {
		p.dst, p.src = dst, src
		p.run()
		return
	}
	a := axes[len(axes)-1]
	for i := range a.size {
		e.eachPass(p, axes[:len(axes)-1], outer, unsafe.Add(dst, i*a.out*p.t.Acc().Size()), unsafe.Add(src, i*a.stride*p.t.Size()))
	}
}
