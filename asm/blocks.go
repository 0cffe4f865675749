package main

import "github.com/reducesum/reducesum/kernels"

// blocks sums rows that are a block long: sixteen rows of lanes, added as a
// tree, then folded. The upper eight rows come first, strip by strip, and stay
// in registers until the lower ones join them. So memory is read in windows of
// half a block, which suits the prefetchers of CPUs.
func blocks(m Machine, t kernels.Type, args GP) {
	l := newRowLoop(m, t, args)
	row := t.Lanes() * t.Size()
	sum := func(from, vector int) []Vec {
		return tree(m, t, kernels.Rows/2, m.Strip(t), func(i, v int) Addr {
			return At(l.src, (from+i)*row+(vector+v)*vecSize(m, t))
		})
	}
	l.emit(nil, func() Vec {
		var all []Vec
		eachStrip(m, t, func(vector int) { all = append(all, sum(0, vector)...) })
		eachStrip(m, t, func(vector int) {
			addVecs(m, t, all[vector:vector+m.Strip(t)], sum(kernels.Rows/2, vector))
		})
		return halve(m, t, all)
	})
	l.end()
}
