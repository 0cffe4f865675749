package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// cols runs the nodes of a program for each outer item: a node adds rows
// elementwise, as one subtree of the order, and then, going up the order, the sums
// of the subtrees to the left, which wait in slots.
//
// Rows are whole vectors, several at a time as long as there are as many. Where
// items are a single node of a single vector, they are taken for the vectors of one
// long row, whose steps from one to the next lie in the frame.
func cols(m Machine, t kernels.Type, args GP) {
	c := &columns{m: m, t: t, args: args}
	c.begin()
	r := m.Regs()
	m.Keep(t)
	m.Label("item")
	c.node = r.GP()
	m.LoadInt(c.node, At(args, offset.cols.Nodes))
	m.Label("node")
	tree := r.GP()
	m.LoadInt(tree, At(c.node, offset.node.Tree))
	c.choose(tree, 0, len(kernels.Trees))
	r.FreeGP(tree)
	for i, leaves := range kernels.Trees {
		m.Label(fmt.Sprintf("tree%d", i))
		c.leaves = leaves
		c.emit(i)
	}
	c.end()
}

// columns is the state of a cols kernel.
type columns struct {
	m       Machine
	t       kernels.Type
	args    GP
	node    GP
	leaves  uint8
	streams Streams
	to      GP // where the current vector is stored
	lefts   GP // and where it lies in the nearest slot to the left

	// In the frame:
	count      Addr // elements of a row
	apart      Addr // elements of a row whose vectors do not lie side by side, or 0
	last       Addr // the last node
	outer      Addr // outer items that are left
	src, dst   Addr // the current item
	fromVector Addr // from one vector of a row to the next, in Src
	toVector   Addr // and in Dst
	alone      Addr // not 0 for items of a single node
	fromRow    Addr // from the end of such an item to the next, in Src
	toRow      Addr // in Dst
	leftRow    Addr // and in Slots
}

// choose jumps to one of the trees from first up to the one before end.
func (c *columns) choose(tree GP, first, end int) {
	if end-first == 1 {
		c.m.Jump(fmt.Sprintf("tree%d", first))
		return
	}
	middle := (first + end) / 2
	upper := fmt.Sprintf("from%d", middle)
	c.m.JumpIfInt(GreaterEqual, tree, middle, upper)
	c.choose(tree, first, middle)
	c.m.Label(upper)
	c.choose(tree, middle, end)
}

// begin fills the frame.
func (c *columns) begin() {
	m, r, n := c.m, c.m.Regs(), lanes(c.m, c.t)
	for _, a := range []*Addr{&c.count, &c.apart, &c.last, &c.outer, &c.src, &c.dst, &c.fromVector, &c.toVector, &c.alone, &c.fromRow, &c.toRow, &c.leftRow} {
		*a = m.Local(8)
	}
	g, count := r.GP(), r.GP()
	copyArg := func(to Addr, from int) {
		m.LoadInt(g, At(c.args, from))
		m.StoreInt(to, g)
	}
	set := func(to Addr, n int) {
		m.MoveInt(g, n)
		m.StoreInt(to, g)
	}
	copyArg(c.src, offset.cols.Src)
	copyArg(c.dst, offset.cols.Dst)
	copyArg(c.outer, offset.cols.Outer)
	copyArg(c.count, offset.cols.N)
	set(c.alone, 0)
	m.LoadInt(count, At(c.args, offset.cols.Count))
	m.JumpIfInt(NotEqual, count, 1, "rows")
	m.StoreInt(c.alone, count)
	skip := func(to Addr, outer, size int) {
		if outer < 0 {
			m.MoveInt(g, 0)
		} else {
			m.LoadInt(g, At(c.args, outer))
		}
		m.LoadInt(count, c.count)
		m.ShiftLeft(count, log2(size))
		m.Sub(g, count)
		m.StoreInt(to, g)
	}
	skip(c.fromRow, offset.cols.SrcOuter, c.t.Size())
	skip(c.toRow, offset.cols.DstOuter, c.t.Acc().Size())
	skip(c.leftRow, -1, c.t.Acc().Size())
	m.MoveInt(count, 1)
	m.LoadInt(g, c.count)
	m.JumpIfInt(NotEqual, g, n, "rows")
	copyArg(c.fromVector, offset.cols.SrcOuter)
	copyArg(c.toVector, offset.cols.DstOuter)
	m.LoadInt(g, c.outer)
	m.ShiftLeft(g, log2(n))
	m.StoreInt(c.apart, g)
	set(c.outer, 1)
	m.Jump("last")
	m.Label("rows")
	set(c.fromVector, vecSize(m, c.t))
	set(c.toVector, m.VecBytes())
	set(c.apart, 0)
	m.Label("last")
	m.AddInt(count, -1)
	m.ShiftLeft(count, log2(offset.node.size))
	m.AddMem(count, At(c.args, offset.cols.Nodes))
	m.StoreInt(c.last, count)
	r.FreeGP(g, count)
}

// end goes on to the next node and the next item.
func (c *columns) end() {
	m, r := c.m, c.m.Regs()
	m.Label("next")
	g := r.GP()
	m.LoadInt(g, c.last)
	m.JumpIf(Equal, c.node, g, "done")
	m.AddInt(c.node, offset.node.size)
	m.Jump("node")
	m.Label("done")
	for _, p := range []struct {
		at     Addr
		stride int
	}{{c.src, offset.cols.SrcOuter}, {c.dst, offset.cols.DstOuter}} {
		m.LoadInt(g, p.at)
		m.AddMem(g, At(c.args, p.stride))
		m.StoreInt(p.at, g)
	}
	m.LoadInt(g, c.outer)
	m.AddInt(g, -1)
	m.StoreInt(c.outer, g)
	m.JumpIfInt(NotEqual, g, 0, "item")
	m.Label("end")
	r.FreeGP(g, c.node, c.args)
	m.FreeKept()
	m.End()
}

// has reports whether the tree has a leaf.
func (c *columns) has(leaf int) bool { return c.leaves>>leaf&1 != 0 }

// emit emits the loops for a tree.
func (c *columns) emit(tree int) {
	m, t, r, n := c.m, c.t, c.m.Regs(), lanes(c.m, c.t)
	label := func(name string) string { return fmt.Sprintf("%s%d", name, tree) }
	base, g := r.GP(), r.GP()
	c.to, c.lefts = r.GP(), r.GP()
	m.LoadInt(c.lefts, At(c.args, offset.cols.Slots))
	m.Move(c.to, c.lefts)
	m.AddMem(c.to, At(c.node, offset.node.To))
	m.AddMem(c.lefts, At(c.node, offset.node.Left))
	m.LoadInt(g, c.last)
	m.JumpIf(NotEqual, c.node, g, label("slot"))
	m.LoadInt(c.to, c.dst)
	m.Label(label("slot"))
	r.FreeGP(g)
	m.LoadInt(base, c.src)
	m.AddMem(base, At(c.node, offset.node.Src))
	c.streams = m.Streams(base, At(c.node, offset.node.Strides), kernels.TreeLevels(c.leaves))

	left := r.GP() // elements
	m.LoadInt(left, c.apart)
	m.JumpIfInt(NotEqual, left, 0, label("apart"))
	m.Label(label("row"))
	m.LoadInt(left, c.count)
	unroll := m.Unroll(t)
	m.AddInt(left, -unroll*n)
	m.JumpIfInt(Less, left, 0, label("few"))
	m.Label(label("many"))
	c.step(label("many"), unroll)
	m.AddInt(left, -unroll*n)
	m.JumpIfInt(GreaterEqual, left, 0, label("many"))
	m.Label(label("few"))
	m.AddInt(left, unroll*n)
	m.JumpIfInt(Equal, left, 0, label("end"))
	m.Label(label("apart"))
	c.step(label("one"), 1)
	m.AddInt(left, -n)
	m.JumpIfInt(NotEqual, left, 0, label("apart"))
	m.Label(label("end"))
	m.LoadInt(left, c.alone)
	m.JumpIfInt(Equal, left, 0, "next")
	m.LoadInt(left, c.outer)
	m.AddInt(left, -1)
	m.StoreInt(c.outer, left)
	m.JumpIfInt(Equal, left, 0, "end")
	for _, p := range c.streams.Ptrs {
		m.AddMem(p, c.fromRow)
	}
	m.AddMem(c.to, c.toRow)
	m.AddMem(c.lefts, c.leftRow)
	m.Jump(label("row"))
	r.FreeGP(left, c.to, c.lefts)
	m.FreeStreams(c.streams)
}

// step sums and stores the next n vectors.
func (c *columns) step(label string, n int) {
	m, t := c.m, c.t
	vs := treeInOrder(m, t, 1<<c.streams.Levels, n, c.has, func(i, v int) Addr {
		return c.streams.Leaf(i).Plus(v * vecSize(m, t))
	})
	c.eachLeft(label, func(at Addr) {
		m.LoadAddVecs(t.Acc(), vs, at)
	})
	m.StoreVecs(At(c.to, 0), vs)
	m.Regs().Free(vs...)
	if n == 1 {
		for _, p := range c.streams.Ptrs {
			m.AddMem(p, c.fromVector)
		}
		m.AddMem(c.to, c.toVector)
	} else {
		for _, p := range c.streams.Ptrs {
			m.AddInt(p, n*vecSize(m, t))
		}
		m.AddInt(c.to, n*m.VecBytes())
	}
	m.AddInt(c.lefts, n*m.VecBytes())
}

// eachLeft emits the loop over the slots to the left.
func (c *columns) eachLeft(label string, add func(at Addr)) {
	m, r := c.m, c.m.Regs()
	count, at := r.GP(), r.GP()
	m.LoadInt(count, At(c.node, offset.node.Lefts))
	m.JumpIfInt(Equal, count, 0, label+"done")
	m.Move(at, c.lefts)
	m.Label(label + "left")
	add(At(at, 0))
	m.AddMem(at, At(c.args, offset.cols.SlotStep))
	m.AddInt(count, -1)
	m.JumpIfInt(NotEqual, count, 0, label+"left")
	m.Label(label + "done")
	r.FreeGP(count, at)
}
