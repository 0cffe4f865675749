package cli

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/kernels"
)

const infoUsage = `usage: reducesum info

Prints this CPU, the implementations that it can run, best first, and the one
that is chosen; if better ones were made for this architecture, also what keeps
them away: the CPU, the build, or one of the environment variables REDUCESUM_ISA
(as avx2) and GODEBUG (as cpu.avx512=off).
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
	for isa := range kernels.NumISAs {
		if kernels.ISAs[isa].Arch == runtime.GOARCH && !slices.Contains(impls, isa.Public()) {
			lines = append(lines, [2]string{"without", isa.Public() + ": " + ofThisProgram().why(isa)})
		}
	}
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

// surroundings are what decides which implementations the package offers.
type surroundings struct {
	lacks   []string // features that the CPU, or the operating system, has not
	tags    string   // of the build
	godebug string   // the environment variable GODEBUG
	limit   string   // the environment variable REDUCESUM_ISA
}

func ofThisProgram() surroundings {
	_, lacks := split(features(runtime.GOARCH))
	s := surroundings{lacks: lacks, godebug: os.Getenv("GODEBUG"), limit: os.Getenv("REDUCESUM_ISA")}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "-tags" {
				s.tags = setting.Value
			}
		}
	}
	return s
}

// why tells what the absence of an implementation is due to.
func (s surroundings) why(isa kernels.ISA) string {
	for _, tag := range strings.Split(s.tags, ",") {
		if tag == "purego" || tag == "noasm" {
			return "the build tag " + tag + " leaves assembly out"
		}
	}
	needs := kernels.ISAs[isa].Features
	var missing []string
	for _, name := range needs {
		if slices.Contains(s.lacks, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return "the CPU or the operating system lacks " + strings.Join(missing, " ")
	}
	if setting := turnedOff(s.godebug, needs); setting != "" {
		return "GODEBUG=" + setting
	}
	if s.limit != "" {
		return "REDUCESUM_ISA=" + s.limit
	}
	return "golang.org/x/sys/cpu does not find all of " + strings.Join(needs, " ")
}

// turnedOff returns the setting of GODEBUG that takes one of some features away, if
// one does. Of several settings for a feature the last one counts; all and avx512
// stand for more than one feature.
func turnedOff(godebug string, features []string) string {
	off := map[string]string{}
	for _, setting := range strings.Split(godebug, ",") {
		name, value, _ := strings.Cut(setting, "=")
		name, isCPU := strings.CutPrefix(name, "cpu.")
		if !isCPU || value != "on" && value != "off" {
			continue
		}
		for _, feature := range append([]string{"AVX512"}, features...) {
			if name != "all" && name != strings.ToLower(feature) {
				continue
			}
			off[feature] = ""
			if value == "off" {
				off[feature] = setting
			}
		}
	}
	for _, feature := range features {
		if off[feature] != "" {
			return off[feature]
		}
		if strings.HasPrefix(feature, "AVX512") && off["AVX512"] != "" {
			return off["AVX512"]
		}
	}
	return ""
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
