package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// unrolled is the number of bytes that one turn of the main loop loads.
const unrolled = 512

// A loop is one way to load memory in order.
type loop struct {
	name     string
	width    int    // bytes of a load: 32 or 64
	hint     string // kind of software prefetch, empty for none
	distance int    // bytes that the prefetch runs ahead
}

// loops are the ways that were worth keeping: 256-bit loads stream better from
// the memory of some CPUs, 512-bit ones from their caches; a prefetch helps
// where the hardware's stops at the end of a page.
var loops = []loop{
	{name: "load256", width: 32},
	{name: "load256t0", width: 32, hint: "t0", distance: 1024},
	{name: "load256nta", width: 32, hint: "nta", distance: 1024},
	{name: "load256far", width: 32, hint: "t0", distance: 4096},
	{name: "load512", width: 64},
	{name: "load512t0", width: 64, hint: "t0", distance: 1024},
	{name: "load512nta", width: 64, hint: "nta", distance: 1024},
	{name: "load512far", width: 64, hint: "t0", distance: 4096},
}

// generate returns the text of the generated files by name.
func generate() (map[string][]byte, error) {
	c := build.NewContext()
	c.ConstraintExpr("!purego,!noasm")
	for _, l := range loops {
		l.emit(c)
	}
	file, err := c.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	return print(file)
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

// emit writes the function func(p *byte, n int), which loads the n bytes at p.
func (l loop) emit(c *build.Context) {
	c.Function(l.name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(p *byte, n int)")
	c.Doc(l.doc())
	c.Pragma("noescape")
	p := c.Load(c.Param("p"), c.GP64()).(reg.GPVirtual)
	n := c.Load(c.Param("n"), c.GP64()).(reg.GPVirtual)

	c.SUBQ(operand.U32(unrolled), n)
	c.JL(operand.LabelRef("rest"))
	c.Label("main")
	for at := 0; at < unrolled; at += l.width {
		if l.hint != "" && at%64 == 0 {
			l.prefetch(c, operand.Mem{Base: p, Disp: at + l.distance})
		}
		l.load(c, l.width, operand.Mem{Base: p, Disp: at})
	}
	c.ADDQ(operand.U32(unrolled), p)
	c.SUBQ(operand.U32(unrolled), n)
	c.JGE(operand.LabelRef("main"))

	c.Label("rest")
	c.ADDQ(operand.U32(unrolled-64), n)
	c.JL(operand.LabelRef("tail"))
	c.Label("line")
	for at := 0; at < 64; at += l.width {
		l.load(c, l.width, operand.Mem{Base: p, Disp: at})
	}
	c.ADDQ(operand.U32(64), p)
	c.SUBQ(operand.U32(64), n)
	c.JGE(operand.LabelRef("line"))

	c.Label("tail") // n + 64 bytes are left: each bit of n is a load of that size
	for _, size := range []int{32, 16, 8, 4, 2, 1} {
		skip := fmt.Sprintf("no%d", size)
		c.TESTQ(operand.U32(size), n)
		c.JZ(operand.LabelRef(skip))
		l.load(c, size, operand.Mem{Base: p})
		c.ADDQ(operand.U32(size), p)
		c.Label(skip)
	}
	c.VZEROUPPER()
	c.RET()
}

func (l loop) doc() string {
	how := "without software prefetch"
	if l.hint != "" {
		how = fmt.Sprintf("with prefetch%s %d bytes ahead", l.hint, l.distance)
	}
	return fmt.Sprintf("%s loads the n bytes at p, %d at a time, %s.", l.name, l.width, how)
}

func (l loop) prefetch(c *build.Context, m operand.Mem) {
	if l.hint == "nta" {
		c.PREFETCHNTA(m)
		return
	}
	c.PREFETCHT0(m)
}

// load loads size bytes into a register that nothing reads.
func (l loop) load(c *build.Context, size int, m operand.Mem) {
	switch size {
	case 64:
		c.VMOVUPS(m, c.ZMM())
	case 32:
		c.VMOVUPS(m, c.YMM())
	case 16:
		c.VMOVUPS(m, c.XMM())
	case 8:
		c.MOVQ(m, c.GP64())
	case 4:
		c.MOVL(m, c.GP32())
	case 2:
		c.MOVWLZX(m, c.GP32())
	default:
		c.MOVBLZX(m, c.GP32())
	}
}
