package verify

import (
	"math/rand/v2"

	"github.com/reducesum/reducesum"
)

const maxRank = 6

// lengths are those around which kernels change their ways: lanes, rows, blocks
// of the order, and vectors of every instruction set.
var lengths = []int{1, 2, 3, 4, 7, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 65536}

// drawShape draws a shape of rank 0 to 6: short and long rows, narrow and wide
// columns, now and then an empty axis. Most tensors are small, so that there
// are many; the large ones have few axes, because every set of them is summed.
func drawShape(r *rand.Rand) []int {
	shape := make([]int, r.IntN(maxRank+1))
	room := 1 << (4 + r.IntN(10))
	if len(shape) <= 3 && r.IntN(8) == 0 {
		room = 1 << (15 + r.IntN(5))
	}
	for _, axis := range r.Perm(len(shape)) {
		shape[axis] = drawLength(r, room)
		room /= max(shape[axis], 1)
	}
	return shape
}

// drawLength draws the length of an axis, at most room.
func drawLength(r *rand.Rand, room int) int {
	switch r.IntN(16) {
	case 0:
		return r.IntN(2)
	case 1, 2, 3, 4:
		return min(1+r.IntN(8), room)
	case 5, 6, 7:
		return 1 + r.IntN(room)
	}
	n := lengths[r.IntN(len(lengths))]
	return max(1, min(n*(1+r.IntN(3))+r.IntN(3)-1, room))
}

// drawOp writes down a set of axes, given as bits, in one of the many ways:
// counted from either end, in any order, some of them twice, all of them left out.
func drawOp(r *rand.Rand, rank, set int) reducesum.Op {
	op := reducesum.Op{KeepDims: r.IntN(2) == 0, NoopWithEmptyAxes: set == 0}
	if set == 1<<rank-1 && set != 0 && r.IntN(2) == 0 {
		return op
	}
	for axis := range rank {
		if set>>axis&1 == 0 {
			continue
		}
		for range 1 + r.IntN(4)/3 {
			op.Axes = append(op.Axes, axis-rank*r.IntN(2))
		}
	}
	r.Shuffle(len(op.Axes), func(i, j int) { op.Axes[i], op.Axes[j] = op.Axes[j], op.Axes[i] })
	return op
}

// drawWorkers draws 1 to 16 workers, every other time 1.
func drawWorkers(r *rand.Rand) int {
	if r.IntN(2) == 0 {
		return 1
	}
	return 1 + r.IntN(16)
}

// A view is where the elements of a tensor lie.
type view[T reducesum.Element] struct {
	src     []T
	offset  int   // of src in its allocation, so that every alignment occurs
	strides []int // nil for row-major order
}

// drawView lays out values, which are in row-major order: mostly as they are,
// else with the axes in another order in memory, and with gaps.
func drawView[T reducesum.Element](r *rand.Rand, shape []int, values []T) view[T] {
	v := view[T]{offset: r.IntN(64)}
	size := len(values)
	if len(shape) > 0 && len(values) > 0 && r.IntN(4) == 0 {
		v.strides, size = drawStrides(r, shape)
	}
	memory := make([]T, v.offset+size+64)
	for i := range memory {
		memory[i] = fromFloat[T](1e4) // spoils a sum that takes it in
	}
	v.src = memory[v.offset:][:size]
	if v.strides == nil {
		copy(v.src, values)
		return v
	}
	for i, x := range values {
		at := 0
		for axis := len(shape) - 1; axis >= 0; axis-- {
			at += i % shape[axis] * v.strides[axis]
			i /= shape[axis]
		}
		v.src[at] = x
	}
	return v
}

// drawStrides draws strides, and returns how far they reach.
func drawStrides(r *rand.Rand, shape []int) (strides []int, size int) {
	strides = make([]int, len(shape))
	size = 1
	gap := r.IntN(2)
	for _, axis := range r.Perm(len(shape)) {
		strides[axis] = size
		size = size*shape[axis] + gap*r.IntN(3)
	}
	return strides, size
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
