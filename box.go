package reducesum

// A box is some axes of a view, and how they lie in another piece of memory,
// to which the elements, or sums of them, are written. Copying one goes through
// the memory that is read in its own order, a tile at a time where that written
// to has another one, so that each cache line is fetched once.

import (
	"cmp"
	"slices"
	"unsafe"
)

// maxAxes is more than a view can have, also when one of its axes is cut into
// blocks: each axis doubles the number of elements at least, which an int counts.
const maxAxes = 64

// An axis of a box: from one index to the next it is stride elements where the
// box is read, and out elements where it is written.
type axis struct{ size, stride, out int }

// inMemoryOrder sorts axes: those whose elements are nearest to each other come
// first, those that repeat elements last.
func inMemoryOrder(box []axis) {
	slices.SortFunc(box, func(a, b axis) int { return cmp.Compare(uint(a.stride)-1, uint(b.stride)-1) })
}

// joinAxes drops axes of size 1, and makes one axis of neighbours that both
// kinds of memory allow to be one.
func joinAxes(box []axis) []axis {
	joined := box[:0]
	for _, a := range box {
		if a.size == 1 {
			continue
		}
		if k := len(joined) - 1; k >= 0 && a.stride == joined[k].size*joined[k].stride && a.out == joined[k].size*joined[k].out {
			joined[k].size *= a.size
			continue
		}
		joined = append(joined, a)
	}
	return joined
}

// resultsOf is the number of indexes of a box.
func resultsOf(box []axis) int {
	n := 1
	for _, a := range box {
		n *= a.size
	}
	return n
}

// distinct is the number of indexes that repeat no elements.
func distinct(box []axis) int {
	n := 1
	for _, a := range box {
		if a.stride > 0 {
			n *= a.size
		}
	}
	return n
}

// copyBox copies elements of the given size. The box comes in memory order, and
// is changed.
func copyBox(size int, dst, src unsafe.Pointer, box []axis) {
	box = planeFirst(joinAxes(box))
	switch size {
	case 2:
		copyAxes[uint16](dst, src, box)
	case 4:
		copyAxes[uint32](dst, src, box)
	default:
		copyAxes[uint64](dst, src, box)
	}
}

// longRow is the number of elements from which on a row is worth a loop of its
// own.
const longRow = 8

// planeFirst moves the axes of which copyBox makes a plane to the front: that of
// the longest rows in memory, or of the nearest ones that are long, and the one
// of the longest rows where they go.
func planeFirst(box []axis) []axis {
	front := func(at int, better func(a, b axis) bool) {
		best := at
		for i := at + 1; i < len(box); i++ {
			if better(box[i], box[best]) {
				best = i
			}
		}
		if at < len(box) {
			a := box[best]
			copy(box[at+1:best+1], box[at:best])
			box[at] = a
		}
	}
	front(0, func(a, b axis) bool { return b.size < longRow && a.size > b.size })
	front(1, func(a, b axis) bool { return a.size >= longRow && (b.size < longRow || a.out < b.out) })
	return box
}

// copyAxes loops over all axes but the first two.
func copyAxes[T uint16 | uint32 | uint64](dst, src unsafe.Pointer, box []axis) {
	size := int(unsafe.Sizeof(T(0)))
	switch n := len(box); n {
	case 0:
		*(*T)(dst) = *(*T)(src)
	case 1:
		copyPlane[T](dst, src, box[0], axis{size: 1})
	case 2:
		copyPlane[T](dst, src, box[0], box[1])
	default:
		a := box[n-1]
		for i := range a.size {
			copyAxes[T](unsafe.Add(dst, i*a.out*size), unsafe.Add(src, i*a.stride*size), box[:n-1])
		}
	}
}

const (
	// copyTile is the number of elements in each row of a tile, across memory
	// that is read: a cache line at least.
	copyTile = 32
	// copyRows is how many rows, each in a cache line of its own, a tile has.
	copyRows = 16
)

// copyPlane copies two axes, of which a is the one nearest in src. Where rows of
// b go to neighbours, a tile is copied along them, so that all its cache lines
// are fetched at the same time.
func copyPlane[T uint16 | uint32 | uint64](dst, src unsafe.Pointer, a, b axis) {
	size := int(unsafe.Sizeof(T(0)))
	if a.stride == 1 && a.out == 1 {
		for k := range b.size {
			copy(unsafe.Slice((*T)(unsafe.Add(dst, k*b.out*size)), a.size), unsafe.Slice((*T)(unsafe.Add(src, k*b.stride*size)), a.size))
		}
		return
	}
	a.stride, a.out, b.stride, b.out = a.stride*size, a.out*size, b.stride*size, b.out*size
	if b.size < longRow || a.out < b.out {
		for k := range b.size {
			copyLine[T](unsafe.Add(dst, k*b.out), unsafe.Add(src, k*b.stride), a.size, a.out, a.stride)
		}
		return
	}
	for k := 0; k < b.size; k += copyRows {
		rows := min(copyRows, b.size-k)
		for i := 0; i < a.size; i += copyTile {
			for l := i; l < min(i+copyTile, a.size); l++ {
				copyLine[T](unsafe.Add(dst, k*b.out+l*a.out), unsafe.Add(src, k*b.stride+l*a.stride), rows, b.out, b.stride)
			}
		}
	}
}

// copyLine copies n elements, bytes apart.
func copyLine[T uint16 | uint32 | uint64](dst, src unsafe.Pointer, n, out, stride int) {
	i, k := 0, 0
	for ; n >= 4; n -= 4 {
		a, b := *(*T)(unsafe.Add(src, k)), *(*T)(unsafe.Add(src, k+stride))
		k += 2 * stride
		c, d := *(*T)(unsafe.Add(src, k)), *(*T)(unsafe.Add(src, k+stride))
		k += 2 * stride
		*(*T)(unsafe.Add(dst, i)), *(*T)(unsafe.Add(dst, i+out)) = a, b
		i += 2 * out
		*(*T)(unsafe.Add(dst, i)), *(*T)(unsafe.Add(dst, i+out)) = c, d
		i += 2 * out
	}
	for ; n > 0; n-- {
		*(*T)(unsafe.Add(dst, i)) = *(*T)(unsafe.Add(src, k))
		i, k = i+out, k+stride
	}
}
