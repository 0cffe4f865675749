package main

import "github.com/reducesum/reducesum/kernels"

// blocks sums rows that are a block long: sixteen rows of lanes, added as a
// tree, then folded. The upper eight rows come first, strip by strip, and wait
// in registers until the lower ones join them; the few that there is no
// register for wait in the frame. So memory is read in windows of half a
// block, which suits the prefetchers of CPUs, and hardly written.
func blocks(m Machine, t kernels.Type, args GP) {
	l := newRowLoop(m, t, args, blockSpill(m, t))
	spill := l.slots.Plus(lanes(m, t) * m.VecBytes())
	l.emit("block", nil, func() Vec { return blockVec(m, t, l.src, spill) })
	l.end()
}

// blockSpill is the number of bytes that blockVec needs in the frame.
func blockSpill(m Machine, t kernels.Type) int {
	_, spilled := m.Window(t)
	return spilled * m.VecBytes()
}

// blockVec emits the sum of the block at src, all but the last folding.
func blockVec(m Machine, t kernels.Type, src GP, spill Addr) Vec {
	r, row := m.Regs(), t.Lanes()*t.Size()
	width, spilled := m.Window(t)
	vectors := kernels.RowBytes / m.VecBytes()
	inFrame := vectors - spilled // from this vector on
	frame := func(v int) Addr { return spill.Plus((v - inFrame) * m.VecBytes()) }
	sum := func(from, vector int) []Vec {
		return tree(m, t, kernels.Rows/2, width, every, func(i, v int) Addr {
			return At(src, (from+i)*row+(vector+v)*vecSize(m, t))
		})
	}
	var sums []Vec
	eachStrip(m, width, func(vector int) { sums = append(sums, sum(0, vector)...) })
	for v := inFrame; v < vectors; v++ {
		m.Store(frame(v), sums[v])
		r.Free(sums[v])
	}
	eachStrip(m, width, func(vector int) {
		for i, x := range sum(kernels.Rows/2, vector) {
			v := vector + i
			if v >= inFrame {
				m.LoadAdd(t.Acc(), x, frame(v))
				sums[v] = x
				continue
			}
			m.AddVec(t, sums[v], sums[v], x)
			r.Free(x)
		}
	})
	for len(sums) > 2 {
		sums = halveOnce(m, t, sums)
	}
	if inPairs(m, t, kernels.Rows/2, width) {
		m.Untangle(t, sums[0], sums[1])
	}
	return halve(m, t, sums)
}
