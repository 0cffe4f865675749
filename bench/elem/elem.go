// Package elem knows the element types: their names, sizes, and how to fill
// memory with values whose sums are known.
package elem

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/reducesum/reducesum"
)

// A Type is an element type, by its name.
type Type string

// Types lists the element types, in the order of reports.
var Types = []Type{"float32", "float64", "float16", "bfloat16", "int32", "int64", "uint32", "uint64"}

// Parse returns the type called name.
func Parse(name string) (Type, error) {
	for _, t := range Types {
		if string(t) == name {
			return t, nil
		}
	}
	return "", fmt.Errorf("unknown element type %q (want one of %s)", name, list())
}

func list() string {
	var names []string
	for _, t := range Types {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

// Size returns the size of an element in bytes.
func (t Type) Size() int {
	switch t {
	case "float16", "bfloat16":
		return 2
	case "float32", "int32", "uint32":
		return 4
	}
	return 8
}

// View returns the bytes b as a slice of the type: a []float32 and so on, one of
// the types of [reducesum.Element].
func (t Type) View(b []byte) any {
	switch t {
	case "float32":
		return view[float32](b)
	case "float64":
		return view[float64](b)
	case "float16":
		return view[reducesum.Float16](b)
	case "bfloat16":
		return view[reducesum.BFloat16](b)
	case "int32":
		return view[int32](b)
	case "int64":
		return view[int64](b)
	case "uint32":
		return view[uint32](b)
	}
	return view[uint64](b)
}

func view[T reducesum.Element](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// An Accumulator is a type that holds the sum of a plain loop.
type Accumulator interface {
	float32 | float64 | int32 | int64 | uint32 | uint64
}
