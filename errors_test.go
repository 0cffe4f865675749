package reducesum

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/reducesum/reducesum/kernels"
)

// brokenPool has a number of workers that makes no sense.
type brokenPool int

func (p brokenPool) Workers() int        { return int(p) }
func (p brokenPool) Do(int, func(i int)) {}

const (
	maxInt = math.MaxInt
	minInt = math.MinInt
	half   = maxInt/2 + 1 // twice that overflows
)

// TestPlanErrors checks that what is wrong with a plan is told, and named.
func TestPlanErrors(t *testing.T) {
	for _, c := range []struct {
		shape []int
		op    Op
		opts  []Option
		want  error
		names string // what the message has to name
	}{
		{shape: []int{2, 3}, op: over(2), want: ErrAxis, names: "axis 2"},
		{shape: []int{2, 3}, op: over(-3), want: ErrAxis, names: "axis -3"},
		{shape: []int{2, 3}, op: over(0, minInt), want: ErrAxis, names: "-9223372036854775808"},
		{shape: []int{2, 3}, op: over(maxInt), want: ErrAxis, names: "9223372036854775807"},
		{shape: []int{}, op: over(0), want: ErrAxis, names: "rank 0"},
		{shape: nil, op: over(-1), want: ErrAxis, names: "axis -1"},
		{shape: []int{2, -3}, want: ErrShape, names: "-3 at axis 1"},
		{shape: []int{minInt, 0}, want: ErrShape, names: "-9223372036854775808"},
		{shape: []int{half, 2}, want: ErrShape, names: "4611686018427387904"},
		{shape: []int{maxInt, maxInt}, op: over(0), want: ErrShape, names: "9223372036854775807"},
		{shape: []int{half, 4, 0}, op: over(2), want: ErrShape, names: "4611686018427387904"}, // the result's
		{shape: []int{2, 3}, opts: []Option{WithStrides([]int{3})}, want: ErrStride, names: "[3]"},
		{shape: []int{2, 3}, opts: []Option{WithStrides(nil)}, want: ErrStride, names: "rank 2"},
		{shape: []int{2, 3}, opts: []Option{WithStrides([]int{-3, 1})}, want: ErrStride, names: "-3 at axis 0"},
		{shape: []int{2, 0}, opts: []Option{WithStrides([]int{1, -1})}, want: ErrStride, names: "-1 at axis 1"},
		{shape: []int{3, 3}, opts: []Option{WithStrides([]int{half, 1})}, want: ErrStride, names: "4611686018427387904"},
		{shape: []int{2, 2}, opts: []Option{WithStrides([]int{half, half})}, want: ErrStride, names: "4611686018427387904"},
		{shape: []int{2}, opts: []Option{WithStrides([]int{maxInt})}, want: ErrStride, names: "9223372036854775807"},
		{shape: []int{2}, opts: []Option{WithWorkers(-1)}, want: ErrWorkers, names: "-1"},
		{shape: []int{2}, opts: []Option{WithPool(nil)}, want: ErrPool, names: "nil"},
		{shape: []int{2}, opts: []Option{WithPool((*brokenPool)(nil))}, want: ErrPool, names: "*reducesum.brokenPool"},
		{shape: []int{2}, opts: []Option{WithPool(brokenPool(0))}, want: ErrPool, names: "0 workers"},
		{shape: []int{2}, opts: []Option{WithPool(brokenPool(-7))}, want: ErrPool, names: "-7 workers"},
		{shape: []int{2}, opts: []Option{WithImplementation(missing())}, want: ErrImplementation, names: missing().String()},
	} {
		p, err := NewPlan(c.shape, c.op, c.opts...)
		if p != nil || !errors.Is(err, c.want) {
			t.Errorf("shape %v, %+v, %d options: plan %v, error %v, want %v", c.shape, c.op, len(c.opts), p, err, c.want)
			continue
		}
		if names := numberOf(c.names); !strings.Contains(err.Error(), names) {
			t.Errorf("shape %v, %+v, %d options: %q does not name %q", c.shape, c.op, len(c.opts), err, names)
		}
		if _, _, again := ReduceSum([]float32{}, c.shape, c.op, c.opts...); !errors.Is(again, c.want) {
			t.Errorf("ReduceSum of shape %v, %+v: %v, want %v", c.shape, c.op, again, c.want)
		}
	}
}

// numberOf replaces 64-bit limits with those of an int.
func numberOf(s string) string {
	if math.MaxInt > math.MaxInt32 {
		return s
	}
	return strings.NewReplacer("9223372036854775807", "2147483647", "9223372036854775808", "2147483648",
		"4611686018427387904", "1073741824").Replace(s)
}

// missing returns an implementation that this CPU does not offer.
func missing() Implementation {
	isa := kernels.ISA(0)
	for available(isa) {
		isa++
	}
	return Implementation{isa}
}

// TestRunErrors checks what Run and ReduceSum say of slices of wrong lengths, and
// of ones that overlap.
func TestRunErrors(t *testing.T) {
	x := make([]float32, 100)
	plan := func(shape []int, op Op, opts ...Option) *Plan {
		p, err := NewPlan(shape, op, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	sum := plan([]int{4, 5}, over(1))
	view := plan([]int{4, 5}, over(1), WithStrides([]int{10, 2}))
	for _, c := range []struct {
		name     string
		p        *Plan
		dst, src []float32
		want     error
		names    string
	}{
		{"nil plan", nil, x[:4], x[10:30], ErrPlan, "nil"},
		{"no plan", new(Plan), x[:4], x[10:30], ErrPlan, "not made by NewPlan"},
		{"src short", sum, x[:4], x[10:29], ErrLength, "19 elements"},
		{"src long", sum, x[:4], x[10:31], ErrLength, "21 elements"},
		{"src nil", sum, x[:4], nil, ErrLength, "0 elements"},
		{"dst short", sum, x[:3], x[10:30], ErrLength, "3 elements"},
		{"dst long", sum, x[:5], x[10:30], ErrLength, "5 elements"},
		{"dst nil", sum, nil, x[10:30], ErrLength, "0 elements"},
		{"dst is src", sum, x[10:14], x[10:30], ErrOverlap, "share memory"},
		{"dst ends in src", sum, x[7:11], x[10:30], ErrOverlap, "share memory"},
		{"dst begins in src", sum, x[29:33], x[10:30], ErrOverlap, "share memory"},
		{"dst before src", sum, x[6:10], x[10:30], nil, ""},
		{"dst behind src", sum, x[30:34], x[10:30], nil, ""},
		{"view leaves src", view, x[:4], x[10:48], ErrLength, "38"},
		{"view fits", view, x[:4], x[10:49], nil, ""},
		{"view has room", view, x[:4], x[10:], nil, ""},
	} {
		err := Run(c.p, c.dst, c.src)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if err != nil && !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %q does not name %q", c.name, err, c.names)
		}
	}
	var none *Plan
	if none.Len() != 0 || none.Shape() != nil {
		t.Errorf("a nil plan has %d results of shape %v", none.Len(), none.Shape())
	}
	if _, _, err := ReduceSum(x[:19], []int{4, 5}, Op{}); !errors.Is(err, ErrLength) {
		t.Errorf("ReduceSum of a short slice: %v", err)
	}
}

// TestSumBlocksErrors checks what SumBlocks says of bad shapes and slices.
func TestSumBlocksErrors(t *testing.T) {
	x := make([]float32, 100)
	for _, c := range []struct {
		dst, src             []float32
		outer, reduce, inner int
		want                 error
	}{
		{x[:6], x[10:40], 2, 5, 3, nil},
		{nil, nil, 0, 5, 3, nil},
		{nil, nil, 2, 5, 0, nil},
		{x[:6], nil, 2, 0, 3, nil},
		{nil, nil, 0, 0, 0, nil},
		{nil, nil, 0, maxInt, maxInt, nil},
		{nil, nil, -2, 5, 3, ErrShape},
		{nil, nil, 2, -5, 0, ErrShape},
		{nil, nil, 2, 5, minInt, ErrShape},
		{nil, nil, half, 0, half, ErrShape},
		{nil, nil, half, 2, 1, ErrShape},
		{nil, nil, 1, maxInt, maxInt, ErrShape},
		{nil, nil, 2, 5, 3, ErrLength},
		{x[:6], x[10:39], 2, 5, 3, ErrLength},
		{x[:5], x[10:40], 2, 5, 3, ErrLength},
		{x[:7], x[10:40], 2, 5, 3, ErrLength},
		{x[5:11], x[10:40], 2, 5, 3, ErrOverlap},
		{x[4:10], x[10:40], 2, 5, 3, nil},
	} {
		if err := SumBlocks(c.dst, c.src, c.outer, c.reduce, c.inner); !errors.Is(err, c.want) {
			t.Errorf("[%d %d %d], dst of %d, src of %d: %v, want %v", c.outer, c.reduce, c.inner, len(c.dst), len(c.src), err, c.want)
		}
	}
}

// TestAbsurdPlans checks plans that no memory can hold: they are made, and say
// how large they are.
func TestAbsurdPlans(t *testing.T) {
	twos := slices.Repeat([]int{2}, bits.UintSize-2) // as many as an int can count
	var odd []int
	for i := 1; i < len(twos); i += 2 {
		odd = append(odd, i)
	}
	results := 1 << (len(twos) / 2)
	ones := slices.Repeat([]int{1}, 1000)
	for _, c := range []struct {
		shape   []int
		op      Op
		strides []int
		want    int // results
	}{
		{[]int{maxInt}, over(0), nil, 1},
		{[]int{maxInt}, over(0), []int{0}, 1},
		{[]int{0, maxInt}, over(0), nil, maxInt},
		{[]int{0, maxInt, maxInt}, over(1, 2), nil, 0},
		{[]int{maxInt, 0, maxInt}, overKept(0, 2), nil, 0},
		{[]int{maxInt / 2, 2}, over(0), []int{0, 1}, 2},
		{twos, over(odd...), nil, results},
		{twos, over(odd...), make([]int, len(twos)), results},
		{ones, over(0, 500, -1), nil, 1},
	} {
		var opts []Option
		if c.strides != nil {
			opts = append(opts, WithStrides(c.strides))
		}
		p, err := NewPlan(c.shape, c.op, opts...)
		if err != nil || p.Len() != c.want {
			t.Errorf("shape %.80v: %v, want %d results", c.shape, err, c.want)
			continue
		}
		if err := Run(p, make([]float32, 3), make([]float32, 3)); !errors.Is(err, ErrLength) {
			t.Errorf("Run of shape %.80v with too little memory: %v", c.shape, err)
		}
	}
}

// TestAbsurdResults checks results that no slice can hold, and partial sums that
// no memory could.
func TestAbsurdResults(t *testing.T) {
	for _, shape := range [][]int{{maxInt, 0}, {maxInt/2 + 1, 0}} {
		if _, _, err := ReduceSum([]float32{}, shape, over(1)); !errors.Is(err, ErrShape) {
			t.Errorf("shape %v: %v", shape, err)
		}
	}
	if _, _, err := ReduceSum([]float64{1}, []int{maxInt}, Op{NoopWithEmptyAxes: true}, WithStrides([]int{0})); !errors.Is(err, ErrShape) {
		t.Errorf("broadcast: %v", err)
	}
	for _, dims := range [][]int{{maxInt, maxInt}, {maxInt}, {partialBytes/8 + 1}} {
		if newAccumulators(kernels.F64, dims...) != nil {
			t.Errorf("memory for %v accumulators", dims)
		}
	}
}

// TestArgumentsAreKept checks that a plan neither changes the caller's slices nor
// follows when the caller changes them.
func TestArgumentsAreKept(t *testing.T) {
	shape, axes, strides := []int{2, 3}, []int{-1, 1}, []int{1, 2}
	op := Op{Axes: axes}
	option := WithStrides(strides)
	strides[1] = 77
	p, err := NewPlan(shape, op, option, nil)
	if err != nil {
		t.Fatal(err)
	}
	if shape[0] != 2 || shape[1] != 3 || axes[0] != -1 || axes[1] != 1 {
		t.Errorf("NewPlan changed its arguments to %v, %v", shape, axes)
	}
	shape[0], axes[0] = 99, 0
	p.Shape()[0] = 55
	dst := make([]int32, 2)
	if err := Run(p, dst, []int32{1, 2, 3, 4, 5, 6}); err != nil || dst[0] != 9 || dst[1] != 12 || p.Shape()[0] != 2 {
		t.Errorf("the plan changed: results %v, shape %v, %v", dst, p.Shape(), err)
	}
	Implementations()[0] = Implementation{99}
	if Implementations()[0] != (Implementation{best}) {
		t.Error("the list of implementations changed")
	}
}
