package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/reducesum/reducesum/kernels"
)

// x86 is what AVX2 and AVX-512 have in common: the general-purpose
// instructions, constants, and the vector instructions that are spelled the
// same for 256 and 512 bits.
type x86 struct {
	*build.Context
	isa    kernels.ISA
	regs   *Regs
	vec    []reg.VecPhysical // the vector registers, whole
	consts map[string]operand.Mem
	bytes  int
	labels int
	kept   Vec // what Keep keeps
}

// gps are the general-purpose registers in allocation order: all but the stack
// pointer, the frame pointer, and R15, which dynamic linking uses.
var gps = []reg.GPPhysical{
	reg.RAX, reg.RCX, reg.RDX, reg.RBX, reg.RSI, reg.RDI, reg.R8, reg.R9,
	reg.R10, reg.R11, reg.R12, reg.R13, reg.R14,
}

var (
	xmms = []reg.VecPhysical{
		reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
		reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
		reg.X16, reg.X17, reg.X18, reg.X19, reg.X20, reg.X21, reg.X22, reg.X23,
		reg.X24, reg.X25, reg.X26, reg.X27, reg.X28, reg.X29, reg.X30, reg.X31,
	}
	ymms = []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
		reg.Y16, reg.Y17, reg.Y18, reg.Y19, reg.Y20, reg.Y21, reg.Y22, reg.Y23,
		reg.Y24, reg.Y25, reg.Y26, reg.Y27, reg.Y28, reg.Y29, reg.Y30, reg.Y31,
	}
	zmms = []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	}
)

func newX86(c *build.Context, isa kernels.ISA, vec []reg.VecPhysical, consts map[string]operand.Mem) *x86 {
	var g []GP
	for i := range gps {
		g = append(g, GP(i))
	}
	return &x86{Context: c, isa: isa, regs: NewRegs(g, len(vec)), vec: vec, consts: consts, bytes: int(vec[0].Size()), kept: noVec}
}

func (m *x86) ISA() kernels.ISA { return m.isa }
func (m *x86) VecBytes() int    { return m.bytes }
func (m *x86) Regs() *Regs      { return m.regs }

func (m *x86) Begin(name, args string) GP {
	m.regs.Start(name)
	m.labels = 0
	m.Function(name)
	m.SignatureExpr("func(a *byte)")
	m.Pragma("noescape")
	a := m.regs.GP()
	m.Context.Load(m.Param("a"), gps[a])
	return a
}

// newLabel returns a label that the function does not have yet.
func (m *x86) newLabel(name string) string {
	m.labels++
	return fmt.Sprintf("%s_%d", name, m.labels)
}

func (m *x86) Return() {
	m.VZEROUPPER()
	m.RET()
}

func (m *x86) End() {
	m.Return()
	m.regs.Done()
}

func (m *x86) TailCall(name string) {
	to := operand.Mem{Symbol: operand.Symbol{Name: "·" + name}, Base: reg.StaticBase}
	m.Instruction(&ir.Instruction{Opcode: "JMP", Operands: []operand.Op{to}})
}

func (m *x86) Local(bytes int) Addr {
	mem := m.AllocLocal(bytes)
	return At(Frame, mem.Disp)
}

// mem is the operand for an address.
func (m *x86) mem(a Addr) operand.Mem {
	o := operand.Mem{Disp: a.Off}
	if a.Base == Frame {
		o.Base = reg.StackPointer
	} else {
		o.Base = gps[a.Base]
	}
	if a.Index != None {
		o.Index, o.Scale = gps[a.Index], 1
	}
	return o
}

func (m *x86) LoadInt(dst GP, a Addr)  { m.MOVQ(m.mem(a), gps[dst]) }
func (m *x86) StoreInt(a Addr, src GP) { m.MOVQ(gps[src], m.mem(a)) }
func (m *x86) Move(dst, src GP)        { m.MOVQ(gps[src], gps[dst]) }
func (m *x86) MoveInt(dst GP, n int)   { m.MOVQ(operand.I32(n), gps[dst]) }
func (m *x86) Lea(dst GP, a Addr)      { m.LEAQ(m.mem(a), gps[dst]) }
func (m *x86) Add(dst, src GP)         { m.ADDQ(gps[src], gps[dst]) }
func (m *x86) AddInt(dst GP, n int)    { m.ADDQ(imm(n), gps[dst]) }
func (m *x86) AddMem(dst GP, a Addr)   { m.ADDQ(m.mem(a), gps[dst]) }
func (m *x86) Sub(dst, src GP)         { m.SUBQ(gps[src], gps[dst]) }
func (m *x86) Mul(dst, src GP)         { m.IMULQ(gps[src], gps[dst]) }
func (m *x86) And(dst GP, n int)       { m.ANDQ(imm(n), gps[dst]) }
func (m *x86) Jump(label string)       { m.JMP(operand.LabelRef(label)) }

func (m *x86) ShiftLeft(dst GP, n int) {
	if n > 0 {
		m.SHLQ(operand.U8(n), gps[dst])
	}
}

func (m *x86) ShiftRight(dst GP, n int) { m.SHRQ(operand.U8(n), gps[dst]) }

func (m *x86) JumpIf(c Cond, a, b GP, label string) {
	m.CMPQ(gps[a], gps[b])
	m.jump(c, label)
}

func (m *x86) JumpIfInt(c Cond, a GP, n int, label string) {
	if n == 0 && (c == Equal || c == NotEqual) {
		m.TESTQ(gps[a], gps[a])
	} else {
		m.CMPQ(gps[a], imm(n))
	}
	m.jump(c, label)
}

func (m *x86) JumpIfBit(a GP, bit int, label string) {
	m.testBit(a, bit)
	m.jump(NotEqual, label)
}

func (m *x86) JumpIfNoBit(a GP, bit int, label string) {
	m.testBit(a, bit)
	m.jump(Equal, label)
}

func (m *x86) testBit(a GP, bit int) {
	if bit < 1<<8 {
		m.TESTB(operand.U8(bit), gps[a].As8())
	} else {
		m.TESTL(operand.U32(bit), gps[a].As32())
	}
}

func (m *x86) jump(c Cond, label string) {
	to := operand.LabelRef(label)
	switch c {
	case Less:
		m.JLT(to)
	case LessEqual:
		m.JLE(to)
	case Greater:
		m.JGT(to)
	case GreaterEqual:
		m.JGE(to)
	case Equal:
		m.JEQ(to)
	case NotEqual:
		m.JNE(to)
	case Above:
		m.JHI(to)
	}
}

func imm(n int) operand.Constant {
	if n >= math.MinInt8 && n <= math.MaxInt8 {
		return operand.I8(n)
	}
	return operand.I32(n)
}

// constant places data in the read-only data of the file, once.
func (m *x86) constant(data []byte) operand.Mem {
	if mem, ok := m.consts[string(data)]; ok {
		return mem
	}
	mem := m.StaticGlobal(fmt.Sprintf("reducesumConst%d", len(m.consts)))
	m.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := 0; i < len(data); i += 8 {
		m.AddDatum(i, operand.U64(binary.LittleEndian.Uint64(data[i:])))
	}
	m.consts[string(data)] = mem
	return mem
}

// integers lays integers out as data of the given size.
func integers(size int, values []int) []byte {
	var data []byte
	for _, v := range values {
		b := binary.LittleEndian.AppendUint64(nil, uint64(v))
		data = append(data, b[:size]...)
	}
	return data
}

// repeat returns n times v.
func repeat(n, v int) []int {
	vs := make([]int, n)
	for i := range vs {
		vs[i] = v
	}
	return vs
}

// negZero is the bit pattern of -0, or the integer 0.
func negZero(t kernels.Type) int {
	switch t.Acc() {
	case kernels.F32:
		return 1 << 31
	case kernels.F64:
		return math.MinInt64
	}
	return 0
}

func (m *x86) Identity(t kernels.Type, dst Vec) {
	if !t.Float() {
		if m.isa == kernels.AVX512 {
			m.VPXORD(zmms[dst], zmms[dst], zmms[dst])
		} else {
			m.VPXOR(ymms[dst], ymms[dst], ymms[dst])
		}
		return
	}
	size := t.Acc().Size()
	if size == 4 {
		m.VBROADCASTSS(m.constant(integers(4, []int{negZero(t), negZero(t)})), m.vec[dst])
		return
	}
	m.VBROADCASTSD(m.constant(integers(8, []int{negZero(t)})), m.vec[dst])
}

func (m *x86) Load(t kernels.Type, dst Vec, a Addr) { m.widen(t, dst, m.mem(a)) }

// widen loads a vector of accumulators from src, memory or half a register.
func (m *x86) widen(t kernels.Type, dst Vec, src operand.Op) {
	switch t {
	case kernels.F16:
		m.VCVTPH2PS(src, m.vec[dst])
	case kernels.BF16:
		m.VPMOVZXWD(src, m.vec[dst])
		m.VPSLLD(operand.U8(16), m.vec[dst], m.vec[dst])
	default:
		m.VMOVUPS(src, m.vec[dst])
	}
}

func (m *x86) LoadAdd(t kernels.Type, dst Vec, a Addr) {
	if !t.Rounded() {
		m.add(t, m.mem(a), dst, dst)
		return
	}
	v := m.regs.Vec()
	m.Load(t, v, a)
	m.AddVec(t, dst, dst, v)
	m.regs.Free(v)
}

func (m *x86) AddVec(t kernels.Type, dst, a, b Vec) { m.add(t, m.vec[b], a, dst) }

// add emits dst = a + b, where b may be in memory.
func (m *x86) add(t kernels.Type, b operand.Op, a, dst Vec) { m.addOp(t, b, m.vec[a], m.vec[dst]) }

func (m *x86) addOp(t kernels.Type, b, a, dst operand.Op) {
	switch t.Acc() {
	case kernels.F32:
		m.VADDPS(b, a, dst)
	case kernels.F64:
		m.VADDPD(b, a, dst)
	case kernels.I32:
		m.VPADDD(b, a, dst)
	case kernels.I64:
		m.VPADDQ(b, a, dst)
	}
}

func (m *x86) Store(a Addr, v Vec) { m.VMOVUPS(m.vec[v], m.mem(a)) }

func (m *x86) Copy(dst, src Vec) { m.VMOVAPS(m.vec[src], m.vec[dst]) }

func (m *x86) LoadVecs(t kernels.Type, dst []Vec, a Addr) {
	for i, v := range dst {
		m.Load(t, v, a.Plus(i*m.loaded(t)))
	}
}

func (m *x86) LoadAddVecs(t kernels.Type, dst []Vec, a Addr) {
	for i, v := range dst {
		m.LoadAdd(t, v, a.Plus(i*m.loaded(t)))
	}
}

func (m *x86) StoreVecs(a Addr, vs []Vec) {
	for i, v := range vs {
		m.Store(a.Plus(i*m.bytes), v)
	}
}

// LoadsPairs: two bfloat16 in 32 bits are widened by a shift and a mask, which
// takes half the instructions that widening them in order does.
func (m *x86) LoadsPairs(t kernels.Type) bool { return t == kernels.BF16 }

// Keep keeps the mask for pairs in a register.
func (m *x86) Keep(t kernels.Type) {
	if m.LoadsPairs(t) {
		m.kept = m.regs.Vec()
		m.VMOVUPS(m.upper(), m.vec[m.kept])
	}
}

func (m *x86) FreeKept() {
	if m.kept != noVec {
		m.regs.Free(m.kept)
		m.kept = noVec
	}
}

// upper is the mask of the upper halves of 32 bits.
func (m *x86) upper() operand.Mem {
	return m.constant(integers(4, repeat(m.bytes/4, -1<<16)))
}

func (m *x86) LoadPairs(t kernels.Type, dst []Vec, a Addr) {
	for i := 0; i < len(dst); i += 2 {
		even, odd := m.vec[dst[i]], m.vec[dst[i+1]]
		m.VMOVUPS(m.mem(a.Plus(i*m.loaded(t))), odd)
		m.VPSLLD(operand.U8(16), odd, even)
		if m.kept != noVec {
			m.VANDPS(m.vec[m.kept], odd, odd)
			continue
		}
		m.VANDPS(m.upper(), odd, odd)
	}
}

func (m *x86) LoadAddPairs(t kernels.Type, dst []Vec, a Addr) {
	w := m.regs.Vecs(2)
	for i := 0; i < len(dst); i += 2 {
		m.LoadPairs(t, w, a.Plus(i*m.loaded(t)))
		m.AddVec(t, dst[i], dst[i], w[0])
		m.AddVec(t, dst[i+1], dst[i+1], w[1])
	}
	m.regs.Free(w...)
}

// loaded is the number of bytes from which a vector is loaded.
func (m *x86) loaded(t kernels.Type) int { return m.bytes / t.Acc().Size() * t.Size() }

func (m *x86) Prefetch(a Addr) { m.PREFETCHT0(m.mem(a)) }

func (m *x86) LoadElement(size int, dst GP, a Addr) {
	switch size {
	case 2:
		m.MOVWLZX(m.mem(a), gps[dst].As32())
	case 4:
		m.MOVL(m.mem(a), gps[dst].As32())
	case 8:
		m.MOVQ(m.mem(a), gps[dst])
	}
}

func (m *x86) StoreElement(size int, a Addr, src GP) {
	switch size {
	case 2:
		m.MOVW(gps[src].As16(), m.mem(a))
	case 4:
		m.MOVL(gps[src].As32(), m.mem(a))
	case 8:
		m.MOVQ(gps[src], m.mem(a))
	}
}

// What follows moves vectors of 256 bits: on AVX-512 AVX2's kernel packs.

func (m *x86) LoadLanes(dst Vec, from []Addr) {
	m.VMOVUPS(m.mem(from[0]), xmms[dst])
	if len(from) > 1 {
		m.VINSERTF128(operand.U8(1), m.mem(from[1]), ymms[dst], ymms[dst])
	}
}

func (m *x86) StoreLanes(to []Addr, v Vec) {
	m.VMOVUPS(xmms[v], m.mem(to[0]))
	if len(to) > 1 {
		m.VEXTRACTF128(operand.U8(1), ymms[v], m.mem(to[1]))
	}
}

// Evens works within 128 bits, and puts the quarters in order.
func (m *x86) Evens(size int, a, b Vec) {
	switch size {
	case 2:
		low := m.constant(integers(4, repeat(8, 0xFFFF)))
		m.VPAND(low, ymms[a], ymms[a])
		m.VPAND(low, ymms[b], ymms[b])
		m.VPACKUSDW(ymms[b], ymms[a], ymms[a])
	case 4:
		m.VSHUFPS(operand.U8(0x88), ymms[b], ymms[a], ymms[a])
	case 8:
		m.VUNPCKLPD(ymms[b], ymms[a], ymms[a])
	}
	m.VPERMPD(operand.U8(0xD8), ymms[a], ymms[a])
}

func (m *x86) Interleave(size int, low, high, a, b Vec) {
	lower, upper := m.VUNPCKLPD, m.VUNPCKHPD
	switch size {
	case 2:
		lower, upper = m.VPUNPCKLWD, m.VPUNPCKHWD
	case 4:
		lower, upper = m.VUNPCKLPS, m.VUNPCKHPS
	}
	lower(m.vec[b], m.vec[a], m.vec[low])
	if high != noVec {
		upper(m.vec[b], m.vec[a], m.vec[high])
	}
}

func (m *x86) StoreFirst(t kernels.Type, a Addr, v Vec) {
	if t.Acc().Size() == 4 {
		m.VMOVSS(xmms[v], m.mem(a))
		return
	}
	m.VMOVSD(xmms[v], m.mem(a))
}

// foldLow folds the 256 bits of v below; the 512-bit machine folds down to them.
func (m *x86) foldLow(t kernels.Type, v Vec) {
	w := m.regs.Vec()
	m.VEXTRACTF128(operand.U8(1), ymms[v], xmms[w])
	m.addOp(t, xmms[w], xmms[v], xmms[v])
	m.VPERMILPD(operand.U8(1), xmms[v], xmms[w])
	m.addOp(t, xmms[w], xmms[v], xmms[v])
	if t.Acc().Size() == 4 {
		m.VMOVSHDUP(xmms[v], xmms[w])
		m.addOp(t, xmms[w], xmms[v], xmms[v])
	}
	m.regs.Free(w)
}

// foldWithin folds pairs of accumulators that lie in the same 16 bytes.
func (m *x86) foldWithin(t kernels.Type, dst, a, b Vec, h int) {
	w := m.regs.Vec()
	if h*t.Acc().Size() == 8 {
		m.VUNPCKHPD(m.vec[b], m.vec[a], m.vec[w])
		m.VUNPCKLPD(m.vec[b], m.vec[a], m.vec[dst])
	} else {
		m.VSHUFPS(operand.U8(0xDD), m.vec[b], m.vec[a], m.vec[w])
		m.VSHUFPS(operand.U8(0x88), m.vec[b], m.vec[a], m.vec[dst])
	}
	m.AddVec(t, dst, dst, w)
	m.regs.Free(w)
}

func (m *x86) Streams(base GP, strides Addr, levels int) Streams {
	s := Streams{Levels: levels, Ptrs: []GP{base}}
	var d []GP // strides of the low two levels, and their sum: indexes
	for i := range min(levels, 2) {
		g := m.regs.GP()
		m.LoadInt(g, strides.Plus(8*i))
		d = append(d, g)
	}
	if levels >= 2 {
		g := m.regs.GP()
		m.LEAQ(operand.Mem{Base: gps[d[0]], Index: gps[d[1]], Scale: 1}, gps[g])
		d = append(d, g)
	}
	for i := 2; i < levels; i++ { // of the high two: pointers
		for _, p := range s.Ptrs {
			g := m.regs.GP()
			m.Move(g, p)
			m.AddMem(g, strides.Plus(8*i))
			s.Ptrs = append(s.Ptrs, g)
		}
	}
	s.Steps = d
	s.Leaf = func(i int) Addr {
		a := Addr{Base: s.Ptrs[i/4], Index: None}
		if k := i % 4; k > 0 {
			a.Index = d[k-1]
		}
		return a
	}
	return s
}

func (m *x86) FreeStreams(s Streams) {
	m.regs.FreeGP(s.Ptrs...)
	m.regs.FreeGP(s.Steps...)
}
