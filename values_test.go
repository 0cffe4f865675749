package reducesum

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// A pinned value is a result that everyone can check, and that others have got
// wrong.
type pinned struct {
	name string
	run  func(opts ...Option) error
	long bool // not in short tests
}

// pinned returns the case: src and want are functions, so that large tensors
// live no longer than their test. A tensor of rank 1 is given to Sum, too.
func pinnedCase[T Element](name string, src func() []T, shape []int, op Op, want []T, wantShape []int) pinned {
	return pinned{name: name, long: refProduct(shape) > 1<<22, run: func(opts ...Option) error {
		x := src()
		got, gotShape, err := ReduceSum(x, shape, op, opts...)
		if err != nil {
			return err
		}
		if !slices.Equal(gotShape, wantShape) {
			return fmt.Errorf("shape %v, want %v", gotShape, wantShape)
		}
		if len(got) != len(want) {
			return fmt.Errorf("%d results, want %d", len(got), len(want))
		}
		if err := bufferOf(got).same(bufferOf(want)); err != nil {
			return err
		}
		if len(shape) != 1 || op.NoopWithEmptyAxes {
			return nil
		}
		return bufferOf([]T{Sum(x)}).same(bufferOf(want))
	}}
}

// repeat returns n times x.
func repeat[T any](x T, n int) func() []T {
	return func() []T { return slices.Repeat([]T{x}, n) }
}

func these[T any](x ...T) func() []T { return func() []T { return x } }

func arange[T int32 | float32](n int, offset T) func() []T {
	return func() []T {
		x := make([]T, n)
		for i := range x {
			x[i] = T(i) + offset
		}
		return x
	}
}

func f16(x float32) Float16   { return nearestFloat16(x) }
func bf16(x float32) BFloat16 { return nearestBFloat16(x) }

var (
	minusZero = math.Copysign(0, -1)
	inf       = math.Inf(1)
	nan       = math.NaN()
)

// over returns an Op that sums over some axes.
func over(axes ...int) Op     { return Op{Axes: axes} }
func overKept(axes ...int) Op { return Op{Axes: axes, KeepDims: true} }

var pinnedValues = []pinned{
	pinnedCase("4096 float16 ones", repeat(f16(1), 4096), []int{4096}, Op{}, []Float16{f16(4096)}, []int{}),
	pinnedCase("8192 float16 ones", repeat(f16(1), 8192), []int{8192}, Op{}, []Float16{f16(8192)}, []int{}),
	pinnedCase("float16 [3000,115] ones over 0", repeat(f16(1), 3000*115), []int{3000, 115}, over(0), repeat(f16(3000), 115)(), []int{115}),
	pinnedCase("float16 [3,2] of 10000 over 1", repeat(f16(10000), 6), []int{3, 2}, over(1), repeat(f16(20000), 3)(), []int{3}),
	pinnedCase("65520 float16 ones", repeat(f16(1), 65520), []int{65520}, Op{}, []Float16{0x7c00}, []int{}),
	pinnedCase("65519 float16 ones", repeat(f16(1), 65519), []int{65519}, Op{}, []Float16{f16(65504)}, []int{}),
	pinnedCase("70000 bfloat16 ones", repeat(bf16(1), 70000), []int{70000}, Op{}, []BFloat16{bf16(70144)}, []int{}),
	pinnedCase("4096 bfloat16 ones", repeat(bf16(1), 4096), []int{4096}, Op{}, []BFloat16{bf16(4096)}, []int{}),
	pinnedCase("float16 subnormals are kept", repeat(Float16(1), 3), []int{3}, Op{}, []Float16{3}, []int{}),
	pinnedCase("bfloat16 subnormals are kept", repeat(BFloat16(1), 3), []int{3}, Op{}, []BFloat16{3}, []int{}),
	pinnedCase("float32 subnormals are kept", repeat[float32](0x1p-149, 3), []int{3}, Op{}, []float32{0x3p-149}, []int{}),

	pinnedCase("float32 [20000000,2] ones over 0", repeat[float32](1, 40000000), []int{20000000, 2}, over(0), []float32{2e7, 2e7}, []int{2}),
	pinnedCase("2^25 float32 ones", repeat[float32](1, 1<<25), []int{1 << 25}, Op{}, []float32{33554432}, []int{}),

	pinnedCase("int32 0..99999 wraps", arange[int32](100000, 0), []int{100000}, Op{}, []int32{704982704}, []int{}),
	pinnedCase("uint32 max + 1", these[uint32](math.MaxUint32, 1), []int{2}, Op{}, []uint32{0}, []int{}),
	pinnedCase("uint32 max + max over 0", these[uint32](math.MaxUint32, 7, math.MaxUint32, 8), []int{2, 2}, over(0), []uint32{math.MaxUint32 - 1, 15}, []int{2}),
	pinnedCase("uint64 max + 1", these[uint64](math.MaxUint64, 1), []int{2}, Op{}, []uint64{0}, []int{}),
	pinnedCase("int64 min + min", these[int64](math.MinInt64, math.MinInt64), []int{2}, Op{}, []int64{0}, []int{}),
	pinnedCase("int64 2^53 + 1", these[int64](1<<53, 1), []int{2}, Op{}, []int64{9007199254740993}, []int{}),
	pinnedCase("int64 2^53 + 1 over 0", these[int64](1<<53, 5, 1, 6), []int{2, 2}, over(0), []int64{9007199254740993, 11}, []int{2}),
	pinnedCase("int64 2^53 + 1 over 1", these[int64](1<<53, 1, 5, 6), []int{2, 2}, over(1), []int64{9007199254740993, 11}, []int{2}),
	pinnedCase("int64 2^53 + 1 over the middle", these[int64](1<<53, 5, 1, 6), []int{1, 2, 2}, over(1), []int64{9007199254740993, 11}, []int{1, 2}),
	pinnedCase("int64 2^53 + 1 over 0 and 2", these[int64](1<<53, 0, 5, 0, 1, 0, 0, 6), []int{2, 2, 2}, over(0, 2), []int64{9007199254740993, 11}, []int{2}),

	pinnedCase("1e308 + 1e308", these(1e308, 1e308), []int{2}, Op{}, []float64{inf}, []int{}),
	pinnedCase("Inf + 0", these(inf, 0), []int{2}, Op{}, []float64{inf}, []int{}),
	pinnedCase("Inf - Inf", these(inf, -inf), []int{2}, Op{}, []float64{nan}, []int{}),
	pinnedCase("Inf - Inf over 0", these(inf, 1, -inf, 2), []int{2, 2}, over(0), []float64{nan, 3}, []int{2}),
	pinnedCase("-0 - 0 - 0", repeat(minusZero, 3), []int{3}, Op{}, []float64{minusZero}, []int{}),
	pinnedCase("-0 - 0 - 0, float32", repeat(float32(minusZero), 3), []int{3}, Op{}, []float32{float32(minusZero)}, []int{}),
	pinnedCase("-0 - 0 - 0, float16", repeat(f16(float32(minusZero)), 3), []int{3}, Op{}, []Float16{1 << 15}, []int{}),
	pinnedCase("-0 - 0 - 0, bfloat16", repeat(bf16(float32(minusZero)), 3), []int{3}, Op{}, []BFloat16{1 << 15}, []int{}),
	pinnedCase("-0s over 0", repeat(minusZero, 3*70), []int{3, 70}, over(0), repeat(minusZero, 70)(), []int{70}),
	pinnedCase("-0 + 0", these(minusZero, 0), []int{2}, Op{}, []float64{0}, []int{}),
	pinnedCase("1 - 1", these[float32](1, -1), []int{2}, Op{}, []float32{0}, []int{}),
	pinnedCase("nothing", these[float64](), []int{0}, Op{}, []float64{0}, []int{}),
	pinnedCase("nothing, float16", these[Float16](), []int{0}, Op{}, []Float16{0}, []int{}),

	pinnedCase("[0] with keepdims", these[float32](), []int{0}, Op{KeepDims: true}, []float32{0}, []int{1}),
	pinnedCase("[3,0,4] over 1 with keepdims", these[float32](), []int{3, 0, 4}, overKept(1), make([]float32, 12), []int{3, 1, 4}),
	pinnedCase("[3,0,4] over 0", these[float32](), []int{3, 0, 4}, over(0), nil, []int{0, 4}),
	pinnedCase("[2,0] over -1 with keepdims", these[float32](), []int{2, 0}, overKept(-1), make([]float32, 2), []int{2, 1}),
	pinnedCase("[2,0,4] over 2 with keepdims", these[float32](), []int{2, 0, 4}, overKept(2), nil, []int{2, 0, 1}),
	pinnedCase("rank 0", these[float32](7), []int{}, Op{}, []float32{7}, []int{}),
	pinnedCase("rank 0, shape nil", these[float32](7), nil, Op{KeepDims: true}, []float32{7}, []int{}),
	pinnedCase("axes 1 and -1 of rank 2", these[float32](1, 2, 3, 4), []int{2, 2}, over(1, -1), []float32{3, 7}, []int{2}),
	pinnedCase("no axes", these[float32](1, 2, 3, 4), []int{2, 2}, Op{}, []float32{10}, []int{}),
	pinnedCase("no axes, noop", these[float32](1, 2, 3, 4), []int{2, 2}, Op{NoopWithEmptyAxes: true}, []float32{1, 2, 3, 4}, []int{2, 2}),
	pinnedCase("axes empty, noop", these[float32](1, 2), []int{2}, Op{Axes: []int{}, NoopWithEmptyAxes: true, KeepDims: true}, []float32{1, 2}, []int{2}),
	pinnedCase("axes and noop", these[float32](1, 2), []int{2}, Op{Axes: []int{0}, NoopWithEmptyAxes: true}, []float32{3}, []int{}),
	pinnedCase("axes of size 1", these[float32](1, 2), []int{1, 2, 1}, over(0, 2), []float32{1, 2}, []int{2}),
}

// TestPinnedValues checks values that others have got wrong.
func TestPinnedValues(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, c := range pinnedValues {
			if c.long && testing.Short() {
				continue
			}
			for _, workers := range []int{1, 3} {
				if err := c.run(WithWorkers(workers)); err != nil {
					t.Errorf("%s, %d workers: %v", c.name, workers, err)
				}
			}
		}
	})
}

// TestAxesOf2345 sums the integers 0..119 of shape [2,3,4,5] over each single
// axis, each pair, and each three: by counting, without an order.
func TestAxesOf2345(t *testing.T) {
	shape := []int{2, 3, 4, 5}
	x := arange[float32](120, 0)()
	eachImplementation(t, func(t *testing.T) {
		for subset := 1; subset < 16; subset++ {
			var axes []int
			want := map[int]float32{} // by offset of the first element of each sum
			for a := range shape {
				if subset>>a&1 == 1 {
					axes = append(axes, a)
				}
			}
			for i, v := range x {
				at := i
				for _, a := range axes {
					step := refProduct(shape[a+1:])
					at -= at / step % shape[a] * step
				}
				want[at] += v
			}
			got, _, err := ReduceSum(x, shape, over(axes...))
			if err != nil || len(got) != len(want) {
				t.Fatalf("axes %v: %d results, %v, want %d", axes, len(got), err, len(want))
			}
			k := 0
			for i := range x {
				if w, ok := want[i]; ok {
					if got[k] != w {
						t.Errorf("axes %v: result %d is %g, want %g", axes, k, got[k], w)
					}
					k++
				}
			}
		}
	})
}

// TestCancellation sums -2047999.5, ..., 2047999.5, which cancel.
func TestCancellation(t *testing.T) {
	x := arange[float32](4096000, -2048000+0.5)()
	eachImplementation(t, func(t *testing.T) {
		for workers := 1; workers <= 16; workers++ {
			got, _, err := ReduceSum(x, []int{len(x)}, Op{}, WithWorkers(workers))
			if err != nil || got[0] != 0 {
				t.Errorf("%d workers: %g, %v, want 0", workers, got, err)
			}
		}
	})
}

// TestOffsetOf1001 checks that the last bit of a float64 sum of 1001 does not
// change with the slice's offset.
func TestOffsetOf1001(t *testing.T) {
	r := newRand(t)
	all := make([]float64, 1001+16)
	x := make([]float64, 1001)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	want := math.Float64bits(refSum(x))
	eachImplementation(t, func(t *testing.T) {
		for offset := range 16 {
			copy(all[offset:], x)
			if got := math.Float64bits(Sum(all[offset:][:1001])); got != want {
				t.Errorf("offset %d: %#x, want %#x", offset, got, want)
			}
		}
	})
}
