package reducesum

import (
	"fmt"
	"math"
)

// ONNXNode is what an ONNX model says of one ReduceSum node. A nil field is an
// absent one, and gets ONNX's default.
//
// Three versions of the operator exist, and the opset that the model imports
// chooses one: 1 (axes are an attribute and not negative), 11 (an attribute,
// negative axes count from the end) and 13 (axes are the second input;
// noop_with_empty_axes and bfloat16 are new). See
// https://onnx.ai/onnx/operators/onnx__ReduceSum.html.
type ONNXNode struct {
	Opset             int     // version of the default domain that the model imports; newer ones than 13 count as 13
	AxesAttribute     []int64 // attribute axes, of opsets 1 to 12
	AxesInput         []int64 // second input, from opset 13 on
	KeepDims          *int64  // attribute keepdims; 1 when absent
	NoopWithEmptyAxes *int64  // attribute noop_with_empty_axes, from opset 13 on; 0 when absent
	DataType          int32   // TensorProto.DataType of the data input; 0 is not checked
}

// onnxTypes maps TensorProto.DataType to the first opset whose ReduceSum takes it.
var onnxTypes = map[int32]int{
	1:  1,  // FLOAT
	6:  1,  // INT32
	7:  1,  // INT64
	10: 1,  // FLOAT16
	11: 1,  // DOUBLE
	12: 1,  // UINT32
	13: 1,  // UINT64
	16: 13, // BFLOAT16
}

// Op returns the node's attributes as an [Op], or an error that wraps [ErrONNX]
// and says what the opset does not allow.
func (n ONNXNode) Op() (Op, error) {
	if n.Opset < 1 {
		return Op{}, fmt.Errorf("%w: ReduceSum has no opset %d (ONNXNode.Opset is the version that the model imports)", ErrONNX, n.Opset)
	}
	if n.DataType != 0 {
		since, ok := onnxTypes[n.DataType]
		if !ok {
			return Op{}, fmt.Errorf("%w: ReduceSum does not take TensorProto.DataType %d", ErrONNX, n.DataType)
		}
		if n.Opset < since {
			return Op{}, fmt.Errorf("%w: opset %d does not take TensorProto.DataType %d (only from opset %d on)", ErrONNX, n.Opset, n.DataType, since)
		}
	}
	axes := n.AxesAttribute
	if n.Opset >= 13 {
		if n.AxesAttribute != nil {
			return Op{}, fmt.Errorf("%w: opset %d has no attribute axes %v, axes are an input", ErrONNX, n.Opset, n.AxesAttribute)
		}
		axes = n.AxesInput
	} else {
		if n.AxesInput != nil {
			return Op{}, fmt.Errorf("%w: opset %d has no input axes %v, axes are an attribute", ErrONNX, n.Opset, n.AxesInput)
		}
		if n.NoopWithEmptyAxes != nil {
			return Op{}, fmt.Errorf("%w: opset %d has no attribute noop_with_empty_axes %d", ErrONNX, n.Opset, *n.NoopWithEmptyAxes)
		}
	}
	op := Op{KeepDims: true}
	var err error
	if op.KeepDims, err = onnxBool("keepdims", n.KeepDims, true); err != nil {
		return Op{}, err
	}
	if op.NoopWithEmptyAxes, err = onnxBool("noop_with_empty_axes", n.NoopWithEmptyAxes, false); err != nil {
		return Op{}, err
	}
	for _, a := range axes {
		if a < 0 && n.Opset < 11 {
			return Op{}, fmt.Errorf("%w: opset %d takes no negative axis %d", ErrONNX, n.Opset, a)
		}
		if a < math.MinInt32 || a > math.MaxInt32 {
			return Op{}, fmt.Errorf("%w: axis %d is further than any rank", ErrONNX, a)
		}
		op.Axes = append(op.Axes, int(a))
	}
	return op, nil
}

// onnxBool reads an ONNX attribute that is 0 or 1.
func onnxBool(name string, v *int64, absent bool) (bool, error) {
	if v == nil {
		return absent, nil
	}
	if *v != 0 && *v != 1 {
		return false, fmt.Errorf("%w: attribute %s is %d, neither 0 nor 1", ErrONNX, name, *v)
	}
	return *v == 1, nil
}
