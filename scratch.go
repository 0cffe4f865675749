package reducesum

// Scratch memory is made when a sum first needs it, and kept, so that a sum
// allocates nothing in the long run: a call takes what was given back, from the
// lowest slot that has some, which is also the one most likely to be in the
// cache. What more than a few calls at the same time need is the garbage
// collector's to keep or to free.

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// freeSlots is how much scratch memory is kept for good, once it was needed.
const freeSlots = 4

// sumsBytes is how much of the memory for sums is used. Tests lower it.
var sumsBytes = len(scratch{}.sums)

// A scratch is working memory for one goroutine's part of a sum. Each of its
// parts has one user at a time, and takes memory only as far as it is used. The
// guards behind them are for tests, which see there that no user writes further.
type scratch struct {
	pass        [256 << 10]byte // a pass over columns, or over long rows
	afterPass   guard
	tiles       [2048 << 10]byte // elements of the outer groups, which are sums
	afterTiles  guard
	sums        [256 << 10]byte // of blocks, or of a tile
	afterSums   guard
	output      [16 << 10]byte // what the sums of a tile are rounded to
	afterOutput guard
	pack        [1024 << 10]byte // elements, copied to be neighbours
	afterPack   guard
	offsets     [kernels.RowBytes / 4]int // of rows that lie anywhere
	axes        [1024]axis                // of boxes
	afterAxes   guard
}

type guard [1 << 10]byte

var (
	freeScratch [freeSlots]atomic.Pointer[scratch]
	moreScratch = sync.Pool{New: func() any { return new(scratch) }}
)

// takeScratch returns memory to be given back with giveScratch.
func takeScratch() *scratch {
	for i := range freeScratch {
		if freeScratch[i].Load() == nil {
			continue
		}
		if s := freeScratch[i].Swap(nil); s != nil {
			return s
		}
	}
	return moreScratch.Get().(*scratch)
}

func giveScratch(s *scratch) {
	for i := range freeScratch {
		if freeScratch[i].Load() == nil && freeScratch[i].CompareAndSwap(nil, s) {
			return
		}
	}
	moreScratch.Put(s)
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
