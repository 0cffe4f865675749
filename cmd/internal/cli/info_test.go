package cli

import (
	"testing"

	"github.com/reducesum/reducesum/kernels"
)

// TestWhy checks what an implementation's absence is put down to.
func TestWhy(t *testing.T) {
	const byAVX512 = "GODEBUG=cpu.avx512=off"
	for _, c := range []struct {
		isa  kernels.ISA
		s    surroundings
		want string
	}{
		{kernels.AVX512, surroundings{limit: "avx2"}, "REDUCESUM_ISA=avx2"},
		{kernels.AVX2, surroundings{limit: "generic"}, "REDUCESUM_ISA=generic"},
		{kernels.NEON, surroundings{limit: "generic"}, "REDUCESUM_ISA=generic"},
		{kernels.AVX512, surroundings{godebug: "cpu.avx512=off"}, byAVX512},
		{kernels.AVX512, surroundings{godebug: "madvdontneed=1,cpu.avx512=off,cpu.sse3=off", limit: "avx2"}, byAVX512},
		{kernels.AVX512, surroundings{godebug: "cpu.avx512dq=off"}, "GODEBUG=cpu.avx512dq=off"},
		{kernels.AVX512, surroundings{godebug: "cpu.all=off"}, "GODEBUG=cpu.all=off"},
		{kernels.AVX512, surroundings{godebug: "cpu.all=off,cpu.all=on,cpu.bmi2=off"}, "GODEBUG=cpu.bmi2=off"},
		{kernels.AVX2, surroundings{godebug: "cpu.avx512=off", limit: "generic"}, "REDUCESUM_ISA=generic"},
		{kernels.AVX2, surroundings{godebug: "cpu.f16c=off", limit: "generic"}, "GODEBUG=cpu.f16c=off"},
		{kernels.AVX2, surroundings{godebug: "cpu.f16c=no,cpu.avx2", limit: "generic"}, "REDUCESUM_ISA=generic"},
		{kernels.AVX512, surroundings{lacks: []string{"AVX512F", "AVX512BW"}, godebug: "cpu.avx512=off"}, "the CPU or the operating system lacks AVX512F AVX512BW"},
		{kernels.AVX2, surroundings{lacks: []string{"AVX512F"}, limit: "generic"}, "REDUCESUM_ISA=generic"},
		{kernels.AVX2, surroundings{tags: "net,purego", limit: "generic"}, "the build tag purego leaves assembly out"},
		{kernels.NEON, surroundings{tags: "noasm"}, "the build tag noasm leaves assembly out"},
		{kernels.NEON, surroundings{tags: "noasmtest"}, "golang.org/x/sys/cpu does not find all of ASIMD"},
	} {
		if got := c.s.why(c.isa); got != c.want {
			t.Errorf("%v, %+v: %q, want %q", c.isa, c.s, got, c.want)
		}
	}
}
