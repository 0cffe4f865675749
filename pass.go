package reducesum

import (
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
	scratch              *scratch
}

func (p *pass) run() {
	switch {
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
