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

// benchViews are views of which each takes another way, with names.
var benchViews = []struct {
	name string
	reduction
}{
	{"transposed over its last axis", reduction{shape: []int{2048, 2048}, strides: []int{1, 2048}, axes: []int{1}}},
	{"channels last, over the channels", reduction{shape: []int{16, 256, 28, 28}, strides: []int{200704, 1, 7168, 256}, axes: []int{1}}},
	{"channels last, over the image", reduction{shape: []int{16, 256, 28, 28}, strides: []int{200704, 1, 7168, 256}, axes: []int{2, 3}}},
	{"channels last, over all but the channels", reduction{shape: []int{16, 256, 28, 28}, strides: []int{200704, 1, 7168, 256}, axes: []int{0, 2, 3}}},
	{"channels last, many images, over all but the channels", reduction{shape: []int{1024, 256, 4, 4}, strides: []int{4096, 1, 1024, 256}, axes: []int{0, 2, 3}}},
	{"Fortran order, over two axes apart", reduction{shape: []int{64, 32, 40, 50}, strides: []int{1, 64, 2048, 81920}, axes: []int{0, 2}}},
	{"heads swapped, over the last axis", reduction{shape: []int{8, 12, 512, 64}, strides: []int{393216, 64, 768, 1}, axes: []int{3}}},
	{"heads swapped, over the sequence", reduction{shape: []int{8, 12, 512, 64}, strides: []int{393216, 64, 768, 1}, axes: []int{2}}},
	{"axes reversed, over the middle", reduction{shape: []int{128, 160, 200}, strides: []int{1, 128, 20480}, axes: []int{1}}},
	{"a part of each row, over all", reduction{shape: []int{4000, 1000}, strides: []int{1024, 1}, axes: []int{0, 1}}},
	{"a part of each image, over the image", reduction{shape: []int{64, 24, 24, 128}, strides: []int{131072, 4096, 128, 1}, axes: []int{1, 2}}},
	{"padded and transposed, over all", reduction{shape: []int{2000, 2000}, strides: []int{1, 2016}, axes: []int{0, 1}}},
	{"every other element, over all", reduction{shape: []int{4 << 20}, strides: []int{2}, axes: []int{0}}},
	{"every other element, over rows", reduction{shape: []int{4000, 1000}, strides: []int{2000, 2}, axes: []int{1}}},
	{"every other element, over columns", reduction{shape: []int{4000, 1000}, strides: []int{2000, 2}, axes: []int{0}}},
	{"three of four channels, over the pixels", reduction{shape: []int{1 << 20, 3}, strides: []int{4, 1}, axes: []int{0}}},
	{"windows of 3 by 3", reduction{shape: []int{1022, 1022, 3, 3}, strides: []int{1024, 1, 1024, 1}, axes: []int{2, 3}}},
	{"pools of 2 by 2", reduction{shape: []int{1024, 1024, 2, 2}, strides: []int{4096, 2, 2048, 1}, axes: []int{2, 3}}},
	{"heads repeated, over the last axis", reduction{shape: []int{8, 8, 4, 512, 64}, strides: []int{262144, 32768, 0, 64, 1}, axes: []int{4}}},
	{"one row repeated, over the rows", reduction{shape: []int{4000, 1000}, strides: []int{0, 1}, axes: []int{0}}},
	{"a small transposed matrix", reduction{shape: []int{32, 32}, strides: []int{1, 32}, axes: []int{0}}},
	{"a small part of each row, over all", reduction{shape: []int{32, 32}, strides: []int{40, 1}, axes: []int{0, 1}}},
	{"a copy of a transposed matrix", reduction{shape: []int{2048, 2048}, strides: []int{1, 2048}, noop: true}},
}

// BenchmarkView measures views, and for each the tensor that a copy of it would
// be, with names for benchstat's columns: dtype=, view=, src=.
func BenchmarkView(b *testing.B) {
	benchmarkViews[float32](b, "float32")
	benchmarkViews[float64](b, "float64")
	benchmarkViews[Float16](b, "float16")
}

func benchmarkViews[T Element](b *testing.B, name string) {
	for _, c := range benchViews {
		benchmarkView[T](b, fmt.Sprintf("dtype=%s/view=%s/src=view", name, c.name), c.reduction, WithStrides(c.strides))
		c.strides = nil
		benchmarkView[T](b, fmt.Sprintf("dtype=%s/view=%s/src=packed", name, c.name), c.reduction)
	}
}

func benchmarkView[T Element](b *testing.B, name string, c reduction, opts ...Option) {
	b.Run(name, func(b *testing.B) {
		src := make([]T, c.reach())
		for i := range src {
			src[i] = T(i % 16)
		}
		p, err := NewPlan(c.shape, c.op(), opts...)
		if err != nil {
			b.Fatal(err)
		}
		dst := make([]T, p.Len())
		for b.Loop() {
			if err := Run(p, dst, src); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(refProduct(c.shape)), "ns/element")
	})
}
