package reducesum

import (
	"golang.org/x/sys/cpu"

	"github.com/reducesum/reducesum/kernels"
)

// supported reports whether the CPU and the operating system offer all that the
// kernels of an instruction set may use: the features that package kernels lists.
func supported(isa kernels.ISA) bool {
	x := &cpu.X86
	avx2 := x.HasAVX && x.HasAVX2 && x.HasF16C
	switch isa {
	case kernels.AVX2:
		return avx2
	case kernels.AVX512:
		return avx2 && x.HasBMI2 && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL
	}
	return false
}
