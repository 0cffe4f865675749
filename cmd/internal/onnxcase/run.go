package onnxcase

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/reducesum/reducesum/cmd/internal/onnxpb"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// ErrSkip marks a case that says nothing about ReduceSum.
var ErrSkip = errors.New("skipped")

// Run runs the case in dir. It returns nil when every data set gives the
// expected outputs, an error that wraps [ErrSkip] when these are not made by
// ReduceSum nodes or there is no data, and otherwise what is wrong and where.
func Run(dir string) error {
	m, err := readModel(filepath.Join(dir, modelName))
	if err != nil {
		return err
	}
	sets, err := filepath.Glob(filepath.Join(escapeGlob(dir), "test_data_set_*"))
	if err != nil {
		return err
	}
	if len(sets) == 0 {
		return fmt.Errorf("%w: no test_data_set_*", ErrSkip)
	}
	for _, set := range sets {
		if err := m.runSet(set); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(set), err)
		}
	}
	return nil
}

// A value is a tensor as a file has it, and the folder where its data may lie.
type value struct {
	*onnxpb.TensorProto
	dir string
}

// runSet runs the model on one data set.
func (m *model) runSet(dir string) error {
	inputs, err := readTensors(dir, "input")
	if err != nil {
		return err
	}
	outputs, err := readTensors(dir, "output")
	if err != nil {
		return err
	}
	if len(outputs) != len(m.graph.Output) {
		return fmt.Errorf("%d expected outputs, the graph has %d", len(outputs), len(m.graph.Output))
	}
	values, err := m.bind(inputs)
	if err != nil {
		return err
	}
	for i, out := range m.graph.Output {
		got, _, err := m.evaluate(values, out.Name)
		if err != nil {
			return err
		}
		want, err := toTensor(outputs[i])
		if err != nil {
			return fmt.Errorf("output_%d.pb: %w", i, err)
		}
		if err := compare(got, want); err != nil {
			return err
		}
	}
	return nil
}

// bind gives the names of the graph their values: initializers, and the inputs of
// a data set in order. These take the place of initializers of the same name,
// which are defaults, if there are as many as the graph has inputs; a data set
// may also have only those that it needs.
func (m *model) bind(inputs []value) (map[string]value, error) {
	values := make(map[string]value)
	for _, t := range m.graph.Initializer {
		values[t.Name] = value{t, m.dir}
	}
	names, needed := []string{}, []string{}
	for _, in := range m.graph.Input {
		names = append(names, in.Name)
		if values[in.Name].TensorProto == nil {
			needed = append(needed, in.Name)
		}
	}
	if len(inputs) != len(names) {
		if len(inputs) > len(names) {
			return nil, fmt.Errorf("the data set has %d inputs more than the graph", len(inputs)-len(names))
		}
		if len(inputs) < len(needed) {
			return nil, fmt.Errorf("the data set has no file for the input %q", needed[len(inputs)])
		}
		if len(inputs) > len(needed) {
			var err error
			if needed, err = named(inputs, names, needed); err != nil {
				return nil, err
			}
		}
		names = needed
	}
	for i, t := range inputs {
		values[names[i]] = t
	}
	for name, v := range values {
		if err := m.checkDeclared(name, v.DataType, v.Dims); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// named returns the names that the inputs have of their own, where their number
// does not tell which of the graph's defaults they replace.
func named(inputs []value, names, needed []string) ([]string, error) {
	var own []string
	for _, t := range inputs {
		if !slices.Contains(names, t.Name) || slices.Contains(own, t.Name) {
			return nil, fmt.Errorf("the data set has %d inputs, the graph %d, of which %d have defaults, and the name %q does not tell which one it is",
				len(inputs), len(names), len(names)-len(needed), t.Name)
		}
		own = append(own, t.Name)
	}
	for _, name := range needed {
		if !slices.Contains(own, name) {
			return nil, fmt.Errorf("the data set has no file for the input %q", name)
		}
	}
	return own, nil
}

// checkDeclared tells whether a value has the type and the shape that the graph
// declares, as far as it does.
func (m *model) checkDeclared(name string, dataType int32, dims []int64) error {
	t := m.types[name].GetTensorType()
	if t == nil {
		return nil
	}
	if t.ElemType != 0 && t.ElemType != dataType {
		return fmt.Errorf("the graph declares %q of type %s, its value is of type %s", name, typeName(t.ElemType), typeName(dataType))
	}
	if t.Shape == nil {
		return nil
	}
	var declared []string
	same := len(t.Shape.Dim) == len(dims)
	for i, d := range t.Shape.Dim {
		switch v := d.Value.(type) {
		case *onnxpb.TensorShapeProto_Dimension_DimValue:
			declared = append(declared, strconv.FormatInt(v.DimValue, 10))
			same = same && v.DimValue == dims[i]
		case *onnxpb.TensorShapeProto_Dimension_DimParam:
			declared = append(declared, v.DimParam)
		default:
			declared = append(declared, "?")
		}
	}
	if !same {
		return fmt.Errorf("the graph declares %q of shape [%s], its value has the shape %v", name, strings.Join(declared, " "), dims)
	}
	return nil
}

// evaluate returns a value of the graph, and its TensorProto.DataType.
func (m *model) evaluate(values map[string]value, name string) (tensor.Tensor, int32, error) {
	source, n, err := m.resolve(name)
	if err != nil {
		return nil, 0, err
	}
	if n == nil || !is(n, "ReduceSum") {
		v, err := m.stored(values, source, n)
		if err != nil {
			return nil, 0, err
		}
		t, err := toTensor(v)
		if err != nil {
			return nil, 0, fmt.Errorf("%q: %w", source, err)
		}
		return t, v.DataType, nil
	}
	data, dataType, err := m.evaluate(values, n.Input[0])
	if err != nil {
		return nil, 0, err
	}
	node, err := m.onnxNode(n)
	if err != nil {
		return nil, 0, err
	}
	node.DataType = dataType
	if len(n.Input) == 2 && n.Input[1] != "" {
		if node.AxesInput, err = m.axes(values, n.Input[1]); err != nil {
			return nil, 0, err
		}
	}
	op, err := node.Op()
	if err != nil {
		return nil, 0, err
	}
	sum, err := data.ReduceSum(op, nil)
	if err != nil {
		return nil, 0, err
	}
	dims := make([]int64, len(sum.Shape()))
	for i, d := range sum.Shape() {
		dims[i] = int64(d)
	}
	for _, as := range []string{source, name} { // name may be that of an Identity
		if err := m.checkDeclared(as, dataType, dims); err != nil {
			return nil, 0, err
		}
	}
	return sum, dataType, nil
}

// stored returns a value of the graph that no ReduceSum makes.
func (m *model) stored(values map[string]value, name string, n *onnxpb.NodeProto) (value, error) {
	if n != nil {
		t, err := constant(n)
		return value{t, m.dir}, err
	}
	v, ok := values[name]
	if !ok {
		return value{}, fmt.Errorf("no value for the input %q", name)
	}
	return v, nil
}

func (m *model) axes(values map[string]value, name string) ([]int64, error) {
	source, n, err := m.resolve(name)
	if err != nil {
		return nil, err
	}
	v, err := m.stored(values, source, n)
	if err != nil {
		return nil, err
	}
	return toAxes(v)
}

// readTensors reads kind_0.pb, kind_1.pb, ... of a data set, in that order.
func readTensors(dir, kind string) ([]value, error) {
	files, err := filepath.Glob(filepath.Join(escapeGlob(dir), kind+"_*.pb"))
	if err != nil {
		return nil, err
	}
	tensors := make([]value, len(files))
	for i := range files {
		name := kind + "_" + strconv.Itoa(i) + ".pb"
		if !slices.Contains(files, filepath.Join(dir, name)) {
			return nil, fmt.Errorf("%d files %s_*.pb, but no %s", len(files), kind, name)
		}
		tensors[i] = value{new(onnxpb.TensorProto), dir}
		if err := readProto(filepath.Join(dir, name), tensors[i].TensorProto); err != nil {
			return nil, err
		}
	}
	return tensors, nil
}

// escapeGlob makes a path match itself only.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
