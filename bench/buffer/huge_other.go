//go:build !linux

package buffer

// Huge returns 0: this system does not tell.
func Huge() int { return 0 }
