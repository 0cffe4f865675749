package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"

	"github.com/reducesum/reducesum/kernels"
)

// avx2 has sixteen registers of 256 bits, masked loads of 32- and 64-bit
// elements, and conversions of float16 (F16C).
type avx2 struct{ *x86 }

func newAVX2(c *build.Context, consts map[string]operand.Mem) Machine {
	return avx2{newX86(c, kernels.AVX2, ymms[:16], consts)}
}

func (m avx2) Strip(t kernels.Type) int  { return 4 }
func (m avx2) Unroll(t kernels.Type) int { return 4 }

// A type that is converted takes a register more for each load, pairs three.
func (m avx2) Window(t kernels.Type) (width, spilled int) {
	switch {
	case m.LoadsPairs(t):
		return 4, 4
	case t.Rounded():
		return 4, 2
	}
	return 4, 1
}

func (m avx2) Chunk(t kernels.Type) int {
	switch {
	case m.LoadsPairs(t):
		return 2
	case t.Rounded():
		return 1
	}
	return 4
}

func (m avx2) Untangle(t kernels.Type, a, b Vec) {
	w := m.regs.Vec()
	m.VUNPCKHPS(ymms[b], ymms[a], ymms[w])
	m.VUNPCKLPS(ymms[b], ymms[a], ymms[a])
	m.VPERM2F128(operand.U8(0x31), ymms[w], ymms[a], ymms[b])
	m.VINSERTF128(operand.U8(1), xmms[w], ymms[a], ymms[a])
	m.regs.Free(w)
}

func (m avx2) RoundStore(t kernels.Type, a Addr, v Vec) {
	w := m.regs.Vec()
	m.round(t, w, v)
	m.VMOVUPS(xmms[w], m.mem(a))
	m.regs.Free(w)
}

// round puts the elements to which v is rounded into the low half of dst.
func (m avx2) round(t kernels.Type, dst, v Vec) {
	if t == kernels.F16 {
		m.VCVTPS2PH(operand.U8(0), ymms[v], xmms[dst])
		return
	}
	// To nearest even: add 0x7fff, and one more if the lowest bit that stays is
	// set. A NaN would overflow: it keeps its upper half, made quiet.
	one := m.constant(integers(4, repeat(8, 1)))
	half := m.constant(integers(4, repeat(8, 0x7fff)))
	quiet := m.constant(integers(4, repeat(8, 0x400000)))
	w := m.regs.Vec()
	m.VPSRLD(operand.U8(16), ymms[v], ymms[dst])
	m.VPAND(one, ymms[dst], ymms[dst])
	m.VPADDD(half, ymms[dst], ymms[dst])
	m.VPADDD(ymms[v], ymms[dst], ymms[dst])
	nan := m.regs.Vec()
	m.VCMPPS(operand.U8(3), ymms[v], ymms[v], ymms[nan])
	m.VPOR(quiet, ymms[v], ymms[w])
	m.VBLENDVPS(ymms[nan], ymms[w], ymms[dst], ymms[dst])
	m.VPSRLD(operand.U8(16), ymms[dst], ymms[dst])
	m.VEXTRACTI128(operand.U8(1), ymms[dst], xmms[w])
	m.VPACKUSDW(xmms[w], xmms[dst], xmms[dst])
	m.regs.Free(w, nan)
}

func (m avx2) MasksLoads() bool { return false }

func (m avx2) NeedsEnd(t kernels.Type) bool { return t.Rounded() }

// MakePartial takes the mask from a window of a table of ones followed by zeros.
func (m avx2) MakePartial(t kernels.Type, count GP, pad bool) Partial {
	p := Partial{Count: count, Keep: m.regs.Vec(), Float: pad && t.Float()}
	size, n := t.Acc().Size(), lanes(m, t)
	at, table := m.regs.GP(), m.regs.GP()
	m.Move(at, count)
	m.ShiftLeft(at, log2(size))
	m.LEAQ(m.constant(integers(size, append(repeat(n, -1), repeat(n, 0)...))), gps[table])
	m.Sub(table, at)
	m.VMOVUPS(m.mem(At(table, m.bytes)), ymms[p.Keep])
	m.regs.FreeGP(at, table)
	m.pad(t, &p)
	return p
}

// pad makes what absent lanes become.
func (m avx2) pad(t kernels.Type, p *Partial) {
	if p.Float {
		p.Pad = m.regs.Vec()
		m.Identity(t, p.Pad)
	}
}

func (m avx2) FreePartial(p Partial) {
	if p.Keep != noVec {
		m.regs.Free(p.Keep)
	}
	if p.Float {
		m.regs.Free(p.Pad)
	}
}

func (m avx2) LoadPartial(t kernels.Type, dst Vec, a Addr, p Partial, pad bool, end GP) {
	switch {
	case t.Rounded() && end == Inside:
		m.Load(t, dst, a)
	case t.Rounded():
		m.loadPartial16(t, dst, a, p, end)
	case t.Size() == 4:
		m.VMASKMOVPS(m.mem(a), ymms[p.Keep], ymms[dst])
	default:
		m.VMASKMOVPD(m.mem(a), ymms[p.Keep], ymms[dst])
	}
	if pad && p.Float {
		m.Blend(t, dst, p)
	}
}

// loadPartial16 loads less than eight 16-bit elements: as eight where these
// lie before end, else piece by piece, the last ones first.
func (m avx2) loadPartial16(t kernels.Type, dst Vec, a Addr, p Partial, end GP) {
	exact, done := m.newLabel("exact"), m.newLabel("loaded")
	if end != None {
		g := m.regs.GP()
		m.Lea(g, a.Plus(16))
		m.JumpIf(Above, g, end, exact)
		m.regs.FreeGP(g)
		m.Load(t, dst, a)
		m.Jump(done)
	}
	m.Label(exact)
	bits, at, x := m.regs.GP(), m.regs.GP(), m.regs.GP()
	no1, no2, no4 := m.newLabel("no1of"), m.newLabel("no2of"), m.newLabel("no4of")
	m.Lea(at, a)
	m.XORL(gps[x].As32(), gps[x].As32())
	m.TESTB(operand.U8(1), gps[p.Count].As8())
	m.JEQ(operand.LabelRef(no1))
	m.MOVWLZX(operand.Mem{Base: gps[at], Index: gps[p.Count], Scale: 2, Disp: -2}, gps[x].As32())
	m.Label(no1)
	m.TESTB(operand.U8(2), gps[p.Count].As8())
	m.JEQ(operand.LabelRef(no2))
	m.SHLQ(operand.U8(32), gps[x])
	m.MOVL(gps[p.Count].As32(), gps[bits].As32())
	m.ANDL(operand.U8(4), gps[bits].As32())
	m.MOVL(operand.Mem{Base: gps[at], Index: gps[bits], Scale: 2}, gps[bits].As32())
	m.ORQ(gps[bits], gps[x])
	m.Label(no2)
	m.VMOVQ(gps[x], xmms[dst])
	m.TESTB(operand.U8(4), gps[p.Count].As8())
	m.JEQ(operand.LabelRef(no4))
	m.VMOVQ(operand.Mem{Base: gps[at]}, xmms[dst])
	m.VPINSRQ(operand.U8(1), gps[x], xmms[dst], xmms[dst])
	m.Label(no4)
	m.widen(t, dst, xmms[dst])
	m.regs.FreeGP(bits, at, x)
	m.Label(done)
}

// MakeLast finds the place in tables of masks and of what absent elements become.
// 16-bit elements have no masked loads: the eight that end with the row are loaded, and
// moved down by a shuffle whose indexes beyond them give zeros.
func (m avx2) MakeLast(t kernels.Type, count GP) Last {
	n, absent := lanes(m, t), negZero(t)
	table := integers(t.Size(), append(repeat(n, -1), repeat(n, 0)...))
	if t.Rounded() {
		absent = 1 << 15
		for i := range n * t.Size() {
			table[i] = byte(i)
			table[n*t.Size()+i] = 0x80
		}
	}
	if t.Float() {
		table = append(table, integers(t.Size(), append(repeat(n, 0), repeat(n, absent)...))...)
	}
	l := Last{Count: count, Table: m.regs.GP(), Keep: noVec, Pad: noVec}
	at := m.regs.GP()
	m.Move(at, count)
	m.ShiftLeft(at, log2(t.Size()))
	m.LEAQ(m.constant(table), gps[l.Table])
	m.Sub(l.Table, at)
	m.regs.FreeGP(at)
	if t.Rounded() {
		return l
	}
	m.regs.FreeGP(l.Table)
	l.Keep = m.regs.Vec()
	m.VMOVUPS(m.mem(At(l.Table, m.bytes)), ymms[l.Keep])
	if t.Float() {
		l.Pad = m.regs.Vec()
		m.VMOVUPS(m.mem(At(l.Table, 3*m.bytes)), ymms[l.Pad])
	}
	l.Table = None
	return l
}

func (m avx2) LoadLast(t kernels.Type, dst Vec, a Addr, l Last) {
	switch {
	case t.Rounded():
		loaded := m.loaded(t)
		if a.Index != None {
			at := m.regs.GP()
			m.Lea(at, a)
			m.regs.FreeGP(at)
			a = At(at, 0)
		}
		o := m.mem(a.Plus(-loaded))
		o.Index, o.Scale = gps[l.Count], uint8(t.Size())
		m.VMOVUPS(o, xmms[dst])
		m.VPSHUFB(m.mem(At(l.Table, loaded)), xmms[dst], xmms[dst])
		m.VORPS(m.mem(At(l.Table, 3*loaded)), xmms[dst], xmms[dst])
		m.widen(t, dst, xmms[dst])
		return
	case t.Size() == 4:
		m.VMASKMOVPS(m.mem(a), ymms[l.Keep], ymms[dst])
	default:
		m.VMASKMOVPD(m.mem(a), ymms[l.Keep], ymms[dst])
	}
	if t.Float() {
		m.VORPS(ymms[l.Pad], ymms[dst], ymms[dst])
	}
}

func (m avx2) FreeLast(l Last) {
	if l.Table != None {
		m.regs.FreeGP(l.Table)
	}
	for _, v := range []Vec{l.Keep, l.Pad} {
		if v != noVec {
			m.regs.Free(v)
		}
	}
}

// StorePartial stores four, two and one 32-bit accumulators, or two and one
// of 64 bits: masked stores are slow on many CPUs.
func (m avx2) StorePartial(t kernels.Type, a Addr, v Vec, count GP) {
	at := m.regs.GP()
	m.Lea(at, a)
	half := 16 / t.Acc().Size()
	skip := m.newLabel("nohalf")
	m.TESTB(operand.U8(half), gps[count].As8())
	m.JEQ(operand.LabelRef(skip))
	m.VMOVUPS(xmms[v], m.mem(At(at, 0)))
	m.AddInt(at, 16)
	m.VEXTRACTF128(operand.U8(1), ymms[v], xmms[v])
	m.Label(skip)
	if t.Acc().Size() == 4 {
		skip = m.newLabel("nopair")
		m.TESTB(operand.U8(2), gps[count].As8())
		m.JEQ(operand.LabelRef(skip))
		m.VMOVSD(xmms[v], m.mem(At(at, 0)))
		m.AddInt(at, 8)
		m.VPERMILPD(operand.U8(1), xmms[v], xmms[v])
		m.Label(skip)
	}
	skip = m.newLabel("noone")
	m.TESTB(operand.U8(1), gps[count].As8())
	m.JEQ(operand.LabelRef(skip))
	m.StoreFirst(t, At(at, 0), v)
	m.Label(skip)
	m.regs.FreeGP(at)
}

func (m avx2) RoundStorePartial(t kernels.Type, a Addr, v Vec, count GP) {
	w, at := m.regs.Vec(), m.regs.GP()
	m.round(t, w, v)
	m.Lea(at, a)
	for _, n := range []int{4, 2, 1} {
		skip := m.newLabel("skip")
		m.TESTB(operand.U8(n), gps[count].As8())
		m.JEQ(operand.LabelRef(skip))
		switch n {
		case 4:
			m.VMOVQ(xmms[w], m.mem(At(at, 0)))
		case 2:
			m.VMOVD(xmms[w], m.mem(At(at, 0)))
		case 1:
			m.VPEXTRW(operand.U8(0), xmms[w], m.mem(At(at, 0)))
		}
		m.VPSRLDQ(operand.U8(2*n), xmms[w], xmms[w])
		m.AddInt(at, 2*n)
		m.Label(skip)
	}
	m.regs.Free(w)
	m.regs.FreeGP(at)
}

// FoldPair takes one shuffle where the lower summands of a and the upper ones
// of b may stay where they are: which summand is the left one does not matter.
func (m avx2) FoldPair(t kernels.Type, dst, a, b Vec, h int) {
	w := m.regs.Vec()
	switch h * t.Acc().Size() {
	case 16:
		m.VPERM2F128(operand.U8(0x21), ymms[b], ymms[a], ymms[w])
		m.VBLENDPS(operand.U8(0xF0), ymms[b], ymms[a], ymms[dst])
	case 8:
		m.VSHUFPD(operand.U8(0x5), ymms[b], ymms[a], ymms[w])
		m.VBLENDPS(operand.U8(0xCC), ymms[b], ymms[a], ymms[dst])
	default:
		m.regs.Free(w)
		m.foldWithin(t, dst, a, b, h)
		return
	}
	m.AddVec(t, dst, dst, w)
	m.regs.Free(w)
}

func (m avx2) FoldAll(t kernels.Type, v Vec) { m.foldLow(t, v) }

// Index and Permute work on 32-bit lanes; an index of 64-bit ones becomes two.
func (m avx2) Index(t kernels.Type, index []int) Vec {
	v := m.regs.Vec()
	k := t.Acc().Size() / 4
	var index32 []int
	for _, i := range index {
		for j := range k {
			index32 = append(index32, i*k+j)
		}
	}
	m.VMOVUPS(m.constant(integers(4, index32)), ymms[v])
	return v
}

func (m avx2) Permute(t kernels.Type, dst, src, index Vec) {
	m.VPERMPS(ymms[src], ymms[index], ymms[dst])
}

// Mask leaves the lanes to the instruction that blends.
func (m avx2) Mask(t kernels.Type, keep []bool) Partial {
	p := Partial{Keep: noVec, Known: keep, Float: t.Float()}
	m.pad(t, &p)
	return p
}

func (m avx2) Blend(t kernels.Type, v Vec, p Partial) {
	pad := p.Pad
	if !p.Float {
		pad = m.regs.Vec()
		m.VPXOR(ymms[pad], ymms[pad], ymms[pad])
		defer m.regs.Free(pad)
	}
	if p.Known == nil {
		m.VBLENDVPS(ymms[p.Keep], ymms[v], ymms[pad], ymms[v])
		return
	}
	absent := 0 // of 32 bits each
	for i := range 8 {
		if !p.Known[i*len(p.Known)/8] {
			absent |= 1 << i
		}
	}
	m.VBLENDPS(operand.U8(uint8(absent)), ymms[pad], ymms[v], ymms[v])
}

// CanLoadHalves: not what is converted.
func (m avx2) CanLoadHalves(t kernels.Type) bool { return !t.Rounded() }

func (m avx2) LoadHalves(t kernels.Type, dst Vec, a, b Addr) {
	w := m.regs.Vec()
	m.Load(t, dst, a)
	m.Load(t, w, b.Plus(-16))
	m.VBLENDPS(operand.U8(0xF0), ymms[w], ymms[dst], ymms[dst])
	m.regs.Free(w)
}

func (m avx2) CanPick() bool { return false }

func (m avx2) Pick(t kernels.Type, dst, a, b, index Vec) { panic("no two sources") }
