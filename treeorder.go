package reducesum

import (
	"math/bits"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// A treeOrder goes through the elements of a sequence in the order of the
// leaves of its tree, so that elements which are rows, made one by one, need
// little memory: the sums of the subtrees to the left of the current leaf
// wait in slots, one per level of the tree.
//
//	for o := newTreeOrder(t, n); o.more(); {
//		make element o.index() in slot o.slot
//		for merges := o.next(); merges > 0; merges-- {
//			o.slot--
//			add slot o.slot+1 to slot o.slot
//		}
//		o.slot++
//	}
//
// leaves the sum in slot 0.
type treeOrder struct {
	t      kernels.Type
	n      int
	leaf   uint64 // its number in the tree
	levels int
	slot   int
	first  [64]uint64 // the first leaf of each slot's subtree
}

// newTreeOrder returns the order of the tree of n elements.
func newTreeOrder(t kernels.Type, n int) treeOrder {
	return treeOrder{t: t, n: n, levels: depth(t, n)}
}

// depth is the number of levels of the tree of n elements, or a few more.
func depth(t kernels.Type, n int) int {
	return t.LogBlock() * levelsOf(n, t.Block())
}

func (o *treeOrder) more() bool { return o.leaf>>o.levels == 0 }

// index is the current leaf's index in the sequence.
func (o *treeOrder) index() int {
	i := uint64(0)
	for x := o.leaf; x != 0; x &= x - 1 {
		i += weight(o.t, bits.TrailingZeros64(x))
		if i >= uint64(o.n) {
			return o.n
		}
	}
	return int(i)
}

// next goes to the next leaf that exists, and returns how many slots are to be
// merged first, from the last one down.
func (o *treeOrder) next() int {
	leaf := o.leaf
	o.first[o.slot] = leaf
	o.leaf++
	for o.more() && o.index() >= o.n {
		o.leaf += o.leaf & -o.leaf // all leaves of the subtree that begins here lie further
	}
	level := bits.Len64(leaf^o.leaf) - 1 // of the subtree that is complete
	merges := 0
	for k := o.slot - 1; k >= 0 && o.first[k]>>level == leaf>>level; k-- {
		merges++
	}
	return merges
}

// weight returns weight i of the tree of a sequence: the weights of a block,
// then those of the block sums, a block apart, and so on.
func weight(t kernels.Type, i int) uint64 {
	perBlock := t.LogBlock()
	return uint64(kernels.Weight(t.Lanes(), i%perBlock)) << (i / perBlock * perBlock)
}

// mergeSlots adds row i+1 of some rows of n accumulators to row i.
func mergeSlots(isa kernels.ISA, t kernels.Type, rows unsafe.Pointer, i, n int) {
	row := n * t.Size()
	at := unsafe.Add(rows, i*row)
	m := matrix{isa: isa, t: t, dst: at, src: at, outer: 1, width: n, row: row}
	m.addSecond()
}

// copyRow copies a row of n accumulators.
func copyRow(t kernels.Type, dst, src unsafe.Pointer, n int) {
	n *= t.Size()
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}
