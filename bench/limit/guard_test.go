//go:build unix

package limit

import (
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestLoops checks with a page that cannot be read that each loop loads up to the
// last byte, and no further.
func TestLoops(t *testing.T) {
	page := syscall.Getpagesize()
	m, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(m)
	if err := unix.Mprotect(m[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, l := range Loops() {
		for n := 1; n < 1300; n++ {
			if fault(l, m[page-n:], n) {
				t.Fatalf("%s: loads beyond %d bytes", l.Name, n)
			}
			if !fault(l, m[page-n+1:], n) {
				t.Fatalf("%s: does not load the last of %d bytes", l.Name, n)
			}
		}
	}
}

// fault reports whether loading n bytes from the start of b on ends at a fault.
func fault(l Loop, b []byte, n int) (faulted bool) {
	defer func() { faulted = recover() != nil }()
	l.load(unsafe.SliceData(b), n)
	return false
}
