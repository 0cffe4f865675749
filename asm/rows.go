package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// rows sums rows that are longer than a row of lanes and shorter than a block:
// K rows of lanes, and a tail that fills part of one more.
//
// The tail is padded with the identity in the frame, as a row of lanes. The
// tree of K rows and the tail, from right to left, is the tail, plus one row if
// bit 0 of K is set, plus a tree of two if bit 1 is set, of four, of eight.
func rows(m Machine, t kernels.Type, args GP) {
	r := m.Regs()
	l := newRowLoop(m, t, args)
	s := newStrips(m, t)
	pad := m.Local(kernels.RowBytes)
	id := r.Vec()
	m.Identity(t, id)
	for off := 0; off < kernels.RowBytes; off += m.VecBytes() {
		m.Store(pad.Plus(off), id)
	}
	r.Free(id)

	k, tail := m.Local(8), m.Local(8) // in the frame, for want of registers
	g := r.GP()
	m.LoadInt(g, At(args, offset.rows.N))
	m.ShiftRight(g, log2(t.Lanes()))
	m.StoreInt(k, g)
	m.LoadInt(g, At(args, offset.rows.N))
	m.And(g, t.Lanes()-1)
	m.StoreInt(tail, g)
	r.FreeGP(g)
	rowShift := log2(t.Lanes() * t.Size())

	l.emit(nil, func() Vec {
		padTail(m, t, l.src, k, tail, pad)
		return s.reduce(func(vector int) []Vec {
			label := func(name string) string { return fmt.Sprintf("%s%d", name, vector) }
			acc := r.Vecs(s.width)
			p, bit := r.GP(), r.GP()
			m.LoadInt(p, k)
			m.ShiftLeft(p, rowShift)
			m.Add(p, l.src)
			m.LoadInt(bit, tail)
			m.JumpIfInt(Equal, bit, 0, label("even"))
			m.LoadVecs(t.Acc(), acc, pad.Plus(vector*m.VecBytes()))
			m.Jump(label("bits"))
			m.Label(label("even"))
			for v := range acc {
				m.Identity(t, acc[v])
			}
			m.Label(label("bits"))
			for n := 1; n < kernels.Rows; n *= 2 {
				m.LoadInt(bit, k)
				m.And(bit, n)
				m.JumpIfInt(Equal, bit, 0, label(fmt.Sprintf("no%dof", n)))
				m.AddInt(p, -n<<rowShift)
				sum := tree(m, t, n, s.width, func(i, v int) Addr {
					return At(p, i<<rowShift+(vector+v)*vecSize(m, t))
				})
				addVecs(m, t, acc, sum)
				m.Label(label(fmt.Sprintf("no%dof", n)))
			}
			r.FreeGP(p, bit)
			return acc
		})
	})
	l.end()
}

// padTail emits the copying of the tail of a row, which begins k rows of lanes
// behind src, to the row of lanes at pad; what lies behind it there stays.
func padTail(m Machine, t kernels.Type, src GP, k, tail, pad Addr) {
	r := m.Regs()
	from, to, left, v := r.GP(), r.GP(), r.GP(), r.Vec()
	m.LoadInt(left, tail)
	m.JumpIfInt(Equal, left, 0, "padded")
	m.LoadInt(from, k)
	m.ShiftLeft(from, log2(t.Lanes()*t.Size()))
	m.Add(from, src)
	m.Lea(to, pad)
	m.Label("pad")
	m.JumpIfInt(Less, left, lanes(m, t), "padpart")
	m.Load(t, v, At(from, 0))
	m.Store(At(to, 0), v)
	m.AddInt(from, vecSize(m, t))
	m.AddInt(to, m.VecBytes())
	m.AddInt(left, -lanes(m, t))
	m.Jump("pad")
	m.Label("padpart")
	m.JumpIfInt(Equal, left, 0, "padded")
	p := m.MakePartial(t, left, true)
	m.LoadPartial(t, v, At(from, 0), p, true, None)
	m.FreePartial(p)
	m.Store(At(to, 0), v)
	m.Label("padded")
	r.FreeGP(from, to, left)
	r.Free(v)
}
