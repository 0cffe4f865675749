//go:build (!amd64 && !arm64) || purego || noasm

package limit

// loops returns no loops: this build has none in assembly.
func loops() set { return set{} }
