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
	levels := m.Regs().GP()
	m.LoadInt(levels, At(args, offset.cols.Levels))
	for i := 1; i <= 4; i++ {
		m.JumpIfInt(Equal, levels, i, fmt.Sprintf("levels%d", i))
	}
	m.Regs().FreeGP(levels)
	for i := range 5 {
		m.Label(fmt.Sprintf("levels%d", i))
		c.emit(i)
		if i < 4 {
			m.Jump("end")
		}
	}
	m.Label("end")
	c.end()
}

// columns is the state of a cols kernel. The addresses of the current item of
// the outer loop, and how many are left, wait in the frame.
type columns struct {
	m                     Machine
	t                     kernels.Type
	args                  GP
	src, dst, left, outer Addr // in the frame
	tail                  Addr // the sum of the overlapping vector
	streams               Streams
	to, lefts             GP // where the current vector is stored, and Left's is
}

func newColumns(m Machine, t kernels.Type, args GP) *columns {
	c := &columns{m: m, t: t, args: args}
	c.tail = m.Local(m.VecBytes())
	g := m.Regs().GP()
	for _, v := range []struct {
		at   *Addr
		from int
	}{{&c.src, offset.cols.Src}, {&c.dst, offset.cols.Dst}, {&c.left, offset.cols.Left}, {&c.outer, offset.cols.Outer}} {
		*v.at = m.Local(8)
		m.LoadInt(g, At(args, v.from))
		m.StoreInt(*v.at, g)
	}
	m.Regs().FreeGP(g)
	return c
}

func (c *columns) end() {
	c.m.Regs().FreeGP(c.args)
	c.m.End()
}

// emit emits the loops for trees of 2^levels rows.
func (c *columns) emit(levels int) {
	m, t, r, n := c.m, c.t, c.m.Regs(), lanes(c.m, c.t)
	label := func(name string) string { return fmt.Sprintf("%s%d", name, levels) }
	m.Label(label("outer"))
	base := r.GP()
	c.to, c.lefts = r.GP(), r.GP()
	m.LoadInt(base, c.src)
	m.LoadInt(c.to, c.dst)
	m.LoadInt(c.lefts, c.left)
	c.streams = m.Streams(base, At(c.args, offset.cols.Strides), levels)
	left := r.GP() // elements
	m.LoadInt(left, At(c.args, offset.cols.N))
	m.JumpIfInt(Less, left, n, label("narrow"))

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
	m.Jump(label("next"))

	m.Label(label("narrow"))
	c.narrow(label("narrow"), left)

	m.Label(label("next"))
	r.FreeGP(left, c.to, c.lefts)
	m.FreeStreams(c.streams)
	c.next(label("outer"))
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
	vs := tree(m, t, 1<<c.streams.Levels, n, func(i, v int) Addr {
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

// narrow sums a row shorter than a vector.
func (c *columns) narrow(label string, count GP) {
	m, t, r := c.m, c.t, c.m.Regs()
	r.FreeGP(c.lefts) // for want of registers
	part := m.MakePartial(t, count, false)
	var sum func(i, rows int) Vec
	sum = func(i, rows int) Vec {
		if rows == 1 {
			v := r.Vec()
			m.LoadPartial(t, v, c.streams.Leaf(i), part, false, None)
			return v
		}
		a := sum(i, rows/2)
		b := sum(i+rows/2, rows/2)
		m.AddVec(t, a, a, b)
		r.Free(b)
		return a
	}
	v := sum(0, 1<<c.streams.Levels)
	m.FreePartial(part)
	c.lefts = r.GP()
	m.LoadInt(c.lefts, c.left)
	part = m.MakePartial(t.Acc(), count, false)
	c.eachLeft(label, func(at Addr) {
		x := r.Vec()
		m.LoadPartial(t.Acc(), x, at, part, false, None)
		m.AddVec(t, v, v, x)
		r.Free(x)
	})
	m.FreePartial(part)
	m.StorePartial(t, At(c.to, 0), v, count)
	r.Free(v)
}

// next goes to the next item of the outer loop.
func (c *columns) next(loop string) {
	m, r := c.m, c.m.Regs()
	g := r.GP()
	for _, v := range []struct {
		at   Addr
		step int
	}{{c.src, offset.cols.SrcOuter}, {c.dst, offset.cols.DstOuter}, {c.left, offset.cols.LeftOuter}} {
		m.LoadInt(g, v.at)
		m.AddMem(g, At(c.args, v.step))
		m.StoreInt(v.at, g)
	}
	m.LoadInt(g, c.outer)
	m.AddInt(g, -1)
	m.StoreInt(c.outer, g)
	m.JumpIfInt(NotEqual, g, 0, loop)
	r.FreeGP(g)
}
