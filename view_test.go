package reducesum

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
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
	{shape: []int{70000, 3}, strides: []int{4, 1}, axes: []int{0}},                           // a narrow part of a matrix
	{shape: []int{3, 70000}, strides: []int{1, 4}, axes: []int{1}},                           // the same, turned
	{shape: []int{3000, 200}, strides: []int{1, 1}, axes: []int{1}},                          // windows
	{shape: []int{3000, 200}, strides: []int{1, 1}, axes: []int{0}},                          //
	{shape: []int{3, 150000}, strides: []int{300001, 2}, axes: []int{0}},                     // every other element
	{shape: []int{3, 150000}, strides: []int{300001, 2}, axes: []int{1}},                     //
	{shape: []int{3, 150000}, strides: []int{300001, 2}, axes: []int{}, noop: true},          // a copy
	{shape: []int{500000}, strides: []int{0}, axes: []int{0}},                                // one element, again and again
	{shape: []int{20, 64, 15, 16}, strides: []int{15360, 1, 1024, 64}, axes: []int{1}},       // channels last
	{shape: []int{20, 64, 15, 16}, strides: []int{15360, 1, 1024, 64}, axes: []int{2, 3}},    //
	{shape: []int{20, 64, 15, 16}, strides: []int{15360, 1, 1024, 64}, axes: []int{0, 2, 3}}, //
	{shape: []int{20, 64, 14, 15}, strides: []int{15360, 1, 1024, 64}, axes: []int{0, 2, 3}}, // a part of each image
	{shape: []int{4, 6, 50, 64}, strides: []int{19200, 64, 384, 1}, axes: []int{3}},          // heads swapped
	{shape: []int{4, 6, 50, 64}, strides: []int{19200, 64, 384, 1}, axes: []int{2}},          //
	{shape: []int{4, 6, 3, 50, 16}, strides: []int{4800, 800, 0, 16, 1}, axes: []int{4}},     // heads repeated
	{shape: []int{4, 6, 3, 50, 16}, strides: []int{4800, 800, 0, 16, 1}, axes: []int{0, 3}},  //
	{shape: []int{3, 40000}, strides: []int{40100, 1}, axes: []int{0, 1}},                    // long rows, apart
	{shape: []int{3, 2100, 40}, strides: []int{84080, 40, 1}, axes: []int{0, 1}},             // long columns, apart
	{shape: []int{600, 200}, strides: []int{410, 2}, axes: []int{0}},                         // columns apart, a block
	{shape: []int{70, 1500}, strides: []int{3010, 2}, axes: []int{0}},                        // a few rows
	{shape: []int{1500, 150}, strides: []int{310, 2}, axes: []int{0}},                        // some blocks
	{shape: []int{1500, 150, 2}, strides: []int{620, 2, 311}, axes: []int{0, 2}},             // blocks of sums
	{shape: []int{600, 200, 3}, strides: []int{600, 1, 200}, axes: []int{0, 2}},              //
	{shape: []int{70000, 3}, strides: []int{4, 1}, axes: []int{0}},                           // three channels of four
	{shape: []int{20, 1000, 3}, strides: []int{4000, 4, 1}, axes: []int{1}},                  //
	{shape: []int{200, 150, 3, 3}, strides: []int{152, 1, 152, 1}, axes: []int{2, 3}},        // sliding windows
	{shape: []int{200, 150, 2, 2}, strides: []int{600, 2, 300, 1}, axes: []int{2, 3}},        // pools
	{shape: []int{2, 2, 90000}, strides: []int{1, 180001, 2}, axes: []int{1, 2}},             // two long results
	{shape: []int{2, 3, 2, 3, 2, 3, 2, 400}, strides: viewSteps, axes: []int{0, 2, 4, 6}},    // many groups
	{shape: []int{2, 3, 2, 3, 2, 3, 2, 400}, strides: viewSteps, axes: []int{1, 3, 5, 7}},    //
	{shape: []int{2, 3, 2, 3, 2, 3, 2, 400}, strides: viewSteps, axes: []int{}, noop: true},  //
}

// blockViews are sequences that blocks cut at whole indexes of an axis.
var blockViews = []reduction{
	{shape: []int{3, 8192}, strides: []int{9000, 1}},
	{shape: []int{40, 4096}, strides: []int{1, 40}},
	{shape: []int{40, 4096}, strides: []int{1, 41}, axes: []int{0, 1}},
	{shape: []int{7, 2, 512, 5}, strides: []int{1, 7 * 512, 7, 7 * 1024}, axes: []int{0, 1, 2}},
	{shape: []int{64, 3, 2048}, strides: []int{2048, 64 * 2048, 1}, axes: []int{0, 2}},
	{shape: []int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, strides: []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15}},
	{shape: []int{3, 1024, 1024}, strides: []int{1024, 0, 1}, axes: []int{1, 2}},
	{shape: []int{2048, 3, 4, 2}, strides: []int{0, 8, 2, 1}, axes: []int{0, 2}},
	{shape: []int{30, 1024, 2, 33}, strides: []int{1, 990, 990 * 1024, 30}, axes: []int{1, 2}},
}

// gapViews are columns with gaps between them.
var gapViews = []reduction{
	{shape: []int{300, 500}, strides: []int{1003, 2}, axes: []int{0}},
	{shape: []int{300, 65}, strides: []int{200, 3}, axes: []int{0}},
	{shape: []int{3, 40, 2049, 2}, strides: []int{330000 * 2, 8200, 4, 1}, axes: []int{1}},
	{shape: []int{20, 70, 30, 2}, strides: []int{7, 140, 9800, 140 * 70 * 30}, axes: []int{0, 3}},
	{shape: []int{3000, 70, 3}, strides: []int{140, 2, 140 * 3000}, axes: []int{0, 2}},
}

// scatteredViews are columns of few rows that lie anywhere, with gaps between columns or not.
var scatteredViews = []reduction{
	{shape: []int{60, 70, 3, 3}, strides: []int{80, 1, 80, 1}, axes: []int{2, 3}},
	{shape: []int{60, 70, 2, 2}, strides: []int{400, 2, 200, 1}, axes: []int{2, 3}},
	{shape: []int{60, 70, 2, 3}, strides: []int{400, 2, 200, 1}, axes: []int{2, 3}},
	{shape: []int{20, 7, 9, 100}, strides: []int{10000, 1200, 110, 1}, axes: []int{1, 2}},
	{shape: []int{20, 5, 6, 3, 64}, strides: []int{10, 13000, 1000, 20000 * 5, 3}, axes: []int{1, 2}},
	{shape: []int{2, 8, 4, 5000}, strides: []int{5000 * 40, 5003, 5003 * 9, 1}, axes: []int{1, 2}},
	{shape: []int{3, 3, 7, 90, 5}, strides: []int{1, 1000, 3, 40, 4001}, axes: []int{0, 1, 4}},
	{shape: []int{70, 5, 2, 2, 2, 2}, strides: []int{1, 4000, 70, 280, 140, 800}, axes: []int{2, 3, 4, 5}},
}

// viewSteps are strides of which no two axes can be merged.
var viewSteps = []int{40000, 1250, 13000, 8, 4100, 2600, 2400, 3}

// TestLargeViews sums large views, those above and random ones, with several
// workers.
func TestLargeViews(t *testing.T) {
	eachLarge(t, func(t *testing.T, e element) {
		r := newRand(t)
		views := slices.Concat(largeViews, blockViews, gapViews, scatteredViews)
		for range long(20, 4) {
			views = append(views[:len(views):len(views)], randomLargeView(r))
		}
		for _, c := range views {
			t.Run(fmt.Sprint(c.shape, c.strides, c.axes), func(t *testing.T) {
				src := newRandom(r, e.Type(), c.reach())
				c.check(t, e, src, oneWorker, []Option{WithWorkers(2 + r.IntN(3))}, []Option{WithWorkers(16)})
			})
		}
	})
}

// acrossViews are sequences across memory.
var acrossViews = []reduction{
	{shape: []int{40, 20000}, strides: []int{1, 41}},
	{shape: []int{40, 20011}, strides: []int{1, 40}},
	{shape: []int{5, 33, 17003}, strides: []int{33, 1, 165}},
	{shape: []int{3, 21, 10, 2003}, strides: []int{430000 * 2, 1, 43 * 2003, 43}},
	{shape: []int{70, 30000}, strides: []int{3, 211}},
	{shape: []int{3, 40, 18000}, strides: []int{1, 3, 120}, axes: []int{1, 2}},
	{shape: []int{2, 16, 20000}, strides: []int{16, 1, 32}, axes: []int{1, 2}},
}

// TestAcross sums sequences that are longer than the memory for packing, and
// whose sums of blocks are more than there is memory for.
func TestAcross(t *testing.T) {
	was := sumsBytes
	defer func() { sumsBytes = was }()
	eachLarge(t, func(t *testing.T, e element) {
		r := newRand(t)
		for _, c := range acrossViews {
			src := newRandom(r, e.Type(), c.reach())
			sumsBytes = was
			c.check(t, e, src, oneWorker, []Option{WithWorkers(3)})
			sumsBytes = 2<<20>>10*8 + 2<<10 + r.IntN(1<<12)
			c.check(t, e, src, oneWorker)
		}
		sumsBytes = was
	})
}

// randomLargeView returns a view of some 100000 elements.
func randomLargeView(r *rand.Rand) reduction {
	for {
		c := reduction{shape: make([]int, 1+r.IntN(5))}
		for n, i := 100000, 0; i < len(c.shape); i++ {
			c.shape[i] = 1 + r.IntN(n)
			if r.IntN(2) == 0 {
				c.shape[i] = 1 + r.IntN(min(n, 100))
			}
			n /= c.shape[i]
		}
		r.Shuffle(len(c.shape), func(i, k int) { c.shape[i], c.shape[k] = c.shape[k], c.shape[i] })
		c.strides, c.axes = viewOf(r, c.shape), axesOf(r, r.IntN(1<<len(c.shape)), len(c.shape))
		if refProduct(c.shape) > 30000 && c.reach() < 1<<20 {
			return c
		}
	}
}

// TestBoxesFromTheHeap sums views with more axes than scratch memory has room for.
func TestBoxesFromTheHeap(t *testing.T) {
	r := newRand(t)
	for _, e := range elementTypes {
		for _, c := range largeViews {
			if len(c.shape) < 3 || c.noop {
				continue
			}
			src := newRandom(r, e.Type(), c.reach())
			p, err := NewPlan(c.shape, c.op(), WithStrides(c.strides))
			if err != nil {
				t.Fatal(err)
			}
			n := p.nest(e.Type())
			sums := make([]byte, p.Len()*e.Type().Size())
			s := takeScratch()
			g := newEngine(p.isa, e.Type(), n.groups, s)
			g.used = len(s.axes) - r.IntN(8)
			g.sum(len(n.groups)-1, n.kept, e.Type(), unsafe.Pointer(&sums[0]), src.p)
			repeatResults(p.isa, e.Type(), unsafe.Pointer(&sums[0]), n.kept, n.repeats)
			giveScratch(s)
			dst := newBuffer(e.Type(), p.Len(), 0)
			copy(dst.bytes(), sums)
			if err := dst.same(e.Want(src, c.shape, c.strides, c.reduced())); err != nil {
				t.Errorf("%v, %v: %v", e, c, err)
			}
		}
		if testing.Short() {
			return
		}
	}
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
