package elem

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"unsafe"
)

func TestTypes(t *testing.T) {
	for _, typ := range Types {
		if got, err := Parse(string(typ)); err != nil || got != typ {
			t.Errorf("Parse(%q) is %q, %v", typ, got, err)
		}
		v := reflect.ValueOf(typ.View(make([]byte, 48)))
		if size := int(v.Type().Elem().Size()); size != typ.Size() || v.Len() != 48/size {
			t.Errorf("%s: size %d, view of 48 bytes has %d elements of %d bytes", typ, typ.Size(), v.Len(), size)
		}
	}
	if typ, err := Parse("float8"); err == nil {
		t.Errorf("Parse(float8) is %q, want an error", typ)
	}
}

// TestFill checks what Fill promises, and that every type gets the same values.
func TestFill(t *testing.T) {
	const n = period + 1000
	words := make([]uint64, n)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*n)
	var first []string
	for _, typ := range Types {
		b := bytes[:n*typ.Size()]
		typ.Fill(b)
		values := texts(typ, b)
		if first == nil {
			first = values
			checkValues(t, typ.View(b).([]float32))
		}
		for i := range values {
			if values[i] != first[i] {
				t.Fatalf("%s: value %d is %s, for %s it is %s", typ, i, values[i], Types[0], first[i])
			}
		}
	}
}

// texts returns the values in b, unsigned ones as signed.
func texts(typ Type, b []byte) []string {
	switch typ {
	case "uint32":
		typ = "int32"
	case "uint64":
		typ = "int64"
	}
	v := reflect.ValueOf(typ.View(b))
	list := make([]string, 0, v.Len())
	for i := 0; i < v.Len(); i += 997 { // a prime: some of each part
		list = append(list, fmt.Sprint(v.Index(i).Interface()))
	}
	return list
}

func checkValues(t *testing.T, x []float32) {
	sum, squares, largest := 0.0, 0.0, 0.0
	for i, v := range x {
		if v == 0 || math.Abs(float64(v)) > 8 || v != float32(int(v)) {
			t.Fatalf("value %d is %v", i, v)
		}
		sum += float64(v)
		squares += float64(v) * float64(v)
		largest = max(largest, math.Abs(sum))
	}
	if largest > 1<<14 { // of a period: 2^27 elements are 135, and float32 counts to 2^24
		t.Errorf("partial sums reach %v", largest)
	}
	if mean := squares / float64(len(x)); math.Abs(mean-MeanSquare) > 0.1 {
		t.Errorf("the mean square is %v, MeanSquare is %v", mean, MeanSquare)
	}
}
