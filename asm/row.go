package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// A row shorter than a block is K rows of lanes and one more, of which the
// last vector and those behind it may be absent in part. The byte offset of
// the row's last vector says it all: its low bits where in a row of lanes the vector
// lies, the higher ones K, and the bits of K which trees there are, from left to
// right: of eight rows, four, two, one.
//
// The tree adds them from right to left, and so are they summed: each tree
// is added to the one row of lanes that all before it have become, so that no
// sums wait but these. The last vector is loaded at first, whatever else there is; one
// ladder of loads, with an entry for each place of it, loads what lies before. Rows of
// less than a row of lanes, where each addition shows, are code in a straight line.
type rowKernel struct {
	m    Machine
	t    kernels.Type
	last GP // the byte offset of the last vector
	part Last
}

// perRow is how many vectors a row of lanes has.
func perRow(m Machine) int { return kernels.RowBytes / m.VecBytes() }

// newRowKernel emits what n, the length of the rows, says of them; n is lost.
func newRowKernel(m Machine, t kernels.Type, n GP) *rowKernel {
	count := m.Regs().GP()
	m.AddInt(n, -1)
	m.Move(count, n)
	m.And(count, lanes(m, t)-1)
	m.Sub(n, count)
	m.ShiftLeft(n, log2(t.Size()))
	m.AddInt(count, 1)
	return &rowKernel{m: m, t: t, last: n, part: m.MakeLast(t, count)}
}

// free gives back all but n.
func (w *rowKernel) free() {
	w.m.FreeLast(w.part)
	w.m.Regs().FreeGP(w.part.Count)
}

// load loads the last vector of the row at src.
func (w *rowKernel) load(src GP) Vec {
	at, x := w.m.Regs().GP(), w.m.Regs().Vec()
	w.m.Move(at, w.last)
	w.m.Add(at, src)
	w.m.LoadLast(w.t, x, At(at, 0), w.part)
	w.m.Regs().FreeGP(at)
	return x
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

// short adds the vectors before the last one, x, of a row of k vectors, up to a
// row of lanes, all but the last folding.
func (w *rowKernel) short(src GP, k int, x Vec) {
	m, t := w.m, w.t
	at := func(v int) Addr { return At(src, v*vecSize(m, t)) }
	has := func(v, step int) bool { return (k-1)%step == v } // the last vector
	var sum func(v, step int) Vec
	add := func(a Vec, v, step int) {
		if v+step >= k && v != k-1 || step == perRow(m) {
			for v+step < k {
				panic("short: not a leaf")
			}
			m.LoadAdd(t, a, at(v))
			return
		}
		addVecs(m, t, []Vec{a}, []Vec{sum(v, step)})
	}
	sum = func(v, step int) Vec { // the vectors v, v+step, v+2*step, ...
		switch {
		case v == k-1:
			return x
		case v+step >= k:
			a := m.Regs().Vec()
			m.Load(t, a, at(v))
			return a
		case has(v+step, 2*step) && v+step < k:
			a := sum(v+step, 2*step)
			add(a, v, 2*step)
			return a
		}
		a := sum(v, 2*step)
		add(a, v+step, 2*step)
		return a
	}
	if sum(0, 1) != x {
		panic("short: the sum is in another register")
	}
}

// long adds what lies before the last vector, x, of a row of more than a row of
// lanes, all but the last folding.
func (w *rowKernel) long(name string, src GP, x Vec) {
	m, t, r := w.m, w.t, w.m.Regs()
	label := func(what string, n int) string { return fmt.Sprintf("%s%s%d", name, what, n) }
	p := r.GP()
	m.Move(p, w.last)
	m.And(p, -w.rowBytes())
	m.Add(p, src)
	sums := r.Vecs(perRow(m))
	m.Identity(t, sums[1])
	for _, v := range sums[2:] {
		m.Copy(v, sums[1])
	}
	w.choose(name+"last", func(v int) {
		m.Copy(sums[v], x)
		switch {
		case v == len(sums)-1:
			for v--; v >= 0; v-- {
				m.Label(label("ladder", v))
				m.Load(t, sums[v], At(p, v*vecSize(m, t)))
			}
			m.Jump(label("trees", 0))
		case v > 0:
			m.Jump(label("ladder", v-1))
		}
	})
	r.Free(x)
	m.Label(label("trees", 0))
	for n := 1; n < kernels.Rows; n *= 2 {
		m.JumpIfNoBit(w.last, n*w.rowBytes(), label("no", n))
		m.AddInt(p, -n*w.rowBytes())
		w.addTree(sums, p, n)
		m.Label(label("no", n))
	}
	r.FreeGP(p)
	for len(sums) > 2 {
		sums = halveOnce(m, t, sums)
	}
	m.AddVec(t, x, sums[0], sums[1])
	r.Free(sums...)
	r.Take(x)
}

// addTree adds the n rows of lanes at p, as a tree, to sums: as many vectors at a
// time as there are registers for.
func (w *rowKernel) addTree(sums []Vec, p GP, n int) {
	m, t := w.m, w.t
	if n == 1 {
		m.LoadAddVecs(t, sums, At(p, 0))
		return
	}
	width := min(m.Strip(t), len(sums))
	for n == 8 && width > m.Regs().Left()/3 {
		width /= 2
	}
	for v := 0; v < len(sums); v += width {
		tree := treeInOrder(m, t, n, width, every, func(i, c int) Addr {
			return At(p, i*w.rowBytes()+(v+c)*vecSize(m, t))
		})
		addVecs(m, t, sums[v:v+width], tree)
	}
}
