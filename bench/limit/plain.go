package limit

import "unsafe"

// set is the loops in assembly that this CPU can run.
type set struct {
	loads   []load
	stores  []store
	runs    []runLoop
	strides []strideLoop
}

// bindGo is what the compiler makes of all work, for CPUs without loops in
// assembly. It widens nothing.
func bindGo(w Work) func(n int) {
	if w.Runs != nil {
		return runLoop{run: runsGo}.bind(w, storeGo)
	}
	if len(w.Dst) > 0 {
		return store{run: bothGo}.bind(w)
	}
	return load{run: loadGo}.bind(w)
}

// sink keeps the compiler from dropping the loads of loadGo. It is only written
// when the loads happen to cancel.
var sink uint64

// loadGo loads the n bytes at p, eight at a time. It has to use what it loads,
// and does so in several accumulators, which do not wait for each other.
func loadGo(p *byte, n int) {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(p)), n/8)
	var a, b, c, d uint64
	for len(words) >= 8 {
		a |= words[0] | words[1]
		b |= words[2] | words[3]
		c |= words[4] | words[5]
		d |= words[6] | words[7]
		words = words[8:]
	}
	for _, w := range words {
		a |= w
	}
	for _, x := range unsafe.Slice(p, n)[n&^7:] {
		b |= uint64(x)
	}
	if a|b|c|d == 0x5ca1ab1e {
		sink++
	}
}

// runsGo loads the n runs at list.
func runsGo(base *byte, list *uint64, n int) {
	for _, r := range unsafe.Slice(list, n) {
		p := (*byte)(unsafe.Add(unsafe.Pointer(base), uint64(uint32(r))*lineSize))
		if r>>32 == 1 {
			if *p == 0x5c {
				sink++
			}
			continue
		}
		loadGo(p, int(r>>32)*lineSize)
	}
}

func storeGo(to []byte) { clear(to) }

func bothGo(p *byte, n int, q *byte, m, _ int) {
	loadGo(p, n)
	storeGo(unsafe.Slice(q, m))
}
