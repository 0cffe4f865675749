package onnxcase

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/reducesum/reducesum/cmd/internal/onnxpb"
)

// A testCase is the case folder of a model with one node, and others before it.
type testCase struct {
	before  []*onnxpb.NodeProto
	after   []*onnxpb.NodeProto
	imports []*onnxpb.OperatorSetIdProto // in place of opset
	inNames []string                     // the graph's inputs; names when nil
	types   []*onnxpb.ValueInfoProto     // take the place of what declares these names
	output  string                       // of the graph; reduced when empty
	opset   int64
	op      string // ReduceSum when empty
	names   []string
	attrs   []*onnxpb.AttributeProto
	inits   []*onnxpb.TensorProto
	inputs  []*onnxpb.TensorProto
	outputs []*onnxpb.TensorProto
}

// write makes the folder.
func (c testCase) write(t *testing.T, dir string) {
	t.Helper()
	node := &onnxpb.NodeProto{OpType: c.op, Input: c.names, Output: []string{"reduced"}, Attribute: c.attrs}
	if c.op == "" {
		node.OpType = "ReduceSum"
	}
	graph := &onnxpb.GraphProto{
		Node: slices.Concat(c.before, []*onnxpb.NodeProto{node}, c.after), Initializer: c.inits,
		Output: []*onnxpb.ValueInfoProto{c.declare(cmp.Or(c.output, "reduced"))},
	}
	if c.inNames == nil {
		c.inNames = c.names
	}
	for _, name := range c.inNames {
		if name != "" {
			graph.Input = append(graph.Input, c.declare(name))
		}
	}
	m := &onnxpb.ModelProto{IrVersion: 7, Graph: graph}
	if c.opset != 0 {
		m.OpsetImport = []*onnxpb.OperatorSetIdProto{{Domain: "other", Version: 99}, {Version: c.opset}}
	}
	if c.imports != nil {
		m.OpsetImport = c.imports
	}
	writeProto(t, filepath.Join(dir, "model.onnx"), m)
	for i, in := range c.inputs {
		writeProto(t, filepath.Join(dir, "test_data_set_0", fmt.Sprintf("input_%d.pb", i)), in)
	}
	for i, out := range c.outputs {
		writeProto(t, filepath.Join(dir, "test_data_set_0", fmt.Sprintf("output_%d.pb", i)), out)
	}
}

// declare returns what the graph says of a name.
func (c testCase) declare(name string) *onnxpb.ValueInfoProto {
	for _, v := range c.types {
		if v.Name == name {
			return v
		}
	}
	return &onnxpb.ValueInfoProto{Name: name}
}

func writeProto(t *testing.T, path string, m proto.Message) {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, b)
}

func writeFile(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func intAttr(name string, i int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeProto_INT, I: i}
}

func intsAttr(name string, x ...int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeProto_INTS, Ints: x}
}

func float(dims []int64, x ...float32) *onnxpb.TensorProto {
	return &onnxpb.TensorProto{DataType: 1, Dims: dims, FloatData: x}
}

func axes(x ...int64) *onnxpb.TensorProto {
	return &onnxpb.TensorProto{DataType: 7, Dims: []int64{int64(len(x))}, Int64Data: x}
}

// A dtype makes tensors of one element type, in either of the two forms.
type dtype struct {
	name  string
	typed func(dims []int64, x []int64) *onnxpb.TensorProto
	raw   func(x []int64) any
}

func converted[T any](x []int64, f func(int64) T) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}

func float32s(x []int64) []float32 { return converted(x, func(v int64) float32 { return float32(v) }) }
func float64s(x []int64) []float64 { return converted(x, func(v int64) float64 { return float64(v) }) }
func int32s(x []int64) []int32     { return converted(x, func(v int64) int32 { return int32(v) }) }
func uint64s(x []int64) []uint64   { return converted(x, func(v int64) uint64 { return uint64(v) }) }
func uint32s(x []int64) []uint32   { return converted(x, func(v int64) uint32 { return uint32(v) }) }

// bits16 takes the bits of 16-bit floats from a table.
func bits16(table map[int64]uint16) func(x []int64) []uint16 {
	return func(x []int64) []uint16 { return converted(x, func(v int64) uint16 { return table[v] }) }
}

func widened(x []uint16) []int32 {
	y := make([]int32, len(x))
	for i, v := range x {
		y[i] = int32(v)
	}
	return y
}

var (
	float16s  = bits16(map[int64]uint16{1: 0x3c00, 2: 0x4000, 3: 0x4200, 4: 0x4400, 5: 0x4500, 6: 0x4600, 7: 0x4700, 9: 0x4880})
	bfloat16s = bits16(map[int64]uint16{1: 0x3f80, 2: 0x4000, 3: 0x4040, 4: 0x4080, 5: 0x40a0, 6: 0x40c0, 7: 0x40e0, 9: 0x4110})
)

var dtypes = []dtype{
	{"float", func(d, x []int64) *onnxpb.TensorProto {
		return &onnxpb.TensorProto{DataType: 1, Dims: d, FloatData: float32s(x)}
	}, func(x []int64) any { return float32s(x) }},
	{"int32", func(d, x []int64) *onnxpb.TensorProto {
		return &onnxpb.TensorProto{DataType: 6, Dims: d, Int32Data: int32s(x)}
	}, func(x []int64) any { return int32s(x) }},
	{"int64", func(d, x []int64) *onnxpb.TensorProto {
		return &onnxpb.TensorProto{DataType: 7, Dims: d, Int64Data: x}
	}, func(x []int64) any { return x }},
	{"float16", func(d, x []int64) *onnxpb.TensorProto {
		return &onnxpb.TensorProto{DataType: 10, Dims: d, Int32Data: widened(float16s(x))}
	}, func(x []int64) any { return float16s(x) }},
	{"double", func(d, x []int64) *onnxpb.TensorProto {
		return &onnxpb.TensorProto{DataType: 11, Dims: d, DoubleData: float64s(x)}
	}, func(x []int64) any { return float64s(x) }},
	{"uint32", func(d, x []int64) *onnxpb.TensorProto {
		return &onnxpb.TensorProto{DataType: 12, Dims: d, Uint64Data: uint64s(x)}
	}, func(x []int64) any { return uint32s(x) }},
	{"uint64", func(d, x []int64) *onnxpb.TensorProto {
		return &onnxpb.TensorProto{DataType: 13, Dims: d, Uint64Data: uint64s(x)}
	}, func(x []int64) any { return uint64s(x) }},
	{"bfloat16", func(d, x []int64) *onnxpb.TensorProto {
		return &onnxpb.TensorProto{DataType: 16, Dims: d, Int32Data: widened(bfloat16s(x))}
	}, func(x []int64) any { return bfloat16s(x) }},
}

func (d dtype) tensor(raw bool, dims []int64, x []int64) *onnxpb.TensorProto {
	p := d.typed(dims, x)
	if !raw {
		return p
	}
	b, err := binary.Append(nil, binary.LittleEndian, d.raw(x))
	if err != nil {
		panic(err)
	}
	return &onnxpb.TensorProto{DataType: p.DataType, Dims: dims, RawData: b}
}

// [[1 2 3] [4 5 6]] over the last axis is [6 15]; over the first [5 7 9].
func TestRunTypes(t *testing.T) {
	for _, d := range dtypes {
		for _, raw := range []bool{false, true} {
			for _, opset := range []int64{1, 11, 13, 18} {
				t.Run(fmt.Sprintf("%s/raw=%t/opset=%d", d.name, raw, opset), func(t *testing.T) {
					in := d.tensor(raw, []int64{2, 3}, []int64{1, 2, 3, 4, 5, 6})
					c := testCase{opset: opset, names: []string{"data"}, inputs: []*onnxpb.TensorProto{in}}
					axis := int64(0)
					if opset >= 11 {
						axis = -2
					}
					if opset < 13 {
						c.attrs = append(c.attrs, intsAttr("axes", axis))
					} else {
						c.names = append(c.names, "axes")
						c.inputs = append(c.inputs, axes(axis))
					}
					dir := t.TempDir()
					c.outputs = []*onnxpb.TensorProto{d.tensor(raw, []int64{1, 3}, []int64{5, 7, 9})}
					c.write(t, dir)
					err := Run(dir)
					if d.name == "bfloat16" && opset < 13 {
						if err == nil || !strings.Contains(err.Error(), "only from opset 13 on") {
							t.Fatalf("bfloat16 in opset %d: %v", opset, err)
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					// The same case with a wrong entry must fail.
					c.outputs = []*onnxpb.TensorProto{d.tensor(raw, []int64{1, 3}, []int64{5, 6, 9})}
					c.write(t, dir)
					if err := Run(dir); err == nil || !strings.Contains(err.Error(), "the result at [0 1] is 7") {
						t.Errorf("wrong output: %v", err)
					}
				})
			}
		}
	}
}

// good are cases of float32 that pass, by what is special about them.
func TestRunForms(t *testing.T) {
	in := float([]int64{2, 3}, 1, 2, 3, 4, 5, 6)
	for name, c := range map[string]testCase{
		"defaults": {opset: 13, names: []string{"data"}, inputs: []*onnxpb.TensorProto{in},
			outputs: []*onnxpb.TensorProto{float([]int64{1, 1}, 21)}},
		"keepdims 0": {opset: 11, names: []string{"data"}, attrs: []*onnxpb.AttributeProto{intAttr("keepdims", 0)},
			inputs: []*onnxpb.TensorProto{in}, outputs: []*onnxpb.TensorProto{float(nil, 21)}},
		"axes left out by name": {opset: 13, names: []string{"data", ""}, inputs: []*onnxpb.TensorProto{in},
			outputs: []*onnxpb.TensorProto{float([]int64{1, 1}, 21)}},
		"empty axes, noop": {opset: 13, names: []string{"data", "axes"}, attrs: []*onnxpb.AttributeProto{intAttr("noop_with_empty_axes", 1)},
			inputs: []*onnxpb.TensorProto{in, axes()}, outputs: []*onnxpb.TensorProto{in}},
		"axes are an initializer": {opset: 13, names: []string{"data", "axes"},
			inits:  []*onnxpb.TensorProto{{Name: "axes", DataType: 7, Dims: []int64{1}, Int64Data: []int64{1}}},
			inputs: []*onnxpb.TensorProto{in}, outputs: []*onnxpb.TensorProto{float([]int64{2, 1}, 6, 15)}},
		"attributes without types": {opset: 6, names: []string{"data"},
			attrs:  []*onnxpb.AttributeProto{{Name: "axes", Ints: []int64{0, 1}}, {Name: "keepdims"}},
			inputs: []*onnxpb.TensorProto{in}, outputs: []*onnxpb.TensorProto{float(nil, 21)}},
		"empty tensor": {opset: 13, names: []string{"data", "axes"},
			inputs: []*onnxpb.TensorProto{float([]int64{2, 0, 1}), axes(1)}, outputs: []*onnxpb.TensorProto{float([]int64{2, 1, 1}, 0, 0)}},
		"within the tolerance": {opset: 13, names: []string{"data"}, inputs: []*onnxpb.TensorProto{in},
			outputs: []*onnxpb.TensorProto{float([]int64{1, 1}, 21.02)}},
		"nan": {opset: 13, names: []string{"data"}, inputs: []*onnxpb.TensorProto{{DataType: 1, Dims: []int64{1}, RawData: []byte{0, 0, 0xc0, 0x7f}}},
			outputs: []*onnxpb.TensorProto{{DataType: 1, Dims: []int64{1}, RawData: []byte{1, 0, 0xc0, 0xff}}}},
		"inf": {opset: 13, names: []string{"data"}, inputs: []*onnxpb.TensorProto{float([]int64{2}, 3e38, 3e38)},
			outputs: []*onnxpb.TensorProto{{DataType: 1, Dims: []int64{1}, RawData: []byte{0, 0, 0x80, 0x7f}}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.write(t, dir)
			if err := Run(dir); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRunErrors(t *testing.T) {
	in := float([]int64{2, 2}, 1, 2, 3, 4)
	ok := testCase{opset: 13, names: []string{"data", "axes"}, inputs: []*onnxpb.TensorProto{in, axes(1)}, outputs: []*onnxpb.TensorProto{float([]int64{2, 1}, 3, 7)}}
	for name, c := range map[string]struct {
		change func(c *testCase)
		want   string // "" for a pass
	}{
		"unchanged":                      {func(c *testCase) {}, ""},
		"value":                          {func(c *testCase) { c.outputs[0] = float([]int64{2, 1}, 3, 7.1) }, "the result at [1 0] is 7.0, 7.1 is expected"},
		"nan":                            {func(c *testCase) { c.outputs[0].FloatData[0] = float32(nan()) }, "the result at [0 0] is 3.0, nan is expected"},
		"inf":                            {func(c *testCase) { c.outputs[0].FloatData[0] = float32(1 / zero()) }, "the result at [0 0] is 3.0, inf is expected"},
		"shape":                          {func(c *testCase) { c.outputs[0].Dims = []int64{2} }, "shape [2 1], [2] is expected"},
		"type":                           {func(c *testCase) { c.outputs[0] = axes(3, 7) }, "type float32, int64 is expected"},
		"axes attribute in opset 13":     {func(c *testCase) { c.attrs = append(c.attrs, intsAttr("axes", 1)) }, "opset 13 has no attribute axes [1]"},
		"empty attribute in opset 13":    {func(c *testCase) { c.attrs = append(c.attrs, intsAttr("axes")) }, "opset 13 has no attribute axes"},
		"axes input in opset 11":         {func(c *testCase) { c.opset = 11 }, "opset 11 has no input axes [1]"},
		"empty axes input in opset 11":   {func(c *testCase) { c.opset = 11; c.inputs[1] = axes() }, "opset 11 has no input axes"},
		"noop in opset 11":               {func(c *testCase) { c.old(11, intAttr("noop_with_empty_axes", 0)) }, "opset 11 has no attribute noop_with_empty_axes"},
		"negative axis in opset 1":       {func(c *testCase) { c.old(1, intsAttr("axes", -1)) }, "opset 1 takes no negative axis -1"},
		"opset -1":                       {func(c *testCase) { c.opset = -1 }, "opset -1"},
		"keepdims 2":                     {func(c *testCase) { c.attrs = append(c.attrs, intAttr("keepdims", 2)) }, "keepdims is 2"},
		"keepdims of floats":             {func(c *testCase) { c.attrs = append(c.attrs, &onnxpb.AttributeProto{Name: "keepdims", Type: 6}) }, "keepdims is of type FLOATS, not INT"},
		"axes of one int":                {func(c *testCase) { c.old(11, intAttr("axes", 1)) }, "axes is of type INT, not INTS"},
		"attribute twice":                {func(c *testCase) { c.attrs = append(c.attrs, intAttr("keepdims", 1), intAttr("keepdims", 1)) }, "keepdims occurs twice"},
		"unknown attribute":              {func(c *testCase) { c.attrs = append(c.attrs, intAttr("axis", 1)) }, `no attribute "axis"`},
		"axis out of range":              {func(c *testCase) { c.inputs[1] = axes(2) }, "axis 2 of a tensor of rank 2"},
		"axes of int32":                  {func(c *testCase) { c.inputs[1].DataType = 6 }, "axes are of type INT32, not INT64"},
		"axes of rank 2":                 {func(c *testCase) { c.inputs[1].Dims = []int64{1, 1} }, "axes have dims [1 1]"},
		"three inputs":                   {func(c *testCase) { c.names = append(c.names, "more") }, `inputs ["data" "axes" "more"]`},
		"no data":                        {func(c *testCase) { c.names[0] = "" }, `inputs ["" "axes"]`},
		"file missing for an input":      {func(c *testCase) { c.inputs = c.inputs[:1] }, `no file for the input "axes"`},
		"file too many":                  {func(c *testCase) { c.inputs = append(c.inputs, in) }, "1 inputs more"},
		"no output":                      {func(c *testCase) { c.outputs = nil }, "0 expected outputs, the graph has 1"},
		"two outputs":                    {func(c *testCase) { c.outputs = append(c.outputs, in) }, "2 expected outputs, the graph has 1"},
		"input of a type that is not":    {func(c *testCase) { c.inputs[0] = &onnxpb.TensorProto{DataType: 9} }, "ReduceSum does not take the type BOOL"},
		"output of a type that is not":   {func(c *testCase) { c.outputs[0] = &onnxpb.TensorProto{DataType: 9} }, "output_0.pb: ReduceSum does not take the type BOOL"},
		"output of a type that none has": {func(c *testCase) { c.outputs[0] = &onnxpb.TensorProto{DataType: 99} }, "DataType 99"},
		"too few elements":               {func(c *testCase) { c.inputs[0] = float([]int64{2, 2}, 1, 2, 3) }, "3 elements of type FLOAT, dims [2 2] have 4"},
		"too few bytes":                  {func(c *testCase) { c.inputs[0] = rawFloat([]int64{2, 2}, 15) }, "there are 15 bytes of data, shape (2, 2) of type float32 needs 16"},
		"too many bytes":                 {func(c *testCase) { c.inputs[0] = rawFloat([]int64{2, 2}, 20) }, "there are 20 bytes of data"},
		"negative dimension":             {func(c *testCase) { c.inputs[0] = float([]int64{-1, 2}) }, "dimension -1 of dims [-1 2]"},
		"huge dimensions":                {func(c *testCase) { c.inputs[0] = float([]int64{1 << 31, 1 << 31}) }, "more elements than memory can hold"},
		"uint32 over its range": {func(c *testCase) {
			c.inputs[0] = &onnxpb.TensorProto{DataType: 12, Dims: []int64{1}, Uint64Data: []uint64{1 << 32}}
		}, "4294967296, which is no uint32"},
		"float16 over its range": {func(c *testCase) {
			c.inputs[0] = &onnxpb.TensorProto{DataType: 10, Dims: []int64{1}, Int32Data: []int32{-1}}
		}, "-1, which is not 16 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := ok
			bad.names = slices.Clone(ok.names)
			bad.inputs = []*onnxpb.TensorProto{proto.CloneOf(ok.inputs[0]), proto.CloneOf(ok.inputs[1])}
			bad.outputs = []*onnxpb.TensorProto{proto.CloneOf(ok.outputs[0])}
			c.change(&bad)
			dir := t.TempDir()
			bad.write(t, dir)
			err := Run(dir)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || errors.Is(err, ErrSkip) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// old turns the case into one of an older opset, without the input axes.
func (c *testCase) old(opset int64, attrs ...*onnxpb.AttributeProto) {
	c.opset, c.names, c.inputs, c.attrs = opset, c.names[:1], c.inputs[:1], attrs
}

func rawFloat(dims []int64, n int) *onnxpb.TensorProto {
	return &onnxpb.TensorProto{DataType: 1, Dims: dims, RawData: bytes.Repeat([]byte{0}, n)}
}

func zero() float64 { return 0 }
func nan() float64  { return zero() / zero() }

func TestRunSkips(t *testing.T) {
	in := []*onnxpb.TensorProto{float([]int64{1}, 1)}
	for name, c := range map[string]struct {
		testCase
		want string
	}{
		"another op": {testCase{opset: 13, op: "ReduceMean", names: []string{"data"}, inputs: in, outputs: in}, "the model is ReduceMean, without a ReduceSum"},
		"no data":    {testCase{opset: 13, names: []string{"data"}}, "no test_data_set_*"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.write(t, dir)
			if err := Run(dir); !errors.Is(err, ErrSkip) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want a skip with %q", err, c.want)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	node := func(domain, op string) *onnxpb.NodeProto { return &onnxpb.NodeProto{Domain: domain, OpType: op} }
	for want, nodes := range map[string][]*onnxpb.NodeProto{
		"Abs":                                 {node("ai.onnx", "Abs")},
		"com.example.ReduceSum":               {node("com.example", "ReduceSum")},
		"ReduceSum, Neg":                      {node("", "ReduceSum"), node("", "Neg")},
		"Abs, Abs, Abs, Abs, ... (5 nodes)":   slices.Repeat([]*onnxpb.NodeProto{node("", "Abs")}, 5),
		"Exp, Exp, Exp, Exp, ... (100 nodes)": slices.Repeat([]*onnxpb.NodeProto{node("", "Exp")}, 100),
		"Sub, Sub, Sub, Sub":                  slices.Repeat([]*onnxpb.NodeProto{node("", "Sub")}, 4),
	} {
		if got := describe(nodes); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestRunDamaged(t *testing.T) {
	for name, c := range map[string]struct {
		file, content, want string
	}{
		"model is not protobuf": {"model.onnx", "not a model", "not a ModelProto"},
		"model is empty":        {"model.onnx", "", "no nodes"},
		"input is not protobuf": {"test_data_set_0/input_0.pb", "not a tensor", "not a TensorProto"},
		"file is not numbered":  {"test_data_set_0/input_x.pb", "", "2 files input_*.pb, but no input_1.pb"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a[b]*c") // characters of patterns
			x := float([]int64{1}, 1)
			testCase{opset: 13, names: []string{"data"}, inputs: []*onnxpb.TensorProto{x}, outputs: []*onnxpb.TensorProto{x}}.write(t, dir)
			if err := Run(dir); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, c.file), []byte(c.content))
			if err := Run(dir); err == nil || errors.Is(err, ErrSkip) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// Every data set of a case counts.
func TestRunAllSets(t *testing.T) {
	dir := t.TempDir()
	x, y := float([]int64{1}, 1), float([]int64{1}, 2)
	testCase{opset: 13, names: []string{"data"}, inputs: []*onnxpb.TensorProto{x}, outputs: []*onnxpb.TensorProto{x}}.write(t, dir)
	writeProto(t, filepath.Join(dir, "test_data_set_1", "input_0.pb"), x)
	writeProto(t, filepath.Join(dir, "test_data_set_1", "output_0.pb"), y)
	if err := Run(dir); err == nil || !strings.Contains(err.Error(), "test_data_set_1: the result at [0]") {
		t.Errorf("got error %v", err)
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"b/model.onnx", "a/x/model.onnx", "a/y/other.onnx", "c/model.onnx/inside"} {
		writeFile(t, filepath.Join(root, p), nil)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err)
	}
	for _, dir := range []string{root, link, root + "/"} {
		got, err := Find(dir)
		want := []string{filepath.Join(dir, "a/x"), filepath.Join(dir, "b")}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Find(%s) = %v, %v; want %v", dir, got, err, want)
		}
	}
	if got, err := Find(filepath.Join(root, "b")); err != nil || !slices.Equal(got, []string{filepath.Join(root, "b")}) {
		t.Errorf("a case itself: %v, %v", got, err)
	}
	for dir, want := range map[string]string{
		"a/y":          "no model.onnx in or below",
		"b/model.onnx": "is not a directory",
		"missing":      "no such file",
	} {
		if _, err := Find(filepath.Join(root, dir)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Find(%s): error %v, want %q in it", dir, err, want)
		}
	}
}
