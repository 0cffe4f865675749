package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// short sums rows that are shorter than a row of lanes. There is a loop for
// each number of vectors that a row may fill, the last of them in part; and
// rows that fill no more than half a vector, one behind the other in memory,
// are loaded several to a vector. Rows of one or two vectors go from memory
// straight into the folding, a whole group at a time.
func short(m Machine, t kernels.Type, args GP) {
	r, n := m.Regs(), lanes(m, t)
	l := newRowLoop(m, t, args)
	length, count, end := r.GP(), r.GP(), None
	m.LoadInt(length, At(args, offset.rows.N))
	packed(l, length)
	m.JumpIfInt(Equal, l.outer, 0, "done")
	if m.NeedsEnd(t) {
		end = rowsEnd(l, length)
	}
	m.Move(count, length)
	m.AddInt(count, -1)
	m.And(count, n-1)
	m.AddInt(count, 1)
	part := m.MakePartial(t, count, true)

	wholeGroups(l, length, part, end)
	m.JumpIfInt(Equal, l.outer, 0, "done")
	vectors := t.Lanes() / n
	var bodies []func() Vec
	for k := 1; k <= vectors; k++ {
		bodies = append(bodies, func() Vec {
			return shortRow(m, t, k, vectors, func(i int) Vec {
				v, at := r.Vec(), At(l.src, i*vecSize(m, t))
				if i == k-1 {
					m.LoadPartial(t, v, at, part, true, end)
				} else {
					m.Load(t, v, at)
				}
				return v
			})
		})
	}
	l.emit(func(label func(i int) string) {
		for k := 1; k < vectors; k++ {
			m.JumpIfInt(LessEqual, length, k*n, label(k-1))
		}
		m.Jump(label(vectors - 1))
	}, bodies...)
	m.Label("done")
	m.FreePartial(part)
	if end != None {
		r.FreeGP(end)
	}
	r.FreeGP(length, count)
	l.end()
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
			v := shortRow(m, t, k, t.Lanes()/n, func(i int) Vec {
				v, at := r.Vec(), At(l.src, i*vecSize(m, t))
				if i == k-1 {
					m.LoadPartial(t, v, at, part, true, Inside)
				} else {
					m.Load(t, v, at)
				}
				return v
			})
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

// shortRow emits the folding of the k vectors that exist of a row of lanes.
func shortRow(m Machine, t kernels.Type, k, vectors int, load func(i int) Vec) Vec {
	var fold func(i, step int) Vec
	fold = func(i, step int) Vec {
		if step == vectors {
			return load(i)
		}
		a := fold(i, 2*step)
		if i+step < k {
			b := fold(i+step, 2*step)
			m.AddVec(t, a, a, b)
			m.Regs().Free(b)
		}
		return a
	}
	return fold(0, 1)
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

// packed emits the loops for contiguous rows of up to half a vector, each as
// long as whole groups of rows can be loaded without reading behind the last.
func packed(l *rowLoop, length GP) {
	m, r, n := l.m, l.m.Regs(), lanes(l.m, l.t)
	bytes, stride := r.GP(), r.GP()
	m.Move(bytes, length)
	m.ShiftLeft(bytes, log2(l.t.Size()))
	m.LoadInt(stride, At(l.args, offset.rows.Stride))
	m.JumpIf(NotEqual, bytes, stride, "unpacked")
	r.FreeGP(stride)
	m.JumpIfInt(Greater, length, n/2, "unpacked")
	m.Mul(bytes, l.outer)
	m.Add(bytes, l.src)
	end := bytes
	for k := 1; k < n/2; k++ {
		m.JumpIfInt(Equal, length, k, fmt.Sprintf("pack%d", k))
	}
	for k := n / 2; k >= 1; k-- {
		m.Label(fmt.Sprintf("pack%d", k))
		packedRows(l, k, end)
		if k > 1 {
			m.Jump("unpacked")
		}
	}
	r.FreeGP(bytes)
	m.Label("unpacked")
}

// packedRows emits the loop for rows of k elements, expanded to a power of two.
func packedRows(l *rowLoop, k int, end GP) {
	m, t, r, n := l.m, l.t, l.m.Regs(), lanes(l.m, l.t)
	width := 1
	for width < k {
		width *= 2
	}
	per := n / width // rows of a vector
	expand := make([]int, n)
	keep := make([]bool, n)
	for i := range n {
		if i%width < k {
			expand[i], keep[i] = i/width*k+i%width, true
		}
	}
	order, sorted := lanesOfRows(m, t, per)

	var expansion, final Vec
	var mask Partial
	if k < width {
		expansion, mask = m.Index(t, expand), m.Mask(t, keep)
	}
	if !sorted {
		final = m.Index(t, order)
	}
	last, limit := r.GP(), ((width-1)*per*k+n)*t.Size()
	loop, done := fmt.Sprintf("pack%dloop", k), fmt.Sprintf("pack%ddone", k)
	m.Label(loop)
	m.Lea(last, At(l.src, limit))
	m.JumpIf(Above, last, end, done)
	v := foldVecs(m, t, width, func(i int) Vec {
		v := r.Vec()
		m.Load(t, v, At(l.src, i*per*k*t.Size()))
		if k < width {
			m.Permute(t, v, v, expansion)
			m.Blend(t, v, mask)
		}
		return v
	})
	if !sorted {
		m.Permute(t, v, v, final)
	}
	m.Store(At(l.dst, 0), v)
	r.Free(v)
	m.AddInt(l.src, n*k*t.Size())
	m.AddInt(l.dst, m.VecBytes())
	m.AddInt(l.outer, -n)
	m.Jump(loop)
	m.Label(done)
	r.FreeGP(last)
	if k < width {
		r.Free(expansion)
		m.FreePartial(mask)
	}
	if !sorted {
		r.Free(final)
	}
}
