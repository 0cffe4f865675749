package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/alloctest"
	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// file makes a file of a header and zeros.
func file(header string, size int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, size)...)
}

// list returns what a file holds, or the error.
func list(file []byte) string {
	entries, err := Entries(file)
	if err != nil {
		return err.Error()
	}
	var s []string
	for _, e := range entries {
		s = append(s, fmt.Sprint(e.Name, " ", e.DType, " ", e.Dims))
	}
	return strings.Join(s, ", ")
}

func TestHeader(t *testing.T) {
	const a, b = `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`, `"b":{"dtype":"I64","shape":[],"data_offsets":[8,16]}`
	for _, c := range []struct {
		header string
		size   int
		want   string
	}{
		{`{` + a + `,` + b + `}`, 16, "a float32 [2], b int64 []"},
		{`{` + b + `,` + a + `}`, 16, "a float32 [2], b int64 []"},
		{`{ ` + a + ` , ` + b + "\n}   ", 16, "a float32 [2], b int64 []"},
		{`{}`, 0, ""},
		{`{"__metadata__":{"format":"pt","x":""},` + a + `}`, 8, "a float32 [2]"},
		{`{"a":{"data_offsets":[0,0],"shape":[3,0,9],"dtype":"BF16"}}`, 0, "a bfloat16 [3 0 9]"},
		{`{"z":{"dtype":"F16","shape":[0],"data_offsets":[0,0]},` + a + `,"y":{"dtype":"U32","shape":[0],"data_offsets":[8,8]}}`, 8, "z float16 [0], a float32 [2], y uint32 [0]"},
		{`{"a":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}}`, 3, "a BOOL [3]"},
		{`{"a":{"dtype":"F4","shape":[3,2],"data_offsets":[0,3]}}`, 3, "a F4 [3 2]"},
		{`{"a":{"dtype":"F999","shape":[3,2],"data_offsets":[0,3]}}`, 3, "a F999 [3 2]"},
		{`{"a\u00e9\"":{"dtype":"U64","shape":[1],"data_offsets":[0,8]}}`, 8, `aé" uint64 [1]`},

		{`{` + a + `}`, 9, "no tensor has the last 1 bytes"},
		{`{` + a + `}`, 7, `cut short: tensor "a" ends at byte 8 of the data, there are 7`},
		{`{` + b + `}`, 16, `no tensor has the bytes 0 to 8 of the data, before "b"`},
		{`{` + a + `,"b":{"dtype":"I32","shape":[1],"data_offsets":[4,8]}}`, 8, `"b" begins at byte 4 of the data, where another one lies until 8`},
		{`{` + a + `,"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8, `"b" begins at byte 0`},
		{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 4, `"a" has 4 bytes of data, shape (2,) of type F32 does not`},
		{`{"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,4]}}`, 4, `"a" has 4 bytes of data`},
		{`{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}}`, 1, `"a" has 1 bytes of data`},
		{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, 8, `no tensor has the bytes 0 to 8`},
		{`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615]}}`, 8, "not a size"},
		{`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0, "more elements than memory can hold"},
		{`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4, `has "-1", not a size`},
		{`{"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}}`, 4, `has "1.0", not a size`},
		{`{"a":{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}}`, 4, `has "1", not a size`},
		{`{"a":{"dtype":"F32","shape":[[1]],"data_offsets":[0,4]}}`, 4, "not a size"},
		{`{"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}}`, 4, `shape of tensor "a" is "1", [ is expected`},
		{`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}`, 4, "are 3 numbers, not 2"},
		{`{"a":{"dtype":32,"shape":[1],"data_offsets":[0,4]}}`, 4, "not a string"},
		{`{"a":{"shape":[1],"data_offsets":[0,4]}}`, 4, "has not all of dtype, shape and data_offsets"},
		{`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":1}}`, 4, `has a key "more"`},
		{`{"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4, `"dtype" occurs twice`},
		{`{` + a + `,` + a + `}`, 8, `"a" occurs twice in the header`},
		{`{"__metadata__":{"x":1}}`, 0, "x is \"1\", not a string"},
		{`{"a":null}`, 0, "{ is expected"},
		{`{` + a + `}x`, 8, `"x" follows it`},
		{`{` + a, 8, "unexpected EOF"},
		{`{` + a + `]`, 8, "not that of a .safetensors file"},
		{` {}`, 0, "does not begin with {"},
		{`[]`, 0, "does not begin with {"},
		{``, 0, "does not begin with {"},
		{"{\"a\xff\":{}}", 0, "not UTF-8"},
	} {
		f := file(c.header, c.size)
		alloctest.Check(t, len(f), func() {
			if got := list(f); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
				t.Errorf("%s: got %s, want %s", c.header, got, c.want)
			}
		})
	}
	for name, c := range map[string]struct{ file, want string }{
		"nothing":     {"", "cut short"},
		"half a size": {"\x02\x00\x00", "cut short"},
		"cut short":   {"\x03\x00\x00\x00\x00\x00\x00\x00{}", "the header claims 3 bytes, 2 are there"},
		"too long":    {"\x01\xe1\xf5\x05\x00\x00\x00\x00{}", "the header claims 100000001 bytes, more than the 100000000 of the format"},
		"far too":     {"\xff\xff\xff\xff\xff\xff\xff\xff{}", "more than the 100000000"},
	} {
		if got := list([]byte(c.file)); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestUnsupported(t *testing.T) {
	for _, dtype := range []string{"BOOL", "U8", "F8_E4M3"} {
		entries, err := Entries(file(`{"a":{"dtype":"`+dtype+`","shape":[3],"data_offsets":[0,3]}}`, 3))
		if err != nil {
			t.Fatal(err)
		}
		want := "elements of type " + dtype + " are not summed, those of float16, bfloat16, float32"
		if _, err := entries[0].Load(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", dtype, err)
		}
	}
}

// What is written is read back, of every type.
func TestWrite(t *testing.T) {
	for _, x := range []tensor.Tensor{
		tensor.Of[reducesum.BFloat16]{Data: []reducesum.BFloat16{0x3f80, 0x4000, 0x4040}, Dims: []int{3, 1}},
		tensor.Of[reducesum.Float16]{Data: []reducesum.Float16{0x3c00}, Dims: nil},
		tensor.Of[float32]{Data: []float32{1, 2.5}, Dims: []int{2}},
		tensor.Of[float64]{Data: []float64{0.1}, Dims: []int{1, 1}},
		tensor.Of[int32]{Data: []int32{-1}, Dims: []int{1}},
		tensor.Of[int64]{Data: []int64{1<<53 + 1}, Dims: []int{1}},
		tensor.Of[uint32]{Data: []uint32{1<<32 - 1}, Dims: []int{1}},
		tensor.Of[uint64]{Data: []uint64{1<<64 - 1}, Dims: []int{1}},
		tensor.Of[float32]{Data: []float32{}, Dims: []int{2, 0}},
	} {
		for _, name := range []string{"sum", `a "name" of é <&>`} {
			var b bytes.Buffer
			if err := Write(&b, name, x); err != nil {
				t.Fatal(err)
			}
			entries, err := Entries(b.Bytes())
			if err != nil || len(entries) != 1 || entries[0].Name != name {
				t.Fatalf("%s: %v, %v", x.DType(), entries, err)
			}
			got, err := entries[0].Load()
			if err != nil {
				t.Fatal(err)
			}
			same := got.DType() == x.DType() && got.Len() == x.Len() && slices.Equal(got.Shape(), x.Shape())
			for i := range x.Len() {
				same = same && got.Number(i) == x.Number(i)
			}
			if !same {
				t.Errorf("%s %v: read back %s %v", x.DType(), x.Shape(), got.DType(), got.Shape())
			}
		}
	}
}

func FuzzEntries(f *testing.F) {
	f.Add(file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"k":"v"}}`, 8))
	f.Add(file(`{"a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},"b":{"dtype":"F4","shape":[2,2],"data_offsets":[2,4]}} `, 4))
	f.Add(file(`{"\ud83d\ude00":{"dtype":"U64","shape":[0,9],"data_offsets":[0,0]}}`, 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		alloctest.Check(t, len(b), func() {
			entries, err := Entries(b)
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
