// Package replace writes files whole or not at all.
package replace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// File writes a file: to another name beside it, which takes its place when all is
// on the disk. A disk that is full, or an interrupt, leaves what was there before.
// Devices and pipes, which cannot be replaced, are written to as they are. The
// libraries for this do not run on Windows, or make files that only their owner
// can read.
func File(path string, write func(w io.Writer) error) error {
	err := file(path, write)
	var at *fs.PathError // names another file than the user did
	if errors.As(err, &at) {
		err = at.Err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func file(path string, write func(w io.Writer) error) error {
	// A link stays, and what it leads to is replaced.
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil { // a link to nowhere
			return inPlace(path, write)
		}
		return besides(path, nil, write)
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return syscall.EISDIR
	case !info.Mode().IsRegular():
		return inPlace(target, write)
	}
	return besides(target, info, write)
}

// inPlace writes to a file that is there.
func inPlace(path string, write func(w io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// besides writes to a new file, and gives it the name of the old one, of which old
// tells if there is one.
func besides(path string, old fs.FileInfo, write func(w io.Writer) error) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, name := filepath.Split(path)
	temporary := filepath.Join(dir, fmt.Sprintf(".%.100s.%016x.tmp", name, rand.Uint64()))
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(temporary)
		}
	}()
	err = write(interruptible{ctx, f})
	if err == nil && old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil && ctx.Err() != nil {
		err = errInterrupted
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

var errInterrupted = errors.New("interrupted, nothing was written")

// interruptible is a file that is not written to after an interrupt.
type interruptible struct {
	ctx context.Context
	f   *os.File
}

func (i interruptible) Write(b []byte) (int, error) {
	if i.ctx.Err() != nil {
		return 0, errInterrupted
	}
	return i.f.Write(b)
}
