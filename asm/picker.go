package main

import "github.com/reducesum/reducesum/kernels"

// A picker sums packed rows of k elements, as many as a vector has lanes: it
// picks their columns, one vector each, out of the k vectors that they fill, and
// adds these. Each column takes k-1 instructions, so that is worth it for rows
// of three, which a packer would expand to four.
type picker struct {
	m     Machine
	t     kernels.Type
	src   GP
	k     int
	index [][]Vec // of each column, to pick from the vectors but the first
}

// picks tells whether a machine sums rows of k elements so.
func picks(m Machine, k int) bool { return m.CanPick() && k == 3 }

func (p *picker) prepare() {
	n := lanes(p.m, p.t)
	for column := range p.k {
		var steps []Vec
		for v := 1; v < p.k; v++ {
			index := make([]int, n)
			for l := range index {
				switch at := l*p.k + column; {
				case at/n == v:
					index[l] = n + at%n
				case at < n && v == 1:
					index[l] = at
				default:
					index[l] = l
				}
			}
			steps = append(steps, p.m.Index(p.t, index))
		}
		p.index = append(p.index, steps)
	}
}

func (p *picker) free() {
	for _, steps := range p.index {
		p.m.Regs().Free(steps...)
	}
}

// reach is how many elements of a group are read.
func (p *picker) reach() int { return lanes(p.m, p.t) * p.k }

// sum emits the sums of a group.
func (p *picker) sum() Vec {
	m, r := p.m, p.m.Regs()
	vs := r.Vecs(p.k)
	m.LoadVecs(p.t, vs, At(p.src, 0))
	var columns []Vec
	for c := range p.k {
		x, from := r.Vec(), vs[0]
		for i, index := range p.index[c] {
			m.Pick(p.t, x, from, vs[i+1], index)
			from = x
		}
		columns = append(columns, x)
	}
	r.Free(vs...)
	half := 1
	for 2*half < p.k {
		half *= 2
	}
	for ; half > 0; half /= 2 {
		addVecs(m, p.t, columns[:len(columns)-half], columns[half:])
		columns = columns[:half]
	}
	return columns[0]
}
