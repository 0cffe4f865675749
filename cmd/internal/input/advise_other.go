//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package input

// adviseSequential does nothing, where there is no such advice.
func adviseSequential([]byte) {}
