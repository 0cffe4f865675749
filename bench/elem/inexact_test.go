package elem

import (
	"slices"
	"testing"
	"unsafe"
)

// TestFillInexact checks that the order of the additions shows in the sums of
// floats, and that Fill writes over all of it.
func TestFillInexact(t *testing.T) {
	const n = period + 100
	words := make([]uint64, n)
	all := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*n)
	for _, typ := range Types {
		b := all[:n*typ.Size()]
		typ.FillInexact(b)
		switch x := typ.View(b).(type) {
		case []float32:
			if inOrder(x) == inOrder(reversed(x)) {
				t.Error("float32: the order does not matter")
			}
		case []float64:
			if inOrder(x) == inOrder(reversed(x)) {
				t.Error("float64: the order does not matter")
			}
		}
		inexact := slices.Clone(b)
		typ.Fill(b)
		typ.FillInexact(b[:len(b)/2])
		if !slices.Equal(b[:len(b)/2], inexact[:len(b)/2]) {
			t.Errorf("%s: other values at the second time", typ)
		}
	}
}

func inOrder[T float32 | float64](x []T) T {
	var sum T
	for _, v := range x[:1000] {
		sum += v
	}
	return sum
}

func reversed[T any](x []T) []T {
	x = slices.Clone(x[:1000])
	slices.Reverse(x)
	return x
}
