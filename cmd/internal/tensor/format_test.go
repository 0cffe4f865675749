package tensor

import (
	"errors"
	"strings"
	"testing"

	"github.com/reducesum/reducesum"
)

// arange makes the tensor 0, 1, 2, ...
func arange(shape ...int) Of[int64] {
	n := 1
	for _, d := range shape {
		n *= d
	}
	x := make([]int64, n)
	for i := range x {
		x[i] = int64(i)
	}
	return Of[int64]{Data: x, Dims: shape}
}

// The expected texts of integers are what NumPy 1.24 prints.
func TestPrint(t *testing.T) {
	for name, c := range map[string]struct {
		t    Tensor
		want string
	}{
		"scalar": {arange(), "0"},
		"empty":  {arange(2, 0, 3), "[]"},
		"vector": {arange(4), "[0 1 2 3]"},
		"rank 3": {arange(2, 2, 3), `
[[[ 0  1  2]
  [ 3  4  5]]

 [[ 6  7  8]
  [ 9 10 11]]]`},
		"rank 4": {arange(2, 1, 2, 1), `
[[[[0]
   [1]]]


 [[[2]
   [3]]]]`},
		"wrapped": {arange(1, 30), `
[[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
  24 25 26 27 28 29]]`},
		"longest that is not shortened": {Of[int64]{Data: make([]int64, 1000), Dims: []int{40, 25}}, "[" + strings.Repeat("[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]\n ", 39) + "[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]]"},
		"shortened":                     {arange(1001), "[   0    1    2 ...  998  999 1000]"},
		"shortened on both axes": {arange(200, 10), `
[[   0    1    2 ...    7    8    9]
 [  10   11   12 ...   17   18   19]
 [  20   21   22 ...   27   28   29]
 ...
 [1970 1971 1972 ... 1977 1978 1979]
 [1980 1981 1982 ... 1987 1988 1989]
 [1990 1991 1992 ... 1997 1998 1999]]`},
		"shortened on one axis": {arange(300, 2, 2), `
[[[   0    1]
  [   2    3]]

 [[   4    5]
  [   6    7]]

 [[   8    9]
  [  10   11]]

 ...

 [[1188 1189]
  [1190 1191]]

 [[1192 1193]
  [1194 1195]]

 [[1196 1197]
  [1198 1199]]]`},
		"floats": {Of[float32]{Data: []float32{1, -0.25, 1e20, 0.1}, Dims: []int{2, 2}}, `
[[  1.0 -0.25]
 [1e+20   0.1]]`},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := Print(&b, c.t); err != nil {
				t.Fatal(err)
			}
			if want := strings.TrimPrefix(c.want, "\n") + "\n"; b.String() != want {
				t.Errorf("got\n%swant\n%s", b.String(), want)
			}
		})
	}
}

func TestPrintReportsErrors(t *testing.T) {
	full := errors.New("disk full")
	if err := Print(failing{full}, arange(3)); !errors.Is(err, full) {
		t.Errorf("got error %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestShapeString(t *testing.T) {
	for want, shape := range map[string][]int{"()": {}, "(4,)": {4}, "(2, 0, 3)": {2, 0, 3}} {
		if got := ShapeString(shape); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestReduceSumOfView(t *testing.T) {
	// [[0 1 2] [3 4 5]] in Fortran order.
	x := Of[int32]{Data: []int32{0, 3, 1, 4, 2, 5}, Dims: []int{2, 3}, Strides: []int{1, 2}}
	for axis, want := range []string{"[3 5 7]\n", "[ 3 12]\n"} {
		sum, err := x.ReduceSum(reducesum.Op{Axes: []int{axis}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if Print(&b, sum); b.String() != want {
			t.Errorf("axis %d: got %s, want %s", axis, b.String(), want)
		}
	}
}

func TestName(t *testing.T) {
	for want, got := range map[string]string{
		"float16": Name[reducesum.Float16](), "bfloat16": Name[reducesum.BFloat16](),
		"float32": Name[float32](), "float64": Name[float64](),
		"int32": Name[int32](), "int64": Name[int64](), "uint32": Name[uint32](), "uint64": Name[uint64](),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
