package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// rows sums rows that are longer than a row of lanes and shorter than a block:
// K rows of lanes, and a tail that fills part of one more.
//
// The tail is padded with the identity in the frame, as a row of lanes. The
// bits of K tell which trees there are, from left to right: one of eight rows,
// of four, of two, a single row, and the tail. They are summed in this order,
// which is that of memory, and added from right to left. The tree of eight
// waits in the frame, the others in registers.
func rows(m Machine, t kernels.Type, args GP) {
	r := m.Regs()
	l := newRowLoop(m, t, args)
	s := newStrips(m, t)
	pad, eight := m.Local(kernels.RowBytes), m.Local(kernels.RowBytes)
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

	l.emit(nil, func() Vec {
		padTail(m, t, l.src, k, tail, pad)
		p, bits := r.GP(), r.GP()
		row := t.Lanes() * t.Size()
		m.Move(p, l.src)
		m.LoadInt(bits, k)
		without := func(bit int, label string) { // jumps if K does not have the bit
			m.JumpIfNoBit(bits, bit, label)
		}
		sum := func(p GP, rows, vector int) []Vec {
			return tree(m, t, rows, s.width, func(i, v int) Addr { return At(p, i*row+(vector+v)*vecSize(m, t)) })
		}
		without(8, "no8")
		for i := range s.count {
			vs := sum(p, 8, i*s.width)
			m.StoreVecs(eight.Plus(i*s.width*m.VecBytes()), vs)
			r.Free(vs...)
		}
		m.AddInt(p, 8*row)
		m.Label("no8")
		v := s.reduce(func(vector int) []Vec {
			label := func(name string, n int) string { return fmt.Sprintf("%s%dof%d", name, n, vector) }
			q := r.GP() // the strip's next rows
			m.Move(q, p)
			sums := func(n int) []Vec {
				without(n, label("no", n))
				vs := sum(q, n, vector)
				m.AddInt(q, n*row)
				return vs
			}
			four := sums(4)
			m.Label(label("no", 4))
			two := sums(2)
			m.Label(label("no", 2))
			acc := sums(1)
			m.Jump(label("tail", 0))
			m.Label(label("no", 1))
			for _, v := range acc {
				m.Identity(t, v)
			}
			m.Label(label("tail", 0))
			m.LoadInt(q, tail)
			m.JumpIfInt(Equal, q, 0, label("even", 0))
			m.LoadAddVecs(t.Acc(), acc, pad.Plus(vector*m.VecBytes()))
			m.Label(label("even", 0))
			r.FreeGP(q)
			without(2, label("not", 2))
			for i := range acc {
				m.AddVec(t, acc[i], two[i], acc[i])
			}
			m.Label(label("not", 2))
			without(4, label("not", 4))
			for i := range acc {
				m.AddVec(t, acc[i], four[i], acc[i])
			}
			m.Label(label("not", 4))
			without(8, label("not", 8))
			m.LoadAddVecs(t.Acc(), acc, eight.Plus(vector*m.VecBytes()))
			m.Label(label("not", 8))
			r.Free(four...)
			r.Free(two...)
			return acc
		})
		r.FreeGP(p, bits)
		return v
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
