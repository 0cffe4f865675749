// Package buffer provides the memory that benchmarks read: straight from the
// system, in huge pages where it offers them. A slice from make gets pages of
// 4 KiB, and a sum over a large one measures the translation of addresses.
package buffer

import "fmt"

// hugePage is the size that Linux uses on x86-64 and, with pages of 4 KiB, arm64.
const hugePage = 2 << 20

// A Buffer is memory that the garbage collector knows nothing of.
type Buffer struct {
	// Bytes begin at a huge page's border.
	Bytes []byte

	mapping []byte
}

// New returns a buffer of the given size.
func New(size int) (*Buffer, error) {
	if size < 0 || size > maxSize {
		return nil, fmt.Errorf("buffer: cannot allocate %d bytes", size)
	}
	b, err := allocate(max(size, 1))
	if err != nil {
		return nil, fmt.Errorf("buffer: cannot allocate %d bytes: %w", size, err)
	}
	b.Bytes = b.Bytes[:size]
	return b, nil
}
