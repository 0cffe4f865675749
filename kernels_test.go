package reducesum

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// rowLengths are the lengths at which something changes: all short ones, and
// those around multiples of a row of lanes.
func rowLengths(t kernels.Type) []int {
	var ns []int
	for n := 1; n <= 2*t.Lanes()+1; n++ {
		ns = append(ns, n)
	}
	for n := 3 * t.Lanes(); n <= t.Block(); n += t.Lanes() {
		for _, d := range []int{-17, -1, 0, 1, 9} {
			if n+d <= t.Block() {
				ns = append(ns, n+d)
			}
		}
	}
	return ns
}

// TestRowKernels compares blocks and rows with the generic ones, for rows
// that begin and end at a guard page.
func TestRowKernels(t *testing.T) {
	eachISA(t, func(t *testing.T, isa kernels.ISA) {
		eachType(t, func(t *testing.T, typ kernels.Type) {
			r := newRand(t)
			size := typ.Size()
			const maxOuter = 40
			mem := guarded(t, (maxOuter*(typ.Block()+8)+64)*size)
			out := guarded(t, maxOuter*8)
			want := make([]uint64, maxOuter+1)
			for _, n := range rowLengths(typ) {
				for _, outer := range long([]int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, maxOuter}, []int{1, 2, 5, 16, 19}) {
					stride := n * size
					if r.IntN(3) == 0 {
						stride += r.IntN(8) * size
					}
					bytes := (outer-1)*stride + n*size
					for _, src := range []unsafe.Pointer{unsafe.Pointer(&mem[0]), tail(mem, bytes), unsafe.Pointer(&mem[r.IntN(64)])} {
						if r.IntN(8) == 0 || outer > 30 {
							fillBits(r, typ, src, bytes/size)
						}
						acc := typ.Acc()
						dst := tail(out, outer*acc.Size())
						a := kernels.RowsArgs{Src: src, Outer: outer, N: n, Stride: stride, Dst: unsafe.Pointer(&want[0])}
						rowsGeneric(&a, kernels.Generic, typ)
						a.Dst = dst
						callRows(isa, typ, &a)
						if err := sameBits(acc, dst, unsafe.Pointer(&want[0]), outer); err != nil {
							t.Fatalf("n=%d outer=%d stride=%d: %v", n, outer, stride, err)
						}
					}
				}
			}
		})
	})
}

// TestSumKernels compares sum with the generic one, for sequences that begin and
// end at a guard page.
func TestSumKernels(t *testing.T) {
	eachISA(t, func(t *testing.T, isa kernels.ISA) {
		eachType(t, func(t *testing.T, typ kernels.Type) {
			r := newRand(t)
			size, acc, block := typ.Size(), typ.Acc(), typ.Block()
			mem, out := guarded(t, kernels.SumBlocks*block*size), guarded(t, 8)
			ns := rowLengths(typ)
			for k := 1; k <= kernels.SumBlocks; k++ {
				ns = append(ns, k*block, k*block-1, k*block-r.IntN(block), k*block-r.IntN(typ.Lanes()))
			}
			for _, n := range ns {
				for _, src := range []unsafe.Pointer{unsafe.Pointer(&mem[0]), tail(mem, n*size)} {
					fillBits(r, typ, src, n)
					want := [1]uint64{}
					a := kernels.SumArgs{Src: src, N: n, Dst: unsafe.Pointer(&want)}
					sumGeneric(&a, kernels.Generic, typ)
					a.Dst = tail(out, acc.Size())
					sum(&a, isa, typ)
					if err := sameBits(acc, a.Dst, unsafe.Pointer(&want), 1); err != nil {
						t.Fatalf("n=%d: %v", n, err)
					}
				}
			}
		})
	})
}

// TestColKernels compares cols with the generic one, at guard pages.
func TestColKernels(t *testing.T) {
	eachISA(t, func(t *testing.T, isa kernels.ISA) {
		eachType(t, func(t *testing.T, typ kernels.Type) {
			r := newRand(t)
			src, dst := guarded(t, 1<<17), guarded(t, 1<<13)
			for n := 1; n <= long(300, 150); n++ {
				for tree := range kernels.Trees {
					testCols(t, r, isa, typ, n, tree, src, dst)
				}
			}
		})
	})
}

// testCols compares one call, whose src and dst end or begin at guard pages.
func testCols(t *testing.T, r *rand.Rand, isa kernels.ISA, typ kernels.Type, n, tree int, mem, out []byte) {
	size, acc := typ.Size(), typ.Acc()
	levels := kernels.TreeLevels(kernels.Trees[tree])
	a := kernels.ColsArgs{N: n, Tree: tree, Outer: 1 + r.IntN(3), Lefts: r.IntN(4)}
	row := (n + r.IntN(3)) * size
	for i, k := range r.Perm(levels) {
		a.Strides[i] = row << k
	}
	a.SrcOuter = row << levels
	a.DstOuter = (n + r.IntN(2)) * acc.Size()
	a.LeftOuter = (n + r.IntN(2)) * acc.Size()
	a.LeftStep = -a.LeftOuter * a.Outer

	bytes := a.Outer*a.SrcOuter - row + n*size
	a.Src = tail(mem, bytes)
	if r.IntN(2) == 0 {
		a.Src = unsafe.Pointer(&mem[r.IntN(2)*r.IntN(32)])
	}
	fillBits(r, typ, a.Src, bytes/size)
	left := make([]float64, (a.Lefts+1)*a.LeftOuter*a.Outer/8+2)
	if a.Lefts > 0 {
		fillBits(r, acc, unsafe.Pointer(&left[0]), len(left)*8/acc.Size())
		a.Left = unsafe.Add(unsafe.Pointer(&left[0]), -(a.Lefts-1)*a.LeftStep)
	}
	total := ((a.Outer-1)*a.DstOuter + n*acc.Size()) / acc.Size()
	got, want := make([]float64, total+1), make([]float64, total+1)
	a.Dst = unsafe.Pointer(&want[0])
	colsGeneric(&a, kernels.Generic, typ)
	a.Dst = tail(out, total*acc.Size())
	for o := range a.Outer - 1 { // between the rows, nothing may be written
		copy(unsafe.Slice((*byte)(unsafe.Add(a.Dst, o*a.DstOuter+n*acc.Size())), a.DstOuter-n*acc.Size()), make([]byte, 8))
	}
	cols(&a, isa, typ)
	if err := sameBits(acc, a.Dst, unsafe.Pointer(&want[0]), total); err != nil {
		t.Fatalf("%+v: %v", a, err)
	}
	for o := range a.Outer { // what follows overwrites rows as long as dst's
		copyRow(acc, unsafe.Add(unsafe.Pointer(&got[0]), o*n*acc.Size()), unsafe.Add(unsafe.Pointer(&want[0]), o*a.DstOuter), n)
	}
	testColsInPlace(t, isa, typ, a, unsafe.Pointer(&got[0]))
}

// testColsInPlace lets dst be the last row of left, or, where no type is
// converted, the first row of src.
func testColsInPlace(t *testing.T, isa kernels.ISA, typ kernels.Type, a kernels.ColsArgs, want unsafe.Pointer) {
	acc := typ.Acc()
	switch {
	case a.Lefts > 0:
		a.Dst, a.DstOuter = unsafe.Add(a.Left, (a.Lefts-1)*a.LeftStep), a.LeftOuter
	case typ == acc:
		a.Dst, a.DstOuter = a.Src, a.SrcOuter
	default:
		return
	}
	cols(&a, isa, typ)
	for o := range a.Outer {
		row := a.N * acc.Size()
		if err := sameBits(acc, unsafe.Add(a.Dst, o*a.DstOuter), unsafe.Add(want, o*row), a.N); err != nil {
			t.Fatalf("in place: %+v: %v", a, err)
		}
	}
}

// TestRoundKernels compares round with the generic one.
func TestRoundKernels(t *testing.T) {
	eachISA(t, func(t *testing.T, isa kernels.ISA) {
		for _, typ := range []kernels.Type{kernels.F16, kernels.BF16} {
			r := newRand(t)
			src, dst := guarded(t, 4*4096), guarded(t, 2*4096)
			want := make([]uint16, 4096)
			for n := 1; n <= 600; n++ {
				a := kernels.RoundArgs{Src: tail(src, 4*n), N: n, Dst: unsafe.Pointer(&want[0])}
				fillBits(r, kernels.F32, a.Src, n)
				roundGeneric(&a, kernels.Generic, typ)
				a.Dst = tail(dst, 2*n)
				round(&a, isa, typ)
				if err := sameBits(typ, a.Dst, unsafe.Pointer(&want[0]), n); err != nil {
					t.Fatalf("%s n=%d: %v", typ, n, err)
				}
			}
		}
	})
}
