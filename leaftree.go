package reducesum

import (
	"math/bits"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// A leafTree sums the columns of rows that are not in memory, but made one by
// one, when the tree comes to them. At any time, only the sums of the subtrees
// to the left wait, in slots: one per level of the tree.
type leafTree struct {
	isa    kernels.ISA
	t      kernels.Type // an accumulator
	width  int
	leaves int
	slots  unsafe.Pointer
	leaf   func(i int, dst unsafe.Pointer) // makes row i
}

// depth is the number of levels of a tree of n leaves.
func depth(t kernels.Type, n int) int {
	perBlock := bits.Len(uint(t.Block())) - 1
	return perBlock * levelsOf(n, t.Block())
}

// bytes is the memory that the slots take.
func (t *leafTree) bytes() int { return (depth(t.t, t.leaves) + 1) * t.width * t.t.Size() }

// sum sums all rows to dst.
func (t *leafTree) sum(dst unsafe.Pointer) {
	t.node(depth(t.t, t.leaves), 0, 0)
	n := t.width * t.t.Size()
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(t.slots), n))
}

// node sums the subtree of the given level that begins at row base into slot i.
func (t *leafTree) node(level, base, i int) {
	slot := t.width * t.t.Size()
	dst := unsafe.Add(t.slots, i*slot)
	if level == 0 {
		t.leaf(base, dst)
		return
	}
	level--
	t.node(level, base, i)
	w := weight(t.t, level)
	if w >= t.leaves-base {
		return
	}
	t.node(level, base+w, i+1)
	a := kernels.ColsArgs{Dst: dst, Src: dst, Levels: 1, N: t.width, Outer: 1}
	a.Strides[0] = slot
	sumColumns(t.isa, t.t, a)
}

// weight returns weight i of the tree of a sequence: the weights of a block,
// then those of the block sums, a block apart, and so on.
func weight(t kernels.Type, i int) int {
	block, w := t.Block(), 1
	perBlock := bits.Len(uint(block)) - 1
	for ; i >= perBlock; i -= perBlock {
		w *= block
	}
	if i < 4 {
		return w * t.Lanes() << i
	}
	return w * t.Lanes() >> (i - 3)
}
