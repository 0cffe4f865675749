package input

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/reducesum/reducesum/cmd/internal/mapped"
)

// A mapping is a regular file in memory, from some offset on.
type mapping struct {
	file *os.File
	all  mapped.Map
	data []byte
}

// mapFile maps a file of the given size, larger than offset.
func mapFile(f *os.File, size, offset int64) (*mapping, error) {
	if size > math.MaxInt {
		return nil, fmt.Errorf("%d bytes are more than this process can address", size)
	}
	all, err := mapped.File(f, int(size))
	if err != nil {
		return nil, err
	}
	adviseSequential(all)
	return &mapping{f, all, all[offset:]}, nil
}

func (m *mapping) close() error { return m.all.Unmap() }

// guard runs do. That the file is cut off meanwhile, or cannot be read, is an error
// instead of the end of the process: a page that is gone faults, and the rest of
// the last page that is left reads as zeros, which the file's size tells.
func (m *mapping) guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		left, ok := m.left()
		short := ok && left < len(m.all)
		if r != nil && !m.isFault(r, short) {
			panic(r)
		}
		if short {
			err = fmt.Errorf("the file was cut off while it was read: %d of %d bytes are left", left, len(m.all))
		} else if r != nil {
			err = errors.New("a part of the file cannot be read: the device, or the network, fails")
		}
	}()
	return do()
}

// isFault tells whether a panic is a fault in the mapped memory. That of a file
// that is too short now needs no address, which not every system tells right.
func (m *mapping) isFault(r any, short bool) bool {
	if _, ok := r.(runtime.Error); ok && short {
		return true
	}
	fault, ok := r.(interface{ Addr() uintptr })
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(m.all)))
	return ok && fault.Addr()-begin < uintptr(len(m.all))
}

// left returns the size of the file now.
func (m *mapping) left() (size int, ok bool) {
	info, err := m.file.Stat()
	if err != nil {
		return 0, false
	}
	return int(min(info.Size(), math.MaxInt)), true
}
