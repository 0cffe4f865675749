package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// sum sums one sequence of up to kernels.SumBlocks blocks. A few vectors are
// code in a straight line. What is longer leaves a vector per block in the frame,
// where those that do not exist are the identity. All are folded together, to
// the sums of the blocks, and these are folded in turn.
func sum(m Machine, t kernels.Type, args GP) {
	r, n := m.Regs(), lanes(m, t)
	src, left := r.GP(), r.GP()
	m.LoadInt(src, At(args, offset.sum.Src))
	m.LoadInt(left, At(args, offset.sum.N))
	m.JumpIfInt(Greater, left, straightVectors*n, "long")

	count, end := r.GP(), None
	if m.NeedsEnd(t) {
		end = r.GP()
		m.Move(end, left)
		m.ShiftLeft(end, log2(t.Size()))
		m.Add(end, src)
	}
	lastCount(m, t, count, left)
	part := m.MakePartial(t, count, true)
	chooseVectors(m, left, n, 1, straightVectors, func(k int) string { return vectors(k) })
	for k := 1; k <= straightVectors; k++ {
		m.Label(vectors(k))
		fold(m, t, args, straightRow(m, t, k, loadRow(m, t, src, k, part, end)))
		m.Return()
	}
	m.FreePartial(part)
	if end != None {
		r.FreeGP(end)
	}
	r.FreeGP(count)

	m.Label("long")
	v := sumBlocks(m, t, src, left)
	fold(m, t, args, v)
	r.FreeGP(src, left, args)
	m.End()
}

func vectors(k int) string { return fmt.Sprintf("vectors%d", k) }

// fold emits the folding and the storing of v.
func fold(m Machine, t kernels.Type, args GP, v Vec) {
	dst := m.Regs().GP()
	m.LoadInt(dst, At(args, offset.sum.Dst))
	m.FoldAll(t, v)
	m.StoreFirst(t, At(dst, 0), v)
	m.Regs().Free(v)
	m.Regs().FreeGP(dst)
}

// sumBlocks emits the sum of the left elements at src, all but the last folding.
func sumBlocks(m Machine, t kernels.Type, src, left GP) Vec {
	r, n := m.Regs(), lanes(m, t)
	w, spill := newRowsKernel(m, t), blockSpill(m, t)
	slots := m.Local(kernels.SumBlocks * m.VecBytes())
	slot := r.GP()
	v := r.Vec()
	m.Identity(t, v)
	for i := 1; i < kernels.SumBlocks; i++ {
		m.Store(slots.Plus(i*m.VecBytes()), v)
	}
	r.Free(v)
	m.Lea(slot, slots)
	m.Label("block")
	m.JumpIfInt(Less, left, t.Block(), "rest")
	v = blockVec(m, t, src, spill)
	m.Store(At(slot, 0), v)
	r.Free(v)
	m.AddInt(slot, m.VecBytes())
	m.AddInt(src, t.Block()*t.Size())
	m.AddInt(left, -t.Block())
	m.Jump("block")

	m.Label("rest")
	m.JumpIfInt(Equal, left, 0, "whole")
	w.measure(left)
	v = w.many(src)
	m.Store(At(slot, 0), v)
	r.Free(v)
	m.AddInt(slot, m.VecBytes())
	m.Label("whole")

	// One block has been folded to one vector: that is all.
	v = r.Vec()
	first := r.GP()
	m.Load(t.Acc(), v, slots)
	m.Lea(first, slots.Plus(m.VecBytes()))
	m.JumpIf(Equal, slot, first, "folded")
	r.FreeGP(slot, first)
	r.Free(v)
	var sums []Vec
	for i := 0; i < kernels.SumBlocks; i += n {
		sums = append(sums, foldSlots(m, t, slots.Plus(i*m.VecBytes()), min(n, kernels.SumBlocks)))
	}
	x := halve(m, t, sums)
	if x != v {
		panic("sumBlocks: the sum is in another register")
	}
	m.Label("folded")
	return v
}
