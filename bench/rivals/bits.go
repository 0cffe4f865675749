package rivals

import (
	"bytes"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/reducesum/reducesum"
)

// Reference is what every implementation of ours has to return to the bit: the
// sums of a contiguous copy, by the plain Go code.
type Reference struct{ sums any }

// NewReference computes the reference of a task.
func NewReference(t Task) (*Reference, error) {
	var sums any
	var err error
	switch src := t.Src.(type) {
	case []float32:
		sums, err = reference(t, src)
	case []float64:
		sums, err = reference(t, src)
	case []reducesum.Float16:
		sums, err = reference(t, src)
	case []reducesum.BFloat16:
		sums, err = reference(t, src)
	case []int32:
		sums, err = reference(t, src)
	case []int64:
		sums, err = reference(t, src)
	case []uint32:
		sums, err = reference(t, src)
	case []uint64:
		sums, err = reference(t, src)
	}
	return &Reference{sums}, err
}

func reference[T reducesum.Element](t Task, src []T) ([]T, error) {
	if len(t.Case.Strides) > 0 {
		src = contiguous(src, t.Case.Shape, t.Case.Strides)
	}
	all := reducesum.Implementations()
	plain := all[len(all)-1]
	sums, _, err := reducesum.ReduceSum(src, t.Case.Shape, reducesum.Op{Axes: t.Case.Axes}, reducesum.WithImplementation(plain))
	return sums, err
}

// contiguous returns a copy of a view in row-major order.
func contiguous[T any](src []T, shape, strides []int) []T {
	n := 1
	for _, d := range shape {
		n *= d
	}
	dst := make([]T, 0, n)
	var visit func(axis, from int)
	visit = func(axis, from int) {
		step := strides[axis]
		if axis < len(shape)-1 {
			for i := range shape[axis] {
				visit(axis+1, from+i*step)
			}
			return
		}
		for i := range shape[axis] {
			dst = append(dst, src[from+i*step])
		}
	}
	visit(0, 0)
	return dst
}

// Differs runs an implementation once. The error says where its bits are not
// those of the reference.
func (r *Reference) Differs(rival Rival, t Task) error {
	e, err := rival.New(t)
	if err != nil {
		return err
	}
	spoil(t.Dst)
	e.Run(1)
	got, want := bytesOf(e.Result()), bytesOf(r.sums)
	if bytes.Equal(got, want) {
		return nil
	}
	size := t.Type.Size()
	for i := 0; i < min(len(got), len(want)); i += size {
		if !bytes.Equal(got[i:i+size], want[i:i+size]) {
			return fmt.Errorf("wrong: the bits of sum %d are not those of a contiguous copy", i/size)
		}
	}
	return fmt.Errorf("wrong: returns %d bytes, not %d", len(got), len(want))
}

// bytesOf returns the memory of a slice.
func bytesOf(slice any) []byte {
	v := reflect.ValueOf(slice)
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}
