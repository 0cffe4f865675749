package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// tools are the paths of LLVM's programs.
type tools struct{ mca, objdump string }

// The versions of LLVM that Debian's names may carry, newest first.
const newest, oldest = 25, 16

// findTools looks for the newest LLVM.
func findTools() (tools, error) {
	suffixes := []string{}
	for v := newest; v >= oldest; v-- {
		suffixes = append(suffixes, "-"+strconv.Itoa(v))
	}
	for _, suffix := range append(suffixes, "") {
		mca, err := exec.LookPath("llvm-mca" + suffix)
		if err != nil {
			continue
		}
		if objdump, err := exec.LookPath("llvm-objdump" + suffix); err == nil {
			return tools{mca, objdump}, nil
		}
	}
	return tools{}, fmt.Errorf("no llvm-mca and llvm-objdump found (Debian: apt-get install llvm-19)")
}

// build compiles the package's test program, which holds all kernels.
func build(goarch, pkg, binary string) error {
	c := exec.Command("go", "test", "-c", "-o", binary, pkg)
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+goarch, "CGO_ENABLED=0")
	_, err := output(c)
	return err
}

func (t tools) disassemble(binary string) (string, error) {
	return output(exec.Command(t.objdump, "-d", "--no-show-raw-insn", binary))
}

// output runs a command and returns what it prints.
func output(c *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		message := strings.TrimSpace(stderr.String())
		if len(message) > 2000 {
			message = message[:2000] + " ..."
		}
		return "", fmt.Errorf("%s: %w: %s", strings.Join(c.Args[:1], " "), err, message)
	}
	return stdout.String(), nil
}

// iterations is how many turns of a loop are simulated: enough for the start and
// the end not to count.
const iterations = 100

// A result is what one CPU makes of a loop, in cycles for 64 bytes.
type result struct {
	loop  float64
	ports float64 // if only its execution ports and the front end were in the way
	loads float64 // of its loads alone
}

// simulate returns the result of each loop on a CPU, zero for loops with
// instructions that it does not have.
func (t tools) simulate(a arch, cpu string, loops []loop) ([]result, error) {
	results := make([]result, len(loops))
	for i, l := range loops {
		c := exec.Command(t.mca, "-mtriple="+a.triple, "-mcpu="+cpu, "-json", "-iterations="+strconv.Itoa(iterations),
			"-instruction-info=false", "-resource-pressure=false", "-")
		c.Stdin = strings.NewReader(regions(l))
		text, err := output(c)
		if err != nil && strings.Contains(err.Error(), "unsupported instruction") {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", cpu, l.name, err)
		}
		if results[i], err = readResult(text, l.bytes); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", cpu, l.name, err)
		}
	}
	return results, nil
}

// regions is the input of llvm-mca for a loop: a region with its code, and one
// for each way to do its loads alone.
func regions(l loop) string {
	var b strings.Builder
	region := func(name string, lines []string) {
		fmt.Fprintf(&b, "# LLVM-MCA-BEGIN %s\n%s\n# LLVM-MCA-END\n", name, strings.Join(lines, "\n"))
	}
	lines := []string{".Ltop:"}
	for _, in := range l.code {
		lines = append(lines, in.text(".Ltop"))
	}
	region(wholeRegion, lines)
	for way := range l.loads[0].text {
		lines = nil
		for _, r := range l.loads {
			lines = append(lines, r.text[way])
		}
		region(fmt.Sprintf("loads%d", way), lines)
	}
	return b.String()
}

// wholeRegion is the name of the region with all of a loop.
const wholeRegion = "loop"

// readResult reads llvm-mca's JSON on a loop that loads so many bytes in a turn.
func readResult(text string, loaded int) (result, error) {
	var report struct {
		CodeRegions []struct {
			Name        string
			SummaryView struct{ Iterations, TotalCycles, BlockRThroughput float64 }
		}
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		return result{}, fmt.Errorf("llvm-mca's JSON: %w", err)
	}
	var r result
	for _, region := range report.CodeRegions {
		view := region.SummaryView
		each := view.TotalCycles / max(view.Iterations, 1) * 64 / float64(loaded)
		switch {
		case region.Name == wholeRegion:
			r.loop, r.ports = each, view.BlockRThroughput*64/float64(loaded)
		case r.loads == 0 || each < r.loads:
			r.loads = each
		}
	}
	if r.loop == 0 || r.loads == 0 {
		return r, fmt.Errorf("llvm-mca's JSON lacks a region")
	}
	return r, nil
}
