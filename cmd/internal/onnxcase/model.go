package onnxcase

import (
	"fmt"
	"os"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/onnxpb"
)

// A model is one ReduceSum node and the names around it.
type model struct {
	opset int
	graph *onnxpb.GraphProto
	node  *onnxpb.NodeProto
}

func readProto(path string, m proto.Message) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := proto.Unmarshal(b, m); err != nil {
		return fmt.Errorf("%s: not a %s: %w", path, m.ProtoReflect().Descriptor().Name(), err)
	}
	return nil
}

// readModel reads a model, and skips the ones that are not one ReduceSum node.
func readModel(path string) (model, error) {
	p := new(onnxpb.ModelProto)
	if err := readProto(path, p); err != nil {
		return model{}, err
	}
	nodes := p.GetGraph().GetNode()
	if len(nodes) == 0 {
		return model{}, fmt.Errorf("%s: the model has no nodes", path)
	}
	if len(nodes) != 1 || nodes[0].OpType != "ReduceSum" || !defaultDomain(nodes[0].Domain) {
		return model{}, fmt.Errorf("%w: the model is %s, not one ReduceSum", ErrSkip, describe(nodes))
	}
	m := model{opset: opset(p), graph: p.Graph, node: nodes[0]}
	if n := len(m.node.Input); n < 1 || n > 2 || m.node.Input[0] == "" {
		return model{}, fmt.Errorf("the node has the inputs %q, ReduceSum takes data and, from opset 13 on, axes", m.node.Input)
	}
	if len(m.node.Output) != 1 || len(m.graph.Output) != 1 || m.node.Output[0] != m.graph.Output[0].Name {
		return model{}, fmt.Errorf("the node's outputs are %q, not the one of the graph", m.node.Output)
	}
	return m, nil
}

// defaultDomain tells whether a domain is that of ONNX's own operators.
func defaultDomain(domain string) bool { return domain == "" || domain == "ai.onnx" }

// opset returns the version of the default domain. The first models did not
// import any, and mean 1.
func opset(p *onnxpb.ModelProto) int {
	for _, o := range p.OpsetImport {
		if defaultDomain(o.Domain) {
			return int(o.Version)
		}
	}
	return 1
}

// describe names the operators of a model that is not a ReduceSum.
func describe(nodes []*onnxpb.NodeProto) string {
	const few = 4
	var ops []string
	for _, n := range nodes {
		op := n.OpType
		if !defaultDomain(n.Domain) {
			op = n.Domain + "." + op
		}
		if ops = append(ops, op); len(ops) == few && len(nodes) > few {
			ops = append(ops, fmt.Sprintf("... (%d nodes)", len(nodes)))
			break
		}
	}
	return strings.Join(ops, ", ")
}

// bind gives the graph's inputs their values: those of the data set in order,
// where an initializer has none.
func (m model) bind(inputs []*onnxpb.TensorProto) (map[string]*onnxpb.TensorProto, error) {
	values := make(map[string]*onnxpb.TensorProto)
	for _, t := range m.graph.Initializer {
		values[t.Name] = t
	}
	for _, in := range m.graph.Input {
		if values[in.Name] != nil {
			continue // until IR version 4, initializers were inputs too
		}
		if len(inputs) == 0 {
			return nil, fmt.Errorf("the data set has no file for the input %q", in.Name)
		}
		values[in.Name], inputs = inputs[0], inputs[1:]
	}
	if len(inputs) > 0 {
		return nil, fmt.Errorf("the data set has %d inputs more than the graph", len(inputs))
	}
	return values, nil
}

// onnxNode reads the node's attributes.
func (m model) onnxNode() (reducesum.ONNXNode, error) {
	node := reducesum.ONNXNode{Opset: m.opset}
	seen := make(map[string]bool)
	for _, a := range m.node.Attribute {
		if seen[a.Name] {
			return node, fmt.Errorf("the attribute %s occurs twice", a.Name)
		}
		seen[a.Name] = true
		want := onnxpb.AttributeProto_INT
		switch a.Name {
		case "axes":
			want = onnxpb.AttributeProto_INTS
			node.AxesAttribute = append([]int64{}, a.Ints...) // present, even when empty
		case "keepdims":
			node.KeepDims = &a.I
		case "noop_with_empty_axes":
			node.NoopWithEmptyAxes = &a.I
		default:
			return node, fmt.Errorf("ReduceSum has no attribute %q", a.Name)
		}
		// The first models did not tell the types of attributes.
		if a.Type != want && a.Type != onnxpb.AttributeProto_UNDEFINED {
			return node, fmt.Errorf("the attribute %s is of type %v, not %v", a.Name, a.Type, want)
		}
	}
	return node, nil
}
