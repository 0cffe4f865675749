package reducesum

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestONNXNode checks what each opset allows, and ONNX's defaults.
func TestONNXNode(t *testing.T) {
	zero, one, two := ptr(0), ptr(1), ptr(2)
	axes := func(a ...int64) []int64 { return a }
	for _, c := range []struct {
		node ONNXNode
		want Op
		err  string // what the message has to name; empty: none
	}{
		// Absent attributes get ONNX's defaults.
		{ONNXNode{Opset: 1}, Op{KeepDims: true}, ""},
		{ONNXNode{Opset: 11}, Op{KeepDims: true}, ""},
		{ONNXNode{Opset: 13}, Op{KeepDims: true}, ""},
		{ONNXNode{Opset: 10, KeepDims: zero}, Op{}, ""},
		{ONNXNode{Opset: 25, KeepDims: one}, Op{KeepDims: true}, ""},

		{ONNXNode{Opset: 1, AxesAttribute: axes(2, 0)}, Op{Axes: []int{2, 0}, KeepDims: true}, ""},
		{ONNXNode{Opset: 1, AxesAttribute: axes(2, -1)}, Op{}, "-1"},
		{ONNXNode{Opset: 10, AxesAttribute: axes(-1)}, Op{}, "opset 10"},
		{ONNXNode{Opset: 11, AxesAttribute: axes(-1)}, Op{Axes: []int{-1}, KeepDims: true}, ""},
		{ONNXNode{Opset: 12, AxesAttribute: axes(-1, 2)}, Op{Axes: []int{-1, 2}, KeepDims: true}, ""},
		{ONNXNode{Opset: 13, AxesAttribute: axes(1)}, Op{}, "axes [1]"},
		{ONNXNode{Opset: 13, AxesInput: axes(1, -2), KeepDims: zero}, Op{Axes: []int{1, -2}}, ""},
		{ONNXNode{Opset: 12, AxesInput: axes(1)}, Op{}, "input axes [1]"},
		{ONNXNode{Opset: 1, AxesInput: []int64{}}, Op{}, "input axes"},

		{ONNXNode{Opset: 13, NoopWithEmptyAxes: one}, Op{KeepDims: true, NoopWithEmptyAxes: true}, ""},
		{ONNXNode{Opset: 13, NoopWithEmptyAxes: zero, AxesInput: []int64{}}, Op{KeepDims: true}, ""},
		{ONNXNode{Opset: 12, NoopWithEmptyAxes: one}, Op{}, "noop_with_empty_axes"},
		{ONNXNode{Opset: 13, NoopWithEmptyAxes: two}, Op{}, "2"},
		{ONNXNode{Opset: 11, KeepDims: two}, Op{}, "keepdims"},
		{ONNXNode{Opset: 11, KeepDims: ptr(-1)}, Op{}, "-1"},

		{ONNXNode{Opset: 0}, Op{}, "opset 0"},
		{ONNXNode{Opset: -3}, Op{}, "opset -3"},
		{ONNXNode{Opset: 11, AxesAttribute: axes(math.MaxInt64)}, Op{}, "9223372036854775807"},
		{ONNXNode{Opset: 13, AxesInput: axes(math.MinInt64)}, Op{}, "-9223372036854775808"},

		{ONNXNode{Opset: 1, DataType: 1}, Op{KeepDims: true}, ""},
		{ONNXNode{Opset: 11, DataType: 13}, Op{KeepDims: true}, ""},
		{ONNXNode{Opset: 12, DataType: 16}, Op{}, "opset 12"},
		{ONNXNode{Opset: 13, DataType: 16}, Op{KeepDims: true}, ""},
		{ONNXNode{Opset: 13, DataType: 9}, Op{}, "DataType 9"},
		{ONNXNode{Opset: 13, DataType: -1}, Op{}, "DataType -1"},
	} {
		got, err := c.node.Op()
		if c.err != "" {
			if !errors.Is(err, ErrONNX) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%+v: error %v, want one that names %q", c.node, err, c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got.Axes, c.want.Axes) || got.KeepDims != c.want.KeepDims || got.NoopWithEmptyAxes != c.want.NoopWithEmptyAxes {
			t.Errorf("%+v: %+v, %v, want %+v", c.node, got, err, c.want)
		}
	}
}

func ptr(v int64) *int64 { return &v }
