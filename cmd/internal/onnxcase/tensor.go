package onnxcase

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/onnxpb"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// toTensor decodes a tensor of one of ReduceSum's element types.
func toTensor(v value) (tensor.Tensor, error) {
	switch onnxpb.TensorProto_DataType(v.DataType) {
	case onnxpb.TensorProto_FLOAT:
		return decode(v, v.FloatData, same)
	case onnxpb.TensorProto_DOUBLE:
		return decode(v, v.DoubleData, same)
	case onnxpb.TensorProto_INT32:
		return decode(v, v.Int32Data, same)
	case onnxpb.TensorProto_INT64:
		return decode(v, v.Int64Data, same)
	case onnxpb.TensorProto_UINT32:
		return decode(v, v.Uint64Data, uint32Of)
	case onnxpb.TensorProto_UINT64:
		return decode(v, v.Uint64Data, same)
	case onnxpb.TensorProto_FLOAT16:
		return decode(v, v.Int32Data, bitsOf[reducesum.Float16])
	case onnxpb.TensorProto_BFLOAT16:
		return decode(v, v.Int32Data, bitsOf[reducesum.BFloat16])
	}
	return nil, fmt.Errorf("ReduceSum does not take the type %s", typeName(v.DataType))
}

func typeName(t int32) string {
	if name, ok := onnxpb.TensorProto_DataType_name[t]; ok {
		return name
	}
	return fmt.Sprintf("TensorProto.DataType %d", t)
}

func same[T any](x T) (T, error) { return x, nil }

// uint32Of narrows an entry of uint64_data, where a uint32 lies.
func uint32Of(x uint64) (uint32, error) {
	if x > math.MaxUint32 {
		return 0, fmt.Errorf("uint64_data holds %d, which is no uint32", x)
	}
	return uint32(x), nil
}

// bitsOf narrows an entry of int32_data, where the bits of a float16 or bfloat16
// lie.
func bitsOf[T reducesum.Float16 | reducesum.BFloat16](x int32) (T, error) {
	if x < 0 || x > math.MaxUint16 {
		return 0, fmt.Errorf("int32_data holds %d, which is not 16 bits", x)
	}
	return T(x), nil
}

// decode makes a tensor of elements that lie in the field typed, as F, or in
// raw_data or a file, little endian on every machine.
func decode[T reducesum.Element, F any](v value, typed []F, convert func(F) (T, error)) (tensor.Tensor, error) {
	l := tensor.Layout{DType: tensor.Name[T](), Order: binary.LittleEndian}
	n, err := sizes(v.Dims, &l.Dims)
	if err != nil {
		return nil, err
	}
	if v.DataLocation == onnxpb.TensorProto_EXTERNAL {
		b, err := v.external(n * tensor.Size(l.DType))
		if err != nil {
			return nil, fmt.Errorf("external data: %w", err)
		}
		return l.Tensor(b)
	}
	if len(v.RawData) > 0 {
		b, err := tensor.ReadUpTo(bytes.NewReader(v.RawData), len(v.RawData)) // which aligns it
		if err != nil {
			return nil, err
		}
		return l.Tensor(b)
	}
	if len(typed) != n {
		return nil, fmt.Errorf("%d elements of type %s, dims %v have %d", len(typed), typeName(v.DataType), v.Dims, n)
	}
	x := make([]T, n)
	for i, f := range typed {
		if x[i], err = convert(f); err != nil {
			return nil, err
		}
	}
	return tensor.Of[T]{Data: x, Dims: l.Dims}, nil
}

// sizes converts a shape, and counts its elements.
func sizes(dims []int64, shape *[]int) (int, error) {
	for _, d := range dims {
		if d < 0 || d > math.MaxInt {
			return 0, fmt.Errorf("dimension %d of dims %v", d, dims)
		}
		*shape = append(*shape, int(d))
	}
	return tensor.Elements(*shape)
}

// external reads data of a size from the file that the tensor names, in or below
// the folder of its own file, which no link leaves either.
func (v value) external(size int) ([]byte, error) {
	location, offset, length := "", int64(0), int64(size)
	for _, e := range v.ExternalData {
		var err error
		switch e.Key {
		case "location":
			location = e.Value
		case "offset":
			offset, err = parseSize(e.Value)
		case "length":
			length, err = parseSize(e.Value)
		} // others are not needed, such as a checksum
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Key, err)
		}
	}
	if location == "" {
		return nil, errors.New("it has no location")
	}
	if length != int64(size) {
		return nil, fmt.Errorf("it has a length of %d bytes, dims %v of type %s need %d", length, v.Dims, typeName(v.DataType), size)
	}
	folder, err := os.OpenRoot(v.dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	f, err := folder.Open(filepath.FromSlash(location))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", location)
	}
	if offset > info.Size() || length > info.Size()-offset {
		return nil, fmt.Errorf("%s has %d bytes, not the %d bytes from %d on", location, info.Size(), length, offset)
	}
	b, err := tensor.ReadUpTo(io.NewSectionReader(f, offset, length), size)
	if err == nil && len(b) < size {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// parseSize reads a number that is not negative.
func parseSize(s string) (int64, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 63)
	if err != nil {
		return 0, fmt.Errorf("%.50q is no number of bytes", s)
	}
	return int64(n), nil
}

// toAxes decodes the second input of ReduceSum-13, of one dimension or, as a
// value_int of a Constant is, one number. It is not nil, even when empty.
func toAxes(v value) ([]int64, error) {
	if onnxpb.TensorProto_DataType(v.DataType) != onnxpb.TensorProto_INT64 {
		return nil, fmt.Errorf("axes are of type %s, not INT64", typeName(v.DataType))
	}
	if len(v.Dims) > 1 {
		return nil, fmt.Errorf("axes have dims %v, not one dimension", v.Dims)
	}
	t, err := toTensor(v)
	if err != nil {
		return nil, fmt.Errorf("axes: %w", err)
	}
	x, err := valuesOf[int64](t)
	return append([]int64{}, x...), err
}

// valuesOf returns the elements of a tensor in row-major order, in memory.
func valuesOf[T reducesum.Element](t tensor.Tensor) ([]T, error) {
	if x, ok := t.(tensor.Of[T]); ok && x.Strides == nil {
		return x.Data, nil
	}
	same, err := t.ReduceSum(reducesum.Op{NoopWithEmptyAxes: true}, nil)
	if err != nil {
		return nil, err
	}
	return same.(tensor.Of[T]).Data, nil
}
