package reducesum

import (
	"math/bits"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// A pass sums the middle axis of [outer, reduce, inner] into accumulators of
// shape [outer, inner], whose rows lie dstOuter bytes apart. The elements of an
// inner row are neighbours in memory; when inner is 1, those of a row to be summed
// are, or lie srcRow apart, as a matrix of one column.
type pass struct {
	isa                  kernels.ISA
	t                    kernels.Type
	dst, src             unsafe.Pointer
	outer, reduce, inner int
	srcOuter, srcRow     int // bytes from one outer item, from one row to the next
	dstOuter             int
	offsets              []int // bytes: of the rows of an item, if these do not lie srcRow apart
	scratch              *scratch
}

func (p *pass) run() {
	switch {
	case p.offsets != nil:
		p.scattered()
	case p.inner > 1 || p.srcRow != p.t.Size(): // one column of a tile is no row
		p.columns()
	case p.reduce <= p.t.Block():
		sumRows(p.isa, p.t, p.dst, p.src, p.outer, p.reduce, p.srcOuter)
	default:
		p.longRows()
	}
}

// longRows sums rows that are longer than a block: their block sums first, as
// many rows at a time as there is memory for, then the rows of block sums.
func (p *pass) longRows() {
	t, acc, size := p.t, p.t.Acc(), p.t.Size()
	block := t.Block()
	n := (p.reduce + block - 1) / block
	full, rest := p.reduce/block, p.reduce%block
	if n > block || n <= kernels.SumBlocks && rest > 0 {
		for o := range p.outer {
			p.longRow(unsafe.Add(p.dst, o*acc.Size()), unsafe.Add(p.src, o*p.srcOuter), p.reduce, 0)
		}
		return
	}
	buf := unsafe.Pointer(&p.scratch.pass)
	most := len(p.scratch.pass) / acc.Size() / n
	for o := 0; o < p.outer; o += most {
		items := min(most, p.outer-o)
		src := unsafe.Add(p.src, o*p.srcOuter)
		if rest == 0 && p.srcOuter == p.reduce*size {
			sumRows(p.isa, t, buf, src, items*n, block, block*size)
		} else {
			for i := range items {
				src, sums := unsafe.Add(src, i*p.srcOuter), unsafe.Add(buf, i*n*acc.Size())
				sumRows(p.isa, t, sums, src, full, block, block*size)
				if rest > 0 {
					sumRows(p.isa, t, unsafe.Add(sums, full*acc.Size()), unsafe.Add(src, full*block*size), 1, rest, 0)
				}
			}
		}
		sumRows(p.isa, acc, unsafe.Add(p.dst, o*acc.Size()), buf, items, n, n*acc.Size())
	}
}

// longRow sums one row of n elements with one buffer, a block long, per level
// of block sums.
func (p *pass) longRow(dst, src unsafe.Pointer, n, level int) {
	t, acc := p.t, p.t.Acc()
	block := t.Block()
	if n <= kernels.SumBlocks*block {
		sumShort(p.isa, t, dst, src, n)
		return
	}
	chunk := block // elements per value of this level
	for (n+chunk-1)/chunk > block {
		chunk *= block
	}
	buf := unsafe.Pointer(&p.scratch.pass[level*kernels.BlockBytes])
	count := (n + chunk - 1) / chunk
	i := 0
	if chunk == block {
		i = n / block
		sumRows(p.isa, t, buf, src, i, block, block*t.Size())
	}
	for ; i < count; i++ {
		p.longRow(unsafe.Add(buf, i*acc.Size()), unsafe.Add(src, i*chunk*t.Size()), min(chunk, n-i*chunk), level+1)
	}
	sumRows(p.isa, acc, dst, buf, 1, count, 0)
}

// What follows calls the kernels, a piece at a time, so that no
// call reads more than kernels.MaxBytes. A row that lies apart counts as a cache
// line at least: what is not read of a line is fetched all the same.

const cacheLine = 64

// sumRows writes the sum of each of outer rows of n elements, 1 <= n <= block,
// that lie stride bytes apart, to consecutive accumulators.
func sumRows(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer, outer, n, stride int) {
	var a kernels.RowsArgs // field by field: a literal is copied, and its parts stall the copy
	a.Dst, a.Src, a.Outer, a.N, a.Stride = dst, src, outer, n, stride
	row := n * t.Size()
	if stride > row {
		row = max(row, cacheLine)
	}
	if outer <= 1 || outer*row <= kernels.MaxBytes {
		callRows(isa, t, &a)
		return
	}
	most := kernels.MaxBytes / row
	for o := 0; o < outer; o += most {
		a.Dst, a.Src = unsafe.Add(dst, o*t.Acc().Size()), unsafe.Add(src, o*stride)
		a.Outer = min(most, outer-o)
		callRows(isa, t, &a)
	}
}

// sumShort sums n elements, up to kernels.SumBlocks blocks, to an accumulator.
func sumShort(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer, n int) {
	var a kernels.SumArgs
	a.Dst, a.Src, a.N = dst, src, n
	sum(&a, isa, t)
}

// callRows calls the kernel for the rows' length.
func callRows(isa kernels.ISA, t kernels.Type, a *kernels.RowsArgs) {
	if a.N < t.Block() {
		rows(a, isa, t)
		return
	}
	blocks(a, isa, t)
}

// callCols does what a says of cols: as many items at a time as may be, or some
// nodes of one.
func callCols(isa kernels.ISA, t kernels.Type, a *kernels.ColsArgs) {
	nodes := unsafe.Slice(a.Nodes, a.Count)
	item := 0 // bytes that it reads
	for i := range nodes {
		item += nodeBytes(t, &nodes[i], a.N)
	}
	if item > kernels.MaxBytes {
		for o := range a.Outer {
			b := *a
			b.Src, b.Dst, b.Outer = unsafe.Add(a.Src, o*a.SrcOuter), unsafe.Add(a.Dst, o*a.DstOuter), 1
			callNodes(isa, t, &b, nodes)
		}
		return
	}
	items := kernels.MaxBytes / item
	if a.Outer <= items {
		cols(a, isa, t)
		return
	}
	b := *a
	for o := 0; o < a.Outer; o += items {
		b.Src, b.Dst, b.Outer = unsafe.Add(a.Src, o*a.SrcOuter), unsafe.Add(a.Dst, o*a.DstOuter), min(items, a.Outer-o)
		cols(&b, isa, t)
	}
}

// callNodes does what a says of cols for one item, some nodes at a time.
func callNodes(isa kernels.ISA, t kernels.Type, a *kernels.ColsArgs, nodes []kernels.ColsNode) {
	for i := 0; i < len(nodes); {
		j, bytes := i, 0
		for j < len(nodes) && (bytes == 0 || bytes+nodeBytes(t, &nodes[j], a.N) <= kernels.MaxBytes) {
			bytes += nodeBytes(t, &nodes[j], a.N)
			j++
		}
		b := *a
		b.Nodes, b.Count = &nodes[i], j-i
		if j < len(nodes) {
			b.Dst = unsafe.Add(a.Slots, nodes[j-1].To)
		}
		cols(&b, isa, t)
		i = j
	}
}

// nodeBytes is the number of bytes that a node reads for n columns.
func nodeBytes(t kernels.Type, node *kernels.ColsNode, n int) int {
	rows := bits.OnesCount8(kernels.Trees[node.Tree])
	return rows*max(n*t.Size(), cacheLine) + node.Lefts*n*t.Acc().Size()
}

// roundTo rounds n accumulators to elements of t.
func roundTo(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer, n int) {
	const most = kernels.MaxBytes / 4
	for i := 0; i < n; i += most {
		a := kernels.RoundArgs{Dst: unsafe.Add(dst, i*t.Size()), Src: unsafe.Add(src, i*t.Acc().Size()), N: min(most, n-i)}
		round(&a, isa, t)
	}
}

// packElements does what a says of pack.
func packElements(isa kernels.ISA, t kernels.Type, a kernels.PackArgs) {
	a = packOrder(t.Size(), a)
	b := a
	b.Outer, b.Rows, b.Cols = packPiece(t.Size(), &a)
	outer, rows, cols := b.Outer, b.Rows, b.Cols
	for o := 0; o < a.Outer; o += outer {
		b.Outer = min(outer, a.Outer-o)
		for r := 0; r < a.Rows; r += rows {
			b.Rows = min(rows, a.Rows-r)
			for c := 0; c < a.Cols; c += cols {
				b.Cols = min(cols, a.Cols-c)
				b.Src = unsafe.Add(a.Src, o*a.SrcOuter+r*a.SrcRow+c*a.SrcCol)
				b.Dst = unsafe.Add(a.Dst, o*a.DstOuter+r*a.DstRow+c*a.DstCol)
				pack(&b, isa, t)
			}
		}
	}
}

// packOrder returns a with its axes in the order for which pack has its fast forms:
// columns are neighbours in Src if any elements are, rows neighbours in Dst if columns
// are not; an axis of size 1 is an outer one.
func packOrder(size int, a kernels.PackArgs) kernels.PackArgs {
	for range 2 {
		if a.Cols == 1 {
			swapRowsCols(&a)
		}
		if a.Rows == 1 {
			swapOuterRows(&a)
		}
	}
	if a.SrcCol != size && a.SrcRow != size && a.SrcOuter == size {
		swapOuterRows(&a)
	}
	if a.SrcRow == size && (a.SrcCol != size || a.DstRow == size) {
		swapRowsCols(&a)
	}
	if a.SrcCol != size && a.DstCol == size {
		swapRowsCols(&a)
	}
	if a.DstCol != size && a.DstRow != size && (a.DstOuter == size || a.Outer > a.Rows) {
		swapOuterRows(&a)
	}
	return a
}

func swapRowsCols(a *kernels.PackArgs) {
	a.Rows, a.SrcRow, a.DstRow, a.Cols, a.SrcCol, a.DstCol = a.Cols, a.SrcCol, a.DstCol, a.Rows, a.SrcRow, a.DstRow
}

func swapOuterRows(a *kernels.PackArgs) {
	a.Rows, a.SrcRow, a.DstRow, a.Outer, a.SrcOuter, a.DstOuter = a.Outer, a.SrcOuter, a.DstOuter, a.Rows, a.SrcRow, a.DstRow
}

// packPiece returns how much of a is packed at a time: whole matrices, or else parts of
// one, whole cache lines wide and high.
func packPiece(size int, a *kernels.PackArgs) (outer, rows, cols int) {
	const lines = 3 // that an element may touch: the 16 bytes that are read may lie in two
	if a.Outer*a.Rows*a.Cols <= kernels.MaxBytes/(lines*cacheLine) {
		return a.Outer, a.Rows, a.Cols
	}
	unit := cacheLine / size
	half := func(n int) int { return (n/2 + unit - 1) / unit * unit }
	rows, cols = a.Rows, a.Cols
	bytes := packBytes(size, a, rows, cols)
	for ; bytes > kernels.MaxBytes; bytes = packBytes(size, a, rows, cols) {
		if rows > unit {
			rows = half(rows)
		} else {
			cols = half(cols)
		}
	}
	if rows < a.Rows || cols < a.Cols {
		return 1, rows, cols
	}
	return min(a.Outer, kernels.MaxBytes/bytes), rows, cols
}

// packBytes is how many bytes the cache lines have at most that are touched on both
// sides for some rows and columns. Of Src, 16 bytes are read at a time.
func packBytes(size int, a *kernels.PackArgs, rows, cols int) int {
	return linesOf(size, 16, rows, a.SrcRow, cols, a.SrcCol) + linesOf(size, size, rows, a.DstRow, cols, a.DstCol)
}

// linesOf is how many bytes the cache lines have at most in which n times m elements
// lie, that are aligned to their size, and reach bytes from each one on.
func linesOf(size, reach, n, outer, m, inner int) int {
	if inner > outer {
		n, outer, m, inner = m, inner, n, outer
	}
	lines := func(span int) int { return cacheLine + (span-size+cacheLine-1)&^(cacheLine-1) }
	span := (m-1)*inner + reach
	row := min(m*lines(reach), lines(span))
	return min(n*row, lines((n-1)*outer+span))
}
