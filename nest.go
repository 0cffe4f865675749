package reducesum

// A tensor is a nest of axes, each with a size, a stride and a role: kept, or
// reduced as part of a group. Packed, transposed, sliced and broadcast tensors
// are the same thing with other strides, and one engine sums them all.
//
// Kept axes are in the order of memory, for it does not matter in which order
// results are made. The axes of a group are in the order of the sum: they are
// one sequence. A sequence that is longer than a block, and that blocks cut only
// at whole indexes of an axis, is two groups: the sum of each block, and the sum
// of these. That is the order of the sum anyway, and lets the axes outside of a
// block be treated like kept ones.

import (
	"cmp"
	"slices"
)

// maxAxes is more than a nest can have, also when axes are cut into blocks: each
// axis doubles the number of elements at least, which an int counts.
const maxAxes = 64

// An axis of elements that are read in one place, and written, or summed, in
// another: from one index to the next it is stride elements here, and out there.
type axis struct{ size, stride, out int }

// A sequence is the axes of a group, outermost first; out counts its elements.
type sequence struct {
	axes []axis
	n    int
}

// A nest is the groups of reduced axes, innermost first, and the kept axes, in
// the order of memory; out counts elements of the result. Kept axes of stride 0
// repeat results.
type nest struct {
	groups  []sequence
	kept    []axis
	repeats []axis
}

// A dim is an axis of a tensor, or neighbouring axes that act as one.
type dim struct {
	size, stride int
	reduced      bool
}

// mergeDims drops the axes of size 1, and merges neighbours of the same kind
// where memory lets one stride serve for both.
func mergeDims(shape, strides []int, reduced []bool) []dim {
	var dims []dim
	for i, size := range shape {
		if size == 1 {
			continue
		}
		d := dim{size, strides[i], reduced[i]}
		if k := len(dims) - 1; k >= 0 && dims[k].reduced == d.reduced && dims[k].stride == d.stride*d.size {
			dims[k].size *= d.size
			dims[k].stride = d.stride
			continue
		}
		dims = append(dims, d)
	}
	return dims
}

// nestOf arranges axes as a nest, for blocks of a number of elements.
func nestOf(dims []dim, block int) nest {
	var n nest
	results := 1
	for to := len(dims); to > 0; {
		from := to - 1
		if d := dims[from]; !d.reduced {
			a := axis{d.size, d.stride, results}
			if results *= d.size; d.stride == 0 {
				n.repeats = append(n.repeats, a)
			} else {
				n.kept = append(n.kept, a)
			}
			to = from
			continue
		}
		for from > 0 && dims[from-1].reduced {
			from--
		}
		for q, more := sequenceOf(dims[from:to]), true; more; {
			var blocks sequence
			blocks, q, more = q.cut(block)
			n.groups = append(n.groups, blocks)
		}
		to = from
	}
	inMemoryOrder(n.kept)
	n.kept = joinAxes(n.kept)
	return n
}

// rows reports whether a nest is rows of neighbours, whose results are neighbours, too:
// a single call of a kernel, if it is small.
func (n *nest) rows() bool {
	if len(n.groups) != 1 || len(n.repeats) > 0 || len(n.kept) > 1 || len(n.groups[0].axes) > 1 {
		return false
	}
	return n.groups[0].inner().stride == 1
}

// sequenceOf returns the sequence of some axes, outermost first.
func sequenceOf(dims []dim) sequence {
	q := sequence{axes: make([]axis, len(dims)), n: 1}
	for i := len(dims) - 1; i >= 0; i-- {
		q.axes[i] = axis{dims[i].size, dims[i].stride, q.n}
		q.n *= dims[i].size
	}
	return q
}

// cut cuts a sequence into its first block, which stands for all, and the
// sequence of blocks, if these end at whole indexes of an axis. Otherwise, or if
// there is nothing to gain, it returns the sequence itself.
func (q sequence) cut(block int) (blocks, rest sequence, ok bool) {
	if len(q.axes) < 2 || q.n <= block {
		return q, sequence{}, false
	}
	i := len(q.axes) - 1
	for q.axes[i].size*q.axes[i].out < block {
		i--
	}
	a := q.axes[i]
	inside := block / a.out // indexes of axis i that a block has
	if inside*a.out != block || a.size%inside != 0 {
		return q, sequence{}, false
	}
	if inside > 1 {
		blocks.axes = append(blocks.axes, axis{inside, a.stride, a.out})
	}
	blocks.axes = append(blocks.axes, q.axes[i+1:]...)
	blocks.n = block
	for _, b := range q.axes[:i] {
		rest.axes = append(rest.axes, axis{b.size, b.stride, b.out / block})
	}
	if inside < a.size {
		rest.axes = append(rest.axes, axis{a.size / inside, a.stride * inside, 1})
	}
	rest.n = q.n / block
	return blocks, rest, true
}

// inner is the innermost axis.
func (q *sequence) inner() axis { return q.axes[len(q.axes)-1] }

// step is the least distance in memory of two elements that are not the same; 0
// if all are.
func (q *sequence) step() int {
	step := 0
	for _, a := range q.axes {
		if a.stride > 0 && (step == 0 || a.stride < step) {
			step = a.stride
		}
	}
	return step
}

// distinct is the number of elements that are not repeated.
func (q *sequence) distinct() int { return distinct(q.axes) }

// inRows reports whether the elements of a result, rather than the same element
// of several results, are nearest to each other in memory.
func (q *sequence) inRows(box []axis) bool {
	return len(box) == 0 || q.step() > 0 && q.step() < box[0].stride
}

// readable reports whether kernels can read elements of the innermost axis for
// the results of a box: as rows, or as columns that are not too narrow.
func (q *sequence) readable(box []axis) bool {
	const narrow = 16 // columns, in rows that lie apart, that are not worth a row
	stride := q.inner().stride
	return stride == 1 || len(box) > 0 && box[0].stride == 1 && (box[0].size >= narrow || box[0].size == stride)
}

// gaps reports whether columns of a sequence are to be read where they lie, although
// there are gaps between them, or its rows lie anywhere: these are then no more than
// lanes.
func (q *sequence) gaps(box []axis, lanes int) bool {
	if len(box) == 0 || box[0].stride > maxGap || box[0].size < minColumns {
		return false
	}
	return len(q.axes) == 1 && !q.inRows(box) || len(q.axes) > 1 && q.n <= lanes
}

// offset is where element i lies.
func (q *sequence) offset(i int) int {
	off := 0
	for _, a := range q.axes {
		off += i / a.out % a.size * a.stride
	}
	return off
}

// head returns the largest box that n elements from element i on begin with: a
// number of indexes of the first of the axes returned, and all of the others.
func (q *sequence) head(i, n int) (count int, axes []axis) {
	axes = q.axes
	for axes[0].out > n || i%axes[0].out != 0 {
		axes = axes[1:]
	}
	a := axes[0]
	return min(n/a.out, a.size-i/a.out%a.size), axes
}

// joined makes one axis of neighbours that memory allows to be one.
func (q sequence) joined() sequence {
	axes := q.axes[:1]
	for _, a := range q.axes[1:] {
		if last := &axes[len(axes)-1]; last.stride == a.size*a.stride {
			*last = axis{last.size * a.size, a.stride, a.out}
		} else {
			axes = append(axes, a)
		}
	}
	return sequence{axes, q.n}
}

// inMemoryOrder sorts axes: those whose elements are nearest to each other come
// first, those that repeat elements last.
func inMemoryOrder(box []axis) {
	slices.SortStableFunc(box, func(a, b axis) int { return cmp.Compare(uint(a.stride)-1, uint(b.stride)-1) })
}

// joinAxes drops axes of size 1, and makes one axis of neighbours that both
// kinds of memory allow to be one.
func joinAxes(box []axis) []axis {
	joined := box[:0]
	for _, a := range box {
		if a.size == 1 {
			continue
		}
		if k := len(joined) - 1; k >= 0 && a.stride == joined[k].size*joined[k].stride && a.out == joined[k].size*joined[k].out {
			joined[k].size *= a.size
			continue
		}
		joined = append(joined, a)
	}
	return joined
}

// indexes is the number of indexes of a box.
func indexes(box []axis) int {
	n := 1
	for _, a := range box {
		n *= a.size
	}
	return n
}

// distinct is the number of indexes of a box that repeat no elements.
func distinct(box []axis) int {
	n := 1
	for _, a := range box {
		if a.stride > 0 {
			n *= a.size
		}
	}
	return n
}
