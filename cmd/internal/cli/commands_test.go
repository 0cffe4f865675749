package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/onnxpb"
)

// writeCases writes ONNX cases of the given names, each of which says what
// becomes of it, and returns their folder.
func writeCases(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		op, want := "ReduceSum", float32(3)
		switch name {
		case "failing":
			want = 4
		case "skipped":
			op = "ReduceMax"
		}
		value := func(name string) []*onnxpb.ValueInfoProto { return []*onnxpb.ValueInfoProto{{Name: name}} }
		model := &onnxpb.ModelProto{
			OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: 13}},
			Graph: &onnxpb.GraphProto{
				Node:  []*onnxpb.NodeProto{{OpType: op, Input: []string{"x"}, Output: []string{"y"}}},
				Input: value("x"), Output: value("y"),
			},
		}
		set := filepath.Join(dir, name, "test_data_set_0")
		writeProto(t, filepath.Join(dir, name, "model.onnx"), model)
		writeProto(t, filepath.Join(set, "input_0.pb"), &onnxpb.TensorProto{DataType: 1, Dims: []int64{2}, FloatData: []float32{1, 2}})
		writeProto(t, filepath.Join(set, "output_0.pb"), &onnxpb.TensorProto{DataType: 1, Dims: []int64{1}, FloatData: []float32{want}})
	}
	return dir
}

func writeProto(t *testing.T, path string, m proto.Message) {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, string(b))
}

func TestONNX(t *testing.T) {
	good := writeCases(t, "passing", "skipped")
	bad := writeCases(t, "failing")
	lines := []string{
		"PASS " + good + "/passing",
		"SKIP " + good + "/skipped: the model is ReduceMax, without a ReduceSum",
		"1 passed, 0 failed, 1 skipped", "",
	}
	if code, stdout, stderr := run("onnx", good); code != exitOK || stdout != strings.Join(lines, "\n") || stderr != "" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	lines = []string{
		lines[0], lines[1],
		"FAIL " + bad + "/failing: test_data_set_0: the result at [0] is 3.0, 4.0 is expected",
		"1 passed, 1 failed, 1 skipped", "",
	}
	code, stdout, stderr := run("onnx", good, bad)
	if code != exitError || stdout != strings.Join(lines, "\n") || stderr != "reducesum: 1 of 2 cases failed\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestInfo(t *testing.T) {
	code, stdout, stderr := run("info")
	if code != exitOK || stderr != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	impls := names(reducesum.Implementations())
	for _, want := range []string{
		`(?m)^cpu +\S.*$`,
		`(?m)^architecture +\w+/\w+, [1-9]\d* CPUs$`,
		`(?m)^implementations +` + strings.Join(impls, ", ") + `$`,
		`(?m)^chosen +` + impls[0] + `$`,
	} {
		if !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("no %s in\n%s", want, stdout)
		}
	}
	if _, set := os.LookupEnv("REDUCESUM_ISA"); set != strings.Contains(stdout, "REDUCESUM_ISA") {
		t.Errorf("REDUCESUM_ISA set: %t, output\n%s", set, stdout)
	}
}

func TestInfoEnvironment(t *testing.T) {
	// The package has read the variable before; the text is told apart here.
	for isa, want := range map[string]string{
		"avx2":   "avx2",
		"avx512": "avx512 (ignored: this CPU or build does not offer it)",
		"neon":   "neon (ignored: this CPU or build does not offer it)",
		"sse9":   `"sse9" (ignored: it is none of avx512, avx2, neon, generic)`,
		"":       `"" (ignored: it is none of avx512, avx2, neon, generic)`,
	} {
		if got := effect(isa, []string{"avx2", "generic"}); got != want {
			t.Errorf("%q: got %q, want %q", isa, got, want)
		}
	}
	t.Setenv("REDUCESUM_ISA", "sse9")
	if _, stdout, _ := run("info"); !strings.Contains(stdout, `REDUCESUM_ISA    "sse9" (ignored`) {
		t.Errorf("got\n%s", stdout)
	}
}

func TestVerify(t *testing.T) {
	code, stdout, stderr := run("verify", "-seconds", "0")
	want := regexp.MustCompile(`^implementations: .*generic
seed: \d+
no difference: 8 tensors, [1-9]\d* sums over axes, \d+ results of \d+ elements
$`)
	if code != exitOK || stderr != "" || !want.MatchString(stdout) {
		t.Errorf("exit code %d, stderr %q, stdout\n%s", code, stderr, stdout)
	}
	if _, again, _ := run("verify", "-seed", "1", "-round", "3"); !strings.Contains(again, "seed: 1\nno difference: 1 tensors") {
		t.Errorf("one round printed\n%s", again)
	}
}
