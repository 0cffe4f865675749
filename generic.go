package reducesum

// This file is a sum in plain Go, in the order of package kernels, for every
// element type: what every kernel is compared with, and what runs where there
// is no assembly. Additions with absent elements (-0) are left out.

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// accumulator is a type in which elements are summed.
type accumulator interface {
	float32 | float64 | int32 | int64
}

// blockSum returns the sum of a block, 1 <= len(x) <= rows*lanes, and uses x
// as scratch. Neighbouring rows are added pairwise, then the one row that is
// left is folded in half.
func blockSum[A accumulator](x []A, lanes int) A {
	for h := lanes; h < len(x); h *= 2 {
		for k := 0; k+h < len(x); k += 2 * h {
			add(x[k:], x[k+h:min(k+h+lanes, len(x))])
		}
	}
	for h := lanes / 2; h >= 1; h /= 2 {
		if h < len(x) {
			add(x, x[h:min(2*h, len(x))])
		}
	}
	return x[0]
}

// add adds b to the beginning of a.
func add[A accumulator](a, b []A) {
	a = a[:len(b)]
	for i, v := range b {
		a[i] += v
	}
}

// sumInts returns the sum of integers, whose order does not matter.
func sumInts[A int32 | int64](x []A) A {
	var a, b, c, d A
	for ; len(x) >= 4; x = x[4:] {
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
	}
	for _, v := range x {
		a += v
	}
	return a + b + c + d
}

// The dispatcher jumps to what follows: the arguments are its own, all of them, and
// none of these functions may let them, or what they point to, escape, because the
// compiler is told that the dispatcher does not.

func sumGeneric(a *kernels.SumArgs, isa kernels.ISA, t kernels.Type) {
	block := t.Block()
	if a.N <= block {
		rowsGeneric(&kernels.RowsArgs{Dst: a.Dst, Src: a.Src, Outer: 1, N: a.N}, isa, t)
		return
	}
	n := (a.N + block - 1) / block
	var sums [kernels.SumBlocks]uint64 // of either size
	b := kernels.RowsArgs{Dst: unsafe.Pointer(&sums), Src: a.Src, Outer: a.N / block, N: block, Stride: block * t.Size()}
	if b.Outer > 0 {
		rowsGeneric(&b, isa, t)
	}
	if b.Outer < n {
		full := b.Outer
		b.Dst, b.Src = unsafe.Add(b.Dst, full*t.Acc().Size()), unsafe.Add(a.Src, full*b.Stride)
		b.Outer, b.N = 1, a.N%block
		rowsGeneric(&b, isa, t)
	}
	b = kernels.RowsArgs{Dst: a.Dst, Src: unsafe.Pointer(&sums), Outer: 1, N: n}
	rowsGeneric(&b, isa, t.Acc())
}

func rowsGeneric(a *kernels.RowsArgs, isa kernels.ISA, t kernels.Type) {
	switch t.Acc() {
	case kernels.F32:
		floatRows[float32](t, a)
	case kernels.F64:
		floatRows[float64](t, a)
	case kernels.I32:
		intRows[int32](a)
	case kernels.I64:
		intRows[int64](a)
	default:
		panic("reducesum: no generic kernel for " + t.String())
	}
}

func floatRows[A float32 | float64](t kernels.Type, a *kernels.RowsArgs) {
	var block [kernels.BlockBytes / 4]A
	x := block[:a.N]
	lanes := t.Lanes()
	for i := range a.Outer {
		widen(t, x, unsafe.Add(a.Src, i*a.Stride))
		*at[A](a.Dst, i) = blockSum(x, lanes)
	}
}

func intRows[A int32 | int64](a *kernels.RowsArgs) {
	for i := range a.Outer {
		*at[A](a.Dst, i) = sumInts(unsafe.Slice((*A)(unsafe.Add(a.Src, i*a.Stride)), a.N))
	}
}

// at points to accumulator i behind p.
func at[A accumulator](p unsafe.Pointer, i int) *A {
	return (*A)(unsafe.Add(p, i*int(unsafe.Sizeof(*(*A)(p)))))
}

// widen converts the len(dst) elements at src to accumulators.
func widen[A accumulator](t kernels.Type, dst []A, src unsafe.Pointer) {
	switch t {
	case kernels.F16:
		for i, x := range unsafe.Slice((*Float16)(src), len(dst)) {
			dst[i] = A(x.Float32())
		}
	case kernels.BF16:
		for i, x := range unsafe.Slice((*BFloat16)(src), len(dst)) {
			dst[i] = A(x.Float32())
		}
	default:
		copy(dst, unsafe.Slice((*A)(src), len(dst)))
	}
}

func colsGeneric(a *kernels.ColsArgs, isa kernels.ISA, t kernels.Type) {
	switch t.Acc() {
	case kernels.F32:
		sumCols[float32](t, a)
	case kernels.F64:
		sumCols[float64](t, a)
	case kernels.I32:
		sumCols[int32](t, a)
	case kernels.I64:
		sumCols[int64](t, a)
	default:
		panic("reducesum: no generic kernel for " + t.String())
	}
}

// strip is how many columns sumCols takes at a time.
const strip = 64

func sumCols[A accumulator](t kernels.Type, a *kernels.ColsArgs) {
	nodes := unsafe.Slice(a.Nodes, a.Count)
	for o := range a.Outer {
		for i := range nodes {
			to := unsafe.Add(a.Slots, nodes[i].To)
			if i == len(nodes)-1 {
				to = unsafe.Add(a.Dst, o*a.DstOuter)
			}
			sumNode(t, a, &nodes[i], unsafe.Slice((*A)(to), a.N), unsafe.Add(a.Src, o*a.SrcOuter+nodes[i].Src))
		}
	}
}

// sumNode sums the node whose first row is at src.
func sumNode[A accumulator](t kernels.Type, a *kernels.ColsArgs, node *kernels.ColsNode, dst []A, src unsafe.Pointer) {
	var pending [kernels.ColsLevels + 1][strip]A
	leaves := kernels.Trees[node.Tree]
	for c := 0; c < a.N; c += strip {
		n := min(strip, a.N-c)
		x := sumTree(t, &pending, node, leaves, kernels.TreeLevels(leaves), unsafe.Add(src, c*t.Size()), n)
		for l := range node.Lefts {
			left := unsafe.Slice((*A)(unsafe.Add(a.Slots, node.Left+l*a.SlotStep)), a.N)
			add(x, left[c:c+n])
		}
		copy(dst[c:], x)
	}
}

// sumTree returns the sum of those of the 2^level rows at src that exist, the
// first one for one, in pending[level].
func sumTree[A accumulator](t kernels.Type, pending *[kernels.ColsLevels + 1][strip]A, node *kernels.ColsNode, leaves uint8, level int, src unsafe.Pointer, n int) []A {
	x := pending[level][:n]
	if level == 0 {
		widen(t, x, src)
		return x
	}
	level--
	copy(x, sumTree(t, pending, node, leaves, level, src, n))
	if right := leaves >> (1 << level); right&1 != 0 {
		add(x, sumTree(t, pending, node, right, level, unsafe.Add(src, node.Strides[level]), n))
	}
	return x
}

func roundGeneric(a *kernels.RoundArgs, isa kernels.ISA, t kernels.Type) {
	src := unsafe.Slice((*float32)(a.Src), a.N)
	if t == kernels.F16 {
		dst := unsafe.Slice((*Float16)(a.Dst), a.N)
		for i, x := range src {
			dst[i] = float16FromFloat32(x)
		}
		return
	}
	dst := unsafe.Slice((*BFloat16)(a.Dst), a.N)
	for i, x := range src {
		dst[i] = BFloat16FromFloat32(x)
	}
}

func packGeneric(a *kernels.PackArgs, isa kernels.ISA, t kernels.Type) {
	switch t.Size() {
	case 2:
		packElementwise[uint16](a)
	case 4:
		packElementwise[uint32](a)
	default:
		packElementwise[uint64](a)
	}
}

func packElementwise[T uint16 | uint32 | uint64](a *kernels.PackArgs) {
	for o := range a.Outer {
		for r := range a.Rows {
			src, dst := unsafe.Add(a.Src, o*a.SrcOuter+r*a.SrcRow), unsafe.Add(a.Dst, o*a.DstOuter+r*a.DstRow)
			for c := range a.Cols {
				*(*T)(unsafe.Add(dst, c*a.DstCol)) = *(*T)(unsafe.Add(src, c*a.SrcCol))
			}
		}
	}
}
