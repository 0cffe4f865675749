package reducesum

import (
	"math/bits"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// The functions of this file call the kernels, a piece at a time, so that no
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
