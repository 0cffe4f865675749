package input

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/npy"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
	"github.com/reducesum/reducesum/cmd/internal/workers"
)

// A file that is cut off while it is mapped is an error, on whichever goroutine
// and in whichever kernel it shows.
func TestCutOff(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not cut off a file that is mapped")
	}
	const n = 8 << 20
	for _, descr := range []string{"<f4", ">f4", "<f2"} {
		for _, axes := range [][]int{nil, {0}, {1}} {
			for _, pool := range []reducesum.Pool{nil, &workers.Pool{N: 1}, &workers.Pool{N: 4}} {
				path := filepath.Join(t.TempDir(), "x.npy")
				head := fmt.Sprintf("\x93NUMPY\x01\x00\x76\x00{'descr': '%s', 'fortran_order': False, 'shape': (4096, %d)}", descr, n/4096)
				file := append([]byte(head), bytes.Repeat([]byte(" "), 128-len(head))...)
				size := int64(len(file) + n*int(descr[2]-'0'))
				if err := os.WriteFile(path, file, 0o666); err != nil {
					t.Fatal(err)
				}
				if err := os.Truncate(path, size); err != nil {
					t.Fatal(err)
				}
				in, err := Open(path)
				if err != nil {
					t.Fatal(err)
				}
				if in.Size() != size {
					t.Fatalf("%d of %d bytes are mapped", in.Size(), size)
				}
				sum := func() error {
					entries, err := in.Entries()
					if err != nil {
						return err
					}
					x, err := entries[0].Load()
					if err != nil {
						return err
					}
					_, err = x.ReduceSum(reducesum.Op{Axes: axes}, pool)
					return err
				}
				if err := in.Guard(sum); err != nil {
					t.Fatalf("%s, axes %v, pool %v: %v", descr, axes, pool, err)
				}
				for _, left := range []int64{size - 1, size / 2, 100, 0} {
					if err := os.Truncate(path, left); err != nil {
						t.Fatal(err)
					}
					want := fmt.Sprintf("the file was cut off while it was read: %d of %d bytes are left", left, size)
					if err := in.Guard(sum); err == nil || err.Error() != want {
						t.Errorf("%s, axes %v, pool %v: error %v, want %s", descr, axes, pool, err, want)
					}
				}
				if err := in.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// A panic that is none of the file's goes on.
func TestGuardPanics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for what, do := range map[string]func(){
		"a panic":       func() { panic("mine") },
		"a nil pointer": func() { var p *int; *p = 1 },
		"a pool's":      func() { (&workers.Pool{N: 2}).Do(9, func(i int) { panic("mine") }) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was swallowed", what)
				}
			}()
			in.Guard(func() error { do(); return nil })
		}()
	}
}

// What a file holds is the same through a pipe, and told apart by how it begins.
func TestPipe(t *testing.T) {
	var file bytes.Buffer
	if err := npy.Write(&file, tensor.Of[float32]{Data: []float32{1, 2, 3}, Dims: []int{3}}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ content, want string }{
		"npy":            {file.String(), "float32 [3] 1.0"},
		"two arrays":     {file.String() + file.String(), "float32 [3] 1.0"},
		"cut off":        {file.String()[:file.Len()-1], "has 11 bytes of data"},
		"in the header":  {file.String()[:40], "the header is cut short"},
		"safetensors":    {safetensor, "int32 [] 7"},
		"empty":          {"", "the file is empty"},
		"something else": {"hello world, hello world", `the file begins with "hello world, hel", as none of`},
		"short":          {"hi", `the file begins with "hi", as none of`},
	} {
		for _, mapped := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(path, []byte(c.content), 0o666); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if !mapped {
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				w.WriteString(c.content)
				w.Close()
				f = r
			}
			got := describe(f)
			if !strings.Contains(got, c.want) {
				t.Errorf("%s, mapped %t: got %s, want %s", name, mapped, got, c.want)
			}
		}
	}
}

const safetensor = "\x36\x00\x00\x00\x00\x00\x00\x00" + `{"a":{"dtype":"I32","shape":[],"data_offsets":[0,4]}} ` + "\x07\x00\x00\x00"

// describe opens a file, and returns what it holds, or the error.
func describe(f *os.File) string {
	in, err := open(f)
	if err != nil {
		return err.Error()
	}
	defer in.Close()
	entries, err := in.Entries()
	if err != nil {
		return err.Error()
	}
	x, err := entries[0].Load()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(x.DType(), " ", x.Shape(), " ", x.Number(0))
}

// Standard input that is a file is read from where it is.
func TestOffset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("a line\n"+safetensor), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(7, 0); err != nil {
		t.Fatal(err)
	}
	if got := describe(f); got != "int32 [] 7" {
		t.Error(got)
	}
}
