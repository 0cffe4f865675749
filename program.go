package reducesum

// The columns of up to a block of rows are summed by a program: the nodes of the
// tree, each a subtree that kernel cols adds in registers, in the tree's order. It
// is made once and run for every item, so that short items take one call for many
// of them, and the sums that wait stay in the first-level cache.
//
// Kernels take rows as whole vectors. What they read behind the end of a row belongs
// to later rows, and what they write there is written again, or belongs to nobody.
// Where that is not so, at the end of the last items, a node is run twice: for the
// vectors that are whole, and for one more that overlaps them.

import (
	"math/bits"
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
	offsets []int          // bytes: of rows that lie anywhere
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
	if t.reduce <= lanes {
		return t.descending()
	}
	for i := 0; kernels.Weight(lanes, i) > 0; i++ {
		if w := kernels.Weight(lanes, i); w < t.reduce {
			t.weights[t.levels] = w
			t.levels++
		}
	}
	t.node(t.levels, 0, 0, 0)
	return t.nodes[:t.n]
}

// descending makes the program for rows whose weights all descend: a node for each
// residue of their numbers, of four to eight rows if there are more than eight.
func (t *rowTree) descending() []kernels.ColsNode {
	levels := max(0, bits.Len(uint(t.reduce-1))-kernels.ColsLevels)
	t.n = 1 << levels
	for i := range t.nodes[:t.n] {
		first := int(bits.Reverse(uint(i)) >> (bits.UintSize - levels))
		rows := (t.reduce - first + t.n - 1) >> levels
		n := &t.nodes[i]
		n.Tree, n.Src = rows-1, first*t.row
		for b := range n.Strides {
			n.Strides[b] = 1 << bits.Len(uint(rows-1)) >> (b + 1) << levels * t.row
		}
		n.Lefts = bits.TrailingZeros(^uint(i))
		n.Left = (bits.OnesCount(uint(i)) - 1) * t.slot
		n.To = n.Left - (n.Lefts-1)*t.slot
	}
	return t.nodes[:t.n]
}

// scattered adds the nodes for the rows first, first + 2^level, first + 2*2^level, ...,
// whose weights descend and which lie anywhere: a node for all of them, if there are no
// more than eight and their offsets are sums of as many strides as the tree has levels;
// else those for the first, third, ... of them, and for the others.
func (t *rowTree) scattered(first, level, depth, lefts int) {
	rows := (t.reduce - first + 1<<level - 1) >> level
	n := &t.nodes[t.n]
	*n = kernels.ColsNode{Src: t.offsets[first], Lefts: lefts, To: (depth - lefts) * t.slot, Left: (depth - 1) * t.slot}
	if rows <= 1<<kernels.ColsLevels && t.regular(n, first, level, rows) {
		t.n++
		return
	}
	t.scattered(first, level+1, depth, 0)
	t.scattered(first+1<<level, level+1, depth+1, lefts+1)
}

// regular makes n the node for some rows, and reports whether there is one.
func (t *rowTree) regular(n *kernels.ColsNode, first, level, rows int) bool {
	n.Tree = rows - 1
	at := func(row int) int { return t.offsets[first+row<<level] - n.Src }
	half := 1 << bits.Len(uint(rows-1)) >> 1 // rows from one leaf to the next
	for b := 0; half>>b > 0; b++ {
		n.Strides[b] = at(half >> b)
	}
	for row := range rows {
		off := 0
		for b := 0; half>>b > 0; b++ {
			if row&(half>>b) != 0 {
				off += n.Strides[b]
			}
		}
		if off != at(row) {
			return false
		}
	}
	return true
}

// tree returns the tree that sums the subtree of the given level at row base,
// and its weights; noTree if no kernel has one for all of it.
func (t *rowTree) tree(level, base int) (tree uint8, w [kernels.ColsLevels]int) {
	rows := t.reduce - base
	levels := 0
	for _, weight := range t.weights[:level] {
		if weight >= rows {
			continue
		}
		if levels == len(w) {
			return noTree, w
		}
		w[levels] = weight
		levels++
	}
	leaves := uint8(1)<<(1<<levels) - 1
	for i := range levels { // sums of weights that are behind the last row
		for j := range i {
			if w[i]+w[j] >= rows {
				leaves &^= 1 << (1<<i | 1<<j)
			}
		}
	}
	if levels == len(w) && w[0]+w[1]+w[2] >= rows {
		leaves &^= 1 << (1<<len(w) - 1)
	}
	return treeOf[leaves], w
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
	end   int // bytes that may be read from the first item on, if there are any

	within int // items whose whole vectors lie in the matrix
	over   int // items whose results may be written as whole vectors
}

// vectorsFor returns the instruction set whose kernel serves rows of n columns. Short
// ones that end in less than half a vector are better off with shorter vectors; so are
// long ones of float16, whose loop, which widens and adds 128 bits at a time, was a tenth
// faster on an Intel Xeon than one with 256.
func vectorsFor(isa kernels.ISA, t kernels.Type, n int) kernels.ISA {
	if isa != kernels.AVX512 {
		return isa
	}
	vec := kernels.ISAs[isa].VecBytes
	row := n * t.Acc().Size()
	switch rest := row & (vec - 1); {
	case row <= 8*vec && rest > 0 && rest <= vec/2, t == kernels.F16 && row > vec:
		return kernels.AVX2
	}
	return isa
}

// vectorLanes is the number of accumulators of t in a vector.
func vectorLanes(isa kernels.ISA, t kernels.Type) int {
	return max(1, kernels.ISAs[isa].VecBytes/t.Acc().Size())
}

// newRun returns a run for items whose last row lies last bytes behind the first.
func newRun(m *matrix, last int, slots unsafe.Pointer, slot int) run {
	r := run{m: m, isa: vectorsFor(m.isa, m.t, m.width), slots: slots, slot: slot, whole: m.width, within: m.outer, over: m.outer}
	lanes := vectorLanes(r.isa, m.t)
	r.extra = -m.width & (lanes - 1)
	if r.extra == 0 {
		return r
	}
	r.whole += r.extra
	item := last + m.width*m.t.Size()
	r.end = (m.outer-1)*m.srcOuter + item
	if m.behind {
		r.end += r.extra * m.t.Size()
	}
	if past := item + r.extra*m.t.Size() - r.end; past > 0 {
		r.within = 0
	} else if m.srcOuter > 0 {
		r.within = min(m.outer, -past/m.srcOuter+1)
	}
	switch m.overrun {
	case tight:
		r.over = 0
	case packed:
		r.over = max(0, m.outer-(r.extra+m.width-1)/m.width)
	}
	return r
}

// program runs a program for all items.
func (r *run) program(nodes []kernels.ColsNode) {
	items := min(r.within, r.over)
	if items > 0 {
		r.call(nodes, r.m.dst, r.m.src, r.whole, items)
	}
	for o := items; o < r.m.outer; o++ {
		r.last(nodes, o)
	}
}

// reach is where what a node reads of an item ends.
func (r *run) reach(node *kernels.ColsNode) int {
	far := 0
	leaves := kernels.Trees[node.Tree]
	for i := 1; leaves>>i != 0; i++ {
		if leaves>>i&1 != 0 {
			far = max(far, leafOffset(node, i))
		}
	}
	return node.Src + far + r.whole*r.m.t.Size()
}

// leafOffset is how far a leaf lies from the first one.
func leafOffset(node *kernels.ColsNode, leaf int) int {
	return leaf&1*node.Strides[0] + leaf>>1&1*node.Strides[1] + leaf>>2*node.Strides[2]
}

// call runs nodes, the last of which leaves its sums in dst.
func (r *run) call(nodes []kernels.ColsNode, dst, src unsafe.Pointer, columns, items int) {
	var a kernels.ColsArgs // field by field: a literal is copied, and its parts stall the copy
	a.Dst, a.Src, a.Slots, a.SlotStep = dst, src, r.slots, -r.slot
	a.Nodes, a.Count, a.N, a.Outer = &nodes[0], len(nodes), columns, items
	a.SrcOuter, a.DstOuter = r.m.srcOuter, r.m.dstOuter
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
		if o*m.srcOuter+r.reach(&nodes[i]) <= r.end && (i < end || o < r.over) {
			continue
		}
		if i > from {
			r.call(nodes[from:i], to(i-1), src, r.whole, 1)
		}
		r.exact(&nodes[i], to(i), src)
		from = i + 1
	}
	if from <= end {
		r.call(nodes[from:], dst, src, r.whole, 1)
	}
}

// exact runs a node that may read no more than its rows, and write no more than a row.
// The last vector's sums are made first, because dst may be a slot that is added: of a
// vector that overlaps the one before, or, if there is none, of a copy of the rows.
func (r *run) exact(node *kernels.ColsNode, dst, src unsafe.Pointer) {
	t := r.m.t
	lanes, acc, size := vectorLanes(r.isa, t), t.Acc().Size(), t.Size()
	var sums [maxVector]byte
	n := [1]kernels.ColsNode{*node}
	if r.m.width < lanes {
		r.copied(n[:], unsafe.Pointer(&sums), src)
		copyRow(t.Acc(), dst, unsafe.Pointer(&sums), r.m.width)
		return
	}
	column := r.m.width - lanes
	n[0].Left += column * acc
	r.call(n[:], unsafe.Pointer(&sums), unsafe.Add(src, column*size), lanes, 1)
	columns := r.whole - lanes
	n[0].Left = node.Left
	r.call(n[:], dst, src, columns, 1)
	copyRow(t.Acc(), unsafe.Add(dst, columns*acc), unsafe.Pointer(&sums[r.extra*acc]), lanes-r.extra)
}

// copied runs a node for a copy of its rows, which are shorter than a vector.
func (r *run) copied(node []kernels.ColsNode, dst, src unsafe.Pointer) {
	var rows [1 << kernels.ColsLevels * maxVector]byte
	n, vector := &node[0], r.whole*r.m.t.Size()
	leaves := kernels.Trees[n.Tree]
	for i := 0; leaves>>i != 0; i++ {
		if leaves>>i&1 != 0 {
			row := unsafe.Slice((*byte)(unsafe.Add(src, n.Src+leafOffset(n, i))), r.m.width*r.m.t.Size())
			copy(rows[i*vector:], row)
		}
	}
	n.Src = 0
	for i := range n.Strides {
		n.Strides[i] = vector << i
	}
	r.call(node, dst, unsafe.Pointer(&rows), r.whole, 1)
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
