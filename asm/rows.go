package main

import "github.com/reducesum/reducesum/kernels"

// rows sums rows that are shorter than a block. Short ones are summed a whole group
// at a time, see packed.go; the others, and what is left of the short ones, row
// by row, see row.go.
func rows(m Machine, t kernels.Type, args GP) {
	l := newRowLoop(m, t, args, waitingBytes(m))
	r, n := m.Regs(), lanes(m, t)
	length := r.GP()
	m.LoadInt(length, At(args, offset.rows.N))
	m.JumpIfInt(Greater, length, 2*n, "single")
	groups(l, length)
	m.Label("single")
	m.JumpIfInt(Equal, l.outer, 0, "done")
	if m.NeedsEnd(t) {
		m.JumpIfInt(GreaterEqual, length, n, "row")
		few := m.MakePartial(t, length, true)
		l.emit("few", nil, func() Vec {
			x := r.Vec()
			m.LoadPartial(t, x, At(l.src, 0), few, true, None)
			return x
		})
		m.FreePartial(few)
		m.Jump("done")
		m.Label("row")
	}
	w := newRowKernel(m, t, length)
	w.longest(l.slots.Plus(n * m.VecBytes()))
	x := r.Vec()
	var bodies []func() Vec
	for k := 1; k <= perRow(m); k++ {
		bodies = append(bodies, func() Vec {
			w.short(l.src, k, x)
			return x
		})
	}
	bodies = append(bodies, func() Vec {
		w.long("long", l.src, x)
		return x
	})
	l.apart = func() { w.apart() }
	l.emit("row", func(label func(i int) string) {
		m.JumpIfInt(GreaterEqual, w.last, w.rowBytes(), label(len(bodies)-1))
		w.choose("choose", perRow(m), func(v int) { m.Jump(label(v)) })
	}, bodies...)
	w.free()
	m.Label("done")
	r.FreeGP(length)
	l.end()
}
