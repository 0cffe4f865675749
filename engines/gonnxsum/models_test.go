package gonnxsum

import (
	"flag"
	"os"
	"testing"

	"github.com/advancedclimatesystems/gonnx/onnx"
	"google.golang.org/protobuf/proto"
)

// model returns a model of one opset, with inputs x of any shape and, when a
// node has it, axes, and the output y.
func model(opset int64, nodes ...*onnx.NodeProto) *onnx.ModelProto {
	g := &onnx.GraphProto{
		Name:   "g",
		Node:   nodes,
		Input:  []*onnx.ValueInfoProto{{Name: "x"}},
		Output: []*onnx.ValueInfoProto{{Name: "y"}},
	}
	return &onnx.ModelProto{IrVersion: 7, OpsetImport: []*onnx.OperatorSetIdProto{{Version: opset}}, Graph: g}
}

// node returns a node from inputs to y.
func node(op string, inputs []string, attributes ...*onnx.AttributeProto) *onnx.NodeProto {
	return &onnx.NodeProto{OpType: op, Name: op, Input: inputs, Output: []string{"y"}, Attribute: attributes}
}

func integer(name string, i int64) *onnx.AttributeProto {
	return &onnx.AttributeProto{Name: name, Type: onnx.AttributeProto_INT, I: i}
}

func integers(name string, ints ...int64) *onnx.AttributeProto {
	return &onnx.AttributeProto{Name: name, Type: onnx.AttributeProto_INTS, Ints: ints}
}

// rowSums sums the rows of relu(x), for x of shape [n, 3].
func rowSums() *onnx.ModelProto {
	relu := node("Relu", []string{"x"})
	relu.Output = []string{"positive"}
	m := model(13, relu, node("ReduceSum", []string{"positive", "axes"}, integer("keepdims", 0)))
	m.Graph.Initializer = []*onnx.TensorProto{{
		Name: "axes", DataType: int32(onnx.TensorProto_INT64), Dims: []int64{1}, Int64Data: []int64{-1},
	}}
	m.Graph.Input[0] = floats("x", "n", 3)
	m.Graph.Output[0] = floats("y", "n")
	return m
}

// floats describes a tensor of float32, whose first dimension has a name
// instead of a size.
func floats(name, first string, others ...int64) *onnx.ValueInfoProto {
	dims := []*onnx.TensorShapeProto_Dimension{{Value: &onnx.TensorShapeProto_Dimension_DimParam{DimParam: first}}}
	for _, n := range others {
		dims = append(dims, &onnx.TensorShapeProto_Dimension{Value: &onnx.TensorShapeProto_Dimension_DimValue{DimValue: n}})
	}
	return &onnx.ValueInfoProto{Name: name, Type: &onnx.TypeProto{Value: &onnx.TypeProto_TensorType{TensorType: &onnx.TypeProto_Tensor{
		ElemType: int32(onnx.TensorProto_FLOAT), Shape: &onnx.TensorShapeProto{Dim: dims},
	}}}}
}

const rowSumsFile = "testdata/rowsums.onnx"

var update = flag.Bool("update", false, "write "+rowSumsFile)

// The model file that README.md runs is the model rowSums.
func TestModelFile(t *testing.T) {
	if *update {
		data, err := proto.Marshal(rowSums())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(rowSumsFile, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(rowSumsFile)
	if err != nil {
		t.Fatal(err)
	}
	var got onnx.ModelProto
	if err := proto.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(&got, rowSums()) {
		t.Errorf("%s is another model; go test -update writes it anew", rowSumsFile)
	}
}
