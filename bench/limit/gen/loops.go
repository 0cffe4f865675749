package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unrolled is the number of bytes that one turn of the main loop visits.
const unrolled = 512

// A loop is one way to visit memory in order.
type loop struct {
	name     string
	body     body
	hint     string // kind of software prefetch, empty for none
	distance int    // bytes that the prefetch runs ahead
	stores   bool   // a result is stored meanwhile
}

// hints are the kinds of prefetch that were worth keeping: one helps where the
// hardware's stops at the end of a page.
var hints = []struct {
	name, kind string
	distance   int
}{{"", "", 0}, {"t0", "t0", 1024}, {"nta", "nta", 1024}, {"far", "t0", 4096}}

// loops returns the ways that were worth keeping: 256-bit loads stream better
// from the memory of some CPUs, 512-bit ones from their caches.
func loops() []loop {
	var list []loop
	for _, width := range []int{32, 64} {
		for _, h := range hints {
			list = append(list, loop{fmt.Sprintf("load%d%s", 8*width, h.name), body{width: width}, h.kind, h.distance, false})
		}
		for _, h := range hints[:2] {
			for _, widen := range append([]string{""}, widenings...) {
				name := "load"
				if widen != "" {
					name = "widen" + widen + "x"
					list = append(list, loop{fmt.Sprintf("%s%d%s", name, 8*width, h.name), body{width: width, widen: widen}, h.kind, h.distance, false})
				}
				list = append(list, loop{fmt.Sprintf("%s%d%sstore", name, 8*width, h.name), body{width: width, widen: widen}, h.kind, h.distance, true})
			}
		}
	}
	return list
}

// emit writes the function.
func (l loop) emit(c *build.Context) {
	c.Function(l.name)
	c.Attributes(attr.NOSPLIT)
	c.Doc(l.doc()...)
	if l.stores {
		c.SignatureExpr("func(p *byte, n int, q *byte, m int, every int)")
	} else {
		c.SignatureExpr("func(p *byte, n int)")
	}
	c.Pragma("noescape")
	p := c.Load(c.Param("p"), c.GP64()).(reg.GPVirtual)
	n := c.Load(c.Param("n"), c.GP64()).(reg.GPVirtual)
	l.body.start(c)
	if l.stores {
		l.both(c, p, n)
	}
	l.rest(c, p, n)
	c.VZEROUPPER()
	c.RET()
}

// rest visits the n bytes at p.
func (l loop) rest(c *build.Context, p, n reg.GPVirtual) {
	c.SUBQ(operand.U32(unrolled), n)
	c.JL(operand.LabelRef("rest"))
	c.Label("main")
	l.turn(c, p)
	c.SUBQ(operand.U32(unrolled), n)
	c.JGE(operand.LabelRef("main"))

	c.Label("rest")
	c.ADDQ(operand.U32(unrolled-64), n)
	c.JL(operand.LabelRef("tail"))
	c.Label("line")
	l.body.line(operand.Mem{Base: p})
	c.ADDQ(operand.U32(64), p)
	c.SUBQ(operand.U32(64), n)
	c.JGE(operand.LabelRef("line"))

	c.Label("tail")
	tail(c, p, n, "no", func(size int, m operand.Mem) {
		if size > 1 || l.body.widen == "" { // 16-bit elements have no odd byte
			l.body.visit(size, m)
		}
	})
}

// turn visits the next bytes at p.
func (l loop) turn(c *build.Context, p reg.GPVirtual) {
	for at := 0; at < unrolled; at += 64 {
		m := operand.Mem{Base: p, Disp: at}
		if l.hint != "" {
			l.prefetch(c, m.Offset(l.distance))
		}
		l.body.line(m)
	}
	c.ADDQ(operand.U32(unrolled), p)
}

// tail visits the last bytes at p: n + 64 are left, and each bit of n is a visit of that
// size.
func tail(c *build.Context, p, n reg.GPVirtual, label string, visit func(size int, m operand.Mem)) {
	for _, size := range []int{32, 16, 8, 4, 2, 1} {
		skip := fmt.Sprintf("%s%d", label, size)
		c.TESTQ(operand.U32(size), n)
		c.JZ(operand.LabelRef(skip))
		visit(size, operand.Mem{Base: p})
		c.ADDQ(operand.U32(size), p)
		c.Label(skip)
	}
}

// both stores the m bytes at q while it visits the first of those at p, so that
// reading and writing overlap: as many bytes as a turn visits, after every so
// many turns.
func (l loop) both(c *build.Context, p, n reg.GPVirtual) {
	q := c.Load(c.Param("q"), c.GP64()).(reg.GPVirtual)
	m := c.Load(c.Param("m"), c.GP64()).(reg.GPVirtual)
	every := c.Load(c.Param("every"), c.GP64()).(reg.GPVirtual)
	v := l.body.vector(l.body.width)
	c.VXORPS(v.AsX(), v.AsX(), v.AsX())
	left := c.GP64()
	store := func() {
		for at := 0; at < 64; at += l.body.width {
			c.VMOVUPS(v, operand.Mem{Base: q, Disp: at})
		}
		c.ADDQ(operand.U32(64), q)
	}

	c.Label("unit")
	c.CMPQ(m, operand.U32(unrolled))
	c.JL(operand.LabelRef("stores"))
	c.MOVQ(every, left)
	c.Label("turn")
	c.CMPQ(n, operand.U32(unrolled))
	c.JL(operand.LabelRef("stores"))
	l.turn(c, p)
	c.SUBQ(operand.U32(unrolled), n)
	c.DECQ(left)
	c.JNZ(operand.LabelRef("turn"))
	for at := 0; at < unrolled; at += l.body.width {
		c.VMOVUPS(v, operand.Mem{Base: q, Disp: at})
	}
	c.ADDQ(operand.U32(unrolled), q)
	c.SUBQ(operand.U32(unrolled), m)
	c.JMP(operand.LabelRef("unit"))

	c.Label("stores")
	c.SUBQ(operand.U32(64), m)
	c.JL(operand.LabelRef("ends"))
	c.Label("storeLine")
	store()
	c.SUBQ(operand.U32(64), m)
	c.JGE(operand.LabelRef("storeLine"))
	c.Label("ends")
	zero := c.GP64()
	c.XORL(zero.As32(), zero.As32())
	tail(c, q, m, "kept", func(size int, to operand.Mem) {
		switch size {
		case 32:
			c.VMOVUPS(v.AsY(), to)
		case 16:
			c.VMOVUPS(v.AsX(), to)
		case 8:
			c.MOVQ(zero, to)
		case 4:
			c.MOVL(zero.As32(), to)
		case 2:
			c.MOVW(zero.As16(), to)
		default:
			c.MOVB(zero.As8(), to)
		}
	})
}

func (l loop) doc() []string {
	do := "loads"
	if l.body.widen != "" {
		do = "widens and adds"
	}
	how := "without software prefetch"
	if l.hint != "" {
		how = fmt.Sprintf("with prefetch%s %d bytes ahead", l.hint, l.distance)
	}
	doc := []string{fmt.Sprintf("%s %s the n bytes at p, %d at a time, %s.", l.name, do, l.body.width, how)}
	if l.stores {
		doc = append(doc, fmt.Sprintf("Meanwhile it stores the m bytes at q, %d after %d times every loaded ones.", unrolled, unrolled))
	}
	return doc
}

func (l loop) prefetch(c *build.Context, m operand.Mem) {
	if l.hint == "nta" {
		c.PREFETCHNTA(m)
		return
	}
	c.PREFETCHT0(m)
}
