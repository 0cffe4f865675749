package reducesum

import (
	"testing"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// TestStacksMove calls the kernels at every depth of new goroutines' small
// stacks, with arguments, source and result on them: where a kernel asks for more
// stack, all of these move, and the runtime has to find the pointers among the
// arguments of a function that was reached by a jump.
func TestStacksMove(t *testing.T) {
	kernels := []struct {
		name string
		call func(isa kernels.ISA) bool
	}{{"sum", sumOnStack}, {"rows", rowsOnStack}, {"blocks", blocksOnStack}, {"cols", colsOnStack}, {"round", roundOnStack}, {"pack", packOnStack}}
	for _, impl := range Implementations() {
		for _, k := range kernels {
			for depth := range 200 {
				done := make(chan bool)
				go func() { done <- atDepth(depth, func() bool { return k.call(impl.isa) }) }()
				if !<-done {
					t.Fatalf("%v, %s: wrong at depth %d", impl, k.name, depth)
				}
			}
		}
	}
}

// atDepth calls f some dozens of bytes further down the stack for each level.
//
//go:noinline
func atDepth(depth int, f func() bool) bool {
	if depth == 0 {
		return f()
	}
	return atDepth(depth-1, f)
}

func sumOnStack(isa kernels.ISA) bool {
	src, dst := [4]float32{1, 2, 3, 4}, float32(0)
	sum(&kernels.SumArgs{Dst: unsafe.Pointer(&dst), Src: unsafe.Pointer(&src), N: len(src)}, isa, kernels.F32)
	return dst == 10
}

func rowsOnStack(isa kernels.ISA) bool {
	src, dst := [4]float32{1, 2, 3, 4}, [2]float32{}
	rows(&kernels.RowsArgs{Dst: unsafe.Pointer(&dst), Src: unsafe.Pointer(&src), Outer: 2, N: 2, Stride: 8}, isa, kernels.F32)
	return dst == [2]float32{3, 7}
}

func blocksOnStack(isa kernels.ISA) bool {
	var src [kernels.BlockBytes / 8]float64
	src[0], src[len(src)-1] = 3, 4
	dst := 0.0
	blocks(&kernels.RowsArgs{Dst: unsafe.Pointer(&dst), Src: unsafe.Pointer(&src), Outer: 1, N: len(src)}, isa, kernels.F64)
	return dst == 7
}

func colsOnStack(isa kernels.ISA) bool {
	src, dst, node := [16]int32{1, 2, 3}, [16]int32{}, kernels.ColsNode{}
	cols(&kernels.ColsArgs{Dst: unsafe.Pointer(&dst), Src: unsafe.Pointer(&src), Nodes: &node, Count: 1, N: len(src), Outer: 1}, isa, kernels.I32)
	return dst == src
}

func roundOnStack(isa kernels.ISA) bool {
	src, dst := [2]float32{1, -2}, [2]BFloat16{}
	round(&kernels.RoundArgs{Dst: unsafe.Pointer(&dst), Src: unsafe.Pointer(&src), N: len(src)}, isa, kernels.BF16)
	return dst[0].Float32() == 1 && dst[1].Float32() == -2
}

func packOnStack(isa kernels.ISA) bool {
	src, dst := [2][3]int32{{1, 2, 3}, {4, 5, 6}}, [3][2]int32{}
	pack(&kernels.PackArgs{
		Dst: unsafe.Pointer(&dst), Src: unsafe.Pointer(&src), Outer: 1, Rows: 2, Cols: 3,
		SrcRow: 12, SrcCol: 4, DstRow: 4, DstCol: 8,
	}, isa, kernels.I32)
	return dst == [3][2]int32{{1, 4}, {2, 5}, {3, 6}}
}
