package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/reducesum/reducesum/kernels"
)

var generated = sync.OnceValues(outputs)

// TestGenerated fails when a generated file is not what the generator makes.
func TestGenerated(t *testing.T) {
	files, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Errorf("%v: run go run ./asm at the root", err)
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator makes, from line %d on: run go run ./asm at the root", name, differ(got, want))
		}
	}
}

// differ returns the first line in which a and b differ.
func differ(a, b []byte) int {
	line := 1
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		if a[i] == '\n' {
			line++
		}
	}
	return line
}

// maxAssembly is how many bytes of assembly an architecture may have: what is larger
// nobody reviews, and programs carry it.
const maxAssembly = 1_000_000

// TestSizes prints how large the generated files are, and fails when they outgrow that.
func TestSizes(t *testing.T) {
	files, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		size := len(files[name])
		t.Logf("%-18s %8d bytes", name, size)
		if size > maxAssembly {
			t.Errorf("%s has %d bytes, more than %d", name, size, maxAssembly)
		}
	}
}

// TestTable fails when a kernel of the table is missing in the assembly or in
// the switches.
func TestTable(t *testing.T) {
	files, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	for isa := range kernels.NumISAs {
		if isa == kernels.Generic {
			continue
		}
		arch := kernels.ISAs[isa].Arch
		s, stubs := string(files["kernels_"+arch+".s"]), string(files["kernels_"+arch+".go"])
		table := string(files["dispatch_"+arch+".s"])
		for op := range kernels.NumOps {
			for typ := range kernels.NumTypes {
				if !kernels.Has(op, typ, isa) {
					continue
				}
				name := kernels.Name(op, typ, isa)
				if !strings.Contains(s, "TEXT ·"+name+"(SB)") {
					t.Errorf("no assembly for %s", name)
				}
				if !strings.Contains(stubs, "func "+name+"(") || !strings.Contains(table, "$·"+name+"(SB)") {
					t.Errorf("no declaration or no call of %s", name)
				}
			}
		}
	}
}

// TestCheckFeatures fails when a kernel may use what its level does not promise.
func TestCheckFeatures(t *testing.T) {
	for _, test := range []struct {
		kernel, feature string
		ok              bool
	}{
		{"rowsF32AVX2", "AVX2", true},
		{"rowsF32AVX2", "F16C", true},
		{"rowsF32AVX2", "FMA3", false},
		{"rowsF32AVX2", "AVX512F", false},
		{"rowsF32AVX2", "BMI2", false},
		{"rowsF32AVX512", "AVX512DQ", true},
		{"rowsF32AVX512", "AVX512VNNI", false},
		{"rowsF32", "AVX", false},
	} {
		if err := checkFeatures(test.kernel, []string{test.feature}); (err == nil) != test.ok {
			t.Errorf("checkFeatures(%s, %s) = %v", test.kernel, test.feature, err)
		}
	}
}

// TestFoldOrder fails when folding does not leave each row's sum in the lane
// that foldOrder says.
func TestFoldOrder(t *testing.T) {
	for _, bytes := range []int{16, 32, 64} {
		for _, size := range []int{4, 8} {
			n := bytes / size
			for per := 1; per <= n; per *= 2 {
				seen := map[int]bool{}
				for _, row := range foldOrder(bytes, size, per) {
					seen[row] = true
				}
				if len(seen) != n {
					t.Errorf("%d bytes, size %d, %d rows a vector: %d of %d rows", bytes, size, per, len(seen), n)
				}
			}
		}
	}
}

// TestRegs fails when running out of registers, or giving one back twice, goes
// unnoticed.
func TestRegs(t *testing.T) {
	for name, misuse := range map[string]func(r *Regs){
		"no vector left":     func(r *Regs) { r.Vecs(3) },
		"no general left":    func(r *Regs) { r.GP(); r.GP() },
		"vector given twice": func(r *Regs) { v := r.Vec(); r.Free(v, v) },
		"general, twice":     func(r *Regs) { g := r.GP(); r.FreeGP(g, g) },
		"not given back":     func(r *Regs) { r.Vec(); r.Done() },
	} {
		r := NewRegs([]GP{0}, 2)
		r.Start("kernel")
		func() {
			defer func() {
				if msg, ok := recover().(string); !ok || !strings.HasPrefix(msg, "kernel: ") {
					t.Errorf("%s: %q", name, msg)
				}
			}()
			misuse(r)
		}()
	}
}
