package limit

import "unsafe"

// plain is what the compiler makes of a loop, for CPUs without one in assembly.
var plain = Loop{Name: "go", load: loadGo}

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
