package npz

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/alloctest"
	"github.com/reducesum/reducesum/cmd/internal/npy"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// array returns a .npy file of int32.
func array(x ...int32) []byte {
	var b bytes.Buffer
	if err := npy.Write(&b, tensor.Of[int32]{Data: x, Dims: []int{len(x)}}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// member is a file of an archive.
type member struct {
	name    string
	method  uint16
	content []byte
	change  func(h *zip.FileHeader) // of what the archive tells of it
}

func archive(members ...member) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: m.method, UncompressedSize64: uint64(len(m.content)), CRC32: crc32.ChecksumIEEE(m.content)}
		raw := m.content
		if m.method == zip.Deflate {
			var c bytes.Buffer
			f, _ := flate.NewWriter(&c, 6)
			f.Write(raw)
			f.Close()
			raw = c.Bytes()
		}
		h.CompressedSize64 = uint64(len(raw))
		if m.change != nil {
			m.change(h)
		}
		f, err := w.CreateRaw(h)
		if err == nil {
			_, err = f.Write(raw)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// load returns what a file holds of a name: the sum, or the error.
func load(file []byte, name string) string {
	entries, err := Entries(file)
	if err != nil {
		return err.Error()
	}
	for _, e := range entries {
		if e.Name != name {
			continue
		}
		x, err := e.Load()
		if err != nil {
			return err.Error()
		}
		sum, err := x.ReduceSum(reducesum.Op{}, nil)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(e.DType, " ", e.Dims, " ", sum.Number(0))
	}
	return "no such array"
}

func TestLoad(t *testing.T) {
	good := array(1, 2, 3)
	bad := []byte("\x93NUMPY\x01\x00\x02\x00{}")
	odd := bytes.Repeat([]byte("x"), 7) // so that what follows is not aligned
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"stored":            {archive(member{"a.npy", zip.Store, good, nil}), "int32 [3] 6"},
		"deflated":          {archive(member{"a.npy", zip.Deflate, good, nil}), "int32 [3] 6"},
		"not aligned":       {archive(member{"odd", zip.Store, odd, nil}, member{"a.npy", zip.Store, good, nil}), "int32 [3] 6"},
		"without .npy":      {archive(member{"a", zip.Store, good, nil}), "int32 [3] 6"},
		"behind others":     {append([]byte("#!/bin/sh\n"), archive(member{"a.npy", zip.Store, good, nil})...), "int32 [3] 6"},
		"twice":             {archive(member{"a.npy", zip.Store, array(1), nil}, member{"a.npy", zip.Store, good, nil}), "int32 [3] 6"},
		"a folder":          {archive(member{"a/", zip.Store, nil, nil}, member{"a.npy", zip.Store, good, nil}), "int32 [3] 6"},
		"two arrays in one": {archive(member{"a.npy", zip.Deflate, append(array(1, 2, 3), good...), nil}), "int32 [3] 6"},
		"empty":             {archive(), "no such array"},
		"not a zip":         {[]byte("PK\x03\x04 and so on"), "not a .npz file"},
		"cut off":           {archive(member{"a.npy", zip.Store, good, nil})[:200], "not a .npz file"},
		"not an array":      {archive(member{"a.npy", zip.Store, odd, nil}), "not a .npy file"},
		"bad header":        {archive(member{"a.npy", zip.Deflate, bad, nil}), "it has no key descr"},
		"data cut short":    {archive(member{"a.npy", zip.Store, good[:len(good)-1], nil}), "are no array of 12 bytes"},
		"deflated short":    {archive(member{"a.npy", zip.Deflate, good[:len(good)-1], nil}), "are no array of 12 bytes"},
		"bzip2":             {archive(member{"a.npy", 12, good, nil}), "method 12 of zip; stored (0) and deflated (8) are read"},
		"encrypted":         {archive(member{"a.npy", zip.Store, good, func(h *zip.FileHeader) { h.Flags |= 1 }}), "encrypted"},
		"stored, damaged":   {archive(member{"a.npy", zip.Store, good, func(h *zip.FileHeader) { h.CRC32++ }}), "damaged: the checksum is"},
		"deflated, damaged": {archive(member{"a.npy", zip.Deflate, good, func(h *zip.FileHeader) { h.CRC32++ }}), "checksum error"},
		"tells too much":    {archive(member{"a.npy", zip.Deflate, good, func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 40 }}), "are no array of 12 bytes"},
		"stored too much":   {archive(member{"a.npy", zip.Store, good, func(h *zip.FileHeader) { h.CompressedSize64 = 1 << 20 }}), "tells of 1048576 bytes for it, which are not there"},
	} {
		alloctest.Check(t, len(c.file), func() {
			if got := load(c.file, "a"); !strings.Contains(got, c.want) {
				t.Errorf("%s: got %s, want %s", name, got, c.want)
			}
		})
	}
}

// A member whose header claims more than the archive has costs no memory.
func TestBomb(t *testing.T) {
	head := "\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1073741824,)}       \n"
	for _, tells := range []uint64{uint64(len(head)), 1 << 33} {
		m := member{"a.npy", zip.Deflate, []byte(head), func(h *zip.FileHeader) { h.UncompressedSize64 = tells }}
		file := archive(m)
		alloctest.Check(t, len(file), func() {
			if got := load(file, "a"); !strings.Contains(got, "are no array of 4294967296 bytes") {
				t.Error(got)
			}
		})
	}
}

func FuzzEntries(f *testing.F) {
	f.Add(archive(member{"a.npy", zip.Store, array(1, 2, 3), nil}, member{"b.npy", zip.Deflate, array(4, 5), nil}))
	f.Add(archive(member{"x/y", zip.Deflate, []byte("\x93NUMPY\x01\x00\x02\x00{}"), nil}, member{"z/", zip.Store, nil, nil}))
	f.Add(archive())
	f.Fuzz(func(t *testing.T, file []byte) {
		// What is deflated in truth is as large as it is.
		inflated := 0
		if r, err := zip.NewReader(bytes.NewReader(file), int64(len(file))); err == nil {
			for _, m := range r.File {
				if m.Method != zip.Deflate {
					continue
				}
				if raw, err := m.OpenRaw(); err == nil {
					n, _ := io.Copy(io.Discard, flate.NewReader(raw))
					inflated += 3 * int(n) // memory that grows was smaller before
				}
			}
			inflated += len(r.File) * 50 << 10 // of flate itself
		}
		alloctest.Check(t, len(file)+inflated, func() {
			entries, err := Entries(file)
			if err != nil {
				return
			}
			for _, e := range entries {
				if x, err := e.Load(); err == nil {
					if _, err := x.ReduceSum(reducesum.Op{}, nil); err != nil {
						t.Errorf("%s: shape %v: %v", e.Name, e.Dims, err)
					}
				}
			}
		})
	})
}
