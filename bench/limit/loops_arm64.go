//go:build !purego && !noasm

package limit

// load128 loads the n bytes at p, in pairs of 16 bytes, without software prefetch.
//
//go:noescape
func load128(p *byte, n int)

// load128pf loads the n bytes at p, in pairs of 16 bytes, with prefetch 1024 bytes ahead.
//
//go:noescape
func load128pf(p *byte, n int)

// loops returns the loops of loops_arm64.s, which every arm64 CPU can run.
func loops() set {
	return set{loads: []load{{"load128", "", load128}, {"load128pf", "", load128pf}}}
}
