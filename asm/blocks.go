package main

import "github.com/reducesum/reducesum/kernels"

// blocks sums rows that are a block long: sixteen rows of lanes, added as a
// tree strip by strip, then folded.
func blocks(m Machine, t kernels.Type, args GP) {
	l := newRowLoop(m, t, args)
	s := newStrips(m, t)
	row := t.Lanes() * t.Size()
	l.emit(nil, func() Vec {
		return s.reduce(func(vector int) []Vec {
			return tree(m, t, kernels.Rows, s.width, func(i, v int) Addr {
				return At(l.src, i*row+(vector+v)*vecSize(m, t))
			})
		})
	})
	l.end()
}
