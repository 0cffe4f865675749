package main

import "github.com/reducesum/reducesum/kernels"

// blocks sums rows that are a block long: sixteen rows of lanes, added as a
// tree, then folded. Where a row of lanes takes several strips, the upper eight
// rows are summed first, and wait in the frame: so memory is read in windows
// of half a block, which suits the prefetchers of CPUs, and no pending sum
// needs more registers. Of two strips, only the first waits: the second is
// read next, in both halves, and then the rest of the first.
func blocks(m Machine, t kernels.Type, args GP) {
	l := newRowLoop(m, t, args)
	s := newStrips(m, t)
	row := t.Lanes() * t.Size()
	sum := func(from, rows, vector int) []Vec {
		return tree(m, t, rows, s.width, func(i, v int) Addr {
			return At(l.src, (from+i)*row+(vector+v)*vecSize(m, t))
		})
	}
	if s.count == 1 {
		l.emit(nil, func() Vec {
			return s.reduce(func(vector int) []Vec { return sum(0, kernels.Rows, vector) })
		})
		l.end()
		return
	}
	if s.count == 2 && m.ISA() == kernels.NEON {
		wait := m.Local(kernels.RowBytes / 2)
		l.emit(nil, func() Vec {
			const half = kernels.Rows / 2
			first, second := sum(0, half, 0), sum(0, half, s.width)
			m.StoreVecs(wait, first)
			m.Regs().Free(first...)
			addVecs(m, t, second, sum(half, half, s.width))
			first = sum(half, half, 0)
			m.LoadAddVecs(t.Acc(), first, wait)
			addVecs(m, t, first, second)
			return halve(m, t, first)
		})
		l.end()
		return
	}
	upper := m.Local(kernels.RowBytes)
	l.emit(nil, func() Vec {
		for i := range s.count {
			vs := sum(0, kernels.Rows/2, i*s.width)
			m.StoreVecs(upper.Plus(i*s.width*m.VecBytes()), vs)
			m.Regs().Free(vs...)
		}
		return s.reduce(func(vector int) []Vec {
			vs := sum(kernels.Rows/2, kernels.Rows/2, vector)
			m.LoadAddVecs(t.Acc(), vs, upper.Plus(vector*m.VecBytes()))
			return vs
		})
	})
	l.end()
}
