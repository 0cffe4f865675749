package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// run calls Main, and returns what a shell would see.
func run(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Main(args, &out, &err)
	return code, out.String(), err.String()
}

func TestHelp(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "reducesum sum [flags] FILE"},
		{[]string{"-h"}, exitOK, "reducesum sum [flags] FILE"},
		{[]string{"--help"}, exitOK, "reducesum sum [flags] FILE"},
		{[]string{"help"}, exitOK, "reducesum sum [flags] FILE"},
		{[]string{"help", "sum"}, exitOK, "-axes axes"},
		{[]string{"help", "foo"}, exitUsage, `unknown command "foo"`},
		{[]string{"sum", "-h"}, exitOK, "-axes axes"},
		{[]string{"sum", "x.npy", "--help"}, exitOK, "-axes axes"},
		{[]string{"onnx", "-h"}, exitOK, "usage: reducesum onnx DIR..."},
		{[]string{"info", "-h"}, exitOK, "usage: reducesum info"},
		{[]string{"verify", "-h"}, exitOK, "-seconds n"},
	} {
		code, stdout, stderr := run(c.args...)
		shown, silent := stdout, stderr
		if c.code != exitOK {
			shown, silent = stderr, stdout
		}
		if code != c.code || silent != "" || !strings.Contains(shown, c.want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
	}
}

// Wrong usage exits 2, says what is wrong, and how it is right.
func TestWrongUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"add"}, `reducesum: unknown command "add"`},
		{[]string{""}, `reducesum: unknown command ""`},
		{[]string{"-axes", "0", "x.npy"}, `unknown command "-axes"`},
		{[]string{"sum"}, "reducesum sum: no input file"},
		{[]string{"sum", "-axes", "0"}, "no input file"},
		{[]string{"sum", "-axes"}, "flag needs an argument: -axes"},
		{[]string{"sum", "a.npy", "b.npy"}, `one input file is expected, not 2: ["a.npy" "b.npy"]`},
		{[]string{"sum", "--", "a.npy", "-keepdims"}, `not 2: ["a.npy" "-keepdims"]`},
		{[]string{"sum", "-axes", "x", "a.npy"}, `invalid value "x" for flag -axes: axes are whole numbers`},
		{[]string{"sum", "-axes", "0,", "a.npy"}, `invalid value "0," for flag -axes`},
		{[]string{"sum", "-axes", "0.5", "a.npy"}, `invalid value "0.5" for flag -axes`},
		{[]string{"sum", "-axis", "0", "a.npy"}, "flag provided but not defined: -axis"},
		{[]string{"sum", "a.npy", "-workers", "-1"}, "-workers -1 is negative"},
		{[]string{"sum", "a.npy", "-workers", "many"}, `invalid value "many" for flag -workers`},
		{[]string{"onnx"}, "reducesum onnx: no directory"},
		{[]string{"info", "cpu"}, `info takes no arguments: ["cpu"]`},
		{[]string{"verify", "10"}, `verify takes no arguments: ["10"]`},
		{[]string{"verify", "-seconds", "-1"}, "-seconds -1 is not a number of seconds"},
		{[]string{"verify", "-seconds", "NaN"}, "-seconds NaN is not a number of seconds"},
		{[]string{"verify", "-seconds", "1h"}, `invalid value "1h" for flag -seconds`},
	} {
		code, stdout, stderr := run(c.args...)
		first, rest, _ := strings.Cut(stderr, "\n")
		if code != exitUsage || stdout != "" || !strings.Contains(first, c.want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr begins %q", c.args, code, stdout, first)
		}
		if !strings.Contains(rest, "reducesum ") {
			t.Errorf("%q: no usage after the error: %q", c.args, rest)
		}
	}
}

// Other errors exit 1, with one line that names the value.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.npy")
	writeFile(t, text, "not a tensor\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"sum", filepath.Join(dir, "missing.npy")}, "missing.npy: no such file or directory"},
		{[]string{"sum", dir}, dir + ": it is a directory"},
		{[]string{"sum", text}, text + `: the file begins with "not a tensor\n", as none of .npy, .npz and .safetensors does`},
		{[]string{"sum", "-axes", "3", shipped}, shipped + ": axis out of range: axis 3 of a tensor of rank 3"},
		{[]string{"sum", "-axes", "0,-4", shipped}, "axis -4 of a tensor of rank 3"},
		{[]string{"sum", shipped, "-o", dir}, dir + ": is a directory"},
		{[]string{"sum", shipped, "-o", filepath.Join(dir, "no", "out.npy")}, "no such file or directory"},
		{[]string{"onnx", filepath.Join(dir, "missing")}, "no such file or directory"},
		{[]string{"onnx", dir}, "no model.onnx in or below it"},
		{[]string{"onnx", text}, text + " is not a directory"},
	} {
		code, stdout, stderr := run(c.args...)
		if code != exitError || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
		if !strings.HasPrefix(stderr, "reducesum: ") || strings.Count(stderr, "\n") != 1 || strings.Count(stderr, "reducesum: ") != 1 {
			t.Errorf("%q: not one line by reducesum: %q", c.args, stderr)
		}
	}
}

// A result that cannot be written is an error, not silence.
func TestFullStdout(t *testing.T) {
	for _, args := range [][]string{
		{"sum", shipped},
		{"info"},
		{"list", shipped},
		{"verify", "-seconds", "0"},
		{"onnx", writeCases(t, "passing")},
	} {
		var stderr bytes.Buffer
		code := Main(args, full{}, &stderr)
		if code != exitError || stderr.String() != "reducesum: disk full\n" {
			t.Errorf("%q: exit code %d, stderr %q", args, code, stderr.String())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestBarIsSilent(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, w := range []io.Writer{new(bytes.Buffer), f} { // neither is a terminal
		b := bytesBar(w, 2*long, "reading")
		if n, err := b.Write(make([]byte, 5)); n != 5 || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
		b.done()
		timeBar(w, 1, "comparing").at(1)
		if info, err := f.Stat(); err != nil || info.Size() != 0 {
			t.Errorf("%d bytes were written, %v", info.Size(), err)
		}
	}
}

// A bar that is shown moves, and leaves nothing when it is done.
func TestBarMoves(t *testing.T) {
	var out bytes.Buffer
	b := newBar(&out, 10, "reading")
	b.Write(make([]byte, 5))
	b.part(3, 4)
	b.part(2, 4)
	if at := b.p.State().CurrentNum; at != 7 || !b.shown() {
		t.Errorf("it is at %d of 10, not 7", at)
	}
	b.at(20)
	b.done()
	if !strings.Contains(out.String(), "reading") {
		t.Errorf("it wrote %q", out.String())
	}
	if last := out.String(); strings.TrimSpace(last[strings.LastIndex(last, "\r"):]) != "" {
		t.Errorf("it leaves %q", last)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
