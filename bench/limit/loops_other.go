//go:build (!amd64 && !arm64) || purego || noasm

package limit

// assembly returns no loops: this build has none.
func assembly() []Loop { return nil }
