package reducesum

import (
	"os"
	"slices"

	"github.com/reducesum/reducesum/kernels"
)

// An Implementation is a set of kernels that this CPU can run. The zero value is
// plain Go, which every CPU runs.
type Implementation struct{ isa kernels.ISA }

// String returns the name that REDUCESUM_ISA takes: avx512, avx2, neon or generic.
func (i Implementation) String() string { return i.isa.Public() }

// Implementations returns what this CPU can run, best first: the first one is
// what runs unless [WithImplementation] pins another. REDUCESUM_ISA takes the
// better ones off the list. The caller may change the slice.
func Implementations() []Implementation { return slices.Clone(implementations) }

var (
	implementations = offered(os.Getenv("REDUCESUM_ISA"))
	best            = implementations[0].isa
)

// offered returns the implementations that the CPU can run, best first, from
// the one named limit on; any other limit is ignored.
func offered(limit string) []Implementation {
	var all []Implementation
	for _, isa := range assembled {
		if supported(isa) {
			all = append(all, Implementation{isa})
		}
	}
	all = append(all, Implementation{kernels.Generic})
	for i, impl := range all {
		if impl.String() == limit {
			return all[i:]
		}
	}
	return all
}

func available(isa kernels.ISA) bool {
	return slices.Contains(implementations, Implementation{isa})
}
