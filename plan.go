package reducesum

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/reducesum/reducesum/kernels"
)

// Op holds the attributes of an ONNX ReduceSum node; [ONNXNode] makes one from
// a model's.
type Op struct {
	// Axes to sum over. A negative axis counts from the end. Axes are a set:
	// their order means nothing and duplicates count once. None stand for all
	// axes, unless NoopWithEmptyAxes is set.
	Axes []int
	// KeepDims keeps each reduced axis in the result, with size 1. ONNX does so
	// by default; here it is off unless set.
	KeepDims bool
	// NoopWithEmptyAxes returns the input unchanged when there are no axes.
	NoopWithEmptyAxes bool
}

// A Plan is a ReduceSum of one shape, ready to [Run]. It does not change, and
// may be used by any number of goroutines at the same time.
type Plan struct {
	shape          []int // of the result
	elements       int   // that are summed
	srcLen, dstLen int   // elements; of a view, how far it reaches
	made           bool  // by NewPlan
	view           bool  // srcLen is a lower bound
	empty          bool  // some axis that is summed over has size 0
	nested         bool  // nest tells all; else groups and box do
	sequence       bool  // and it is one sequence, contiguous
	nest           nest
	groups         []sequence // the reduced axes, innermost group first
	box            []axis     // the kept ones, in memory order
	workers        int
	pool           Pool
	isa            kernels.ISA
}

// A dim is an axis of a tensor, or neighbouring axes that act as one.
type dim struct {
	size    int
	stride  int // elements of src from one index to the next
	reduced bool
}

// NewPlan prepares the sum of a tensor of the given shape, which is not kept.
// The errors wrap [ErrAxis], [ErrShape] and [ErrStride], or what an option is
// refused with: [ErrWorkers], [ErrPool], [ErrImplementation]. A nil option is
// no option.
func NewPlan(shape []int, op Op, opts ...Option) (*Plan, error) {
	o, err := applyOptions(opts)
	if err != nil {
		return nil, err
	}
	reduced, err := reducedAxes(len(shape), op)
	if err != nil {
		return nil, err
	}
	n, err := elements(shape)
	if err != nil {
		return nil, err
	}
	p := &Plan{made: true, elements: n, srcLen: n, workers: o.workers, pool: o.pool, isa: o.isa, view: o.strides != nil}
	strides := o.strides
	if p.view {
		if p.srcLen, err = reach(shape, strides, n); err != nil {
			return nil, err
		}
	} else {
		strides = rowMajor(shape)
	}
	p.shape = make([]int, 0, len(shape))
	for i, size := range shape {
		if !reduced[i] {
			p.shape = append(p.shape, size)
		} else if op.KeepDims {
			p.shape = append(p.shape, 1)
		}
	}
	if p.dstLen, err = elements(p.shape); err != nil {
		return nil, err
	}
	p.empty = n == 0
	dims := merge(shape, strides, reduced)
	p.nest, p.nested = nestOf(dims)
	p.sequence = n > 0 && p.nested && len(p.nest.groups) == 1 && p.dstLen == 1
	if !p.nested {
		p.groups, p.box = groupsOf(dims)
	}
	return p, nil
}

// Shape returns the shape of the result. The caller may change it.
func (p *Plan) Shape() []int {
	if p == nil {
		return nil
	}
	return slices.Clone(p.shape)
}

// Len returns the number of elements of the result.
func (p *Plan) Len() int {
	if p == nil {
		return 0
	}
	return p.dstLen
}

func (p *Plan) checkSource(n int) error {
	if p.view && n < p.srcLen {
		return fmt.Errorf("%w: src has %d elements, the view needs %d", ErrLength, n, p.srcLen)
	}
	if !p.view && n != p.srcLen {
		return fmt.Errorf("%w: src has %d elements, its shape has %d", ErrLength, n, p.srcLen)
	}
	return nil
}

// reducedAxes tells for each axis whether op sums over it.
func reducedAxes(rank int, op Op) ([]bool, error) {
	reduced := make([]bool, rank)
	if len(op.Axes) == 0 {
		for i := range reduced {
			reduced[i] = !op.NoopWithEmptyAxes
		}
		return reduced, nil
	}
	for _, a := range op.Axes {
		if a < -rank || a >= rank {
			return nil, fmt.Errorf("%w: axis %d of a tensor of rank %d", ErrAxis, a, rank)
		}
		if a < 0 {
			a += rank
		}
		reduced[a] = true
	}
	return reduced, nil
}

// elements returns the number of elements of a shape.
func elements(shape []int) (int, error) {
	for i, size := range shape {
		if size < 0 {
			return 0, fmt.Errorf("%w: negative dimension %d at axis %d of %v", ErrShape, size, i, shape)
		}
	}
	n, ok := product(shape...)
	if !ok {
		return 0, fmt.Errorf("%w: %v has more elements than an int can count", ErrShape, shape)
	}
	return n, nil
}

// product multiplies dimensions, and tells whether an int can hold the result.
func product(dims ...int) (int, bool) {
	if slices.Contains(dims, 0) {
		return 0, true
	}
	n := 1
	for _, d := range dims {
		var ok bool
		if n, ok = mul(n, d); !ok {
			return 0, false
		}
	}
	return n, true
}

// mul multiplies, and tells whether an int can hold the product of a, b >= 0.
func mul(a, b int) (int, bool) {
	hi, lo := bits.Mul(uint(a), uint(b))
	return int(lo), hi == 0 && lo <= math.MaxInt
}

// reach returns how many elements of src a view of n elements needs.
func reach(shape, strides []int, n int) (int, error) {
	if len(strides) != len(shape) {
		return 0, fmt.Errorf("%w: %d strides %v for a tensor of rank %d", ErrStride, len(strides), strides, len(shape))
	}
	last := 0
	for i, s := range strides {
		if s < 0 {
			return 0, fmt.Errorf("%w: negative stride %d at axis %d of %v", ErrStride, s, i, strides)
		}
		if n == 0 {
			continue
		}
		d, ok := mul(shape[i]-1, s)
		if !ok || last+d < 0 || last+d == math.MaxInt {
			return 0, fmt.Errorf("%w: %v of shape %v reach further than an int can count", ErrStride, strides, shape)
		}
		last += d
	}
	if n == 0 {
		return 0, nil
	}
	return last + 1, nil
}

// rowMajor returns the strides of a contiguous tensor.
func rowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= max(shape[i], 1)
	}
	return strides
}

// merge drops the axes of size 1, and merges neighbours of the same kind where
// memory lets one stride serve for both.
func merge(shape, strides []int, reduced []bool) []dim {
	var dims []dim
	for i, size := range shape {
		if size == 1 {
			continue
		}
		d := dim{size, strides[i], reduced[i]}
		if k := len(dims) - 1; k >= 0 && dims[k].reduced == d.reduced && dims[k].stride == d.stride*d.size {
			dims[k].size *= d.size
			dims[k].stride = d.stride
			continue
		}
		dims = append(dims, d)
	}
	return dims
}

// nestOf arranges axes as a nest, and tells whether they are one: kept and
// reduced axes alternate, and the elements of the innermost are neighbours.
func nestOf(dims []dim) (nest, bool) {
	n := nest{outer: 1}
	if len(dims) > 0 && !dims[0].reduced {
		n.outer, n.outerStride = dims[0].size, dims[0].stride
		dims = dims[1:]
	}
	if len(dims) == 0 {
		return n, n.outer == 1 || n.outerStride == 1
	}
	for i := 0; i < len(dims); i++ {
		if !dims[i].reduced {
			return nest{}, false
		}
		g := group{reduce: dims[i].size, reduceStride: dims[i].stride, keep: 1}
		if i+1 < len(dims) {
			i++
			if dims[i].reduced { // one sequence with the one before, but not in memory
				return nest{}, false
			}
			g.keep, g.keepStride = dims[i].size, dims[i].stride
		}
		n.groups = append(n.groups, g)
	}
	slices.Reverse(n.groups)
	return n.innermostFirst()
}

// innermostFirst turns a matrix that is contiguous the other way round, and tells
// whether the innermost axis of a nest is contiguous now, and no narrow part of
// something wider.
func (n nest) innermostFirst() (nest, bool) {
	g := &n.groups[0]
	switch {
	case g.keep > 1:
		return n, g.keepStride == 1 && !narrow(g.keep, g.reduceStride)
	case g.reduceStride == 1:
		return n, true
	case len(n.groups) == 1 && n.outerStride == 1 && !narrow(n.outer, g.reduceStride):
		g.keep, g.keepStride = n.outer, 1
		n.outer, n.outerStride = 1, 0
		return n, true
	}
	return n, false
}
