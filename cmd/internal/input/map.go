package input

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/edsrzf/mmap-go"
)

// mmap-go maps files on every system that Go has, Windows too, as a plain []byte,
// so that the kernels can read them; Prometheus keeps its database with it.
// golang.org/x/exp/mmap has only ReadAt, which copies.

// A mapping is a regular file in memory, from some offset on.
type mapping struct {
	file *os.File
	all  mmap.MMap
	data []byte
}

// mapFile maps a file of the given size, larger than offset.
func mapFile(f *os.File, size, offset int64) (*mapping, error) {
	if size > math.MaxInt {
		return nil, fmt.Errorf("%d bytes are more than this process can address", size)
	}
	all, err := mmap.MapRegion(f, int(size), mmap.RDONLY, 0, 0)
	if err != nil {
		return nil, err
	}
	adviseSequential(all)
	return &mapping{f, all, all[offset:]}, nil
}

func (m *mapping) close() error { return m.all.Unmap() }

// guard runs do. A page of the file that is no longer there, or cannot be read,
// makes it an error instead of the end of the process.
func (m *mapping) guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		fault, ok := r.(interface {
			runtime.Error
			Addr() uintptr
		})
		begin := uintptr(unsafe.Pointer(unsafe.SliceData(m.all)))
		if !ok || fault.Addr()-begin >= uintptr(len(m.all)) {
			panic(r)
		}
		err = m.lost()
	}()
	return do()
}

// lost says why a page cannot be read.
func (m *mapping) lost() error {
	if info, err := m.file.Stat(); err == nil && info.Size() < int64(len(m.all)) {
		return fmt.Errorf("the file was cut off while it was read: %d of %d bytes are left", info.Size(), len(m.all))
	}
	return fmt.Errorf("a part of the file cannot be read: the device, or the network, fails")
}
