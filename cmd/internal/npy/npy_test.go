package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"codeberg.org/sbinet/npyio/npy"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// file makes a .npy file of a header's dictionary and data.
func file(version byte, dict string, order binary.ByteOrder, data any) []byte {
	head := dict + strings.Repeat(" ", 5) + "\n"
	b := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', version, 0}
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(head)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(head)))
	}
	buf := bytes.NewBuffer(append(b, head...))
	if err := binary.Write(buf, order, data); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

func dict(descr, fortran, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, fortran, shape)
}

// text is a tensor as the tests compare it: dtype, values in memory order,
// shape and strides.
func text(t tensor.Tensor) string {
	s := t.DType()
	for i := range t.Len() {
		s += " " + t.Number(i)
	}
	strides := "C"
	switch t := t.(type) {
	case tensor.Of[float32]:
		if t.Strides != nil {
			strides = fmt.Sprint(t.Strides)
		}
	case tensor.Of[reducesum.Float16]:
		if t.Strides != nil {
			strides = fmt.Sprint(t.Strides)
		}
	}
	return fmt.Sprint(s, " ", t.Shape(), " ", strides)
}

func TestRead(t *testing.T) {
	le, be := binary.LittleEndian, binary.BigEndian
	f16 := []uint16{0x3c00, 0x4000, 0xc200, 0x7c00, 0x0001, 0x8000}
	f32 := []float32{0, 1, 2, 3, 4, 5}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"<f2":                    {file(1, dict("<f2", "False", "(2, 3)"), le, f16), "float16 1.0 2.0 -3.0 inf 6e-08 -0.0 [2 3] C"},
		">f2":                    {file(1, dict(">f2", "False", "(2, 3)"), be, f16), "float16 1.0 2.0 -3.0 inf 6e-08 -0.0 [2 3] C"},
		">f2 Fortran":            {file(1, dict(">f2", "True", "(2, 3)"), be, f16), "float16 1.0 2.0 -3.0 inf 6e-08 -0.0 [2 3] [1 2]"},
		"<f4":                    {file(1, dict("<f4", "False", "(6,)"), le, f32), "float32 0.0 1.0 2.0 3.0 4.0 5.0 [6] C"},
		">f4":                    {file(1, dict(">f4", "False", "(6,)"), be, f32), "float32 0.0 1.0 2.0 3.0 4.0 5.0 [6] C"},
		"<f4 Fortran":            {file(1, dict("<f4", "True", "(1, 2, 3)"), le, f32), "float32 0.0 1.0 2.0 3.0 4.0 5.0 [1 2 3] [1 1 2]"},
		"<f8":                    {file(1, dict("<f8", "False", "(2,)"), le, []float64{0.1, -1e300}), "float64 0.1 -1e+300 [2] C"},
		">f8":                    {file(1, dict(">f8", "False", "(2,)"), be, []float64{0.1, -1e300}), "float64 0.1 -1e+300 [2] C"},
		"<i4":                    {file(1, dict("<i4", "False", "(2,)"), le, []int32{-1, 1 << 30}), "int32 -1 1073741824 [2] C"},
		">i4":                    {file(1, dict(">i4", "False", "(2,)"), be, []int32{-1, 1 << 30}), "int32 -1 1073741824 [2] C"},
		"<i8":                    {file(1, dict("<i8", "False", "(2,)"), le, []int64{1<<53 + 1, -2}), "int64 9007199254740993 -2 [2] C"},
		">i8":                    {file(1, dict(">i8", "False", "(2,)"), be, []int64{1<<53 + 1, -2}), "int64 9007199254740993 -2 [2] C"},
		"<u4":                    {file(1, dict("<u4", "False", "(1,)"), le, []uint32{1<<32 - 2}), "uint32 4294967294 [1] C"},
		">u4":                    {file(1, dict(">u4", "False", "(1,)"), be, []uint32{1<<32 - 2}), "uint32 4294967294 [1] C"},
		"<u8":                    {file(1, dict("<u8", "False", "(1,)"), le, []uint64{1<<64 - 2}), "uint64 18446744073709551614 [1] C"},
		">u8":                    {file(1, dict(">u8", "False", "(1,)"), be, []uint64{1<<64 - 2}), "uint64 18446744073709551614 [1] C"},
		"rank 0":                 {file(1, dict("<f4", "False", "()"), le, []float32{7}), "float32 7.0 [] C"},
		"empty":                  {file(1, dict("<f4", "False", "(3, 0, 9223372036854775807)"), le, []float32{}), "float32 [3 0 9223372036854775807] C"},
		"empty Fortran":          {file(1, dict("<f4", "True", "(3, 0)"), le, []float32{}), "float32 [3 0] C"},
		"version 2":              {file(2, dict("<f4", "False", "(6,)"), le, f32), "float32 0.0 1.0 2.0 3.0 4.0 5.0 [6] C"},
		"version 3":              {file(3, dict("<f4", "False", "(6,)"), le, f32), "float32 0.0 1.0 2.0 3.0 4.0 5.0 [6] C"},
		"no comma at the end":    {file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", le, f32), "float32 0.0 1.0 2.0 3.0 4.0 5.0 [2 3] C"},
		"no spaces in the shape": {file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,3,),}", le, f32), "float32 0.0 1.0 2.0 3.0 4.0 5.0 [2 3] C"},
	} {
		t.Run(name, func(t *testing.T) {
			// A regular file tells its size, a pipe does not and comes in pieces.
			for size, r := range map[int64]io.Reader{
				int64(len(c.file)): bytes.NewReader(c.file),
				-1:                 iotest.OneByteReader(bytes.NewReader(c.file)),
			} {
				got, err := Read(r, size)
				if err != nil {
					t.Fatalf("size %d: %v", size, err)
				}
				if text(got) != c.want {
					t.Errorf("size %d: got %s, want %s", size, text(got), c.want)
				}
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	le := binary.LittleEndian
	f4 := func(shape string, n int) []byte {
		return file(1, dict("<f4", "False", shape), le, make([]float32, n))
	}
	whole := f4("(2, 3)", 6)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":            {nil, "not a .npy file"},
		"no magic":           {[]byte("PK\x03\x04 is a .npz"), "not a .npy file"},
		"version 4":          {file(4, dict("<f4", "False", "(1,)"), le, []float32{1}), "version 4.0"},
		"magic only":         {whole[:8], "cut short"},
		"half a header":      {whole[:40], "cut short"},
		"huge header":        {[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "claims 4294967295 bytes"},
		"data cut short":     {whole[:len(whole)-1], "has 23 bytes of data, shape (2, 3) of dtype f4 needs 24"},
		"no data":            {whole[:len(whole)-24], "has 0 bytes of data"},
		"more data":          {append(bytes.Clone(whole), 0), "data"},
		"bfloat16":           {file(1, dict("<V2", "False", "(1,)"), le, []uint16{1}), "no bfloat16"},
		"bool":               {file(1, dict("|b1", "False", "(1,)"), le, []byte{1}), `"|b1" is not one of`},
		"int16":              {file(1, dict("<i2", "False", "(1,)"), le, []uint16{1}), `"<i2" is not one of`},
		"complex":            {file(1, dict("<c16", "False", "(1,)"), le, make([]byte, 16)), `"<c16" is not one of`},
		"structured":         {file(1, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", le, []float32{1}), "is not one of"},
		"negative dimension": {f4("(2, -3)", 6), "(2, -3) has a negative dimension"},
		"huge dimension":     {f4("(99999999999999999999,)", 6), "99999999999999999999"},
		"huge product":       {f4("(4294967296, 4294967296)", 6), "more elements than memory"},
		"huge claim":         {f4("(1099511627776,)", 6), "has 24 bytes of data"},
		"no dictionary":      {file(1, "hello", le, []float32{1}), "does not end in }"},
		"no keys":            {file(1, "{}", le, []float32{1}), "not what NumPy writes"},
		"another order":      {file(1, "{'shape': (1,), 'fortran_order': False, 'descr': '<f4', }", le, []float32{1}), "not what NumPy writes"},
		"strange order":      {file(1, dict("<f4", "Maybe", "(1,)"), le, []float32{1}), "Maybe"},
		"strange shape":      {f4("(two,)", 2), "two"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int64{int64(len(c.file)), -1} {
				_, err := Read(bytes.NewReader(c.file), size)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("size %d: error %v, want %q in it", size, err, c.want)
				}
			}
		})
	}
}

func TestReadReportsErrors(t *testing.T) {
	broken := errors.New("device error")
	f := file(1, dict("<f4", "False", "(6,)"), binary.LittleEndian, make([]float32, 6))
	for _, n := range []int64{0, 9, 30, int64(len(f)) - 4} {
		r := io.MultiReader(bytes.NewReader(f[:n]), iotest.ErrReader(broken))
		if _, err := Read(r, int64(len(f))); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// More than one chunk, whose border must not shift anything.
func TestReadLong(t *testing.T) {
	x := make([]int64, 3*chunk/8+5)
	for i := range x {
		x[i] = int64(i)
	}
	f := file(1, dict(">i8", "False", fmt.Sprintf("(%d,)", len(x))), binary.BigEndian, x)
	for _, size := range []int64{int64(len(f)), -1} {
		got, err := Read(bytes.NewReader(f), size)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got.(tensor.Of[int64]).Data {
			if v != int64(i) {
				t.Fatalf("element %d is %d", i, v)
			}
		}
	}
}

func TestWrite(t *testing.T) {
	for name, x := range map[string]tensor.Tensor{
		"float32": tensor.Of[float32]{Data: []float32{1, 2.5}, Dims: []int{2, 1}},
		"float64": tensor.Of[float64]{Data: []float64{0.1}, Dims: []int{}},
		"float16": tensor.Of[reducesum.Float16]{Data: []reducesum.Float16{1, 0x7bff}, Dims: []int{2}},
		"int32":   tensor.Of[int32]{Data: []int32{-1}, Dims: []int{1}},
		"int64":   tensor.Of[int64]{Data: []int64{1<<53 + 1}, Dims: []int{1, 1, 1}},
		"uint32":  tensor.Of[uint32]{Data: []uint32{1<<32 - 1}, Dims: []int{1}},
		"uint64":  tensor.Of[uint64]{Data: []uint64{1<<64 - 1}, Dims: []int{1}},
		"empty":   tensor.Of[float32]{Data: []float32{}, Dims: []int{2, 0}},
		"rank 64": tensor.Of[float32]{Data: []float32{3}, Dims: bytesToInts(bytes.Repeat([]byte{1}, 64))},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, x); err != nil {
				t.Fatal(err)
			}
			if r, err := npy.NewReader(bytes.NewReader(b.Bytes())); err != nil {
				t.Errorf("npyio cannot read it: %v", err)
			} else if got := fmt.Sprint(r.Header.Descr.Shape); got != fmt.Sprint(x.Shape()) {
				t.Errorf("npyio reads shape %s, want %v", got, x.Shape())
			}
			got, err := Read(&b, int64(b.Len()))
			if err != nil {
				t.Fatal(err)
			}
			if text(got) != text(x) {
				t.Errorf("read back %s, want %s", text(got), text(x))
			}
		})
	}
}

func bytesToInts(b []byte) []int {
	x := make([]int, len(b))
	for i, v := range b {
		x[i] = int(v)
	}
	return x
}

// The file that the project ships was written by NumPy 1.24; ours is the same
// to the byte.
func TestWriteAsNumPy(t *testing.T) {
	want, err := os.ReadFile("../../../testdata/arange_2x3x4.npy")
	if err != nil {
		t.Fatal(err)
	}
	x, err := Read(bytes.NewReader(want), int64(len(want)))
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := Write(&got, x); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got\n%q\nwant\n%q", got.Bytes(), want)
	}
}

func TestWriteErrors(t *testing.T) {
	err := Write(io.Discard, tensor.Of[reducesum.BFloat16]{Data: []reducesum.BFloat16{1}, Dims: []int{1}})
	if err == nil || !strings.Contains(err.Error(), "no bfloat16") {
		t.Errorf("bfloat16: %v", err)
	}
	err = Write(io.Discard, tensor.Of[float32]{Data: []float32{1}, Dims: bytesToInts(bytes.Repeat([]byte{1}, 30000))})
	if err == nil || !strings.Contains(err.Error(), "30000 dimensions") {
		t.Errorf("rank 30000: %v", err)
	}
}

// Whatever a file holds, Read returns an error or a tensor that can be summed.
func FuzzRead(f *testing.F) {
	le := binary.LittleEndian
	f.Add(file(1, dict("<f2", "True", "(2, 1)"), le, []uint16{1, 2}))
	f.Add(file(2, dict(">f8", "False", "()"), le, []float64{1}))
	f.Add(file(3, dict("<u4", "True", "(0, 2, 9223372036854775807)"), le, []uint32{}))
	f.Add([]byte("\x93NUMPY\x01\x00\x02\x00}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		if _, err := x.ReduceSum(reducesum.Op{}); err != nil {
			t.Errorf("shape %v: %v", x.Shape(), err)
		}
	})
}
