//go:build !amd64

package reducesum

import "github.com/reducesum/reducesum/kernels"

// supported reports whether the CPU offers what an instruction set's kernels use.
func supported(isa kernels.ISA) bool { return isa == kernels.NEON }
