package cli

import (
	"encoding/binary"
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

// Each type: read, summed, printed, written with the same type.
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
	t.Run("bfloat16", func(t *testing.T) {
		testSumType(t, []reducesum.BFloat16{0x3f80, 0x4000, 0x7f7f, 0x7f7f}, "bfloat16\n[3.0 inf]\n")
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
	for _, ext := range []string{".npy", ".safetensors"} {
		if tensor.Name[T]() == "bfloat16" && ext == ".npy" {
			continue
		}
		testSumFile(t, x, ext, want)
	}
}

func testSumFile[T reducesum.Element](t *testing.T, x []T, ext, want string) {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "in"+ext), filepath.Join(t.TempDir(), "out"+ext)
	if err := writeTensor(in, "", tensor.Of[T]{Data: x, Dims: []int{2, 2}}); err != nil {
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
	if err := writeTensor(path, "", x); err != nil {
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

// What cannot be written leaves what was there; a device stays, too.
func TestSumKeepsOldOutput(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.safetensors"), filepath.Join(dir, "out.npy")
	if err := writeTensor(in, "w", tensor.Of[reducesum.BFloat16]{Data: []reducesum.BFloat16{1}, Dims: []int{1}}); err != nil {
		t.Fatal(err)
	}
	writeFile(t, out, "old")
	code, stdout, stderr := run("sum", in, "-o", out)
	if want := "reducesum: " + out + ": .npy has no type bfloat16, .safetensors has: give -o such a name\n"; code != exitError || stdout != "" || stderr != want {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 || readFile(t, out) != "old" {
		t.Errorf("the folder holds %v, out.npy %q, %v", files, readFile(t, out), err)
	}
	const device = "/dev/full"
	if _, err := os.Stat(device); err != nil {
		t.Skip(err)
	}
	code, stdout, stderr = run("sum", shipped, "-o", device)
	if code != exitError || stdout != "" || stderr != "reducesum: /dev/full: no space left on device\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if _, err := os.Stat(device); err != nil {
		t.Error(err)
	}
}

// The input may be the output, by any name, though it is mapped while it is summed.
func TestSumOntoInput(t *testing.T) {
	for _, name := range []string{"x.npy", "./x.npy", "link.npy"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.npy")
		writeFile(t, path, readFile(t, shipped))
		if err := os.Symlink("x.npy", filepath.Join(dir, "link.npy")); err != nil && name == "link.npy" {
			t.Skip(err)
		}
		for _, want := range []string{axis0, "shape: (4,)\ndtype: float32\n[60.0 66.0 72.0 78.0]\n", all} {
			if code, stdout, stderr := run("sum", "-axes", "0", path, "-o", dir+"/"+name); code != exitOK || stdout != want {
				t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
			}
		}
	}
}

// A result larger than memory is refused, whatever the file's size.
func TestSumBeyondMemory(t *testing.T) {
	for _, descr := range []string{"<f4", ">f4", "<f2", "<i8"} {
		for args, shape := range map[string]string{
			"-axes=1":               "(1099511627776,)",
			"-axes=1 -keepdims":     "(1099511627776, 1)",
			"-axes=-1 -workers=1":   "(1099511627776,)",
			"-noop-with-empty-axes": "",
			"-axes=0":               "",
			"-axes=0,1":             "",
		} {
			head := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1099511627776, 0), }\n"
			path := filepath.Join(t.TempDir(), "x.npy")
			writeFile(t, path, "\x93NUMPY\x01\x00"+string([]byte{byte(len(head)), 0})+head)
			code, stdout, stderr := run(append([]string{"sum", path}, strings.Fields(args)...)...)
			if shape == "" {
				if code != exitOK {
					t.Errorf("%s %s: exit code %d, stderr %q", descr, args, code, stderr)
				}
				continue
			}
			want := path + ": the result of shape " + shape + " and type "
			if code != exitError || stdout != "" || !strings.Contains(stderr, want) || !strings.Contains(stderr, "does not fit into memory") || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s %s: exit code %d, stdout %q, stderr %q", descr, args, code, stdout, stderr)
			}
		}
	}
}

// The arrays of a file are listed, and chosen by name.
func TestArrays(t *testing.T) {
	const stored, scalar = "../input/testdata/stored.npz", "../input/testdata/scalar.npy"
	file := func(header string, size int) string {
		path := filepath.Join(t.TempDir(), "x.safetensors")
		writeFile(t, path, string(binary.LittleEndian.AppendUint64(nil, uint64(len(header))))+header+strings.Repeat("\x00", size))
		return path
	}
	weights := file(`{"b":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]},"a\nc":{"dtype":"BF16","shape":[2,1],"data_offsets":[2,6]}}`, 6)
	empty := file(`{}`, 0)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"list", stored}, exitOK, "weight        float32  (3, 2)\nlayer.0/bias  int64    (2, 2)\n"},
		{[]string{"list", scalar}, exitOK, "-  float32  ()\n"},
		{[]string{"list", weights}, exitOK, "b       BOOL      (2,)\n\"a\\nc\"  bfloat16  (2, 1)\n"},
		{[]string{"list", empty}, exitOK, ""},
		{[]string{"list", "missing.npz"}, exitError, "missing.npz: no such file or directory"},
		{[]string{"list", "cli.go"}, exitError, `cli.go: the file begins with "// Package cli i", as none of .npy, .npz and .safetensors does`},
		{[]string{"list", "../input"}, exitError, "../input: it is a directory"},
		{[]string{"list"}, exitUsage, "one file is expected, not 0"},
		{[]string{"sum", "-array", "weight", stored}, exitOK, "shape: ()\ndtype: float32\n15.0\n"},
		{[]string{"sum", "-array", "layer.0/bias", "-axes", "1", "../input/testdata/deflated.npz"}, exitOK, "shape: (2,)\ndtype: int64\n[-17 -13]\n"},
		{[]string{"sum", stored}, exitError, "stored.npz: there are 2 arrays, -array chooses one: weight, layer.0/bias"},
		{[]string{"sum", "-array", "bias", stored}, exitError, `stored.npz: there is no array "bias"; there are weight, layer.0/bias`},
		{[]string{"sum", "-array", "x", scalar}, exitError, `there is no array "x": the only one has no name`},
		{[]string{"sum", empty}, exitError, "there is no array in it"},
		{[]string{"sum", "-array", "b", weights}, exitError, `array "b": elements of type BOOL are not summed`},
		{[]string{"sum", "-array", "weight", "-axes", "2", stored}, exitError, `stored.npz: array "weight": axis out of range: axis 2`},
		{[]string{"sum", "-array", "a\nc", weights}, exitOK, "shape: ()\ndtype: bfloat16\n0.0\n"},
		{[]string{"sum", scalar, "-o", "x.npz"}, exitUsage, "-o x.npz: .npy and .safetensors are written"},
	} {
		code, stdout, stderr := run(c.args...)
		got := stdout
		if c.code != exitOK {
			got = stderr
		}
		if code != c.code || c.code == exitOK && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
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

// Standard input may be a file or a pipe.
func TestSumStandardInput(t *testing.T) {
	defer func(f *os.File) { os.Stdin = f }(os.Stdin)
	open := map[string]func(content string) *os.File{
		"pipe": func(content string) *os.File {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				w.WriteString(content)
				w.Close()
			}()
			return r
		},
		"file": func(content string) *os.File {
			path := filepath.Join(t.TempDir(), "x")
			writeFile(t, path, content)
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			return f
		},
	}
	for how, open := range open {
		for _, c := range []struct {
			args    []string
			content string
			code    int
			want    string
		}{
			{[]string{"sum", "-"}, readFile(t, shipped), exitOK, all},
			{[]string{"sum", "-axes=0", "-"}, readFile(t, shipped), exitOK, axis0},
			{[]string{"sum", "-array", "weight", "-"}, readFile(t, "../input/testdata/stored.npz"), exitOK, "shape: ()\ndtype: float32\n15.0\n"},
			{[]string{"list", "-"}, readFile(t, "../input/testdata/deflated.npz"), exitOK, "weight        float32  (3, 2)\nlayer.0/bias  int64    (2, 2)\n"},
			{[]string{"sum", "-"}, "hello", exitError, `reducesum: standard input: the file begins with "hello", as none`},
			{[]string{"sum", "-"}, "", exitError, "reducesum: standard input: the file is empty"},
			{[]string{"sum", "-"}, readFile(t, shipped)[:200], exitError, "reducesum: standard input: the file has 72 bytes of data"},
		} {
			os.Stdin = open(c.content)
			code, stdout, stderr := run(c.args...)
			if code != c.code || !strings.HasPrefix(stdout+stderr, c.want) {
				t.Errorf("%s, %q: exit code %d, stdout %q, stderr %q", how, c.args, code, stdout, stderr)
			}
		}
	}
}
