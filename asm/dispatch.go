package main

import (
	"bytes"
	"fmt"
	"text/template"

	"github.com/reducesum/reducesum/kernels"
)

// The dispatcher is a function for each operation that jumps to the kernel for
// an instruction set and an element type, through a table of their addresses.
// It is assembly for two reasons: a small sum takes as long as its calls, and a
// jump is none; and a call of Go through a variable would make the callers'
// arguments escape to the heap. It changes neither the stack pointer nor the
// return address, so a kernel, which has but one argument, finds it where the
// dispatcher's first one is; a Go function, entered through its wrapper for
// assembly, finds all of them.
//
// Each element type has a table of its own, with an entry for each operation and
// instruction set; those that no kernel serves hold the generic function. The
// dispatcher finds it in the Go variable tables, where the functions of the API put
// the tables of the types that they are compiled for. So a program has only the
// kernels of the types that it sums: the linker leaves out the other tables, and what
// they alone refer to.
const tableWidth = 4

const _ = uint(tableWidth - kernels.NumISAs) // else wider tables

var jumps = map[string]string{
	"amd64": `
	MOVBLZX isa+8(FP), AX
	MOVBLZX t+9(FP), CX
	LEAQ    ·tables(SB), DX
	MOVQ    (DX)(CX*8), CX
	JMP     {{.}}(CX)(AX*8)
`,
	"arm64": `
	MOVBU isa+8(FP), R0
	MOVBU t+9(FP), R1
	MOVD  $·tables(SB), R2
	MOVD  (R2)(R1<<3), R1
	ADD   R0<<3, R1, R0
	MOVD  {{.}}(R0), R1
	JMP   (R1)
`,
}

var addresses = map[string]string{
	"amd64": `
	LEAQ {{.}}Table<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET
`,
	"arm64": `
	MOVD ${{.}}Table<>(SB), R0
	MOVD R0, ret+0(FP)
	RET
`,
}

// dispatcher returns the assembly of an architecture's dispatcher.
func dispatcher(arch string) []byte {
	var b bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("%s\n\n//go:build %s\n\n#include \"textflag.h\"", warning, constraint)
	body := func(bodies map[string]string, data any) {
		if err := template.Must(template.New(arch).Parse(bodies[arch])).Execute(&b, data); err != nil {
			panic(err)
		}
	}
	for op := range kernels.NumOps {
		name := kernels.Ops[op].Name
		p("\n// func %s(a *kernels.%s, isa kernels.ISA, t kernels.Type)", name, kernels.Ops[op].Args)
		fmt.Fprintf(&b, "TEXT ·%s(SB), NOSPLIT|NOFRAME, $0-10", name)
		body(jumps, int(op)*tableWidth*8)
	}
	for t := range kernels.NumTypes {
		p("\n// func table%s() unsafe.Pointer", t)
		fmt.Fprintf(&b, "TEXT ·table%s(SB), NOSPLIT|NOFRAME, $0-8", t)
		body(addresses, "kernels"+t.String())
		p("")
		for op := range kernels.NumOps {
			for isa := range kernels.ISA(tableWidth) {
				p("DATA kernels%sTable<>+%d(SB)/8, $·%s(SB)", t, (int(op)*tableWidth+int(isa))*8, kernelFor(arch, op, t, isa))
			}
		}
		p("GLOBL kernels%sTable<>(SB), RODATA|NOPTR, $%d", t, int(kernels.NumOps)*tableWidth*8)
	}
	return b.Bytes()
}

// kernelFor names what does an operation on an architecture.
func kernelFor(arch string, op kernels.Op, t kernels.Type, isa kernels.ISA) string {
	if isa >= kernels.NumISAs || kernels.ISAs[isa].Arch != arch {
		return generic(op)
	}
	serving, on := kernels.Serving(op, t, isa)
	if on == kernels.Generic {
		return generic(op)
	}
	return kernels.Name(op, serving, on)
}

// generic names the generic function of an operation, one for all types. Blocks
// are rows like others to it.
func generic(op kernels.Op) string {
	if op == kernels.OpBlocks {
		op = kernels.OpRows
	}
	return kernels.Ops[op].Name + kernels.Generic.String()
}
