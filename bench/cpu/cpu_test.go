package cpu

import (
	"regexp"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

func TestThis(t *testing.T) {
	c := This()
	if c.Name == "" || !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(c.Slug) {
		t.Errorf("name %q, slug %q", c.Name, c.Slug)
	}
}

func TestSlug(t *testing.T) {
	tests := []struct {
		name          string
		family, model int
		want          string
	}{
		{"AMD EPYC", 25, 17, "amd-epyc-family-25-model-17"},
		{"Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", 6, 106, "intel-xeon-platinum-8375c-2-90ghz-family-6-model-106"},
		{"AMD Ryzen 9 7950X 16-Core Processor", 25, 97, "amd-ryzen-9-7950x-16-core-family-25-model-97"},
		{"Apple M1", 0, 0, "apple-m1"},
	}
	for _, test := range tests {
		if got := slug(test.name, test.family, test.model); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestDetails(t *testing.T) {
	tests := []struct {
		vendor        cpuid.Vendor
		family, model int
		want          string
	}{
		{cpuid.AMD, 0x17, 0x01, " (Zen, family 23, model 1)"},
		{cpuid.AMD, 0x17, 0x31, " (Zen 2, family 23, model 49)"},
		{cpuid.AMD, 0x19, 0x01, " (Zen 3, family 25, model 1)"},
		{cpuid.AMD, 0x19, 0x50, " (Zen 3, family 25, model 80)"},
		{cpuid.AMD, 0x19, 0x11, " (Zen 4, family 25, model 17)"},
		{cpuid.AMD, 0x19, 0x61, " (Zen 4, family 25, model 97)"},
		{cpuid.AMD, 0x1a, 0x02, " (Zen 5, family 26, model 2)"},
		{cpuid.Intel, 6, 106, " (family 6, model 106)"},
		{cpuid.VendorUnknown, 0, 0, ""},
	}
	for _, test := range tests {
		if got := details(test.vendor, test.family, test.model); got != test.want {
			t.Errorf("%v %#x %#x: %q, want %q", test.vendor, test.family, test.model, got, test.want)
		}
	}
}
