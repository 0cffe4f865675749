package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/input"
	"github.com/reducesum/reducesum/cmd/internal/npy"
	"github.com/reducesum/reducesum/cmd/internal/replace"
	"github.com/reducesum/reducesum/cmd/internal/safetensors"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
	"github.com/reducesum/reducesum/cmd/internal/workers"
)

const sumUsage = `usage: reducesum sum [flags] FILE

Sums a tensor over the given axes, and prints the shape, the dtype and the
values of the result; long results are shortened as NumPy does. FILE is a .npy,
.npz or .safetensors file, or - for standard input; what it holds, 'reducesum
list FILE' shows. Read are float16, bfloat16, float32, float64, int32, int64,
uint32 and uint64, in either byte order, in C or Fortran order. A file may be
larger than memory. Flags may also follow the file's name.

`

func runSum(c *call) error {
	var axes axesFlag
	c.flags.Var(&axes, "axes", "sum over these `axes`, as 0,-1; -1 is the last one (default all of them)")
	keepDims := c.flags.Bool("keepdims", false, "keep summed axes in the result, with size 1")
	noop := c.flags.Bool("noop-with-empty-axes", false, "without axes, return the input unchanged")
	workers := c.flags.Int("workers", 0, "sum on up to `n` CPUs; 0 for all; the result has the same bits")
	array := c.flags.String("array", "", "the `name` of the array in a .npz or .safetensors file, if there are several")
	out := c.flags.String("o", "", "write the result to this `file` too, with the input's dtype: .safetensors if its name\nends so, else .npy, little endian")
	args, err := c.parse()
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		return usagef("no input file")
	case len(args) > 1:
		return usagef("one input file is expected, not %d: %q", len(args), args)
	case *workers < 0:
		return usagef("-workers %d is negative", *workers)
	case strings.EqualFold(filepath.Ext(*out), ".npz"):
		return usagef("-o %s: .npy and .safetensors are written", *out)
	}
	s := source{path: args[0], array: *array, workers: *workers, stderr: c.stderr}
	sum, err := s.reduce(reducesum.Op{Axes: axes, KeepDims: *keepDims, NoopWithEmptyAxes: *noop})
	if err != nil {
		return fmt.Errorf("%s: %w", s.name(), err)
	}
	if *out != "" {
		if err := writeTensor(*out, s.array, sum); err != nil {
			return err
		}
	}
	return printTensor(c.stdout, sum)
}

func printTensor(w io.Writer, t tensor.Tensor) error {
	if _, err := fmt.Fprintf(w, "shape: %s\ndtype: %s\n", tensor.ShapeString(t.Shape()), t.DType()); err != nil {
		return err
	}
	return tensor.Print(w, t)
}

// A source is a tensor in a file.
type source struct {
	path    string
	array   string // its name; set by reduce if it is the only one
	workers int
	stderr  io.Writer
}

// name returns the file's name for an error.
func (s *source) name() string {
	if s.path == "-" {
		return "standard input"
	}
	return s.path
}

// reduce returns the sum, which needs the file no more.
func (s *source) reduce(op reducesum.Op) (sum tensor.Tensor, err error) {
	in, err := input.Open(s.path)
	if err != nil {
		return nil, cause(err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	var bar bar
	defer func() { bar.done() }()
	in.Progress = func(size int64) io.Writer {
		bar = bytesBar(s.stderr, size, "reading")
		return bar
	}
	err = in.Guard(func() error {
		entry, err := s.choose(in)
		if err != nil {
			return err
		}
		x, err := entry.Load()
		if err != nil {
			return about(entry, err)
		}
		bar.done()
		size := int64(x.Len() * tensor.Size(x.DType()))
		bar = bytesBar(s.stderr, min(size, in.Size()), "summing")
		sum, err = x.ReduceSum(op, s.pool(bar))
		return about(entry, err)
	})
	return sum, err
}

// pool returns the workers, who tell the bar what they have done.
func (s *source) pool(bar bar) reducesum.Pool {
	p := &workers.Pool{N: s.workers}
	if p.N == 0 {
		p.N = runtime.GOMAXPROCS(0)
	}
	if bar.shown() {
		p.Done = bar.part
	}
	return p
}

// choose returns the array that is asked for, or the only one.
func (s *source) choose(in *input.File) (tensor.Entry, error) {
	entries, err := in.Entries()
	if err != nil {
		return tensor.Entry{}, err
	}
	const few = 10
	var names []string
	for i, e := range entries {
		if s.array == "" && len(entries) == 1 || s.array != "" && e.Name == s.array {
			s.array = e.Name
			return e, nil
		}
		if i < few {
			names = append(names, printable(e.Name))
		}
	}
	if len(entries) > few {
		names = append(names, "...")
	}
	there := strings.Join(names, ", ")
	switch {
	case len(entries) == 0:
		return tensor.Entry{}, errors.New("there is no array in it")
	case len(entries) == 1 && entries[0].Name == "":
		return tensor.Entry{}, fmt.Errorf("there is no array %q: the only one has no name", s.array)
	case s.array != "":
		return tensor.Entry{}, fmt.Errorf("there is no array %q; there are %s", s.array, there)
	}
	return tensor.Entry{}, fmt.Errorf("there are %d arrays, -array chooses one: %s", len(entries), there)
}

// about adds an array's name to an error.
func about(e tensor.Entry, err error) error {
	if err == nil || e.Name == "" {
		return err
	}
	return fmt.Errorf("array %q: %w", e.Name, err)
}

// writeTensor writes a file, in the format that its name asks for. name is that
// of the array that was summed.
func writeTensor(path, name string, t tensor.Tensor) error {
	return replace.File(path, func(w io.Writer) error {
		if !strings.EqualFold(filepath.Ext(path), ".safetensors") {
			return npy.Write(w, t)
		}
		if name == "" {
			name = "sum"
		}
		return safetensors.Write(w, name, t)
	})
}
