package reducesum

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/reducesum/reducesum/kernels"
)

// randomShape returns a shape with at most the given number of elements.
func randomShape(r *rand.Rand, rank, most int) []int {
	sizes := []int{1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 33, 64, 65, 130}
	shape := make([]int, rank)
	for {
		for i := range shape {
			shape[i] = sizes[r.IntN(len(sizes))]
		}
		if n := refProduct(shape); n <= most {
			return shape
		}
	}
}

// axesOf returns the axes whose bits are set: in any order, some of them
// negative, some of them twice.
func axesOf(r *rand.Rand, subset, rank int) []int {
	var axes []int
	for i := range rank {
		for n := subset >> i & 1 * (1 + r.IntN(5)/4); n > 0; n-- {
			axes = append(axes, i-rank*r.IntN(2))
		}
	}
	r.Shuffle(len(axes), func(i, k int) { axes[i], axes[k] = axes[k], axes[i] })
	return axes
}

// TestEveryAxes sums shapes of rank 0 to 6 over every subset of their axes.
func TestEveryAxes(t *testing.T) {
	eachElement(t, func(t *testing.T, e element) {
		r := newRand(t)
		for range long(6, 1) {
			for rank := range 7 {
				shape := randomShape(r, rank, 1500)
				if rank > 0 && r.IntN(5) == 0 {
					shape[r.IntN(rank)] = 0
				}
				src := newRandom(r, e.Type(), refProduct(shape))
				for subset := range 1 << rank {
					c := reduction{shape: shape, axes: axesOf(r, subset, rank), keep: r.IntN(2) == 0, noop: r.IntN(2) == 0}
					c.check(t, e, src, []Option{WithWorkers(1 + r.IntN(16))})
				}
			}
		}
	})
}

// A shapeCase is a shape, and the axes to sum over, at which something inside
// the package changes.
type shapeCase struct {
	name        string
	shape, axes []int
}

// shapesFor returns the shapes for a type: what matters is their size in
// blocks, rows of lanes and parts of the scratch memory.
func shapesFor(typ kernels.Type) []shapeCase {
	lanes, block := typ.Lanes(), typ.Block()
	cases := []shapeCase{
		{"rows of several blocks", []int{5, 3 * block}, []int{1}},
		{"rows of several blocks and a rest", []int{5, 3*block + lanes + 1}, []int{1}},
		{"rows of a block and one element", []int{300, block + 1}, []int{1}},
		{"more rows than one call takes", []int{20000, 17}, []int{1}},
		{"many pairs", []int{70001, 2}, []int{1}},
		{"columns: rows that are joined", []int{block - 3, 3}, []int{0}},
		{"columns: joined twice", []int{block, 1, 2}, []int{0}},
		{"columns: joined, with a rest", []int{block/2 + 5, 7}, []int{0}},
		{"columns: joined up to the limit", []int{64, 511}, []int{0}},
		{"columns: too wide to join", []int{40, 1537}, []int{0}},
		{"columns: many outer items", []int{900, 6, 19}, []int{1}},
		{"columns: outer items, joined", []int{70, 50, 9}, []int{1}},
		{"columns: several tiles", []int{3, 6001}, []int{0}},
		{"columns: several tiles and outer items", []int{3, 5, 5500}, []int{1}},
		{"columns: more than a block, wide", []int{2*block + 3, 40}, []int{0}},
		{"columns: more than a block, tiles", []int{block + 2, 301}, []int{0}},
		{"columns: more than a block, outer items", []int{3, block + 1, 6}, []int{1}},
		{"columns: more than a block, narrow", []int{5*block + 1, 3}, []int{0}},
		{"columns: more than a block, narrow, outer items", []int{3, 2*block + 7, 2}, []int{1}},
		{"columns: narrow, whole blocks", []int{4 * block, 4}, []int{0}},
		{"results that fill the memory for rounding", []int{2, 16384}, []int{0}},
		{"results: a last tile of one", []int{3, 16385}, []int{0}},
		{"results: tiles of many rows", []int{40000, 3}, []int{1}},
		{"results: tiles of outer items", []int{4, 3, 8191}, []int{1}},
		{"two groups", []int{6, 5, 70}, []int{0, 2}},
		{"two groups, kept outside", []int{4, 6, 5, 70}, []int{1, 3}},
		{"two groups, kept inside", []int{6, 5, 7, 40}, []int{0, 2}},
		{"two groups: outer items of unequal rows", []int{9, 3, 4, 3, 8}, []int{1, 3}},
		{"two groups: more than a block of rows", []int{block + 9, 3, 2}, []int{0, 2}},
		{"two groups: more than the memory for rows", []int{130, 600, 2}, []int{0, 2}},
		{"two groups: a tree of single rows", []int{3, 4000, 3, 5}, []int{0, 2}},
		{"two groups: rows too long for a tree", []int{3, 9000, 2}, []int{0, 2}},
		{"two groups: tiles of one", []int{2, 4801, 2, 3}, []int{0, 2}},
		{"two groups: tiles inside", []int{3, 2, 2, 9001}, []int{0, 2}},
		{"two groups: long inside", []int{3, 4, 2*block + 5}, []int{0, 2}},
		{"three groups", []int{4, 3, 5, 6, 7}, []int{0, 2, 4}},
		{"three groups, kept on both sides", []int{3, 4, 3, 5, 6, 7, 2}, []int{1, 3, 5}},
		{"three groups: trees in trees", []int{5, 200, 6, 30, 3}, []int{0, 2, 4}},
		{"three groups: tiles", []int{2, 130, 3, 91, 2, 2}, []int{0, 2, 4}},
		{"seven groups", []int{2, 2, 3, 2, 2, 3, 2, 2, 2, 2, 3, 2, 2, 2}, []int{0, 2, 4, 6, 8, 10, 12}},
		{"nine groups", []int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, []int{1, 3, 5, 7, 9, 11, 13, 15, 17}},
	}
	if testing.Short() && typ != kernels.F64 {
		return cases
	}
	// Three levels of blocks, which the types with short blocks reach sooner.
	more := block*block + block + 3
	for _, width := range long([]int{1, 2, 3, 4, 5}, []int{1, 3}) {
		cases = append(cases, shapeCase{fmt.Sprintf("columns: three levels, %d wide", width), []int{more, width}, []int{0}})
	}
	cases = append(cases, shapeCase{"rows: three levels", []int{2, more}, []int{1}})
	if typ.Acc().Size() < 8 {
		return cases
	}
	return append(cases,
		shapeCase{"columns: three levels, whole", []int{2, block * block, 2}, []int{1}},
		shapeCase{"columns: three levels, wide", []int{block*block + 1, 9}, []int{0}},
		shapeCase{"two groups: three levels outside", []int{more, 2, 2}, []int{0, 2}},
	)
}

// TestShapes sums shapes at which something changes, with and without workers.
func TestShapes(t *testing.T) {
	eachLarge(t, func(t *testing.T, e element) {
		r := newRand(t)
		for _, s := range shapesFor(e.Type()) {
			t.Run(s.name, func(t *testing.T) {
				c := reduction{shape: s.shape, axes: s.axes, keep: r.IntN(2) == 0}
				src := newRandom(r, e.Type(), refProduct(s.shape))
				c.check(t, e, src, oneWorker, []Option{WithWorkers(2)}, []Option{WithWorkers(3 + r.IntN(14))})
			})
		}
	})
}
