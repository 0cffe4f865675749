package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/alloctest"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// file makes a .npy file of a header's dictionary and data.
func file(version byte, dict string, order binary.ByteOrder, data any) []byte {
	head := dict + "\n"
	b := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', version, 0}
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(head)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(head)))
	}
	b, err := binary.Append(append(b, head...), order, data)
	if err != nil {
		panic(err)
	}
	return b
}

func header(descr, fortran, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, fortran, shape)
}

// readers are the ways in which a file is read.
var readers = map[string]func(file []byte) (tensor.Tensor, error){
	"mapped": func(file []byte) (tensor.Tensor, error) {
		h, err := ReadHeader(bytes.NewReader(file))
		if err != nil {
			return nil, err
		}
		return h.View(file)
	},
	"piped": func(file []byte) (tensor.Tensor, error) {
		r := iotest.OneByteReader(bytes.NewReader(file))
		h, err := ReadHeader(r)
		if err != nil {
			return nil, err
		}
		return h.Read(r)
	},
}

// text is a tensor as the tests compare it: dtype, shape, and its values in
// row-major order.
func text(t tensor.Tensor) string {
	x, err := t.ReduceSum(reducesum.Op{NoopWithEmptyAxes: true}, nil)
	if err != nil {
		return err.Error()
	}
	s := fmt.Sprint(x.DType(), " ", x.Shape())
	for i := range x.Len() {
		s += " " + x.Number(i)
	}
	return s
}

func TestRead(t *testing.T) {
	le, be, native := binary.LittleEndian, binary.BigEndian, binary.NativeEndian
	f16 := []uint16{0x3c00, 0x4000, 0xc200, 0x7c00, 0x0001, 0x8000}
	f32 := []float32{0, 1, 2, 3, 4, 5}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"<f2":           {file(1, header("<f2", "False", "(2, 3)"), le, f16), "float16 [2 3] 1.0 2.0 -3.0 inf 6e-08 -0.0"},
		">f2":           {file(1, header(">f2", "False", "(2, 3)"), be, f16), "float16 [2 3] 1.0 2.0 -3.0 inf 6e-08 -0.0"},
		">f2 Fortran":   {file(1, header(">f2", "True", "(2, 3)"), be, f16), "float16 [2 3] 1.0 -3.0 6e-08 2.0 inf -0.0"},
		"=f2":           {file(1, header("=f2", "False", "(6,)"), native, f16), "float16 [6] 1.0 2.0 -3.0 inf 6e-08 -0.0"},
		"<f4":           {file(1, header("<f4", "False", "(6,)"), le, f32), "float32 [6] 0.0 1.0 2.0 3.0 4.0 5.0"},
		">f4":           {file(1, header(">f4", "False", "(6,)"), be, f32), "float32 [6] 0.0 1.0 2.0 3.0 4.0 5.0"},
		"=f4":           {file(1, header("=f4", "False", "(6,)"), native, f32), "float32 [6] 0.0 1.0 2.0 3.0 4.0 5.0"},
		"|f4":           {file(1, header("|f4", "False", "(6,)"), native, f32), "float32 [6] 0.0 1.0 2.0 3.0 4.0 5.0"},
		"f4":            {file(1, header("f4", "False", "(6,)"), native, f32), "float32 [6] 0.0 1.0 2.0 3.0 4.0 5.0"},
		"float32":       {file(1, header("float32", "False", "(6,)"), native, f32), "float32 [6] 0.0 1.0 2.0 3.0 4.0 5.0"},
		"<f4 Fortran":   {file(1, header("<f4", "True", "(1, 2, 3)"), le, f32), "float32 [1 2 3] 0.0 2.0 4.0 1.0 3.0 5.0"},
		">f4 Fortran":   {file(1, header(">f4", "True", "(3, 2)"), be, f32), "float32 [3 2] 0.0 3.0 1.0 4.0 2.0 5.0"},
		"<f8":           {file(1, header("<f8", "False", "(2,)"), le, []float64{0.1, -1e300}), "float64 [2] 0.1 -1e+300"},
		">f8":           {file(1, header(">f8", "False", "(2,)"), be, []float64{0.1, -1e300}), "float64 [2] 0.1 -1e+300"},
		">d":            {file(1, header(">d", "False", "(2,)"), be, []float64{0.1, -1e300}), "float64 [2] 0.1 -1e+300"},
		"<i4":           {file(1, header("<i4", "False", "(2,)"), le, []int32{-1, 1 << 30}), "int32 [2] -1 1073741824"},
		">i4":           {file(1, header(">i4", "False", "(2,)"), be, []int32{-1, 1 << 30}), "int32 [2] -1 1073741824"},
		"<i8":           {file(1, header("<i8", "False", "(2,)"), le, []int64{1<<53 + 1, -2}), "int64 [2] 9007199254740993 -2"},
		">i8":           {file(1, header(">i8", "False", "(2,)"), be, []int64{1<<53 + 1, -2}), "int64 [2] 9007199254740993 -2"},
		"<u4":           {file(1, header("<u4", "False", "(1,)"), le, []uint32{1<<32 - 2}), "uint32 [1] 4294967294"},
		">u4":           {file(1, header(">u4", "False", "(1,)"), be, []uint32{1<<32 - 2}), "uint32 [1] 4294967294"},
		"<u8":           {file(1, header("<u8", "False", "(1,)"), le, []uint64{1<<64 - 2}), "uint64 [1] 18446744073709551614"},
		">u8":           {file(1, header(">u8", "False", "(1,)"), be, []uint64{1<<64 - 2}), "uint64 [1] 18446744073709551614"},
		"rank 0":        {file(1, header("<f4", "False", "()"), le, []float32{7}), "float32 [] 7.0"},
		"rank 0, BE":    {file(1, header(">f4", "True", "()"), be, []float32{7}), "float32 [] 7.0"},
		"empty":         {file(1, header("<f4", "False", "(3, 0, 9)"), le, []float32{}), "float32 [3 0 9]"},
		"empty Fortran": {file(1, header(">f4", "True", "(3, 0)"), be, []float32{}), "float32 [3 0]"},
		"version 2":     {file(2, header("<f4", "False", "(6,)"), le, f32), "float32 [6] 0.0 1.0 2.0 3.0 4.0 5.0"},
		"version 3":     {file(3, header("<f4", "False", "(6,)"), le, f32), "float32 [6] 0.0 1.0 2.0 3.0 4.0 5.0"},
		"long header":   {file(2, header("<f4", "False", "(6,)")+strings.Repeat(" ", 70000), le, f32), "float32 [6] 0.0 1.0 2.0 3.0 4.0 5.0"},
		"two arrays":    {slices.Repeat(file(1, header("<f4", "False", "(6,)"), le, f32), 2), "float32 [6] 0.0 1.0 2.0 3.0 4.0 5.0"},
	} {
		for how, read := range readers {
			got, err := read(c.file)
			if err != nil {
				t.Errorf("%s, %s: %v", name, how, err)
			} else if text(got) != c.want {
				t.Errorf("%s, %s: got %s, want %s", name, how, text(got), c.want)
			}
		}
	}
}

// Each is a header of float32 and shape (2, 3), which NumPy 1.24 reads too, but for
// the one whose descr is of bytes.
func TestHeaders(t *testing.T) {
	for _, dict := range []string{
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3,), }",
		"{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
		"{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}",
		"{'fortran_order': False, 'shape': (2, 3), 'descr': '<f4'}",
		"{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2, 3)}",
		"{u'descr': u'<f4', u'fortran_order': False, u'shape': (2, 3)}",
		"{'descr': b'<f4', 'fortran_order': False, 'shape': (2, 3)}",
		"{r'descr': R\"<f4\", 'fortran_order': False, 'shape': (2, 3)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }",
		"{ 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2 , 3 ) , }",
		"{\n 'descr': '<f4',\n 'fortran_order': False,\n 'shape': (2,\n 3),\n}",
		"{\t'descr':\t'<f4',\t'fortran_order': False,\r\n'shape': (2, 3)}",
		"  {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}  \t ",
		"{'''descr''': \"\"\"<f4\"\"\", 'fortran_order': False, 'shape': (2, 3)}",
		"{'de' 'scr': '<' \"f4\", 'fortran_order': False, 'shape': (2, 3)}",
		`{'de\x73cr': '\u003cf4', 'fortran_order': False, 'shape': (2, 3)}`,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (0x2, 0b11)}",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (+2, 0o3)}",
		"{'descr': '<i8', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
		"({'descr': '<f4', 'fortran_order': (False), 'shape': ((2), (3))})",
		"{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3), }",
		"{'descr': 'f4', 'fortran_order': False, 'shape': (2, 3), }",
		"{'descr': '|f4', 'fortran_order': False, 'shape': (2, 3), }",
		"{'descr': 'float32', 'fortran_order': False, 'shape': (2, 3), }",
		"{'descr': 'f', 'fortran_order': False, 'shape': (2, 3), }",
	} {
		for version := byte(1); version <= 3; version++ {
			h, err := ReadHeader(bytes.NewReader(file(version, dict, binary.LittleEndian, []byte{})))
			if err != nil {
				t.Errorf("%s: %v", dict, err)
			} else if h.DType != "float32" || h.Unsupported != nil || h.Fortran || !slices.Equal(h.Dims, []int{2, 3}) {
				t.Errorf("%s: %+v", dict, h)
			}
		}
	}
}

func TestHeaderErrors(t *testing.T) {
	const rest = "'fortran_order': False, 'shape': (2, 3)}"
	for dict, want := range map[string]string{
		"hello": `at "hello\n", where a value is expected`,
		"":      "it ends where a value is expected",
		"()":    "it is no dict",
		"{}":    "it has no key descr",
		"{'descr': '<f4', " + rest + " # a comment":                                             `at "# a comment\n", where the end is expected`,
		"{'descr': '<f4', " + rest + "}":                                                        `at "}\n", where the end is expected`,
		"{'descr': '<f4', " + rest[:len(rest)-1]:                                                "it ends where a comma or } is expected",
		"{'descr' '<f4', " + rest:                                                               "where a colon is expected",
		"{'descr': '<f4' " + rest:                                                               "where a comma or } is expected",
		"{'descr': '<f4', 'fortran_order': False}":                                              "it has no key shape",
		"{'descr': '<f4', 'more': 1, " + rest:                                                   "it has 4 keys",
		"{1: '<f4', " + rest:                                                                    "a key is not a string",
		"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}":                             `at "Maybe,`,
		"{'descr': '<f4', 'fortran_order': 1, 'shape': (2, 3)}":                                 "fortran_order is neither True nor False",
		"{'descr': '<f4', 'fortran_order': None, 'shape': (2, 3)}":                              "fortran_order is neither True nor False",
		"{'descr': '<f4', 'fortran_order': False, 'shape': 6}":                                  "shape is no tuple",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (6)}":                                "shape is no tuple",
		"{'descr': '<f4', 'fortran_order': False, 'shape': [2, 3]}":                             "shape is no tuple",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3.0)}":                           "3.0 is no integer",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, '3')}":                           "shape is not of integers",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 03)}":                            "03 is no integer of Python's",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (two,)}":                             `at "two,`,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}":                            "(2, -3) has a negative dimension",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}":            "99999999999999999999 is larger than an int",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2147483648, 8589934592)}":           "more elements than memory can hold",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (" + strings.Repeat("1,", 65) + ")}": "65 dimensions",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (__import__('os'),)}":                "where a value is expected",
		"{'descr': '<f4":                       "a string does not end",
		"{'descr': '<f4\n', " + rest:           "a string does not end",
		"{'descr': '\\N{DIGIT ONE}', " + rest:  `escape "\\N"`,
		"{'descr': f'<f4', " + rest:            "where a string is expected",
		strings.Repeat("[", 100):               "nested more than 32 deep",
		"(" + strings.Repeat("1,", 5000) + ")": "more than 4096 values",
		strings.Repeat("{'a':", 100):           "nested more than 32 deep",
	} {
		_, err := ReadHeader(bytes.NewReader(file(1, dict, binary.LittleEndian, []byte{})))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", dict, err, want)
		}
	}
}

// A type that is not summed is named, with what to do.
func TestUnsupported(t *testing.T) {
	for descr, want := range map[string]string{
		"'|b1'":                        `dtype bool ("|b1") are not summed, those of float16, float32, float64, int32, int64, uint32, uint64 are; int64 counts what is true: x.astype('i8')`,
		"'?'":                          `dtype bool ("?")`,
		"'|i1'":                        `dtype int8 ("|i1")`,
		"'|u1'":                        `dtype uint8 ("|u1")`,
		"'<i2'":                        `dtype int16 ("<i2")`,
		"'>u2'":                        `dtype uint16 (">u2")`,
		"'<c8'":                        `dtype complex ("<c8")`,
		"'<c16'":                       `dtype complex ("<c16") are not summed, those of float16, float32, float64, int32, int64, uint32, uint64 are; x.real and x.imag are two arrays`,
		"'<f16'":                       `dtype long double ("<f16")`,
		"'|O'":                         `dtype object ("|O")`,
		"'<U5'":                        `dtype string ("<U5")`,
		"'|S5'":                        `dtype byte string ("|S5")`,
		"'<M8[ns]'":                    `dtype date ("<M8[ns]")`,
		"'<m8[D]'":                     `dtype time difference ("<m8[D]")`,
		"'|V16'":                       `dtype opaque bytes ("|V16")`,
		"'|V2'":                        `.npy has no bfloat16, .safetensors has`,
		"[('x', '<f4'), ('y', '<i4')]": `dtype structured (of 2 fields)`,
		"('<f4', (2,))":                `dtype sub-array`,
		"'<f5'":                        `dtype unknown ("<f5")`,
		"''":                           `dtype unknown ("")`,
		"'<'":                          `dtype unknown ("<")`,
		"None":                         `dtype unknown`,
		"5":                            `dtype unknown ("5")`,
	} {
		f := file(1, "{'descr': "+descr+", 'fortran_order': False, 'shape': (2,)}", binary.LittleEndian, make([]byte, 32))
		for how, read := range readers {
			if _, err := read(f); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, %s: error %v, want %q in it", descr, how, err, want)
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	le := binary.LittleEndian
	f4 := func(shape string, n int) []byte {
		return file(1, header("<f4", "False", shape), le, make([]float32, n))
	}
	whole := f4("(2, 3)", 6)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":        {nil, "not a .npy file"},
		"no magic":       {[]byte("PK\x03\x04 is a .npz"), "not a .npy file"},
		"version 4":      {file(4, header("<f4", "False", "(1,)"), le, []float32{1}), "version 4.0"},
		"magic only":     {whole[:8], "cut short"},
		"half a length":  {whole[:9], "cut short"},
		"half a header":  {whole[:40], "cut short"},
		"huge header":    {[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "claims 4294967295 bytes"},
		"not UTF-8":      {file(3, "{'d\xe9scr': 1}", le, []float32{}), "not UTF-8"},
		"latin1":         {file(2, "{'d\xe9scr': 1}", le, []float32{}), "it has no key descr"},
		"data cut short": {whole[:len(whole)-1], "has 23 bytes of data, shape (2, 3) of dtype float32 needs 24"},
		"no data":        {whole[:len(whole)-24], "has 0 bytes of data"},
		"huge claim":     {f4("(1099511627776,)", 6), "has 24 bytes of data"},
	} {
		for how, read := range readers {
			alloctest.Check(t, len(c.file), func() {
				if _, err := read(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s, %s: error %v, want %q in it", name, how, err, c.want)
				}
			})
		}
	}
}

func TestReadReportsErrors(t *testing.T) {
	broken := errors.New("device error")
	f := file(1, header("<f4", "False", "(6,)"), binary.LittleEndian, make([]float32, 6))
	for _, n := range []int{0, 9, 30, len(f) - 4} {
		r := io.MultiReader(bytes.NewReader(f[:n]), iotest.ErrReader(broken))
		h, err := ReadHeader(r)
		if err == nil {
			_, err = h.Read(r)
		}
		if !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
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
		"rank 64": tensor.Of[float32]{Data: []float32{3}, Dims: slices.Repeat([]int{1}, 64)},
	} {
		var b bytes.Buffer
		if err := Write(&b, x); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for how, read := range readers {
			if got, err := read(b.Bytes()); err != nil || text(got) != text(x) {
				t.Errorf("%s, %s: read back %v, %v", name, how, got, err)
			}
		}
	}
}

// The file that the project ships was written by NumPy 1.24; ours is the same
// to the byte.
func TestWriteAsNumPy(t *testing.T) {
	want, err := os.ReadFile("../../../testdata/arange_2x3x4.npy")
	if err != nil {
		t.Fatal(err)
	}
	x, err := readers["mapped"](want)
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
	if err == nil || !strings.Contains(err.Error(), ".npy has no type bfloat16") {
		t.Errorf("bfloat16: %v", err)
	}
	err = Write(io.Discard, tensor.Of[float32]{Data: []float32{1}, Dims: slices.Repeat([]int{1}, 30000)})
	if err == nil || !strings.Contains(err.Error(), "30000 dimensions") {
		t.Errorf("rank 30000: %v", err)
	}
}

// Whatever a file holds, there is an error or a tensor that can be summed.
func FuzzRead(f *testing.F) {
	le := binary.LittleEndian
	f.Add(file(1, header("<f2", "True", "(2, 1)"), le, []uint16{1, 2}))
	f.Add(file(2, header(">f8", "False", "()"), le, []float64{1}))
	f.Add(file(3, header("=u4", "True", "(0, 2, 9223372036854775807)"), le, []uint32{}))
	f.Add(file(1, "{u'shape': (2L,\n1L), \"descr\": [(r'x', '\\x3cf4', (2,))], 'fortran_order': None}", le, []uint32{}))
	f.Add([]byte("\x93NUMPY\x01\x00\x02\x00}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		alloctest.Check(t, 2*len(b), func() {
			for _, read := range readers {
				x, err := read(b)
				if err != nil {
					continue
				}
				if _, err := x.ReduceSum(reducesum.Op{}, nil); err != nil {
					t.Errorf("shape %v: %v", x.Shape(), err)
				}
			}
		})
	})
}
