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
// options such as [reducesum.WithWorkers] and [reducesum.WithPool]. A bad option is
// an error here, not of a run.
//
// All operators of gonnx are of opset 13. A model of another opset, which gonnx
// does not take, can have no other nodes than ReduceSum.
func NewModel(mp *onnx.ModelProto, opts ...reducesum.Option) (*gonnx.Model, error) {
	opset, err := opsetOf(mp)
	if err != nil {
		return nil, err
	}
	if opset != gonnxOpset {
		if mp, err = asGonnxOpset(mp, opset); err != nil {
			return nil, err
		}
	}
	m, err := gonnx.NewModel(mp)
	if err != nil {
		return nil, err
	}
	if err := extend(m, opset, opts); err != nil {
		return nil, err
	}
	return m, nil
}

// asGonnxOpset returns a model of another opset as one that gonnx takes. Of what a
// model says gonnx reads the graph, and the opset to choose its operators, of which
// this model must use none.
func asGonnxOpset(mp *onnx.ModelProto, opset int) (*onnx.ModelProto, error) {
	for _, n := range mp.GetGraph().GetNode() {
		if n.GetOpType() != opType {
			return nil, fmt.Errorf("%w: opset %d, %w: node %q is a %s, and gonnx has operators of opset %d alone",
				ErrModel, opset, ops.ErrUnsupportedOpsetVersion, n.GetName(), n.GetOpType(), gonnxOpset)
		}
	}
	return &onnx.ModelProto{
		IrVersion:   mp.GetIrVersion(),
		OpsetImport: []*onnx.OperatorSetIdProto{{Version: gonnxOpset}},
		Graph:       mp.GetGraph(),
	}, nil
}

// Extend lets a model that gonnx made, which is one of opset 13, run ReduceSum
// nodes. The other nodes run as before. An error is that of a bad option, and leaves
// the model as it was.
func Extend(m *gonnx.Model, opts ...reducesum.Option) error {
	if m == nil {
		return fmt.Errorf("%w: it is nil", ErrModel)
	}
	return extend(m, gonnxOpset, opts)
}

// extend gives a model the ReduceSum of an opset. gonnx asks for an operator each
// time that it comes to a node, so no two runs share one.
func extend(m *gonnx.Model, opset int, opts []reducesum.Option) error {
	if _, err := NewReduceSum(opset, opts...); err != nil {
		return err
	}
	others := m.GetOperator
	m.GetOperator = func(name string) (ops.Operator, error) {
		if name == opType {
			return NewReduceSum(opset, opts...)
		}
		return others(name)
	}
	return nil
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
