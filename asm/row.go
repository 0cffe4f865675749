package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// A row shorter than a block is K rows of lanes and one more, of which the
// last vector and those behind it may be absent in part. The byte offset of
// the row's last element says it all: its low bits where in a row of lanes the element
// lies, the higher ones K, and the bits of K which trees there are, from left to
// right: of eight rows, four, two, one.
//
// The tree adds them from right to left, and so are they summed: each tree
// is added to the one row of lanes that all behind it have become, so that no
// sums wait but these. Rows of less than a row of lanes, where each addition shows, are
// code in a straight line, one for each number of vectors.
type rowKernel struct {
	m    Machine
	t    kernels.Type
	last GP   // the byte offset of the last element
	part Last // of the last vector
	// apart emits what is jumped to and from, away from what is run more often.
	apart func()
}

// perRow is how many vectors a row of lanes has.
func perRow(m Machine) int { return kernels.RowBytes / m.VecBytes() }

// newRowKernel emits what n, the length of the rows, says of them; n is lost.
func newRowKernel(m Machine, t kernels.Type, n GP) *rowKernel {
	m.AddInt(n, -1)
	w := &rowKernel{m: m, t: t, last: n}
	count := m.Regs().GP()
	m.Move(count, n)
	m.And(count, lanes(m, t)-1)
	m.ShiftLeft(n, log2(t.Size()))
	m.AddInt(count, 1)
	w.part = m.MakeLast(t, count)
	return w
}

// free gives back all but n.
func (w *rowKernel) free() {
	w.m.FreeLast(w.part)
	w.m.Regs().FreeGP(w.part.Count)
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

// loadLast loads the last vector of the row at src into x.
func (w *rowKernel) loadLast(x Vec, src GP) {
	at := w.m.Regs().GP()
	w.m.Move(at, w.last)
	w.m.And(at, -vecSize(w.m, w.t))
	w.m.Add(at, src)
	w.m.LoadLast(w.t, x, At(at, 0), w.part)
	w.m.Regs().FreeGP(at)
}

// short emits the sum of a row of k vectors, up to a row of lanes, all but the last
// folding, in the register x.
func (w *rowKernel) short(src GP, k int, x Vec) {
	m, t := w.m, w.t
	at := func(v int) Addr { return At(src, v*vecSize(m, t)) }
	m.LoadLast(t, x, at(k-1), w.part)
	var sum func(v, step int) Vec
	add := func(a Vec, v, step int) Vec {
		if v+step >= k && v != k-1 {
			m.LoadAdd(t, a, at(v))
		} else {
			addVecs(m, t, []Vec{a}, []Vec{sum(v, step)})
		}
		return a
	}
	sum = func(v, step int) Vec { // of the vectors v, v+step, v+2*step, ...
		switch {
		case v == k-1:
			return x
		case v+step >= k:
			a := m.Regs().Vec()
			m.Load(t, a, at(v))
			return a
		case (k-1-v)%(2*step) != 0: // the last one is on the right
			return add(sum(v+step, 2*step), v, 2*step)
		}
		return add(sum(v, 2*step), v+step, 2*step)
	}
	sum(0, 1)
}

// long emits the sum of a row of more than a row of lanes, all but the last folding, in
// the register x.
func (w *rowKernel) long(name string, src GP, x Vec) {
	m, t, r, row := w.m, w.t, w.m.Regs(), w.rowBytes()
	label := func(what string) string { return name + what }
	w.loadLast(x, src)
	p, rest := r.GP(), r.GP()
	sums := r.Vecs(perRow(m))
	m.Move(p, w.last)
	m.And(p, -row)
	m.Add(p, src)
	w.first(sums, p, rest, label)
	w.addTail(label, sums, p, x)
	r.Free(x)
	m.JumpIfInt(Equal, rest, 0, label("Halve"))
	m.JumpIfNoBit(rest, 2*row, label("No2"))
	m.AddInt(p, -3*row)
	w.addTree(sums, p, 2)
	m.Label(label("No2"))
	m.JumpIfNoBit(rest, 4*row, label("No4"))
	m.Move(p, w.last)
	m.And(p, 8*row)
	m.Add(p, src)
	w.addTree(sums, p, 4)
	m.Label(label("No4"))
	m.JumpIfNoBit(rest, 8*row, label("Halve"))
	w.addTree(sums, src, 8)
	m.Label(label("Halve"))
	r.FreeGP(p, rest)
	for len(sums) > 2 {
		sums = halveOnce(m, t, sums)
	}
	m.AddVec(t, x, sums[0], sums[1])
	r.Free(sums...)
	r.Take(x)
}

// first loads the tree that the last row of lanes, at p, is added to: of one row or
// of two, else the identity. What is left to be added is in rest.
func (w *rowKernel) first(sums []Vec, p, rest GP, label func(what string) string) {
	m, t, row := w.m, w.t, w.rowBytes()
	m.Move(rest, w.last)
	m.And(rest, 14*row)
	m.JumpIfNoBit(w.last, row, label("Even"))
	m.LoadVecs(t, sums, At(p, -row))
	m.Label(label("Tail"))
	w.apart = func() {
		for _, v := range sums {
			m.Regs().Take(v)
		}
		m.Label(label("Even"))
		m.JumpIfNoBit(w.last, 2*row, label("None"))
		m.LoadVecs(t, sums, At(p, -2*row))
		m.LoadAddVecs(t, sums, At(p, -row))
		m.And(rest, 12*row)
		m.Jump(label("Tail"))
		m.Label(label("None"))
		m.Identity(t, sums[0])
		for _, v := range sums[1:] {
			m.Copy(v, sums[0])
		}
		m.Jump(label("Tail"))
		m.Regs().Free(sums...)
	}
}

// addTail adds the last row of lanes, at p; the last vector is x.
func (w *rowKernel) addTail(label func(what string) string, sums []Vec, p GP, x Vec) {
	m, t := w.m, w.t
	w.choose(label("Last"), func(v int) {
		m.AddVec(t, sums[v], sums[v], x)
		m.LoadAddVecs(t, sums[:v], At(p, 0))
		if v > 0 {
			m.Jump(label("Trees"))
		}
	})
	m.Label(label("Trees"))
}

// addTree adds the n rows of lanes at p, as a tree, to sums: as many vectors at a
// time as there are registers for.
func (w *rowKernel) addTree(sums []Vec, p GP, n int) {
	m, t := w.m, w.t
	width := min(m.Strip(t), len(sums))
	if n == 8 && len(sums) > width { // three sums wait
		width /= 2
	}
	for v := 0; v < len(sums); v += width {
		tree := treeInOrder(m, t, n, width, every, func(i, c int) Addr {
			return At(p, i*w.rowBytes()+(v+c)*vecSize(m, t))
		})
		addVecs(m, t, sums[v:v+width], tree)
	}
}
