package main

import "github.com/reducesum/reducesum/kernels"

// round rounds accumulators to elements. The last vector overlaps the one
// before; fewer elements than a vector are rounded in part.
func round(m Machine, t kernels.Type, args GP) {
	r, n := m.Regs(), lanes(m, t)
	src, dst, left, v := r.GP(), r.GP(), r.GP(), r.Vec()
	m.LoadInt(src, At(args, offset.round.Src))
	m.LoadInt(dst, At(args, offset.round.Dst))
	m.LoadInt(left, At(args, offset.round.N))
	m.JumpIfInt(Less, left, n, "few")

	const unroll = 4
	m.Label("many")
	m.JumpIfInt(Less, left, unroll*n, "one")
	for i := range unroll {
		m.Load(t.Acc(), v, At(src, i*m.VecBytes()))
		m.RoundStore(t, At(dst, i*vecSize(m, t)), v)
	}
	m.AddInt(src, unroll*m.VecBytes())
	m.AddInt(dst, unroll*vecSize(m, t))
	m.AddInt(left, -unroll*n)
	m.Jump("many")

	m.Label("one")
	m.JumpIfInt(Less, left, n, "last")
	m.Load(t.Acc(), v, At(src, 0))
	m.RoundStore(t, At(dst, 0), v)
	m.AddInt(src, m.VecBytes())
	m.AddInt(dst, vecSize(m, t))
	m.AddInt(left, -n)
	m.Jump("one")

	m.Label("last")
	m.JumpIfInt(Equal, left, 0, "done")
	m.ShiftLeft(left, log2(t.Size()))
	m.Add(dst, left)
	m.ShiftLeft(left, log2(t.Acc().Size()/t.Size()))
	m.Add(src, left)
	m.Load(t.Acc(), v, At(src, -m.VecBytes()))
	m.RoundStore(t, At(dst, -vecSize(m, t)), v)
	m.Jump("done")

	m.Label("few")
	part := m.MakePartial(t.Acc(), left, false)
	m.LoadPartial(t.Acc(), v, At(src, 0), part, false, None)
	m.FreePartial(part)
	m.RoundStorePartial(t, At(dst, 0), v, left)
	m.Label("done")
	r.FreeGP(src, dst, left)
	r.Free(v)
	r.FreeGP(args)
	m.End()
}
