package reducesum

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// dtypeNamed returns the DType of an element type of the tests.
func dtypeNamed(t testing.TB, e element) DType {
	for d := F32; d < numDTypes; d++ {
		if d.String() == e.String() {
			return d
		}
	}
	t.Fatalf("no DType named %v", e)
	return 0
}

// TestDTypes checks what a DType tells of its type, and that there is one for each.
func TestDTypes(t *testing.T) {
	if n := int(numDTypes) - 1; n != len(elementTypes) {
		t.Errorf("%d DTypes, %d element types", n, len(elementTypes))
	}
	for _, c := range []struct {
		dtype, of DType
		name      string
		size      int
		onnx      int32
	}{
		{F32, DTypeFor[float32](), "float32", 4, 1},
		{F64, DTypeFor[float64](), "float64", 8, 11},
		{F16, DTypeFor[Float16](), "float16", 2, 10},
		{BF16, DTypeFor[BFloat16](), "bfloat16", 2, 16},
		{I32, DTypeFor[int32](), "int32", 4, 6},
		{I64, DTypeFor[int64](), "int64", 8, 7},
		{U32, DTypeFor[uint32](), "uint32", 4, 12},
		{U64, DTypeFor[uint64](), "uint64", 8, 13},
	} {
		if d := c.dtype; d != c.of || d.String() != c.name || d.Size() != c.size || d.ONNX() != c.onnx {
			t.Errorf("%v, %v: size %d, number %d, want %+v", d, c.of, d.Size(), d.ONNX(), c)
		}
		if d, err := DTypeFromONNX(c.onnx); d != c.dtype || err != nil {
			t.Errorf("TensorProto.DataType %d: %v, %v, want %v", c.onnx, d, err, c.dtype)
		}
		if _, ok := onnxTypes[c.onnx]; !ok {
			t.Errorf("an ONNXNode takes no %v", c.dtype)
		}
	}
	for _, d := range []DType{0, numDTypes, 255} {
		if want := fmt.Sprintf("DType(%d)", uint8(d)); d.String() != want || d.Size() != 0 || d.ONNX() != 0 {
			t.Errorf("%v: size %d, number %d, want %s of 0 and 0", d, d.Size(), d.ONNX(), want)
		}
	}
	for _, n := range []int32{0, -1, 2, 9, 14, 17, 255, 1<<31 - 1} {
		if d, err := DTypeFromONNX(n); d != 0 || !errors.Is(err, ErrType) || !strings.Contains(err.Error(), fmt.Sprint(n)) {
			t.Errorf("TensorProto.DataType %d: %v, %v", n, d, err)
		}
	}
}

// Types that have the layout of an element type, or only nearly.
type (
	celsius float32
	plain16 uint16
	row     []float64
)

// TestDTypeOf checks for which types there is a DType.
func TestDTypeOf(t *testing.T) {
	intIs, uintIs := I64, U64
	if unsafe.Sizeof(int(0)) == 4 {
		intIs, uintIs = I32, U32
	}
	for _, c := range []struct {
		x    any
		want DType
	}{
		{float32(0), F32}, {0.0, F64}, {Float16(0), F16}, {BFloat16(0), BF16}, {'a', I32}, {int64(0), I64}, {uint32(0), U32}, {uint64(0), U64},
		{0, intIs}, {uint(0), uintIs}, {celsius(0), F32}, {time.Second, I64}, {reflect.Int, uintIs},
		{plain16(0), 0}, {uint16(0), 0}, {int16(0), 0}, {byte(0), 0}, {true, 0}, {"", 0}, {uintptr(0), 0}, {complex64(0), 0},
		{struct{}{}, 0}, {[]float32{}, 0}, {[1]float32{}, 0}, {new(float32), 0}, {nil, 0},
	} {
		typ := reflect.TypeOf(c.x)
		d, err := DTypeOf(typ)
		if d != c.want || (err == nil) != (c.want != 0) {
			t.Errorf("%v: %v, %v, want %v", typ, d, err, c.want)
		}
		if err != nil && (!errors.Is(err, ErrType) || typ != nil && !strings.Contains(err.Error(), typ.String())) {
			t.Errorf("%v: error %v", typ, err)
		}
	}
}

// asAny returns the buffer as a slice of the type of zero, in an interface.
func (b buffer) asAny(zero any) any {
	return reflect.SliceAt(reflect.TypeOf(zero), b.p, b.n).Interface()
}

// zeros are values of a DType, and of types that are like it.
var zeros = map[DType][]any{
	F32: {float32(0), celsius(0)}, F64: {0.0}, F16: {Float16(0)}, BF16: {BFloat16(0)},
	I32: {int32(0)}, I64: {int64(0), time.Second}, U32: {uint32(0)}, U64: {uint64(0)},
}

func init() {
	zeros[intType] = append(zeros[intType], 0)
	zeros[uintType] = append(zeros[uintType], uint(0))
}

// TestRunAny compares sums of slices in interfaces and of bytes with those of slices
// of the same type: of plans of every kind, of all types.
func TestRunAny(t *testing.T) {
	r := newRand(t)
	eachElement(t, func(t *testing.T, e element) {
		dtype := dtypeNamed(t, e)
		for _, c := range []struct {
			shape   []int
			op      Op
			options []Option
			reach   int
		}{
			{shape: []int{}, reach: 1},
			{shape: []int{1000}, reach: 1000},
			{shape: []int{0, 3}, op: over(0), reach: 0},
			{shape: []int{3, 0}, op: over(0), reach: 0},
			{shape: []int{7, 30, 5}, op: over(1), reach: 7 * 30 * 5},
			{shape: []int{30, 7}, op: over(1), options: []Option{WithStrides([]int{1, 31})}, reach: 30 + 6*31},
			{shape: []int{100, 3000}, op: over(0), options: []Option{WithWorkers(2)}, reach: 300000},
		} {
			p, err := NewPlan(c.shape, c.op, c.options...)
			if err != nil {
				t.Fatal(err)
			}
			src := newRandom(r, e.Type(), c.reach)
			want := newBuffer(e.Type(), p.Len(), 0)
			if err := e.Run(p, want, src); err != nil {
				t.Fatal(err)
			}
			check := func(name string, err error, got buffer) {
				t.Helper()
				if err == nil {
					err = got.same(want)
				}
				if err != nil {
					t.Errorf("%s, shape %v: %v", name, c.shape, err)
				}
			}
			for _, zero := range zeros[dtype] {
				got := newBuffer(e.Type(), p.Len(), 0)
				err := RunAny(p, got.asAny(zero), src.asAny(zero))
				check(fmt.Sprintf("RunAny of %T", zero), err, got)

				sums, shape, err := ReduceSumAny(src.asAny(zero), c.shape, c.op, c.options...)
				if !slices.Equal(shape, p.Shape()) || reflect.TypeOf(sums) != reflect.SliceOf(reflect.TypeOf(zero)) {
					t.Errorf("ReduceSumAny of %T: a %T of shape %v, want %v", zero, sums, shape, p.Shape())
				} else {
					v := reflect.ValueOf(sums)
					check(fmt.Sprintf("ReduceSumAny of %T", zero), err, buffer{e.Type(), v.UnsafePointer(), v.Len()})
				}
			}
			got := newBuffer(e.Type(), p.Len(), 1)
			check("RunBytes", RunBytes(p, dtype, got.bytes(), src.bytes()), got)

			sums, shape, err := ReduceSumBytes(dtype, src.bytes(), c.shape, c.op, c.options...)
			if !slices.Equal(shape, p.Shape()) || len(sums) != p.Len()*dtype.Size() {
				t.Errorf("ReduceSumBytes: %d bytes of shape %v, want %v", len(sums), shape, p.Shape())
			}
			check("ReduceSumBytes", err, buffer{e.Type(), unsafe.Pointer(unsafe.SliceData(sums)), p.Len()})
		}
	})
}

// TestAnySlices checks types of slices, not of elements, and that they may differ.
func TestAnySlices(t *testing.T) {
	sum, shape, err := ReduceSumAny(row{1, 2, 3}, []int{3}, Op{KeepDims: true})
	if got, ok := sum.(row); !ok || !slices.Equal(got, row{6}) || !slices.Equal(shape, []int{1}) || err != nil {
		t.Errorf("the sum of a named slice: %T%v of shape %v, %v", sum, sum, shape, err)
	}
	p, err := NewPlan([]int{3}, Op{})
	if err != nil {
		t.Fatal(err)
	}
	dst := row{0}
	if err := RunAny(p, dst, []float64{1, 2, 4}); err != nil || dst[0] != 7 {
		t.Errorf("slices of two types of float64: %v, %v", dst, err)
	}
}

// TestAnyErrors checks that what the types of arguments rule out is an error, and all
// that Run refuses too, and that nothing was written then.
func TestAnyErrors(t *testing.T) {
	p, err := NewPlan([]int{2, 3}, Op{Axes: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	x, y, six := make([]float32, 6), []float32{7, 7}, make([]float64, 6)
	bytes := make([]byte, 64)
	for name, c := range map[string]struct {
		err  error
		is   error
		says string
	}{
		"dst nil":        {RunAny(p, nil, x), ErrType, "dst is no slice but <nil>"},
		"src nil":        {RunAny(p, y, nil), ErrType, "src is no slice but <nil>"},
		"an array":       {RunAny(p, y, [6]float32{}), ErrType, "src is no slice but [6]float32"},
		"a pointer":      {RunAny(p, &y, x), ErrType, "dst is no slice but *[]float32"},
		"uint16":         {RunAny(p, y, make([]uint16, 6)), ErrType, "uint16, in src"},
		"strings":        {RunAny(p, make([]string, 2), x), ErrType, "string, in dst"},
		"two types":      {RunAny(p, y, six), ErrType, "dst is a []float32, src is a []float64"},
		"two of 4 bytes": {RunAny(p, []int32{0, 0}, x), ErrType, "dst is a []int32, src is a []float32"},
		"short src":      {RunAny(p, y, x[:5]), ErrLength, "5"},
		"long dst":       {RunAny(p, x[:3], make([]float32, 6)), ErrLength, "3"},
		"overlap":        {RunAny(p, x[2:4], x), ErrOverlap, "dst"},
		"no plan":        {RunAny(nil, y, x), ErrPlan, "nil"},

		"no type":           {RunBytes(p, 0, bytes[:8], bytes[8:32]), ErrType, "DType(0)"},
		"no such type":      {RunBytes(p, 9, bytes[:8], bytes[8:32]), ErrType, "DType(9)"},
		"part of a dst":     {RunBytes(p, F32, bytes[:9], bytes[16:40]), ErrLength, "dst has 9 bytes"},
		"part of a src":     {RunBytes(p, F32, bytes[:8], bytes[8:33]), ErrLength, "src has 25 bytes"},
		"bytes overlap":     {RunBytes(p, F32, bytes[:8], bytes[4:28]), ErrOverlap, "dst"},
		"an element less":   {RunBytes(p, F32, bytes[:8], bytes[8:28]), ErrLength, "5"},
		"bytes and no plan": {RunBytes(nil, F32, bytes[:8], bytes[8:32]), ErrPlan, "nil"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that is %v and says %q", name, c.err, c.is, c.says)
		}
	}
	if y[0] != 7 || y[1] != 7 {
		t.Errorf("dst was written: %v", y)
	}
	for name, c := range map[string]struct {
		err  func() (any, []int, error)
		is   error
		says string
	}{
		"int8":         {func() (any, []int, error) { return ReduceSumAny([]int8{1}, []int{1}, Op{}) }, ErrType, "int8"},
		"a number":     {func() (any, []int, error) { return ReduceSumAny(1.5, []int{1}, Op{}) }, ErrType, "float64"},
		"nothing":      {func() (any, []int, error) { return ReduceSumAny(nil, nil, Op{}) }, ErrType, "nil"},
		"wrong length": {func() (any, []int, error) { return ReduceSumAny(x, []int{7}, Op{}) }, ErrLength, "7"},
		"axis":         {func() (any, []int, error) { return ReduceSumAny(x, []int{6}, over(3)) }, ErrAxis, "3"},
		"bytes of no type": {func() (any, []int, error) {
			sums, shape, err := ReduceSumBytes(77, bytes, []int{7}, Op{})
			if sums == nil {
				return nil, shape, err
			}
			return sums, shape, err
		}, ErrType, "77"},
	} {
		sums, shape, err := c.err()
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || sums != nil || shape != nil {
			t.Errorf("%s: %v, %v, error %v, want one that is %v and says %q", name, sums, shape, err, c.is, c.says)
		}
	}
}

// TestAlignment sums bytes from every offset: where Go could put an element the sum
// is right, elsewhere the error names the address. Nothing lies nowhere.
func TestAlignment(t *testing.T) {
	for d := F32; d < numDTypes; d++ {
		size := d.Size()
		p, err := NewPlan([]int{3}, Op{})
		if err != nil {
			t.Fatal(err)
		}
		for offset := range 16 {
			words := make([]uint64, 16)
			all := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 128)
			src, dst := all[offset:offset+3*size], all[64:64+size]
			for name, c := range map[string]struct{ dst, src []byte }{"dst": {src[:size], all[64 : 64+3*size]}, "src": {dst, src}} {
				err := RunBytes(p, d, c.dst, c.src)
				if aligned := offset%int(d.row().align) == 0; aligned && err != nil {
					t.Errorf("%v, %s at offset %d: %v", d, name, offset, err)
				} else if !aligned && (!errors.Is(err, ErrAlign) || !strings.Contains(err.Error(), fmt.Sprintf("%s lies at %p", name, &src[0]))) {
					t.Errorf("%v, %s at offset %d: error %v", d, name, offset, err)
				}
			}
			sums, _, err := ReduceSumBytes(d, all[offset:offset], []int{0}, Op{})
			if err != nil || len(sums) != size {
				t.Errorf("%v, the sum of no bytes at offset %d: %v, %v", d, offset, sums, err)
			}
		}
	}
}

// TestViewsOfInts checks that an int is seen as what it is, in the same memory.
func TestViewsOfInts(t *testing.T) {
	type id int
	type size uint
	x, y := []id{1, -5, 7}, []size{1, 5, 7}
	if got := Sum(AsInt(x)); got != 3 {
		t.Errorf("the sum of %v is %d", x, got)
	}
	if got := Sum(AsUint(y)); got != 13 {
		t.Errorf("the sum of %v is %d", y, got)
	}
	AsInt(x)[1], AsUint(y)[2] = 2, 3
	if x[1] != 2 || y[2] != 3 {
		t.Errorf("views are copies: %v, %v", x, y)
	}
	if AsInt[int](nil) != nil || len(AsUint([]uint{})) != 0 {
		t.Error("views of nothing are something")
	}
}

// BenchmarkRunAny tells what it costs that a type is not known before: short sums, by
// Run, RunAny of the same type and of a defined one, and RunBytes.
func BenchmarkRunAny(b *testing.B) {
	p, err := NewPlan([]int{16}, Op{})
	if err != nil {
		b.Fatal(err)
	}
	dst, src := make([]float32, 1), make([]float32, 16)
	temperature, temperatures := make([]celsius, 1), make([]celsius, 16)
	sum, bytes := bufferOf(dst).bytes(), bufferOf(src).bytes()
	for _, c := range []struct {
		name string
		run  func() error
	}{
		{"Run", func() error { return Run(p, dst, src) }},
		{"RunAny", func() error { return RunAny(p, dst, src) }},
		{"RunAny-defined", func() error { return RunAny(p, temperature, temperatures) }},
		{"RunBytes", func() error { return RunBytes(p, F32, sum, bytes) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
