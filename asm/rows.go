package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// rows sums rows that are shorter than a block. Those of few vectors are code
// in a straight line, see straight.go. The others are K rows of lanes, and a tail
// that fills part of one more.
//
// The bits of K tell which trees there are, from left to right: one of eight
// rows, of four, of two, a single row, and the tail. They are summed in this
// order, which is that of memory, and added from right to left. The tree of
// eight waits in the frame, the others in registers.
func rows(m Machine, t kernels.Type, args GP) {
	l := newRowLoop(m, t, args)
	w := newRowsKernel(m, t)
	n := m.Regs().GP()
	m.LoadInt(n, At(args, offset.rows.N))
	m.JumpIfInt(LessEqual, n, straightVectors*lanes(m, t), "few")
	w.measure(n)
	m.Regs().FreeGP(n)
	l.emit("many", nil, func() Vec { return w.many(l.src) })
	m.Jump("end")
	m.Label("few")
	straightRows(l)
	m.Label("end")
	l.end()
}

// rowsKernel is how a row of less than a block is summed.
type rowsKernel struct {
	m       Machine
	t       kernels.Type
	k, tail Addr // in the frame, for want of registers: K, the elements of the tail
	eight   Addr // the tree of eight
	half    Addr // the lower half of the row of lanes
	p, bits GP   // the rows that are left, and K
}

func newRowsKernel(m Machine, t kernels.Type) *rowsKernel {
	return &rowsKernel{
		m: m, t: t, k: m.Local(8), tail: m.Local(8),
		eight: m.Local(kernels.RowBytes), half: m.Local(kernels.RowBytes / 2),
	}
}

// measure emits what n, the length of the rows, says of them; n is lost.
func (w *rowsKernel) measure(n GP) {
	g := w.m.Regs().GP()
	w.m.Move(g, n)
	w.m.ShiftRight(g, log2(w.t.Lanes()))
	w.m.StoreInt(w.k, g)
	w.m.Regs().FreeGP(g)
	w.m.And(n, w.t.Lanes()-1)
	w.m.StoreInt(w.tail, n)
}

// many sums the row at src, whatever K is.
func (w *rowsKernel) many(src GP) Vec {
	m, r, width := w.m, w.m.Regs(), w.m.Strip(w.t)
	w.p, w.bits = r.GP(), r.GP()
	m.Move(w.p, src)
	m.LoadInt(w.bits, w.k)
	m.JumpIfNoBit(w.bits, 8, "no8")
	eachStrip(m, width, func(vector int) {
		vs := w.sum(w.p, 8, vector)
		m.StoreVecs(w.eight.Plus(vector*m.VecBytes()), vs)
		r.Free(vs...)
	})
	m.AddInt(w.p, 8*w.t.Lanes()*w.t.Size())
	m.Label("no8")
	half := kernels.RowBytes / m.VecBytes() / 2 // vectors
	var sums []Vec
	eachStrip(m, width, func(vector int) {
		sums = w.strip(vector)
		without8 := fmt.Sprintf("without8at%d", vector)
		m.JumpIfNoBit(w.bits, 8, without8)
		m.LoadAddVecs(w.t.Acc(), sums, w.eight.Plus(vector*m.VecBytes()))
		m.Label(without8)
		switch {
		case width > half: // there is but one strip
		case vector < half:
			m.StoreVecs(w.half.Plus(vector*m.VecBytes()), sums)
			r.Free(sums...)
		default:
			m.LoadAddVecs(w.t.Acc(), sums, w.half.Plus((vector-half)*m.VecBytes()))
		}
	})
	r.FreeGP(w.p, w.bits)
	return halve(m, w.t, sums)
}

// sum sums a strip of the rows at p.
func (w *rowsKernel) sum(p GP, rows, vector int) []Vec {
	row, vec := w.t.Lanes()*w.t.Size(), vecSize(w.m, w.t)
	return treeInOrder(w.m, w.t, rows, w.m.Strip(w.t), every, func(i, v int) Addr { return At(p, i*row+(vector+v)*vec) })
}

// strip sums a strip of the trees of four rows and less, and of the tail.
func (w *rowsKernel) strip(vector int) []Vec {
	m, t, r := w.m, w.t, w.m.Regs()
	const most = 4
	label := func(what string, n int) string { return fmt.Sprintf("%s%dat%d", what, n, vector) }
	q := r.GP() // the next rows
	m.Move(q, w.p)
	sums := map[int][]Vec{}
	for n := most; n >= 1; n /= 2 {
		m.JumpIfNoBit(w.bits, n, label("no", n))
		sums[n] = w.sum(q, n, vector)
		m.AddInt(q, n*t.Lanes()*t.Size())
		if n > 1 {
			m.Label(label("no", n))
		}
	}
	acc := sums[1]
	m.Jump(label("tail", 0))
	m.Label(label("no", 1))
	for _, v := range acc {
		m.Identity(t, v)
	}
	m.Label(label("tail", 0))
	r.FreeGP(w.bits)
	addTail(m, t, acc, q, w.tail, vector)
	r.FreeGP(q)
	w.bits = r.GP()
	m.LoadInt(w.bits, w.k)
	for n := 2; n <= most; n *= 2 {
		m.JumpIfNoBit(w.bits, n, label("without", n))
		for i := range acc {
			m.AddVec(t, acc[i], sums[n][i], acc[i])
		}
		m.Label(label("without", n))
		r.Free(sums[n]...)
	}
	return acc
}

// addTail emits the addition of the tail at q to a strip of a row of lanes, the
// one that begins at a vector: the vectors that are whole, and one in part.
func addTail(m Machine, t kernels.Type, acc []Vec, q GP, tail Addr, vector int) {
	r, n := m.Regs(), lanes(m, t)
	label := func(what string, v int) string { return fmt.Sprintf("%s%d", what, vector+v) }
	left := r.GP()
	m.LoadInt(left, tail)
	for v := range acc {
		m.JumpIfInt(Less, left, (vector+v+1)*n, label("part", v))
		m.LoadAdd(t, acc[v], At(q, (vector+v)*vecSize(m, t)))
	}
	m.Jump(label("tailed", len(acc)))
	for v := range acc {
		m.Label(label("part", v))
		if vector+v > 0 {
			m.AddInt(left, -(vector+v)*n)
		}
		m.JumpIfInt(LessEqual, left, 0, label("tailed", len(acc)))
		part, x := m.MakePartial(t, left, true), r.Vec()
		m.LoadPartial(t, x, At(q, (vector+v)*vecSize(m, t)), part, true, None)
		m.AddVec(t, acc[v], acc[v], x)
		m.FreePartial(part)
		r.Free(x)
		if v < len(acc)-1 {
			m.Jump(label("tailed", len(acc)))
		}
	}
	m.Label(label("tailed", len(acc)))
	r.FreeGP(left)
}
