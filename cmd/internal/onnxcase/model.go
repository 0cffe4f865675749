package onnxcase

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/onnxpb"
)

// A model is a graph whose outputs are made by ReduceSum nodes. What these need
// may come through Constant and Identity nodes, as exporters write them; other
// nodes may be there as long as no output needs them.
type model struct {
	dir   string // where external data lies
	opset int
	graph *onnxpb.GraphProto
	from  map[string]*onnxpb.NodeProto // what makes a value
	types map[string]*onnxpb.TypeProto // what is declared of it
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

// readModel reads a model, and skips those whose outputs are made by others than
// ReduceSum nodes.
func readModel(path string) (*model, error) {
	p := new(onnxpb.ModelProto)
	if err := readProto(path, p); err != nil {
		return nil, err
	}
	nodes := p.GetGraph().GetNode()
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%s: the model has no nodes", path)
	}
	m := &model{
		dir: filepath.Dir(path), graph: p.Graph,
		from: make(map[string]*onnxpb.NodeProto), types: make(map[string]*onnxpb.TypeProto),
	}
	sums := 0
	for _, n := range nodes {
		if is(n, "ReduceSum") {
			sums++
		}
		for _, out := range n.Output {
			if m.from[out] != nil && out != "" {
				return nil, fmt.Errorf("two nodes make the value %q", out)
			}
			m.from[out] = n
		}
	}
	delete(m.from, "")
	if sums == 0 {
		return nil, fmt.Errorf("%w: the model is %s, without a ReduceSum", ErrSkip, describe(nodes))
	}
	for _, list := range [][]*onnxpb.ValueInfoProto{m.graph.ValueInfo, m.graph.Input, m.graph.Output} {
		for _, v := range list {
			m.types[v.Name] = v.Type
		}
	}
	if len(m.graph.Output) == 0 {
		return nil, errors.New("the graph has no output")
	}
	for _, out := range m.graph.Output {
		if err := m.checkOutput(out.Name); err != nil {
			return nil, err
		}
	}
	var err error
	m.opset, err = opset(p)
	return m, err
}

// defaultDomain tells whether a domain is that of ONNX's own operators.
func defaultDomain(domain string) bool { return domain == "" || domain == "ai.onnx" }

// is tells whether a node is one of ONNX's own operators.
func is(n *onnxpb.NodeProto, op string) bool { return n.OpType == op && defaultDomain(n.Domain) }

// opset returns the version of the default domain, the highest if there are several.
func opset(p *onnxpb.ModelProto) (int, error) {
	var highest int64
	found := false
	for _, o := range p.OpsetImport {
		if defaultDomain(o.Domain) && (!found || o.Version > highest) {
			highest, found = o.Version, true
		}
	}
	if !found {
		return 0, errors.New("the model imports no opset of ONNX's own operators (the domain \"\" or ai.onnx)")
	}
	return int(min(highest, math.MaxInt32)), nil
}

// describe names the operators of a model.
func describe(nodes []*onnxpb.NodeProto) string {
	const few = 4
	var ops []string
	for _, n := range nodes {
		if ops = append(ops, operator(n)); len(ops) == few && len(nodes) > few {
			ops = append(ops, fmt.Sprintf("... (%d nodes)", len(nodes)))
			break
		}
	}
	return strings.Join(ops, ", ")
}

// operator returns the name of a node's operator.
func operator(n *onnxpb.NodeProto) string {
	if defaultDomain(n.Domain) {
		return n.OpType
	}
	return n.Domain + "." + n.OpType
}

// title names a node for an error.
func title(n *onnxpb.NodeProto) string {
	switch {
	case n.Name != "":
		return fmt.Sprintf("node %q (%s)", n.Name, operator(n))
	case len(n.Output) > 0:
		return fmt.Sprintf("the node that makes %q (%s)", n.Output[0], operator(n))
	}
	return fmt.Sprintf("a node without a name (%s)", operator(n))
}

// resolve follows a value through Identity nodes, to another node or, if that is
// nil, to a name of the graph.
func (m *model) resolve(name string) (string, *onnxpb.NodeProto, error) {
	for range len(m.graph.Node) + 1 {
		n := m.from[name]
		if n == nil || !is(n, "Identity") {
			return name, n, nil
		}
		if len(n.Input) != 1 || n.Input[0] == "" {
			return "", nil, fmt.Errorf("%s has the inputs %q, not one", title(n), n.Input)
		}
		name = n.Input[0]
	}
	return "", nil, fmt.Errorf("the value %q needs itself", name)
}

// checkOutput tells whether an output is made by a ReduceSum, whose data may be
// that of another one, and so on.
func (m *model) checkOutput(name string) error {
	for steps := 0; ; steps++ {
		source, n, err := m.resolve(name)
		switch {
		case err != nil:
			return err
		case steps > len(m.graph.Node):
			return fmt.Errorf("the value %q needs itself", name)
		case steps > 0 && (n == nil || is(n, "Constant")):
			return nil
		case n == nil:
			return fmt.Errorf("%w: the output %q is %q itself, not a ReduceSum", ErrSkip, name, source)
		case !is(n, "ReduceSum"):
			return fmt.Errorf("%w: %s is none of ReduceSum, Constant and Identity", ErrSkip, title(n))
		}
		if err := m.checkNode(n); err != nil {
			return err
		}
		name = n.Input[0]
	}
}

// checkNode tells whether a ReduceSum has the inputs and the output that it
// should, and axes that need nothing but constants.
func (m *model) checkNode(n *onnxpb.NodeProto) error {
	if k := len(n.Input); k < 1 || k > 2 || n.Input[0] == "" {
		return fmt.Errorf("%s has the inputs %q, ReduceSum takes data and, from opset 13 on, axes", title(n), n.Input)
	}
	if len(n.Output) != 1 {
		return fmt.Errorf("%s has the outputs %q, not one", title(n), n.Output)
	}
	if len(n.Input) == 1 || n.Input[1] == "" {
		return nil
	}
	_, axes, err := m.resolve(n.Input[1])
	if err == nil && axes != nil && !is(axes, "Constant") {
		err = fmt.Errorf("the axes of %s come from %s, which is neither Constant nor Identity", title(n), title(axes))
	}
	return err
}

// onnxNode reads the attributes of a ReduceSum.
func (m *model) onnxNode(n *onnxpb.NodeProto) (reducesum.ONNXNode, error) {
	node := reducesum.ONNXNode{Opset: m.opset}
	err := eachAttribute(n, func(a *onnxpb.AttributeProto) (want onnxpb.AttributeProto_AttributeType, err error) {
		want = onnxpb.AttributeProto_INT
		switch a.Name {
		case "axes":
			want = onnxpb.AttributeProto_INTS
			node.AxesAttribute = append([]int64{}, a.Ints...) // present, even when empty
		case "keepdims":
			node.KeepDims = &a.I
		case "noop_with_empty_axes":
			node.NoopWithEmptyAxes = &a.I
		default:
			return want, fmt.Errorf("ReduceSum has no attribute %q", a.Name)
		}
		return want, nil
	})
	return node, err
}

// eachAttribute calls read for each attribute of a node, and compares its type to
// what that returns.
func eachAttribute(n *onnxpb.NodeProto, read func(*onnxpb.AttributeProto) (onnxpb.AttributeProto_AttributeType, error)) error {
	seen := make(map[string]bool)
	for _, a := range n.Attribute {
		if seen[a.Name] {
			return fmt.Errorf("the attribute %s occurs twice", a.Name)
		}
		seen[a.Name] = true
		want, err := read(a)
		if err != nil {
			return err
		}
		// The first models did not tell the types of attributes.
		if a.Type != want && a.Type != onnxpb.AttributeProto_UNDEFINED {
			return fmt.Errorf("the attribute %s is of type %v, not %v", a.Name, a.Type, want)
		}
	}
	return nil
}

// constant returns the value of a Constant node.
func constant(n *onnxpb.NodeProto) (*onnxpb.TensorProto, error) {
	var t *onnxpb.TensorProto
	if len(n.Attribute) != 1 {
		return nil, fmt.Errorf("%s has %d attributes, not one value", title(n), len(n.Attribute))
	}
	err := eachAttribute(n, func(a *onnxpb.AttributeProto) (onnxpb.AttributeProto_AttributeType, error) {
		switch a.Name {
		case "value":
			t = a.T
			if t == nil {
				return 0, errors.New("the attribute value has no tensor")
			}
			return onnxpb.AttributeProto_TENSOR, nil
		case "value_int":
			t = &onnxpb.TensorProto{DataType: int32(onnxpb.TensorProto_INT64), Int64Data: []int64{a.I}}
			return onnxpb.AttributeProto_INT, nil
		case "value_ints":
			t = &onnxpb.TensorProto{DataType: int32(onnxpb.TensorProto_INT64), Dims: []int64{int64(len(a.Ints))}, Int64Data: a.Ints}
			return onnxpb.AttributeProto_INTS, nil
		case "value_float":
			t = &onnxpb.TensorProto{DataType: int32(onnxpb.TensorProto_FLOAT), FloatData: []float32{a.F}}
			return onnxpb.AttributeProto_FLOAT, nil
		case "value_floats":
			t = &onnxpb.TensorProto{DataType: int32(onnxpb.TensorProto_FLOAT), Dims: []int64{int64(len(a.Floats))}, FloatData: a.Floats}
			return onnxpb.AttributeProto_FLOATS, nil
		}
		return 0, fmt.Errorf("the attribute %q is not a tensor of numbers", a.Name)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", title(n), err)
	}
	return t, nil
}
