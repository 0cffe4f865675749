//go:build unix

package buffer

import (
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

const maxSize = math.MaxInt - hugePage

// allocate maps a huge page more than asked for, so that the buffer can begin
// where one begins.
func allocate(size int) (*Buffer, error) {
	m, err := unix.Mmap(-1, 0, size+hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	adviseHuge(m)
	skip := -int(uintptr(unsafe.Pointer(&m[0]))) & (hugePage - 1)
	return &Buffer{Bytes: m[skip:], mapping: m}, nil
}

// Free gives the memory back to the system.
func (b *Buffer) Free() error { return unix.Munmap(b.mapping) }
