package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A list is one way to visit runs of cache lines: all of each line.
type list struct {
	name  string
	body  body
	ahead bool // with prefetch
}

// lists returns the ways to visit runs.
func lists() []list {
	var all []list
	for _, width := range []int{32, 64} {
		for _, widen := range append([]string{""}, widenings...) {
			name := "runs"
			if widen != "" {
				name = "runs" + widen + "x"
			}
			all = append(all,
				list{fmt.Sprintf("%s%d", name, 8*width), body{width: width, widen: widen}, false},
				list{fmt.Sprintf("%s%dahead", name, 8*width), body{width: width, widen: widen}, true})
		}
	}
	return all
}

// emit writes the function.
func (l list) emit(c *build.Context) {
	c.Function(l.name)
	c.Attributes(attr.NOSPLIT)
	do := "loads"
	if l.body.widen != "" {
		do = "widens and adds"
	}
	doc := []string{fmt.Sprintf("%s %s the n runs at list, %d bytes at a time.", l.name, do, l.body.width)}
	if l.ahead {
		doc = append(doc, "With each line it prefetches that of the run which is ahead bytes on in the list.")
		c.SignatureExpr("func(base *byte, list *uint64, n int, ahead int)")
	} else {
		c.SignatureExpr("func(base *byte, list *uint64, n int)")
	}
	c.Doc(doc...)
	c.Pragma("noescape")
	base := c.Load(c.Param("base"), c.GP64()).(reg.GPVirtual)
	at := c.Load(c.Param("list"), c.GP64()).(reg.GPVirtual)
	n := c.Load(c.Param("n"), c.GP64()).(reg.GPVirtual)
	p, lines, next, ahead := c.GP64(), c.GP64(), c.GP64(), c.GP64()
	if l.ahead {
		ahead = c.Load(c.Param("ahead"), c.GP64()).(reg.GPVirtual)
	}
	l.body.start(c)

	c.Label("run")
	address(c, base, operand.Mem{Base: at}, p)
	c.MOVL(operand.Mem{Base: at, Disp: 4}, lines.As32())
	if l.ahead {
		address(c, base, operand.Mem{Base: at, Index: ahead, Scale: 1}, next)
	}
	c.ADDQ(operand.U32(8), at)
	c.SUBQ(operand.U32(4), lines)
	c.JL(operand.LabelRef("few"))
	c.Label("four")
	l.lines(c, p, next, 4)
	c.SUBQ(operand.U32(4), lines)
	c.JGE(operand.LabelRef("four"))
	c.Label("few")
	c.ADDQ(operand.U32(4), lines)
	c.JZ(operand.LabelRef("done"))
	c.Label("one")
	l.lines(c, p, next, 1)
	c.DECQ(lines)
	c.JNZ(operand.LabelRef("one"))
	c.Label("done")
	c.DECQ(n)
	c.JNZ(operand.LabelRef("run"))
	c.VZEROUPPER()
	c.RET()
}

// address loads the address of the run that m describes.
func address(c *build.Context, base reg.GPVirtual, m operand.Mem, p reg.GPVirtual) {
	c.MOVL(m, p.As32())
	c.SHLQ(operand.U8(6), p)
	c.ADDQ(base, p)
}

// lines visits the next n lines of a run.
func (l list) lines(c *build.Context, p, next reg.GPVirtual, n int) {
	for at := 0; at < n*64; at += 64 {
		if l.ahead {
			c.PREFETCHT0(operand.Mem{Base: next, Disp: at})
		}
		l.body.line(operand.Mem{Base: p, Disp: at})
	}
	c.ADDQ(operand.U32(n*64), p)
	if l.ahead {
		c.ADDQ(operand.U32(n*64), next)
	}
}

// unrolledLines is the number of lines that lie apart which a turn loads.
const unrolledLines = 8

// emitLines writes the functions that load a byte of each line: of those in a
// list, or of lines at the same distance.
func emitLines(c *build.Context, ahead bool) {
	signature, doc := "func(base *byte, list *uint64, n int)", []string{"lines loads a byte of the first line of the n runs at list."}
	name := "lines"
	if ahead {
		signature, name = "func(base *byte, list *uint64, n int, ahead int)", "linesahead"
		doc = []string{"linesahead loads a byte of the first line of the n runs at list, and prefetches",
			"that of the run which is ahead bytes on."}
	}
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr(signature)
	c.Doc(doc...)
	c.Pragma("noescape")
	base := c.Load(c.Param("base"), c.GP64()).(reg.GPVirtual)
	at := c.Load(c.Param("list"), c.GP64()).(reg.GPVirtual)
	n := c.Load(c.Param("n"), c.GP64()).(reg.GPVirtual)
	far := c.GP64()
	if ahead {
		far = c.Load(c.Param("ahead"), c.GP64()).(reg.GPVirtual)
	}
	one := func(disp int) {
		p := c.GP64()
		if ahead {
			next := c.GP64()
			c.MOVL(operand.Mem{Base: at, Index: far, Scale: 1, Disp: disp}, next.As32())
			c.SHLQ(operand.U8(6), next)
			c.PREFETCHT0(operand.Mem{Base: base, Index: next, Scale: 1})
		}
		c.MOVL(operand.Mem{Base: at, Disp: disp}, p.As32())
		c.SHLQ(operand.U8(6), p)
		c.MOVBLZX(operand.Mem{Base: base, Index: p, Scale: 1}, c.GP32())
	}
	countdown(c, n, func() {
		for i := range unrolledLines {
			one(8 * i)
		}
		c.ADDQ(operand.U32(8*unrolledLines), at)
	}, func() {
		one(0)
		c.ADDQ(operand.U32(8), at)
	})
	c.RET()
}

// emitStride writes the functions that load a byte of each of n lines that lie
// stride bytes apart.
func emitStride(c *build.Context, ahead bool) {
	signature, doc := "func(p *byte, stride int, n int)", []string{"stride loads n bytes, the first at p, that lie stride bytes apart."}
	name := "stride"
	if ahead {
		signature, name = "func(p *byte, stride int, n int, ahead int)", "strideahead"
		doc = []string{"strideahead loads n bytes, the first at p, that lie stride bytes apart, and",
			"prefetches what is ahead bytes on."}
	}
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr(signature)
	c.Doc(doc...)
	c.Pragma("noescape")
	p := c.Load(c.Param("p"), c.GP64()).(reg.GPVirtual)
	stride := c.Load(c.Param("stride"), c.GP64()).(reg.GPVirtual)
	n := c.Load(c.Param("n"), c.GP64()).(reg.GPVirtual)
	far := c.GP64()
	if ahead {
		far = c.Load(c.Param("ahead"), c.GP64()).(reg.GPVirtual)
	}
	one := func() {
		if ahead {
			c.PREFETCHT0(operand.Mem{Base: p, Index: far, Scale: 1})
		}
		c.MOVBLZX(operand.Mem{Base: p}, c.GP32())
		c.ADDQ(stride, p)
	}
	countdown(c, n, func() {
		for range unrolledLines {
			one()
		}
	}, one)
	c.RET()
}

// countdown calls many for every eight of n, then one for each that is left.
func countdown(c *build.Context, n reg.GPVirtual, many, one func()) {
	c.SUBQ(operand.U32(unrolledLines), n)
	c.JL(operand.LabelRef("rest"))
	c.Label("main")
	many()
	c.SUBQ(operand.U32(unrolledLines), n)
	c.JGE(operand.LabelRef("main"))
	c.Label("rest")
	c.ADDQ(operand.U32(unrolledLines), n)
	c.JZ(operand.LabelRef("done"))
	c.Label("one")
	one()
	c.DECQ(n)
	c.JNZ(operand.LabelRef("one"))
	c.Label("done")
}
