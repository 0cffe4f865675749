// Package gomlxsum gives GoMLX's backend in pure Go
// (github.com/gomlx/gomlx/backends/simplego) a ReduceSum by reducesum.
//
// The backend lets nobody outside of it register an operator. What its author
// would add is one file, _simplego/reducesum.go. Until then, [Flags] makes the
// go command build GoMLX as if the file were part of it; the command
// gomlx-reducesum is [Flags] for a shell. Nothing of GoMLX is copied, and
// neither its sources nor the program's go.mod change.
package gomlxsum

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	// What is built with the flags imports it: who has this package has it too.
	_ "github.com/reducesum/reducesum"
)

const (
	gomlx    = "github.com/gomlx/gomlx"
	simplego = "backends/simplego" // the package of it that gets a file more
)

//go:embed _simplego/reducesum.go
var addition []byte

// ErrWorkspace says that the go command works on a workspace (go.work), where
// it takes no -modfile. Set GOWORK=off.
var ErrWorkspace = errors.New("gomlxsum: not in workspace mode, set GOWORK=off")

// Flags returns the flags with which go build, run and test use reducesum in
// GoMLX. They are for the module of the working directory, which must require
// GoMLX and reducesum, and stay right until its go.mod or go.sum changes.
//
// They name files that Flags writes to dir: a copy of go.mod that replaces
// GoMLX by a directory of dir, and an overlay that fills this directory with
// the files of GoMLX, wherever these are, and the added one.
func Flags(dir string) ([]string, error) { return flags(dir, nil) }

// flags is Flags, with more files in the package: from names to paths.
func flags(dir string, more map[string]string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	work, err := goCommand("env", "GOWORK")
	if err != nil {
		return nil, err
	}
	if work != "" && work != "off" {
		return nil, fmt.Errorf("%w: %s", ErrWorkspace, work)
	}
	from, err := goCommand("list", "-f", "{{.Module.Dir}}", gomlx+"/"+simplego)
	if err != nil {
		return nil, err
	}
	to := filepath.Join(dir, "gomlx")
	added := map[string]string{"reducesum.go": filepath.Join(dir, "reducesum.go")}
	maps.Copy(added, more)
	overlay, err := overlayOf(from, to, added)
	if err != nil {
		return nil, err
	}
	modfile, err := replacing(filepath.Join(dir, "go.mod"), to)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "overlay.json")
	if err := errors.Join(write(added["reducesum.go"], addition), write(path, overlay)); err != nil {
		return nil, err
	}
	return []string{"-modfile=" + modfile, "-overlay=" + path}, nil
}

// overlayOf returns an overlay that puts the files of the directory from into
// the directory to, and added ones into its package simplego. The directories
// themselves it makes: go vet and go test run in them.
func overlayOf(from, to string, added map[string]string) ([]byte, error) {
	files := map[string]string{}
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		files[filepath.Join(to, name)] = path
		return nil
	})
	for name, path := range added {
		files[filepath.Join(to, filepath.FromSlash(simplego), name)] = path
	}
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(map[string]any{"Replace": files}, "", "\t")
}

// replacing writes the main module's go.mod to a file, with GoMLX replaced by
// the directory to, and its go.sum beside it.
func replacing(file, to string) (string, error) {
	main, err := goCommand("env", "GOMOD")
	if err != nil {
		return "", err
	}
	mod, err := os.ReadFile(main)
	if err != nil {
		return "", err
	}
	sum, err := os.ReadFile(strings.TrimSuffix(main, ".mod") + ".sum")
	if err != nil {
		return "", err
	}
	err = errors.Join(write(file, mod), write(strings.TrimSuffix(file, ".mod")+".sum", sum))
	if err != nil {
		return "", err
	}
	_, err = goCommand("mod", "edit", "-replace="+gomlx+"="+to, file)
	return file, err
}

// write writes a file unless it is as it should be.
func write(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// goCommand runs the go command and returns what it prints. GOFLAGS may already
// have flags from here, with which GoMLX is not where it was.
func goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly")
	out, err := cmd.Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
		}
		return "", fmt.Errorf("gomlxsum: go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
