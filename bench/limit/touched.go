package limit

import (
	"cmp"
	"slices"
)

// Touched returns the cache lines that a tensor touches, in memory order. It
// begins at a cache line, and has elements of size bytes and strides in elements.
func Touched(shape, strides []int, size int) []Run {
	var axes []axis
	last := 0
	for i, n := range shape {
		if n > 1 && strides[i] != 0 {
			axes = append(axes, axis{n, strides[i] * size})
			last += (n - 1) * strides[i] * size
		}
	}
	slices.SortFunc(axes, func(a, b axis) int { return cmp.Compare(b.step, a.step) })
	lines := make([]bool, (last+size-1)/lineSize+1)
	mark(lines, axes, 0, size)
	var runs []Run
	for i := 0; i < len(lines); i++ {
		if !lines[i] {
			continue
		}
		r := Run{First: i}
		for ; i < len(lines) && lines[i]; i++ {
			r.Lines++
		}
		runs = append(runs, r)
	}
	return runs
}

// An axis has n steps of so many bytes.
type axis struct{ n, step int }

// mark marks the lines of the tensor at a byte: its last axes without gaps of a
// line are marked at once.
func mark(lines []bool, axes []axis, at, size int) {
	end, gaps := at+size, false
	for _, a := range axes {
		end += (a.n - 1) * a.step
	}
	reach := size
	for i := len(axes) - 1; i >= 0; i-- {
		gaps = gaps || axes[i].step > max(reach, lineSize)
		reach += (axes[i].n - 1) * axes[i].step
	}
	if !gaps {
		for i := at / lineSize; i <= (end-1)/lineSize; i++ {
			lines[i] = true
		}
		return
	}
	for i := range axes[0].n {
		mark(lines, axes[1:], at+i*axes[0].step, size)
	}
}
