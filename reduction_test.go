package reducesum

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// A reduction is a ReduceSum to be compared with the definition.
type reduction struct {
	shape, axes []int
	strides     []int // nil: contiguous
	keep, noop  bool
}

func (c reduction) op() Op { return Op{Axes: c.axes, KeepDims: c.keep, NoopWithEmptyAxes: c.noop} }

func (c reduction) String() string {
	return fmt.Sprintf("shape %v strides %v %+v", c.shape, c.strides, c.op())
}

// reduced tells for each axis whether it is summed over.
func (c reduction) reduced() []bool {
	reduced := make([]bool, len(c.shape))
	for i := range reduced {
		reduced[i] = len(c.axes) == 0 && !c.noop ||
			slices.Contains(c.axes, i) || slices.Contains(c.axes, i-len(c.shape))
	}
	return reduced
}

// result is the shape of the result.
func (c reduction) result() []int {
	shape := []int{}
	for i, r := range c.reduced() {
		switch {
		case !r:
			shape = append(shape, c.shape[i])
		case c.keep:
			shape = append(shape, 1)
		}
	}
	return shape
}

// reach is the least number of elements that src must have.
func (c reduction) reach() int {
	n := refProduct(c.shape)
	if c.strides == nil || n == 0 {
		return n
	}
	last := 0
	for i, s := range c.strides {
		last += (c.shape[i] - 1) * s
	}
	return last + 1
}

// check runs the reduction of src with every implementation and each set of
// options, and compares shape and values with the definition.
func (c reduction) check(t *testing.T, e element, src buffer, options ...[]Option) {
	t.Helper()
	want := e.Want(src, c.shape, c.strides, c.reduced())
	before := src.copyTo(newBuffer(src.typ, src.n, 0).p)
	for _, i := range Implementations() {
		for k, opts := range options {
			opts = append(opts[:len(opts):len(opts)], WithImplementation(i))
			if c.strides != nil {
				opts = append(opts, WithStrides(c.strides))
			}
			if err := c.run(e, src, want, opts); err != nil {
				t.Fatalf("%v, options %d: %v: %v", i, k, c, err)
			}
		}
	}
	if !bytes.Equal(src.bytes(), before.bytes()) {
		t.Fatalf("%v changed src", c)
	}
}

func (c reduction) run(e element, src, want buffer, opts []Option) error {
	p, err := NewPlan(c.shape, c.op(), opts...)
	if err != nil {
		return err
	}
	if shape := c.result(); !slices.Equal(p.Shape(), shape) || p.Len() != refProduct(shape) {
		return fmt.Errorf("result of shape %v, %d elements, want shape %v", p.Shape(), p.Len(), shape)
	}
	dst, beside := newResult(src.typ, p.Len(), want.n%5)
	if err := e.Run(p, dst, src); err != nil {
		return err
	}
	if err := dst.same(want); err != nil {
		return err
	}
	return beside()
}

// oneWorker is a set of options for check, and the default.
var oneWorker = []Option{}
