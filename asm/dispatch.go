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
// assembly, finds all of them. A table has a line of tableWidth entries for each
// instruction set; those that no kernel serves hold the generic function.
const tableWidth = 8

const _ = uint(tableWidth - kernels.NumTypes) // else wider tables, and another scale in jumps

var jumps = map[string]string{
	"amd64": `
	MOVBLZX isa+8(FP), AX
	MOVBLZX t+9(FP), CX
	LEAQ    (CX)(AX*8), AX
	LEAQ    {{.}}Table<>(SB), CX
	JMP     (CX)(AX*8)
`,
	"arm64": `
	MOVBU isa+8(FP), R0
	MOVBU t+9(FP), R1
	ADD   R0<<3, R1, R0
	MOVD  ${{.}}Table<>(SB), R1
	MOVD  (R1)(R0<<3), R1
	JMP   (R1)
`,
}

// dispatcher returns the assembly of an architecture's dispatcher.
func dispatcher(arch string) []byte {
	var b bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("%s\n\n//go:build %s\n\n#include \"textflag.h\"", warning, constraint)
	jump := template.Must(template.New(arch).Parse(jumps[arch]))
	for op := range kernels.NumOps {
		name := kernels.Ops[op].Name
		p("\n// func %s(a *kernels.%s, isa kernels.ISA, t kernels.Type)", name, kernels.Ops[op].Args)
		fmt.Fprintf(&b, "TEXT ·%s(SB), NOSPLIT|NOFRAME, $0-10", name)
		if err := jump.Execute(&b, name); err != nil {
			panic(err)
		}
		p("")
		for isa := range kernels.NumISAs {
			for t := range kernels.Type(tableWidth) {
				p("DATA %sTable<>+%d(SB)/8, $·%s(SB)", name, (int(isa)*tableWidth+int(t))*8, kernelFor(arch, op, t, isa))
			}
		}
		p("GLOBL %sTable<>(SB), RODATA|NOPTR, $%d", name, int(kernels.NumISAs)*tableWidth*8)
	}
	return b.Bytes()
}

// kernelFor names what does an operation on an architecture.
func kernelFor(arch string, op kernels.Op, t kernels.Type, isa kernels.ISA) string {
	if t >= kernels.NumTypes || kernels.ISAs[isa].Arch != arch {
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
