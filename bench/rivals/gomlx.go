package rivals

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/dtypes/bfloat16"
	"github.com/gomlx/gomlx/pkg/core/shapes"

	"github.com/reducesum/reducesum"
)

// newGomlx compiles and runs a ReduceSum on GoMLX's backend in pure Go.
func newGomlx(t Task) (*Entry, error) {
	backend := simplego.GetBackend()
	flat := gomlxSlice(t.Src)
	if flat == nil {
		return nil, ErrUnsupported
	}
	shape := shapes.Make(dtypes.FromGoType(reflect.TypeOf(flat).Elem()), t.Case.Shape...)
	program, err := gomlxProgram(backend, shape, t.Case.Axes)
	if err != nil {
		return nil, err
	}
	input, err := gomlxBuffer(flat, shape)
	if err != nil {
		return nil, err
	}
	result := reflect.MakeSlice(reflect.TypeOf(flat), t.Case.Results(), t.Case.Results()).Interface()
	if err := gomlxRun(backend, program, input, result); err != nil {
		return nil, err
	}
	return &Entry{
		Run: func(n int) {
			for i := range n {
				var to any
				if i == n-1 {
					to = result
				}
				_ = gomlxRun(backend, program, input, to) // has run once: it cannot fail
			}
		},
		Result: func() any { return ourSlice(result) },
	}, nil
}

// gomlxSlice returns src as a slice of GoMLX's type, nil if it has none that it
// can sum.
func gomlxSlice(src any) any {
	switch src := src.(type) {
	case []reducesum.BFloat16:
		return unsafe.Slice((*bfloat16.BFloat16)(unsafe.Pointer(unsafe.SliceData(src))), len(src))
	case []reducesum.Float16:
		return nil
	}
	return src
}

// ourSlice is the inverse of gomlxSlice.
func ourSlice(flat any) any {
	if flat, ok := flat.([]bfloat16.BFloat16); ok {
		return reducesum.AsBFloat16(flat)
	}
	return flat
}

func gomlxProgram(backend backends.Backend, shape shapes.Shape, axes []int) (backends.Executable, error) {
	builder := backend.Builder("sum")
	x, err := builder.Parameter("x", shape, nil)
	if err != nil {
		return nil, err
	}
	sum, err := builder.ReduceSum(x, axes...)
	if err != nil {
		return nil, err
	}
	return builder.Compile([]backends.Op{sum}, nil)
}

// gomlxBuffer returns a buffer over the memory of flat. The package only offers
// to copy to a buffer on Go's heap, without huge pages, which would be unfair to
// it: so the fields are set from outside.
func gomlxBuffer(flat any, shape shapes.Shape) (*simplego.Buffer, error) {
	b := new(simplego.Buffer)
	for name, value := range map[string]any{"flat": flat, "shape": shape, "valid": true} {
		f := reflect.ValueOf(b).Elem().FieldByName(name)
		if !f.IsValid() || !reflect.TypeOf(value).AssignableTo(f.Type()) {
			return nil, fmt.Errorf("GoMLX's Buffer has changed: no field %s of type %T", name, value)
		}
		reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Set(reflect.ValueOf(value))
	}
	return b, nil
}

// gomlxRun runs the program once, and copies the result unless it is nil.
func gomlxRun(backend backends.Backend, program backends.Executable, input *simplego.Buffer, result any) error {
	out, err := program.Execute([]backends.Buffer{input}, nil, 0)
	if err != nil {
		return err
	}
	if result != nil {
		if err := backend.BufferToFlatData(out[0], result); err != nil {
			return err
		}
	}
	return backend.BufferFinalize(out[0])
}
