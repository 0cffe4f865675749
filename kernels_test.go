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
			c := colsTest{r: newRand(t), isa: isa, typ: typ, src: guarded(t, 1<<17), dst: guarded(t, 1<<14)}
			for vectors := 1; vectors <= 19; vectors++ {
				for tree := range kernels.Trees {
					for range long(6, 1) {
						c.run(t, vectors*vectorLanes(isa, typ), tree)
					}
				}
			}
		})
	})
}

type colsTest struct {
	r        *rand.Rand
	isa      kernels.ISA
	typ      kernels.Type
	src, dst []byte // end and begin at guard pages
}

// run compares one call for rows of n columns, the first of whose nodes has the given tree.
func (c *colsTest) run(t *testing.T, n, tree int) {
	t.Helper()
	size, acc := c.typ.Size(), c.typ.Acc().Size()
	nodes := make([]kernels.ColsNode, 1+c.r.IntN(3))
	row := (n + c.r.IntN(3)) * size
	const rows = 1<<kernels.ColsLevels + 2
	slot := n*acc + c.r.IntN(2)*64
	for i := range nodes {
		node := &nodes[i]
		node.Tree, node.Src = (tree+i*c.r.IntN(3))%len(kernels.Trees), c.r.IntN(3)*row
		for b, k := range c.r.Perm(kernels.TreeLevels(kernels.Trees[node.Tree])) {
			node.Strides[b] = row << k
		}
		node.Lefts = c.r.IntN(i + 1)
		node.Left, node.To = (i-1)*slot, (i-node.Lefts)*slot
	}
	a := kernels.ColsArgs{N: n, Outer: 1 + c.r.IntN(3), Nodes: &nodes[0], Count: len(nodes), SlotStep: -slot}
	a.SrcOuter, a.DstOuter = rows*row, n*acc+c.r.IntN(2)*acc

	bytes := (a.Outer*rows-1)*row + n*size
	a.Src = tail(c.src, bytes)
	if c.r.IntN(2) == 0 {
		a.Src = unsafe.Pointer(&c.src[c.r.IntN(2)*c.r.IntN(32)])
	}
	fillBits(c.r, c.typ, a.Src, bytes/size)
	slots, slotsWant := make([]float64, len(nodes)*slot/8+8), make([]float64, len(nodes)*slot/8+8)
	total := ((a.Outer-1)*a.DstOuter + n*acc) / acc
	want := make([]float64, total+1)
	a.Dst, a.Slots = unsafe.Pointer(&want[0]), unsafe.Pointer(&slotsWant[0])
	colsGeneric(&a, kernels.Generic, c.typ)
	a.Dst, a.Slots = tail(c.dst, total*acc), unsafe.Pointer(&slots[0])
	for o := range a.Outer - 1 { // between the rows, nothing may be written
		clear(unsafe.Slice((*byte)(unsafe.Add(a.Dst, o*a.DstOuter+n*acc)), a.DstOuter-n*acc))
	}
	cols(&a, c.isa, c.typ)
	if err := sameBits(c.typ.Acc(), a.Dst, unsafe.Pointer(&want[0]), total); err != nil {
		t.Fatalf("%+v of %+v: %v", a, nodes, err)
	}
	c.inPlace(t, a, nodes)
}

// inPlace lets dst be the slot that is added last, or, where no type is converted,
// the first row of the last node.
func (c *colsTest) inPlace(t *testing.T, a kernels.ColsArgs, nodes []kernels.ColsNode) {
	t.Helper()
	acc := c.typ.Acc()
	last := &nodes[len(nodes)-1]
	to, outer := unsafe.Add(a.Slots, last.To), 0
	switch {
	case last.Lefts > 0:
		a.Outer = 1
	case c.typ == acc:
		to, outer = unsafe.Add(a.Src, last.Src), a.SrcOuter
	default:
		return
	}
	row := a.N * acc.Size()
	want := make([]float64, a.Outer*row/8+1)
	a.Dst, a.DstOuter = unsafe.Pointer(&want[0]), row
	colsGeneric(&a, kernels.Generic, c.typ)
	a.Dst, a.DstOuter = to, outer
	cols(&a, c.isa, c.typ)
	for o := range a.Outer {
		if err := sameBits(acc, unsafe.Add(to, o*outer), unsafe.Add(unsafe.Pointer(&want[0]), o*row), a.N); err != nil {
			t.Fatalf("in place: %+v of %+v: %v", a, nodes, err)
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
