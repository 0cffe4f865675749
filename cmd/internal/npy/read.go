// Package npy reads and writes NumPy's .npy files
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
//
// npyio reads the header. The data is read here, because npyio takes one
// element at a time, and has neither float16 nor arrays of rank 3 and more for
// plain slices.
package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

const (
	maxElements = math.MaxInt / 8
	chunk       = 1 << 20 // bytes
)

// kinds maps the dtypes that are read to their readers.
var kinds = map[string]func(data) (tensor.Tensor, error){
	"f2": readFloat16,
	"f4": read[float32],
	"f8": read[float64],
	"i4": read[int32],
	"i8": read[int64],
	"u4": read[uint32],
	"u8": read[uint64],
}

// data is what follows a header.
type data struct {
	header
	r    io.Reader
	size int64 // bytes; -1 where it is not known
}

// Read reads one array from r, which holds size bytes, or -1 where that is not
// known. An array in Fortran order is not transposed: it gets strides.
func Read(r io.Reader, size int64) (tensor.Tensor, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	d := data{header: h, r: r, size: -1}
	if size >= 0 {
		d.size = size - int64(h.size)
	}
	return kinds[h.kind](d)
}

func readFloat16(d data) (tensor.Tensor, error) {
	raw, err := values[uint16](d)
	if err != nil {
		return nil, err
	}
	return tensor.Of[reducesum.Float16]{Data: reducesum.AsFloat16(raw), Dims: d.shape, Strides: d.strides()}, nil
}

func read[T float32 | float64 | int32 | int64 | uint32 | uint64](d data) (tensor.Tensor, error) {
	x, err := values[T](d)
	if err != nil {
		return nil, err
	}
	return tensor.Of[T]{Data: x, Dims: d.shape, Strides: d.strides()}, nil
}

// values reads the elements in the order of the file. Memory grows with what is
// there, not with what the header claims.
func values[T any](d data) ([]T, error) {
	var zero T
	size := binary.Size(zero)
	need := int64(d.n) * int64(size)
	if d.size >= 0 && d.size != need {
		return nil, d.wrongSize(d.size)
	}
	var x []T
	if d.size >= 0 {
		x = make([]T, 0, d.n)
	}
	buf := make([]byte, min(chunk, need))
	for len(x) < d.n {
		b := buf[:min(len(buf), (d.n-len(x))*size)]
		got, err := io.ReadFull(d.r, b)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, d.wrongSize(int64(len(x)*size + got))
		}
		if err != nil {
			return nil, err
		}
		old := len(x)
		x = append(x, make([]T, len(b)/size)...)
		if _, err := binary.Decode(b, d.order, x[old:]); err != nil {
			return nil, err
		}
	}
	if _, err := io.ReadFull(d.r, make([]byte, 1)); err == nil {
		return nil, errors.New("there is more in the file after the data")
	}
	return x, nil
}

func (d data) wrongSize(got int64) error {
	return fmt.Errorf("the file has %d bytes of data, shape %s of dtype %s needs %d",
		got, tensor.ShapeString(d.shape), d.kind, int64(d.n)*int64(d.kind[1]-'0'))
}

// strides returns those of Fortran order, and nil for C order.
func (h header) strides() []int {
	if !h.fortran || h.n == 0 {
		return nil
	}
	strides := make([]int, len(h.shape))
	n := 1
	for i, d := range h.shape {
		strides[i] = n
		n *= d
	}
	return strides
}

// Write writes a row-major tensor, little endian, in format version 1.0.
func Write(w io.Writer, t tensor.Tensor) error {
	kind, x, err := wire(t)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("{'descr': '<%s', 'fortran_order': False, 'shape': %s, }", kind, tensor.ShapeString(t.Shape()))
	// The data begins at a multiple of 64 bytes, and a newline comes before it.
	const preamble, align = 10, 64
	pad := align - 1 - (preamble+len(text))%align
	length := len(text) + pad + 1
	if length > maxHeader {
		return fmt.Errorf("a shape of %d dimensions does not fit a .npy header", len(t.Shape()))
	}
	head := append([]byte("\x93NUMPY\x01\x00"), byte(length), byte(length>>8))
	head = append(head, text...)
	head = append(head, bytes.Repeat([]byte(" "), pad)...)
	head = append(head, '\n')
	if _, err := w.Write(head); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, x)
}

// wire returns the dtype of t, and its data as a type that encoding/binary has
// a fast path for.
func wire(t tensor.Tensor) (kind string, x any, err error) {
	switch t := t.(type) {
	case tensor.Of[float32]:
		return "f4", t.Data, nil
	case tensor.Of[float64]:
		return "f8", t.Data, nil
	case tensor.Of[int32]:
		return "i4", t.Data, nil
	case tensor.Of[int64]:
		return "i8", t.Data, nil
	case tensor.Of[uint32]:
		return "u4", t.Data, nil
	case tensor.Of[uint64]:
		return "u8", t.Data, nil
	case tensor.Of[reducesum.Float16]:
		raw := make([]uint16, len(t.Data))
		for i, v := range t.Data {
			raw[i] = v.Bits()
		}
		return "f2", raw, nil
	}
	return "", nil, fmt.Errorf(".npy has no %s, store float32 or float16", t.DType())
}
