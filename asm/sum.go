package main

import (
	"github.com/reducesum/reducesum/kernels"
)

// sum sums one sequence of up to kernels.SumBlocks blocks. What is shorter than a
// block is a row. What is longer leaves a vector per block in the frame,
// where those that do not exist are the identity. All are folded together, to
// the sums of the blocks, and these are folded in turn.
func sum(m Machine, t kernels.Type, args GP) {
	r, n := m.Regs(), lanes(m, t)
	src, left, slot := r.GP(), r.GP(), r.GP()
	m.LoadInt(src, At(args, offset.sum.Src))
	m.LoadInt(left, At(args, offset.sum.N))
	m.MoveInt(slot, 0) // no block before
	m.JumpIfInt(GreaterEqual, left, t.Block(), "blocks")

	m.Label("row")
	if m.NeedsEnd(t) {
		m.JumpIfInt(Less, left, n, "few")
	}
	w := newRowKernel(m, t, left)
	x := w.load(src)
	m.JumpIfInt(GreaterEqual, left, w.rowBytes(), "long")
	w.choose("vectors", func(v int) {
		w.short(src, v+1, x)
		m.Jump("summed")
	})
	m.Label("long")
	w.long("", src, x)
	w.free()

	m.Label("summed")
	m.JumpIfInt(NotEqual, slot, 0, "rest")
	m.Label("fold")
	dst := r.GP()
	m.LoadInt(dst, At(args, offset.sum.Dst))
	m.FoldAll(t, x)
	m.StoreFirst(t, At(dst, 0), x)
	r.FreeGP(dst)
	m.Return()

	if m.NeedsEnd(t) {
		m.Label("few")
		few := m.MakePartial(t, left, true)
		m.LoadPartial(t, x, At(src, 0), few, true, None)
		m.FreePartial(few)
		m.Jump("summed")
	}
	sumBlocks(m, t, src, left, slot, x)
	r.Free(x)
	r.FreeGP(src, left, slot, args)
	m.End()
}

// sumBlocks emits the sum of the blocks at src and of the row behind them, all but the
// last folding.
func sumBlocks(m Machine, t kernels.Type, src, left, slot GP, x Vec) {
	r, n := m.Regs(), lanes(m, t)
	r.Free(x)
	spill := blockSpill(m, t)
	slots := m.Local((kernels.SumBlocks + 1) * m.VecBytes())
	m.Label("blocks")
	alignSlots(m, slot, slots)
	v := r.Vec()
	m.Identity(t, v)
	for i := 1; i < kernels.SumBlocks; i++ {
		m.Store(At(slot, i*m.VecBytes()), v)
	}
	r.Free(v)
	m.Label("block")
	v = blockVec(m, t, src, spill)
	m.Store(At(slot, 0), v)
	r.Free(v)
	m.AddInt(slot, m.VecBytes())
	m.AddInt(src, t.Block()*t.Size())
	m.AddInt(left, -t.Block())
	m.JumpIfInt(GreaterEqual, left, t.Block(), "block")
	m.JumpIfInt(NotEqual, left, 0, "row")
	m.Jump("whole")

	m.Label("rest")
	m.Store(At(slot, 0), x)
	m.AddInt(slot, m.VecBytes())
	m.Label("whole")

	// One block has been folded to one vector: that is all.
	first := r.GP()
	alignSlots(m, first, slots)
	r.Take(x)
	m.Load(t.Acc(), x, At(first, 0))
	m.AddInt(first, m.VecBytes())
	m.JumpIf(Equal, slot, first, "fold")
	r.Free(x)
	var sums []Vec
	for i := -1; i < kernels.SumBlocks-1; i += n {
		sums = append(sums, foldSlots(m, t, At(first, i*m.VecBytes()), min(n, kernels.SumBlocks)))
	}
	r.FreeGP(first)
	v = halve(m, t, sums)
	if v != x {
		m.Copy(x, v)
		r.Free(v)
		r.Take(x)
	}
	m.Jump("fold")
}
