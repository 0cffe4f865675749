package reducesum

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Scratch memory is a fixed set of slots outside the heap, so that a sum
// allocates nothing: a call that needs one takes the lowest free slot, which
// is also the one most likely to be in the cache. When all are taken at the
// same time, slots come from the heap, and are kept for the next time.

const (
	scratchSlots = 16
	scratchBytes = unsafe.Sizeof(scratch{})
)

// sumsBytes is how much of the memory for sums is used. Tests lower it.
var sumsBytes = len(scratch{}.sums)

// A scratch is working memory for one goroutine's part of a sum. Each of its
// parts has one user at a time. The guards behind them are for tests, which see
// there that no user writes further.
type scratch struct {
	pass        [256 << 10]byte // a pass over columns, or over long rows
	afterPass   guard
	tiles       [256 << 10]byte // elements of the outer groups, which are sums
	afterTiles  guard
	sums        [256 << 10]byte // of blocks, or of a tile
	afterSums   guard
	output      [16 << 10]byte // what the sums of a tile are rounded to
	afterOutput guard
	pack        [512 << 10]byte // elements, copied to be neighbours
	afterPack   guard
	axes        [1024]axis // of boxes
	afterAxes   guard
}

type guard [1 << 10]byte

var (
	slots     [scratchSlots]scratch
	slotsUsed atomic.Uint32 // bit i: slot i is taken
	moreSlots = sync.Pool{New: func() any { return new(scratch) }}
)

// takeScratch returns memory to be given back with giveScratch.
func takeScratch() *scratch {
	for {
		used := slotsUsed.Load()
		i := bits.TrailingZeros32(^used)
		if i >= scratchSlots {
			return moreSlots.Get().(*scratch)
		}
		if slotsUsed.CompareAndSwap(used, used|1<<i) {
			return &slots[i]
		}
	}
}

func giveScratch(s *scratch) {
	i := (uintptr(unsafe.Pointer(s)) - uintptr(unsafe.Pointer(&slots))) / scratchBytes
	if i >= scratchSlots { // or below the slots, which wraps
		moreSlots.Put(s)
		return
	}
	slotsUsed.And(^uint32(1 << i))
}

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
