package cli

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/kernels"
)

const infoUsage = `usage: reducesum info

Prints this CPU, the implementations that it can run, best first, and the one
that is chosen. The environment variable REDUCESUM_ISA can choose a lower one.
`

// features returns those that the kernels of an architecture may use.
func features(arch string) []cpuid.FeatureID {
	var ids []cpuid.FeatureID
	for _, isa := range kernels.ISAs {
		for _, name := range isa.Features {
			if id := cpuid.ParseFeature(name); isa.Arch == arch && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func runInfo(c *call) error {
	args, err := c.parse()
	if err != nil {
		return err
	}
	if len(args) > 0 {
		return usagef("info takes no arguments: %q", args)
	}
	impls := names(reducesum.Implementations())
	lines := [][2]string{
		{"cpu", cpuName()},
		{"architecture", fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())},
	}
	if has, lacks := split(features(runtime.GOARCH)); len(has)+len(lacks) > 0 {
		lines = append(lines, [2]string{"features", orNone(has)}, [2]string{"missing", orNone(lacks)})
	}
	lines = append(lines,
		[2]string{"implementations", strings.Join(impls, ", ")},
		[2]string{"chosen", impls[0]},
	)
	if isa, set := os.LookupEnv("REDUCESUM_ISA"); set {
		lines = append(lines, [2]string{"REDUCESUM_ISA", effect(isa, impls)})
	}
	for _, l := range lines {
		if _, err := fmt.Fprintf(c.stdout, "%-16s %s\n", l[0], l[1]); err != nil {
			return err
		}
	}
	return nil
}

func names(impls []reducesum.Implementation) []string {
	s := make([]string, len(impls))
	for i, impl := range impls {
		s[i] = impl.String()
	}
	return s
}

// cpuName returns the model, or where the CPU does not tell, as on many arm64,
// at least who made it.
func cpuName() string {
	if name := strings.TrimSpace(cpuid.CPU.BrandName); name != "" {
		return name
	}
	if cpuid.CPU.VendorID != cpuid.VendorUnknown {
		return cpuid.CPU.VendorID.String()
	}
	return "unknown"
}

// split sorts features by whether the CPU, and the operating system, has them.
func split(ids []cpuid.FeatureID) (has, lacks []string) {
	for _, id := range ids {
		if cpuid.CPU.Has(id) {
			has = append(has, id.String())
		} else {
			lacks = append(lacks, id.String())
		}
	}
	return has, lacks
}

func orNone(s []string) string {
	if len(s) == 0 {
		return "none"
	}
	return strings.Join(s, " ")
}

// effect tells what a value of REDUCESUM_ISA did.
func effect(isa string, impls []string) string {
	switch {
	case isa == impls[0]:
		return isa
	case slices.Contains([]string{"avx512", "avx2", "neon", "generic"}, isa):
		return isa + " (ignored: this CPU or build does not offer it)"
	}
	return fmt.Sprintf("%q (ignored: it is none of avx512, avx2, neon, generic)", isa)
}
