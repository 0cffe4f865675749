package input

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reducesum/reducesum"
)

// testdata/ is what NumPy wrote, and how it sums it: over all axes, and each.
func TestNumPysFiles(t *testing.T) {
	b, err := os.ReadFile("testdata/sums.json")
	if err != nil {
		t.Fatal(err)
	}
	var arrays map[string]struct {
		DType string
		Shape []int
		Sums  []any
	}
	if err := json.Unmarshal(b, &arrays); err != nil {
		t.Fatal(err)
	}
	files := make(map[string]bool)
	for name, want := range arrays {
		file, array, _ := strings.Cut(name, ":")
		files[file] = true
		in, err := Open(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		entries, err := in.Entries()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		found := false
		for _, e := range entries {
			if e.Name != array {
				continue
			}
			found = true
			x, err := e.Load()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if x.DType() != want.DType || e.DType != want.DType || !slices.Equal(x.Shape(), want.Shape) || !slices.Equal(e.Dims, want.Shape) {
				t.Errorf("%s: %s %v, NumPy reads %s %v", name, x.DType(), x.Shape(), want.DType, want.Shape)
			}
			for i, sum := range want.Sums {
				var op reducesum.Op
				if i > 0 {
					op.Axes = []int{i - 1}
				}
				got, err := x.ReduceSum(op, nil)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				var numbers []string
				for k := range got.Len() {
					numbers = append(numbers, strings.TrimSuffix(got.Number(k), ".0"))
				}
				if fmt.Sprint(numbers) != fmt.Sprint(sum) {
					t.Errorf("%s, axes %v: %v, NumPy's sum is %v", name, op.Axes, numbers, sum)
				}
			}
		}
		if !found {
			t.Errorf("%s: not among the %d arrays", name, len(entries))
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
	there, err := filepath.Glob("testdata/*.np[yz]")
	if err != nil || len(there) != len(files) || len(there) < 20 {
		t.Errorf("%d files, of which %d are in sums.json, %v", len(there), len(files), err)
	}
}
