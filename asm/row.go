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
	all     bool // rows of all lengths, else up to three rows of lanes and the last one
	high    bool // most have four rows of lanes or more
	waiting Addr // in the frame
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
}

// inFrame tells whether trees wait in the frame.
func inFrame(m Machine) bool { return m.Regs().All() < 5*perRow(m) }

// waitingBytes is how much of the frame that takes.
func waitingBytes(m Machine) int {
	if inFrame(m) {
		return 2 * kernels.RowBytes
	}
	return 0
}

// longest lets long be for rows of all lengths, with waitingBytes at a place in the frame.
func (w *rowKernel) longest(waiting Addr) { w.all, w.waiting = true, waiting }

// rowBytes is the number of bytes from which a row of lanes is loaded.
func (w *rowKernel) rowBytes() int { return w.t.Lanes() * w.t.Size() }

// choose emits the choice by the place of the last vector in a row of lanes, or in a part
// of it of n vectors, the highest first.
func (w *rowKernel) choose(name string, n int, leaf func(v int)) {
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
	choose(0, n)
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
// the register x: of one to three rows of lanes and the last one, or, after longest, of
// any number.
func (w *rowKernel) long(name string, src GP, x Vec) {
	m, t, r, row := w.m, w.t, w.m.Regs(), w.rowBytes()
	label := func(what string) string { return name + what }
	p := r.GP()
	m.Move(p, src)
	var eight, four waiting
	if w.all {
		if !inFrame(m) {
			eight.vecs, four.vecs = r.Vecs(perRow(m)), r.Vecs(perRow(m))
		}
		if w.high {
			m.JumpIfInt(Less, w.last, 4*row, label("Low"))
			w.waitBoth(p, &eight, &four, label)
		} else {
			m.JumpIfInt(GreaterEqual, w.last, 4*row, label("High"))
		}
	}
	m.Label(label("Low"))
	sums := r.Vecs(perRow(m))
	m.JumpIfBit(w.last, 2*row, label("Two"))
	if w.all {
		m.JumpIfNoBit(w.last, row, label("None"))
	}
	m.LoadVecs(t, sums, At(p, 0))
	m.AddInt(p, row)
	m.Label(label("Last"))
	w.loadTabled(x, src)
	w.addLast(label("Last"), sums, 0, p, x)
	m.Label(label("Added"))
	if w.all {
		m.JumpIfInt(GreaterEqual, w.last, 4*row, label("Rest"))
	}
	m.Label(label("Halve"))
	halves := sums
	for len(halves) > 2 {
		h := len(halves) / 2
		addEach(m, t, halves[:h], halves[h:])
		halves = halves[:h]
	}
	m.AddVec(t, x, halves[0], halves[1])

	r.FreeGP(p)
	r.Free(sums...)
	r.Free(eight.vecs...)
	r.Free(four.vecs...)
	w.apart = func() {
		r.TakeGP(p)
		for _, v := range slices.Concat(eight.vecs, four.vecs) {
			r.Take(v)
		}
		if w.all && !w.high {
			m.Label(label("High"))
			w.waitBoth(p, &eight, &four, label)
			m.Jump(label("Low"))
		}
		for _, v := range sums {
			r.Take(v)
		}
		w.two(label, sums, src, p, x)
		if w.all {
			w.none(label, sums)
			w.addWaiting(label, sums, eight, four)
		}
		r.Free(slices.Concat(sums, eight.vecs, four.vecs)...)
		r.FreeGP(p)
	}
}

// two emits the sum of two rows of lanes, and that of one more with the last one.
func (w *rowKernel) two(label func(what string) string, sums []Vec, src, p GP, x Vec) {
	m, t, r, row := w.m, w.t, w.m.Regs(), w.rowBytes()
	m.Label(label("Two"))
	m.LoadVecs(t, sums, At(p, 0))
	m.LoadAddVecs(t, sums, At(p, row))
	m.AddInt(p, 2*row)
	m.JumpIfNoBit(w.last, row, label("Last"))

	// Registers are short: as many columns at a time as there is room for.
	width, n := m.Strip(t), len(sums)
	at := func(i, v int) Addr { return At(p, i*row+v*vecSize(m, t)) }
	w.loadTabled(x, src)
	if width < n {
		m.JumpIfBit(w.last, width*vecSize(m, t), label("Wide"))
	}
	one := r.Vecs(width)
	m.LoadVecs(t, one, at(0, 0))
	w.addLast(label("Narrow"), one, n, p, x)
	if width < n {
		m.LoadAddVecs(t, sums[width:], at(0, width))
	}
	addEach(m, t, sums[:width], one)
	m.Jump(label("Added"))
	if width < n {
		m.Label(label("Wide"))
		m.LoadVecs(t, one, at(0, 0))
		m.LoadAddVecs(t, one, at(1, 0))
		addEach(m, t, sums[:width], one)
		m.LoadVecs(t, one, at(0, width))
		w.addLast(label("Wide"), one, n+width, p, x)
		addEach(m, t, sums[width:], one)
		m.Jump(label("Added"))
	}
	r.Free(one...)
}

// none emits what there is before the last row of lanes if that is nothing.
func (w *rowKernel) none(label func(what string) string, sums []Vec) {
	w.m.Label(label("None"))
	w.m.Identity(w.t, sums[0])
	for _, v := range sums[1:] {
		w.m.Copy(v, sums[0])
	}
	w.m.Jump(label("Last"))
}

// addWaiting emits the addition of what waits.
func (w *rowKernel) addWaiting(label func(what string) string, sums []Vec, eight, four waiting) {
	m, row := w.m, w.rowBytes()
	m.Label(label("Rest"))
	m.JumpIfNoBit(w.last, 4*row, label("Without4"))
	four.add(m, w.t, sums)
	m.Label(label("Without4"))
	m.JumpIfNoBit(w.last, 8*row, label("Halve"))
	eight.add(m, w.t, sums)
	m.Jump(label("Halve"))
}

// A waiting is a tree of a row that waits to be added: in registers or in the frame.
type waiting struct {
	vecs []Vec
	at   Addr
}

func (x waiting) add(m Machine, t kernels.Type, sums []Vec) {
	if x.vecs == nil {
		m.LoadAddVecs(t.Acc(), sums, x.at)
		return
	}
	addEach(m, t, sums, x.vecs)
}

// waitBoth lets the trees of eight and of four rows at p wait, if there are such.
func (w *rowKernel) waitBoth(p GP, eight, four *waiting, label func(what string) string) {
	w.m.Regs().Free(eight.vecs...)
	w.m.Regs().Free(four.vecs...)
	w.wait(8, p, eight, label("No8"))
	w.wait(4, p, four, label("No4"))
}

// wait lets the tree of the n rows at p wait in x, if there is one, and moves p behind it.
func (w *rowKernel) wait(n int, p GP, x *waiting, without string) {
	m, t := w.m, w.t
	x.at = w.waiting.Plus(log2(n/4) * kernels.RowBytes)
	m.JumpIfNoBit(w.last, n*w.rowBytes(), without)
	eachStrip(m, m.Strip(t), func(vector int) {
		sums := treeInOrder(m, t, n, m.Strip(t), every, func(i, v int) Addr {
			return At(p, i*w.rowBytes()+(vector+v)*vecSize(m, t))
		})
		if inFrame(m) {
			m.StoreVecs(x.at.Plus(vector*m.VecBytes()), sums)
			m.Regs().Free(sums...)
			return
		}
		m.Regs().Free(sums...)
		for i, v := range x.vecs {
			if slices.Contains(sums[i+1:], v) {
				panic("wait: a copy would overwrite what is copied next")
			}
			if v != sums[i] {
				m.Copy(v, sums[i])
			}
			m.Regs().Take(v)
		}
	})
	m.AddInt(p, n*w.rowBytes())
	m.Label(without)
}

// loadTabled loads the last vector of the row at src into x, on machines where that takes
// several instructions: once for all places of it.
func (w *rowKernel) loadTabled(x Vec, src GP) {
	if w.part.Table != None {
		w.m.LoadLast(w.t, x, Addr{src, w.last, 0}, w.part)
	}
}

// addLast adds vectors to sums, as many at the most, the first of them number first
// behind p: those up to the last of the row, which is in x if loadTabled loads it.
func (w *rowKernel) addLast(name string, sums []Vec, first int, p GP, x Vec) {
	m, t := w.m, w.t
	at := func(v int) Addr { return At(p, (first+v)*vecSize(m, t)) }
	done := name + "Done"
	ladder := func(v int) string { return fmt.Sprintf("%sLadder%d", name, v) }
	w.choose(name, len(sums), func(v int) {
		if w.part.Table == None {
			m.LoadAddVecs(t, sums[:v], at(0))
			m.LoadLast(t, x, at(v), w.part)
			m.AddVec(t, sums[v], sums[v], x)
			if v > 0 {
				m.Jump(done)
			}
			return
		}
		m.AddVec(t, sums[v], sums[v], x)
		switch {
		case v == len(sums)-1:
			for i := v - 1; i >= 0; i-- {
				m.Label(ladder(i))
				m.LoadAdd(t, sums[i], at(i))
			}
			m.Jump(done)
		case v > 0:
			m.Jump(ladder(v - 1))
		}
	})
	m.Label(done)
}
