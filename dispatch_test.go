package reducesum

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// names returns the names of implementations, with commas.
func names(list []Implementation) string {
	var s []string
	for _, i := range list {
		s = append(s, i.String())
	}
	return strings.Join(s, ",")
}

// TestRequiredImplementations fails when REDUCESUM_REQUIRE, as "avx2,generic", is
// not the list of implementations: where one was silently skipped.
func TestRequiredImplementations(t *testing.T) {
	got := names(Implementations())
	if required, ok := os.LookupEnv("REDUCESUM_REQUIRE"); ok && required != got {
		t.Errorf("the implementations are %s, REDUCESUM_REQUIRE is %s", got, required)
	}
	if !strings.HasSuffix(","+got, ",generic") {
		t.Errorf("the implementations are %s, generic is not the last", got)
	}
}

// TestOffered checks that a limit takes the better implementations off the list,
// and that any other word does nothing.
func TestOffered(t *testing.T) {
	all := names(offered(""))
	for i, impl := range strings.Split(all, ",") {
		want := strings.Join(strings.Split(all, ",")[i:], ",")
		if got := names(offered(impl)); got != want {
			t.Errorf("limit %s: %s, want %s", impl, got, want)
		}
	}
	for _, limit := range []string{"sse", "AVX2", "avx2 ", "avx512,avx2", "0"} {
		if got := names(offered(limit)); got != all {
			t.Errorf("limit %q: %s, want %s", limit, got, all)
		}
	}
}

// TestVariables starts this program again, with environment variables that can only
// lower what the CPU offers: REDUCESUM_ISA, set to each name, and those features
// that GODEBUG turns off.
func TestVariables(t *testing.T) {
	const printed = "implementations: "
	if os.Getenv("REDUCESUM_PRINT") != "" {
		fmt.Println(printed + names(Implementations()))
		return
	}
	list := func(variable string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestVariables$")
		cmd.Env = append(os.Environ(), "REDUCESUM_PRINT=1", "REDUCESUM_ISA=", "GODEBUG=", variable)
		out, err := cmd.CombinedOutput()
		if errors.Is(err, errNotExecutable) || errors.Is(err, errors.ErrUnsupported) {
			t.Skipf("an emulator runs this test, and the system cannot run it without: %v", err)
		}
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, line, _ := strings.Cut(string(out), printed)
		line, _, _ = strings.Cut(line, "\n")
		return strings.TrimSpace(line)
	}
	all := list("REDUCESUM_ISA=")
	without := func(taken ...string) string {
		var left []string
		for _, name := range strings.Split(all, ",") {
			if !slices.Contains(taken, name) {
				left = append(left, name)
			}
		}
		return strings.Join(left, ",")
	}
	for variable, want := range map[string]string{
		"REDUCESUM_ISA=avx512":                  all,
		"REDUCESUM_ISA=avx2":                    without("avx512"),
		"REDUCESUM_ISA=neon":                    all,
		"REDUCESUM_ISA=generic":                 "generic",
		"REDUCESUM_ISA=sse":                     all,
		"REDUCESUM_ISA=AVX2":                    all,
		"GODEBUG=cpu.avx512=off":                without("avx512"),
		"GODEBUG=cpu.avx512dq=off":              without("avx512"),
		"GODEBUG=panicnil=1,cpu.avx512=off":     without("avx512"),
		"GODEBUG=cpu.bmi2=off":                  without("avx512"),
		"GODEBUG=cpu.avx2=off":                  without("avx512", "avx2"),
		"GODEBUG=cpu.f16c=off":                  without("avx512", "avx2"),
		"GODEBUG=cpu.avx512=off,cpu.avx=off":    without("avx512", "avx2"),
		"GODEBUG=cpu.all=off":                   without("avx512", "avx2"),
		"GODEBUG=cpu.sse3=off,cpu.avx512vp=off": all,
	} {
		if got := list(variable); got != want {
			t.Errorf("%s: %s, want %s", variable, got, want)
		}
	}
}

// TestPinnedImplementationIsUsed checks that WithImplementation is heeded: the
// plan has it.
func TestPinnedImplementationIsUsed(t *testing.T) {
	for _, i := range Implementations() {
		p, err := NewPlan([]int{3}, Op{}, WithImplementation(i))
		if err != nil || p.isa != i.isa {
			t.Errorf("%v: the plan has %v, %v", i, p.isa, err)
		}
	}
}
