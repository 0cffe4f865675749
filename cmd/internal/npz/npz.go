// Package npz reads NumPy's .npz files: zip archives of .npy files, stored or
// deflated (numpy.savez, numpy.savez_compressed).
package npz

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/reducesum/reducesum/cmd/internal/npy"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// Magics are what a .npz file begins with; the second is that of an empty one.
var Magics = []string{"PK\x03\x04", "PK\x05\x06"}

const suffix = ".npy"

// Entries returns the arrays of a file, which must outlive them, in its order.
// Names are without .npy, as NumPy has them. Where one occurs twice, the last one
// counts, as in Python.
func Entries(file []byte) ([]tensor.Entry, error) {
	r, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // nothing is written to its paths
		return nil, fmt.Errorf("not a .npz file: %w", err)
	}
	var entries []tensor.Entry
	for _, f := range r.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		e := entry(file, f)
		if at := slices.IndexFunc(entries, func(other tensor.Entry) bool { return other.Name == e.Name }); at >= 0 {
			entries = slices.Delete(entries, at, at+1)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// entry describes a member of the archive.
func entry(file []byte, f *zip.File) tensor.Entry {
	e := tensor.Entry{Name: strings.TrimSuffix(f.Name, suffix)}
	var h npy.Header
	h, e.Err = header(f)
	if e.Err == nil && h.Unsupported == nil {
		// Deflate makes at most 1032 bytes of one.
		size := f.UncompressedSize64
		if data := size - min(size, uint64(h.Size)); data < uint64(h.Bytes()) || size/1032 > f.CompressedSize64 {
			e.Err = fmt.Errorf("%d bytes of the archive, which tells of %d, are no array of %d bytes", f.CompressedSize64, size, h.Bytes())
		}
	}
	e.DType, e.Dims = h.DType, h.Dims
	e.Load = func() (tensor.Tensor, error) {
		switch {
		case e.Err != nil:
			return nil, e.Err
		case f.Method == zip.Store:
			return stored(file, f, h)
		}
		return inflated(f)
	}
	return e
}

// header reads the header of a member.
func header(f *zip.File) (npy.Header, error) {
	const encrypted = 1
	switch {
	case f.Flags&encrypted != 0:
		return npy.Header{}, errors.New("it is encrypted, which is not read")
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return npy.Header{}, fmt.Errorf("it is compressed by method %d of zip; stored (0) and deflated (8) are read", f.Method)
	}
	r, err := f.Open()
	if err != nil {
		return npy.Header{}, err
	}
	defer r.Close()
	return npy.ReadHeader(r)
}

// stored returns the array of a member that lies in the file as it is.
func stored(file []byte, f *zip.File, h npy.Header) (tensor.Tensor, error) {
	at, err := f.DataOffset()
	if err != nil {
		return nil, err
	}
	if size := f.CompressedSize64; size != f.UncompressedSize64 || at < 0 || uint64(at) > uint64(len(file)) || size > uint64(len(file))-uint64(at) {
		return nil, fmt.Errorf("the archive tells of %d bytes for it, which are not there", size)
	}
	data := file[at : at+int64(f.CompressedSize64)]
	if sum := crc32.ChecksumIEEE(data); sum != f.CRC32 {
		return nil, fmt.Errorf("its data is damaged: the checksum is %08x, not %08x", sum, f.CRC32)
	}
	return h.View(data)
}

// inflated returns the array of a member that is compressed.
func inflated(f *zip.File) (tensor.Tensor, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h, err := npy.ReadHeader(r)
	if err != nil {
		return nil, err
	}
	t, err := h.Read(r)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, r); err != nil { // the checksum comes last
		return nil, err
	}
	return t, nil
}
