//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package input

import "golang.org/x/sys/unix"

// adviseSequential tells the system to read ahead. It is advice: that a system
// does not take it is no error.
func adviseSequential(b []byte) { unix.Madvise(b, unix.MADV_SEQUENTIAL) }
