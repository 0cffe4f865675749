package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// Rows of up to two vectors are summed a whole group at a time, as many as a vector has
// lanes: they go from memory straight into the folding. Those that fill no more than half
// a vector, one behind the other in memory, are loaded several to a vector.

// groups emits the loops for whole groups of rows of up to two vectors.
func groups(l *rowLoop, length GP) {
	packed(l, length)
	end := None
	if l.m.NeedsEnd(l.t) {
		end = rowsEnd(l, length)
	}
	wholeGroups(l, length, end)
	if end != None {
		l.m.Regs().FreeGP(end)
	}
}

// wholeGroups emits the loops for whole groups of rows of up to two vectors; on machines
// that do not mask all loads, as long as whole vectors can be loaded.
func wholeGroups(l *rowLoop, length, end GP) {
	m, t, r, n := l.m, l.t, l.m.Regs(), lanes(l.m, l.t)
	order, sorted := lanesOfRows(m, t, 1)
	index := noVec
	if !sorted {
		index = m.Index(t, order)
	}
	stride, count := r.GP(), r.GP()
	m.LoadInt(stride, At(l.args, offset.rows.Stride))
	m.Move(count, length)
	m.AddInt(count, -1)
	m.And(count, n-1)
	m.AddInt(count, 1)
	part := m.MakePartial(t, count, true)
	for k := 2; k >= 1; k-- {
		loop := fmt.Sprintf("whole%d", k)
		if k > 1 {
			m.JumpIfInt(LessEqual, length, n, "whole1")
		}
		m.Label(loop)
		m.JumpIfInt(Less, l.outer, n, "rest")
		if end != None { // the last vector of the last row
			last := r.GP()
			m.Move(last, stride)
			m.ShiftLeft(last, log2(n))
			m.Add(last, l.src)
			m.AddInt(last, k*vecSize(m, t))
			m.JumpIf(Above, last, end, "rest")
			r.FreeGP(last)
		}
		v := foldVecs(m, t, n, func(int) Vec {
			x := r.Vec()
			if k == 1 {
				m.Prefetch(At(l.src, ahead))
			}
			m.LoadPartial(t, x, At(l.src, (k-1)*vecSize(m, t)), part, true, Inside)
			if k > 1 {
				m.LoadAdd(t, x, At(l.src, 0))
			}
			m.Add(l.src, stride)
			return x
		})
		if !sorted {
			m.Permute(t, v, v, index)
		}
		m.Store(At(l.dst, 0), v)
		r.Free(v)
		m.AddInt(l.dst, m.VecBytes())
		m.AddInt(l.outer, -n)
		m.Jump(loop)
	}
	m.FreePartial(part)
	r.FreeGP(stride, count)
	if index != noVec {
		r.Free(index)
	}
	m.Label("rest")
}

// lanesOfRows returns the lane that each row's sum has after folding, when
// vectors hold per rows, and whether that is the order of the rows.
func lanesOfRows(m Machine, t kernels.Type, per int) (order []int, sorted bool) {
	order, sorted = make([]int, lanes(m, t)), true
	for lane, row := range foldOrder(m.VecBytes(), t.Acc().Size(), per) {
		order[row] = lane
		sorted = sorted && row == lane
	}
	return order, sorted
}

// rowsEnd emits the address behind the last row.
func rowsEnd(l *rowLoop, length GP) GP {
	m, r := l.m, l.m.Regs()
	end, bytes := r.GP(), r.GP()
	m.Move(end, l.outer)
	m.AddInt(end, -1)
	m.LoadInt(bytes, At(l.args, offset.rows.Stride))
	m.Mul(end, bytes)
	m.Add(end, l.src)
	m.Move(bytes, length)
	m.ShiftLeft(bytes, log2(l.t.Size()))
	m.Add(end, bytes)
	r.FreeGP(bytes)
	return end
}

// packed emits the loops for contiguous rows of up to a vector, each as long as
// whole groups of rows can be loaded without reading behind the last. Rows that take
// a vector each are left to wholeGroups if masks cost nothing.
func packed(l *rowLoop, length GP) {
	m, r, n := l.m, l.m.Regs(), lanes(l.m, l.t)
	bytes, stride := r.GP(), r.GP()
	m.Move(bytes, length)
	m.ShiftLeft(bytes, log2(l.t.Size()))
	m.LoadInt(stride, At(l.args, offset.rows.Stride))
	m.JumpIf(NotEqual, bytes, stride, "unpacked")
	r.FreeGP(stride)
	m.JumpIfInt(Greater, length, n, "unpacked")
	m.Mul(bytes, l.outer)
	m.Add(bytes, l.src)
	end := bytes
	lengths := []int{n}
	for k := n - 1; k >= 1; k-- {
		if k <= n/2 || !m.MasksLoads() {
			lengths = append(lengths, k)
		}
	}
	for _, k := range lengths[1:] {
		m.JumpIfInt(Equal, length, k, fmt.Sprintf("pack%d", k))
	}
	m.JumpIfInt(NotEqual, length, n, "unpacked")
	for i, k := range lengths {
		m.Label(fmt.Sprintf("pack%d", k))
		packedRows(l, k, end)
		if i < len(lengths)-1 {
			m.Jump("unpacked")
		}
	}
	r.FreeGP(bytes)
	m.Label("unpacked")
}

// ahead is how far ahead, in bytes, short rows are fetched into the cache: their
// loads overlap, which keeps CPUs from seeing a stream.
const ahead = 4096

// A grouper sums a group of packed rows.
type grouper interface {
	prepare()   // loads masks and indexes
	reach() int // the number of elements that are read, behind the group too
	sum() Vec   // emits the sums of the group
	free()
}

// packedRows emits the loop for rows of k elements.
func packedRows(l *rowLoop, k int, end GP) {
	m, t, r, n := l.m, l.t, l.m.Regs(), lanes(l.m, l.t)
	var p grouper = newPacker(m, t, l.src, k)
	if picks(m, k) {
		p = &picker{m: m, t: t, src: l.src, k: k}
	}
	p.prepare()
	last := r.GP()
	loop, done := fmt.Sprintf("pack%dloop", k), fmt.Sprintf("pack%ddone", k)
	m.Label(loop)
	m.Lea(last, At(l.src, p.reach()*t.Size()))
	m.JumpIf(Above, last, end, done)
	for off := 0; off < n*k*t.Size(); off += 64 {
		m.Prefetch(At(l.src, ahead+off))
	}
	v := p.sum()
	m.Store(At(l.dst, 0), v)
	r.Free(v)
	m.AddInt(l.src, n*k*t.Size())
	m.AddInt(l.dst, m.VecBytes())
	m.AddInt(l.outer, -n)
	m.Jump(loop)
	m.Label(done)
	r.FreeGP(last)
	p.free()
}

// A packer loads the rows of a group, of k elements each, several to a vector
// if they fit, and expanded to width lanes.
type packer struct {
	m         Machine
	t         kernels.Type
	src       GP
	k, width  int
	halves    bool  // a vector is loaded from two places
	rows      []int // the rows in the order of loading, several to a vector
	mask      Partial
	expansion Vec // of neighbours that are loaded together
	final     Vec // the order of the sums, if it is not that of the rows
}

// newPacker returns a packer that expands rows to a power of two.
func newPacker(m Machine, t kernels.Type, src GP, k int) *packer {
	width := 1
	for width < k {
		width *= 2
	}
	return &packer{m: m, t: t, src: src, k: k, width: width}
}

func (p *packer) prepare() {
	m, n := p.m, lanes(p.m, p.t)
	per := n / p.width // rows of a vector
	expand, keep := make([]int, n), make([]bool, n)
	for i := range n {
		if i%p.width < p.k {
			expand[i], keep[i] = i/p.width*p.k+i%p.width, true
		}
	}
	if p.k < p.width {
		p.mask = m.Mask(p.t, keep)
	}
	p.halves = per == 2 && p.k < p.width && m.CanLoadHalves(p.t)
	p.rows, p.expansion, p.final = make([]int, n), noVec, noVec
	order, sorted := lanesOfRows(m, p.t, per)
	if per == 1 || p.halves { // any row may be loaded anywhere
		copy(p.rows, order)
		return
	}
	for i := range n {
		p.rows[i] = i
	}
	if p.k < p.width {
		p.expansion = m.Index(p.t, expand)
	}
	if !sorted {
		p.final = m.Index(p.t, order)
	}
}

func (p *packer) free() {
	if p.k < p.width {
		p.m.FreePartial(p.mask)
	}
	for _, v := range []Vec{p.expansion, p.final} {
		if v != noVec {
			p.m.Regs().Free(v)
		}
	}
}

func (p *packer) reach() int {
	n, per := lanes(p.m, p.t), lanes(p.m, p.t)/p.width
	if p.halves {
		return (n-1)*p.k + p.width
	}
	return (n-per)*p.k + n
}

func (p *packer) sum() Vec {
	v := foldVecs(p.m, p.t, p.width, p.load)
	if p.final != noVec {
		p.m.Permute(p.t, v, v, p.final)
	}
	return v
}

// load loads vector i.
func (p *packer) load(i int) Vec {
	per := lanes(p.m, p.t) / p.width
	row := func(j int) Addr { return At(p.src, p.rows[i*per+j]*p.k*p.t.Size()) }
	v := p.m.Regs().Vec()
	if p.halves {
		p.m.LoadHalves(p.t, v, row(0), row(1))
	} else {
		p.m.Load(p.t, v, row(0))
	}
	if p.expansion != noVec {
		p.m.Permute(p.t, v, v, p.expansion)
	}
	if p.k < p.width {
		p.m.Blend(p.t, v, p.mask)
	}
	return v
}
