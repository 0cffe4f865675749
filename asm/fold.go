package main

// Folding ends every row: a vector of partial sums becomes one sum, lane j
// taking lane j+h for h = half the lanes, a quarter, ..., 1. One vector at a
// time, that is a chain of shuffles that each do half as much as the one
// before. So the rows of a group, as many as a vector has lanes, are folded
// together: each step takes two vectors and leaves one that holds the folded
// halves of both, and the last step leaves one vector with a sum per lane.

import (
	"fmt"
	"slices"

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
	m                    Machine
	t                    kernels.Type
	args                 GP
	src, dst             GP // the current row, the next result
	outer                GP // rows left
	slots                Addr
	name                 string // in labels
	slot, slotEnd, count GP     // in a group
}

// newRowLoop loads the arguments of a kernel for rows.
func newRowLoop(m Machine, t kernels.Type, args GP) *rowLoop {
	r := m.Regs()
	l := &rowLoop{m: m, t: t, args: args, src: r.GP(), dst: r.GP(), outer: r.GP()}
	m.LoadInt(l.src, At(args, offset.rows.Src))
	m.LoadInt(l.dst, At(args, offset.rows.Dst))
	m.LoadInt(l.outer, At(args, offset.rows.Outer))
	l.slots = m.Local((lanes(m, t) + 1) * m.VecBytes())
	return l
}

// emit emits the loop, with a name for its labels. choose, emitted before a
// group's rows, jumps to one of the labels of the bodies; it may be nil if
// there is only one.
func (l *rowLoop) emit(name string, choose func(label func(i int) string), bodies ...func() Vec) {
	m, r, n := l.m, l.m.Regs(), lanes(l.m, l.t)
	l.name = name
	label := func(i int) string { return l.label(fmt.Sprintf("Row%d", i)) }
	single := func(i int) string { return l.label(fmt.Sprintf("Single%d", i)) }
	l.slot, l.slotEnd, l.count = r.GP(), r.GP(), r.GP()
	m.Label(l.label("Group"))
	m.MoveInt(l.count, n)
	m.JumpIf(GreaterEqual, l.outer, l.count, l.label("Whole"))
	m.Move(l.count, l.outer)
	m.Label(l.label("Whole"))
	alignSlots(m, l.slot, l.slots)
	m.Move(l.slotEnd, l.count)
	m.ShiftLeft(l.slotEnd, log2(m.VecBytes()))
	m.Add(l.slotEnd, l.slot)
	if choose != nil {
		choose(label)
	}
	var sums []Vec // where each body leaves a row's
	for i, body := range bodies {
		m.Label(label(i))
		v := body()
		sums = append(sums, v)
		m.JumpIfInt(Equal, l.count, 1, single(i))
		m.Store(At(l.slot, 0), v)
		r.Free(v)
		m.AddMem(l.src, At(l.args, offset.rows.Stride))
		m.AddInt(l.slot, m.VecBytes())
		m.JumpIf(NotEqual, l.slot, l.slotEnd, label(i))
		if i < len(bodies)-1 {
			m.Jump(l.label("Fold"))
		}
	}
	m.Label(l.label("Fold"))
	l.fold()
	for i, v := range sums {
		if !slices.Contains(sums[:i], v) {
			for k := range sums {
				if sums[k] == v {
					m.Label(single(k))
				}
			}
			l.single(v)
			m.Jump(l.label("Next"))
		}
	}
	m.Label(l.label("Next"))
	m.Sub(l.outer, l.count)
	m.JumpIfInt(NotEqual, l.outer, 0, l.label("Group"))
	r.FreeGP(l.slot, l.slotEnd, l.count)
}

// label returns a label of the loop's.
func (l *rowLoop) label(what string) string { return l.name + what }

// fold folds a group's rows, and stores their sums.
func (l *rowLoop) fold() {
	m, n := l.m, lanes(l.m, l.t)
	alignSlots(m, l.slot, l.slots)
	v := foldSlots(m, l.t, At(l.slot, 0), n)
	m.JumpIfInt(NotEqual, l.count, n, l.label("Part"))
	m.Store(At(l.dst, 0), v)
	m.AddInt(l.dst, m.VecBytes())
	m.Jump(l.label("Next"))
	m.Label(l.label("Part"))
	m.StorePartial(l.t, At(l.dst, 0), v, l.count)
	m.Jump(l.label("Next"))
	m.Regs().Free(v)
}

// alignSlots points slot to the first whole vector's place in memory that has room
// for one more: one that crosses a cache line takes several times as long to store and
// to load again.
func alignSlots(m Machine, slot GP, memory Addr) {
	if m.VecBytes() <= stackAlign {
		m.Lea(slot, memory)
		return
	}
	m.Lea(slot, memory.Plus(m.VecBytes()-1))
	m.And(slot, -m.VecBytes())
}

// stackAlign is the alignment of what Local reserves.
const stackAlign = 16

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

// single folds and stores the one row of a group of one, the last.
func (l *rowLoop) single(v Vec) {
	r := l.m.Regs()
	r.Take(v)
	l.m.FoldAll(l.t, v)
	l.m.StoreFirst(l.t, At(l.dst, 0), v)
	r.Free(v)
}

// end ends the kernel.
func (l *rowLoop) end() {
	l.m.Regs().FreeGP(l.src, l.dst, l.outer)
	l.m.Regs().FreeGP(l.args)
	l.m.End()
}
