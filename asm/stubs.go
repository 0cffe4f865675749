package main

import (
	"bytes"
	"fmt"
	"go/format"

	"github.com/reducesum/reducesum/kernels"
)

// architectures that have assembly.
var architectures = []string{"amd64", "arm64"}

// stubs returns the Go declarations of an architecture's kernels and of the
// [dispatcher] that jumps to them; for no architecture, a dispatcher that always
// calls the generic ones.
func stubs(arch string) []byte {
	var b bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("%s\n", warning)
	if arch == "" {
		p("//go:build %s\n", noAssembly())
	} else {
		p("//go:build %s\n", constraint)
	}
	p("package reducesum\n\nimport (\n\"unsafe\"\n\n\"github.com/reducesum/reducesum/kernels\"\n)\n")
	var isas []kernels.ISA
	for isa := kernels.NumISAs - 1; isa > kernels.Generic; isa-- { // best first
		if arch != "" && kernels.ISAs[isa].Arch == arch {
			isas = append(isas, isa)
		}
	}
	p("// assembled are the instruction sets that kernels were generated for, best first.")
	p("var assembled = []kernels.ISA{")
	for _, isa := range isas {
		p("kernels.%s,", isa)
	}
	p("}\n")
	for op := range kernels.NumOps {
		o := kernels.Ops[op]
		p("// %s %s.", o.Name, o.Doc)
		signature := fmt.Sprintf("func %s(a *kernels.%s, isa kernels.ISA, t kernels.Type)", o.Name, o.Args)
		if len(isas) > 0 {
			p("//\n//go:noescape\n%s\n", signature)
		} else {
			p("%s {\n%s(a, isa, t)\n}\n", signature, generic(op))
		}
	}
	for t := range kernels.NumTypes {
		if len(isas) > 0 {
			p("// table%s is where the kernels of %s are.\nfunc table%s() unsafe.Pointer\n", t, t, t)
		} else {
			p("func table%s() unsafe.Pointer { return noTable }\n", t)
		}
	}
	if len(isas) == 0 {
		p("// noTable stands for the tables of kernels, of which there are none.\nvar noTable = unsafe.Pointer(&assembled)")
	}
	if len(isas) > 0 {
		p("// Nobody calls the kernels, but with these declarations the runtime knows the pointers among their arguments, where a")
		p("// kernel asks for more stack.\n")
	}
	for _, isa := range isas {
		for op := range kernels.NumOps {
			eachType(op, isa, func(t kernels.Type) {
				p("//go:noescape\nfunc %s(a *kernels.%s)\n", kernels.Name(op, t, isa), kernels.Ops[op].Args)
				if op == kernels.OpSum {
					p("//go:noescape\nfunc %s(a *kernels.%s)\n", longName(t, isa), kernels.Ops[op].Args)
				}
			})
		}
	}
	out, err := format.Source(b.Bytes())
	if err != nil {
		panic(err)
	}
	return out
}

func eachType(op kernels.Op, isa kernels.ISA, f func(t kernels.Type)) {
	for t := range kernels.NumTypes {
		if kernels.Has(op, t, isa) {
			f(t)
		}
	}
}

// noAssembly is the build constraint under which there is no assembly.
func noAssembly() string {
	c := "purego || noasm || !("
	for i, arch := range architectures {
		if i > 0 {
			c += " || "
		}
		c += arch
	}
	return c + ")"
}
