package npy

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

// dtypes are the ways in which NumPy spells the element types that are summed:
// by kind and size, as it writes them, by character and by name, as numpy.dtype
// takes them. What is a different type on different machines (l, int, uint) is
// left out.
var dtypes = []struct {
	name   string
	descrs []string
}{
	{"float16", []string{"f2", "e", "float16", "half"}},
	{"float32", []string{"f4", "f", "float32", "single"}},
	{"float64", []string{"f8", "d", "float64", "double", "float"}},
	{"int32", []string{"i4", "i", "int32", "intc"}},
	{"int64", []string{"i8", "q", "int64", "longlong"}},
	{"uint32", []string{"u4", "I", "uint32", "uintc"}},
	{"uint64", []string{"u8", "Q", "uint64", "ulonglong"}},
}

// others are types of which there is no sum here, each with what to convert to.
var others = []struct {
	what   string
	descrs []string
	advice string
}{
	{"bool", []string{"b1", "?", "bool"}, "int64 counts what is true: x.astype('i8')"},
	{"int8", []string{"i1", "b", "int8", "byte"}, "x.astype('i4')"},
	{"int16", []string{"i2", "h", "int16", "short"}, "x.astype('i4')"},
	{"uint8", []string{"u1", "B", "uint8", "ubyte"}, "x.astype('u4')"},
	{"uint16", []string{"u2", "H", "uint16", "ushort"}, "x.astype('u4')"},
	{"long double", []string{"f10", "f12", "f16", "g", "float96", "float128", "longdouble"}, "x.astype('f8')"},
	{"complex", []string{"c", "c8", "c16", "c20", "c24", "c32", "F", "D", "G", "complex64", "complex128", "complex192", "complex256"}, "x.real and x.imag are two arrays"},
	{"bfloat16, or other 2 bytes", []string{"V2"}, ".npy has no bfloat16, .safetensors has"},
	{"object", []string{"O", "O4", "O8", "object"}, "it is never unpickled, x.astype('f8') may be what is meant"},
}

// families are others of which there are many, by their first character.
var families = map[byte]string{
	'S': "byte string", 'a': "byte string", 'U': "string", 'T': "string", 'V': "opaque bytes",
	'M': "date", 'm': "time difference",
}

// dtypeOf reads the value of descr. Where it names no type that is summed, name
// is for people, and err says what is read.
func dtypeOf(descr any) (name string, order binary.ByteOrder, err error) {
	switch d := descr.(type) {
	case string:
		return scalar(d)
	case list:
		return "structured", nil, unsupported("structured", fmt.Sprintf("of %d fields", len(d)), "one field, x['name'], is an array")
	case tuple:
		return "sub-array", nil, unsupported("sub-array", "", "")
	}
	return "unknown", nil, unsupported("unknown", fmt.Sprintf("%.50q", fmt.Sprint(descr)), "")
}

func scalar(descr string) (name string, order binary.ByteOrder, err error) {
	kind := descr
	order = binary.NativeEndian
	if kind != "" && strings.IndexByte("<>=|", kind[0]) >= 0 {
		switch kind[0] {
		case '<':
			order = binary.LittleEndian
		case '>':
			order = binary.BigEndian
		}
		kind = kind[1:]
	}
	for _, t := range dtypes {
		if slices.Contains(t.descrs, kind) {
			return t.name, order, nil
		}
	}
	quoted := fmt.Sprintf("%.50q", descr)
	for _, t := range others {
		if slices.Contains(t.descrs, kind) {
			return t.what, nil, unsupported(t.what, quoted, t.advice)
		}
	}
	if kind != "" {
		if what, ok := families[kind[0]]; ok {
			return what, nil, unsupported(what, quoted, "")
		}
	}
	return descr, nil, unsupported("unknown", quoted, "")
}

// unsupported is the error for a type that is not summed.
func unsupported(what, descr, advice string) error {
	if descr != "" {
		descr = " (" + descr + ")"
	}
	names := slices.DeleteFunc(tensor.DTypes(), func(s string) bool { return s == "bfloat16" })
	if advice != "" {
		advice = "; " + advice
	}
	return fmt.Errorf("elements of dtype %s%s are not summed, those of %s are%s", what, descr, strings.Join(names, ", "), advice)
}
