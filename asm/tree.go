package main

import "github.com/reducesum/reducesum/kernels"

// tree emits the sum of rows of n vectors as a binary tree, left to right, so
// that no more sums wait in registers than it is high. leaf addresses vector v of
// row i, whose vectors are neighbours in memory; rows that has does not have are
// left out. A pair of rows is added to the pair before it a chunk at a time, so that
// machines with more registers for sums than for loads need few for the last pair.
// Where inPairs says so, the vectors come in pairs that are yet to be untangled.
func tree(m Machine, t kernels.Type, rows, n int, has func(row int) bool, leaf func(i, v int) Addr) []Vec {
	exist := func(i, rows int) (k int) {
		for row := i; row < i+rows; row++ {
			if has(row) {
				k++
			}
		}
		return k
	}
	load, loadAdd := m.LoadVecs, m.LoadAddVecs
	if inPairs(m, t, rows, n) {
		load, loadAdd = m.LoadPairs, m.LoadAddPairs
	}
	leaves := func(i, rows, v, n int) []Vec {
		vs := m.Regs().Vecs(n)
		load(t, vs, leaf(i, v))
		if rows == 2 && has(i+1) {
			loadAdd(t, vs, leaf(i+1, v))
		}
		return vs
	}
	var sum func(i, rows int) []Vec
	sum = func(i, rows int) []Vec {
		if rows <= 2 {
			return leaves(i, rows, 0, n)
		}
		a := sum(i, rows/2)
		switch right := exist(i+rows/2, rows/2); {
		case right == 0:
			return a
		case right == 1: // the first one: leaves exist from the left on
			loadAdd(t, a, leaf(i+rows/2, 0))
			return a
		case rows == 4:
			chunk := min(n, m.Chunk(t))
			for chunk > 1 && chunk > m.Regs().Left() {
				chunk /= 2
			}
			for v := 0; v < n; v += chunk {
				addVecs(m, t, a[v:v+chunk], leaves(i+2, 2, v, chunk))
			}
			return a
		}
		b := sum(i+rows/2, rows/2)
		addVecs(m, t, a, b)
		return a
	}
	return sum(0, rows)
}

// inPairs tells whether tree loads in pairs: few rows are not worth untangling.
func inPairs(m Machine, t kernels.Type, rows, n int) bool {
	return m.LoadsPairs(t) && rows >= 4 && n%2 == 0
}

// treeInOrder is tree with vectors in order.
func treeInOrder(m Machine, t kernels.Type, rows, n int, has func(row int) bool, leaf func(i, v int) Addr) []Vec {
	vs := tree(m, t, rows, n, has, leaf)
	if inPairs(m, t, rows, n) {
		for v := 0; v < n; v += 2 {
			m.Untangle(t, vs[v], vs[v+1])
		}
	}
	return vs
}

// every is for trees whose rows all exist.
func every(int) bool { return true }

// addEach emits a += b.
func addEach(m Machine, t kernels.Type, a, b []Vec) {
	for v := range a {
		m.AddVec(t, a[v], a[v], b[v])
	}
}

// addVecs emits a += b, and gives b back.
func addVecs(m Machine, t kernels.Type, a, b []Vec) {
	addEach(m, t, a, b)
	m.Regs().Free(b...)
}

// eachStrip goes through the strips of a row of lanes, by their first vectors.
func eachStrip(m Machine, width int, f func(vector int)) {
	for v := 0; v < kernels.RowBytes/m.VecBytes(); v += width {
		f(v)
	}
}

// halve folds vectors in half until one is left.
func halve(m Machine, t kernels.Type, vs []Vec) Vec {
	for len(vs) > 1 {
		vs = halveOnce(m, t, vs)
	}
	return vs[0]
}

// halveOnce folds vectors in half.
func halveOnce(m Machine, t kernels.Type, vs []Vec) []Vec {
	h := len(vs) / 2
	addVecs(m, t, vs[:h], vs[h:])
	return vs[:h]
}
