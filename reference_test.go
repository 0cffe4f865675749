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
// in half. Rows of nothing but -0 are left out, for speed: they change nothing.
func refBlock[A accumulator](x []A, lanes int) A {
	var m [1024]A
	rows := (len(x) + lanes - 1) / lanes
	minusZero := refMinusZero[A]()
	for i := len(x); i < rows*lanes; i++ {
		m[i] = minusZero
	}
	copy(m[:], x)
	for h := 1; h < 16; h *= 2 {
		for k := 0; k+h < rows; k += 2 * h {
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

// refReduceSum is ReduceSum of a view: the elements in row-major order as
// accumulators, without the axes of size 1; then, from the inside out, each
// group of neighbouring reduced axes summed as one sequence; then rounded.
func refReduceSum[T Element, A accumulator](src []T, shape, strides []int, reduced []bool, widen func(T) A, round func(A) T) []T {
	x := make([]A, 0, refProduct(shape))
	refEach(shape, strides, 0, func(off int) { x = append(x, widen(src[off])) })

	var dims []int
	var sum []bool
	for i, d := range shape {
		if d != 1 {
			dims, sum = append(dims, d), append(sum, reduced[i])
		}
	}
	for to := len(dims); to > 0; to-- { // from the innermost axis on
		if !sum[to-1] {
			continue
		}
		from := to - 1
		for from > 0 && sum[from-1] {
			from--
		}
		outer, n, inner := refProduct(dims[:from]), refProduct(dims[from:to]), refProduct(dims[to:])
		next := make([]A, outer*inner)
		seq := make([]A, n)
		for o := range outer {
			for i := range inner {
				for k := range seq {
					seq[k] = x[(o*n+k)*inner+i]
				}
				next[o*inner+i] = refSum(seq)
			}
		}
		x = next
		dims, sum = append(dims[:from:from], dims[to:]...), append(sum[:from:from], sum[to:]...)
		to = from + 1
	}

	dst := make([]T, len(x))
	for i, v := range x {
		dst[i] = round(v)
	}
	return dst
}

// refEach calls f with the offset of each element, in row-major order.
func refEach(shape, strides []int, off int, f func(off int)) {
	if len(shape) == 0 {
		f(off)
		return
	}
	for i := range shape[0] {
		refEach(shape[1:], strides[1:], off+i*strides[0], f)
	}
}

func refProduct(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}
