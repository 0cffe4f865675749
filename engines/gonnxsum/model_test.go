package gonnxsum

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/reducesum/reducesum"
	"github.com/x448/float16"
	"google.golang.org/protobuf/proto"
	"gorgonia.org/tensor"
)

func newTensor[T any](x []T, shape ...int) tensor.Tensor {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(x))
}

// matrix is the input of most models here: its columns sum to [5 7 9], its rows
// to [6 15].
func matrix() tensor.Tensor { return newTensor([]float32{1, 2, 3, 4, 5, 6}, 2, 3) }

// Every version of the operator, run by gonnx.
func TestOpsets(t *testing.T) {
	x, xAxes := []string{"x"}, []string{"x", "axes"}
	for _, c := range []struct {
		name  string
		model *onnx.ModelProto
		axes  tensor.Tensor // a second input
		shape []int
		want  []float32
	}{
		{"opset 1", model(1, node("ReduceSum", x, integers("axes", 0), integer("keepdims", 0))), nil, []int{3}, []float32{5, 7, 9}},
		{"opset 1, defaults", model(1, node("ReduceSum", x)), nil, []int{1, 1}, []float32{21}},
		{"opset 6", model(6, node("ReduceSum", x, integers("axes", 1))), nil, []int{2, 1}, []float32{6, 15}},
		{"opset 11", model(11, node("ReduceSum", x, integers("axes", -2), integer("keepdims", 0))), nil, []int{3}, []float32{5, 7, 9}},
		{"opset 12, all axes", model(12, node("ReduceSum", x, integers("axes", 1, 0), integer("keepdims", 0))), nil, []int{}, []float32{21}},
		{"opset 13", model(13, node("ReduceSum", xAxes)), newTensor([]int64{-1}, 1), []int{2, 1}, []float32{6, 15}},
		{"opset 13, no axes", model(13, node("ReduceSum", x)), nil, []int{1, 1}, []float32{21}},
		{"opset 13, axes left out", model(13, node("ReduceSum", []string{"x", ""})), nil, []int{1, 1}, []float32{21}},
		{"opset 13, empty axes", model(13, node("ReduceSum", xAxes)), newTensor([]int64{}, 0), []int{1, 1}, []float32{21}},
		{"opset 13, noop", model(13, node("ReduceSum", xAxes, integer("noop_with_empty_axes", 1))), newTensor([]int64{}, 0), []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}},
		{"opset 13, noop with axes", model(13, node("ReduceSum", xAxes, integer("noop_with_empty_axes", 1))), newTensor([]int64{0}, 1), []int{1, 3}, []float32{5, 7, 9}},
		{"opset 13, a scalar for axes", model(13, node("ReduceSum", xAxes)), tensor.New(tensor.FromScalar(int64(0))), []int{1, 3}, []float32{5, 7, 9}},
		{"opset 13, a view for axes", model(13, node("ReduceSum", xAxes)), everySecond([]int64{0, 7, 1, 7}), []int{1, 1}, []float32{21}},
		{"opset 18", model(18, node("ReduceSum", xAxes, integer("keepdims", 0))), newTensor([]int64{1, -1}, 2), []int{2}, []float32{6, 15}},
		{"no opset", withoutOpset(model(1, node("ReduceSum", x, integers("axes", 0)))), nil, []int{1, 3}, []float32{5, 7, 9}},
		{"another domain first", withDomain(model(1, node("ReduceSum", x, integers("axes", 0)))), nil, []int{1, 3}, []float32{5, 7, 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := NewModel(c.model)
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.Run(gonnx.Tensors{"x": matrix(), "axes": c.axes})
			if err != nil {
				t.Fatal(err)
			}
			y := out["y"].(*tensor.Dense)
			if got := y.Float32s(); !slices.Equal(got, c.want) || !slices.Equal(y.Shape(), c.shape) {
				t.Errorf("%v of shape %v, want %v of shape %v", got, y.Shape(), c.want, c.shape)
			}
		})
	}
}

func everySecond(x []int64) tensor.Tensor {
	v, err := newTensor(x, len(x)).Slice(tensor.S(0, len(x), 2))
	if err != nil {
		panic(err)
	}
	return v
}

func withoutOpset(m *onnx.ModelProto) *onnx.ModelProto {
	m.OpsetImport = nil
	return m
}

func withDomain(m *onnx.ModelProto) *onnx.ModelProto {
	m.OpsetImport = append([]*onnx.OperatorSetIdProto{{Domain: "ai.onnx.ml", Version: 3}}, m.OpsetImport...)
	return m
}

// What a model may not say is an error when it is loaded or run.
func TestErrors(t *testing.T) {
	x, xAxes := []string{"x"}, []string{"x", "axes"}
	bad := integer("keepdims", 1)
	bad.Type = onnx.AttributeProto_FLOAT
	noGraph := model(13)
	noGraph.Graph = nil
	for _, c := range []struct {
		name  string
		model *onnx.ModelProto
		x     tensor.Tensor
		axes  tensor.Tensor
		is    error // if it has a name
		says  string
	}{
		{"negative axis in opset 1", model(1, node("ReduceSum", x, integers("axes", -1))), matrix(), nil, reducesum.ErrONNX, "-1"},
		{"attribute axes in opset 13", model(13, node("ReduceSum", x, integers("axes", 1))), matrix(), nil, reducesum.ErrONNX, "axes"},
		{"empty attribute axes in opset 13", model(13, node("ReduceSum", x, integers("axes"))), matrix(), nil, reducesum.ErrONNX, "axes"},
		{"noop in opset 11", model(11, node("ReduceSum", x, integer("noop_with_empty_axes", 1))), matrix(), nil, reducesum.ErrONNX, "noop_with_empty_axes"},
		{"keepdims of 2", model(11, node("ReduceSum", x, integer("keepdims", 2))), matrix(), nil, reducesum.ErrONNX, "2"},
		{"input axes in opset 11", model(11, node("ReduceSum", xAxes)), matrix(), newTensor([]int64{0}, 1), nil, "2"},
		{"axis out of range", model(13, node("ReduceSum", xAxes)), matrix(), newTensor([]int64{2}, 1), reducesum.ErrAxis, "2"},
		{"axes of int32", model(13, node("ReduceSum", xAxes)), matrix(), newTensor([]int32{0}, 1), nil, "int32"},
		{"a matrix of axes", model(13, node("ReduceSum", xAxes)), matrix(), newTensor([]int64{0, 1}, 1, 2), nil, "list"},
		{"data of int8", model(13, node("ReduceSum", x)), newTensor([]int8{1}, 1), nil, nil, "int8"},
		{"no inputs", model(13, node("ReduceSum", nil)), matrix(), nil, nil, "0"},
		{"no data", model(13, node("ReduceSum", []string{""})), matrix(), nil, nil, "no data"},
		{"unknown attribute", model(13, node("ReduceSum", x, integer("select_last_index", 1))), matrix(), nil, nil, "select_last_index"},
		{"attribute of another type", model(13, node("ReduceSum", x, bad)), matrix(), nil, nil, "keepdims"},
		{"an operator that gonnx has not", model(13, node("ReduceMax", x)), matrix(), nil, ops.ErrUnsupportedOperator, "ReduceMax"},
		{"an operator of another opset", model(17, node("Relu", x)), matrix(), nil, ops.ErrUnsupportedOpsetVersion, "Relu"},
		{"opset 0", model(0, node("ReduceSum", x)), matrix(), nil, ErrModel, "0"},
		{"no graph", noGraph, matrix(), nil, ErrModel, "graph"},
		{"nil", nil, matrix(), nil, ErrModel, "graph"},
	} {
		m, err := NewModel(c.model)
		if err == nil {
			_, err = m.Run(gonnx.Tensors{"x": c.x, "axes": c.axes})
		}
		switch {
		case err == nil:
			t.Errorf("%s: no error", c.name)
		case c.is != nil && !errors.Is(err, c.is), !strings.Contains(err.Error(), c.says):
			t.Errorf("%s: error %v, want one that is %v and says %q", c.name, err, c.is, c.says)
		}
	}
}

// Every type that the operator takes and a gonnx tensor can hold.
func TestTypes(t *testing.T) {
	f16 := func(x float32) reducesum.Float16 { return float16.Fromfloat32(x) }
	for _, c := range []struct {
		x    tensor.Tensor
		want any
	}{
		{newTensor([]float32{1, 2, 4}, 3), float32(7)},
		{newTensor([]float64{1, 2, 4}, 3), float64(7)},
		{newTensor([]int32{1, 2, -4}, 3), int32(-1)},
		{newTensor([]int64{1, 2, -4}, 3), int64(-1)},
		{newTensor([]uint32{1, 2, 1<<32 - 1}, 3), uint32(2)},
		{newTensor([]uint64{1, 2, 1<<64 - 1}, 3), uint64(2)},
		// Gonnx reads no float16 from a file, but passes it on; Gorgonia gives
		// the bits.
		{newTensor([]reducesum.Float16{f16(1), f16(2), f16(4)}, 3), f16(7).Bits()},
		{newTensor([]reducesum.BFloat16{0x3f80, 0x4000, 0x4080}, 3), uint16(reducesum.BFloat16FromFloat32(7))},
	} {
		m, err := NewModel(model(13, node("ReduceSum", []string{"x"}, integer("keepdims", 0))))
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Run(gonnx.Tensors{"x": c.x})
		if err != nil {
			t.Errorf("%v: %v", c.x.Dtype(), err)
			continue
		}
		if got := out["y"].Data(); got != c.want {
			t.Errorf("%v: %v, want %v", c.x.Dtype(), got, c.want)
		}
	}
}

// A model that gonnx made runs ReduceSum once it is extended, and not before.
func TestExtend(t *testing.T) {
	data, err := proto.Marshal(rowSums())
	if err != nil {
		t.Fatal(err)
	}
	m, err := gonnx.NewModelFromBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	in := gonnx.Tensors{"x": newTensor([]float32{1, -2, 3, -4, 5, 6}, 2, 3)}
	if _, err := m.Run(in); !errors.Is(err, ops.ErrUnsupportedOperator) {
		t.Fatalf("gonnx runs ReduceSum by itself, or fails of something else: %v", err)
	}
	if err := Extend(m, reducesum.WithWorkers(2)); err != nil {
		t.Fatal(err)
	}
	out, err := m.Run(in)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out["y"].Data().([]float32), []float32{4, 11}; !slices.Equal(got, want) {
		t.Errorf("row sums %v, want %v", got, want)
	}
}

// A bad option is an error of whatever takes options, and no model then runs
// without it.
func TestBadOptions(t *testing.T) {
	data, err := proto.Marshal(rowSums())
	if err != nil {
		t.Fatal(err)
	}
	older := model(11, node("ReduceSum", []string{"x"}))
	for name, c := range map[string]struct {
		option reducesum.Option
		is     error
		says   string
	}{
		"workers": {reducesum.WithWorkers(-2), reducesum.ErrWorkers, "-2"},
		"no pool": {reducesum.WithPool(nil), reducesum.ErrPool, "nil"},
		"strides": {reducesum.WithStrides([]int{3, 1}), reducesum.ErrStride, "[3 1]"},
	} {
		for builder, build := range map[string]func(...reducesum.Option) (any, error){
			"NewReduceSum":        func(o ...reducesum.Option) (any, error) { return orNothing(NewReduceSum(13, o...)) },
			"NewModel":            func(o ...reducesum.Option) (any, error) { return orNothing(NewModel(rowSums(), o...)) },
			"NewModel, opset 11":  func(o ...reducesum.Option) (any, error) { return orNothing(NewModel(older, o...)) },
			"NewModelFromBytes":   func(o ...reducesum.Option) (any, error) { return orNothing(NewModelFromBytes(data, o...)) },
			"NewModelFromFile":    func(o ...reducesum.Option) (any, error) { return orNothing(NewModelFromFile(rowSumsFile, o...)) },
			"Extend":              func(o ...reducesum.Option) (any, error) { return nil, Extend(&gonnx.Model{}, o...) },
			"Extend with another": func(o ...reducesum.Option) (any, error) { return nil, Extend(&gonnx.Model{}, append(o, nil)...) },
		} {
			got, err := build(reducesum.WithWorkers(2), c.option)
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || got != nil {
				t.Errorf("%s, %s: %v, error %v, want one that is %v and says %q", builder, name, got, err, c.is, c.says)
			}
			if _, err := build(reducesum.WithWorkers(2), nil); err != nil {
				t.Errorf("%s with good options: %v", builder, err)
			}
		}
	}
	if _, err := NewReduceSum(0); !errors.Is(err, reducesum.ErrONNX) {
		t.Errorf("opset 0: error %v", err)
	}
	if err := Extend(nil); !errors.Is(err, ErrModel) {
		t.Errorf("no model: error %v", err)
	}
}

// orNothing returns nil for a nil pointer.
func orNothing[T any](p *T, err error) (any, error) {
	if p == nil {
		return nil, err
	}
	return p, err
}

// One model runs in several goroutines at the same time.
func TestConcurrentRuns(t *testing.T) {
	m, err := NewModelFromFile(rowSumsFile, reducesum.WithWorkers(2))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			x := newTensor([]float32{1, float32(i), 3}, 1, 3)
			out, err := m.Run(gonnx.Tensors{"x": x})
			if err != nil {
				t.Error(err)
				return
			}
			if got, want := out["y"].Data().([]float32)[0], float32(4+i); got != want {
				t.Errorf("sum %v, want %v", got, want)
			}
		})
	}
	wg.Wait()
}

// A file that is none, or no model, is an error.
func TestBadFiles(t *testing.T) {
	for path, says := range map[string]string{"testdata/none.onnx": "none.onnx", "model_test.go": "proto"} {
		if _, err := NewModelFromFile(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want one that says %q", path, err, says)
		}
	}
}
