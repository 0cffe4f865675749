//go:build !unix

package reducesum

import (
	"errors"
	"testing"
)

// guarded returns n bytes; there are no guard pages on this system.
func guarded(t testing.TB, n int) []byte { return make([]byte, (n+63)&^63) }

// errNotExecutable is no error of this system's.
var errNotExecutable = errors.New("exec format error")
