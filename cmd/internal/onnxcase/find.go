// Package onnxcase runs test cases in the form of ONNX's backend tests: a
// folder with model.onnx and, in folders test_data_set_*, inputs and expected
// outputs as TensorProto files
// (https://github.com/onnx/onnx/blob/main/docs/OnnxBackendTest.md).
package onnxcase

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const modelName = "model.onnx"

// Find returns the case folders in or below dir, sorted.
func Find(dir string) ([]string, error) {
	// WalkDir does not enter a root that is a symbolic link.
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(root); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	var cases []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == modelName && !d.IsDir() {
			cases = append(cases, filepath.Join(dir, strings.TrimPrefix(filepath.Dir(path), root)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s: no %s in or below it", dir, modelName)
	}
	return cases, nil
}
