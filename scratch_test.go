package reducesum

import (
	"bytes"
	"slices"
	"testing"
	"unsafe"
)

// TestScratchFromTheHeap sums while all slots of scratch memory are taken.
func TestScratchFromTheHeap(t *testing.T) {
	r := newRand(t)
	for range scratchSlots {
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

// TestScratchStaysInItsSlot checks that what runs in one slot of scratch memory
// writes nothing into the next.
func TestScratchStaysInItsSlot(t *testing.T) {
	first := takeScratch()
	next := takeScratch()
	defer giveScratch(next)
	giveScratch(first)
	if unsafe.Pointer(next) != unsafe.Pointer(&slots[1]) {
		t.Fatal("some slot is taken")
	}
	mark := unsafe.Slice((*byte)(unsafe.Pointer(next)), scratchBytes)
	for i := range mark {
		mark[i] = 0xa5
	}
	marked := slices.Clone(mark)
	eachLarge(t, func(t *testing.T, e element) {
		for _, s := range shapesFor(e.Type()) {
			src := newBuffer(e.Type(), refProduct(s.shape), 0)
			p, err := NewPlan(s.shape, over(s.axes...))
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Run(p, newBuffer(e.Type(), p.Len(), 0), src); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(mark, marked) {
				copy(mark, marked)
				t.Errorf("%s: the next slot was written", s.name)
			}
		}
		for _, c := range largeViews {
			src := newBuffer(e.Type(), c.reach(), 0)
			p, err := NewPlan(c.shape, c.op(), WithStrides(c.strides))
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Run(p, newBuffer(e.Type(), p.Len(), 0), src); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(mark, marked) {
				copy(mark, marked)
				t.Errorf("%v: the next slot was written", c)
			}
		}
	})
}
