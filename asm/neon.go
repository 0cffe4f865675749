package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

// neon has 32 registers of 128 bits, loads and stores them in pairs, and adds
// from registers only. It asks for nothing beyond ARMv8.0, which Go asks for
// too: no SVE, no arithmetic on float16 or bfloat16.
type neon struct {
	*arm64
	regs   *Regs
	labels int
}

func newNEON(e *arm64) Machine {
	return &neon{arm64: e, regs: NewRegs(gpsARM64, 31)}
}

// zero is a register that holds zeros, not one to allocate.
const zero Vec = 31

func (m *neon) ISA() kernels.ISA { return kernels.NEON }
func (m *neon) VecBytes() int    { return 16 }
func (m *neon) Regs() *Regs      { return m.regs }

// All sixteen vectors of a row of lanes, and two pending sums of four, take 24
// registers; so do three pending sums of eight columns. The last pair of rows
// takes four more at a time, and three to load and widen its second row.
func (m *neon) Strip(t kernels.Type) int                   { return 8 }
func (m *neon) Unroll(t kernels.Type) int                  { return 8 }
func (m *neon) Window(t kernels.Type) (width, spilled int) { return 4, 0 }
func (m *neon) Chunk(t kernels.Type) int                   { return 4 }

func (m *neon) Begin(name, args string) GP {
	m.regs.Start(name)
	m.labels = 0
	a := m.regs.GP()
	m.begin(name, a)
	m.VEOR(zero, zero, zero)
	return a
}

func (m *neon) Return() { m.ret() }

func (m *neon) End() {
	m.ret()
	m.end()
	m.regs.Done()
}

func (m *neon) TailCall(name string) { m.JMP("·" + name + "(SB)") }

func (m *neon) Local(bytes int) Addr { return m.local(bytes) }

// newLabel returns a label that the function does not have yet.
func (m *neon) newLabel(name string) string {
	m.labels++
	return fmt.Sprintf("%s_%d", name, m.labels)
}

func (m *neon) LoadInt(dst GP, a Addr)  { m.MOVDload(dst, a) }
func (m *neon) StoreInt(a Addr, src GP) { m.MOVDstore(a, src) }
func (m *neon) Move(dst, src GP)        { m.MOVD(dst, src) }
func (m *neon) MoveInt(dst GP, n int)   { m.MOVDi(dst, n) }
func (m *neon) Add(dst, src GP)         { m.ADD(dst, dst, src) }
func (m *neon) AddInt(dst GP, n int)    { m.ADDi(dst, dst, n) }
func (m *neon) Sub(dst, src GP)         { m.SUB(dst, dst, src) }
func (m *neon) Mul(dst, src GP)         { m.MUL(dst, dst, src) }
func (m *neon) And(dst GP, n int)       { m.ANDi(dst, dst, n) }
func (m *neon) Label(name string)       { m.label(name) }
func (m *neon) Jump(label string)       { m.JMP(label) }

func (m *neon) Lea(dst GP, a Addr) {
	if a.Index == None {
		m.ADDi(dst, a.Base, a.Off)
		return
	}
	m.ADD(dst, a.Base, a.Index)
	if a.Off != 0 {
		m.ADDi(dst, dst, a.Off)
	}
}

func (m *neon) ShiftLeft(dst GP, n int) {
	if n > 0 {
		m.LSLi(dst, dst, n)
	}
}

func (m *neon) ShiftRight(dst GP, n int) { m.LSRi(dst, dst, n) }

func (m *neon) AddMem(dst GP, a Addr) {
	g := m.regs.GP()
	m.MOVDload(g, a)
	m.ADD(dst, dst, g)
	m.regs.FreeGP(g)
}

func (m *neon) JumpIf(c Cond, a, b GP, label string) {
	m.CMP(a, b)
	m.branch(c, label)
}

func (m *neon) JumpIfInt(c Cond, a GP, n int, label string) {
	switch {
	case n == 0 && c == Equal:
		m.CBZ(a, label)
	case n == 0 && c == NotEqual:
		m.CBNZ(a, label)
	default:
		m.CMPi(a, n)
		m.branch(c, label)
	}
}

func (m *neon) JumpIfBit(a GP, bit int, label string)   { m.TBNZ(a, log2(bit), label) }
func (m *neon) JumpIfNoBit(a GP, bit int, label string) { m.TBZ(a, log2(bit), label) }

// shape is that of a vector of accumulators.
func (m *neon) shape(t kernels.Type) shape {
	if t.Acc().Size() == 4 {
		return s4
	}
	return d2
}

func (m *neon) Identity(t kernels.Type, dst Vec) {
	switch {
	case !t.Float():
		m.VEOR(dst, dst, dst)
	case t.Acc() == kernels.F32:
		m.MOVI(dst, 0x80, lsl24)
	default:
		m.MOVI(dst, 0x80, lsl24)
		m.VSHL(dst, dst, 32, d2)
	}
}

// widen turns the lower four elements of src into accumulators. A bfloat16
// gets zeros below: SHLL would do that too, but has fewer pipelines on many CPUs.
func (m *neon) widen(t kernels.Type, dst, src Vec) {
	if t == kernels.F16 {
		m.FCVTL(dst, src)
		return
	}
	m.VZIP1(dst, zero, src, h8)
}

// widenUpper turns the upper four elements of src into accumulators.
func (m *neon) widenUpper(t kernels.Type, dst, src Vec) {
	if t == kernels.F16 {
		m.FCVTL2(dst, src)
		return
	}
	m.VZIP2(dst, zero, src, h8)
}

func (m *neon) Load(t kernels.Type, dst Vec, a Addr) {
	if t.Rounded() {
		m.FMOVDload(dst, a)
		m.widen(t, dst, dst)
		return
	}
	m.FMOVQload(dst, a)
}

func (m *neon) LoadAdd(t kernels.Type, dst Vec, a Addr) {
	v := m.regs.Vec()
	m.Load(t, v, a)
	m.AddVec(t, dst, dst, v)
	m.regs.Free(v)
}

func (m *neon) Store(a Addr, v Vec) { m.FMOVQstore(a, v) }

func (m *neon) Copy(dst, src Vec) { m.VORR(dst, src, src) }

func (m *neon) LoadVecs(t kernels.Type, dst []Vec, a Addr) {
	if !t.Rounded() {
		m.loadWhole(dst, a)
		return
	}
	if len(dst)%2 != 0 {
		m.Load(t, dst[0], a)
		dst, a = dst[1:], a.Plus(8)
	}
	var halves []Vec // each holds the elements of two vectors
	for i := 0; i < len(dst); i += 2 {
		halves = append(halves, dst[i])
	}
	m.loadWhole(halves, a)
	for i, h := range halves {
		m.widenUpper(t, dst[2*i+1], h)
		m.widen(t, h, h)
	}
}

// loadWhole loads registers from 16 bytes each.
func (m *neon) loadWhole(dst []Vec, a Addr) {
	for ; len(dst) >= 2; dst, a = dst[2:], a.Plus(32) {
		m.FLDPQ(dst[0], dst[1], a)
	}
	if len(dst) == 1 {
		m.FMOVQload(dst[0], a)
	}
}

func (m *neon) LoadAddVecs(t kernels.Type, dst []Vec, a Addr) {
	per := 2 // vectors that a pair of registers holds
	if t.Rounded() {
		per = 4
	}
	for len(dst) > 0 {
		n := min(per, len(dst))
		m.loadAdd(t, dst[:n], a)
		dst, a = dst[n:], a.Plus(n*vecSize(m, t))
	}
}

// loadAdd adds up to a pair of registers full of elements.
func (m *neon) loadAdd(t kernels.Type, dst []Vec, a Addr) {
	switch {
	case len(dst) == 1:
		m.LoadAdd(t, dst[0], a)
		return
	case t.Rounded():
		m.loadAddHalves(t, dst, a)
		return
	}
	w := m.regs.Vecs(len(dst))
	m.loadWhole(w, a)
	for i := range dst {
		m.AddVec(t, dst[i], dst[i], w[i])
	}
	m.regs.Free(w...)
}

// loadAddHalves adds two or four vectors, each widened from half a register.
func (m *neon) loadAddHalves(t kernels.Type, dst []Vec, a Addr) {
	w, upper := m.regs.Vecs(len(dst)/2), m.regs.Vec()
	m.loadWhole(w, a)
	for i, h := range w {
		m.widenUpper(t, upper, h)
		m.widen(t, h, h)
		m.AddVec(t, dst[2*i], dst[2*i], h)
		m.AddVec(t, dst[2*i+1], dst[2*i+1], upper)
	}
	m.regs.Free(upper)
	m.regs.Free(w...)
}

func (m *neon) StoreVecs(a Addr, vs []Vec) {
	for ; len(vs) >= 2; vs, a = vs[2:], a.Plus(32) {
		m.FSTPQ(a, vs[0], vs[1])
	}
	if len(vs) == 1 {
		m.Store(a, vs[0])
	}
}

func (m *neon) AddVec(t kernels.Type, dst, a, b Vec) {
	if t.Float() {
		m.FADD(dst, a, b, m.shape(t))
		return
	}
	m.VADD(dst, a, b, m.shape(t))
}

// addNeighbours adds the neighbours in a, then those in b.
func (m *neon) addNeighbours(t kernels.Type, dst, a, b Vec) {
	if t.Float() {
		m.FADDP(dst, a, b, m.shape(t))
		return
	}
	m.VADDP(dst, a, b, m.shape(t))
}

func (m *neon) Prefetch(a Addr) { m.PRFM(a) }

func (m *neon) LoadElement(size int, dst GP, a Addr) { m.MOVload(dst, a, size) }

func (m *neon) StoreElement(size int, a Addr, src GP) { m.MOVstore(a, src, size) }

func (m *neon) LoadLanes(dst Vec, from []Addr) { m.FMOVQload(dst, from[0]) }

func (m *neon) StoreLanes(to []Addr, v Vec) { m.FMOVQstore(to[0], v) }

// shapes are those of vectors of elements of each size.
var shapes = map[int]shape{2: h8, 4: s4, 8: d2}

func (m *neon) Evens(size int, a, b Vec) { m.VUZP1(a, a, b, shapes[size]) }

func (m *neon) Interleave(size int, low, high, a, b Vec) {
	s := shapes[size]
	m.VZIP1(low, a, b, s)
	if high != noVec {
		m.VZIP2(high, a, b, s)
	}
}

func (m *neon) StoreFirst(t kernels.Type, a Addr, v Vec) {
	if t.Acc().Size() == 4 {
		m.FMOVSstore(a, v)
		return
	}
	m.FMOVDstore(a, v)
}

func (m *neon) RoundStore(t kernels.Type, a Addr, v Vec) {
	w := m.regs.Vec()
	m.round(t, w, v)
	m.FMOVDstore(a, w)
	m.regs.Free(w)
}

// round puts the elements to which v is rounded into the low half of dst.
func (m *neon) round(t kernels.Type, dst, v Vec) {
	if t == kernels.F16 {
		m.FCVTN(dst, v)
		return
	}
	// To nearest even: add 0x7fff, and one more if the lowest bit that stays is
	// set. A NaN would overflow: it keeps its upper half, made quiet.
	w, number := m.regs.Vec(), m.regs.Vec()
	m.MOVI(w, 1, lsl0)
	m.VUSHR(dst, v, 16, s4)
	m.VAND(dst, dst, w)
	m.MOVI(w, 0x7f, msl8)
	m.VADD(dst, dst, w, s4)
	m.VADD(w, dst, v, s4)
	m.FCMEQ(number, v, v, s4)
	m.VORR(dst, v, v)
	m.ORRi(dst, 0x40, lsl16)
	m.VBIT(dst, w, number)
	m.SHRN(dst, dst, 16)
	m.regs.Free(number, w)
}

func (m *neon) MasksLoads() bool { return false }

func (m *neon) NeedsEnd(t kernels.Type) bool { return true }

// MakePartial takes the mask from a window of a table of ones followed by zeros.
func (m *neon) MakePartial(t kernels.Type, count GP, pad bool) Partial {
	p := Partial{Count: count, Keep: noVec, Float: pad && t.Float()}
	if !pad {
		return p
	}
	size, n := t.Acc().Size(), lanes(m, t)
	p.Keep = m.regs.Vec()
	at, bytes := m.regs.GP(), m.regs.GP()
	m.MOVDaddr(at, m.constant(integers(size, append(repeat(n, -1), repeat(n, 0)...))))
	m.LSLi(bytes, count, log2(size))
	m.SUB(at, at, bytes)
	m.FMOVQload(p.Keep, At(at, 16))
	m.regs.FreeGP(at, bytes)
	if p.Float {
		p.Pad = m.regs.Vec()
		m.Identity(t, p.Pad)
	}
	return p
}

func (m *neon) FreePartial(p Partial) {
	if p.Keep != noVec {
		m.regs.Free(p.Keep)
	}
	if p.Float {
		m.regs.Free(p.Pad)
	}
}

// LoadPartial loads a whole vector if it lies inside, else the elements piece
// by piece, with zeros behind.
func (m *neon) LoadPartial(t kernels.Type, dst Vec, a Addr, p Partial, pad bool, end GP) {
	if end == Inside {
		m.Load(t, dst, a)
	} else {
		m.loadPieces(t, dst, a, p.Count)
	}
	if pad && (p.Float || end == Inside) {
		m.Blend(t, dst, p)
	}
}

func (m *neon) loadPieces(t kernels.Type, dst Vec, a Addr, count GP) {
	at, done := m.regs.GP(), m.newLabel("loaded")
	m.Lea(at, a)
	if lanes(m, t) == 4 {
		m.loadFour(dst, t.Size(), at, count, done)
	} else {
		m.loadTwo(dst, t.Size(), at, count, done)
	}
	m.Label(done)
	m.regs.FreeGP(at)
	if t.Rounded() {
		m.widen(t, dst, dst)
	}
}

// loadFour loads one to four elements of the given size.
func (m *neon) loadFour(dst Vec, size int, at, count GP, done string) {
	four, one := m.newLabel("four"), m.newLabel("one")
	m.TBNZ(count, 2, four)
	m.TBZ(count, 1, one)
	m.loadBytes(dst, 2*size, at)
	m.TBZ(count, 0, done)
	m.AddInt(at, 2*size)
	m.VLD1(dst, size, 2, at)
	m.Jump(done)
	m.Label(one)
	m.loadBytes(dst, size, at)
	m.Jump(done)
	m.Label(four)
	m.loadBytes(dst, 4*size, at)
}

// loadTwo loads one or two elements of the given size.
func (m *neon) loadTwo(dst Vec, size int, at, count GP, done string) {
	two := m.newLabel("two")
	m.TBNZ(count, 1, two)
	m.loadBytes(dst, size, at)
	m.Jump(done)
	m.Label(two)
	m.loadBytes(dst, 2*size, at)
}

// loadBytes loads 2, 4, 8 or 16 bytes, and zeros behind them.
func (m *neon) loadBytes(dst Vec, n int, at GP) {
	switch n {
	case 2:
		m.VEOR(dst, dst, dst)
		m.VLD1(dst, 2, 0, at)
	case 4:
		m.FMOVSload(dst, At(at, 0))
	case 8:
		m.FMOVDload(dst, At(at, 0))
	case 16:
		m.FMOVQload(dst, At(at, 0))
	}
}

// MakeLast finds the place in a table of indexes and of what absent elements become.
// The vector that ends with the row is loaded, and its elements are moved down by a
// look-up whose indexes beyond them give zeros.
func (m *neon) MakeLast(t kernels.Type, count GP) Last {
	size, n := t.Size(), lanes(m, t)
	var table []byte
	for i := range n * size {
		table = append(table, byte(i))
	}
	table = append(table, integers(1, repeat(16, 255))...)
	table = append(table, make([]byte, n*size)...)
	absent := negZero(t)
	if t.Rounded() {
		absent = 1 << 15
	}
	table = append(table, integers(size, repeat(16/size, absent))...)
	l := Last{Count: count, Table: m.regs.GP()}
	at := m.regs.GP()
	m.LSLi(at, count, log2(size))
	m.MOVDaddr(l.Table, m.constant(table))
	m.SUB(l.Table, l.Table, at)
	m.regs.FreeGP(at)
	return l
}

func (m *neon) LoadLast(t kernels.Type, dst Vec, a Addr, l Last) {
	at, index, loaded := m.regs.GP(), m.regs.Vec(), vecSize(m, t)
	m.LSLi(at, l.Count, log2(t.Size()))
	m.ADD(at, at, a.Base)
	if a.Index != None {
		m.ADD(at, at, a.Index)
	}
	if t.Rounded() {
		m.FMOVDload(dst, At(at, a.Off-loaded))
	} else {
		m.FMOVQload(dst, At(at, a.Off-loaded))
	}
	m.FMOVQload(index, At(l.Table, loaded))
	m.VTBL(dst, dst, index)
	if t.Float() {
		m.FMOVQload(index, At(l.Table, 2*loaded+16))
		m.VORR(dst, dst, index)
	}
	if t.Rounded() {
		m.widen(t, dst, dst)
	}
	m.regs.FreeGP(at)
	m.regs.Free(index)
}

func (m *neon) FreeLast(l Last) { m.regs.FreeGP(l.Table) }

// StorePartial stores two and one accumulators.
func (m *neon) StorePartial(t kernels.Type, a Addr, v Vec, count GP) {
	m.storePieces(t.Acc().Size(), lanes(m, t), a, v, count)
}

func (m *neon) RoundStorePartial(t kernels.Type, a Addr, v Vec, count GP) {
	w := m.regs.Vec()
	m.round(t, w, v)
	m.storePieces(t.Size(), lanes(m, t), a, w, count)
	m.regs.Free(w)
}

// storePieces stores less than n elements, half as many at a time each time,
// and moves v down behind each piece.
func (m *neon) storePieces(size, n int, a Addr, v Vec, count GP) {
	at := m.regs.GP()
	m.Lea(at, a)
	for n /= 2; n >= 1; n /= 2 {
		skip := m.newLabel("skip")
		m.TBZ(count, log2(n), skip)
		switch n * size {
		case 2:
			m.VST1(at, v, 2, 0)
		case 4:
			m.FMOVSstore(At(at, 0), v)
		case 8:
			m.FMOVDstore(At(at, 0), v)
		}
		if n > 1 {
			m.AddInt(at, n*size)
			m.VEXT(v, v, v, n*size)
		}
		m.Label(skip)
	}
	m.regs.FreeGP(at)
}

func (m *neon) FoldPair(t kernels.Type, dst, a, b Vec, h int) {
	if h == 1 {
		m.addNeighbours(t, dst, a, b)
		return
	}
	w := m.regs.Vec()
	m.VZIP2(w, a, b, d2)
	m.VZIP1(dst, a, b, d2)
	m.AddVec(t, dst, dst, w)
	m.regs.Free(w)
}

func (m *neon) FoldAll(t kernels.Type, v Vec) {
	if t.Acc().Size() == 4 {
		w := m.regs.Vec()
		m.VEXT(w, v, v, 8)
		m.AddVec(t, v, v, w)
		m.regs.Free(w)
	}
	m.addNeighbours(t, v, v, v)
}

// loadConstant loads 16 bytes of read-only data.
func (m *neon) loadConstant(data []byte) Vec {
	v, at := m.regs.Vec(), m.regs.GP()
	m.MOVDaddr(at, m.constant(data))
	m.FMOVQload(v, At(at, 0))
	m.regs.FreeGP(at)
	return v
}

// Index and Permute work on bytes.
func (m *neon) Index(t kernels.Type, index []int) Vec {
	var bytes []int
	for _, i := range index {
		for b := range t.Acc().Size() {
			bytes = append(bytes, i*t.Acc().Size()+b)
		}
	}
	return m.loadConstant(integers(1, bytes))
}

func (m *neon) Permute(t kernels.Type, dst, src, index Vec) { m.VTBL(dst, src, index) }

func (m *neon) Mask(t kernels.Type, keep []bool) Partial {
	p := Partial{Float: t.Float()}
	var ones []int
	for _, k := range keep {
		if k {
			ones = append(ones, -1)
		} else {
			ones = append(ones, 0)
		}
	}
	p.Keep = m.loadConstant(integers(t.Acc().Size(), ones))
	if p.Float {
		p.Pad = m.regs.Vec()
		m.Identity(t, p.Pad)
	}
	return p
}

func (m *neon) Blend(t kernels.Type, v Vec, p Partial) {
	identity := zero
	if p.Float {
		identity = p.Pad
	}
	m.VBIF(v, identity, p.Keep)
}

// Streams has a pointer to every row: pairs are loaded from a register and an
// offset.
func (m *neon) Streams(base GP, strides Addr, levels int) Streams {
	s := Streams{Levels: levels, Ptrs: []GP{base}}
	stride := m.regs.GP()
	for i := range levels {
		m.LoadInt(stride, strides.Plus(8*i))
		for _, p := range s.Ptrs {
			g := m.regs.GP()
			m.ADD(g, p, stride)
			s.Ptrs = append(s.Ptrs, g)
		}
	}
	m.regs.FreeGP(stride)
	s.Leaf = func(i int) Addr { return At(s.Ptrs[i], 0) }
	return s
}

func (m *neon) FreeStreams(s Streams) { m.regs.FreeGP(s.Ptrs...) }

// CanLoadHalves: rows are expanded by a permutation.
func (m *neon) CanLoadHalves(t kernels.Type) bool { return false }

func (m *neon) LoadHalves(t kernels.Type, dst Vec, a, b Addr) { panic("no halves") }

// LoadsPairs: the halves of a register widen as fast.
func (*neon) LoadsPairs(t kernels.Type) bool { return false }

func (*neon) Keep(t kernels.Type) {}
func (*neon) FreeKept()           {}

func (*neon) LoadPairs(t kernels.Type, dst []Vec, a Addr)    { panic("no pairs") }
func (*neon) LoadAddPairs(t kernels.Type, dst []Vec, a Addr) { panic("no pairs") }
func (*neon) Untangle(t kernels.Type, a, b Vec)              { panic("no pairs") }

func (m *neon) CanPick() bool { return false }

func (m *neon) Pick(t kernels.Type, dst, a, b, index Vec) { panic("no two sources") }
