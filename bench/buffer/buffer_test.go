package buffer

import (
	"math"
	"testing"
)

func TestNew(t *testing.T) {
	for _, size := range []int{0, 1, 4096, hugePage + 1} {
		b, err := New(size)
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Bytes) != size {
			t.Errorf("New(%d) has %d bytes", size, len(b.Bytes))
		}
		for i := range b.Bytes {
			b.Bytes[i] = 1
		}
		if err := b.Free(); err != nil {
			t.Errorf("Free of %d bytes: %v", size, err)
		}
	}
	for _, size := range []int{-1, math.MaxInt} {
		if _, err := New(size); err == nil {
			t.Errorf("New(%d) has no error", size)
		}
	}
}
