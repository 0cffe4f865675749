package reducesum

// The definition of a sum, transcribed as literally as Go allows and without
// any of the package's code: what everything else is compared with.

import (
	"math"
	"unsafe"
)

// refSum is S of a sequence.
func refSum[A accumulator](x []A) A {
	if len(x) == 0 {
		return 0
	}
	lanes := 256 / int(unsafe.Sizeof(x[0]))
	block := 16 * lanes
	for len(x) > block {
		var sums []A
		for len(x) > 0 {
			n := min(block, len(x))
			sums = append(sums, refBlock(x[:n], lanes))
			x = x[n:]
		}
		x = sums
	}
	return refBlock(x, lanes)
}

// refBlock is the sum of a block: a matrix padded by -0, rows pairwise, lanes
// in half.
func refBlock[A accumulator](x []A, lanes int) A {
	minusZero := refMinusZero[A]()
	m := make([]A, 16*lanes)
	for i := range m {
		m[i] = minusZero
	}
	copy(m, x)
	for h := 1; h < 16; h *= 2 {
		for k := 0; k < 16; k += 2 * h {
			for j := 0; j < lanes; j++ {
				m[k*lanes+j] += m[(k+h)*lanes+j]
			}
		}
	}
	for h := lanes / 2; h >= 1; h /= 2 {
		for j := 0; j < h; j++ {
			m[j] += m[j+h]
		}
	}
	return m[0]
}

func refMinusZero[A accumulator]() A {
	var z A
	switch p := any(&z).(type) {
	case *float32:
		*p = float32(math.Copysign(0, -1))
	case *float64:
		*p = math.Copysign(0, -1)
	}
	return z
}

// refReduceSum is the definition of ReduceSum: for every result, the sequence
// of each group of neighbouring reduced axes, the innermost group first.
func refReduceSum[T Element, A accumulator](src []T, shape, strides []int, reduced []bool, widen func(T) A, round func(A) T) []T {
	var dst []T
	// Walk goes through the axes from axis i on and returns the values of the
	// innermost group that it is in, or appends results.
	index := make([]int, len(shape))
	var value func(axis int) A
	value = func(axis int) A { // of the subtensor behind the kept indexes
		var seq []A
		end := axis // the group: reduced axes, and axes of size 1, from axis on
		for end < len(shape) && (reduced[end] || shape[end] == 1) {
			end++
		}
		next := end // the next group's first axis
		for next < len(shape) && !(reduced[next] && shape[next] != 1) {
			next++
		}
		var each func(a int)
		each = func(a int) {
			if a == end {
				if next < len(shape) {
					seq = append(seq, value(next))
					return
				}
				off := 0
				for i, k := range index {
					off += k * strides[i]
				}
				seq = append(seq, widen(src[off]))
				return
			}
			if !reduced[a] {
				each(a + 1)
				return
			}
			for index[a] = 0; index[a] < shape[a]; index[a]++ {
				each(a + 1)
			}
			index[a] = 0
		}
		each(axis)
		return refSum(seq)
	}
	first := 0
	for first < len(shape) && !(reduced[first] && shape[first] != 1) {
		first++
	}
	var kept func(a int)
	kept = func(a int) {
		if a == len(shape) {
			dst = append(dst, round(value(first)))
			return
		}
		if reduced[a] {
			kept(a + 1)
			return
		}
		for i := 0; i < shape[a]; i++ {
			index[a] = i
			kept(a + 1)
		}
		index[a] = 0
	}
	kept(0)
	return dst
}
