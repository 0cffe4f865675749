//go:build unix

package reducesum

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// guarded returns n bytes between two pages that may not be touched, as near
// to the one or the other as a caller likes.
func guarded(t testing.TB, n int) []byte {
	page := os.Getpagesize()
	n = (n + page - 1) &^ (page - 1)
	mem, err := unix.Mmap(-1, 0, n+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(mem) })
	for _, guard := range [][]byte{mem[:page], mem[n+page:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return mem[page : n+page]
}

// errNotExecutable is the system's for the program of another CPU, which a user
// emulates: the system itself cannot start it.
var errNotExecutable error = unix.ENOEXEC
