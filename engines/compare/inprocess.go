package main

import (
	"slices"
	"time"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/advancedclimatesystems/gonnx/onnx"
	"gorgonia.org/tensor"

	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/engines/compare/cases"
	"github.com/reducesum/reducesum/engines/gonnxsum"
	"github.com/reducesum/reducesum/engines/gorgoniasum"
)

// inProcess runs the cases by functions of this process.
type inProcess struct {
	sums []func() (tensor.Tensor, error) // of each case
	want [][]float32
}

func (r *inProcess) add(c cases.Case, sum func() (tensor.Tensor, error)) {
	r.sums, r.want = append(r.sums, sum), append(r.want, c.Sums())
}

func (r *inProcess) run(i int) (time.Duration, bool, error) {
	start := time.Now()
	sum, err := r.sums[i]()
	d := time.Since(start)
	if err != nil {
		return 0, false, err
	}
	got, ok := sum.Data().([]float32)
	return d, ok && slices.Equal(got, r.want[i]), nil
}

func (r *inProcess) close() error { return nil }

// newGorgonia sums tensors that have Gorgonia's own engine or this project's.
func newGorgonia(workers int) *engine {
	with := func(e tensor.Engine) runner {
		r := new(inProcess)
		for _, c := range cases.All {
			x := tensor.New(tensor.WithShape(c.Shape...), tensor.WithBacking(c.Input()), tensor.WithEngine(e))
			r.add(c, func() (tensor.Tensor, error) { return x.Sum(slices.Clone(c.Axes)...) })
		}
		return r
	}
	return newEngine("gorgonia.org/tensor", with(tensor.StdEng{}), with(gorgoniasum.Engine{}), with(gorgoniasum.Engine{Workers: workers}))
}

// newGonnx runs models of one ReduceSum, which gonnx itself cannot.
func newGonnx(workers int) (*engine, error) {
	with := func(workers int) (runner, error) {
		r := new(inProcess)
		for _, c := range cases.All {
			m, err := gonnxsum.NewModel(reduceSumModel(c), reducesum.WithWorkers(workers))
			if err != nil {
				return nil, err
			}
			in := gonnx.Tensors{"x": tensor.New(tensor.WithShape(c.Shape...), tensor.WithBacking(c.Input()))}
			r.add(c, func() (tensor.Tensor, error) {
				out, err := m.Run(in)
				return out["y"], err
			})
		}
		return r, nil
	}
	one, err := with(1)
	if err != nil {
		return nil, err
	}
	all, err := with(workers)
	if err != nil {
		return nil, err
	}
	return newEngine("gonnx", nil, one, all), nil
}

// reduceSumModel returns a model that sums x over a case's axes to y.
func reduceSumModel(c cases.Case) *onnx.ModelProto {
	axes := &onnx.TensorProto{Name: "axes", DataType: int32(onnx.TensorProto_INT64), Dims: []int64{int64(len(c.Axes))}}
	for _, a := range c.Axes {
		axes.Int64Data = append(axes.Int64Data, int64(a))
	}
	return &onnx.ModelProto{
		IrVersion:   7,
		OpsetImport: []*onnx.OperatorSetIdProto{{Version: 13}},
		Graph: &onnx.GraphProto{
			Node: []*onnx.NodeProto{{
				OpType: "ReduceSum", Input: []string{"x", "axes"}, Output: []string{"y"},
				Attribute: []*onnx.AttributeProto{{Name: "keepdims", Type: onnx.AttributeProto_INT, I: 0}},
			}},
			Initializer: []*onnx.TensorProto{axes},
			Input:       []*onnx.ValueInfoProto{{Name: "x"}},
			Output:      []*onnx.ValueInfoProto{{Name: "y"}},
		},
	}
}
