package gorgoniasum

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/engines/internal/seeded"
	"gorgonia.org/tensor"
)

// The bits of a sum are those of the package, whatever the layout, the workers
// and the pool.
func TestBits(t *testing.T) {
	r := seeded.Rand(t)
	shape := []int{3, 400, 150} // enough for several workers
	for _, l := range layouts {
		x := l.make(r, shape, func(n int) any {
			values := make([]float32, n)
			for i := range values {
				values[i] = float32(r.NormFloat64())
			}
			return values
		})
		packed := packedCopy(t, x)
		for _, axes := range [][]int{nil, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}} {
			op := reducesum.Op{Axes: axes, KeepDims: true}
			want, wantShape, err := reducesum.ReduceSum(packed, x.Shape(), op)
			if err != nil {
				t.Fatal(err)
			}
			for name, option := range map[string]reducesum.Option{
				"1 worker": nil, "5 workers": reducesum.WithWorkers(5), "a pool": reducesum.WithPool(pool{3}),
			} {
				sum, err := Sum(x, op, option)
				if err != nil {
					t.Fatal(err)
				}
				if got := dataOf[float32](sum); !slices.EqualFunc(got, want, sameBits) {
					t.Errorf("%s, over %v, %s: other bits than those of a packed copy", l.name, axes, name)
				}
				if !slices.Equal(sum.Shape(), wantShape) {
					t.Errorf("%s, over %v, %s: shape %v, want %v", l.name, axes, name, sum.Shape(), wantShape)
				}
			}
		}
	}
}

// packedCopy copies x to row-major order, without a use of Gorgonia's.
func packedCopy(t *testing.T, x *tensor.Dense) []float32 {
	strides, err := stridesOf(x)
	if err != nil {
		t.Fatal(err)
	}
	shape, data := x.Shape(), dataOf[float32](x)
	packed := make([]float32, tensor.ProdInts(shape))
	for k := range packed {
		at, rest := 0, k
		for i := len(shape) - 1; i >= 0; i-- {
			at += rest % shape[i] * strides[i]
			rest /= shape[i]
		}
		packed[k] = data[at]
	}
	return packed
}

// dataOf returns t's memory. It is that of t.Data(), which knows no empty tensors
// (it panics) and gives the value of a scalar instead.
func dataOf[G any](t *tensor.Dense) []G {
	var g G
	return unsafe.Slice((*G)(unsafe.Pointer(unsafe.SliceData(t.Raw))), len(t.Raw)/int(unsafe.Sizeof(g)))
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

// A pool that starts a goroutine for each task.
type pool struct{ workers int }

func (p pool) Workers() int { return p.workers }

func (p pool) Do(n int, task func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { task(i) })
	}
	wg.Wait()
}

// Scalars and empty tensors have no rows, but a sum.
func TestSmallest(t *testing.T) {
	for _, c := range []struct {
		name  string
		x     *tensor.Dense
		axes  []int
		shape []int
		want  []float32
	}{
		{"a scalar", tensor.New(tensor.FromScalar(float32(3))), nil, []int{}, []float32{3}},
		{"-0 stays", tensor.New(tensor.FromScalar(float32(math.Copysign(0, -1)))), nil, []int{}, []float32{float32(math.Copysign(0, -1))}},
		{"nothing at all", tensor.New(tensor.WithShape(0), tensor.WithBacking([]float32{})), nil, []int{}, []float32{0}},
		{"sums of nothing", tensor.New(tensor.WithShape(2, 0), tensor.WithBacking([]float32{})), []int{1}, []int{2}, []float32{0, 0}},
		{"no sums", tensor.New(tensor.WithShape(2, 0), tensor.WithBacking([]float32{})), []int{0}, []int{0}, []float32{}},
	} {
		sum, err := Engine{}.Sum(c.x, c.axes...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := dataOf[float32](sum.(*tensor.Dense)); !slices.EqualFunc(got, c.want, sameBits) || !slices.Equal(sum.Shape(), c.shape) {
			t.Errorf("%s: %v of shape %v, want %v of shape %v", c.name, got, sum.Shape(), c.want, c.shape)
		}
	}
}

// What cannot be summed is an error that says why, not a panic.
func TestErrors(t *testing.T) {
	matrix := func(opts ...tensor.ConsOpt) *tensor.Dense {
		return tensor.New(append([]tensor.ConsOpt{tensor.WithShape(2, 3), tensor.Of(tensor.Float32)}, opts...)...)
	}
	sparse := tensor.CSRFromCoord(tensor.Shape{2, 2}, []int{0, 1}, []int{0, 1}, []float32{1, 2})
	for _, c := range []struct {
		name string
		x    tensor.Tensor
		axes []int
		is   error
		says string
	}{
		{"axis too large", matrix(), []int{0, 2}, reducesum.ErrAxis, "axis 2"},
		{"axis too small", matrix(), []int{-3}, reducesum.ErrAxis, "axis -3"},
		{"masked", matrix(tensor.WithBacking(make([]float32, 6), make([]bool, 6))), nil, ErrTensor, "mask"},
		{"a type without kernels", tensor.New(tensor.WithShape(2), tensor.Of(tensor.Int8)), nil, ErrTensor, "int8"},
		{"strings", tensor.New(tensor.WithShape(2), tensor.WithBacking([]string{"a", "b"})), nil, ErrTensor, "string"},
		{"sparse", sparse, nil, ErrTensor, "*tensor.CS"},
		{"nil", nil, nil, ErrTensor, "nil"},
		{"a nil tensor", (*tensor.Dense)(nil), nil, ErrTensor, "*tensor.Dense"},
	} {
		sum, err := Engine{}.Sum(c.x, c.axes...)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that is %v and says %q", c.name, err, c.is, c.says)
		}
		if sum != nil {
			t.Errorf("%s: result %v beside the error", c.name, sum)
		}
	}
}

// The engine is Gorgonia's own in all else, and goes where the tensor goes.
func TestEngineStays(t *testing.T) {
	e := Engine{Workers: 2}
	x := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 2, 3, 4}), tensor.WithEngine(e))
	y, err := x.Add(x)
	if err != nil {
		t.Fatal(err)
	}
	product, err := y.MatMul(x)
	if err != nil {
		t.Fatal(err)
	}
	row, err := product.Slice(tensor.S(1))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := tensor.Sum(row)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sum.Data(), 2*(15.0+22.0); got != want {
		t.Errorf("sum %v, want %v", got, want)
	}
	for name, x := range map[string]tensor.Tensor{"sum": y, "product": product, "row": row, "sum of row": sum} {
		if x.Engine() != e {
			t.Errorf("the engine of the %s is %T", name, x.Engine())
		}
	}
}

// README.md says what Gorgonia's own engine does; when this test fails, a newer
// Gorgonia does better, and README.md is to be changed.
func TestStockEngine(t *testing.T) {
	backing := make([]float32, 2*3*4*5)
	for i := range backing {
		backing[i] = float32(i)
	}
	stock := tensor.New(tensor.WithShape(2, 3, 4, 5), tensor.WithBacking(backing))
	sum, err := stock.Sum(2)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := Engine{}.Sum(stock, 2)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(sum.Float32s(), ours.(*tensor.Dense).Float32s()) {
		t.Error("the sum of [2 3 4 5] over axis 2 is right")
	}
	axes := []int{3, 1}
	if _, err := stock.Sum(axes...); err != nil || axes[0] == 3 {
		t.Errorf("the caller's axes stay %v, error %v", axes, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative axis does not panic")
		}
	}()
	_, _ = stock.Sum(-1)
}
