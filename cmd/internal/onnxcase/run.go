package onnxcase

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/onnxpb"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// ErrSkip marks a case that says nothing about ReduceSum.
var ErrSkip = errors.New("skipped")

// Run runs the case in dir. It returns nil when every data set gives the
// expected output, an error that wraps [ErrSkip] when the model is not a single
// ReduceSum node or has no data, and otherwise what is wrong and where.
func Run(dir string, opts ...reducesum.Option) error {
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
		if err := m.runSet(set, opts); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(set), err)
		}
	}
	return nil
}

// runSet runs the model on one data set.
func (m model) runSet(dir string, opts []reducesum.Option) error {
	inputs, err := readTensors(dir, "input")
	if err != nil {
		return err
	}
	outputs, err := readTensors(dir, "output")
	if err != nil {
		return err
	}
	if len(outputs) != 1 {
		return fmt.Errorf("%d expected outputs, ReduceSum has 1", len(outputs))
	}
	got, err := m.apply(inputs, opts)
	if err != nil {
		return err
	}
	want, err := toTensor(outputs[0])
	if err != nil {
		return fmt.Errorf("output_0.pb: %w", err)
	}
	return compare(got, want)
}

// apply runs the node on the inputs of a data set.
func (m model) apply(inputs []*onnxpb.TensorProto, opts []reducesum.Option) (tensor.Tensor, error) {
	values, err := m.bind(inputs)
	if err != nil {
		return nil, err
	}
	data := values[m.node.Input[0]]
	if data == nil {
		return nil, fmt.Errorf("no value for the input %q", m.node.Input[0])
	}
	node, err := m.onnxNode()
	if err != nil {
		return nil, err
	}
	node.DataType = data.DataType
	if len(m.node.Input) == 2 && m.node.Input[1] != "" {
		axes := values[m.node.Input[1]]
		if axes == nil {
			return nil, fmt.Errorf("no value for the input %q", m.node.Input[1])
		}
		if node.AxesInput, err = toAxes(axes); err != nil {
			return nil, err
		}
	}
	op, err := node.Op()
	if err != nil {
		return nil, err
	}
	x, err := toTensor(data)
	if err != nil {
		return nil, fmt.Errorf("input %q: %w", m.node.Input[0], err)
	}
	return x.ReduceSum(op, opts...)
}

// readTensors reads kind_0.pb, kind_1.pb, ... of a data set, in that order.
func readTensors(dir, kind string) ([]*onnxpb.TensorProto, error) {
	files, err := filepath.Glob(filepath.Join(escapeGlob(dir), kind+"_*.pb"))
	if err != nil {
		return nil, err
	}
	tensors := make([]*onnxpb.TensorProto, len(files))
	for i := range files {
		name := kind + "_" + strconv.Itoa(i) + ".pb"
		if !slices.Contains(files, filepath.Join(dir, name)) {
			return nil, fmt.Errorf("%d files %s_*.pb, but no %s", len(files), kind, name)
		}
		tensors[i] = new(onnxpb.TensorProto)
		if err := readProto(filepath.Join(dir, name), tensors[i]); err != nil {
			return nil, err
		}
	}
	return tensors, nil
}

// escapeGlob makes a path match itself only.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
