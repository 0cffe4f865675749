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

// sumColumns does what a says of cols.
func sumColumns(isa kernels.ISA, t kernels.Type, a kernels.ColsArgs) {
	size, acc := t.Size(), t.Acc().Size()
	rows := bits.OnesCount8(kernels.Trees[a.Tree])
	perColumn := rows*size + acc*a.Lefts // bytes read
	items, columns := kernels.MaxBytes/max(perColumn*a.N, rows*cacheLine), a.N
	if items == 0 {
		items, columns = 1, kernels.MaxBytes/perColumn&^63
	}
	for o := 0; o < a.Outer; o += items {
		for c := 0; c < a.N; c += columns {
			b := a
			b.Outer, b.N = min(items, a.Outer-o), min(columns, a.N-c)
			b.Src = unsafe.Add(a.Src, o*a.SrcOuter+c*size)
			b.Dst = unsafe.Add(a.Dst, o*a.DstOuter+c*acc)
			if a.Lefts > 0 {
				b.Left = unsafe.Add(a.Left, o*a.LeftOuter+c*acc)
			}
			cols(&b, isa, t)
		}
	}
}

// wholeVectors does what a says of cols for all outer items but the last few, and
// returns what is left of a. Their rows are taken as whole vectors: what is added
// behind the end of a row of Dst must not matter. What is read there lies before
// the end of the last few items.
func wholeVectors(isa kernels.ISA, t kernels.Type, a kernels.ColsArgs) kernels.ColsArgs {
	acc := t.Acc().Size()
	lanes := kernels.ISAs[isa].VecBytes / acc
	items := a.Outer - (lanes - 1)
	if lanes <= 1 || items < lanes || a.N%lanes == 0 || a.SrcOuter < a.N*t.Size() {
		return a
	}
	b := a
	b.N, b.Outer = a.N+lanes-a.N%lanes, items
	sumColumns(isa, t, b)
	a.Outer -= items
	a.Src, a.Dst = unsafe.Add(a.Src, items*a.SrcOuter), unsafe.Add(a.Dst, items*a.DstOuter)
	if a.Lefts > 0 {
		a.Left = unsafe.Add(a.Left, items*a.LeftOuter)
	}
	return a
}

// roundTo rounds n accumulators to elements of t.
func roundTo(isa kernels.ISA, t kernels.Type, dst, src unsafe.Pointer, n int) {
	const most = kernels.MaxBytes / 4
	for i := 0; i < n; i += most {
		a := kernels.RoundArgs{Dst: unsafe.Add(dst, i*t.Size()), Src: unsafe.Add(src, i*t.Acc().Size()), N: min(most, n-i)}
		round(&a, isa, t)
	}
}
