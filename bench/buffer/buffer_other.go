//go:build !unix

package buffer

import "math"

const maxSize = math.MaxInt

// allocate takes the memory from Go's heap where there is no mmap.
func allocate(size int) (*Buffer, error) {
	m := make([]byte, size)
	return &Buffer{Bytes: m, mapping: m}, nil
}

// Free does nothing: the garbage collector frees the memory.
func (b *Buffer) Free() error { return nil }
