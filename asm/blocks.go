package main

import "github.com/reducesum/reducesum/kernels"

// blocks sums rows that are a block long: sixteen rows of lanes, added as a
// tree, then folded. The upper eight rows come first, strip by strip, and wait
// in registers until the lower ones join them; the few that there is no
// register for wait in the frame. So memory is read in windows of half a
// block, which suits the prefetchers of CPUs, and hardly written.
func blocks(m Machine, t kernels.Type, args GP) {
	r, row := m.Regs(), t.Lanes()*t.Size()
	l := newRowLoop(m, t, args)
	width, spilled := m.Window(t)
	vectors := kernels.RowBytes / m.VecBytes()
	var spill Addr
	if spilled > 0 {
		spill = m.Local(spilled * m.VecBytes())
	}
	inFrame := vectors - spilled // from this vector on
	frame := func(v int) Addr { return spill.Plus((v - inFrame) * m.VecBytes()) }
	sum := func(from, vector int) []Vec {
		return tree(m, t, kernels.Rows/2, width, func(i, v int) Addr {
			return At(l.src, (from+i)*row+(vector+v)*vecSize(m, t))
		})
	}
	l.emit(nil, func() Vec {
		var all []Vec
		eachStrip(m, width, func(vector int) { all = append(all, sum(0, vector)...) })
		for v := inFrame; v < vectors; v++ {
			m.Store(frame(v), all[v])
			r.Free(all[v])
		}
		eachStrip(m, width, func(vector int) {
			for i, x := range sum(kernels.Rows/2, vector) {
				v := vector + i
				if v >= inFrame {
					m.LoadAdd(t.Acc(), x, frame(v))
					all[v] = x
					continue
				}
				m.AddVec(t, all[v], all[v], x)
				r.Free(x)
			}
		})
		return halve(m, t, all)
	})
	l.end()
}
