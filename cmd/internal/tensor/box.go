package tensor

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/reducesum/reducesum"
)

// An axis of a box of elements: its size, and how far apart neighbours are, in
// elements, where they are read and where they are written.
type axis struct{ size, from, to int }

// copyBox copies a box of elements from the bytes of a file to dst, in the order
// in which they lie in the file. The bytes of each element are swapped, if asked for.
func copyBox[T reducesum.Element](dst []T, src []byte, swap bool, box []axis) {
	p, n := unsafe.Pointer(unsafe.SliceData(dst)), len(dst)
	box = inOrder(box)
	switch unsafe.Sizeof(*new(T)) {
	case 2:
		copyAxes(unsafe.Slice((*uint16)(p), n), src, swap, box)
	case 4:
		copyAxes(unsafe.Slice((*uint32)(p), n), src, swap, box)
	case 8:
		copyAxes(unsafe.Slice((*uint64)(p), n), src, swap, box)
	}
}

// inOrder sorts axes, the one whose elements are nearest to each other in the
// source first, and joins those that are one to both sides.
func inOrder(box []axis) []axis {
	box = slices.DeleteFunc(slices.Clone(box), func(a axis) bool { return a.size == 1 })
	slices.SortStableFunc(box, func(a, b axis) int { return cmp.Compare(a.from, b.from) })
	var joined []axis
	for _, a := range box {
		if k := len(joined) - 1; k >= 0 && joined[k].from*joined[k].size == a.from && joined[k].to*joined[k].size == a.to {
			joined[k].size *= a.size
			continue
		}
		joined = append(joined, a)
	}
	return joined
}

type word interface{ uint16 | uint32 | uint64 }

// copyAxes copies the last axis of a box, which is the outermost one.
func copyAxes[W word](dst []W, src []byte, swap bool, box []axis) {
	if len(box) == 0 {
		box = []axis{{size: 1, from: 1, to: 1}}
	}
	a := box[len(box)-1]
	size := int(unsafe.Sizeof(*new(W)))
	switch {
	case len(box) > 1:
		for i := range a.size {
			copyAxes(dst[i*a.to:], src[i*a.from*size:], swap, box[:len(box)-1])
		}
	case a.from != 1 || a.to != 1:
		copyRow(dst, src, swap, a)
	case swap:
		swapRow(dst[:a.size], src[:a.size*size])
	default:
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), a.size*size), src)
	}
}

// copyRow copies one axis.
func copyRow[W word](dst []W, src []byte, swap bool, a axis) {
	size := int(unsafe.Sizeof(*new(W)))
	for i := range a.size {
		w := load[W](src[i*a.from*size:])
		if swap {
			w = reverse(w)
		}
		dst[i*a.to] = w
	}
}

// swapRow copies neighbours and swaps their bytes, eight at a time.
func swapRow[W word](dst []W, src []byte) {
	size := int(unsafe.Sizeof(*new(W)))
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)*size)
	n := len(src) &^ 7
	for i := 0; i < n; i += 8 {
		x := binary.NativeEndian.Uint64(src[i : i+8])
		switch size {
		case 2:
			const low = 0x00ff00ff00ff00ff
			x = x>>8&low | x&low<<8
		case 4:
			x = bits.RotateLeft64(bits.ReverseBytes64(x), 32)
		case 8:
			x = bits.ReverseBytes64(x)
		}
		binary.NativeEndian.PutUint64(bytes[i:i+8], x)
	}
	for i := n / size; i < len(dst); i++ {
		dst[i] = reverse(load[W](src[i*size:]))
	}
}

// load reads a word, which need not be aligned.
func load[W word](b []byte) W {
	switch unsafe.Sizeof(*new(W)) {
	case 2:
		return W(binary.NativeEndian.Uint16(b))
	case 4:
		return W(binary.NativeEndian.Uint32(b))
	}
	return W(binary.NativeEndian.Uint64(b))
}

// reverse swaps the bytes of a word.
func reverse[W word](w W) W {
	switch unsafe.Sizeof(w) {
	case 2:
		return W(bits.ReverseBytes16(uint16(w)))
	case 4:
		return W(bits.ReverseBytes32(uint32(w)))
	}
	return W(bits.ReverseBytes64(uint64(w)))
}

// splitRange cuts the part lo to hi of the row-major sequence over some axes
// into boxes: the rest of a row, whole rows, and the beginning of one, on each
// axis. emit gets a box, where it begins in the source, and at which place of
// the part.
func splitRange(axes []axis, lo, hi int, emit func(box []axis, from, at int)) {
	var split func(axes []axis, lo, hi, from, at int)
	split = func(axes []axis, lo, hi, from, at int) {
		if lo == hi {
			return
		}
		a := axes[0]
		row := 1
		for _, b := range axes[1:] {
			row *= b.size
		}
		first, last := lo/row, hi/row
		if lo%row > 0 || first == last {
			end := min(hi, (first+1)*row)
			split(axes[1:], lo-first*row, end-first*row, from+first*a.from, at)
			if end == hi {
				return
			}
			at += end - lo
			first++
		}
		if last > first {
			whole := slices.Clone(axes)
			whole[0].size, whole[0].to = last-first, row
			for i, to := len(axes)-1, 1; i > 0; i-- {
				whole[i].to = to
				to *= axes[i].size
			}
			emit(whole, from+first*a.from, at)
			at += (last - first) * row
		}
		split(axes[1:], 0, hi-last*row, from+last*a.from, at)
	}
	split(axes, lo, hi, 0, 0)
}

// bytesOf views elements as bytes.
func bytesOf[T reducesum.Element](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}
