package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// cols adds rows elementwise, as one subtree of the order, and then, going up
// the order, the sums of the subtrees to the left that are already there.
//
// A row that is no whole number of vectors ends with a vector that overlaps
// the one before. Its sum is made first and stored last, because Dst may be
// one of the rows of Left. A row shorter than a vector is loaded in part.
func cols(m Machine, t kernels.Type, args GP) {
	c := newColumns(m, t, args)
	g := m.Regs().GP()
	m.LoadInt(g, At(args, offset.cols.Tree))
	for i := range kernels.Trees[1:] {
		m.JumpIfInt(Equal, g, i+1, fmt.Sprintf("tree%d", i+1))
	}
	m.Regs().FreeGP(g)
	for i, leaves := range kernels.Trees {
		m.Label(fmt.Sprintf("tree%d", i))
		c.leaves = leaves
		c.emit(i)
		if i < len(kernels.Trees)-1 {
			m.Jump("end")
		}
	}
	m.Label("end")
	c.end()
}

// columns is the state of a cols kernel.
type columns struct {
	m       Machine
	t       kernels.Type
	args    GP
	leaves  uint8
	streams Streams
	to      GP   // where the current vector is stored
	lefts   GP   // and where it lies in Left
	outer   Addr // in the frame: outer items that are left
	skip    Addr // bytes from the end of an item in Src, Dst and Left to the next
	tail    Addr // the sum of the overlapping vector
}

func newColumns(m Machine, t kernels.Type, args GP) *columns {
	c := &columns{m: m, t: t, args: args}
	c.outer, c.skip, c.tail = m.Local(8), m.Local(3*8), m.Local(m.VecBytes())
	r := m.Regs()
	g, n := r.GP(), r.GP()
	m.LoadInt(g, At(args, offset.cols.Outer))
	m.StoreInt(c.outer, g)
	// A loop leaves Src and Left behind the last whole vector, Dst behind all.
	for i, v := range []struct{ stride, size, mask int }{
		{offset.cols.SrcOuter, t.Size(), -lanes(m, t)},
		{offset.cols.DstOuter, t.Acc().Size(), -1},
		{offset.cols.LeftOuter, t.Acc().Size(), -lanes(m, t)},
	} {
		m.LoadInt(n, At(args, offset.cols.N))
		m.And(n, v.mask)
		m.ShiftLeft(n, log2(v.size))
		m.LoadInt(g, At(args, v.stride))
		m.Sub(g, n)
		m.StoreInt(c.skip.Plus(8*i), g)
	}
	r.FreeGP(g, n)
	return c
}

func (c *columns) end() {
	c.m.Regs().FreeGP(c.args)
	c.m.End()
}

// has reports whether the tree has a leaf.
func (c *columns) has(leaf int) bool { return c.leaves>>leaf&1 != 0 }

// emit emits the loops for a tree.
func (c *columns) emit(tree int) {
	m, t, r, n := c.m, c.t, c.m.Regs(), lanes(c.m, c.t)
	label := func(name string) string { return fmt.Sprintf("%s%d", name, tree) }
	base := r.GP()
	c.to, c.lefts = r.GP(), r.GP()
	m.LoadInt(base, At(c.args, offset.cols.Src))
	m.LoadInt(c.to, At(c.args, offset.cols.Dst))
	m.LoadInt(c.lefts, At(c.args, offset.cols.Left))
	c.streams = m.Streams(base, At(c.args, offset.cols.Strides), kernels.TreeLevels(c.leaves))
	left := r.GP() // elements
	m.LoadInt(left, At(c.args, offset.cols.N))
	m.JumpIfInt(Less, left, n, label("narrow"))
	m.JumpIfInt(Equal, left, n, label("vector"))

	m.Label(label("outer"))
	c.overlap(left, label)
	unroll := m.Unroll(t)
	m.Label(label("many"))
	m.JumpIfInt(Less, left, unroll*n, label("one"))
	c.step(label("many"), unroll)
	m.AddInt(left, -unroll*n)
	m.Jump(label("many"))
	m.Label(label("one"))
	m.JumpIfInt(Less, left, n, label("last"))
	c.step(label("one"), 1)
	m.AddInt(left, -n)
	m.Jump(label("one"))

	m.Label(label("last"))
	m.JumpIfInt(Equal, left, 0, label("next"))
	m.ShiftLeft(left, log2(t.Acc().Size()))
	m.Add(c.to, left)
	v := r.Vec()
	m.Load(t.Acc(), v, c.tail)
	m.Store(At(c.to, -m.VecBytes()), v)
	r.Free(v)
	m.Label(label("next"))
	c.countDown(left, "end")
	c.advance(c.skip, c.skip.Plus(8), c.skip.Plus(16))
	m.LoadInt(left, At(c.args, offset.cols.N))
	m.Jump(label("outer"))

	m.Label(label("vector"))
	c.vector(label("vector"), left)
	m.Jump("end")

	m.Label(label("narrow"))
	c.narrow(label("narrow"), left)
	r.FreeGP(left, c.to, c.lefts)
	m.FreeStreams(c.streams)
}

// countDown ends the loop over outer items after the last one.
func (c *columns) countDown(g GP, end string) {
	c.m.LoadInt(g, c.outer)
	c.m.AddInt(g, -1)
	c.m.StoreInt(c.outer, g)
	c.m.JumpIfInt(Equal, g, 0, end)
}

// advance adds what lies at the addresses to the pointers into Src, Dst and Left.
func (c *columns) advance(src, dst, left Addr) {
	for _, p := range c.streams.Ptrs {
		c.m.AddMem(p, src)
	}
	c.m.AddMem(c.to, dst)
	c.m.AddMem(c.lefts, left)
}

// overlap sums the last vector of a row of left elements into the frame.
func (c *columns) overlap(left GP, label func(string) string) {
	m, t, r, n := c.m, c.t, c.m.Regs(), lanes(c.m, c.t)
	off := r.GP()
	m.Move(off, left)
	m.And(off, n-1)
	m.JumpIfInt(Equal, off, 0, label("many"))
	shift := func(sign int) { // to the last vector and back
		step := func(p GP, size int) {
			m.Move(off, left)
			m.AddInt(off, -n)
			m.ShiftLeft(off, log2(size))
			if sign < 0 {
				m.Sub(p, off)
			} else {
				m.Add(p, off)
			}
		}
		for _, p := range c.streams.Ptrs {
			step(p, t.Size())
		}
		step(c.lefts, t.Acc().Size())
	}
	shift(1)
	r.FreeGP(off)
	v := c.sum(label("overlap"), 1)
	m.Store(c.tail, v[0])
	r.Free(v...)
	off = r.GP()
	shift(-1)
	r.FreeGP(off)
}

// step sums and stores the next n vectors.
func (c *columns) step(label string, n int) {
	m := c.m
	vs := c.sum(label, n)
	m.StoreVecs(At(c.to, 0), vs)
	m.Regs().Free(vs...)
	for _, p := range c.streams.Ptrs {
		m.AddInt(p, n*vecSize(m, c.t))
	}
	m.AddInt(c.to, n*m.VecBytes())
	m.AddInt(c.lefts, n*m.VecBytes())
}

// sum sums n vectors: the tree, then what lies to its left.
func (c *columns) sum(label string, n int) []Vec {
	m, t := c.m, c.t
	vs := treeInOrder(m, t, 1<<c.streams.Levels, n, c.has, func(i, v int) Addr {
		return c.streams.Leaf(i).Plus(v * vecSize(m, t))
	})
	c.eachLeft(label, func(at Addr) {
		m.LoadAddVecs(t.Acc(), vs, at)
	})
	return vs
}

// eachLeft emits the loop over the rows of Left.
func (c *columns) eachLeft(label string, add func(at Addr)) {
	m, r := c.m, c.m.Regs()
	count, at := r.GP(), r.GP()
	m.LoadInt(count, At(c.args, offset.cols.Lefts))
	m.JumpIfInt(Equal, count, 0, label+"done")
	m.Move(at, c.lefts)
	m.Label(label + "left")
	add(At(at, 0))
	m.AddMem(at, At(c.args, offset.cols.LeftStep))
	m.AddInt(count, -1)
	m.JumpIfInt(NotEqual, count, 0, label+"left")
	m.Label(label + "done")
	r.FreeGP(count, at)
}

// vector sums rows of one vector, of which there may be many: their number is
// kept in a register.
func (c *columns) vector(label string, items GP) {
	m := c.m
	m.LoadInt(items, At(c.args, offset.cols.Outer))
	m.Label(label + "outer")
	v := c.sum(label, 1)
	m.Store(At(c.to, 0), v[0])
	m.Regs().Free(v...)
	c.advance(At(c.args, offset.cols.SrcOuter), At(c.args, offset.cols.DstOuter), At(c.args, offset.cols.LeftOuter))
	m.AddInt(items, -1)
	m.JumpIfInt(NotEqual, items, 0, label+"outer")
}

// narrow sums rows shorter than a vector.
func (c *columns) narrow(label string, count GP) {
	m, t, r := c.m, c.t, c.m.Regs()
	part := m.MakePartial(t, count, false)
	m.StoreInt(c.skip, c.lefts) // in the frame, for want of registers
	r.FreeGP(c.lefts)
	m.Label(label + "outer")
	var sum func(i, rows int) Vec
	sum = func(i, rows int) Vec {
		if rows == 1 {
			v := r.Vec()
			m.LoadPartial(t, v, c.streams.Leaf(i), part, false, None)
			return v
		}
		a := sum(i, rows/2)
		if c.has(i + rows/2) {
			b := sum(i+rows/2, rows/2)
			m.AddVec(t, a, a, b)
			r.Free(b)
		}
		return a
	}
	v := sum(0, 1<<c.streams.Levels)
	c.lefts = r.GP()
	m.LoadInt(c.lefts, c.skip)
	c.eachLeft(label, func(at Addr) {
		x := r.Vec()
		m.LoadPartial(t.Acc(), x, at, part, false, None)
		m.AddVec(t, v, v, x)
		r.Free(x)
	})
	m.StorePartial(t, At(c.to, 0), v, count)
	r.Free(v)
	g := r.GP()
	c.countDown(g, "end")
	r.FreeGP(g)
	c.advance(At(c.args, offset.cols.SrcOuter), At(c.args, offset.cols.DstOuter), At(c.args, offset.cols.LeftOuter))
	m.StoreInt(c.skip, c.lefts)
	m.Jump(label + "outer")
	m.FreePartial(part)
}
