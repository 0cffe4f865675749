package limit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
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

// A meter stands for the loops: it counts what they are asked to do.
type meter struct {
	sync.Mutex
	loaded, stored map[*byte]int
	longest        int // bytes that a call loads
}

func (c *meter) load(p *byte, n int) {
	c.Lock()
	defer c.Unlock()
	for i := 0; i < n; i += lineSize {
		c.loaded[(*byte)(unsafe.Add(unsafe.Pointer(p), i))]++
	}
	c.longest = max(c.longest, n)
}

func (c *meter) store(to []byte) {
	c.Lock()
	defer c.Unlock()
	for i := 0; i < len(to); i += lineSize {
		c.stored[&to[i]]++
	}
}

func (c *meter) runs(base *byte, list *uint64, n int) {
	longest := 0
	for _, r := range unsafe.Slice(list, n) {
		c.load((*byte)(unsafe.Add(unsafe.Pointer(base), int(uint32(r))*lineSize)), int(r>>32)*lineSize)
		longest += int(r>>32) * lineSize
	}
	c.longest = max(c.longest, longest)
}

// bind binds the meter to work in the place of a loop.
func (c *meter) bind(w Work) func(n int) {
	switch {
	case w.Runs != nil:
		return runLoop{run: c.runs}.bind(w, c.store)
	case len(w.Dst) > 0:
		return store{run: func(p *byte, n int, q *byte, m, _ int) {
			c.load(p, n)
			c.store(unsafe.Slice(q, m))
		}}.bind(w)
	}
	return load{run: c.load}.bind(w)
}

// TestBind checks that every line is loaded, and stored, as often as told, in
// calls that are short enough.
func TestBind(t *testing.T) {
	const passes = 3
	var works []Work
	for _, size := range []int{0, 64, 1000 &^ 63, maxCall, maxCall + 64, 3*maxCall - 64} {
		for _, result := range []int{0, 64, size / 3 &^ 63, 3 * size} {
			for _, times := range []int{0, 1, 4} {
				w := Work{Src: make([]byte, size), Dst: make([]byte, result), Times: times}
				works = append(works, w)
				if size == 0 {
					continue
				}
				w.Runs = []Run{}
				for at, length := 0, 1; at < size/lineSize; at, length = at+length+1, 2*length {
					w.Runs = append(w.Runs, Run{at, min(length, size/lineSize-at)})
				}
				works = append(works, w)
			}
		}
	}
	for _, w := range works {
		for workers := 1; workers <= 3; workers++ {
			c := &meter{loaded: map[*byte]int{}, stored: map[*byte]int{}}
			var shares []func(n int)
			for i := range workers {
				shares = append(shares, c.bind(w.part(i, workers)))
			}
			together(shares)(passes)
			checkMeter(t, fmt.Sprintf("%d bytes, %d runs, %d bytes of result, %d times, %d workers",
				len(w.Src), len(w.Runs), len(w.Dst), w.Times, workers), c, w, passes)
		}
	}
}

func checkMeter(t *testing.T, what string, c *meter, w Work, passes int) {
	t.Helper()
	if lines := w.Bytes() / lineSize / max(w.Times, 1); len(c.loaded) != lines {
		t.Errorf("%s: %d lines are loaded, want %d", what, len(c.loaded), lines)
	}
	if lines := len(w.Dst) / lineSize; len(c.stored) != lines {
		t.Errorf("%s: %d lines are stored, want %d", what, len(c.stored), lines)
	}
	for _, n := range c.loaded {
		if n != passes*max(w.Times, 1) {
			t.Errorf("%s: a line is loaded %d times, want %d", what, n, passes*max(w.Times, 1))
			break
		}
	}
	for _, n := range c.stored {
		if n != passes {
			t.Errorf("%s: a line is stored %d times, want %d", what, n, passes)
			break
		}
	}
	if c.longest > maxCall {
		t.Errorf("%s: a call loads %d bytes", what, c.longest)
	}
}

// TestTouched compares with what a visit of every element finds.
func TestTouched(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	for range 3000 {
		var shape, strides []int
		for range random.IntN(4) {
			shape = append(shape, 1+random.IntN(12))
			strides = append(strides, random.IntN([]int{3, 30, 300}[random.IntN(3)]))
		}
		size := []int{2, 4, 8}[random.IntN(3)]
		touched := map[int]bool{}
		var visit func(axis, at int)
		visit = func(axis, at int) {
			if axis == len(shape) {
				touched[at*size/lineSize] = true
				return
			}
			for i := range shape[axis] {
				visit(axis+1, at+i*strides[axis])
			}
		}
		visit(0, 0)
		runs := Touched(shape, strides, size)
		lines := 0
		for i, r := range runs {
			lines += r.Lines
			for k := range r.Lines {
				if !touched[r.First+k] {
					t.Fatalf("shape %v, strides %v, %d bytes: line %d is not touched", shape, strides, size, r.First+k)
				}
			}
			if i > 0 && r.First <= runs[i-1].First+runs[i-1].Lines {
				t.Fatalf("shape %v, strides %v, %d bytes: runs %v are not in order, or have no gap", shape, strides, size, runs)
			}
		}
		if lines != len(touched) {
			t.Fatalf("shape %v, strides %v, %d bytes: %d lines, want %d", shape, strides, size, lines, len(touched))
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
