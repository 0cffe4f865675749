package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/npy"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

const sumUsage = `usage: reducesum sum [flags] in.npy

Sums a tensor over the given axes, and prints the shape, the dtype and the
values of the result; long results are shortened as NumPy does. The input has
one of the dtypes f2 f4 f8 i4 i8 u4 u8, in either byte order, in C or Fortran
order. Flags may also follow the file's name.

`

func runSum(c *call) error {
	var axes axesFlag
	c.flags.Var(&axes, "axes", "sum over these `axes`, as 0,-1; -1 is the last one (default all of them)")
	keepDims := c.flags.Bool("keepdims", false, "keep summed axes in the result, with size 1")
	noop := c.flags.Bool("noop-with-empty-axes", false, "without axes, return the input unchanged")
	workers := c.flags.Int("workers", 0, "sum on up to `n` CPUs; 0 for all; the result has the same bits")
	out := c.flags.String("o", "", "write the result to this .npy `file` too, little endian, with the input's dtype")
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
	}
	if sameFile(args[0], *out) {
		return fmt.Errorf("%s is the input, -o would overwrite it", *out)
	}
	x, err := readNpy(args[0], c.stderr)
	if err != nil {
		return err
	}
	op := reducesum.Op{Axes: axes, KeepDims: *keepDims, NoopWithEmptyAxes: *noop}
	sum, err := x.ReduceSum(op, reducesum.WithWorkers(*workers))
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if *out != "" {
		if err := writeNpy(*out, sum); err != nil {
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

// readNpy reads a file, with a progress bar when it is long.
func readNpy(path string, stderr io.Writer) (tensor.Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a directory", path)
	}
	size := int64(-1) // of a pipe
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	bar := bytesBar(stderr, size, "reading")
	defer bar.done()
	x, err := npy.Read(io.TeeReader(f, bar), size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}

// writeNpy writes a file, and leaves none behind that is cut short.
func writeNpy(path string, t tensor.Tensor) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = npy.Write(w, t)
	if err == nil {
		err = w.Flush()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		return nil
	}
	if info, statErr := os.Lstat(path); statErr == nil && info.Mode().IsRegular() {
		os.Remove(path)
	}
	return err
}

// sameFile tells whether two paths, of which the second may be empty or not
// exist, lead to one file.
func sameFile(in, out string) bool {
	if out == "" {
		return false
	}
	a, err := os.Stat(in)
	if err != nil {
		return false
	}
	b, err := os.Stat(out)
	return err == nil && os.SameFile(a, b)
}
