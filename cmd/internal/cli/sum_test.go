package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/npy"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// shipped holds 0, 1, ..., 23 as float32 of shape (2, 3, 4).
const shipped = "../../../testdata/arange_2x3x4.npy"

const axis0 = `shape: (3, 4)
dtype: float32
[[12.0 14.0 16.0 18.0]
 [20.0 22.0 24.0 26.0]
 [28.0 30.0 32.0 34.0]]
`

const axis2 = `shape: (2, 3)
dtype: float32
[[ 6.0 22.0 38.0]
 [54.0 70.0 86.0]]
`

const all = "shape: ()\ndtype: float32\n276.0\n"

func TestSum(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-axes", "0", shipped}, axis0},
		{[]string{shipped, "-axes", "0"}, axis0},
		{[]string{"-axes=-3", shipped}, axis0},
		{[]string{"--axes", "-1", shipped}, axis2},
		{[]string{"-axes=-1", shipped}, axis2},
		{[]string{"-axes", "2,-1, 2", shipped}, axis2},
		{[]string{"-axes", "-1", "--", shipped}, axis2},
		{[]string{"-workers", "1", shipped, "-axes", "2"}, axis2},
		{[]string{"-workers", "16", "-axes", "2", shipped}, axis2},
		{[]string{shipped}, all},
		{[]string{"-axes", "", shipped}, all},
		{[]string{"-axes=", shipped}, all},
		{[]string{"-axes", "0,1,2", shipped}, all},
		{[]string{"-keepdims", shipped}, "shape: (1, 1, 1)\ndtype: float32\n[[[276.0]]]\n"},
		{[]string{"-keepdims", "-axes", "0,2", shipped}, "shape: (1, 3, 1)\ndtype: float32\n[[[ 60.0]\n  [ 92.0]\n  [124.0]]]\n"},
		{[]string{"-noop-with-empty-axes", shipped}, `shape: (2, 3, 4)
dtype: float32
[[[ 0.0  1.0  2.0  3.0]
  [ 4.0  5.0  6.0  7.0]
  [ 8.0  9.0 10.0 11.0]]

 [[12.0 13.0 14.0 15.0]
  [16.0 17.0 18.0 19.0]
  [20.0 21.0 22.0 23.0]]]
`},
	} {
		code, stdout, stderr := run(append([]string{"sum"}, c.args...)...)
		if code != exitOK || stderr != "" || stdout != c.want {
			t.Errorf("%q: exit code %d, stderr %q, stdout\n%swant\n%s", c.args, code, stderr, stdout, c.want)
		}
	}
}

// Each type that .npy has: read, summed, printed, written with the same type.
func TestSumTypes(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		testSumType(t, []float32{0.5, -0.25, 3e38, 3e38}, "float32\n[0.25  inf]\n")
	})
	t.Run("float64", func(t *testing.T) {
		testSumType(t, []float64{0.1, 0.2, 1e308, -1}, "float64\n[0.30000000000000004              1e+308]\n")
	})
	t.Run("float16", func(t *testing.T) {
		testSumType(t, []reducesum.Float16{0x70e2, 0x70e2, 0x2e66, 0}, "float16\n[20000.0     0.1]\n")
	})
	t.Run("int32", func(t *testing.T) { testSumType(t, []int32{1<<31 - 1, 1, -5, 3}, "int32\n[-2147483648          -2]\n") })
	t.Run("int64", func(t *testing.T) {
		testSumType(t, []int64{1 << 53, 1, -5, 3}, "int64\n[9007199254740993               -2]\n")
	})
	t.Run("uint32", func(t *testing.T) { testSumType(t, []uint32{1<<32 - 1, 2, 5, 3}, "uint32\n[1 8]\n") })
	t.Run("uint64", func(t *testing.T) {
		testSumType(t, []uint64{1<<64 - 1, 1, 1 << 63, 3}, "uint64\n[                  0 9223372036854775811]\n")
	})
}

func testSumType[T reducesum.Element](t *testing.T, x []T, want string) {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "in.npy"), filepath.Join(t.TempDir(), "out.npy")
	if err := writeNpy(in, tensor.Of[T]{Data: x, Dims: []int{2, 2}}); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := run("sum", "-axes", "1", in, "-o", out)
	if want = "shape: (2,)\ndtype: " + want; code != exitOK || stderr != "" || stdout != want {
		t.Errorf("exit code %d, stderr %q, stdout %q, want %q", code, stderr, stdout, want)
	}
	if code, again, _ := run("sum", "-noop-with-empty-axes", out); code != exitOK || again != stdout {
		t.Errorf("the file written holds %q, want %q", again, stdout)
	}
}

// Fortran order is a matter of the file alone.
func TestSumFortran(t *testing.T) {
	head := "{'descr': '>i4', 'fortran_order': True, 'shape': (2, 3), }\n"
	file := "\x93NUMPY\x01\x00" + string([]byte{byte(len(head)), 0}) + head
	for _, v := range []byte{0, 3, 1, 4, 2, 5} { // [[0 1 2] [3 4 5]]
		file += string([]byte{0, 0, 0, v})
	}
	path := filepath.Join(t.TempDir(), "f.npy")
	writeFile(t, path, file)
	for args, want := range map[string]string{
		"-axes=0":               "shape: (3,)\ndtype: int32\n[3 5 7]\n",
		"-axes=1":               "shape: (2,)\ndtype: int32\n[ 3 12]\n",
		"-axes=0,1":             "shape: ()\ndtype: int32\n15\n",
		"-noop-with-empty-axes": "shape: (2, 3)\ndtype: int32\n[[0 1 2]\n [3 4 5]]\n",
	} {
		if code, stdout, stderr := run("sum", args, path); code != exitOK || stdout != want {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestSumLong(t *testing.T) {
	x := tensor.Of[int64]{Data: make([]int64, 4000), Dims: []int{2000, 2}}
	for i := range x.Data {
		x.Data[i] = int64(i)
	}
	path := filepath.Join(t.TempDir(), "long.npy")
	if err := writeNpy(path, x); err != nil {
		t.Fatal(err)
	}
	want := "shape: (2000,)\ndtype: int64\n[   1    5    9 ... 7989 7993 7997]\n"
	if code, stdout, stderr := run("sum", "-axes", "1", path); code != exitOK || stdout != want {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestSumOverwritesOutput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.npy")
	writeFile(t, out, strings.Repeat("older and longer ", 1000))
	if code, _, stderr := run("sum", shipped, "-o", out); code != exitOK {
		t.Fatal(stderr)
	}
	if code, stdout, stderr := run("sum", out); code != exitOK || stdout != all {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// A file that is cut short must not stay behind, but a device must.
func TestSumRemovesPartialOutput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.npy")
	bad := tensor.Of[reducesum.BFloat16]{Data: []reducesum.BFloat16{1}, Dims: []int{1}}
	if err := writeNpy(out, bad); err == nil {
		t.Error("bfloat16 was written")
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a partial file stays behind")
	}
	const device = "/dev/full"
	if _, err := os.Stat(device); err != nil {
		t.Skip(err)
	}
	code, stdout, stderr := run("sum", shipped, "-o", device)
	if code != exitError || stdout != "" || !strings.Contains(stderr, "no space left") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if _, err := os.Stat(device); err != nil {
		t.Error(err)
	}
}

// A pipe does not tell its size.
func TestSumPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := "/dev/fd/" + strconv.Itoa(int(r.Fd()))
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	x := tensor.Of[float32]{Data: []float32{1, 2}, Dims: []int{2}}
	if err := npy.Write(w, x); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if code, stdout, stderr := run("sum", path); code != exitOK || !strings.HasSuffix(stdout, "\n3.0\n") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}
