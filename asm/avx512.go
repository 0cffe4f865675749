package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/reducesum/reducesum/kernels"
)

// avx512 has 32 registers of 512 bits and masks for every instruction. K1 is
// the mask of a Partial, or that of a Blend (K2 its complement), K3 that of a
// store or of NaNs. It asks for the foundation with BW, DQ and VL: every such CPU
// since Skylake-X.
type avx512 struct{ *x86 }

func newAVX512(c *build.Context, consts map[string]operand.Mem) Machine {
	return avx512{newX86(c, kernels.AVX512, zmms, consts)}
}

func (m avx512) Strip(t kernels.Type) int                   { return 4 }
func (m avx512) Unroll(t kernels.Type) int                  { return 4 }
func (m avx512) Window(t kernels.Type) (width, spilled int) { return 4, 0 }
func (m avx512) Chunk(t kernels.Type) int                   { return 4 }

func (m avx512) Untangle(t kernels.Type, a, b Vec) {
	var low, high []int
	for i := range 8 {
		low, high = append(low, i, 16+i), append(high, 8+i, 24+i)
	}
	index, w := m.regs.Vec(), m.regs.Vec()
	m.VMOVUPS(m.constant(integers(4, high)), zmms[index])
	m.Pick(t, w, a, b, index)
	m.VMOVUPS(m.constant(integers(4, low)), zmms[index])
	m.Pick(t, a, a, b, index)
	m.VMOVAPS(zmms[w], zmms[b])
	m.regs.Free(index, w)
}

func (m avx512) RoundStore(t kernels.Type, a Addr, v Vec) {
	w := m.regs.Vec()
	m.round(t, w, v)
	m.VMOVUPS(ymms[w], m.mem(a))
	m.regs.Free(w)
}

// round puts the elements to which v is rounded into the low half of dst.
// VCVTNEPS2BF16 would flush subnormals.
func (m avx512) round(t kernels.Type, dst, v Vec) {
	if t == kernels.F16 {
		m.VCVTPS2PH(operand.U8(0), zmms[v], ymms[dst])
		return
	}
	// To nearest even: add 0x7fff, and one more if the lowest bit that stays is
	// set. A NaN would overflow: it keeps its upper half, made quiet.
	broadcast := func(n int) operand.Mem { return m.constant(integers(4, []int{n, n})) }
	w := m.regs.Vec()
	m.VPSRLD(operand.U8(16), zmms[v], zmms[dst])
	m.VPANDD_BCST(broadcast(1), zmms[dst], zmms[dst])
	m.VPADDD_BCST(broadcast(0x7fff), zmms[dst], zmms[dst])
	m.VPADDD(zmms[v], zmms[dst], zmms[dst])
	m.VCMPPS(operand.U8(3), zmms[v], zmms[v], reg.K3)
	m.VPORD_BCST(broadcast(0x400000), zmms[v], zmms[w])
	m.VMOVAPS(zmms[w], reg.K3, zmms[dst])
	m.VPSRLD(operand.U8(16), zmms[dst], zmms[dst])
	m.VPMOVDW(zmms[dst], ymms[dst])
	m.regs.Free(w)
}

func (m avx512) MasksLoads() bool { return true }

func (m avx512) NeedsEnd(t kernels.Type) bool { return false }

// ones sets the low count bits of k.
func (m avx512) ones(count GP, k reg.OpmaskPhysical) {
	g := m.regs.GP()
	m.MOVQ(operand.I32(-1), gps[g])
	m.BZHIQ(gps[count], gps[g], gps[g])
	m.KMOVW(gps[g].As32(), k)
	m.regs.FreeGP(g)
}

func (m avx512) MakePartial(t kernels.Type, count GP, pad bool) Partial {
	p := Partial{Count: count, Pad: noVec, Float: pad && t.Float()}
	m.ones(count, reg.K1)
	if !p.Float {
		return p
	}
	p.Pad = m.regs.Vec()
	if t.Rounded() { // as elements: -0 has the same bits in both 16-bit types
		m.VBROADCASTSS(m.constant(integers(2, repeat(4, 1<<15))), zmms[p.Pad])
		return p
	}
	m.Identity(t, p.Pad)
	return p
}

func (m avx512) FreePartial(p Partial) {
	if p.Float {
		m.regs.Free(p.Pad)
	}
}

func (m avx512) LoadPartial(t kernels.Type, dst Vec, a Addr, p Partial, pad bool, end GP) {
	pad = pad && p.Float
	if pad {
		m.VMOVAPS(zmms[p.Pad], zmms[dst])
	}
	switch {
	case t.Rounded() && pad:
		// A masked conversion from memory may fault on what it masks off.
		m.VMOVDQU16(m.mem(a), reg.K1, ymms[dst])
	case t.Rounded():
		m.VMOVDQU16_Z(m.mem(a), reg.K1, ymms[dst])
	case t.Size() == 4 && pad:
		m.VMOVUPS(m.mem(a), reg.K1, zmms[dst])
	case t.Size() == 4:
		m.VMOVUPS_Z(m.mem(a), reg.K1, zmms[dst])
	case pad:
		m.VMOVUPD(m.mem(a), reg.K1, zmms[dst])
	default:
		m.VMOVUPD_Z(m.mem(a), reg.K1, zmms[dst])
	}
	if t.Rounded() {
		m.widen(t, dst, ymms[dst])
	}
}

func (m avx512) MakeLast(t kernels.Type, count GP) Last {
	return Last{Count: count, Pad: m.MakePartial(t, count, true).Pad}
}

func (m avx512) LoadLast(t kernels.Type, dst Vec, a Addr, l Last) {
	m.LoadPartial(t, dst, a, Partial{Pad: l.Pad, Float: t.Float()}, true, None)
}

func (m avx512) FreeLast(l Last) { m.FreePartial(Partial{Pad: l.Pad, Float: l.Pad != noVec}) }

func (m avx512) StorePartial(t kernels.Type, a Addr, v Vec, count GP) {
	m.ones(count, reg.K3)
	if t.Acc().Size() == 4 {
		m.VMOVUPS(zmms[v], reg.K3, m.mem(a))
		return
	}
	m.VMOVUPD(zmms[v], reg.K3, m.mem(a))
}

func (m avx512) RoundStorePartial(t kernels.Type, a Addr, v Vec, count GP) {
	w := m.regs.Vec()
	m.round(t, w, v)
	m.ones(count, reg.K3)
	m.VMOVDQU16(ymms[w], reg.K3, m.mem(a))
	m.regs.Free(w)
}

func (m avx512) FoldPair(t kernels.Type, dst, a, b Vec, h int) {
	if h*t.Acc().Size() < 16 {
		m.foldWithin(t, dst, a, b, h)
		return
	}
	low, high := 0x44, 0xEE // the halves of each
	if h*t.Acc().Size() == 16 {
		low, high = 0x88, 0xDD // the even and the odd quarters
	}
	w := m.regs.Vec()
	m.VSHUFF32X4(operand.U8(high), zmms[b], zmms[a], zmms[w])
	m.VSHUFF32X4(operand.U8(low), zmms[b], zmms[a], zmms[dst])
	m.AddVec(t, dst, dst, w)
	m.regs.Free(w)
}

func (m avx512) FoldAll(t kernels.Type, v Vec) {
	w := m.regs.Vec()
	m.VEXTRACTF64X4(operand.U8(1), zmms[v], ymms[w])
	m.addOp(t, ymms[w], ymms[v], ymms[v])
	// VEXTRACTF128 has no form for the upper sixteen registers.
	m.VEXTRACTF32X4(operand.U8(1), ymms[v], xmms[w])
	m.addOp(t, xmms[w], xmms[v], xmms[v])
	m.VPERMILPD(operand.U8(1), xmms[v], xmms[w])
	m.addOp(t, xmms[w], xmms[v], xmms[v])
	if t.Acc().Size() == 4 {
		m.VMOVSHDUP(xmms[v], xmms[w])
		m.addOp(t, xmms[w], xmms[v], xmms[v])
	}
	m.regs.Free(w)
}

func (m avx512) Index(t kernels.Type, index []int) Vec {
	v := m.regs.Vec()
	m.VMOVUPS(m.constant(integers(t.Acc().Size(), index)), zmms[v])
	return v
}

func (m avx512) Permute(t kernels.Type, dst, src, index Vec) {
	if t.Acc().Size() == 4 {
		m.VPERMPS(zmms[src], zmms[index], zmms[dst])
		return
	}
	m.VPERMPD(zmms[src], zmms[index], zmms[dst])
}

func (m avx512) CanPick() bool { return true }

func (m avx512) Pick(t kernels.Type, dst, a, b, index Vec) {
	if dst != a {
		m.VMOVAPS(zmms[a], zmms[dst])
	}
	if t.Acc().Size() == 4 {
		m.VPERMT2PS(zmms[b], zmms[index], zmms[dst])
		return
	}
	m.VPERMT2PD(zmms[b], zmms[index], zmms[dst])
}

func (m avx512) Mask(t kernels.Type, keep []bool) Partial {
	p := Partial{Float: t.Float()}
	bits := 0
	for i, k := range keep {
		if k {
			bits |= 1 << i
		}
	}
	g := m.regs.GP()
	m.MoveInt(g, bits)
	m.KMOVW(gps[g].As32(), reg.K1)
	m.KNOTW(reg.K1, reg.K2)
	m.regs.FreeGP(g)
	if p.Float {
		p.Pad = m.regs.Vec()
		m.Identity(t, p.Pad)
	}
	return p
}

func (m avx512) Blend(t kernels.Type, v Vec, p Partial) {
	if !p.Float {
		if t.Acc().Size() == 4 {
			m.VMOVAPS_Z(zmms[v], reg.K1, zmms[v])
		} else {
			m.VMOVAPD_Z(zmms[v], reg.K1, zmms[v])
		}
		return
	}
	if t.Acc().Size() == 4 {
		m.VMOVAPS(zmms[p.Pad], reg.K2, zmms[v])
		return
	}
	m.VMOVAPD(zmms[p.Pad], reg.K2, zmms[v])
}

// CanLoadHalves: rows are expanded by a permutation.
func (m avx512) CanLoadHalves(t kernels.Type) bool { return false }

func (m avx512) LoadHalves(t kernels.Type, dst Vec, a, b Addr) { panic("no halves") }
