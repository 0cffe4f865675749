package main

import (
	"maps"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// generate returns the text of the generated files by name.
func generate() (map[string][]byte, error) {
	c := build.NewContext()
	c.ConstraintExpr("!purego,!noasm")
	for _, l := range loops() {
		l.emit(c)
	}
	for _, l := range lists() {
		l.emit(c)
	}
	for _, ahead := range []bool{false, true} {
		emitLines(c, ahead)
		emitStride(c, ahead)
	}
	file, err := c.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	files, err := print(file)
	if err == nil {
		maps.Copy(files, generateARM64())
	}
	return files, err
}

func print(file *ir.File) (map[string][]byte, error) {
	config := printer.Config{Argv: []string{"go", "generate"}, Pkg: "limit"}
	text, err := printer.NewGoAsm(config).Print(file)
	if err != nil {
		return nil, err
	}
	stubs, err := printer.NewStubs(config).Print(file)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"loops_amd64.s": text, "stubs_amd64.go": stubs}, nil
}
