package main

import (
	"fmt"
	"slices"
)

// Regs hands out registers. An algorithm takes what it needs and gives it back;
// one that takes too much stops the generator with the name of the kernel.
type Regs struct {
	kernel string
	gp     []GP
	vec    []Vec
	gps    []GP // all of them, to start a function with
	vecs   []Vec
}

// NewRegs allocates from the given registers, the first ones first.
func NewRegs(gps []GP, vecs int) *Regs {
	r := &Regs{gps: gps}
	for v := range vecs {
		r.vecs = append(r.vecs, Vec(v))
	}
	return r
}

// Start makes all registers free, for a new function.
func (r *Regs) Start(kernel string) {
	r.kernel = kernel
	r.gp = append([]GP(nil), r.gps...)
	r.vec = append([]Vec(nil), r.vecs...)
}

// GP takes a general-purpose register.
func (r *Regs) GP() GP {
	if len(r.gp) == 0 {
		panic(fmt.Sprintf("%s: out of general-purpose registers", r.kernel))
	}
	g := r.gp[0]
	r.gp = r.gp[1:]
	return g
}

// Vec takes a vector register.
func (r *Regs) Vec() Vec {
	if len(r.vec) == 0 {
		panic(fmt.Sprintf("%s: out of vector registers", r.kernel))
	}
	v := r.vec[0]
	r.vec = r.vec[1:]
	return v
}

// Vecs takes n vector registers.
func (r *Regs) Vecs(n int) []Vec {
	vs := make([]Vec, n)
	for i := range vs {
		vs[i] = r.Vec()
	}
	return vs
}

// Take takes the vector register v, which is free.
func (r *Regs) Take(v Vec) {
	i := slices.Index(r.vec, v)
	if i < 0 {
		panic(fmt.Sprintf("%s: vector register %d is taken", r.kernel, v))
	}
	r.vec = slices.Delete(r.vec, i, i+1)
}

// TakeGP takes the general-purpose register g, which is free.
func (r *Regs) TakeGP(g GP) {
	i := slices.Index(r.gp, g)
	if i < 0 {
		panic(fmt.Sprintf("%s: general-purpose register %d is taken", r.kernel, g))
	}
	r.gp = slices.Delete(r.gp, i, i+1)
}

// All is how many vector registers there are.
func (r *Regs) All() int { return len(r.vecs) }

// Left is how many vector registers are left.
func (r *Regs) Left() int { return len(r.vec) }

// Free gives vector registers back.
func (r *Regs) Free(vs ...Vec) {
	for _, v := range vs {
		for _, f := range r.vec {
			if f == v {
				panic(fmt.Sprintf("%s: vector register %d freed twice", r.kernel, v))
			}
		}
		r.vec = append([]Vec{v}, r.vec...)
	}
}

// FreeGP gives general-purpose registers back.
func (r *Regs) FreeGP(gs ...GP) {
	for _, g := range gs {
		for _, f := range r.gp {
			if f == g {
				panic(fmt.Sprintf("%s: general-purpose register %d freed twice", r.kernel, g))
			}
		}
		r.gp = append([]GP{g}, r.gp...)
	}
}

// Done checks that a function gave everything back.
func (r *Regs) Done() {
	if len(r.gp) != len(r.gps) || len(r.vec) != len(r.vecs) {
		panic(fmt.Sprintf("%s: %d general-purpose and %d vector registers were not given back",
			r.kernel, len(r.gps)-len(r.gp), len(r.vecs)-len(r.vec)))
	}
}
