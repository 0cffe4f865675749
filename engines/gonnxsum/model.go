// Package gonnxsum gives gonnx (github.com/advancedclimatesystems/gonnx), which
// runs ONNX models and has no ReduceSum, one.
//
// [NewModelFromFile] and its siblings make a model that has it; [Extend] gives
// it to a model that gonnx made.
package gonnxsum

import (
	"errors"
	"fmt"
	"os"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/reducesum/reducesum"
)

// ErrModel says that a model cannot be run; the error that wraps it says why.
var ErrModel = errors.New("gonnxsum: cannot run this model")

// opType is the name of the operator in a model.
const opType = "ReduceSum"

// gonnxOpset is the opset whose operators gonnx v1.1.0 has, and the only one.
const gonnxOpset = 13

// NewModelFromFile reads the model of a file and makes it ready to run, as
// [NewModel] does.
func NewModelFromFile(path string, opts ...reducesum.Option) (*gonnx.Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := NewModelFromBytes(data, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// NewModelFromBytes makes the model that data holds ready to run, as [NewModel]
// does.
func NewModelFromBytes(data []byte, opts ...reducesum.Option) (*gonnx.Model, error) {
	mp, err := gonnx.ModelProtoFromBytes(data)
	if err != nil {
		return nil, err
	}
	return NewModel(mp, opts...)
}

// NewModel makes a model ready to run, ReduceSum nodes included, which sum with
// options such as [reducesum.WithWorkers] and [reducesum.WithPool].
//
// All operators of gonnx are of opset 13. A model of another opset, which gonnx
// does not take, can have no other nodes than ReduceSum.
func NewModel(mp *onnx.ModelProto, opts ...reducesum.Option) (*gonnx.Model, error) {
	opset, err := opsetOf(mp)
	if err != nil {
		return nil, err
	}
	if opset == gonnxOpset {
		m, err := gonnx.NewModel(mp)
		if err != nil {
			return nil, err
		}
		Extend(m, opts...)
		return m, nil
	}
	for _, n := range mp.GetGraph().GetNode() {
		if n.GetOpType() != opType {
			return nil, fmt.Errorf("%w: opset %d, %w: node %q is a %s, and gonnx has operators of opset %d alone",
				ErrModel, opset, ops.ErrUnsupportedOpsetVersion, n.GetName(), n.GetOpType(), gonnxOpset)
		}
	}
	// Of what a model says gonnx reads the graph, and the opset to choose its
	// operators, of which this model uses none.
	m, err := gonnx.NewModel(&onnx.ModelProto{
		IrVersion:   mp.GetIrVersion(),
		OpsetImport: []*onnx.OperatorSetIdProto{{Version: gonnxOpset}},
		Graph:       mp.GetGraph(),
	})
	if err != nil {
		return nil, err
	}
	m.GetOperator = withReduceSum(opset, m.GetOperator, opts)
	return m, nil
}

// Extend lets a model that gonnx made, which is one of opset 13, run ReduceSum
// nodes. The other nodes run as before.
func Extend(m *gonnx.Model, opts ...reducesum.Option) {
	m.GetOperator = withReduceSum(gonnxOpset, m.GetOperator, opts)
}

// withReduceSum returns others with a ReduceSum. gonnx asks for an operator
// each time that it comes to a node, so no two runs share one.
func withReduceSum(opset int, others gonnx.OpGetter, opts []reducesum.Option) gonnx.OpGetter {
	return func(name string) (ops.Operator, error) {
		if name == opType {
			return NewReduceSum(opset, opts...), nil
		}
		return others(name)
	}
}

// opsetOf returns the version of ONNX's own operators that a model imports: 1
// when it imports none, as models before IR version 3 do.
func opsetOf(mp *onnx.ModelProto) (int, error) {
	if mp.GetGraph() == nil {
		return 0, fmt.Errorf("%w: it has no graph", ErrModel)
	}
	for _, o := range mp.GetOpsetImport() {
		if d := o.GetDomain(); d != "" && d != "ai.onnx" {
			continue
		}
		if o.GetVersion() < 1 || o.GetVersion() > 1<<30 {
			return 0, fmt.Errorf("%w: it imports opset %d", ErrModel, o.GetVersion())
		}
		return int(o.GetVersion()), nil
	}
	return 1, nil
}
