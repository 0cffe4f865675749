package main

import "github.com/reducesum/reducesum/kernels"

// tree emits the sum of 2^k rows of n vectors as a perfect binary tree, left
// to right, so that no more than k pending sums wait in registers. leaf
// addresses vector v of row i, whose vectors are neighbours in memory. A pair
// of rows is added to the pair before it a chunk at a time, so that machines
// with more registers for sums than for loads need few for the last pair.
func tree(m Machine, t kernels.Type, rows, n int, leaf func(i, v int) Addr) []Vec {
	leaves := func(i, rows, v, n int) []Vec {
		vs := m.Regs().Vecs(n)
		m.LoadVecs(t, vs, leaf(i, v))
		if rows == 2 {
			m.LoadAddVecs(t, vs, leaf(i+1, v))
		}
		return vs
	}
	var sum func(i, rows int) []Vec
	sum = func(i, rows int) []Vec {
		if rows <= 2 {
			return leaves(i, rows, 0, n)
		}
		a := sum(i, rows/2)
		if rows == 4 {
			chunk := min(n, m.Chunk(t))
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

// addVecs emits a += b, and gives b back.
func addVecs(m Machine, t kernels.Type, a, b []Vec) {
	for v := range a {
		m.AddVec(t, a[v], a[v], b[v])
	}
	m.Regs().Free(b...)
}

// A strips takes the sums of the strips of a row of lanes, in memory order,
// and folds the row in half strip by strip: only the strips that still wait
// for their other half lie in the frame.
type strips struct {
	m     Machine
	t     kernels.Type
	width int // vectors
	count int
	buf   Addr
}

func newStrips(m Machine, t kernels.Type) *strips {
	s := &strips{m: m, t: t, width: m.Strip(t)}
	s.count = kernels.RowBytes / m.VecBytes() / s.width
	if s.count > 1 {
		s.buf = m.Local(kernels.RowBytes / 2)
	}
	return s
}

// reduce emits the folding of a row of lanes into one vector. sum emits the
// sum of a strip, which starts at the given vector of the row.
func (s *strips) reduce(sum func(vector int) []Vec) Vec {
	m, r := s.m, s.m.Regs()
	at := func(i, v int) Addr { return s.buf.Plus((i*s.width + v) * m.VecBytes()) }
	for i := range s.count {
		vs := sum(i * s.width)
		k := i
		for h := s.count / 2; h >= 1; h /= 2 {
			if k < h {
				m.StoreVecs(at(k, 0), vs)
				r.Free(vs...)
				vs = nil
				break
			}
			k -= h
			m.LoadAddVecs(s.t.Acc(), vs, at(k, 0))
		}
		if vs != nil {
			return halve(m, s.t, vs)
		}
	}
	panic("unreachable")
}

// halve folds vectors in half until one is left.
func halve(m Machine, t kernels.Type, vs []Vec) Vec {
	for len(vs) > 1 {
		h := len(vs) / 2
		addVecs(m, t, vs[:h], vs[h:])
		vs = vs[:h]
	}
	return vs[0]
}
