package onnxcase

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/onnxpb"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// toTensor decodes a TensorProto of one of ReduceSum's element types.
func toTensor(p *onnxpb.TensorProto) (tensor.Tensor, error) {
	switch onnxpb.TensorProto_DataType(p.DataType) {
	case onnxpb.TensorProto_FLOAT:
		return decode(p, p.FloatData, same)
	case onnxpb.TensorProto_DOUBLE:
		return decode(p, p.DoubleData, same)
	case onnxpb.TensorProto_INT32:
		return decode(p, p.Int32Data, same)
	case onnxpb.TensorProto_INT64:
		return decode(p, p.Int64Data, same)
	case onnxpb.TensorProto_UINT32:
		return decode(p, p.Uint64Data, uint32Of)
	case onnxpb.TensorProto_UINT64:
		return decode(p, p.Uint64Data, same)
	case onnxpb.TensorProto_FLOAT16:
		return decode16(p, reducesum.AsFloat16[uint16])
	case onnxpb.TensorProto_BFLOAT16:
		return decode16(p, reducesum.AsBFloat16[uint16])
	}
	return nil, fmt.Errorf("ReduceSum does not take the type %s", typeName(p.DataType))
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

// uint16Of narrows an entry of int32_data, where the bits of a float16 or
// bfloat16 lie.
func uint16Of(x int32) (uint16, error) {
	if x < 0 || x > math.MaxUint16 {
		return 0, fmt.Errorf("int32_data holds %d, which is not 16 bits", x)
	}
	return uint16(x), nil
}

// decode makes a tensor of elements that lie in the field typed, as F, or in
// raw_data, as T.
func decode[T reducesum.Element, F any](p *onnxpb.TensorProto, typed []F, convert func(F) (T, error)) (tensor.Tensor, error) {
	x, shape, err := elements(p, typed, convert)
	if err != nil {
		return nil, err
	}
	return tensor.Of[T]{Data: x, Dims: shape}, nil
}

// decode16 is decode for the types that Go has no counterpart of.
func decode16[T reducesum.Element](p *onnxpb.TensorProto, view func([]uint16) []T) (tensor.Tensor, error) {
	x, shape, err := elements(p, p.Int32Data, uint16Of)
	if err != nil {
		return nil, err
	}
	return tensor.Of[T]{Data: view(x), Dims: shape}, nil
}

// elements decodes the elements of a tensor and its shape.
func elements[T, F any](p *onnxpb.TensorProto, typed []F, convert func(F) (T, error)) ([]T, []int, error) {
	if p.DataLocation != onnxpb.TensorProto_DEFAULT {
		return nil, nil, errors.New("the data lies in an external file, which is not supported")
	}
	shape, n, err := dims(p.Dims)
	if err != nil {
		return nil, nil, err
	}
	if len(p.RawData) > 0 {
		x, err := raw[T](p.RawData, n)
		return x, shape, err
	}
	if len(typed) != n {
		return nil, nil, fmt.Errorf("%d elements of type %s, dims %v have %d", len(typed), typeName(p.DataType), p.Dims, n)
	}
	x := make([]T, n)
	for i, v := range typed {
		if x[i], err = convert(v); err != nil {
			return nil, nil, err
		}
	}
	return x, shape, nil
}

// raw decodes raw_data, which is little endian on every machine.
func raw[T any](b []byte, n int) ([]T, error) {
	var zero T
	if size := binary.Size(zero); len(b)%size != 0 || len(b)/size != n {
		return nil, fmt.Errorf("%d bytes of raw_data, %d elements of %d bytes are expected", len(b), n, size)
	}
	x := make([]T, n)
	_, err := binary.Decode(b, binary.LittleEndian, x)
	return x, err
}

// dims converts a shape, and counts its elements.
func dims(d []int64) (shape []int, n int, err error) {
	// A product beyond this has more elements than a protobuf message, of 2 GiB
	// at most, can hold.
	const limit = math.MaxInt32
	shape = make([]int, len(d))
	n = 1
	for i, v := range d {
		if v < 0 || v > limit {
			return nil, 0, fmt.Errorf("dimension %d of dims %v", v, d)
		}
		shape[i] = int(v)
		if v > 0 && n > limit/int(v) {
			return nil, 0, fmt.Errorf("dims %v have more elements than a TensorProto holds", d)
		}
		n *= int(v)
	}
	return shape, n, nil
}

// toAxes decodes the second input of ReduceSum-13. It is not nil, even when
// empty.
func toAxes(p *onnxpb.TensorProto) ([]int64, error) {
	if onnxpb.TensorProto_DataType(p.DataType) != onnxpb.TensorProto_INT64 {
		return nil, fmt.Errorf("axes are of type %s, not INT64", typeName(p.DataType))
	}
	if len(p.Dims) != 1 {
		return nil, fmt.Errorf("axes have dims %v, not one dimension", p.Dims)
	}
	x, _, err := elements(p, p.Int64Data, same[int64])
	if err != nil {
		return nil, fmt.Errorf("axes: %w", err)
	}
	return x, nil
}
