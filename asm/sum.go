package main

import (
	"github.com/reducesum/reducesum/kernels"
)

// sum sums one sequence of up to kernels.SumBlocks blocks. What is shorter than a
// block is a row; all else is left to sumLong, since a small sum takes as long as
// what comes before and after it, and one without a frame has less of that.
func sum(m Machine, t kernels.Type, args GP) {
	r, n := m.Regs(), lanes(m, t)
	src, left, x := r.GP(), r.GP(), r.Vec()
	m.LoadInt(left, At(args, offset.sum.N))
	m.LoadInt(src, At(args, offset.sum.Src))
	m.JumpIfInt(GreaterEqual, left, t.Block(), "blocks")
	if m.NeedsEnd(t) {
		m.JumpIfInt(Less, left, n, "few")
	}
	w := newRowKernel(m, t, left)
	m.JumpIfInt(GreaterEqual, left, w.rowBytes(), "long")
	w.choose("vectors", func(v int) {
		w.short(src, v+1, x)
		if v > 0 {
			m.Jump("fold")
		}
	})
	m.Label("fold")
	storeSum(m, t, args, x)
	m.Return()

	m.Label("long")
	w.long("long", src, x)
	storeSum(m, t, args, x)
	m.Return()
	w.apart()
	w.free()
	if m.NeedsEnd(t) {
		m.Label("few")
		few := m.MakePartial(t, left, true)
		m.LoadPartial(t, x, At(src, 0), few, true, None)
		m.FreePartial(few)
		m.Jump("fold")
	}
	m.Label("blocks")
	m.TailCall(longName(t, m.ISA()))
	r.Free(x)
	r.FreeGP(src, left, args)
	m.End()
	sumLong(m, t)
}

// longName is the name of the part of sum that is for more than a block.
func longName(t kernels.Type, isa kernels.ISA) string {
	return kernels.Ops[kernels.OpSum].Name + "Long" + t.String() + isa.String()
}

// storeSum emits the folding and the storing of x.
func storeSum(m Machine, t kernels.Type, args GP, x Vec) {
	dst := m.Regs().GP()
	m.LoadInt(dst, At(args, offset.sum.Dst))
	m.FoldAll(t, x)
	m.StoreFirst(t, At(dst, 0), x)
	m.Regs().FreeGP(dst)
}

// sumLong sums a block or more. It leaves a vector per block in the frame,
// where those that do not exist are the identity. All are folded together, to
// the sums of the blocks, and these are folded in turn.
func sumLong(m Machine, t kernels.Type) {
	args := m.Begin(longName(t, m.ISA()), kernels.Ops[kernels.OpSum].Args)
	r, n := m.Regs(), lanes(m, t)
	slots := m.Local((kernels.SumBlocks + 1) * m.VecBytes())
	src, left, slot := r.GP(), r.GP(), r.GP()
	m.LoadInt(src, At(args, offset.sum.Src))
	m.LoadInt(left, At(args, offset.sum.N))
	alignSlots(m, slot, slots)
	v := r.Vec()
	m.Identity(t, v)
	for i := 1; i < kernels.SumBlocks; i++ {
		m.Store(At(slot, i*m.VecBytes()), v)
	}
	r.Free(v)
	spill := blockSpill(m, t)
	m.Label("block")
	v = blockVec(m, t, src, spill)
	m.Store(At(slot, 0), v)
	r.Free(v)
	m.AddInt(slot, m.VecBytes())
	m.AddInt(src, t.Block()*t.Size())
	m.AddInt(left, -t.Block())
	m.JumpIfInt(GreaterEqual, left, t.Block(), "block")
	m.JumpIfInt(Equal, left, 0, "whole")

	x := r.Vec()
	w := newRowKernel(m, t, left) // what it reads before a short row is a block
	w.long("rest", src, x)
	m.Store(At(slot, 0), x)
	m.AddInt(slot, m.VecBytes())
	m.Label("whole")

	// One block has been folded to one vector: that is all.
	first := r.GP()
	alignSlots(m, first, slots)
	m.Load(t.Acc(), x, At(first, 0))
	m.AddInt(first, m.VecBytes())
	m.JumpIf(Equal, slot, first, "fold")
	r.Free(x)
	var sums []Vec
	for i := -1; i < kernels.SumBlocks-1; i += n {
		sums = append(sums, foldSlots(m, t, At(first, i*m.VecBytes()), min(n, kernels.SumBlocks)))
	}
	if v = halve(m, t, sums); v != x {
		m.Copy(x, v)
		r.Free(v)
		r.Take(x)
	}
	m.Label("fold")
	storeSum(m, t, args, x)
	m.Return()
	w.apart()
	w.free()
	r.Free(x)
	r.FreeGP(first, src, left, slot, args)
	m.End()
}
