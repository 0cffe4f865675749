package reducesum

// The columns of up to a block of rows are summed by a program: the nodes of the
// tree, each a subtree that kernel cols adds in registers, in the tree's order. It
// is made once and run for every item, so that short items take one call for many
// of them, and the sums that wait stay in the first-level cache.
//
// Kernels take rows as whole vectors. What they read behind the end of a row belongs
// to later rows, and what they write there is written again, or belongs to nobody.
// Where that is not so, at the end of the last items, a node is run twice: for the
// vectors that are whole, and for a copy of the part that is left of its rows.

import (
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// treeSlots is how many sums of subtrees may wait while a block is summed: one per
// level of its tree, log2(rows*lanes) at most.
const treeSlots = 10

// A rowTree makes the program for some rows of a matrix.
type rowTree struct {
	reduce  int
	row     int            // bytes
	slot    int            // bytes
	weights [treeSlots]int // those that add something
	levels  int
	nodes   []kernels.ColsNode // as many as there is memory for
	n       int
}

// treeOf finds the tree that has a set of leaves; noTree is none.
var treeOf = func() (trees [256]uint8) {
	for i := range trees {
		trees[i] = noTree
	}
	for i, leaves := range kernels.Trees {
		trees[leaves] = uint8(i)
	}
	return trees
}()

const noTree = 255

// make makes the program for a tree of the given number of lanes: that of a block,
// or less for joined rows.
func (t *rowTree) make(lanes int) []kernels.ColsNode {
	for i := 0; kernels.Weight(lanes, i) > 0; i++ {
		if w := kernels.Weight(lanes, i); w < t.reduce {
			t.weights[t.levels] = w
			t.levels++
		}
	}
	t.node(t.levels, 0, 0, 0)
	return t.nodes[:t.n]
}

// tree returns the tree that sums the subtree of the given level at row base,
// and its weights; noTree if no kernel has one for all of it.
func (t *rowTree) tree(level, base int) (tree uint8, weights [kernels.ColsLevels]int) {
	var rows [1 << kernels.ColsLevels]int
	rows[0] = base
	n := 1
	levels := 0
	leaves := uint8(1)
	for _, w := range t.weights[:level] {
		if base+w >= t.reduce {
			continue
		}
		if levels == len(weights) {
			return noTree, weights
		}
		for i, row := range rows[:n] {
			rows[n+i] = row + w
			if row+w < t.reduce {
				leaves |= 1 << (n + i)
			}
		}
		weights[levels] = w
		levels++
		n *= 2
	}
	return treeOf[leaves], weights
}

// node adds the nodes for the subtree of the given level that begins at row base.
// Its sum is added to those in the lefts slots below depth: to what lies to its
// left, from the nearest on.
func (t *rowTree) node(level, base, depth, lefts int) {
	tree, weights := t.tree(level, base)
	if tree == noTree {
		level--
		for base+t.weights[level] >= t.reduce {
			level--
		}
		t.node(level, base, depth, 0)
		t.node(level, base+t.weights[level], depth+1, lefts+1)
		return
	}
	n := &t.nodes[t.n]
	t.n++
	n.Tree, n.Src = int(tree), base*t.row
	for i, w := range weights {
		n.Strides[i] = w * t.row
	}
	n.Lefts, n.To, n.Left = lefts, (depth-lefts)*t.slot, (depth-1)*t.slot
}

// A run runs programs for the items of a matrix.
type run struct {
	m     *matrix
	isa   kernels.ISA
	slots unsafe.Pointer
	slot  int // bytes
	whole int // columns, up to a whole number of vectors
	extra int // of these, those behind the end of a row
	end   int // bytes that may be read from the first item on
}

// vectorsFor returns the instruction set whose kernel serves rows of n columns: short
// ones are better off with shorter vectors, of which fewer cross cache lines.
func vectorsFor(isa kernels.ISA, t kernels.Type, n int) kernels.ISA {
	isa = kernels.Serving(kernels.OpCols, t, isa)
	if isa == kernels.AVX512 && n*t.Acc().Size() <= kernels.ISAs[kernels.AVX2].VecBytes {
		return kernels.AVX2
	}
	return isa
}

// vectorLanes is the number of accumulators of t in a vector.
func vectorLanes(isa kernels.ISA, t kernels.Type) int {
	return max(1, kernels.ISAs[isa].VecBytes/t.Acc().Size())
}

func newRun(m *matrix, reduce int, slots unsafe.Pointer, slot int) run {
	r := run{m: m, isa: vectorsFor(m.isa, m.t, m.width), slots: slots, slot: slot}
	lanes := vectorLanes(r.isa, m.t)
	r.whole = (m.width + lanes - 1) / lanes * lanes
	r.extra = r.whole - m.width
	r.end = (m.outer-1)*m.srcOuter + (reduce-1)*m.row + m.width*m.t.Size()
	if m.behind {
		r.end += r.extra * m.t.Size()
	}
	return r
}

// program runs a program for all items.
func (r *run) program(nodes []kernels.ColsNode) {
	m := r.m
	items := m.outer // that may be taken as whole vectors
	if r.extra > 0 {
		items = max(0, min(items, r.itemsInside(nodes), r.itemsOverrun()))
	}
	if items > 0 {
		r.call(nodes, m.dst, m.src, r.whole, items)
	}
	for o := items; o < m.outer; o++ {
		r.last(nodes, o)
	}
}

// itemsInside is the number of items of which whole vectors lie inside of the matrix.
func (r *run) itemsInside(nodes []kernels.ColsNode) int {
	reach := 0
	for i := range nodes {
		reach = max(reach, r.reach(&nodes[i]))
	}
	switch m := r.m; {
	case reach > r.end:
		return 0
	case m.srcOuter == 0:
		return m.outer
	default:
		return min(m.outer, (r.end-reach)/m.srcOuter+1)
	}
}

// itemsOverrun is the number of items whose results may be written as whole vectors.
func (r *run) itemsOverrun() int {
	switch m := r.m; m.overrun {
	case padded:
		return m.outer
	case packed:
		row := m.width * m.t.Acc().Size()
		return m.outer - (r.extra*m.t.Acc().Size()+row-1)/row
	}
	return 0
}

// reach is where what a node reads of an item ends.
func (r *run) reach(node *kernels.ColsNode) int {
	far := 0
	leaves := kernels.Trees[node.Tree]
	for i := range 1 << kernels.ColsLevels {
		if leaves>>i&1 != 0 {
			far = max(far, leafOffset(node, i))
		}
	}
	return node.Src + far + r.whole*r.m.t.Size()
}

// leafOffset is how far a leaf lies from the first one.
func leafOffset(node *kernels.ColsNode, leaf int) (offset int) {
	for b, stride := range node.Strides {
		offset += leaf >> b & 1 * stride
	}
	return offset
}

// call runs nodes, the last of which leaves its sums in dst.
func (r *run) call(nodes []kernels.ColsNode, dst, src unsafe.Pointer, columns, items int) {
	a := kernels.ColsArgs{
		Dst: dst, Src: src, Slots: r.slots, SlotStep: -r.slot,
		Nodes: &nodes[0], Count: len(nodes), N: columns, Outer: items,
		SrcOuter: r.m.srcOuter, DstOuter: r.m.dstOuter,
	}
	callCols(r.isa, r.m.t, &a)
}

// last runs a program for item o, one of the last ones.
func (r *run) last(nodes []kernels.ColsNode, o int) {
	m := r.m
	src, dst := unsafe.Add(m.src, o*m.srcOuter), unsafe.Add(m.dst, o*m.dstOuter)
	end := len(nodes) - 1
	to := func(i int) unsafe.Pointer {
		if i == end {
			return dst
		}
		return unsafe.Add(r.slots, nodes[i].To)
	}
	from := 0
	for i := range nodes {
		if o*m.srcOuter+r.reach(&nodes[i]) <= r.end && (i < end || o < r.itemsOverrun()) {
			continue
		}
		if i > from {
			r.call(nodes[from:i], to(i-1), src, r.whole, 1)
		}
		r.exact(&nodes[i], to(i), src, i == end)
		from = i + 1
	}
	if from <= end {
		r.call(nodes[from:], dst, src, r.whole, 1)
	}
}

// exact runs a node that may read no more than its rows; if it is the last one, it
// may write no more either.
func (r *run) exact(node *kernels.ColsNode, dst, src unsafe.Pointer, last bool) {
	t := r.m.t
	lanes, acc, size := vectorLanes(r.isa, t), t.Acc().Size(), t.Size()
	columns, rest := r.whole-lanes, lanes-r.extra
	n := [1]kernels.ColsNode{*node}
	if columns > 0 {
		r.call(n[:], dst, src, columns, 1)
	}
	var rows [1 << kernels.ColsLevels * maxVector]byte
	for i := range 1 << kernels.ColsLevels {
		if kernels.Trees[node.Tree]>>i&1 != 0 {
			from := unsafe.Add(src, node.Src+leafOffset(node, i)+columns*size)
			copy(rows[i*lanes*size:], unsafe.Slice((*byte)(from), rest*size))
		}
	}
	n[0].Src = 0
	n[0].Left += columns * acc
	for i := range n[0].Strides {
		n[0].Strides[i] = lanes * size << i
	}
	dst = unsafe.Add(dst, columns*acc)
	if !last {
		r.call(n[:], dst, unsafe.Pointer(&rows), lanes, 1)
		return
	}
	var sums [maxVector]byte
	r.call(n[:], unsafe.Pointer(&sums), unsafe.Pointer(&rows), lanes, 1)
	copyRow(t.Acc(), dst, unsafe.Pointer(&sums), rest)
}

// maxVector is the size of the longest vectors, in bytes.
const maxVector = 64

// maxNodes is how many nodes a program has at the most: three for each row of lanes.
const maxNodes = 192

// programs are the programs of a pass, kept for its blocks and tiles.
type programs struct {
	used    int // nodes
	count   int
	entries [4]programEntry
	nodes   [maxNodes + 128]kernels.ColsNode
}

// takePrograms takes memory for programs, of which there are none yet.
func (m memory) takePrograms() (*programs, memory) {
	at, m := m.take(int(unsafe.Sizeof(programs{})))
	p := (*programs)(at)
	p.used, p.count = 0, 0
	return p, m
}

type programEntry struct {
	key     programKey
	from, n int
}

type programKey struct{ reduce, lanes, row, slot int }

// get returns a program, which is good until the next call.
func (p *programs) get(key programKey) []kernels.ColsNode {
	for i := range p.entries[:p.count] {
		if e := &p.entries[i]; e.key == key {
			return p.nodes[e.from:][:e.n]
		}
	}
	if p.count == len(p.entries) || p.used+maxNodes > len(p.nodes) {
		p.count, p.used = 0, 0
	}
	t := rowTree{reduce: key.reduce, row: key.row, slot: key.slot, nodes: p.nodes[p.used:]}
	nodes := t.make(key.lanes)
	p.entries[p.count] = programEntry{key, p.used, len(nodes)}
	p.count++
	p.used += len(nodes)
	return nodes
}
