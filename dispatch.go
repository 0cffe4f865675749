package reducesum

import (
	"os"
	"slices"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/cpu"

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

// supported reports whether the CPU and the operating system offer all that the
// kernels of an instruction set may use: the features that package kernels lists.
// Package cpu takes away those that the environment variable GODEBUG turns off
// (cpu.avx2=off). Its name for all of AVX-512, avx512, is a feature of its own there.
func supported(isa kernels.ISA) bool {
	x := &cpu.X86
	avx2 := x.HasAVX && x.HasAVX2 && x.HasF16C
	switch isa {
	case kernels.AVX2:
		return avx2
	case kernels.AVX512:
		return avx2 && x.HasBMI2 && x.HasAVX512 && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL
	case kernels.NEON: // part of ARMv8.0, which Go asks for
		return true
	}
	return false
}

func available(isa kernels.ISA) bool {
	return slices.Contains(implementations, Implementation{isa})
}

// tables are where the dispatcher finds the kernels of each element type: nowhere,
// until a function of the API is called that is compiled for it.
var tables [kernels.NumTypes]unsafe.Pointer

// use makes the kernels of a type known to the dispatcher.
func use(t kernels.Type, table func() unsafe.Pointer) {
	if atomic.LoadPointer(&tables[t]) == nil {
		atomic.StorePointer(&tables[t], table())
	}
}
