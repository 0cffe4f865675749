package gonnxsum

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/advancedclimatesystems/gonnx/onnx"
	"google.golang.org/protobuf/proto"
	"gorgonia.org/tensor"
)

// caseDirs are where ONNX's own cases may lie: a folder beside the project, and
// Debian's package libonnx-testdata. REDUCESUM_ONNX_CASES, a list of folders,
// takes their place.
var caseDirs = []string{"../../../shared/onnx", "/usr/share/libonnx-testdata/data"}

// ONNX's own cases of ReduceSum, which gonnx runs with this package.
func TestONNXCases(t *testing.T) {
	dirs := caseDirs
	list, required := os.LookupEnv("REDUCESUM_ONNX_CASES")
	if required {
		dirs = filepath.SplitList(list)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if _, err := os.Stat(dir); err != nil && !required {
				t.Skip(err)
			}
			run := 0
			err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
				if err != nil || filepath.Base(path) != "model.onnx" {
					return err
				}
				mp, err := read(path, new(onnx.ModelProto))
				if err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				if n := mp.GetGraph().GetNode(); len(n) != 1 || n[0].GetOpType() != opType {
					return nil // a case of something else
				}
				run++
				if err := runCase(filepath.Dir(path), mp); err != nil {
					t.Errorf("%s: %v", filepath.Dir(path), err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			if run == 0 {
				t.Errorf("no case of a ReduceSum in %s", dir)
			}
			t.Logf("%d cases", run)
		})
	}
}

// runCase runs a case's model on all of its data sets.
func runCase(dir string, mp *onnx.ModelProto) error {
	m, err := NewModel(mp)
	if err != nil {
		return err
	}
	sets, err := filepath.Glob(filepath.Join(dir, "test_data_set_*"))
	if err != nil || len(sets) == 0 {
		return fmt.Errorf("no data sets: %v", err)
	}
	for _, set := range sets {
		in := gonnx.Tensors{}
		for i, name := range m.InputNames() {
			if in[name], err = readTensor(filepath.Join(set, fmt.Sprintf("input_%d.pb", i))); err != nil {
				return err
			}
		}
		want, err := readTensor(filepath.Join(set, "output_0.pb"))
		if err != nil {
			return err
		}
		out, err := m.Run(in)
		if err != nil {
			return err
		}
		if err := compare(out[m.OutputNames()[0]], want); err != nil {
			return err
		}
	}
	return nil
}

// compare tells how got differs from want: the cases' results are NumPy's,
// which sums in another order. All of them are float32.
func compare(got, want tensor.Tensor) error {
	if got.Dtype() != tensor.Float32 || want.Dtype() != tensor.Float32 {
		return fmt.Errorf("types %v and %v, want float32", got.Dtype(), want.Dtype())
	}
	if !slices.Equal(got.Shape(), want.Shape()) {
		return fmt.Errorf("shape %v, want %v", got.Shape(), want.Shape())
	}
	g, w := got.(*tensor.Dense).Float32s(), want.(*tensor.Dense).Float32s()
	for i := range w {
		if d := math.Abs(float64(g[i]) - float64(w[i])); !(d <= 1e-5*math.Abs(float64(w[i]))+1e-6) {
			return fmt.Errorf("element %d is %v, want %v", i, g[i], w[i])
		}
	}
	return nil
}

func readTensor(path string) (tensor.Tensor, error) {
	tp, err := read(path, new(onnx.TensorProto))
	if err != nil {
		return nil, err
	}
	return onnx.TensorFromProto(tp)
}

func read[M proto.Message](path string, m M) (M, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	return m, proto.Unmarshal(data, m)
}
