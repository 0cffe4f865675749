package main

import (
	"fmt"
)

// An elementCopier copies elements one by one, along the longer side of a matrix,
// four at a time.
type elementCopier struct {
	*mover
	count, lines       Addr // elements in a line, lines in a matrix
	linesLeft          Addr
	srcLine, dstLine   Addr // from the end of a line's last four elements to the next line
	srcOuter, dstOuter Addr // from the end of a matrix to the next one
	srcSteps, dstSteps Addr // the stride inside of a line, times 1, 2, 4
}

func newElementCopier(p *mover) *elementCopier {
	x := &elementCopier{mover: new(*p)}
	x.slots(&x.count, &x.lines, &x.linesLeft, &x.srcLine, &x.dstLine, &x.srcOuter, &x.dstOuter)
	x.srcSteps, x.dstSteps = x.array(3), x.array(3)
	return x
}

func (x *elementCopier) emit() {
	m, r := x.m, x.m.Regs()
	x.prepare()
	src, dst, count := r.GP(), r.GP(), r.GP()
	m.LoadInt(src, x.src)
	m.LoadInt(dst, x.dst)
	from, to := m.Streams(src, x.srcSteps, 2), m.Streams(dst, x.dstSteps, 2)
	m.Label("elementsMatrix")
	x.copy(x.linesLeft, x.lines)
	m.Label("elementsLine")
	m.LoadInt(count, x.count)
	m.JumpIfInt(Less, count, 4, "single0")
	m.Label("four")
	x.move(to, from, 0, 4)
	x.advance(from, x.srcSteps.Plus(16))
	x.advance(to, x.dstSteps.Plus(16))
	m.AddInt(count, -4)
	m.JumpIfInt(GreaterEqual, count, 4, "four")
	for i := range 3 {
		m.Label(fmt.Sprintf("single%d", i))
		m.JumpIfInt(LessEqual, count, i, "elementsLineDone")
		x.move(to, from, i, i+1)
	}
	m.Label("elementsLineDone")
	x.advance(from, x.srcLine)
	x.advance(to, x.dstLine)
	m.LoadInt(count, x.linesLeft)
	m.AddInt(count, -1)
	m.StoreInt(x.linesLeft, count)
	m.JumpIfInt(NotEqual, count, 0, "elementsLine")
	x.advance(from, x.srcOuter)
	x.advance(to, x.dstOuter)
	m.LoadInt(count, x.outer)
	m.AddInt(count, -1)
	m.StoreInt(x.outer, count)
	m.JumpIfInt(NotEqual, count, 0, "elementsMatrix")
	m.FreeStreams(from)
	m.FreeStreams(to)
	r.FreeGP(count)
}

// move copies the elements at some of the leaves.
func (x *elementCopier) move(to, from Streams, first, end int) {
	m, r := x.m, x.m.Regs()
	var gs []GP
	for i := first; i < end; i++ {
		g := r.GP()
		m.LoadElement(x.size, g, from.Leaf(i))
		gs = append(gs, g)
	}
	for i, g := range gs {
		m.StoreElement(x.size, to.Leaf(first+i), g)
	}
	r.FreeGP(gs...)
}

// prepare fills the frame with what is the same for all matrices.
func (x *elementCopier) prepare() {
	m, r := x.m, x.m.Regs()
	m.Label("elements")
	count, lines, src, srcLine, dst, dstLine := r.GP(), r.GP(), r.GP(), r.GP(), r.GP(), r.GP()
	m.LoadInt(lines, x.matrixRows)
	x.arg(count, offset.pack.Cols)
	x.arg(src, offset.pack.SrcCol)
	x.arg(srcLine, offset.pack.SrcRow)
	x.arg(dst, offset.pack.DstCol)
	x.arg(dstLine, offset.pack.DstRow)
	m.JumpIf(LessEqual, lines, count, "longer")
	g := r.GP()
	for _, p := range [][2]GP{{count, lines}, {src, srcLine}, {dst, dstLine}} {
		m.Move(g, p[0])
		m.Move(p[0], p[1])
		m.Move(p[1], g)
	}
	m.Label("longer")
	m.StoreInt(x.count, count)
	m.StoreInt(x.lines, lines)
	m.And(count, -4)
	for _, s := range []struct {
		steps, line, outer Addr
		stride, lineStride GP
		field              int
	}{
		{x.srcSteps, x.srcLine, x.srcOuter, src, srcLine, offset.pack.SrcOuter},
		{x.dstSteps, x.dstLine, x.dstOuter, dst, dstLine, offset.pack.DstOuter},
	} {
		m.Move(g, s.stride)
		for i := range 3 {
			m.StoreInt(s.steps.Plus(8*i), g)
			m.ShiftLeft(g, 1)
		}
		m.Mul(s.stride, count)
		m.Move(g, s.lineStride)
		m.Sub(g, s.stride)
		m.StoreInt(s.line, g)
		x.arg(g, s.field)
		m.Mul(s.lineStride, lines)
		m.Sub(g, s.lineStride)
		m.StoreInt(s.outer, g)
	}
	r.FreeGP(count, lines, src, srcLine, dst, dstLine, g)
}
