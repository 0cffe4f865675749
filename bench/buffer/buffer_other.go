//go:build !unix

package buffer

import (
	"math"
	"unsafe"
)

const (
	lineSize = 64
	maxSize  = math.MaxInt - lineSize
)

// allocate takes the memory from Go's heap where there is no mmap. It begins at a
// cache line, and its last line is whole.
func allocate(size int) (*Buffer, error) {
	m := make([]byte, size+lineSize)
	skip := -int(uintptr(unsafe.Pointer(&m[0]))) & (lineSize - 1)
	return &Buffer{Bytes: m[skip:], mapping: m}, nil
}

// Free does nothing: the garbage collector frees the memory.
func (b *Buffer) Free() error { return nil }
