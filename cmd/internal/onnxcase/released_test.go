package onnxcase

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// releases are where ONNX's own cases may lie: a folder beside the project, and
// Debian's package libonnx-testdata. REDUCESUM_ONNX_CASES, a list of folders,
// takes their place.
var releases = []string{"../../../../shared/onnx", "/usr/share/libonnx-testdata/data"}

// Every model of ONNX's that is one ReduceSum node passes.
func TestReleasedCases(t *testing.T) {
	dirs := releases
	list, required := os.LookupEnv("REDUCESUM_ONNX_CASES")
	if required {
		dirs = filepath.SplitList(list)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if _, err := os.Stat(dir); err != nil && !required {
				t.Skip(err)
			}
			cases, err := Find(dir)
			if err != nil {
				t.Fatal(err)
			}
			passed := 0
			for _, c := range cases {
				switch err := Run(c); {
				case err == nil:
					passed++
				case !errors.Is(err, ErrSkip):
					t.Errorf("%s: %v", c, err)
				}
			}
			if passed == 0 {
				t.Errorf("none of the %d cases is a ReduceSum", len(cases))
			}
		})
	}
}
