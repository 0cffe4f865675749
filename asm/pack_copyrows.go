package main

import (
	"fmt"
)

// A rowCopier copies rows. One of up to 128 bytes is copied in two pieces of the same
// size, which overlap unless each is half of it; a longer one in pieces of 128 bytes,
// the last one of which overlaps. Rows that lie apart are prefetched: how many ahead
// depends on how long they are.
type rowCopier struct {
	*mover
	bytes            Addr // in a row
	steps, dstSteps  Addr // from a row's beginning to its last piece, and to what is prefetched
	srcRow, dstRow   Addr // from a row to the next, or from the end of one longer than two pieces
	rowSrc, rowDst   Addr // where the next rows begin
	left             Addr // rows
	far, ahead       Addr // how many rows ahead rows are prefetched, and how many bytes that is
	outers, farOuter Addr // the same for the last rows, in outer items and bytes
}

// longest is the size of rows up to which they are copied in two pieces.
const longest = 128

// rowsAhead is how many rows ahead rows are prefetched, up to how many bytes long.
var rowsAhead = []struct{ rows, bytes int }{{16, 128}, {4, 1024}, {1, 0}}

func newRowCopier(p *mover) *rowCopier {
	x := &rowCopier{mover: new(*p)}
	x.slots(&x.bytes, &x.srcRow, &x.dstRow, &x.rowSrc, &x.rowDst, &x.left, &x.far, &x.ahead, &x.outers, &x.farOuter, &x.dstSteps)
	x.steps = x.array(2)
	return x
}

func (x *rowCopier) emit() {
	m, r := x.m, x.m.Regs()
	m.Label("copy")
	x.prepare()
	m.Label("rowsMatrix")
	x.copy(x.rowSrc, x.src)
	x.copy(x.rowDst, x.dst)
	x.keep(x.left, offset.pack.Rows)
	m.Label("rowsNext")
	count := r.GP()
	x.beginRows(count)
	for u := 2 * x.size; u <= longest/2; u *= 2 {
		x.jumpIfLonger(2*u, fmt.Sprintf("longerThan%d", 2*u))
		x.twoPieces(count, u)
		m.Jump("rowsDone")
		m.Label(fmt.Sprintf("longerThan%d", 2*u))
	}
	x.pieces(count)
	m.Label("rowsDone")
	m.LoadInt(count, x.left)
	m.JumpIfInt(NotEqual, count, 0, "rowsNext")
	r.FreeGP(count)
	x.nextOuter("rowsMatrix", "end")
}

func (x *rowCopier) jumpIfLonger(bytes int, label string) {
	g := x.m.Regs().GP()
	x.m.LoadInt(g, x.bytes)
	x.m.JumpIfInt(Greater, g, bytes, label)
	x.m.Regs().FreeGP(g)
}

// prepare fills the frame with what is the same for all matrices.
func (x *rowCopier) prepare() {
	m, r := x.m, x.m.Regs()
	g, h := r.GP(), r.GP()
	x.arg(g, offset.pack.Cols)
	m.ShiftLeft(g, log2(x.size))
	m.StoreInt(x.bytes, g)
	for _, row := range []struct {
		to    Addr
		field int
	}{{x.srcRow, offset.pack.SrcRow}, {x.dstRow, offset.pack.DstRow}} {
		skip := fmt.Sprintf("stride%d", row.field)
		x.arg(h, row.field)
		m.JumpIfInt(LessEqual, g, longest, skip)
		m.Sub(h, g)
		m.Label(skip)
		m.StoreInt(row.to, h)
	}
	for u := 2 * x.size; u <= longest/2; u *= 2 {
		m.Move(h, g)
		m.AddInt(h, -u)
		m.StoreInt(x.dstSteps, h)
		m.JumpIfInt(LessEqual, g, 2*u, "pieceKnown")
	}
	m.Label("pieceKnown")
	x.copy(x.steps, x.dstSteps)
	for i, a := range rowsAhead {
		m.MoveInt(h, a.rows)
		if i < len(rowsAhead)-1 {
			m.JumpIfInt(LessEqual, g, a.bytes, "farKnown")
		}
	}
	m.Label("farKnown")
	r.FreeGP(g)
	x.prepareAhead(h)
	r.FreeGP(h)
}

// prepareAhead computes where the rows lie that are far rows ahead: in the same matrix,
// or in one of the next ones, a power of two of them ahead.
func (x *rowCopier) prepareAhead(far GP) {
	m, r := x.m, x.m.Regs()
	stride, g, rows, outers := r.GP(), r.GP(), r.GP(), r.GP()
	m.StoreInt(x.far, far)
	x.arg(stride, offset.pack.SrcRow)
	m.MoveInt(g, 0)
	m.JumpIfInt(Less, stride, line, "rowsAheadKnown")
	m.Move(g, stride)
	m.Mul(g, far)
	m.Label("rowsAheadKnown")
	m.StoreInt(x.ahead, g)

	x.arg(g, offset.pack.SrcOuter)
	x.arg(rows, offset.pack.Rows)
	m.MoveInt(outers, 1)
	m.JumpIf(Less, rows, far, "moreOuters")
	m.Sub(rows, far)
	m.Mul(rows, stride)
	m.Sub(g, rows)
	m.Jump("outersKnown")
	m.Label("moreOuters")
	m.ShiftLeft(g, 1)
	m.ShiftLeft(outers, 1)
	m.ShiftLeft(rows, 1)
	m.JumpIf(Less, rows, far, "moreOuters")
	m.Label("outersKnown")
	m.StoreInt(x.farOuter, g)
	m.StoreInt(x.outers, outers)
	r.FreeGP(stride, g, rows, outers)
}

// beginRows sets count to the number of rows for which that what is prefetched lies
// at the same distance: all but the last ones of a matrix, or those.
func (x *rowCopier) beginRows(count GP) {
	m, r := x.m, x.m.Regs()
	left, g, h := r.GP(), r.GP(), r.GP()
	m.LoadInt(left, x.left)
	m.LoadInt(g, x.far)
	m.Move(count, left)
	m.Sub(count, g)
	m.LoadInt(h, x.ahead)
	m.JumpIfInt(Greater, count, 0, "rowsCounted")
	m.Move(count, left)
	m.MoveInt(h, 0)
	m.LoadInt(left, x.outer)
	m.LoadInt(g, x.outers)
	m.JumpIf(LessEqual, left, g, "lastRows")
	m.LoadInt(h, x.farOuter)
	m.Label("lastRows")
	m.Move(left, count)
	m.Label("rowsCounted")
	m.StoreInt(x.steps.Plus(8), h)
	m.Sub(left, count)
	m.StoreInt(x.left, left)
	r.FreeGP(left, g, h)
}

// twoPieces copies rows of u to 2u bytes.
func (x *rowCopier) twoPieces(count GP, u int) {
	m, r := x.m, x.m.Regs()
	src, dst, srcRow, dstRow := r.GP(), r.GP(), r.GP(), r.GP()
	m.LoadInt(src, x.rowSrc)
	m.LoadInt(dst, x.rowDst)
	m.LoadInt(srcRow, x.srcRow)
	m.LoadInt(dstRow, x.dstRow)
	from, to := m.Streams(src, x.steps, 2), m.Streams(dst, x.dstSteps, 1)
	label := fmt.Sprintf("row%d", u)
	m.Label(label)
	x.move(to, from, u)
	m.Prefetch(from.Leaf(2))
	m.Prefetch(from.Leaf(3))
	for _, p := range from.Ptrs {
		m.Add(p, srcRow)
	}
	for _, p := range to.Ptrs {
		m.Add(p, dstRow)
	}
	m.AddInt(count, -1)
	m.JumpIfInt(NotEqual, count, 0, label)
	m.StoreInt(x.rowSrc, from.Leaf(0).Base)
	m.StoreInt(x.rowDst, to.Leaf(0).Base)
	m.FreeStreams(from)
	m.FreeStreams(to)
	r.FreeGP(srcRow, dstRow)
}

// move copies u bytes at the first two leaves each.
func (x *rowCopier) move(to, from Streams, u int) {
	m, r := x.m, x.m.Regs()
	if u <= 8 {
		a, b := r.GP(), r.GP()
		m.LoadElement(u, a, from.Leaf(0))
		m.LoadElement(u, b, from.Leaf(1))
		m.StoreElement(u, to.Leaf(0), a)
		m.StoreElement(u, to.Leaf(1), b)
		r.FreeGP(a, b)
		return
	}
	vs := r.Vecs(2 * max(1, u/m.VecBytes()))
	half := len(vs) / 2
	if u < m.VecBytes() {
		m.LoadLanes(vs[0], []Addr{from.Leaf(0)})
		m.LoadLanes(vs[1], []Addr{from.Leaf(1)})
		m.StoreLanes([]Addr{to.Leaf(0)}, vs[0])
		m.StoreLanes([]Addr{to.Leaf(1)}, vs[1])
	} else {
		m.LoadVecs(whole, vs[:half], from.Leaf(0))
		m.LoadVecs(whole, vs[half:], from.Leaf(1))
		m.StoreVecs(to.Leaf(0), vs[:half])
		m.StoreVecs(to.Leaf(1), vs[half:])
	}
	r.Free(vs...)
}

// pieces copies rows that are longer than two pieces.
func (x *rowCopier) pieces(count GP) {
	m, r := x.m, x.m.Regs()
	src, dst, left := r.GP(), r.GP(), r.GP()
	vs := r.Vecs(longest / m.VecBytes())
	m.LoadInt(src, x.rowSrc)
	m.LoadInt(dst, x.rowDst)
	from := m.Streams(src, x.steps.Plus(8), 1)
	m.Label("longRow")
	m.LoadInt(left, x.bytes)
	m.AddInt(left, -longest)
	m.Label("piece")
	m.LoadVecs(whole, vs, from.Leaf(0))
	m.StoreVecs(At(dst, 0), vs)
	for i := 0; i < longest; i += line {
		m.Prefetch(from.Leaf(1).Plus(i))
	}
	for _, p := range from.Ptrs {
		m.AddInt(p, longest)
	}
	m.AddInt(dst, longest)
	m.AddInt(left, -longest)
	m.JumpIfInt(Greater, left, 0, "piece")
	for _, p := range from.Ptrs {
		m.Add(p, left)
	}
	m.Add(dst, left)
	m.LoadVecs(whole, vs, from.Leaf(0))
	m.StoreVecs(At(dst, 0), vs)
	for _, p := range from.Ptrs {
		m.AddInt(p, longest)
	}
	m.AddInt(dst, longest)
	x.advance(from, x.srcRow)
	m.AddMem(dst, x.dstRow)
	m.AddInt(count, -1)
	m.JumpIfInt(NotEqual, count, 0, "longRow")
	m.StoreInt(x.rowSrc, from.Leaf(0).Base)
	m.StoreInt(x.rowDst, dst)
	r.Free(vs...)
	m.FreeStreams(from)
	r.FreeGP(dst, left)
}
