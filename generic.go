package reducesum

// This file is the definition of a sum, in plain Go: the order of package
// kernels, for every element type. It is the oracle that every kernel is
// compared with, and what runs where there is no assembly.

import (
	"math"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// accumulator is a type in which elements are summed.
type accumulator interface {
	float32 | float64 | int32 | int64
}

// sequenceSum is the sum of a sequence, by definition.
func sequenceSum[A accumulator](x []A) A {
	if len(x) == 0 {
		return 0
	}
	block := kernels.BlockBytes / int(unsafe.Sizeof(x[0]))
	for len(x) > block {
		var sums []A
		for ; len(x) > block; x = x[block:] {
			sums = append(sums, blockSum(x[:block]))
		}
		x = append(sums, blockSum(x))
	}
	return blockSum(x)
}

// blockSum is the sum of a block, by definition: 1 <= len(x) <= block.
func blockSum[A accumulator](x []A) A {
	lanes := kernels.RowBytes / int(unsafe.Sizeof(x[0]))
	var m [kernels.BlockBytes / 4]A // room for the block of either size
	for i := copy(m[:], x); i < len(m); i++ {
		m[i] = identity[A]()
	}
	for h := 1; h < kernels.Rows; h *= 2 {
		for k := 0; k < kernels.Rows; k += 2 * h {
			for j := range lanes {
				m[k*lanes+j] += m[(k+h)*lanes+j]
			}
		}
	}
	for h := lanes / 2; h >= 1; h /= 2 {
		for j := range h {
			m[j] += m[j+h]
		}
	}
	return m[0]
}

// identity returns the x for which x + a is a, to the bit: -0, or the integer 0.
func identity[A accumulator]() A {
	var zero A
	switch any(zero).(type) {
	case float32, float64:
		return A(math.Copysign(0, -1))
	}
	return zero
}
