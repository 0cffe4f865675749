//go:build !amd64 && !arm64

package reducesum

import "github.com/reducesum/reducesum/kernels"

// supported reports whether the CPU offers what an instruction set's kernels use.
func supported(kernels.ISA) bool { return false }
