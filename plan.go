package reducesum

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"runtime"
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
	shape          []int   // of the result
	elements       int     // that are summed
	distinct       int     // without those that only repeat results
	srcLen, dstLen int     // elements; of a view, how far it reaches
	made           bool    // by NewPlan
	view           bool    // srcLen is a lower bound
	empty          bool    // some axis that is summed over has size 0
	sequence       bool    // the tensor is one sequence, contiguous
	tiny           *tiny   // of a small tensor that is no single pass
	nests          [2]nest // for blocks of 1024 and of 512 elements
	workers        int
	pool           Pool
	isa            kernels.ISA
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
	if !p.empty {
		p.arrange(mergeDims(shape, strides, reduced))
	}
	return p, nil
}

// arrange decides how the axes of a tensor are summed.
func (p *Plan) arrange(dims []dim) {
	for i := range p.nests {
		p.nests[i] = nestOf(dims, kernels.BlockBytes/4>>i)
	}
	p.distinct = 1
	for _, d := range dims {
		if d.reduced || d.stride > 0 {
			p.distinct *= d.size
		}
	}
	p.sequence = len(dims) == 0 || len(dims) == 1 && dims[0].reduced && dims[0].stride == 1
	if !p.sequence && !p.nests[0].rows() {
		p.tiny = tinyOf(dims)
	}
}

// nest returns the nest for the blocks of a type.
func (p *Plan) nest(t kernels.Type) *nest { return &p.nests[t.Acc().Size()/8] }

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

// An Option changes how a [Plan] runs, never what it computes.
type Option func(*options) error

type options struct {
	workers int
	pool    Pool
	strides []int
	isa     kernels.ISA
}

// A Pool is an engine's own pool of workers. One Run may call Do several times,
// one after the other; Runs at the same time call it at the same time. A task
// never calls Do, so a Run may itself be a task of the pool if Do then works.
type Pool interface {
	// Workers is the number of tasks that can run at the same time; NewPlan asks
	// for it once.
	Workers() int
	// Do runs task(0) to task(n-1), in any order, at the same time or not, and
	// returns when all of them have returned. n may be larger than Workers.
	Do(n int, task func(i int))
}

// WithWorkers lets one [Run] use up to n goroutines, its own included. The
// default is 1; 0 stands for GOMAXPROCS. The bits of the result do not change,
// and what cannot be split is summed by one goroutine all the same: small tensors,
// short sums of few columns. A goroutine that starts too late to help may outlive
// the Run, but touches neither dst nor src. Of WithWorkers and [WithPool], the later
// one counts. An error wraps [ErrWorkers].
func WithWorkers(n int) Option {
	return func(o *options) error {
		if n < 0 {
			return fmt.Errorf("%w: %d", ErrWorkers, n)
		}
		if n == 0 {
			n = runtime.GOMAXPROCS(0)
		}
		o.workers, o.pool = n, nil
		return nil
	}
}

// WithPool runs a plan's tasks on p instead of goroutines of the package's own.
// Of WithPool and [WithWorkers], the later one counts. An error wraps [ErrPool].
func WithPool(p Pool) Option {
	return func(o *options) error {
		if v := reflect.ValueOf(p); p == nil || v.Kind() == reflect.Pointer && v.IsNil() {
			return fmt.Errorf("%w: it is nil (%T)", ErrPool, p)
		}
		n := p.Workers()
		if n < 1 {
			return fmt.Errorf("%w: it has %d workers", ErrPool, n)
		}
		o.workers, o.pool = n, p
		return nil
	}
}

// WithStrides makes src a view: the element at index (i, j, ...) is
// src[i*strides[0] + j*strides[1] + ...]. Strides count elements and are not
// negative; 0 repeats an element (broadcasting). The result has the bits that
// a contiguous copy of the view would give, but no copy is made: what is not
// contiguous is packed block by block into memory that the package has anyway.
func WithStrides(strides []int) Option {
	strides = append([]int{}, strides...) // not nil: that would be no view
	return func(o *options) error {
		o.strides = strides
		return nil
	}
}

// WithImplementation pins one of [Implementations], for tests and benchmarks.
func WithImplementation(i Implementation) Option {
	return func(o *options) error {
		if !available(i.isa) {
			return fmt.Errorf("%w: %v", ErrImplementation, i)
		}
		o.isa = i.isa
		return nil
	}
}

func applyOptions(opts []Option) (options, error) {
	o := options{workers: 1, isa: best}
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		if err := opt(&o); err != nil {
			return options{}, err
		}
	}
	return o, nil
}
