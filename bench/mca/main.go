// Command mca shows on paper how fast the loops of the kernels run: it builds
// them, takes their loops from the machine code, and lets llvm-mca simulate each
// on a list of CPUs. Beside the cycles for 64 bytes of data it prints those of
// the loads alone, which no loop over the same data can beat.
//
//	go run ./bench/mca                                 float32 and float64, blocks and columns
//	go run ./bench/mca -kernel 'rows.*NEON' -min 128
//	go run ./bench/mca -cpu neoverse-n2 -print
//
// It needs the tools llvm-mca and llvm-objdump (Debian: apt-get install llvm-19;
// the one without a number is too old for some of the CPUs). llvm-mca knows
// nothing of caches, and takes a loop as straight: of two ways around a condition
// it counts both.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// An arch is an architecture with kernels, and the CPUs to simulate.
type arch struct {
	name   string // Go's
	triple string // LLVM's
	cpus   []string
	loads  func(instruction) load
}

// The CPUs of each architecture, in LLVM's names.
var arches = []arch{
	{"amd64", "x86_64", []string{"skylake-avx512", "icelake-server", "sapphirerapids", "znver3", "znver4"}, loadX86},
	{"arm64", "aarch64", []string{"neoverse-n1", "neoverse-v1", "apple-m1"}, loadARM},
}

type options struct {
	kernel *regexp.Regexp
	cpus   []string // none: those of the architecture
	arch   string   // empty: all
	min    int      // bytes that a loop must load in a turn to be of interest
	print  bool     // the instructions too
	pkg    string
}

func main() {
	var o options
	kernel := flag.String("kernel", `^(blocks|cols)F(32|64)`, "take the kernels whose name matches this `pattern`")
	cpus := flag.String("cpu", "", "CPUs in LLVM's names, separated by commas (default several of each architecture)")
	flag.StringVar(&o.arch, "arch", "", "amd64 or arm64 (default both)")
	flag.IntVar(&o.min, "min", 512, "leave out loops that load less than so many `bytes` in a turn")
	flag.BoolVar(&o.print, "print", false, "print the instructions of the loops too")
	flag.StringVar(&o.pkg, "pkg", "github.com/reducesum/reducesum", "the package with the kernels")
	flag.Parse()
	if err := start(&o, *kernel, *cpus); err != nil {
		fmt.Fprintln(os.Stderr, "mca:", err)
		os.Exit(1)
	}
}

func start(o *options, kernel, cpus string) error {
	var err error
	if o.kernel, err = regexp.Compile(kernel); err != nil {
		return fmt.Errorf("-kernel: %w", err)
	}
	if cpus != "" {
		o.cpus = strings.Split(cpus, ",")
	}
	t, err := findTools()
	if err != nil {
		return err
	}
	found := false
	for _, a := range arches {
		if o.arch != "" && o.arch != a.name {
			continue
		}
		found = true
		if err := o.run(t, a); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	if !found {
		return fmt.Errorf("-arch %q: want amd64 or arm64", o.arch)
	}
	return nil
}

// run simulates the loops of one architecture and prints a table.
func (o *options) run(t tools, a arch) error {
	folder, err := os.MkdirTemp("", "mca")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	binary := filepath.Join(folder, "kernels.test")
	if err := build(a.name, o.pkg, binary); err != nil {
		return err
	}
	text, err := t.disassemble(binary)
	if err != nil {
		return err
	}
	functions, err := parseDump(text, o.pkg, o.kernel)
	if err != nil {
		return err
	}
	var loops []loop
	for _, f := range functions {
		loops = append(loops, findLoops(f, a.loads, o.min)...)
	}
	if len(loops) == 0 {
		fmt.Printf("%s: no kernel matches %s with a loop of %d bytes or more\n\n", a.name, o.kernel, o.min)
		return nil
	}
	cpus := a.cpus
	if o.cpus != nil {
		cpus = o.cpus
	}
	results := make(map[string][]result)
	for _, cpu := range cpus {
		if results[cpu], err = t.simulate(a, cpu, loops); err != nil {
			return err
		}
	}
	writeTable(os.Stdout, cpus, loops, results)
	if o.print {
		writeLoops(os.Stdout, loops)
	}
	return nil
}
