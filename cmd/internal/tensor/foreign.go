package tensor

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"sync"
	"unsafe"

	"github.com/x448/float16"

	"github.com/reducesum/reducesum"
)

// What the kernels cannot read where it lies, because the bytes of its elements
// are in the other order or not aligned, is summed a piece at a time: a piece is
// converted into a buffer that fits a CPU's cache, and summed there. So a file
// that is larger than memory needs no more memory than any other one. How pieces
// are cut, tree.go tells.

// pieceElements is about how many elements a piece has. Tests lower it.
var pieceElements = 1 << 17

// foreign is a tensor of elements that are to be converted. It is not empty.
type foreign[T reducesum.Element] struct {
	bytes   []byte
	swap    bool // they are not in the CPU's order
	dims    []int
	strides []int // in elements
}

// hostBig tells whether the CPU is big endian.
var hostBig = isNative(binary.BigEndian)

// DType implements [Tensor].
func (t foreign[T]) DType() string { return Name[T]() }

// Shape implements [Tensor].
func (t foreign[T]) Shape() []int { return t.dims }

// Len implements [Tensor].
func (t foreign[T]) Len() int { return len(t.bytes) / t.size() }

// Number implements [Tensor].
func (t foreign[T]) Number(i int) string {
	var x [1]T
	copyBox(x[:], t.bytes[i*t.size():], t.swap, nil)
	return Number(x[0])
}

// Write implements [Tensor].
func (t foreign[T]) Write(w io.Writer) error {
	for part := range slices.Chunk(t.bytes, pieceElements*t.size()) {
		x := make([]T, len(part)/t.size())
		copyBox(x, part, t.swap != hostBig, []axis{{len(x), 1, 1}})
		if err := writeAll(w, bytesOf(x)); err != nil {
			return err
		}
	}
	return nil
}

func (t foreign[T]) size() int { return int(unsafe.Sizeof(*new(T))) }

// ReduceSum implements [Tensor].
func (t foreign[T]) ReduceSum(op reducesum.Op, pool reducesum.Pool) (Tensor, error) {
	plan, err := reducesum.NewPlan(t.dims, op)
	if err != nil {
		return nil, err
	}
	dst, err := resultOf[T](plan)
	if err != nil {
		return nil, err
	}
	reduced := reducedAxes(len(t.dims), op)
	if !slices.Contains(reduced, true) || plan.Len() == t.Len() {
		t.copyTo(dst.Data)
		return dst, nil
	}
	results := resultStrides(t.dims, reduced)
	switch t := any(t).(type) {
	case foreign[reducesum.Float16]:
		err = sumBlocks(t, any(dst.Data).([]reducesum.Float16), results, reduced, pool, widenFloat16, float16.Fromfloat32)
	case foreign[reducesum.BFloat16]:
		err = sumBlocks(t, any(dst.Data).([]reducesum.BFloat16), results, reduced, pool, widenBFloat16, reducesum.BFloat16FromFloat32)
	case foreign[T]:
		err = sumBlocks(t, dst.Data, results, reduced, pool, keep[T], same[T])
	}
	return dst, err
}

// resultStrides returns for each axis of a tensor its stride in the result, which
// is 0 for a reduced axis.
func resultStrides(dims []int, reduced []bool) []int {
	strides := make([]int, len(dims))
	n := 1
	for i := len(dims) - 1; i >= 0; i-- {
		if !reduced[i] {
			strides[i] = n
			n *= dims[i]
		}
	}
	return strides
}

// copyTo converts all elements, into row-major order.
func (t foreign[T]) copyTo(dst []T) {
	box := make([]axis, len(t.dims))
	for i, s := range rowMajor(t.dims) {
		box[i] = axis{t.dims[i], t.strides[i], s}
	}
	copyBox(dst, t.bytes, t.swap, box)
}

func same[T any](x T) T { return x }

// keep is what widening is where elements are their own accumulators.
func keep[T any](_ *[]T, x []T) []T { return x }

// widenFloat16 turns elements into accumulators, in a buffer.
func widenFloat16(buffer *[]float32, x []reducesum.Float16) []float32 {
	acc := take(buffer, len(x))
	for i, v := range x {
		acc[i] = v.Float32()
	}
	return acc
}

// widenBFloat16 turns elements into accumulators, in a buffer.
func widenBFloat16(buffer *[]float32, x []reducesum.BFloat16) []float32 {
	acc := take(buffer, len(x))
	for i, v := range x {
		acc[i] = v.Float32()
	}
	return acc
}

// reducedAxes tells for each axis whether op, whose axes are in range, sums over it.
func reducedAxes(rank int, op reducesum.Op) []bool {
	if len(op.Axes) == 0 {
		return slices.Repeat([]bool{!op.NoopWithEmptyAxes}, rank)
	}
	reduced := make([]bool, rank)
	for _, a := range op.Axes {
		reduced[(a+rank)%rank] = true
	}
	return reduced
}

// grow widens the ranges of a piece on some of the axes, those first whose
// elements are nearest to each other, until the piece is room times as large.
// It returns what room is left.
func grow(ranges, dims, strides []int, some func(i int) bool, room int) int {
	for _, i := range nearest(strides) {
		if some(i) {
			ranges[i] = max(1, min(dims[i], room))
			room /= ranges[i]
		}
	}
	return room
}

// take returns n elements of a buffer, which grows when it must.
func take[T reducesum.Element](buffer *[]T, n int) []T {
	if cap(*buffer) < n {
		*buffer = make([]T, n)
	}
	return (*buffer)[:n]
}

// cuts are the parts of a tensor that ranges of its axes make.
type cuts struct {
	dims, ranges []int
	order        []int // axes, those that are nearest in memory first
	count        int
}

func cutsOf(dims, ranges, strides []int) cuts {
	c := cuts{dims, ranges, nearest(strides), 1}
	for i, d := range dims {
		c.count *= (d + ranges[i] - 1) / ranges[i]
	}
	return c
}

// nearest returns the axes in the order of their strides.
func nearest(strides []int) []int {
	order := make([]int, len(strides))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(strides[a], strides[b]) })
	return order
}

// part returns where a part begins on each axis, and its dimensions.
func (c cuts) part(i int) (start, dims []int) {
	start, dims = make([]int, len(c.dims)), make([]int, len(c.dims))
	for _, a := range c.order {
		n := (c.dims[a] + c.ranges[a] - 1) / c.ranges[a]
		start[a] = i % n * c.ranges[a]
		dims[a] = min(c.ranges[a], c.dims[a]-start[a])
		i /= n
	}
	return start, dims
}

// do runs n tasks, on a pool if there is one.
func do(pool reducesum.Pool, n int, task func(i int)) {
	if pool != nil {
		pool.Do(n, task)
		return
	}
	for i := range n {
		task(i)
	}
}

// A freeList keeps what goroutines need for a while. Unlike a sync.Pool it keeps
// all of it, so that there are never more than goroutines at a time.
type freeList[T any] struct {
	make func() T
	mu   sync.Mutex
	free []T
}

func (l *freeList[T]) get() T {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := len(l.free) - 1
	if k < 0 {
		return l.make()
	}
	x := l.free[k]
	l.free = l.free[:k]
	return x
}

func (l *freeList[T]) put(x T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, x)
}

// firstError keeps the first of the errors of several goroutines.
type firstError struct {
	once sync.Once
	err  error
}

func (f *firstError) set(err error) {
	if err != nil {
		f.once.Do(func() { f.err = err })
	}
}
