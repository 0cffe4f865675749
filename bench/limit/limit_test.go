package limit

import (
	"bytes"
	"sync/atomic"
	"testing"
	"unsafe"
)

func TestPart(t *testing.T) {
	for _, size := range []int{0, 1, 63, 64, 65, 1000, 1 << 20} {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(i)
		}
		for workers := 1; workers <= 5; workers++ {
			var all []byte
			for w := range workers {
				all = append(all, part(b, w, workers)...)
			}
			if !bytes.Equal(all, b) {
				t.Errorf("the %d parts of %d bytes have %d", workers, size, len(all))
			}
		}
	}
}

// TestPasses checks that every byte is asked for, as often as told and in calls
// that are short enough.
func TestPasses(t *testing.T) {
	const passes = 3
	for _, size := range []int{0, 1, 64, 1000, maxCall, maxCall + 1, 3*maxCall - 5} {
		for workers := 1; workers <= 3; workers++ {
			var loaded, longest atomic.Int64
			l := Loop{"count", func(_ *byte, n int) {
				loaded.Add(int64(n))
				longest.Store(max(longest.Load(), int64(n)))
			}}
			l.PassesWith(workers, make([]byte, size), passes)
			if loaded.Load() != passes*int64(size) || longest.Load() > maxCall {
				t.Errorf("%d passes over %d bytes with %d workers load %d, at most %d in a call",
					passes, size, workers, loaded.Load(), longest.Load())
			}
		}
	}
}

// TestLoadGo checks the one loop that has to use what it loads: that it finds
// the bits of every byte.
func TestLoadGo(t *testing.T) {
	const magic = 0x5ca1ab1e
	for n := 8; n < 200; n++ {
		for _, at := range []int{0, n / 2 &^ 7, n&^7 - 8} {
			words := make([]uint64, 25)
			words[at/8] = magic
			before := sink
			loadGo((*byte)(unsafe.Pointer(&words[0])), n)
			if sink == before {
				t.Errorf("%d bytes: does not see byte %d", n, at)
			}
		}
	}
}
