package reducesum

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
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

// TestISAVariable starts this program again, with REDUCESUM_ISA set to each name:
// it can only lower what the CPU offers.
func TestISAVariable(t *testing.T) {
	const printed = "implementations: "
	if os.Getenv("REDUCESUM_PRINT") != "" {
		fmt.Println(printed + names(Implementations()))
		return
	}
	list := func(isa string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestISAVariable$")
		cmd.Env = append(os.Environ(), "REDUCESUM_PRINT=1", "REDUCESUM_ISA="+isa)
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("an emulator runs this test, and the system cannot run it without")
		}
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, line, _ := strings.Cut(string(out), printed)
		line, _, _ = strings.Cut(line, "\n")
		return line
	}
	all := list("")
	for _, isa := range []string{"avx512", "avx2", "neon", "generic", "sse", "AVX2"} {
		want := all
		if i := strings.Index(","+all+",", ","+isa+","); i >= 0 {
			want = all[i:]
		}
		if got := list(isa); got != want {
			t.Errorf("REDUCESUM_ISA=%s: %s, want %s", isa, got, want)
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
