package main

import (
	"fmt"
	"slices"

	"github.com/reducesum/reducesum/kernels"
)

// A row shorter than a block is K rows of lanes and one more, of which the
// last vector and those behind it may be absent in part. The byte offset of
// the row's last vector says it all: its low bits where in a row of lanes the vector
// lies, the higher ones K, and the bits of K which trees there are, from left to
// right: of eight rows, four, two, one.
//
// They are summed in this order, that of memory: CPUs fetch what comes next, and rows
// read from their ends took twice as long from the third-level cache. They are added
// from right to left, so all but the last one wait, in registers or in the frame. Rows
// of less than a row of lanes, where each addition shows, are code in a straight line,
// one for each number of vectors.
type rowKernel struct {
	m       Machine
	t       kernels.Type
	last    GP   // the byte offset of the last vector
	part    Last // how it is loaded
	rest    GP   // the trees that wait, bits of last
	waiting Addr // in the frame
	// apart emits what is jumped to and from, away from what is run more often.
	apart func()
}

// perRow is how many vectors a row of lanes has.
func perRow(m Machine) int { return kernels.RowBytes / m.VecBytes() }

// newRowKernel emits what n, the length of the rows, says of them; n is lost.
func newRowKernel(m Machine, t kernels.Type, n GP) *rowKernel {
	m.AddInt(n, -1)
	w := &rowKernel{m: m, t: t, last: n, rest: None}
	count := m.Regs().GP()
	m.Move(count, n)
	m.And(count, lanes(m, t)-1)
	m.Sub(n, count)
	m.ShiftLeft(n, log2(t.Size()))
	m.AddInt(count, 1)
	w.part = m.MakeLast(t, count)
	return w
}

// free gives back all but n.
func (w *rowKernel) free() {
	w.m.FreeLast(w.part)
	w.m.Regs().FreeGP(w.part.Count)
	if w.rest != None {
		w.m.Regs().FreeGP(w.rest)
	}
}

// inFrame tells whether trees wait in the frame.
func inFrame(m Machine) bool { return m.Regs().All() < 5*perRow(m) }

// longest prepares for rows of all lengths.
func (w *rowKernel) longest(name string) {
	m, row := w.m, w.rowBytes()
	if inFrame(m) {
		w.waiting = m.Local(3 * kernels.RowBytes)
	}
	w.rest = m.Regs().GP()
	m.Move(w.rest, w.last)
	m.And(w.rest, 14*row)
	m.JumpIfBit(w.last, row, name+"Odd")
	m.And(w.rest, 12*row) // two rows do not wait for one
	m.Label(name + "Odd")
}

// rowBytes is the number of bytes from which a row of lanes is loaded.
func (w *rowKernel) rowBytes() int { return w.t.Lanes() * w.t.Size() }

// choose emits the choice among 2^k cases, named by the place of the last vector
// in a row of lanes, the highest first.
func (w *rowKernel) choose(name string, leaf func(v int)) {
	vec := vecSize(w.m, w.t)
	var choose func(v, width int)
	choose = func(v, width int) {
		if width == 1 {
			leaf(v)
			return
		}
		low := fmt.Sprintf("%s%dto%d", name, v, v+width/2-1)
		w.m.JumpIfNoBit(w.last, width/2*vec, low)
		choose(v+width/2, width/2)
		w.m.Label(low)
		choose(v, width/2)
	}
	choose(0, perRow(w.m))
}

// short emits the sum of a row of k vectors, up to a row of lanes, all but the last
// folding, in the register x.
func (w *rowKernel) short(src GP, k int, x Vec) {
	m, t := w.m, w.t
	var sum func(v, step int) Vec
	sum = func(v, step int) Vec { // of the vectors v, v+step, v+2*step, ...
		at := At(src, v*vecSize(m, t))
		switch {
		case v == k-1:
			m.LoadLast(t, x, at, w.part)
			return x
		case v+step >= k:
			a := m.Regs().Vec()
			m.Load(t, a, at)
			return a
		}
		a := sum(v, 2*step)
		if next := v + step; next+2*step >= k && next != k-1 {
			m.LoadAdd(t, a, At(src, next*vecSize(m, t)))
			return a
		}
		b := sum(v+step, 2*step)
		if b == x {
			a, b = b, a
		}
		addVecs(m, t, []Vec{a}, []Vec{b})
		return a
	}
	sum(0, 1)
}

// long emits the sum of a row of more than a row of lanes, all but the last folding, in
// the register x: of one or two rows of lanes and the last one, or, after longest, of
// any number.
func (w *rowKernel) long(name string, src GP, x Vec) {
	m, t, r, row := w.m, w.t, w.m.Regs(), w.rowBytes()
	label := func(what string) string { return name + what }
	p, all := r.GP(), w.rest != None
	m.Move(p, src)
	trees := map[int]waiting{}
	if all {
		m.JumpIfInt(Less, w.last, 4*row, label("Low"))
		trees[8] = w.wait(8, p, label("No8"))
		trees[4] = w.wait(4, p, label("No4"))
		m.Label(label("Low"))
		trees[2] = w.newWaiting(2)
	}
	sums := r.Vecs(perRow(m))
	m.JumpIfBit(w.last, 2*row, label("Two"))
	if all {
		m.JumpIfNoBit(w.last, row, label("None"))
	}
	m.Label(label("One"))
	m.LoadVecs(t, sums, At(p, 0))
	m.AddInt(p, row)
	m.Label(label("Tail"))
	w.addLast(label, sums, src, p, x)
	if all {
		m.JumpIfInt(NotEqual, w.rest, 0, label("Rest"))
	}
	m.Label(label("Halve"))
	halves := sums
	for len(halves) > 2 {
		h := len(halves) / 2
		for i := range h {
			m.AddVec(t, halves[i], halves[i], halves[i+h])
		}
		halves = halves[:h]
	}
	m.AddVec(t, x, halves[0], halves[1])
	w.apart = func() { w.seldom(label, sums, p, trees) }
	r.FreeGP(p)
	r.Free(sums...)
	for _, tree := range trees {
		r.Free(tree.vecs...)
	}
}

// seldom emits what long jumps to: two rows of lanes, none, and the addition of what waits.
func (w *rowKernel) seldom(label func(what string) string, sums []Vec, p GP, trees map[int]waiting) {
	m, t, r, row := w.m, w.t, w.m.Regs(), w.rowBytes()
	taken := slices.Clone(sums)
	for _, n := range []int{2, 4, 8} {
		taken = append(taken, trees[n].vecs...)
	}
	for _, v := range taken {
		r.Take(v)
	}
	defer r.Free(taken...)
	m.Label(label("Two"))
	m.LoadVecs(t, sums, At(p, 0))
	m.LoadAddVecs(t, sums, At(p, row))
	m.AddInt(p, 2*row)
	if len(trees) == 0 {
		m.Jump(label("Tail"))
		return
	}
	m.JumpIfNoBit(w.last, row, label("Tail"))
	trees[2].put(m, sums)
	m.Jump(label("One"))

	m.Label(label("None"))
	m.Identity(t, sums[0])
	for _, v := range sums[1:] {
		m.Copy(v, sums[0])
	}
	m.Jump(label("Tail"))

	m.Label(label("Rest"))
	for _, n := range []int{2, 4, 8} {
		without := label(fmt.Sprintf("Without%d", n))
		m.JumpIfNoBit(w.rest, n*row, without)
		trees[n].add(m, t, sums)
		m.Label(without)
	}
	m.Jump(label("Halve"))
}

// A waiting is a tree of a row that waits to be added: in registers or in the frame.
type waiting struct {
	vecs []Vec
	at   Addr
}

// newWaiting takes the registers for the tree of n rows, or its place in the frame.
func (w *rowKernel) newWaiting(n int) waiting {
	if !inFrame(w.m) {
		return waiting{vecs: w.m.Regs().Vecs(perRow(w.m))}
	}
	return waiting{at: w.waiting.Plus(log2(n/2) * kernels.RowBytes)}
}

func (x waiting) put(m Machine, sums []Vec) {
	if x.vecs == nil {
		m.StoreVecs(x.at, sums)
		return
	}
	for i, v := range sums {
		m.Copy(x.vecs[i], v)
	}
}

func (x waiting) add(m Machine, t kernels.Type, sums []Vec) {
	if x.vecs == nil {
		m.LoadAddVecs(t.Acc(), sums, x.at)
		return
	}
	for i, v := range sums {
		m.AddVec(t, v, v, x.vecs[i])
	}
}

// wait lets the tree of the n rows at p wait, if there is one, and moves p behind it.
func (w *rowKernel) wait(n int, p GP, without string) waiting {
	m, t := w.m, w.t
	m.JumpIfNoBit(w.last, n*w.rowBytes(), without)
	var x waiting
	eachStrip(m, m.Strip(t), func(vector int) {
		sums := treeInOrder(m, t, n, m.Strip(t), every, func(i, v int) Addr {
			return At(p, i*w.rowBytes()+(vector+v)*vecSize(m, t))
		})
		if !inFrame(m) {
			x.vecs = append(x.vecs, sums...)
			return
		}
		x = w.newWaiting(n)
		m.StoreVecs(x.at.Plus(vector*m.VecBytes()), sums)
		m.Regs().Free(sums...)
	})
	m.AddInt(p, n*w.rowBytes())
	m.Label(without)
	return x
}

// addLast adds the last row of lanes, at p.
func (w *rowKernel) addLast(label func(what string) string, sums []Vec, src, p GP, x Vec) {
	m, t := w.m, w.t
	tables := w.part.Table != None // then loading takes some instructions: once for all
	if tables {
		m.LoadLast(t, x, Addr{src, w.last, 0}, w.part)
	}
	ladder := func(v int) string { return label(fmt.Sprintf("Ladder%d", v)) }
	const expanded = 8 // the most vectors of which each number has its own code
	w.choose(label("Last"), func(v int) {
		switch {
		case len(sums) <= expanded:
			m.LoadAddVecs(t, sums[:v], At(p, 0))
			if !tables {
				m.LoadLast(t, x, At(p, v*vecSize(m, t)), w.part)
			}
			m.AddVec(t, sums[v], sums[v], x)
			if v > 0 {
				m.Jump(label("Added"))
			}
			return
		case v == len(sums)-1:
			m.AddVec(t, sums[v], sums[v], x)
			for i := v - 1; i >= 0; i-- {
				m.Label(ladder(i))
				m.LoadAdd(t, sums[i], At(p, i*vecSize(m, t)))
			}
			m.Jump(label("Added"))
		default:
			m.AddVec(t, sums[v], sums[v], x)
			if v > 0 {
				m.Jump(ladder(v - 1))
			}
		}
	})
	m.Label(label("Added"))
}
