package reducesum

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// TestBounds sums tensors that begin behind a guard page, and ones that end at
// one, with results that do, too.
func TestBounds(t *testing.T) {
	eachElement(t, func(t *testing.T, e element) {
		r := newRand(t)
		typ := e.Type()
		size := typ.Size()
		const most = 5000
		in, out := guarded(t, most*size), guarded(t, most*size)
		check := func(outer, reduce, inner int) {
			t.Helper()
			n, results := outer*reduce*inner, outer*inner
			if n == 0 || n > most || results > most {
				return
			}
			src := newRandom(r, typ, n)
			want := want(e, src, outer, reduce, inner)
			for _, i := range Implementations() {
				pin(t, i)
				for _, head := range []bool{false, true} {
					at, to := tail(in, n*size), tail(out, results*size)
					if head {
						at, to = unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0])
					}
					x, dst := src.copyTo(at), buffer{typ, to, results}
					if err := e.SumBlocks(dst, x, outer, reduce, inner); err != nil {
						t.Fatal(err)
					}
					if err := dst.same(want); err != nil {
						t.Fatalf("%v: [%d %d %d] at a guard page: %v", i, outer, reduce, inner, err)
					}
					if results > 1 {
						continue
					}
					if err := e.Sum(x).same(want); err != nil {
						t.Fatalf("%v: %d elements at a guard page: %v", i, n, err)
					}
				}
			}
		}
		for _, n := range boundLengths(typ) {
			check(1, n, 1)      // Sum
			check(3, n, 1)      // rows
			check(1, 2, n)      // columns
			check(1, 5, n)      //
			check(2, 3, n)      //
			check(1, n, 3)      // narrow columns
			check(1, n, 7)      //
			check(n, 2, 1)      // the shortest rows
			check(n, 1, 1)      // only a conversion
			check(1, 17+n%9, n) // joined columns
		}
	})
}

// boundLengths are the lengths of tests at guard pages: all short ones, and one
// in each remainder further on.
func boundLengths(typ kernels.Type) []int {
	var ns []int
	for n := 1; n <= long(4*typ.Lanes(), typ.Lanes()+2); n++ {
		ns = append(ns, n)
	}
	for n := ns[len(ns)-1]; n < 2*typ.Block(); n += long(37, 211) {
		ns = append(ns, n)
	}
	return slices.Concat(ns, []int{typ.Block() - 1, typ.Block(), typ.Block() + 1})
}

// TestViewBounds sums views whose last element is the last one before a guard
// page.
func TestViewBounds(t *testing.T) {
	eachElement(t, func(t *testing.T, e element) {
		r := newRand(t)
		typ := e.Type()
		const most = 5000
		mem := guarded(t, most*typ.Size())
		for range long(200, 30) {
			rank := 1 + r.IntN(4)
			shape := randomShape(r, rank, 600)
			c := reduction{shape: shape, strides: viewOf(r, shape), axes: axesOf(r, 1+r.IntN(1<<rank-1), rank)}
			n := c.reach()
			if n > most {
				continue
			}
			src := newRandom(r, typ, n)
			c.check(t, e, src.copyTo(tail(mem, n*typ.Size())), oneWorker)
			c.check(t, e, src.copyTo(unsafe.Pointer(&mem[0])), oneWorker)
		}
	})
}
