package tensor

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/kernels"
)

// A tensor is cut into pieces at the joints of the tree of its additions. The
// order of a sum (package kernels) is that of blocks: the sum of a sequence is
// that of the sums of its blocks. And groups of reduced axes are summed one after
// the other, the innermost first. So there is one group, the cut one, of which a
// piece has whole blocks, besides all of the groups inside of it and one index of
// those outside; of kept axes it has any range. The sums of all blocks, in the
// accumulators' type, are hundreds of times fewer than the elements, or as many
// as the results. They hold the cut axis and the outer groups still, over which
// they are summed in turn.

// A cutting tells how a tensor is cut into pieces. Its axes are those of the
// tensor that are larger than 1, but the ones of the cut group are one, on which
// pieces are made of whole blocks. They are in the order of memory, the nearest
// last, because to a sum it is all the same where the axes of others lie; only
// the axes of a group stay side by side.
type cutting struct {
	cuts            // on the axis at, dims and ranges count blocks
	strides []int   // of the axes in the tensor; on the axis at, the farthest of seq
	results []int   // of the axes in the result; 0 for reduced ones
	groups  []group // reduced axes, the innermost first
	cut     int     // the group that is cut
	at      int     // its axis
	seq     []axis  // its axes in the tensor
	length  int     // elements of its sequence
	block   int     // elements of a block; all, if there is just one
}

// A group is a range of axes that are neighbours.
type group struct{ from, to int }

// cutTree decides how to cut, where results has the strides of the result's axes,
// and blocks have the given size.
func cutTree(dims, strides, results []int, reduced []bool, block int) *cutting {
	c := new(cutting)
	units, groups := unitsOf(dims, strides, reduced)
	c.groups = make([]group, groups)
	for _, u := range units {
		if u.group >= 0 {
			c.groups[u.group] = group{len(c.dims), len(c.dims) + len(u.axes)}
		}
		for _, a := range u.axes {
			c.dims, c.strides, c.results = append(c.dims, dims[a]), append(c.strides, strides[a]), append(c.results, results[a])
		}
	}
	inside := c.chooseGroup(block)
	c.chooseRanges(inside * c.block)
	return c
}

// A unit is a kept axis, or all axes of a group.
type unit struct {
	axes  []int
	group int // -1 for a kept axis
}

// unitsOf returns the units in the order of memory, the nearest last. Axes of size
// 1 part no groups.
func unitsOf(dims, strides []int, reduced []bool) (units []unit, groups int) {
	for i := len(dims) - 1; i >= 0; i-- {
		last := len(units) - 1
		switch {
		case dims[i] == 1:
		case !reduced[i]:
			units = append(units, unit{[]int{i}, -1})
		case last >= 0 && units[last].group >= 0:
			units[last].axes = slices.Insert(units[last].axes, 0, i)
		default:
			units = append(units, unit{[]int{i}, groups})
			groups++
		}
	}
	slices.SortStableFunc(units, func(a, b unit) int { return cmp.Compare(strides[b.axes[0]], strides[a.axes[0]]) })
	return units, groups
}

// chooseGroup cuts the outermost group of which a piece has room for a block, and
// returns the number of elements in the groups inside of it.
func (c *cutting) chooseGroup(block int) (inside int) {
	size := func(i int) int { return product(c.dims[c.groups[i].from:c.groups[i].to]) }
	inside = 1
	c.length = size(0)
	for i := 1; i < len(c.groups); i++ {
		if inside*c.length*min(size(i), block) > pieceElements {
			break
		}
		inside *= c.length
		c.cut, c.length = i, size(i)
	}
	c.block = min(c.length, block)
	return inside
}

// chooseRanges sets how much of each axis a piece has, beginning with one block of
// some elements, and makes one axis of the cut group's.
func (c *cutting) chooseRanges(elements int) {
	ranges := slices.Repeat([]int{1}, len(c.dims))
	for _, g := range c.groups[:c.cut] {
		copy(ranges[g.from:g.to], c.dims[g.from:g.to])
	}
	g := c.groups[c.cut]
	far := slices.Max(c.strides[g.from:g.to])
	kept := func(i int) bool { return c.results[i] > 0 }
	room := max(1, pieceElements/elements)
	room = grow(ranges, c.dims, c.strides, func(i int) bool { return kept(i) && c.strides[i] < far }, room)
	many := max(1, min(c.length/c.block, room))
	grow(ranges, c.dims, c.strides, func(i int) bool { return kept(i) && c.strides[i] > far }, room/many)

	for i := g.from; i < g.to; i++ {
		c.seq = append(c.seq, axis{size: c.dims[i], from: c.strides[i]})
	}
	c.at = g.from
	c.dims = slices.Replace(c.dims, g.from, g.to, (c.length+c.block-1)/c.block)
	c.strides = slices.Replace(c.strides, g.from, g.to, far)
	c.results = slices.Replace(c.results, g.from, g.to, 0)
	c.cuts = cutsOf(c.dims, slices.Replace(ranges, g.from, g.to, many), c.strides)
	gone := g.to - g.from - 1
	for i := range c.groups {
		if h := &c.groups[i]; h.from > g.from {
			h.from, h.to = h.from-gone, h.to-gone
		}
	}
	c.groups[c.cut].to -= gone
}

// left returns the dimensions of the sums of all blocks.
func (c *cutting) left() []int {
	dims := slices.Clone(c.dims)
	for _, g := range c.groups[:c.cut] {
		for i := g.from; i < g.to; i++ {
			dims[i] = 1
		}
	}
	return dims
}

// sumBlocks sums by pieces, to a result with the given strides. wide makes
// accumulators, narrow rounds them.
func sumBlocks[T, A reducesum.Element](t foreign[T], dst []T, results []int, reduced []bool, pool reducesum.Pool, wide func(*[]A, []T) []A, narrow func(A) T) error {
	c := cutTree(t.dims, t.strides, results, reduced, kernels.BlockBytes/int(unsafe.Sizeof(*new(A))))
	left := c.left()
	whole := c.cut == len(c.groups)-1 && left[c.at] == 1 // pieces have whole results
	var sums []A
	if !whole {
		var err error
		if sums, err = allocate[A](product(left), left); err != nil {
			return err
		}
	}
	strides := rowMajor(left)
	newPiece := func() *piece[T, A] { return &piece[T, A]{tensor: t, cutting: c, wide: wide, narrow: narrow} }
	pieces := freeList[*piece[T, A]]{make: newPiece} // as many as goroutines
	var failed firstError
	do(pool, c.count, func(task int) {
		p := pieces.get()
		defer pieces.put(p)
		start, err := p.sum(task)
		switch {
		case err != nil:
			failed.set(err)
		case whole:
			p.round(dst[dot(start, c.results):], c.results)
		default:
			copyBox(sums[dot(start, strides):], bytesOf(p.x), false, p.box(strides))
		}
	})
	if failed.err != nil || whole {
		return failed.err
	}
	p := newPiece()
	p.x, p.dims = sums, left
	for _, g := range c.groups[c.cut:] {
		if err := p.sumGroup(g); err != nil {
			return err
		}
	}
	p.round(dst, c.results)
	return nil
}

// dot returns how far an index is from the beginning.
func dot(index, strides []int) int {
	n := 0
	for i, x := range index {
		n += x * strides[i]
	}
	return n
}

// A piece is one goroutine's memory for the pieces that it sums.
type piece[T, A reducesum.Element] struct {
	tensor  foreign[T]
	cutting *cutting
	wide    func(*[]A, []T) []A
	narrow  func(A) T

	in  []T // memory for the elements,
	acc []A // for these as accumulators,
	out []A // for the next sums,
	old []A // and for the last ones

	x    []A   // what is to be summed next
	dims []int // of x
}

// sum sums the blocks of one piece to x, and returns where the piece begins.
func (p *piece[T, A]) sum(task int) (start []int, err error) {
	c := p.cutting
	start, p.dims = c.part(task)
	blocks := p.dims[c.at]
	p.fill(start)
	for _, g := range c.groups[:c.cut] {
		if err := p.sumGroup(g); err != nil {
			return nil, err
		}
	}
	return start, p.sumCut(blocks)
}

// fill converts the elements of a piece that begins at start.
func (p *piece[T, A]) fill(start []int) {
	c, t := p.cutting, &p.tensor
	lo := start[c.at] * c.block
	hi := min(lo+p.dims[c.at]*c.block, c.length)
	p.dims[c.at] = hi - lo
	in := take(&p.in, product(p.dims))
	strides := rowMajor(p.dims)
	var others []axis
	from := 0
	for i, s := range start {
		if i != c.at {
			from += s * c.strides[i]
			others = append(others, axis{p.dims[i], c.strides[i], strides[i]})
		}
	}
	splitRange(c.seq, lo, hi, func(box []axis, begin, at int) {
		for i := range box {
			box[i].to *= strides[c.at]
		}
		copyBox(in[at*strides[c.at]:], t.bytes[(from+begin)*t.size():], t.swap, append(box, others...))
	})
	p.x = p.wide(&p.acc, in)
}

// sumGroup sums all of a group.
func (p *piece[T, A]) sumGroup(g group) error {
	outer, reduce, inner := product(p.dims[:g.from]), product(p.dims[g.from:g.to]), product(p.dims[g.to:])
	out := take(&p.out, outer*inner)
	if err := reducesum.SumBlocks(out, p.x, outer, reduce, inner); err != nil {
		return err
	}
	p.done(out)
	for i := g.from; i < g.to; i++ {
		p.dims[i] = 1
	}
	return nil
}

// sumCut sums each block of the cut group, of which the last may be short.
func (p *piece[T, A]) sumCut(blocks int) error {
	c := p.cutting
	outer, length, inner := product(p.dims[:c.at]), p.dims[c.at], product(p.dims[c.at+1:])
	out := take(&p.out, outer*blocks*inner)
	whole := length / c.block
	if rest := length - whole*c.block; rest == 0 {
		if err := reducesum.SumBlocks(out, p.x, outer*blocks, c.block, inner); err != nil {
			return err
		}
	} else {
		for o := range outer {
			src, dst := p.x[o*length*inner:(o+1)*length*inner], out[o*blocks*inner:(o+1)*blocks*inner]
			cut := len(src) - rest*inner
			if err := reducesum.SumBlocks(dst[:whole*inner], src[:cut], whole, c.block, inner); err != nil {
				return err
			}
			if err := reducesum.SumBlocks(dst[whole*inner:], src[cut:], 1, rest, inner); err != nil {
				return err
			}
		}
	}
	p.done(out)
	p.dims[c.at] = blocks
	return nil
}

// done makes the result of a step the input of the next one.
func (p *piece[T, A]) done(out []A) { p.x, p.out, p.old = out, p.old, p.out }

// box returns the axes of x, on their way to memory with the given strides.
func (p *piece[T, A]) box(strides []int) []axis {
	box := make([]axis, len(p.dims))
	for i, s := range rowMajor(p.dims) {
		box[i] = axis{p.dims[i], s, strides[i]}
	}
	return box
}

// round rounds x, and puts it into its place.
func (p *piece[T, A]) round(dst []T, strides []int) {
	rounded := take(&p.in, len(p.x)) // the elements are no longer needed
	for i, x := range p.x {
		rounded[i] = p.narrow(x)
	}
	copyBox(dst, bytesOf(rounded), false, p.box(strides))
}
