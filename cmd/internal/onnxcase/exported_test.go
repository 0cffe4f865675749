package onnxcase

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/reducesum/reducesum/cmd/internal/alloctest"
	"github.com/reducesum/reducesum/cmd/internal/onnxpb"
)

func node(op, out string, in ...string) *onnxpb.NodeProto {
	return &onnxpb.NodeProto{OpType: op, Input: in, Output: []string{out}}
}

// constantNode makes a Constant.
func constantNode(out string, attrs ...*onnxpb.AttributeProto) *onnxpb.NodeProto {
	n := node("Constant", out)
	n.Attribute = attrs
	return n
}

func tensorAttr(t *onnxpb.TensorProto) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: "value", Type: onnxpb.AttributeProto_TENSOR, T: t}
}

// info declares a name; a dimension of -1 is not known, of -2 has a name.
func info(name string, elem int32, dims ...int64) *onnxpb.ValueInfoProto {
	shape := new(onnxpb.TensorShapeProto)
	for _, d := range dims {
		dim := new(onnxpb.TensorShapeProto_Dimension)
		switch {
		case d == -2:
			dim.Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: "N"}
		case d >= 0:
			dim.Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: d}
		}
		shape.Dim = append(shape.Dim, dim)
	}
	tensor := &onnxpb.TypeProto_Tensor{ElemType: elem, Shape: shape}
	return &onnxpb.ValueInfoProto{Name: name, Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: tensor}}}
}

func initializer(name string, t *onnxpb.TensorProto) *onnxpb.TensorProto {
	t = proto.CloneOf(t)
	t.Name = name
	return t
}

func versions(domainVersion ...any) []*onnxpb.OperatorSetIdProto {
	v := []*onnxpb.OperatorSetIdProto{} // not nil: none is something else
	for i := 0; i < len(domainVersion); i += 2 {
		v = append(v, &onnxpb.OperatorSetIdProto{Domain: domainVersion[i].(string), Version: int64(domainVersion[i+1].(int))})
	}
	return v
}

// exported returns a case that sums [[1 2 3] [4 5 6]] over the axis 1, which the
// node "axes" is left to make.
func exported(before ...*onnxpb.NodeProto) testCase {
	return testCase{
		opset: 13, before: before, names: []string{"data", "axes"}, inNames: []string{"data"},
		inputs:  []*onnxpb.TensorProto{float([]int64{2, 3}, 1, 2, 3, 4, 5, 6)},
		outputs: []*onnxpb.TensorProto{float([]int64{2, 1}, 6, 15)},
	}
}

func TestExported(t *testing.T) {
	rawAxes := &onnxpb.TensorProto{DataType: 7, Dims: []int64{1}, RawData: binary.LittleEndian.AppendUint64(nil, 1)}
	one := constantNode("axes", intsAttr("value_ints", 1))
	with := func(c testCase, change func(c *testCase)) testCase {
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		testCase
		want string // "" for a pass, else of an error
	}{
		"value":                  {exported(constantNode("axes", tensorAttr(axes(1)))), ""},
		"raw value":              {exported(constantNode("axes", tensorAttr(rawAxes))), ""},
		"value_ints":             {exported(one), ""},
		"value_int":              {exported(constantNode("axes", intAttr("value_int", 1))), ""},
		"negative value_int":     {exported(constantNode("axes", intAttr("value_int", -1))), ""},
		"Identity":               {exported(constantNode("a", intsAttr("value_ints", 1)), node("Identity", "axes", "a")), ""},
		"Identities":             {exported(node("Identity", "axes", "b"), node("Identity", "b", "a"), constantNode("a", intsAttr("value_ints", 1))), ""},
		"Identity of data":       {with(exported(one, node("Identity", "x", "data")), func(c *testCase) { c.names[0] = "x" }), ""},
		"Identity of the result": {with(exported(one), func(c *testCase) { c.after = append(c.after, node("Identity", "out", "reduced")); c.output = "out" }), ""},
		"data is a Constant": {with(exported(one, constantNode("x", tensorAttr(float([]int64{2, 3}, 1, 2, 3, 4, 5, 6)))), func(c *testCase) {
			c.names[0], c.inNames, c.inputs = "x", []string{}, nil
		}), ""},
		"data is value_floats": {with(exported(constantNode("x", &onnxpb.AttributeProto{Name: "value_floats", Floats: []float32{1, 2}}), constantNode("axes", intAttr("value_int", 0))), func(c *testCase) {
			c.names[0], c.inNames, c.inputs, c.outputs[0] = "x", []string{}, nil, float([]int64{1}, 3)
		}), ""},
		"two ReduceSums": {with(exported(one), func(c *testCase) {
			c.after = append(c.after, node("ReduceSum", "all", "reduced"))
			c.output, c.outputs[0] = "all", float([]int64{1, 1}, 21)
		}), ""},
		"nodes that are not needed": {with(exported(one, node("Exp", "unused", "data"), node("Shape", "s", "data")), func(c *testCase) {
			c.after = append(c.after, node("Log", "l", "reduced"))
		}), ""},
		"domain ai.onnx":            {with(exported(one), func(c *testCase) { c.imports = versions("ai.onnx", 13) }), ""},
		"imported twice":            {with(exported(one), func(c *testCase) { c.imports = versions("", 1, "", 13) }), ""},
		"imported by both names":    {with(exported(one), func(c *testCase) { c.imports = versions("ai.onnx", 13, "x", 99, "", 1) }), ""},
		"initializer":               {with(exported(), func(c *testCase) { c.inits = append(c.inits, initializer("axes", axes(1))) }), ""},
		"initializer with raw data": {with(exported(), func(c *testCase) { c.inits = append(c.inits, initializer("axes", rawAxes)) }), ""},
		"default that is used": {with(exported(), func(c *testCase) {
			c.inNames, c.inits = []string{"data", "axes"}, append(c.inits, initializer("axes", axes(1)))
		}), ""},
		"default that is overridden": {with(exported(), func(c *testCase) {
			c.inNames, c.inits = []string{"data", "axes"}, append(c.inits, initializer("axes", axes(0)))
			c.inputs = append(c.inputs, axes(1))
		}), ""},
		"one of two defaults overridden": {with(exported(), func(c *testCase) {
			c.inNames, c.inits = []string{"data", "axes", "more"}, append(c.inits, initializer("axes", axes(0)), initializer("more", axes(0)))
			c.inputs = []*onnxpb.TensorProto{initializer("axes", axes(1)), initializer("data", c.inputs[0])}
		}), ""},
		"one of two, not told which": {with(exported(), func(c *testCase) {
			c.inNames, c.inits = []string{"data", "axes", "more"}, append(c.inits, initializer("axes", axes(0)), initializer("more", axes(0)))
			c.inputs = append(c.inputs, axes(1))
		}), `2 inputs, the graph 3, of which 2 have defaults, and the name "" does not tell`},
		"one of two, twice": {with(exported(), func(c *testCase) {
			c.inNames, c.inits = []string{"data", "axes", "more"}, append(c.inits, initializer("axes", axes(0)), initializer("more", axes(0)))
			c.inputs = []*onnxpb.TensorProto{initializer("axes", axes(1)), initializer("axes", axes(1))}
		}), `the name "axes" does not tell`},
		"one of two, but data": {with(exported(), func(c *testCase) {
			c.inNames, c.inits = []string{"data", "axes", "more"}, append(c.inits, initializer("axes", axes(0)), initializer("more", axes(0)))
			c.inputs = []*onnxpb.TensorProto{initializer("axes", axes(1)), initializer("more", axes(1))}
		}), `no file for the input "data"`},
		"declared": {with(exported(one), func(c *testCase) {
			c.types = append(c.types, info("data", 1, 2, 3), info("reduced", 1, 2, 1))
		}), ""},
		"declared in part": {with(exported(one), func(c *testCase) {
			c.types = append(c.types, info("data", 0, -1, 3), info("reduced", 1, -2, -1), &onnxpb.ValueInfoProto{Name: "axes"})
		}), ""},

		"no opset":              {with(exported(one), func(c *testCase) { c.imports = versions("com.microsoft", 1) }), "imports no opset of ONNX's own operators"},
		"no import":             {with(exported(one), func(c *testCase) { c.imports = versions() }), "imports no opset of ONNX's own operators"},
		"opset 0":               {with(exported(one), func(c *testCase) { c.imports = versions("", 0) }), "opset 0"},
		"axes from another op":  {exported(constantNode("a", intAttr("value_int", 1)), node("Cast", "axes", "a")), `the axes of the node that makes "reduced" (ReduceSum) come from the node that makes "axes" (Cast), which is neither Constant nor Identity`},
		"Cast behind Identity":  {exported(node("Identity", "axes", "b"), &onnxpb.NodeProto{Name: "c7", OpType: "Cast", Input: []string{"data"}, Output: []string{"b"}}), `come from node "c7" (Cast)`},
		"axes of another's op":  {exported(&onnxpb.NodeProto{Domain: "x", OpType: "Constant", Output: []string{"axes"}}), "(x.Constant), which is neither"},
		"axes of no one":        {exported(), `no value for the input "axes"`},
		"axes of themselves":    {exported(node("Identity", "axes", "axes")), `the value "axes" needs itself`},
		"Identities in a ring":  {exported(node("Identity", "axes", "b"), node("Identity", "b", "axes")), "needs itself"},
		"data of itself":        {with(exported(one), func(c *testCase) { c.names[0] = "reduced" }), `the value "reduced" needs itself`},
		"made twice":            {exported(one, constantNode("axes", intsAttr("value_ints", 1))), `two nodes make the value "axes"`},
		"Identity of nothing":   {exported(node("Identity", "axes")), `inputs [], not one`},
		"value without tensor":  {exported(constantNode("axes", &onnxpb.AttributeProto{Name: "value", Type: 4})), `the node that makes "axes" (Constant): the attribute value has no tensor`},
		"sparse_value":          {exported(constantNode("axes", &onnxpb.AttributeProto{Name: "sparse_value", Type: 11})), `the attribute "sparse_value" is not a tensor of numbers`},
		"value_float":           {exported(constantNode("axes", &onnxpb.AttributeProto{Name: "value_float", Type: 1, F: 1})), "axes are of type FLOAT, not INT64"},
		"value_ints of strings": {exported(constantNode("axes", &onnxpb.AttributeProto{Name: "value_ints", Type: 8})), "value_ints is of type STRINGS, not INTS"},
		"no attribute":          {exported(constantNode("axes")), "0 attributes, not one value"},
		"two attributes":        {exported(constantNode("axes", intAttr("value_int", 1), intsAttr("value_ints", 1))), "2 attributes, not one value"},
		"declared type":         {with(exported(one), func(c *testCase) { c.types = append(c.types, info("data", 11, 2, 3)) }), `the graph declares "data" of type DOUBLE, its value is of type FLOAT`},
		"declared shape":        {with(exported(one), func(c *testCase) { c.types = append(c.types, info("data", 1, -2, 4)) }), `the graph declares "data" of shape [N 4], its value has the shape [2 3]`},
		"declared rank":         {with(exported(one), func(c *testCase) { c.types = append(c.types, info("data", 1, -1)) }), `the graph declares "data" of shape [?], its value has the shape [2 3]`},
		"declared result":       {with(exported(one), func(c *testCase) { c.types = append(c.types, info("reduced", 1, 2)) }), `the graph declares "reduced" of shape [2], its value has the shape [2 1]`},
		"declared output": {with(exported(one), func(c *testCase) {
			c.after = append(c.after, node("Identity", "out", "reduced"))
			c.output, c.types = "out", append(c.types, info("out", 1, 2, 3))
		}), `the graph declares "out" of shape [2 3], its value has the shape [2 1]`},
		"declared initializer": {with(exported(), func(c *testCase) {
			c.inNames, c.inits = []string{"data", "axes"}, append(c.inits, initializer("axes", axes(1)))
			c.types = append(c.types, info("axes", 7, 2))
		}), `the graph declares "axes" of shape [2], its value has the shape [1]`},
		"a result beyond memory": {with(exported(one), func(c *testCase) {
			c.inputs[0] = float([]int64{1 << 40, 0})
		}), "the result of shape (1099511627776, 1) and type float32 does not fit into memory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.write(t, dir)
			err := Run(dir)
			if c.want == "" && err != nil {
				t.Error(err)
			}
			if c.want != "" && (err == nil || errors.Is(err, ErrSkip) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// Models whose outputs need other operators are none of ours.
func TestOtherOperators(t *testing.T) {
	one := constantNode("axes", intsAttr("value_ints", 1))
	before := exported(one, &onnxpb.NodeProto{Name: "e", OpType: "Exp", Input: []string{"data"}, Output: []string{"x"}})
	before.names[0] = "x"
	after := exported(one)
	after.after, after.output = append(after.after, node("Log", "out", "reduced")), "out"
	beside := exported(one)
	beside.output = "data"
	for want, c := range map[string]testCase{
		`node "e" (Exp) is none of ReduceSum, Constant and Identity`: before,
		`the node that makes "out" (Log) is none of`:                 after,
		`the output "data" is "data" itself, not a ReduceSum`:        beside,
	} {
		dir := t.TempDir()
		c.write(t, dir)
		if err := Run(dir); !errors.Is(err, ErrSkip) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want a skip with %q", err, want)
		}
	}
}

func TestExternalData(t *testing.T) {
	external := func(entries ...string) *onnxpb.TensorProto {
		p := &onnxpb.TensorProto{DataType: 1, Dims: []int64{2, 3}, DataLocation: onnxpb.TensorProto_EXTERNAL}
		for i := 0; i < len(entries); i += 2 {
			p.ExternalData = append(p.ExternalData, &onnxpb.StringStringEntryProto{Key: entries[i], Value: entries[i+1]})
		}
		return p
	}
	data, err := binary.Append(make([]byte, 5), binary.LittleEndian, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		tensor *onnxpb.TensorProto
		want   string
	}{
		"offset and length": {external("location", "w.bin", "offset", "5", "length", "24"), ""},
		"offset":            {external("location", "w.bin", "offset", "5", "checksum", "x"), ""},
		"in a folder":       {external("location", "sub/w.bin", "offset", "5"), ""},
		"no offset":         {external("location", "exact.bin"), ""},
		"no location":       {external("offset", "5"), "it has no location"},
		"no file":           {external("location", "missing.bin"), "missing.bin"},
		"a folder":          {external("location", "sub"), "sub is not a regular file"},
		"above":             {external("location", "../outside.bin", "offset", "5"), "escapes"},
		"above, from below": {external("location", "sub/../../outside.bin", "offset", "5"), "escapes"},
		"absolute":          {external("location", "/etc/hostname"), "escapes"},
		"a link to above":   {external("location", "link.bin", "offset", "5"), "escapes"},
		"wrong length":      {external("location", "w.bin", "offset", "5", "length", "20"), "a length of 20 bytes, dims [2 3] of type FLOAT need 24"},
		"too far":           {external("location", "w.bin", "offset", "6"), "w.bin has 29 bytes, not the 24 bytes from 6 on"},
		"much too far":      {external("location", "w.bin", "offset", "9223372036854775807"), "from 9223372036854775807 on"},
		"negative":          {external("location", "w.bin", "offset", "-5"), `offset: "-5" is no number of bytes`},
		"words":             {external("location", "w.bin", "length", "all"), `length: "all" is no number of bytes`},
	} {
		for _, where := range []string{"model", "data set"} {
			root := t.TempDir()
			dir := filepath.Join(root, "case")
			c1 := exported(constantNode("axes", intsAttr("value_ints", 1)))
			folder := dir
			if where == "model" {
				c1.inNames, c1.inputs = []string{}, nil
				c1.inits = []*onnxpb.TensorProto{initializer("data", c.tensor)}
			} else {
				c1.inputs[0] = c.tensor
				folder = filepath.Join(dir, "test_data_set_0")
			}
			c1.write(t, dir)
			writeFile(t, filepath.Join(folder, "w.bin"), data)
			writeFile(t, filepath.Join(folder, "exact.bin"), data[5:])
			writeFile(t, filepath.Join(folder, "sub", "w.bin"), data)
			writeFile(t, filepath.Join(filepath.Dir(folder), "outside.bin"), data)
			if err := os.Symlink("../outside.bin", filepath.Join(folder, "link.bin")); err != nil {
				t.Skip(err)
			}
			err := Run(dir)
			if c.want == "" && err != nil {
				t.Errorf("%s, %s: %v", name, where, err)
			}
			if c.want != "" && (err == nil || errors.Is(err, ErrSkip) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, %s: error %v, want %q in it", name, where, err, c.want)
			}
		}
	}
}

// richModel is a case in which much can go wrong.
func richModel() testCase {
	c := exported(constantNode("a", tensorAttr(axes(1))), node("Identity", "axes", "a"))
	c.attrs = append(c.attrs, intAttr("keepdims", 1))
	c.types = append(c.types, info("data", 1, 2, 3), info("reduced", 1, -2, 1))
	c.inits = append(c.inits, initializer("unused", float([]int64{2}, 1, 2)))
	return c
}

// One bit that is wrong, anywhere in a model or its data, makes an error or a
// result, and neither a panic nor a hang.
func TestMutants(t *testing.T) {
	seed := rand.Uint64()
	if v, err := strconv.ParseUint(os.Getenv("REDUCESUM_SEED"), 10, 64); err == nil {
		seed = v
	}
	t.Logf("REDUCESUM_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	richModel().write(t, dir)
	if err := Run(dir); err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, name := range []string{"model.onnx", "test_data_set_0/input_0.pb", "test_data_set_0/output_0.pb"} {
		path := filepath.Join(dir, name)
		valid, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n := 2000
		if name != "model.onnx" {
			n = 200
		}
		for range n {
			bit := r.IntN(8 * len(valid))
			mutant := append([]byte{}, valid...)
			mutant[bit/8] ^= 1 << (bit % 8)
			writeFile(t, path, mutant)
			if err := Run(dir); err == nil {
				passed++
			}
		}
		writeFile(t, path, valid)
	}
	t.Logf("%d mutants pass", passed)
}

func FuzzRun(f *testing.F) {
	dir := f.TempDir()
	richModel().write(&testing.T{}, dir)
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		return b
	}
	f.Add(read("model.onnx"), read("test_data_set_0/input_0.pb"), read("test_data_set_0/output_0.pb"))
	f.Fuzz(func(t *testing.T, model, input, output []byte) {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "model.onnx"), model)
		writeFile(t, filepath.Join(dir, "test_data_set_0", "input_0.pb"), input)
		writeFile(t, filepath.Join(dir, "test_data_set_0", "output_0.pb"), output)
		alloctest.Check(t, len(model)+len(input)+len(output), func() {
			_ = Run(dir) // any error, but no panic
		})
	})
}
