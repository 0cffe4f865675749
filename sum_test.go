package reducesum

import (
	"slices"
	"testing"

	"github.com/reducesum/reducesum/kernels"
)

// sumLengths are the lengths around which a sum of a slice does something else:
// every short one, those near whole rows of lanes, near whole blocks, and
// where the block sums fill a block, too.
func sumLengths(typ kernels.Type) []int {
	lanes, block := typ.Lanes(), typ.Block()
	var near []int
	for n := 2 * lanes; n < block; n += lanes {
		near = append(near, n)
	}
	for _, k := range []int{1, 2, 3, 4, 5, 15, 16, 17, 64, 65} {
		near = append(near, k*block, k*block+lanes)
	}
	near = append(near, kernels.MaxBytes/typ.Size(), kernels.MaxBytes/typ.Size()+block)
	if !testing.Short() || typ == kernels.F64 {
		near = append(near, block*block, block*block+block, 2*block*block+3*lanes)
	}
	var ns []int
	for n := range 2*lanes - 1 {
		ns = append(ns, n)
	}
	for _, n := range near {
		ns = append(ns, n-1, n, n+1)
	}
	slices.Sort(ns)
	return slices.Compact(ns)
}

// TestSum compares Sum with the definition: at every length, behind every
// offset from a 64-byte boundary.
func TestSum(t *testing.T) {
	eachElement(t, func(t *testing.T, e element) {
		r := newRand(t)
		typ := e.Type()
		for _, n := range sumLengths(typ) {
			src := newRandom(r, typ, n)
			want := e.Want(src, []int{n}, nil, []bool{true})
			offsets := []int{0, 1, r.IntN(64 / typ.Size())}
			if n < 2*typ.Lanes() || n < 5*typ.Block() && n%typ.Block() < 2 && !testing.Short() {
				offsets = upTo(64 / typ.Size())
			}
			for _, i := range Implementations() {
				pin(t, i)
				for _, offset := range offsets {
					x := src.copyTo(newBuffer(typ, n, offset).p)
					if err := e.Sum(x).same(want); err != nil {
						t.Fatalf("%v: %d elements, offset %d: %v", i, n, offset, err)
					}
				}
			}
		}
	})
}

// upTo returns 0, 1, ... n-1.
func upTo(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}

// TestSumBlocks compares SumBlocks with the definition, for shapes with axes of
// every short length, and of size 0.
func TestSumBlocks(t *testing.T) {
	eachElement(t, func(t *testing.T, e element) {
		r := newRand(t)
		typ := e.Type()
		sizes := []int{0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, typ.Block() - 1, typ.Block(), typ.Block() + 1}
		for _, outer := range []int{0, 1, 2, 5, 33} {
			for _, reduce := range sizes {
				for _, inner := range sizes {
					if n := outer * reduce * inner; n > long(100000, 10000) || outer*inner > long(550, 70) {
						continue
					}
					sumBlocksOf(t, e, newRandom(r, typ, outer*reduce*inner), outer, reduce, inner, r.IntN(64/typ.Size()))
				}
			}
		}
	})
}

func sumBlocksOf(t *testing.T, e element, src buffer, outer, reduce, inner, offset int) {
	t.Helper()
	want := want(e, src, outer, reduce, inner)
	for _, i := range Implementations() {
		pin(t, i)
		dst, beside := newResult(src.typ, outer*inner, offset)
		if err := e.SumBlocks(dst, src, outer, reduce, inner); err != nil {
			t.Fatal(err)
		}
		if err := dst.same(want); err != nil {
			t.Fatalf("%v: [%d %d %d]: %v", i, outer, reduce, inner, err)
		}
		if err := beside(); err != nil {
			t.Fatalf("%v: [%d %d %d]: %v", i, outer, reduce, inner, err)
		}
	}
}
