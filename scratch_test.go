package reducesum

import "testing"

// TestScratchFromTheHeap sums while all slots of scratch memory are taken.
func TestScratchFromTheHeap(t *testing.T) {
	r := newRand(t)
	for range freeSlots {
		defer giveScratch(takeScratch())
	}
	for _, e := range elementTypes {
		src := newRandom(r, e.Type(), 300*300)
		if err := e.Sum(src).same(e.Want(src, []int{src.n}, nil, []bool{true})); err != nil {
			t.Errorf("%v: Sum: %v", e, err)
		}
		reduction{shape: []int{10, 9, 10, 100}, axes: []int{0, 2}}.check(t, e, src, oneWorker)
	}
}

// TestScratchKeepsToItsParts checks that no user of a part of scratch memory
// writes behind it.
func TestScratchKeepsToItsParts(t *testing.T) {
	s := takeScratch() // the slot that the next call takes
	giveScratch(s)
	guards := map[string]*guard{
		"pass": &s.afterPass, "tiles": &s.afterTiles, "sums": &s.afterSums, "output": &s.afterOutput, "pack": &s.afterPack, "axes": &s.afterAxes,
	}
	var mark guard
	for i := range mark {
		mark[i] = 0xa5
	}
	check := func(t *testing.T, e element, p *Plan, src buffer, what any) {
		for _, g := range guards {
			*g = mark
		}
		if err := e.Run(p, newBuffer(e.Type(), p.Len(), 0), src); err != nil {
			t.Fatal(err)
		}
		if freeScratch[0].Load() != s {
			t.Errorf("%v: the scratch memory was not given back", what)
		}
		for part, g := range guards {
			if *g != mark {
				t.Errorf("%v: something wrote behind %s", what, part)
			}
		}
	}
	eachLarge(t, func(t *testing.T, e element) {
		for _, s := range shapesFor(e.Type()) {
			p, err := NewPlan(s.shape, over(s.axes...))
			if err != nil {
				t.Fatal(err)
			}
			check(t, e, p, newBuffer(e.Type(), refProduct(s.shape), 0), s.name)
		}
		for _, c := range largeViews {
			p, err := NewPlan(c.shape, c.op(), WithStrides(c.strides))
			if err != nil {
				t.Fatal(err)
			}
			check(t, e, p, newBuffer(e.Type(), c.reach(), 0), c)
		}
	})
}
