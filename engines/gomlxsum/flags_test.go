package gomlxsum

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// inCompare changes to a module that requires GoMLX, and takes this package from the
// clone: that of the comparison.
func inCompare(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Chdir(filepath.Join("..", "compare"))
}

// GoMLX with the added file passes GoMLX's own tests of reductions, and those
// in _simplego.
func TestInGoMLX(t *testing.T) {
	if testing.Short() {
		t.Skip("builds GoMLX")
	}
	tests, err := filepath.Abs("_simplego/reducesum_test.go")
	if err != nil {
		t.Fatal(err)
	}
	inCompare(t)
	flags, err := flags(t.TempDir(), map[string]string{"reducesum_test.go": tests})
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"test", "-count=1", "-v", "-run=Reduce"}, flags...)
	out, err := exec.Command("go", append(args, gomlx+"/"+simplego)...).CombinedOutput()
	for _, name := range []string{"TestReduceSumBits", "TestReduceSumPool", "TestExecSpecialOps_Reduce"} {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s has not passed", name)
		}
	}
	if err != nil || t.Failed() {
		t.Errorf("%v\n%s", err, out)
	}
}

// A program that knows nothing of all this sums by reducesum when it is built
// with the flags, and by GoMLX when it is not.
func TestFlags(t *testing.T) {
	if testing.Short() {
		t.Skip("builds GoMLX")
	}
	inCompare(t)
	dir := t.TempDir()
	flags, err := Flags(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		flags []string
		want  string
	}{{"without", nil, "256\n"}, {"with", flags, "1000\n"}} {
		args := append([]string{"run"}, c.flags...)
		out, err := exec.Command("go", append(args, "./example")...).CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%s flags: %v, printed %q, want %q", c.name, err, out, c.want)
		}
	}
	t.Setenv("GOFLAGS", strings.Join(flags, " "))
	again, err := Flags(dir)
	if err != nil || strings.Join(again, " ") != strings.Join(flags, " ") {
		t.Errorf("the second time: %v, %v; want %v", again, err, flags)
	}
	if out, err := exec.Command("go", "run", "./example").CombinedOutput(); err != nil || string(out) != "1000\n" {
		t.Errorf("with GOFLAGS: %v, printed %q", err, out)
	}
}

// Where the flags cannot work there are none, but an error that says why.
func TestErrors(t *testing.T) {
	work := filepath.Join(t.TempDir(), "go.work")
	if err := os.WriteFile(work, []byte("go 1.26.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", work)
	if _, err := Flags(t.TempDir()); !errors.Is(err, ErrWorkspace) {
		t.Errorf("in a workspace: error %v, want %v", err, ErrWorkspace)
	}
	t.Setenv("GOWORK", "off")
	t.Chdir(t.TempDir())
	if _, err := Flags(t.TempDir()); err == nil || !strings.Contains(err.Error(), "go list") {
		t.Errorf("without a module: error %v, want that of go list", err)
	}
}
