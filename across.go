package reducesum

// The worst order that a sequence can have in memory is across it: an axis that
// is no inner one has the neighbours, as in a matrix that is contiguous the other
// way round. Elements are then transposed while they are packed. As many indexes
// of that axis are done at the same time as fill some cache lines, and of each
// index a window of what is inside of it, some blocks long. Blocks go on from one
// index to the next, and begin at other places in each; so a window is a block
// longer than the step to the next one, and each index sums the blocks that begin
// in its step.

import "unsafe"

// An across is how a sequence is summed across memory.
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
