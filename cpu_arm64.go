package reducesum

import "github.com/reducesum/reducesum/kernels"

// supported reports whether the CPU offers all that the kernels of an
// instruction set may use. NEON is part of ARMv8.0, which Go asks for.
func supported(isa kernels.ISA) bool { return isa == kernels.NEON }
