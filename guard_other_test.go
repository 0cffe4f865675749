//go:build !unix

package reducesum

import "testing"

// guarded returns n bytes; there are no guard pages on this system.
func guarded(t testing.TB, n int) []byte { return make([]byte, (n+63)&^63) }
