//go:build !purego && !noasm

package limit

import "golang.org/x/sys/cpu"

// assembly returns the loops of loops_amd64.s that this CPU can run.
func assembly() []Loop {
	var loops []Loop
	if cpu.X86.HasAVX {
		loops = append(loops,
			Loop{"load256", load256}, Loop{"load256t0", load256t0}, Loop{"load256nta", load256nta}, Loop{"load256far", load256far})
	}
	if cpu.X86.HasAVX512F {
		loops = append(loops,
			Loop{"load512", load512}, Loop{"load512t0", load512t0}, Loop{"load512nta", load512nta}, Loop{"load512far", load512far})
	}
	return loops
}
