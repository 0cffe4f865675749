//go:build !aix

// Package mapped maps files and memory: with mmap-go, where that can.
package mapped

import (
	"errors"
	"os"

	"github.com/edsrzf/mmap-go"
)

// mmap-go maps files on nearly every system that Go has, Windows too, as a plain
// []byte, so that kernels can read them; Prometheus keeps its database with it.
// golang.org/x/exp/mmap has only ReadAt, which copies.

// A Map is what is mapped; Unmap gives it back.
type Map = mmap.MMap

// File maps the first size bytes of a file, to be read.
func File(f *os.File, size int) (Map, error) {
	return mmap.MapRegion(f, size, mmap.RDONLY, 0, 0)
}

// Memory asks the system for memory and gives it back at once, untouched: its error is
// that of one who needs so much.
func Memory(size int) error {
	m, err := mmap.MapRegion(nil, size, mmap.COPY, mmap.ANON, 0)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil // nobody knows
	}
	if err != nil {
		return err
	}
	return m.Unmap()
}
