// Package mapped maps files and memory: on AIX, which mmap-go does not know, neither.
package mapped

import (
	"errors"
	"os"
)

// A Map is what is mapped: nothing.
type Map []byte

// Unmap does nothing.
func (Map) Unmap() error { return nil }

// File returns [errors.ErrUnsupported].
func File(f *os.File, size int) (Map, error) { return nil, errors.ErrUnsupported }

// Memory says nothing against any size.
func Memory(size int) error { return nil }
