package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// Rows of few vectors are summed by code in a straight line, one for each number
// of vectors that a row may fill, the last of them in part. Rows that fill no
// more than half a vector, one behind the other in memory, are loaded several to
// a vector. Rows of one or two vectors go from memory straight into the folding,
// a whole group at a time.

// straightVectors is the most vectors that a row in a straight line fills.
const straightVectors = 32

// straightRows emits the loops for rows of up to straightVectors.
func straightRows(l *rowLoop) {
	m, t, args := l.m, l.t, l.args
	r, n := m.Regs(), lanes(m, t)
	length, count, end := r.GP(), r.GP(), None
	m.LoadInt(length, At(args, offset.rows.N))
	packed(l, length)
	m.JumpIfInt(Equal, l.outer, 0, "done")
	if m.NeedsEnd(t) {
		end = rowsEnd(l, length)
	}
	lastCount(m, t, count, length)
	part := m.MakePartial(t, count, true)
	wholeGroups(l, length, part, end)
	m.JumpIfInt(Equal, l.outer, 0, "done")
	var bodies []func() Vec
	for k := 1; k <= straightVectors; k++ {
		bodies = append(bodies, func() Vec { return straightRow(m, t, k, loadRow(m, t, l.src, k, part, end)) })
	}
	l.emit("few", func(label func(i int) string) {
		chooseVectors(m, length, n, 1, straightVectors, func(k int) string { return label(k - 1) })
	}, bodies...)
	m.Label("done")
	m.FreePartial(part)
	if end != None {
		r.FreeGP(end)
	}
	r.FreeGP(length, count)
}

// lastCount emits the number of elements in the last vector of a row.
func lastCount(m Machine, t kernels.Type, count, length GP) {
	m.Move(count, length)
	m.AddInt(count, -1)
	m.And(count, lanes(m, t)-1)
	m.AddInt(count, 1)
}

// chooseVectors emits a search among the labels from..to for the number of
// vectors, of n elements each, that a row fills. The shortest rows take no branch.
func chooseVectors(m Machine, length GP, n, from, to int, label func(vectors int) string) {
	if from == to {
		m.Jump(label(from))
		return
	}
	middle := (from + to) / 2
	high := fmt.Sprintf("choose%dto%d", middle+1, to)
	m.JumpIfInt(Greater, length, middle*n, high)
	chooseVectors(m, length, n, from, middle, label)
	m.Label(high)
	chooseVectors(m, length, n, middle+1, to, label)
}

// A rowLoader loads or adds vector i of a row: it returns a itself, or, for the
// register noVec, a new one.
type rowLoader func(a Vec, i int) Vec

// loadRow loads from the row at src, of k vectors, the last in part.
func loadRow(m Machine, t kernels.Type, src GP, k int, part Partial, end GP) rowLoader {
	return func(a Vec, i int) Vec {
		at := At(src, i*vecSize(m, t))
		if i < k-1 && a != noVec {
			m.LoadAdd(t, a, at)
			return a
		}
		v := m.Regs().Vec()
		if i < k-1 {
			m.Load(t, v, at)
			return v
		}
		m.LoadPartial(t, v, at, part, true, end)
		if a == noVec {
			return v
		}
		m.AddVec(t, a, a, v)
		m.Regs().Free(v)
		return a
	}
}

// straightRow emits the sum of a row of k vectors, up to a block, all but the
// last folding: the rows of lanes as a tree, then the vectors of the one that
// is left in halves.
func straightRow(m Machine, t kernels.Type, k int, load rowLoader) Vec {
	perRow := kernels.RowBytes / m.VecBytes()
	var rows func(a Vec, v, row, n int) Vec
	rows = func(a Vec, v, row, n int) Vec { // n rows from row on, at vector v, added to a
		if n == 1 {
			return load(a, row*perRow+v)
		}
		if (row+n/2)*perRow+v >= k {
			return rows(a, v, row, n/2)
		}
		x := rows(noVec, v, row, n/2)
		x = rows(x, v, row+n/2, n/2)
		return addTo(m, t, a, x)
	}
	var fold func(a Vec, v, step int) Vec
	fold = func(a Vec, v, step int) Vec {
		if step == perRow {
			return rows(a, v, 0, kernels.Rows)
		}
		if v+step >= k {
			return fold(a, v, 2*step)
		}
		x := fold(noVec, v, 2*step)
		x = fold(x, v+step, 2*step)
		return addTo(m, t, a, x)
	}
	return fold(noVec, 0, 1)
}

// addTo emits a += x, and gives x back; if there is no a, it is x.
func addTo(m Machine, t kernels.Type, a, x Vec) Vec {
	if a == noVec {
		return x
	}
	addVecs(m, t, []Vec{a}, []Vec{x})
	return a
}

// wholeGroups emits the loops for whole groups of rows of up to two vectors,
// as long as all their vectors can be loaded whole.
func wholeGroups(l *rowLoop, length GP, part Partial, end GP) {
	m, t, r, n := l.m, l.t, l.m.Regs(), lanes(l.m, l.t)
	const most = 2
	m.JumpIfInt(Greater, length, most*n, "rest")
	order, sorted := lanesOfRows(m, t, 1)
	var index Vec
	if !sorted {
		index = m.Index(t, order)
	}
	for k := most; k >= 1; k-- {
		loop := fmt.Sprintf("whole%d", k)
		if k > 1 {
			m.JumpIfInt(LessEqual, length, (k-1)*n, fmt.Sprintf("whole%d", k-1))
		}
		m.Label(loop)
		m.JumpIfInt(Less, l.outer, n, "rest")
		if end != None { // the last vector of the last row
			last := r.GP()
			m.LoadInt(last, At(l.args, offset.rows.Stride))
			m.ShiftLeft(last, log2(n))
			m.Add(last, l.src)
			m.AddInt(last, k*vecSize(m, t))
			m.JumpIf(Above, last, end, "rest")
			r.FreeGP(last)
		}
		v := foldVecs(m, t, n, func(int) Vec {
			v := straightRow(m, t, k, loadRow(m, t, l.src, k, part, Inside))
			m.AddMem(l.src, At(l.args, offset.rows.Stride))
			return v
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
	if !sorted {
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
// whole groups of rows can be loaded without reading behind the last.
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
	for k := 1; k < n; k++ {
		m.JumpIfInt(Equal, length, k, fmt.Sprintf("pack%d", k))
	}
	for k := n; k >= 1; k-- {
		m.Label(fmt.Sprintf("pack%d", k))
		packedRows(l, k, end)
		if k > 1 {
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
