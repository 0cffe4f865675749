// Package cpu names the CPU that the program runs on.
package cpu

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// A CPU is what reports say of one.
type CPU struct {
	// Name is for people, Slug for file names.
	Name, Slug string
	// L1, L2 and L3 are the sizes of the data caches that one core sees, in bytes;
	// 0 when unknown.
	L1, L2, L3 int
}

// This returns the CPU that the program runs on.
func This() CPU {
	c := cpuid.CPU
	name := strings.Join(strings.Fields(c.BrandName), " ")
	if name == "" {
		name = systemName()
	}
	if name == "" {
		name = "unknown " + runtime.GOARCH
	}
	return CPU{
		Name: name + details(c.VendorID, c.Family, c.Model),
		Slug: slug(name, c.Family, c.Model),
		L1:   max(c.Cache.L1D, 0), L2: max(c.Cache.L2, 0), L3: max(c.Cache.L3, 0),
	}
}

// details tells apart what virtual machines call by one name, as AMD EPYC.
func details(vendor cpuid.Vendor, family, model int) string {
	if family == 0 {
		return ""
	}
	s := fmt.Sprintf("family %d, model %d", family, model)
	if vendor == cpuid.AMD {
		if core := zen(family, model); core != "" {
			s = core + ", " + s
		}
	}
	return " (" + s + ")"
}

// zen returns the name of an AMD core. The models are those of bsp_init_amd in
// Linux's arch/x86/kernel/cpu/amd.c.
func zen(family, model int) string {
	switch {
	case family == 0x17 && model < 0x30:
		return "Zen"
	case family == 0x17:
		return "Zen 2"
	case family == 0x19 && (model < 0x10 || model >= 0x20 && model < 0x60):
		return "Zen 3"
	case family == 0x19:
		return "Zen 4"
	case family == 0x1a:
		return "Zen 5"
	}
	return ""
}

var (
	noise  = regexp.MustCompile(`\((?i:r|tm)\)|\bCPU\b|\bProcessor\b`)
	others = regexp.MustCompile(`[^a-z0-9]+`)
)

// slug makes a name of the letters a to z, digits and hyphens.
func slug(name string, family, model int) string {
	s := noise.ReplaceAllString(name, " ")
	if family != 0 {
		s += fmt.Sprintf(" family %d model %d", family, model)
	}
	return strings.Trim(others.ReplaceAllString(strings.ToLower(s), "-"), "-")
}
