package reducesum

// Columns are summed by the tree of package kernels, read as a list of
// weights: a subtree is a set of rows, base + any sum of some weights, and
// the kernel adds up to eight of them at a time, going up the tree with the sums
// of the subtrees to the left, which wait in the slots of a stack.
//
// Short rows are joined first: 2^b neighbouring rows, one behind the other in
// memory, act as one row of a matrix with fewer, longer rows, because the low
// b weights 1, 2, 4, ... are the last ones of the tree. What comes out are 2^b
// rows of partial sums, whose columns are summed in the same way.

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

const (
	// joinBytes is the size, in bytes of accumulators, that joined rows do not
	// exceed: a part of the first-level cache.
	joinBytes = 16 << 10
	// stages is for how many rows more there is memory: partial sums of joined
	// rows, which wait while their columns are summed.
	stages = 2
	// narrowBytes is the size of a row of accumulators up to which the sums of
	// all blocks are kept, to be summed as a matrix of their own.
	narrowBytes = 32
	// tileBytes is how many bytes of accumulators are as many columns as a program sums at
	// once: what a node reads is less than kernels.MaxBytes, and several slots stay in the
	// first-level cache. Runs in memory should be long, so it is more for elements that are
	// half as long as their accumulators.
	tileBytes        = 12 << 10
	tileBytesRounded = 16 << 10
)

// A matrix is outer matrices of the same shape, with rows of width elements
// that lie row bytes apart. Their columns are summed to dst.
type matrix struct {
	isa                     kernels.ISA
	t                       kernels.Type
	dst, src                unsafe.Pointer
	outer, width            int
	srcOuter, row, dstOuter int
	overrun                 overrun
	// behind says that a vector may be read behind the last row.
	behind   bool
	programs *programs
}

// overrun says what lies behind a row of results: something that must not be written,
// the row that is written next, or space for the rest of a vector.
type overrun uint8

const (
	tight overrun = iota
	packed
	padded
)

// columns sums a pass whose elements to be summed lie apart: a few outer items at
// a time, and tiles of columns, so that the slots stay in the cache.
func (p *pass) columns() {
	mem := memory{unsafe.Pointer(&p.scratch.pass), len(p.scratch.pass)}
	known, mem := mem.takePrograms()
	acc := p.t.Acc().Size()
	levels := levelsOf(p.reduce, p.t.Block())
	slots := levels*treeSlots + stages + 1
	if levels > 2 {
		slots *= 2 // joined rows may be as wide as all the slots above them
	}
	width := tileWidth(p.inner, min(mem.n/slots/acc, mostColumns(p.t)))
	items := 1
	if levels == 1 {
		items = min(p.outer, itemsAtOnce(p.isa, p.t, p.reduce, width, p.srcRow, mem.n))
	}
	for o := 0; o < p.outer; o += items {
		for c := 0; c < p.inner; c += width {
			m := matrix{
				isa: p.isa, t: p.t, outer: min(items, p.outer-o), width: min(width, p.inner-c),
				dst:      unsafe.Add(p.dst, o*p.dstOuter+c*acc),
				src:      unsafe.Add(p.src, o*p.srcOuter+c*p.t.Size()),
				srcOuter: p.srcOuter, row: p.srcRow, dstOuter: p.dstOuter,
				programs: known,
			}
			if p.dstOuter == p.inner*acc && width == p.inner {
				m.overrun = packed
			}
			m.sum(p.reduce, mem)
		}
	}
}

// scattered sums a pass of a few rows that lie anywhere: no more than a row of lanes
// has.
func (p *pass) scattered() {
	mem := memory{unsafe.Pointer(&p.scratch.pass), len(p.scratch.pass)}
	programs, mem := mem.takePrograms()
	acc := p.t.Acc().Size()
	width := tileWidth(p.inner, mostColumns(p.t))
	for c := 0; c < p.inner; c += width {
		m := matrix{
			isa: p.isa, t: p.t, outer: p.outer, width: min(width, p.inner-c),
			dst:      unsafe.Add(p.dst, c*acc),
			src:      unsafe.Add(p.src, c*p.t.Size()),
			srcOuter: p.srcOuter, dstOuter: p.dstOuter,
		}
		if p.dstOuter == p.inner*acc && width == p.inner {
			m.overrun = packed
		}
		slot := pitch(m.isa, m.width*acc)
		t := rowTree{reduce: len(p.offsets), offsets: p.offsets, slot: slot, nodes: programs.nodes[:]}
		t.scattered(0, 0, 0, 0)
		slots, _ := mem.take(treeSlots * slot)
		r := newRun(&m, slices.Max(p.offsets), slots, slot)
		r.program(t.nodes[:t.n])
	}
}

// mostColumns is how many columns a program sums at once.
func mostColumns(t kernels.Type) int {
	if t.Rounded() {
		return tileBytesRounded / t.Acc().Size()
	}
	return tileBytes / t.Size()
}

// tileWidth returns the width of tiles of n columns, up to most, that are about equal: a
// last one of a few columns would read little of each line.
func tileWidth(n, most int) int {
	const whole = 64 // columns: no tile but the last one ends inside of a vector
	if n <= most {
		return n
	}
	tiles := (n + most&^(whole-1) - 1) / (most &^ (whole - 1))
	return ((n+tiles-1)/tiles + whole - 1) &^ (whole - 1)
}

// levelsOf returns how many levels of blocks a sequence of n elements has.
func levelsOf(n, block int) int {
	levels := 1
	for ; n > block; n = (n + block - 1) / block {
		levels++
	}
	return levels
}

// joined returns the b for which 2^b rows are to be joined: so many that eight to
// sixteen rows remain, which take two nodes, of long runs of memory; or eight at most,
// which take one, if rows are shorter than a vector. Other rows are not joined if one
// program sums their columns at once.
func joined(t kernels.Type, reduce, width, row int) int {
	if row != width*t.Size() || reduce <= 1<<kernels.ColsLevels {
		return 0
	}
	b := bits.Len(uint(reduce)) - 1 - kernels.ColsLevels
	switch narrow := width*t.Acc().Size() < narrowBytes; {
	case narrow:
		b = bits.Len(uint(reduce-1)) - kernels.ColsLevels
	case reduce <= t.Lanes():
		return 0
	}
	b = min(b, bits.Len(uint(t.Lanes()))-1)
	for b > 0 && width*t.Acc().Size()<<b > joinBytes {
		b--
	}
	return b
}

// itemsAtOnce is for how many outer items there is memory: partial sums of joined
// rows, and of these where they are joined in turn.
func itemsAtOnce(isa kernels.ISA, t kernels.Type, reduce, width, row, bytes int) int {
	item, slot := 0, 0
	for b := joined(t, reduce, width, row); b > 0; b = joined(t, reduce, width, row) {
		run := pitch(isa, width*t.Acc().Size()<<b+kernels.ISAs[isa].VecBytes)
		item, slot = item+run, max(slot, run)
		reduce, t, row = 1<<b, t.Acc(), width*t.Acc().Size()
	}
	if item == 0 {
		return math.MaxInt
	}
	return max(1, (bytes-(treeSlots+stages)*slot)/item)
}

// pitch is the number of bytes from one row of accumulators in scratch memory to
// the next: whole vectors.
func pitch(isa kernels.ISA, row int) int {
	v := kernels.ISAs[isa].VecBytes
	return (row + v - 1) &^ (v - 1)
}

// sum sums the columns of reduce rows.
func (m *matrix) sum(reduce int, mem memory) {
	block := m.t.Block()
	if reduce > block {
		if m.width*m.t.Acc().Size() <= narrowBytes && m.row == m.width*m.t.Size() {
			m.sumNarrow(reduce, mem)
			return
		}
		m.sumTreeOfBlocks(reduce, mem)
		return
	}
	b := joined(m.t, reduce, m.width, m.row)
	if b == 0 {
		m.sumTree(reduce, m.t.Lanes(), mem)
		return
	}
	acc, size := m.t.Acc().Size(), m.t.Size()
	run := m.width << b
	rows, rest := reduce>>b, reduce&(1<<b-1)*m.width
	partialRow := pitch(m.isa, run*acc+kernels.ISAs[m.isa].VecBytes-1) // the columns behind rest may end anywhere in a vector
	partial, mem := mem.take(m.outer * partialRow)
	j := *m
	j.row, j.dst, j.dstOuter, j.overrun = m.row<<b, partial, partialRow, padded
	if rest > 0 { // columns that have one row more
		j.width = rest
		j.sumTree(rows+1, m.t.Lanes()>>b, mem)
	}
	j.width = run - rest
	j.src, j.dst = unsafe.Add(j.src, rest*size), unsafe.Add(j.dst, rest*acc)
	j.sumTree(rows, m.t.Lanes()>>b, mem)

	f := *m
	f.t, f.src, f.srcOuter, f.row, f.behind = m.t.Acc(), partial, partialRow, m.width*acc, true
	f.sum(1<<b, mem)
}

// sumNarrow sums more than a block of narrow rows: the blocks as outer items
// of a pass, then the rows of their sums.
func (m *matrix) sumNarrow(reduce int, mem memory) {
	acc, block := m.t.Acc().Size(), m.t.Block()
	chunk := block // rows per row of sums
	for (reduce+chunk-1)/chunk > block {
		chunk *= block
	}
	full, rest := reduce/chunk, reduce%chunk
	count := (reduce + chunk - 1) / chunk
	f := *m
	f.row = m.width * acc
	f.srcOuter = count * f.row
	f.t = m.t.Acc()
	f.src, mem = mem.take(f.srcOuter + kernels.ISAs[m.isa].VecBytes)
	f.behind = true
	b, s := *m, f
	b.overrun = padded // but where a row follows, it is written later
	for o := range m.outer {
		b.src, b.dst = unsafe.Add(m.src, o*m.srcOuter), f.src
		b.outer, b.srcOuter, b.dstOuter = full, chunk*m.row, f.row
		if chunk == block {
			b.sumInBatches(block, mem)
		} else {
			b.sum(chunk, mem)
		}
		if rest > 0 {
			b.src, b.dst, b.outer = unsafe.Add(b.src, full*chunk*b.row), unsafe.Add(b.dst, full*f.row), 1
			b.sum(rest, mem)
		}
		s.outer, s.dst = 1, unsafe.Add(m.dst, o*m.dstOuter)
		s.sum(count, mem)
	}
}

// sumInBatches sums outer items of up to a block of rows, as many at a time as
// there is memory for.
func (m *matrix) sumInBatches(reduce int, mem memory) {
	items := itemsAtOnce(m.isa, m.t, reduce, m.width, m.row, mem.n)
	b := *m
	for o := 0; o < m.outer; o += items {
		b.outer = min(items, m.outer-o)
		b.src, b.dst = unsafe.Add(m.src, o*m.srcOuter), unsafe.Add(m.dst, o*m.dstOuter)
		b.sum(reduce, mem)
	}
}

// sumTreeOfBlocks sums more than a block of rows: the blocks in the order of
// the tree of their sums.
func (m *matrix) sumTreeOfBlocks(reduce int, mem memory) {
	block := m.t.Block()
	blocks := (reduce + block - 1) / block
	acc := m.t.Acc()
	slot := pitch(m.isa, m.width*acc.Size())
	slots, mem := mem.take((depth(acc, blocks) + 1) * slot)
	b := *m
	b.outer, b.overrun = 1, padded
	for o := range m.outer {
		for order := newTreeOrder(acc, blocks); order.more(); {
			i := order.index()
			b.src = unsafe.Add(m.src, o*m.srcOuter+i*block*m.row)
			b.dst = unsafe.Add(slots, order.slot*slot)
			b.behind = m.behind || i < blocks-1
			b.sum(min(block, reduce-i*block), mem)
			for merges := order.next(); merges > 0; merges-- {
				order.slot--
				mergeSlots(m.isa, acc, slots, order.slot, slot/acc.Size())
			}
			order.slot++
		}
		copyRow(acc, unsafe.Add(m.dst, o*m.dstOuter), slots, m.width)
	}
}

// sumTree sums up to a block of rows with the tree for the given number of
// lanes: that of a block, or less for joined rows.
func (m *matrix) sumTree(reduce, lanes int, mem memory) {
	width := tileWidth(m.width, mostColumns(m.t))
	if m.width == width {
		m.sumTile(reduce, lanes, mem)
		return
	}
	for c := 0; c < m.width; c += width {
		tile := m.tile(c, width)
		tile.sumTile(reduce, lanes, mem)
	}
}

// sumTile is sumTree for no more columns than a node takes.
func (m *matrix) sumTile(reduce, lanes int, mem memory) {
	slot := pitch(m.isa, m.width*m.t.Acc().Size())
	nodes := m.programs.get(programKey{reduce, lanes, m.row, slot})
	slots, _ := mem.take(treeSlots * slot)
	r := newRun(m, (reduce-1)*m.row, slots, slot)
	r.program(nodes)
}

// tile returns a tile of the columns, of the given width, whole vectors, or what is left.
func (m *matrix) tile(column, width int) matrix {
	tile := *m
	tile.width = min(width, m.width-column)
	tile.src, tile.dst = unsafe.Add(m.src, column*m.t.Size()), unsafe.Add(m.dst, column*m.t.Acc().Size())
	if m.overrun == packed && width < m.width { // the next row begins with another tile, which is there already
		tile.overrun = tight
	}
	return tile
}

// addSecond adds the second one of two rows to the first.
func (m *matrix) addSecond() {
	most := mostColumns(m.t)
	for c := 0; c < m.width; c += most {
		tile := m.tile(c, most)
		node := [1]kernels.ColsNode{{Tree: int(treeOf[0b11]), Strides: [kernels.ColsLevels]int{m.row}}}
		r := newRun(&tile, 2, nil, 0)
		r.program(node[:])
	}
}

// A treeOrder goes through the elements of a sequence in the order of the
// leaves of its tree, so that elements which are rows, made one by one, need
// little memory: the sums of the subtrees to the left of the current leaf
// wait in slots, one per level of the tree.
//
//	for o := newTreeOrder(t, n); o.more(); {
//		make element o.index() in slot o.slot
//		for merges := o.next(); merges > 0; merges-- {
//			o.slot--
//			add slot o.slot+1 to slot o.slot
//		}
//		o.slot++
//	}
//
// leaves the sum in slot 0.
type treeOrder struct {
	t      kernels.Type
	n      int
	leaf   uint64 // its number in the tree
	levels int
	slot   int
	first  [64]uint64 // the first leaf of each slot's subtree
}

// newTreeOrder returns the order of the tree of n elements.
func newTreeOrder(t kernels.Type, n int) treeOrder {
	return treeOrder{t: t, n: n, levels: depth(t, n)}
}

// depth is the number of levels of the tree of n elements, or a few more.
func depth(t kernels.Type, n int) int {
	return t.LogBlock() * levelsOf(n, t.Block())
}

func (o *treeOrder) more() bool { return o.leaf>>o.levels == 0 }

// index is the current leaf's index in the sequence.
func (o *treeOrder) index() int {
	i := uint64(0)
	for x := o.leaf; x != 0; x &= x - 1 {
		i += weight(o.t, bits.TrailingZeros64(x))
		if i >= uint64(o.n) {
			return o.n
		}
	}
	return int(i)
}

// next goes to the next leaf that exists, and returns how many slots are to be
// merged first, from the last one down.
func (o *treeOrder) next() int {
	leaf := o.leaf
	o.first[o.slot] = leaf
	o.leaf++
	for o.more() && o.index() >= o.n {
		o.leaf += o.leaf & -o.leaf // all leaves of the subtree that begins here lie further
	}
	level := bits.Len64(leaf^o.leaf) - 1 // of the subtree that is complete
	merges := 0
	for k := o.slot - 1; k >= 0 && o.first[k]>>level == leaf>>level; k-- {
		merges++
	}
	return merges
}

// weight returns weight i of the tree of a sequence: the weights of a block,
// then those of the block sums, a block apart, and so on.
func weight(t kernels.Type, i int) uint64 {
	perBlock := t.LogBlock()
	return uint64(kernels.Weight(t.Lanes(), i%perBlock)) << (i / perBlock * perBlock)
}

// mergeSlots adds row i+1 of some rows of n accumulators to row i.
func mergeSlots(isa kernels.ISA, t kernels.Type, rows unsafe.Pointer, i, n int) {
	row := n * t.Size()
	at := unsafe.Add(rows, i*row)
	m := matrix{isa: isa, t: t, dst: at, src: at, outer: 1, width: n, row: row}
	m.addSecond()
}

// copyRow copies a row of n accumulators.
func copyRow(t kernels.Type, dst, src unsafe.Pointer, n int) {
	n *= t.Size()
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}
