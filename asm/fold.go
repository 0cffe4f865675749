package main

// Folding ends every row: a vector of partial sums becomes one sum, lane j
// taking lane j+h for h = half the lanes, a quarter, ..., 1. One vector at a
// time, that is a chain of shuffles that each do half as much as the one
// before. So the rows of a group, as many as a vector has lanes, are folded
// together: each step takes two vectors and leaves one that holds the folded
// halves of both, and the last step leaves one vector with a sum per lane.

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// A lane names accumulator Lane of vector Vec.
type lane struct{ Vec, Lane int }

// foldLayout says from where, in the vectors a (0) and b (1), the lanes of
// FoldPair's result come: the upper summand lies h lanes further. Groups that
// span more than 16 bytes are put together vector by vector, smaller ones
// 16 bytes by 16 bytes, as the instructions do.
func foldLayout(vecBytes, size, h int) []lane {
	n := vecBytes / size
	span := n
	if h*size < 16 {
		span = 16 / size
	}
	var out []lane
	for base := 0; base < n; base += span {
		for v := range 2 {
			for g := base; g < base+span; g += 2 * h {
				for j := range h {
					out = append(out, lane{v, g + j})
				}
			}
		}
	}
	return out
}

// foldOrder returns which row each lane of the result of folding has, when
// vector i holds the rows i*per to i*per+per-1 side by side.
func foldOrder(vecBytes, size, per int) []int {
	n := vecBytes / size
	width := n / per // lanes of a row
	vecs := make([][]int, width)
	for i := range vecs {
		for l := range n {
			vecs[i] = append(vecs[i], i*per+l/width)
		}
	}
	for h := width / 2; h >= 1; h /= 2 {
		next := make([][]int, len(vecs)/2)
		for i := range next {
			for _, s := range foldLayout(vecBytes, size, h) {
				next[i] = append(next[i], vecs[2*i+s.Vec][s.Lane])
			}
		}
		vecs = next
	}
	return vecs[0]
}

// foldVecs emits the folding of width vectors, got from leaf, each holding
// lanes/width rows; the result's lanes are in the order of foldOrder. A vector
// of the upper half that is noVec stands for the identity.
func foldVecs(m Machine, t kernels.Type, width int, leaf func(i int) Vec) Vec {
	var fold func(i, n int) Vec
	fold = func(i, n int) Vec {
		if n == 1 {
			return leaf(i)
		}
		a := fold(i, n/2)
		b := fold(i+n/2, n/2)
		if a == noVec {
			return noVec
		}
		if b == noVec {
			b = m.Regs().Vec()
			m.Identity(t, b)
		}
		m.FoldPair(t, a, a, b, width/n)
		m.Regs().Free(b)
		return a
	}
	return fold(0, width)
}

// A rowLoop emits the loop over rows that blocks and rows share. A body leaves
// a row's partial sums in one vector; the rows of a group, as many as a vector
// has lanes, leave theirs in the frame, where they are folded together. The row
// of a group of one is folded in its register.
type rowLoop struct {
	m        Machine
	t        kernels.Type
	args     GP
	src, dst GP     // the current row, the next result
	outer    GP     // rows left
	slots    Addr   // in the frame, with what the bodies need behind them
	count    Addr   // in the frame: the rows of a group
	name     string // in labels
	apart    func() // emits what bodies jump to, away from them
}

// newRowLoop loads the arguments of a kernel for rows, and reserves some bytes behind
// the slots.
func newRowLoop(m Machine, t kernels.Type, args GP, bytes int) *rowLoop {
	r := m.Regs()
	l := &rowLoop{m: m, t: t, args: args, src: r.GP(), dst: r.GP(), outer: r.GP()}
	m.LoadInt(l.src, At(args, offset.rows.Src))
	m.LoadInt(l.dst, At(args, offset.rows.Dst))
	m.LoadInt(l.outer, At(args, offset.rows.Outer))
	l.count = m.Local(8)
	l.slots = alignedLocal(m, lanes(m, t)*m.VecBytes()+bytes)
	return l
}

// emit emits the loop, with a name for its labels. choose, emitted before a
// group's rows, jumps to one of the labels of the bodies; it may be nil if
// there is only one.
func (l *rowLoop) emit(name string, choose func(label func(i int) string), bodies ...func() Vec) {
	m, r, n := l.m, l.m.Regs(), lanes(l.m, l.t)
	l.name = name
	label := func(i int) string { return l.label(fmt.Sprintf("Row%d", i)) }
	slot, end := r.GP(), r.GP()
	m.Label(l.label("Group"))
	m.MoveInt(end, n)
	m.JumpIf(GreaterEqual, l.outer, end, l.label("Whole"))
	m.Move(end, l.outer)
	m.Label(l.label("Whole"))
	m.StoreInt(l.count, end)
	m.Lea(slot, l.slots)
	m.ShiftLeft(end, log2(m.VecBytes()))
	m.Add(end, slot)
	if choose != nil {
		choose(label)
	}
	var v Vec
	for i, body := range bodies {
		m.Label(label(i))
		v = body()
		m.Store(At(slot, 0), v)
		m.AddMem(l.src, At(l.args, offset.rows.Stride))
		m.AddInt(slot, m.VecBytes())
		m.JumpIf(NotEqual, slot, end, label(i))
		if i < len(bodies)-1 {
			m.Jump(l.label("Fold"))
		}
	}
	m.Label(l.label("Fold"))
	count := slot
	m.LoadInt(count, l.count)
	l.fold(v, count)
	m.Label(l.label("Next"))
	m.Sub(l.outer, count)
	m.JumpIfInt(NotEqual, l.outer, 0, l.label("Group"))
	if l.apart != nil {
		m.Jump(l.label("End"))
		l.apart()
		m.Label(l.label("End"))
	}
	r.Free(v)
	r.FreeGP(slot, end)
}

// label returns a label of the loop's.
func (l *rowLoop) label(what string) string { return l.name + what }

// fold folds a group's rows, of which the last one is in v, too, and stores their sums.
func (l *rowLoop) fold(v Vec, count GP) {
	m, r, n := l.m, l.m.Regs(), lanes(l.m, l.t)
	m.JumpIfInt(Equal, count, 1, l.label("Single"))
	sums := foldSlots(m, l.t, l.slots, n)
	m.JumpIfInt(NotEqual, count, n, l.label("Part"))
	m.Store(At(l.dst, 0), sums)
	m.AddInt(l.dst, m.VecBytes())
	m.Jump(l.label("Next"))
	m.Label(l.label("Part"))
	m.StorePartial(l.t, At(l.dst, 0), sums, count)
	m.Jump(l.label("Next"))
	r.Free(sums)
	m.Label(l.label("Single"))
	m.FoldAll(l.t, v)
	m.StoreFirst(l.t, At(l.dst, 0), v)
}

// stackAlign is the alignment of what Local reserves.
const stackAlign = 16

// alignedLocal reserves memory in the frame that whole vectors fit into: one that
// crosses a cache line takes several times as long to store and to load again. Its base
// may be a register, which freeLocal gives back.
func alignedLocal(m Machine, bytes int) Addr {
	if m.VecBytes() <= stackAlign {
		return m.Local(bytes)
	}
	base := m.Regs().GP()
	m.Lea(base, m.Local(bytes+m.VecBytes()).Plus(m.VecBytes()-1))
	m.And(base, -m.VecBytes())
	return At(base, 0)
}

func freeLocal(m Machine, a Addr) {
	if a.Base != Frame {
		m.Regs().FreeGP(a.Base)
	}
}

// foldSlots emits the folding of the rows in the first n slots to a vector of
// their sums: in order, where n is its number of lanes. Where n is half of that,
// every other pair of lanes is the identity: the ones that the last step takes
// from its second vector, so that half of the steps before fall away. FoldAll adds
// both kinds up alike.
func foldSlots(m Machine, t kernels.Type, slots Addr, n int) Vec {
	row := make([]int, lanes(m, t)) // the row that leaf i holds
	if n != len(row) && 2*n != len(row) {
		panic("foldSlots: neither as many rows as lanes nor half as many")
	}
	for l, leaf := range foldOrder(m.VecBytes(), t.Acc().Size(), 1) {
		switch {
		case n == len(row):
			row[leaf] = l
		case l&2 != 0:
			row[leaf] = n // none
		default:
			row[leaf] = l/4*2 + l%2
		}
	}
	return foldVecs(m, t, len(row), func(i int) Vec {
		if row[i] >= n {
			return noVec
		}
		v := m.Regs().Vec()
		m.Load(t.Acc(), v, slots.Plus(row[i]*m.VecBytes()))
		return v
	})
}

// end ends the kernel.
func (l *rowLoop) end() {
	freeLocal(l.m, l.slots)
	l.m.Regs().FreeGP(l.src, l.dst, l.outer)
	l.m.Regs().FreeGP(l.args)
	l.m.End()
}
