package gonnxsum

import (
	"reflect"

	"github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/engines/gorgoniasum"
	"gorgonia.org/tensor"
)

// axesAreInput is the first opset in which the axes are an input.
const axesAreInput = 13

// ReduceSum is the ONNX operator, of any opset, for gonnx.
type ReduceSum struct {
	opts []reducesum.Option
	node reducesum.ONNXNode
}

var _ ops.Operator = (*ReduceSum)(nil)

// NewReduceSum returns the operator of an opset. An opset that has none and an option
// that no sum can have are errors of package reducesum.
func NewReduceSum(opset int, opts ...reducesum.Option) (*ReduceSum, error) {
	node := reducesum.ONNXNode{Opset: opset}
	if _, err := node.Op(); err != nil {
		return nil, err
	}
	// What a plan of one number refuses, each plan would. It refuses strides, too,
	// which are those of a tensor.
	if _, err := reducesum.NewPlan(nil, reducesum.Op{}, opts...); err != nil {
		return nil, err
	}
	return &ReduceSum{opts: opts, node: node}, nil
}

// String returns the operator's name, as gonnx prints it in errors.
func (s *ReduceSum) String() string { return "reduce sum operator" }

// Init reads the attributes of a node. What the opset does not allow is an
// error that wraps [reducesum.ErrONNX].
func (s *ReduceSum) Init(n *onnx.NodeProto) error {
	s.node = reducesum.ONNXNode{Opset: s.node.Opset}
	for _, a := range n.GetAttribute() {
		kind := onnx.AttributeProto_INT
		switch a.GetName() {
		case "axes":
			kind = onnx.AttributeProto_INTS
			s.node.AxesAttribute = append([]int64{}, a.GetInts()...)
		case "keepdims":
			s.node.KeepDims = &a.I
		case "noop_with_empty_axes":
			s.node.NoopWithEmptyAxes = &a.I
		default:
			return ops.ErrUnsupportedAttribute(a.GetName(), s)
		}
		// Models before IR version 2 do not tell the types of attributes.
		if a.GetType() != kind && a.GetType() != onnx.AttributeProto_UNDEFINED {
			return ops.ErrInvalidAttribute(a.GetName(), s)
		}
	}
	_, err := s.node.Op()
	return err
}

// Apply sums inputs[0] over the node's axes, or, from opset 13 on, over those
// that inputs[1] holds.
func (s *ReduceSum) Apply(inputs []tensor.Tensor) ([]tensor.Tensor, error) {
	node := s.node
	if len(inputs) > 1 && inputs[1] != nil {
		axes, err := s.axes(inputs[1])
		if err != nil {
			return nil, err
		}
		node.AxesInput = axes
	}
	op, err := node.Op()
	if err != nil {
		return nil, err
	}
	sum, err := gorgoniasum.Sum(inputs[0], op, s.opts...)
	if err != nil {
		return nil, err
	}
	return []tensor.Tensor{sum}, nil
}

// axes returns the elements of the second input.
func (s *ReduceSum) axes(t tensor.Tensor) ([]int64, error) {
	if t.Dims() > 1 {
		return nil, ops.ErrInvalidTensor("axes are no list", s)
	}
	if t.Dims() == 1 && t.Shape()[0] == 0 { // of which Gorgonia panics to give the data
		return []int64{}, nil
	}
	if v, ok := t.(tensor.View); ok && v.IsMaterializable() {
		t = v.Materialize()
	}
	switch axes := t.Data().(type) {
	case []int64:
		return axes, nil
	case int64:
		return []int64{axes}, nil
	}
	return nil, ops.ErrInvalidInputType(1, t.Dtype().Name(), s)
}

// ValidateInputs checks the number of inputs and their types. gonnx gives what
// it returns to Apply.
func (s *ReduceSum) ValidateInputs(inputs []tensor.Tensor) ([]tensor.Tensor, error) {
	if len(inputs) > 0 && inputs[0] == nil {
		return nil, ops.ErrInvalidTensor("no data", s)
	}
	return ops.ValidateInputs(s, inputs)
}

// GetMinInputs returns 1: the data.
func (s *ReduceSum) GetMinInputs() int { return 1 }

// GetMaxInputs returns the number of inputs of the opset's operator.
func (s *ReduceSum) GetMaxInputs() int {
	if s.node.Opset < axesAreInput {
		return 1
	}
	return 2
}

// GetInputTypeConstraints returns the types of each input. Those of 16 bits
// gonnx does not read from a file, but passes on.
func (s *ReduceSum) GetInputTypeConstraints() [][]tensor.Dtype {
	data := []tensor.Dtype{
		tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64,
		{Type: reflect.TypeFor[reducesum.Float16]()},
	}
	if s.node.Opset < axesAreInput {
		return [][]tensor.Dtype{data}
	}
	data = append(data, tensor.Dtype{Type: reflect.TypeFor[reducesum.BFloat16]()})
	return [][]tensor.Dtype{data, {tensor.Int64}}
}
