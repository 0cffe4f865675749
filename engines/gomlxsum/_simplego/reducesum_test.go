package simplego

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/dtypes/bfloat16"
	"github.com/gomlx/gomlx/pkg/core/shapes"
	"github.com/reducesum/reducesum"
	"github.com/x448/float16"
)

// compiled is a graph of one ReduceSum.
type compiled struct {
	backend *Backend
	program backends.Executable
	shape   shapes.Shape
}

func compileSum(backend *Backend, dtype dtypes.DType, dims, axes []int) (*compiled, error) {
	shape := shapes.Make(dtype, dims...)
	b := backend.Builder("sum")
	x, err := b.Parameter("x", shape, nil)
	if err != nil {
		return nil, err
	}
	sum, err := b.ReduceSum(x, axes...)
	if err != nil {
		return nil, err
	}
	program, err := b.Compile([]backends.Op{sum}, nil)
	return &compiled{backend, program, shape}, err
}

// run executes the graph, and returns the elements and the shape of the result.
func (c *compiled) run(flat any) (any, []int, error) {
	x, err := c.backend.BufferFromFlatData(0, flat, c.shape)
	if err != nil {
		return nil, nil, err
	}
	out, err := c.program.Execute([]backends.Buffer{x}, nil, 0)
	if err != nil {
		return nil, nil, err
	}
	y := out[0].(*Buffer)
	return y.flat, y.shape.Dimensions, nil
}

func newBackend(parallelism int) *Backend {
	b := newDefaultBackend()
	b.workers.SetMaxParallelism(parallelism)
	return b
}

func random(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("REDUCESUM_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("REDUCESUM_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// The backend runs reducesum: for every type, set of axes and size of the pool
// the result has the bits that reducesum gives.
func TestReduceSumBits(t *testing.T) {
	r := random(t)
	// The backend offers no float16 as yet; the executor is ready for it.
	Capabilities.DTypes[dtypes.Float16] = true
	defer delete(Capabilities.DTypes, dtypes.Float16)

	same := func(x float32) float32 { return x }
	t.Run("float32", sumBits(r, same, func(x []float32) []float32 { return x }))
	t.Run("float64", sumBits(r, func(x float32) float64 { return float64(x) / 3 }, func(x []float64) []float64 { return x }))
	t.Run("int32", sumBits(r, func(x float32) int32 { return int32(x * 1e9) }, func(x []int32) []int32 { return x }))
	t.Run("int64", sumBits(r, func(x float32) int64 { return int64(x * 1e18) }, func(x []int64) []int64 { return x }))
	t.Run("uint32", sumBits(r, func(x float32) uint32 { return uint32(int32(x * 1e9)) }, func(x []uint32) []uint32 { return x }))
	t.Run("uint64", sumBits(r, func(x float32) uint64 { return uint64(int64(x * 1e18)) }, func(x []uint64) []uint64 { return x }))
	t.Run("bfloat16", sumBits(r, bfloat16.FromFloat32, reducesum.AsBFloat16[bfloat16.BFloat16]))
	t.Run("float16", sumBits(r, float16.Fromfloat32, reducesum.AsFloat16[float16.Float16]))
}

// sumBits tests one of GoMLX's types G, which is R in package reducesum.
func sumBits[G any, R reducesum.Element](r *rand.Rand, from func(float32) G, as func([]G) []R) func(*testing.T) {
	return func(t *testing.T) {
		var g G
		dtype := dtypes.FromAny(g)
		for _, dims := range [][]int{{1}, {7}, {4, 1}, {3, 4, 5}, {2, 3, 4, 5, 2}, {0, 3}, {3, 0}, {700, 900}} {
			x := make([]G, shapes.Make(dtype, dims...).Size())
			for i := range x {
				x[i] = from(float32(r.NormFloat64()))
			}
			for set := 1; set < 1<<len(dims); set++ {
				axes := axesOf(set, len(dims))
				want, wantDims, err := reducesum.ReduceSum(as(x), dims, reducesum.Op{Axes: axes})
				if err != nil {
					t.Fatal(err)
				}
				for _, parallelism := range []int{0, 1, 3, -1} {
					got, gotDims, err := sumOnce[G](parallelism, dtype, dims, axes, x)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(gotDims, wantDims) || !bytes.Equal(bytesOf(as(got)), bytesOf(want)) {
						t.Errorf("%v over %v, parallelism %d: shape %v, want %v, or other bits than reducesum's", dims, axes, parallelism, gotDims, wantDims)
					}
				}
			}
		}
	}
}

func sumOnce[G any](parallelism int, dtype dtypes.DType, dims, axes []int, x []G) ([]G, []int, error) {
	c, err := compileSum(newBackend(parallelism), dtype, dims, axes)
	if err != nil {
		return nil, nil, err
	}
	got, shape, err := c.run(x)
	if err != nil {
		return nil, nil, err
	}
	return got.([]G), shape, nil
}

// axesOf returns the axes of a set, the last one first.
func axesOf(set, rank int) []int {
	var axes []int
	for i := rank - 1; i >= 0; i-- {
		if set>>i&1 == 1 {
			axes = append(axes, i)
		}
	}
	return axes
}

func bytesOf[T any](x []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(zero)))
}

// The sums are those of a plain loop, and so are those of the types that stay
// with GoMLX.
func TestReduceSumAxes(t *testing.T) {
	dims := []int{2, 3, 4, 5}
	t.Run("int32", sumAxes[int32](dims))
	t.Run("int8", sumAxes[int8](dims))
	t.Run("uint16", sumAxes[uint16](dims))
}

func sumAxes[T int8 | int32 | uint16](dims []int) func(*testing.T) {
	return func(t *testing.T) {
		x := make([]T, 2*3*4*5)
		for i := range x {
			x[i] = T(i * i)
		}
		for set := 1; set < 1<<len(dims); set++ {
			axes := axesOf(set, len(dims))
			got, _, err := sumOnce(2, dtypes.FromAny(x[0]), dims, axes, x)
			if err != nil {
				t.Fatal(err)
			}
			if want := plainSum(dims, set, x); !slices.Equal(got, want) {
				t.Errorf("over %v: %v, want %v", axes, got, want)
			}
		}
	}
}

// plainSum sums x over a set of axes.
func plainSum[T int8 | int32 | uint16](dims []int, set int, x []T) []T {
	n := 1
	strides := make([]int, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		if set>>i&1 == 0 {
			strides[i] = n
			n *= dims[i]
		}
	}
	sums := make([]T, n)
	for k, v := range x {
		at := 0
		for i := len(dims) - 1; i >= 0; i-- {
			at += k % dims[i] * strides[i]
			k /= dims[i]
		}
		sums[at] += v
	}
	return sums
}

// A scalar has no axes, and is its own sum.
func TestReduceSumScalar(t *testing.T) {
	got, dims, err := sumOnce(2, dtypes.Float32, nil, nil, []float32{3})
	if err != nil || len(dims) != 0 || !slices.Equal(got, []float32{3}) {
		t.Errorf("%v of shape %v, error %v; want [3]", got, dims, err)
	}
}

// Sums of bfloat16 are kept in float32: a thousand ones are 1000, and not the
// 256 that GoMLX stops at, which rounds after each addition. README.md says so.
func TestReduceSumBFloat16(t *testing.T) {
	ones := make([]bfloat16.BFloat16, 1000)
	for i := range ones {
		ones[i] = bfloat16.FromFloat32(1)
	}
	for _, c := range []struct {
		name    string
		execute nodeExecutor
		want    float32
	}{{"GoMLX", execReduce, 256}, {"reducesum", execReduceSum, 1000}} {
		backend := newBackend(1)
		in := backend.NewBuffer(shapes.Make(dtypes.BFloat16, 1000))
		copy(in.flat.([]bfloat16.BFloat16), ones)
		node := &Node{opType: backends.OpTypeReduceSum, shape: shapes.Make(dtypes.BFloat16), data: []int{0}}
		out, err := c.execute(backend, node, []*Buffer{in}, []bool{false})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.flat.([]bfloat16.BFloat16)[0].Float32(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The pool runs each task once, whatever its size and however busy it is.
func TestReduceSumPool(t *testing.T) {
	for _, parallelism := range []int{0, 1, 2, 7, -1} {
		for _, busy := range []bool{false, true} {
			t.Run(fmt.Sprintf("parallelism %d, busy %t", parallelism, busy), func(t *testing.T) {
				backend := newBackend(parallelism)
				if busy {
					defer occupy(&backend.workers)()
				}
				const n = 100
				var ran [n]atomic.Int32
				reduceSumPool{&backend.workers}.Do(n, func(i int) { ran[i].Add(1) })
				for i := range ran {
					if times := ran[i].Load(); times != 1 {
						t.Errorf("task %d ran %d times", i, times)
					}
				}
			})
		}
	}
}

// occupy takes all workers until the function that it returns is called.
func occupy(w *workersPool) (release func()) {
	done := make(chan struct{})
	for !w.IsUnlimited() && w.StartIfAvailable(func() { <-done }) {
	}
	return func() { close(done) }
}

// One program runs in several goroutines at the same time, all of which want
// the few workers.
func TestReduceSumConcurrent(t *testing.T) {
	dims := []int{1000, 1000}
	c, err := compileSum(newBackend(2), dtypes.Int64, dims, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x := make([]int64, 1000*1000)
			for i := range x {
				x[i] = int64(i%1000 + k)
			}
			got, _, err := c.run(x)
			if err != nil {
				t.Error(err)
				return
			}
			for i, sum := range got.([]int64) {
				if want := int64(1000 * (i + k)); sum != want {
					t.Errorf("column %d sums to %d, want %d", i, sum, want)
					return
				}
			}
		}()
	}
	wg.Wait()
}
