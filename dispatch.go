package reducesum

import "github.com/reducesum/reducesum/kernels"

// An Implementation is a set of kernels that this CPU can run.
type Implementation struct{ isa kernels.ISA }

// String returns the name that REDUCESUM_ISA takes: avx512, avx2, neon or generic.
func (i Implementation) String() string { return i.isa.Public() }

// Implementations returns what this CPU can run, best first. The first one is
// what runs unless [WithImplementation] pins another. The caller may change
// the slice.
func Implementations() []Implementation { return []Implementation{{kernels.Generic}} }

var best = kernels.Generic

func available(isa kernels.ISA) bool { return isa == kernels.Generic }
