package reducesum

import (
	"fmt"
	"strings"
	"testing"
)

// benchShapes are shapes and axes that models have, and some that are hard.
var benchShapes = []struct{ shape, axes []int }{
	{[]int{16}, []int{0}},
	{[]int{4096}, []int{0}},
	{[]int{65536}, []int{0}},
	{[]int{1 << 20}, []int{0}},
	{[]int{1 << 24}, []int{0}},
	{[]int{65536, 16}, []int{1}},
	{[]int{4096, 768}, []int{1}},
	{[]int{4096, 768}, []int{0}},
	{[]int{1 << 20, 3}, []int{1}},
	{[]int{1 << 20, 3}, []int{0}},
	{[]int{16, 65536}, []int{0}},
	{[]int{8, 512, 768}, []int{1}},
	{[]int{32, 64, 56, 56}, []int{0, 2, 3}},
}

// BenchmarkReduceSum measures Run, with names for benchstat's columns:
// dtype=, isa= and shape=.
func BenchmarkReduceSum(b *testing.B) {
	benchmark[float32](b, "float32")
	benchmark[float64](b, "float64")
	benchmark[Float16](b, "float16")
	benchmark[BFloat16](b, "bfloat16")
	benchmark[int32](b, "int32")
	benchmark[int64](b, "int64")
}

func benchmark[T Element](b *testing.B, name string) {
	for _, c := range benchShapes {
		src := make([]T, refProduct(c.shape))
		for _, i := range Implementations() {
			p, err := NewPlan(c.shape, over(c.axes...), WithImplementation(i))
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]T, p.Len())
			b.Run(fmt.Sprintf("dtype=%s/isa=%v/shape=%s/axes=%s", name, i, joinInts(c.shape, "x"), joinInts(c.axes, ",")), func(b *testing.B) {
				b.SetBytes(int64(len(bufferOf(src).bytes())))
				for b.Loop() {
					if err := Run(p, dst, src); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func joinInts(x []int, sep string) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(x), "[]")), sep)
}
