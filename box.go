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

// maxAxes is the most axes that a view can have, and one more: each of them
// doubles the number of elements at least.
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

// copyBox copies elements of the given size. The box comes in memory order, and
// is changed.
func copyBox(size int, dst, src unsafe.Pointer, box []axis) {
	box = joinAxes(box)
	for i := 2; i < len(box); i++ { // the two innermost: nearest in src, and nearest in dst
		if box[i].out < box[1].out {
			box[1], box[i] = box[i], box[1]
		}
	}
	switch size {
	case 2:
		copyAxes[uint16](dst, src, box)
	case 4:
		copyAxes[uint32](dst, src, box)
	default:
		copyAxes[uint64](dst, src, box)
	}
}

// copyAxes loops over all axes but the innermost two.
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
	// copyTile is how many elements of one axis a tile has: some cache lines.
	copyTile = 32
	// shortRow is the number of elements below which a row is not worth a loop
	// of its own, if the other axis is longer.
	shortRow = 8
)

// copyPlane copies two axes, of which a is the one nearest in src.
func copyPlane[T uint16 | uint32 | uint64](dst, src unsafe.Pointer, a, b axis) {
	tile := copyTile
	switch {
	case a.size < shortRow && a.size < b.size:
		a, b = b, a
		tile *= 8
	case a.out == 1:
		tile = a.size
	}
	size := int(unsafe.Sizeof(T(0)))
	for i := 0; i < a.size; i += tile {
		n := min(tile, a.size-i)
		for k := range b.size {
			to, from := unsafe.Add(dst, (i*a.out+k*b.out)*size), unsafe.Add(src, (i*a.stride+k*b.stride)*size)
			if a.out == 1 && a.stride == 1 {
				copy(unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(from), n))
				continue
			}
			for j := range n {
				*(*T)(unsafe.Add(to, j*a.out*size)) = *(*T)(unsafe.Add(from, j*a.stride*size))
			}
		}
	}
}
