package tensor

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"unsafe"

	"github.com/x448/float16"

	"github.com/reducesum/reducesum"
)

// seed returns REDUCESUM_SEED, or a new one.
func seed(t *testing.T) uint64 {
	s := rand.Uint64()
	if v, err := strconv.ParseUint(os.Getenv("REDUCESUM_SEED"), 10, 64); err == nil {
		s = v
	}
	t.Logf("REDUCESUM_SEED=%d", s)
	return s
}

// everyone is a pool that runs each task on a goroutine of its own.
type everyone struct{}

func (everyone) Workers() int { return 3 }
func (everyone) Do(n int, task func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { task(i) })
	}
	wg.Wait()
}

// foreignBytes returns elements as a file of the other byte order has them, or as
// one whose elements are not aligned.
func foreignBytes[T reducesum.Element](x []T, swap bool) []byte {
	size := int(unsafe.Sizeof(*new(T)))
	b := make([]byte, len(x)*size+1)[1:]
	copy(b, bytesOf(x))
	for i := 0; swap && i < len(b); i += size {
		slices.Reverse(b[i : i+size])
	}
	return b
}

// values returns numbers whose sum depends on the order of the additions.
func values[T reducesum.Element](r *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		f := float32(r.NormFloat64() * 30)
		switch p := any(&x[i]).(type) {
		case *reducesum.Float16:
			*p = float16.Fromfloat32(f / 100)
		case *reducesum.BFloat16:
			*p = reducesum.BFloat16FromFloat32(f)
		case *float32:
			*p = f
		case *float64:
			*p = r.NormFloat64()
		default:
			x[i] = T(r.Uint64() >> 1)
		}
	}
	return x
}

// Elements that are to be converted have the same sum, to the bit, as those that
// are not, however small the pieces are.
func TestForeign(t *testing.T) {
	t.Run("float16", testForeign[reducesum.Float16])
	t.Run("bfloat16", testForeign[reducesum.BFloat16])
	t.Run("float32", testForeign[float32])
	t.Run("float64", testForeign[float64])
	t.Run("int32", testForeign[int32])
	t.Run("int64", testForeign[int64])
	t.Run("uint32", testForeign[uint32])
	t.Run("uint64", testForeign[uint64])
}

func testForeign[T reducesum.Element](t *testing.T) {
	defer func(n int) { pieceElements = n }(pieceElements)
	r := rand.New(rand.NewPCG(seed(t), 1))
	shapes := [][]int{{}, {1}, {7}, {1025}, {30000}, {200000}, {3, 10000}, {10000, 3}, {2, 3, 5000}, {5000, 3, 2},
		{700, 5, 40}, {40, 5, 700}, {7, 1100, 1, 3}, {300, 1, 300}, {2, 600, 2, 30, 2}, {1100, 2, 50, 2}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 5, 2}}
	for range 10 {
		shape := make([]int, 1+r.IntN(5))
		for i := range shape {
			shape[i] = 1 + r.IntN(1<<(12/len(shape)))
		}
		shapes = append(shapes, shape)
	}
	orders := []binary.ByteOrder{binary.LittleEndian, binary.BigEndian}
	for _, shape := range shapes {
		x := values[T](r, product(shape))
		for _, pieceElements = range []int{1, 3000, 1 << 17} {
			op := reducesum.Op{KeepDims: r.IntN(2) == 0, NoopWithEmptyAxes: r.IntN(4) == 0}
			for a := range shape {
				if r.IntN(2) == 0 {
					op.Axes = append(op.Axes, a-len(shape)*r.IntN(2))
				}
			}
			l := Layout{DType: Name[T](), Dims: shape, Fortran: r.IntN(2) == 0}
			want, err := Of[T]{Data: x, Dims: shape, Strides: l.strides()}.ReduceSum(op, nil)
			if err != nil {
				t.Fatal(err)
			}
			var pool reducesum.Pool
			if r.IntN(2) == 0 {
				pool = everyone{}
			}
			for _, l.Order = range orders {
				y, err := l.Tensor(foreignBytes(x, !isNative(l.Order)))
				if err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("%v, Fortran %t, %+v, %v, pieces of %d, pool %v", shape, l.Fortran, op, l.Order, pieceElements, pool)
				if _, ok := y.(foreign[T]); !ok {
					t.Fatalf("%s: a %T", what, y)
				}
				if i := r.IntN(len(x)); y.Number(i) != Number(x[i]) || y.Len() != len(x) || y.DType() != Name[T]() {
					t.Fatalf("%s: element %d of %d is %s %s, want %s", what, i, y.Len(), y.DType(), y.Number(i), Number(x[i]))
				}
				got, err := y.ReduceSum(op, pool)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if !slices.Equal(got.Shape(), want.Shape()) || !slices.Equal(bytesOf(got.(Of[T]).Data), bytesOf(want.(Of[T]).Data)) {
					t.Errorf("%s: shape %v, or bits, differ from those of shape %v", what, got.Shape(), want.Shape())
				}
			}
		}
	}
}

// A piece needs memory for itself, and the sums of blocks are few.
func TestForeignMemory(t *testing.T) {
	for _, shape := range [][]int{{1 << 22}, {1 << 11, 1 << 11}, {1 << 20, 2, 2}, {2, 2, 1 << 20}, {1 << 6, 1 << 10, 1 << 6}, {1 << 20, 4}, {4, 1 << 20}} {
		for axes := range 1 << len(shape) {
			var op reducesum.Op
			for a := range shape {
				if axes>>a&1 == 1 {
					op.Axes = append(op.Axes, a)
				}
			}
			for _, fortran := range []bool{false, true} {
				l := Layout{DType: "float16", Dims: shape, Fortran: fortran, Order: binary.BigEndian}
				b := make([]byte, 2<<22+1)[1:]
				x, err := l.Tensor(b)
				if err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				sum, err := x.ReduceSum(op, nil)
				runtime.ReadMemStats(&after)
				if err != nil {
					t.Fatal(err)
				}
				used, limit := after.TotalAlloc-before.TotalAlloc, uint64(sum.Len()*2+4<<20)
				if used > limit {
					t.Errorf("%v, axes %v, Fortran %t: %d bytes, want at most %d", shape, op.Axes, fortran, used, limit)
				}
			}
		}
	}
}
