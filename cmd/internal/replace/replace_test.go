package replace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// content returns what a folder holds: names and contents.
func content(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var s []string
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			b = []byte("(" + f.Type().String() + ")")
		}
		s = append(s, f.Name()+"="+string(b))
	}
	return strings.Join(s, " ")
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	for _, s := range []string{"new", "longer than before", "short", ""} {
		if err := File(path, text(s)); err != nil {
			t.Fatal(err)
		}
		if got := content(t, dir); got != "out="+s {
			t.Errorf("the folder holds %s", got)
		}
	}
}

// A write that fails, or is interrupted, leaves what was there.
func TestFailure(t *testing.T) {
	failed := errors.New("it fails")
	for name, c := range map[string]struct {
		write func(io.Writer) error
		want  string
	}{
		"an error": {func(w io.Writer) error { io.WriteString(w, "half"); return failed }, "it fails"},
		"a full disk": {func(w io.Writer) error {
			return &os.PathError{Op: "write", Path: "another name", Err: errors.New("no space left on device")}
		}, ": no space left on device"},
		"an interrupt": {func(w io.Writer) error {
			io.WriteString(w, "half")
			if err := interrupt(w); err != nil {
				return err
			}
			_, err := io.WriteString(w, "more")
			return err
		}, "interrupted, nothing was written"},
		"an interrupt at the end": {func(w io.Writer) error {
			io.WriteString(w, "all")
			return interrupt(w)
		}, "interrupted, nothing was written"},
	} {
		if runtime.GOOS == "windows" {
			continue // which has neither these errors nor these signals
		}
		for _, old := range []string{"", "old"} {
			dir := t.TempDir()
			path := filepath.Join(dir, "out")
			before := ""
			if old != "" {
				before = "out=" + old
				if err := os.WriteFile(path, []byte(old), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			err := File(path, c.write)
			if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %s", name, err, c.want)
			}
			if got := content(t, dir); got != before {
				t.Errorf("%s: the folder holds %q, not %q", name, got, before)
			}
		}
	}
}

// interrupt sends this process a signal, and waits until it has come.
func interrupt(w io.Writer) error {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(syscall.SIGTERM)
	}
	if err != nil {
		return err
	}
	<-w.(interruptible).ctx.Done()
	return nil
}

func TestMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other modes")
	}
	dir := t.TempDir()
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	usual := filepath.Join(dir, "usual")
	if err := os.WriteFile(usual, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(dir, "fresh")
	if err := File(fresh, text("x")); err != nil || mode(fresh) != mode(usual) {
		t.Errorf("a new file has mode %v, not %v, %v", mode(fresh), mode(usual), err)
	}
	if err := os.Chmod(fresh, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := File(fresh, text("y")); err != nil || mode(fresh) != 0o640 {
		t.Errorf("an old file has mode %v, not 0640, %v", mode(fresh), err)
	}
}

// A link stays, and what it leads to is replaced; a device is written to.
func TestLinksAndDevices(t *testing.T) {
	dir := t.TempDir()
	for link, target := range map[string]string{"a": "a-target", "b": "b-target"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a-target"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"a", "b"} {
		if err := File(filepath.Join(dir, link), text("new")); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := content(t, dir), "a=new a-target=new b=new b-target=new"; got != want {
		t.Errorf("the folder holds %s, not %s", got, want)
	}
	if info, err := os.Lstat(filepath.Join(dir, "a")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	if err := File("/dev/full", text("x")); err == nil || err.Error() != "/dev/full: no space left on device" {
		t.Error(err)
	}
	if err := File("/dev/null", text("x")); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]error{
		dir:                             syscall.EISDIR,
		filepath.Join(dir, "no", "out"): os.ErrNotExist,
	} {
		err := File(path, text("x"))
		if !errors.Is(err, want) || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%s: error %v, want %v", path, err, want)
		}
	}
	long := filepath.Join(dir, strings.Repeat("n", 250))
	if err := File(long, text("x")); err != nil {
		t.Error(fmt.Errorf("a long name: %w", err))
	}
}
