// Package input opens files of tensors: .npy, .npz and .safetensors, told apart by
// how they begin. A regular file is mapped into memory, so that it may be larger
// than that, and is read where it lies; what comes through a pipe is kept in
// memory.
package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/reducesum/reducesum/cmd/internal/npy"
	"github.com/reducesum/reducesum/cmd/internal/npz"
	"github.com/reducesum/reducesum/cmd/internal/safetensors"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// A File is a file that is open.
type File struct {
	// Progress, if set, is told of the bytes of an array that are read into
	// memory, and gets them. It may return nil.
	Progress func(size int64) io.Writer

	file   *os.File
	mapped *mapping      // nil for a pipe
	pipe   *bufio.Reader // nil for a mapped file
}

// Open opens a file; - is standard input.
func Open(path string) (*File, error) {
	if path == "-" {
		return open(os.Stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in, err := open(f)
	if err != nil {
		f.Close()
	}
	return in, err
}

func open(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("it is a directory")
	}
	in := &File{file: f}
	if offset, ok := restOf(f, info); ok {
		if in.mapped, err = mapFile(f, info.Size(), offset); err == nil {
			return in, nil
		}
	}
	// There are file systems whose files cannot be mapped, or tell no size.
	in.pipe = bufio.NewReaderSize(f, 1<<20)
	return in, nil
}

// restOf returns where a regular file is to be read from, and whether there is
// anything: standard input may have been read before.
func restOf(f *os.File, info os.FileInfo) (offset int64, ok bool) {
	if !info.Mode().IsRegular() {
		return 0, false
	}
	offset, err := f.Seek(0, io.SeekCurrent)
	return offset, err == nil && offset < info.Size()
}

// Close closes the file. Tensors from it must not be used any more.
func (f *File) Close() error {
	var err error
	if f.mapped != nil {
		err = f.mapped.close()
		f.mapped = nil
	}
	return errors.Join(err, f.file.Close())
}

// Guard runs do, which may read the tensors of the file. If the file is cut off
// meanwhile, that is an error.
func (f *File) Guard(do func() error) error {
	if f.mapped == nil {
		return do()
	}
	return f.mapped.guard(do)
}

// Size returns the number of bytes that are mapped; 0 for a pipe.
func (f *File) Size() int64 {
	if f.mapped == nil {
		return 0
	}
	return int64(len(f.mapped.data))
}

// Entries returns the tensors of the file, for as long as it is open. That of a
// .npy file has no name. From a pipe it can be called once.
func (f *File) Entries() ([]tensor.Entry, error) {
	var begin []byte
	if f.mapped != nil {
		begin = f.mapped.data[:min(16, len(f.mapped.data))]
	} else {
		var err error
		if begin, err = f.pipe.Peek(16); err != nil && err != io.EOF {
			return nil, err
		}
	}
	isNpz := slices.ContainsFunc(npz.Magics, func(s string) bool { return bytes.HasPrefix(begin, []byte(s)) })
	switch {
	case len(begin) == 0:
		return nil, errors.New("the file is empty")
	case bytes.HasPrefix(begin, []byte(npy.Magic)):
		return f.npyEntry()
	case isNpz, safetensors.Looks(begin):
	default:
		return nil, fmt.Errorf("the file begins with %.16q, as none of .npy, .npz and .safetensors does", begin)
	}
	data, err := f.bytes()
	if err != nil {
		return nil, err
	}
	if isNpz {
		return npz.Entries(data)
	}
	return safetensors.Entries(data)
}

// npyEntry returns the array of a .npy file, which is the only one that need not
// be in memory whole when it comes through a pipe.
func (f *File) npyEntry() ([]tensor.Entry, error) {
	var r io.Reader = f.pipe
	if f.mapped != nil {
		r = bytes.NewReader(f.mapped.data)
	}
	h, err := npy.ReadHeader(r)
	if err != nil {
		return nil, err
	}
	load := func() (tensor.Tensor, error) { return h.View(f.mapped.data) }
	if f.mapped == nil {
		load = func() (tensor.Tensor, error) { return h.Read(f.watched(int64(h.Bytes()))) }
	}
	return []tensor.Entry{{DType: h.DType, Dims: h.Dims, Load: load}}, nil
}

// bytes returns all of the file.
func (f *File) bytes() ([]byte, error) {
	if f.mapped != nil {
		return f.mapped.data, nil
	}
	return tensor.ReadUpTo(f.pipe, math.MaxInt)
}

// watched returns a reader of the pipe that tells of its progress.
func (f *File) watched(size int64) io.Reader {
	if f.Progress != nil {
		if w := f.Progress(size); w != nil {
			return io.TeeReader(f.pipe, w)
		}
	}
	return f.pipe
}
