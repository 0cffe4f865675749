package reducesum

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// viewOf returns strides that make a view of a shape: of a tensor whose axes may
// be in another order (transposed, Fortran), lie further apart (sliced), or
// repeat (broadcast).
func viewOf(r *rand.Rand, shape []int) []int {
	strides := make([]int, len(shape))
	n := 1 + r.IntN(3)/2*r.IntN(4)
	order := r.Perm(len(shape))
	if r.IntN(3) == 0 { // the row-major order, often
		for i := range order {
			order[i] = len(shape) - 1 - i
		}
	}
	for _, i := range order {
		switch r.IntN(8) {
		case 0: // broadcast
		case 1: // a window that slides by less than its size
			strides[i] = 1 + r.IntN(n)
		case 2: // a slice of a larger tensor
			strides[i] = n
			n *= shape[i] + r.IntN(4)
		case 3: // every other index
			strides[i] = 2 * n
			n *= 2 * shape[i]
		default:
			strides[i] = n
			n *= max(shape[i], 1)
		}
		n = max(n, 1)
	}
	return strides
}

// TestEveryView sums views of rank 0 to 5 over every subset of their axes.
func TestEveryView(t *testing.T) {
	eachElement(t, func(t *testing.T, e element) {
		r := newRand(t)
		for range long(20, 2) {
			for rank := range 6 {
				shape := randomShape(r, rank, 1500)
				if rank > 0 && r.IntN(8) == 0 {
					shape[r.IntN(rank)] = 0
				}
				c := reduction{shape: shape, strides: viewOf(r, shape)}
				src := newRandom(r, e.Type(), c.reach()+r.IntN(3))
				for subset := range 1 << rank {
					c.axes, c.noop, c.keep = axesOf(r, subset, rank), r.IntN(2) == 0, r.IntN(2) == 0
					c.check(t, e, src, oneWorker)
				}
			}
		}
	})
}

// largeViews are views that are worth several workers.
var largeViews = []reduction{
	{shape: []int{700, 613}, strides: []int{1, 700}, axes: []int{0}},                         // transposed: columns are rows
	{shape: []int{700, 613}, strides: []int{1, 700}, axes: []int{1}},                         // and rows columns
	{shape: []int{700, 613}, strides: []int{1, 701}, axes: []int{0, 1}},                      // one sequence, across memory
	{shape: []int{700, 613}, strides: []int{620, 1}, axes: []int{0, 1}},                      // one sequence, of rows apart
	{shape: []int{70, 61, 113}, strides: []int{1, 70 * 113, 70}, axes: []int{0}},             // a turned tensor
	{shape: []int{70, 61, 113}, strides: []int{1, 70 * 113, 70}, axes: []int{1}},             //
	{shape: []int{70, 61, 113}, strides: []int{1, 70 * 113, 70}, axes: []int{0, 2}},          // two groups
	{shape: []int{40, 30, 20, 25}, strides: []int{1, 40, 1200, 24000}, axes: []int{0, 2}},    // Fortran order
	{shape: []int{40, 30, 20, 25}, strides: []int{1, 40, 1200, 24000}, axes: []int{1, 3}},    //
	{shape: []int{300, 1500}, strides: []int{1600, 1}, axes: []int{1}},                       // a slice of rows
	{shape: []int{1500, 300}, strides: []int{320, 1}, axes: []int{0}},                        // a slice of columns
	{shape: []int{5, 1500, 60}, strides: []int{100000, 64, 1}, axes: []int{1}},               // outer items apart
	{shape: []int{6, 50, 7, 300}, strides: []int{120000, 2200, 310, 1}, axes: []int{1, 3}},   // nothing joined
	{shape: []int{6, 50, 7, 300}, strides: []int{120000, 2200, 310, 1}, axes: []int{0, 2}},   //
	{shape: []int{6, 50, 7, 300}, strides: []int{0, 2200, 310, 1}, axes: []int{0, 2}},        // a repeated outer group
	{shape: []int{2, 60, 3, 1500}, strides: []int{300000, 4500, 1500, 1}, axes: []int{1, 3}}, // few results, outer items apart
	{shape: []int{60, 2, 3000}, strides: []int{9000, 4000, 1}, axes: []int{0, 2}},            // few results, rows apart
	{shape: []int{200, 2000}, strides: []int{0, 1}, axes: []int{0}},                          // a repeated row
	{shape: []int{200, 2000}, strides: []int{1, 0}, axes: []int{1}},                          // repeated columns
	{shape: []int{3000, 200}, strides: []int{1, 1}, axes: []int{1}},                          // windows
	{shape: []int{3000, 200}, strides: []int{1, 1}, axes: []int{0}},                          //
	{shape: []int{3, 150000}, strides: []int{300001, 2}, axes: []int{0}},                     // every other element
	{shape: []int{3, 150000}, strides: []int{300001, 2}, axes: []int{1}},                     //
	{shape: []int{3, 150000}, strides: []int{300001, 2}, axes: []int{}, noop: true},          // a copy
	{shape: []int{500000}, strides: []int{0}, axes: []int{0}},                                // one element, again and again
	{shape: []int{2, 3, 2, 3, 2, 3, 2, 400}, strides: viewSteps, axes: []int{0, 2, 4, 6}},    // many groups
	{shape: []int{2, 3, 2, 3, 2, 3, 2, 400}, strides: viewSteps, axes: []int{1, 3, 5, 7}},    //
	{shape: []int{2, 3, 2, 3, 2, 3, 2, 400}, strides: viewSteps, axes: []int{}, noop: true},  //
}

// viewSteps are strides of which no two axes can be merged.
var viewSteps = []int{40000, 1250, 13000, 8, 4100, 2600, 2400, 3}

// TestLargeViews sums large views with several workers.
func TestLargeViews(t *testing.T) {
	eachLarge(t, func(t *testing.T, e element) {
		r := newRand(t)
		for _, c := range largeViews {
			t.Run(fmt.Sprint(c.shape, c.strides, c.axes), func(t *testing.T) {
				src := newRandom(r, e.Type(), c.reach())
				c.check(t, e, src, oneWorker, []Option{WithWorkers(2 + r.IntN(3))}, []Option{WithWorkers(16)})
			})
		}
	})
}

// TestTransposed checks what the definition implies: the sum over one axis has
// the bits of the sum of the transposed copy over the other.
func TestTransposed(t *testing.T) {
	r := newRand(t)
	eachImplementation(t, func(t *testing.T) {
		for _, s := range [][2]int{{3, 4}, {17, 65}, {1025, 33}, {5000, 7}, {2, 2000}} {
			m, n := s[0], s[1]
			x, y := make([]float32, m*n), make([]float32, m*n)
			for i := range m {
				for k := range n {
					x[i*n+k] = float32(r.NormFloat64())
					y[k*m+i] = x[i*n+k]
				}
			}
			a, _, _ := ReduceSum(x, []int{m, n}, Op{Axes: []int{0}})
			b, _, _ := ReduceSum(y, []int{n, m}, Op{Axes: []int{1}})
			if err := bufferOf(a).same(bufferOf(b)); err != nil {
				t.Errorf("%v: axis 0 against axis 1 of the transposed: %v", s, err)
			}
		}
	})
}
