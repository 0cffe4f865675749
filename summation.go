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
		return s.packRoom(&s.groups[0], s.axes)
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
	done := 0 // blocks
	to := func() unsafe.Pointer { return unsafe.Add(dst, done*row*acc) }
	turned, across := s.across()
	for n > 0 || have > 0 {
		if across && have == 0 {
			if k := turned.sum(s, i, n, row, to()); k > 0 {
				done += k / block
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
				s.passBlocks(s.t, s.axes, run, q.inner().stride, row, to(), unsafe.Add(s.src, q.offset(i)*s.t.Size()))
				done += (run + block - 1) / block
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
		s.passBlocks(p.t, p.axes(s.n), sum, p.stride, row, to(), p.p)
		done += (sum + block - 1) / block
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

// passColumns sums a sequence for each result of some axes, which are columns: its rows
// lie equally far apart, or anywhere, if they are few.
func (e *engine) passColumns(q *sequence, axes []axis, dst, src unsafe.Pointer) {
	if len(q.axes) == 1 {
		e.pass(e.t, axes, q.n, q.axes[0].stride, dst, src)
		return
	}
	size, acc := e.t.Size(), e.t.Acc().Size()
	p := pass{isa: e.isa, t: e.t, outer: 1, inner: axes[0].size, reduce: q.n, scratch: e.scratch}
	p.offsets = q.offsets(size, e.scratch.offsets[:q.n])
	axes = axes[1:]
	outer := outerAxis(axes, q.n*p.inner*size)
	if outer >= 0 {
		a := axes[outer]
		p.outer, p.srcOuter, p.dstOuter = a.size, a.stride*size, a.out*acc
	}
	e.eachPass(p, axes, outer, dst, src)
}

// offsets returns how many bytes behind the first element, of the given size, each
// element of a sequence lies.
func (q *sequence) offsets(size int, all []int) []int {
	all[0] = 0
	n := 1
	for i := len(q.axes) - 1; i >= 0; i-- {
		a := q.axes[i]
		for k := n; k < n*a.size; k++ {
			all[k] = all[k-n] + a.stride*size
		}
		n *= a.size
	}
	return all
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

// An across is how a sequence is summed that lies across memory, the worst order
// that it can have: an axis that is no inner one has the neighbours, as in a matrix
// that is contiguous the other way round. Elements are then transposed while they
// are packed. As many indexes of that axis are done at the same time as fill some
// cache lines, and of each index a window of what is inside of it, some blocks
// long. Blocks go on from one index to the next, and begin at other places in each;
// so a window is a block longer than the step to the next one, and each index sums
// the blocks that begin in its step.
type across struct {
	at     int // the axis that has the neighbours
	run    int // indexes of it that are done at the same time
	window int // elements of each, and from one to the next in scratch memory
	step   int // of the window
}

// blocksPerWindow is about how many blocks a window has.
const blocksPerWindow = 8

// across returns how to sum a sequence across memory, and whether that is to be
// done: not if what is inside of an axis is short enough to be packed whole.
func (s *summation) across() (across, bool) {
	q, size := &s.groups[s.g], s.t.Size()
	a, step := across{}, q.step()
	for q.axes[a.at].stride != step {
		a.at++
	}
	line := cacheLine / size
	room := s.capacity()
	a.run = max(line, room/(blocksPerWindow*s.t.Block())/line*line)
	a.window = room/a.run/line*line - line
	if a.window/line%2 == 0 { // rows a power of two apart would compete for the same lines of a cache
		a.window -= line
	}
	a.step = a.window - s.t.Block()
	return a, s.g == 0 && s.rows && s.n == 1 && step*size < cacheLine && q.axes[a.at].out*line > room && a.step > s.t.Block()
}

// sum sums each block of the first of n elements from element i on, and returns
// how many elements that were: none if i is not at the beginning of an index of
// the axis, or if there are too few.
func (a *across) sum(s *summation, i, n, row int, dst unsafe.Pointer) int {
	q, block := &s.groups[s.g], s.t.Block()
	f, inside := q.axes[a.at], q.axes[a.at].out
	from := i / inside
	w := min(a.run, f.size-from%f.size, (i+n)/inside-from)
	if i%inside >= block || w < 2 {
		return 0
	}
	// Blocks end where the next index begins, or go on there; but not after the last one.
	last := from%f.size+w == f.size
	end := (from + w) * inside
	if !last {
		end += block - 1
	}
	end = min(end, i+n) / block * block
	acc := s.t.Acc().Size()
	for x := 0; x < inside; x += a.step {
		a.fill(s, from, w, x, last)
		for k := range w {
			begin := (from+k)*inside + x // of the window
			b := (max(begin, i) + block - 1) / block * block
			e := min((begin+min(a.step, inside-x)+block-1)/block*block, end)
			if b >= e {
				continue
			}
			rows := unsafe.Add(unsafe.Pointer(&s.scratch.pack), (k*a.window+b-begin)*s.t.Size())
			s.passBlocks(s.t, nil, e-b, 1, row, unsafe.Add(dst, (b-i)/block*row*acc), rows)
		}
	}
	return end - i
}

// fill packs the window at x of w indexes of the axis. What is behind the end of
// an index is the beginning of the next.
func (a *across) fill(s *summation, from, w, x int, last bool) {
	inside := s.groups[s.g].axes[a.at].out
	n := min(a.window, inside-x)
	a.pack(s, from, w, x, n, 0)
	if rest := min(a.window-n, s.t.Block()); rest > 0 {
		if last {
			w--
		}
		a.pack(s, from+1, w, 0, rest, n)
	}
}

// pack packs n elements from x on of each of w indexes, behind those that are
// there.
func (a *across) pack(s *summation, from, w, x, n, there int) {
	q := &s.groups[s.g]
	f := q.axes[a.at]
	inside := sequence{q.axes[a.at+1:], f.out}
	src := unsafe.Add(s.src, q.offset(from*f.out)*s.t.Size())
	for n > 0 {
		count, axes := inside.head(x, n)
		used := s.used
		box := append(s.take(len(axes)+1), axis{w, f.stride, a.window})
		for _, b := range axes {
			box = append(box, axis{b.size, b.stride, b.out})
		}
		box[1].size = count
		inMemoryOrder(box)
		to := unsafe.Add(unsafe.Pointer(&s.scratch.pack), there*s.t.Size())
		packBox(s.isa, s.t, to, unsafe.Add(src, inside.offset(x)*s.t.Size()), box)
		s.used = used
		k := count * axes[0].out
		x, n, there = x+k, n-k, there+k
	}
}
