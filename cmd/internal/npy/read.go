// Package npy reads and writes NumPy's .npy files
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
//
// It is our own because what is needed is that the kernels read the file where
// it is mapped into memory, and that any header is read which NumPy reads; the
// libraries for Go copy the data element by element, know two of the three
// versions, or take the header for what NumPy prints today.
package npy

import (
	"fmt"
	"io"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// View returns the array that file, which must outlive it, begins with, and whose
// header is h. What follows it is left alone: numpy.save can append arrays.
func (h Header) View(file []byte) (tensor.Tensor, error) {
	if h.Unsupported != nil {
		return nil, h.Unsupported
	}
	data := file[h.Size:]
	if len(data) < h.Bytes() {
		return nil, h.tooFew(len(data))
	}
	return h.Tensor(data[:h.Bytes()])
}

// Read reads the array that r begins with into memory, which grows with what
// is there, not with what the header claims.
func (h Header) Read(r io.Reader) (tensor.Tensor, error) {
	if h.Unsupported != nil {
		return nil, h.Unsupported
	}
	data, err := tensor.ReadUpTo(r, h.Bytes())
	if err != nil {
		return nil, err
	}
	if len(data) < h.Bytes() {
		return nil, h.tooFew(len(data))
	}
	return h.Tensor(data)
}

// Bytes returns the size of the data; it is 0 for a type that is not summed.
func (h Header) Bytes() int { return h.n * tensor.Size(h.DType) }

func (h Header) tooFew(got int) error {
	return fmt.Errorf("the file has %d bytes of data, shape %s of dtype %s needs %d",
		got, tensor.ShapeString(h.Dims), h.DType, h.Bytes())
}
