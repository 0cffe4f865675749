package main

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// offset holds where the fields of the argument structs lie.
var offset = func() (o struct {
	sum  struct{ Dst, Src, N int }
	rows struct{ Dst, Src, Outer, N, Stride int }
	cols struct {
		Dst, Src, Slots, Nodes, Count, N, Outer int
		SrcOuter, DstOuter, SlotStep            int
	}
	node  struct{ Src, Strides, Tree, To, Left, Lefts, size int }
	round struct{ Dst, Src, N int }
	pack  struct {
		Dst, Src, Outer, Rows, Cols                        int
		SrcOuter, SrcRow, SrcCol, DstOuter, DstRow, DstCol int
	}
}) {
	var s kernels.SumArgs
	o.sum.Dst = int(unsafe.Offsetof(s.Dst))
	o.sum.Src = int(unsafe.Offsetof(s.Src))
	o.sum.N = int(unsafe.Offsetof(s.N))
	var r kernels.RowsArgs
	o.rows.Dst = int(unsafe.Offsetof(r.Dst))
	o.rows.Src = int(unsafe.Offsetof(r.Src))
	o.rows.Outer = int(unsafe.Offsetof(r.Outer))
	o.rows.N = int(unsafe.Offsetof(r.N))
	o.rows.Stride = int(unsafe.Offsetof(r.Stride))
	var c kernels.ColsArgs
	o.cols.Dst = int(unsafe.Offsetof(c.Dst))
	o.cols.Src = int(unsafe.Offsetof(c.Src))
	o.cols.Slots = int(unsafe.Offsetof(c.Slots))
	o.cols.Nodes = int(unsafe.Offsetof(c.Nodes))
	o.cols.Count = int(unsafe.Offsetof(c.Count))
	o.cols.N = int(unsafe.Offsetof(c.N))
	o.cols.Outer = int(unsafe.Offsetof(c.Outer))
	o.cols.SrcOuter = int(unsafe.Offsetof(c.SrcOuter))
	o.cols.DstOuter = int(unsafe.Offsetof(c.DstOuter))
	o.cols.SlotStep = int(unsafe.Offsetof(c.SlotStep))
	var n kernels.ColsNode
	o.node.Src = int(unsafe.Offsetof(n.Src))
	o.node.Strides = int(unsafe.Offsetof(n.Strides))
	o.node.Tree = int(unsafe.Offsetof(n.Tree))
	o.node.To = int(unsafe.Offsetof(n.To))
	o.node.Left = int(unsafe.Offsetof(n.Left))
	o.node.Lefts = int(unsafe.Offsetof(n.Lefts))
	o.node.size = int(unsafe.Sizeof(n))
	var d kernels.RoundArgs
	o.round.Dst = int(unsafe.Offsetof(d.Dst))
	o.round.Src = int(unsafe.Offsetof(d.Src))
	o.round.N = int(unsafe.Offsetof(d.N))
	var p kernels.PackArgs
	o.pack.Dst = int(unsafe.Offsetof(p.Dst))
	o.pack.Src = int(unsafe.Offsetof(p.Src))
	o.pack.Outer = int(unsafe.Offsetof(p.Outer))
	o.pack.Rows = int(unsafe.Offsetof(p.Rows))
	o.pack.Cols = int(unsafe.Offsetof(p.Cols))
	o.pack.SrcOuter = int(unsafe.Offsetof(p.SrcOuter))
	o.pack.SrcRow = int(unsafe.Offsetof(p.SrcRow))
	o.pack.SrcCol = int(unsafe.Offsetof(p.SrcCol))
	o.pack.DstOuter = int(unsafe.Offsetof(p.DstOuter))
	o.pack.DstRow = int(unsafe.Offsetof(p.DstRow))
	o.pack.DstCol = int(unsafe.Offsetof(p.DstCol))
	return o
}()
