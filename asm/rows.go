package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// rows sums rows that are longer than a row of lanes and shorter than a block:
// K rows of lanes, and a tail that fills part of one more.
//
// The bits of K tell which trees there are, from left to right: one of eight
// rows, of four, of two, a single row, and the tail. They are summed in this
// order, which is that of memory, and added from right to left. The tree of
// eight waits in the frame, the others in registers.
func rows(m Machine, t kernels.Type, args GP) {
	r := m.Regs()
	l := newRowLoop(m, t, args)
	s := newStrips(m, t)
	eight := m.Local(kernels.RowBytes)
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
			r.FreeGP(bits)
			addTail(m, t, acc, q, tail, vector)
			r.FreeGP(q)
			bits = r.GP()
			m.LoadInt(bits, k)
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

// addTail emits the addition of the tail at q to a strip of a row of lanes, the
// one that begins at a vector: the vectors that are whole, and one in part.
func addTail(m Machine, t kernels.Type, acc []Vec, q GP, tail Addr, vector int) {
	r, n := m.Regs(), lanes(m, t)
	label := func(name string, v int) string { return fmt.Sprintf("%s%d", name, vector+v) }
	left := r.GP()
	m.LoadInt(left, tail)
	for v := range acc {
		m.JumpIfInt(Less, left, (vector+v+1)*n, label("part", v))
		m.LoadAdd(t, acc[v], At(q, (vector+v)*vecSize(m, t)))
	}
	m.Jump(label("tailed", 0))
	for v := range acc {
		m.Label(label("part", v))
		if vector+v > 0 {
			m.AddInt(left, -(vector+v)*n)
		}
		m.JumpIfInt(LessEqual, left, 0, label("tailed", 0))
		part, x := m.MakePartial(t, left, true), r.Vec()
		m.LoadPartial(t, x, At(q, (vector+v)*vecSize(m, t)), part, true, None)
		m.AddVec(t, acc[v], acc[v], x)
		m.FreePartial(part)
		r.Free(x)
		if v < len(acc)-1 {
			m.Jump(label("tailed", 0))
		}
	}
	m.Label(label("tailed", 0))
	r.FreeGP(left)
}
