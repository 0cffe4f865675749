package reducesum

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// Scratch memory is a fixed set of slots outside the heap, so that a sum
// allocates nothing: a call that needs one takes the lowest free slot, which
// is also the one most likely to be in the cache. Only when all are taken at
// the same time, a slot comes from the heap.

const (
	scratchSlots = 16
	scratchBytes = 512 << 10
)

// A scratch is working memory for one goroutine's part of a sum. Each of its
// parts has one user at a time.
type scratch struct {
	pass   [256 << 10]byte // a pass over columns, or over long rows
	nest   [192 << 10]byte // rows of the outer groups of reduced axes
	output [64 << 10]byte  // accumulators that wait to be rounded
}

var _ [scratchBytes]byte = [unsafe.Sizeof(scratch{})]byte{}

var (
	slots     [scratchSlots]scratch
	slotsUsed atomic.Uint32 // bit i: slot i is taken
)

// takeScratch returns a slot, and the mask to give it back with.
func takeScratch() (*scratch, uint32) {
	for {
		used := slotsUsed.Load()
		i := bits.TrailingZeros32(^used)
		if i >= scratchSlots {
			return new(scratch), 0
		}
		if slotsUsed.CompareAndSwap(used, used|1<<i) {
			return &slots[i], 1 << i
		}
	}
}

func giveScratch(mask uint32) { slotsUsed.And(^mask) }

// memory is a piece of scratch memory, of which a caller's callees take what
// they need, and give it back by returning: it is passed by value.
type memory struct {
	p unsafe.Pointer
	n int
}

// take returns n bytes of m, and what is left. There is always enough, by the
// sizes of tiles; if there were not, the heap would serve.
func (m memory) take(n int) (unsafe.Pointer, memory) {
	n = (n + 63) &^ 63
	if n > m.n {
		return unsafe.Pointer(unsafe.SliceData(make([]uint64, n/8))), m
	}
	return m.p, memory{unsafe.Add(m.p, n), m.n - n}
}
