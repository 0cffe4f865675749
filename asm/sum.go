package main

import "github.com/reducesum/reducesum/kernels"

// sum sums one sequence of up to kernels.SumBlocks blocks. Those that need no frame
// are summed here: a small sum takes as long as what comes before and after it. All
// else is left to sumLong.
func sum(m Machine, t kernels.Type, args GP) {
	r, n := m.Regs(), lanes(m, t)
	src, left, x := r.GP(), r.GP(), r.Vec()
	m.LoadInt(left, At(args, offset.sum.N))
	m.LoadInt(src, At(args, offset.sum.Src))
	m.JumpIfInt(GreaterEqual, left, framed(m, t), "framed")
	if m.NeedsEnd(t) {
		m.JumpIfInt(Less, left, n, "few")
	}
	w := newRowKernel(m, t, left)
	m.JumpIfInt(GreaterEqual, left, w.rowBytes(), "long")
	w.choose("vectors", perRow(m), func(v int) {
		w.short(src, v+1, x)
		if v > 0 {
			m.Jump("fold")
		}
	})
	m.Label("fold")
	storeSum(m, t, args, x)
	m.Return()

	m.Label("long")
	if !inFrame(m) {
		w.longest(Addr{})
	}
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
	m.Label("framed")
	m.TailCall(longName(t, m.ISA()))
	r.Free(x)
	r.FreeGP(src, left, args)
	m.End()
	sumLong(m, t)
}

// framed is the number of elements from which a sequence takes a frame: it is a block,
// or a row of which trees wait there.
func framed(m Machine, t kernels.Type) int {
	if inFrame(m) {
		return 4*t.Lanes() + 1
	}
	return t.Block()
}

// longName is the name of the part of sum that takes a frame.
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

// sumLong sums what takes a frame. It leaves a vector per block in the frame,
// where those that do not exist are the identity. All are folded together, to
// the sums of the blocks, and these are folded in turn.
func sumLong(m Machine, t kernels.Type) {
	args := m.Begin(longName(t, m.ISA()), kernels.Ops[kernels.OpSum].Args)
	r, n := m.Regs(), lanes(m, t)
	slots := alignedLocal(m, kernels.SumBlocks*m.VecBytes()+blockSpill(m, t)+waitingBytes(m))
	spill := slots.Plus(kernels.SumBlocks * m.VecBytes())
	src, left, slot := r.GP(), r.GP(), r.GP()
	m.LoadInt(src, At(args, offset.sum.Src))
	m.LoadInt(left, At(args, offset.sum.N))
	x := r.Vec()
	m.MoveInt(slot, 0)
	m.JumpIfInt(Less, left, t.Block(), "row")
	m.Lea(slot, slots)
	m.JumpIfInt(Equal, left, t.Block(), "block")
	m.Identity(t, x)
	for i := 1; i < kernels.SumBlocks; i++ {
		m.Store(At(slot, i*m.VecBytes()), x)
	}
	m.Label("block")
	r.Free(x)
	moveTo(m, x, blockVec(m, t, src, spill))
	m.Store(At(slot, 0), x)
	m.AddInt(slot, m.VecBytes())
	m.AddInt(src, t.Block()*t.Size())
	m.AddInt(left, -t.Block())
	m.JumpIfInt(GreaterEqual, left, t.Block(), "block")
	m.JumpIfInt(Equal, left, 0, "whole")

	m.Label("row")
	w := newRowKernel(m, t, left) // what it reads before a short row is the block there
	w.longest(spill.Plus(blockSpill(m, t)))
	w.high = true
	w.long("rest", src, x)
	m.JumpIfInt(Equal, slot, 0, "fold")
	m.Store(At(slot, 0), x)
	m.AddInt(slot, m.VecBytes())
	m.Label("whole")

	// One block has been folded to one vector: that is all.
	first := r.GP()
	m.Lea(first, slots.Plus(m.VecBytes()))
	m.JumpIf(Equal, slot, first, "fold")
	r.Free(x)
	var sums []Vec
	for i := 0; i < kernels.SumBlocks; i += n {
		sums = append(sums, foldSlots(m, t, slots.Plus(i*m.VecBytes()), min(n, kernels.SumBlocks)))
	}
	moveTo(m, x, halve(m, t, sums))
	m.Label("fold")
	storeSum(m, t, args, x)
	m.Return()
	r.FreeGP(first)
	w.apart()
	w.free()
	r.Free(x)
	freeLocal(m, slots)
	r.FreeGP(src, left, slot, args)
	m.End()
}

// moveTo moves v to the register x, which is free if it is another one.
func moveTo(m Machine, x, v Vec) {
	if v == x {
		return
	}
	m.Copy(x, v)
	m.Regs().Free(v)
	m.Regs().Take(x)
}
