package main

import "github.com/reducesum/reducesum/kernels"

// pack copies elements from some strides to others: for each outer item, a matrix.
// There are four ways. A matrix whose rows are contiguous in Src and whose columns are
// in Dst is transposed in registers, a tile at a time. One that is too narrow for
// tiles, or whose rows are not contiguous, is gathered, some columns at a time. Rows
// that are contiguous on both sides are copied in pieces. All else goes element by
// element. Where whole tiles or pieces end, the last one overlaps the one before.
//
// Nothing but elements is written, and nothing read but what lies between two elements
// of a matrix. What few registers cannot hold waits in the frame.
func pack(m Machine, t kernels.Type, args GP) {
	p := &mover{m: m, size: t.Size(), frame: m.Local(frameSlots * 8)}
	p.slots(&p.args, &p.outer, &p.matrixRows, &p.src, &p.dst)
	r := m.Regs()
	m.StoreInt(p.args, args)
	r.FreeGP(args)
	p.keep(p.matrixRows, offset.pack.Rows)
	p.begin()
	p.choose()
	newTransposer(p).emit()
	newRowCopier(p).emit()
	newGatherer(p).emit()
	newElementCopier(p).emit()
	m.Label("end")
	m.End()
}

// whole is the type as which vectors are moved: that of no conversion.
const whole = kernels.F32

// mover is what the ways to pack have in common.
type mover struct {
	m          Machine
	size       int
	frame      Addr // what follows lies there; the ways use the same memory behind it
	used       int  // slots of it
	args       Addr // the pointer to the arguments,
	outer      Addr // outer items that are left,
	matrixRows Addr // rows of each,
	src, dst   Addr // and where the current one begins
}

// frameSlots is how many integers the frame has room for.
const frameSlots = 40

// slots reserves memory in the frame for integers.
func (p *mover) slots(as ...*Addr) {
	for _, a := range as {
		*a = p.array(1)
	}
}

// array reserves memory in the frame for n integers.
func (p *mover) array(n int) Addr {
	a := p.frame.Plus(8 * p.used)
	if p.used += n; p.used > frameSlots {
		panic("pack: the frame is too small")
	}
	return a
}

// begin sets out from the first outer item.
func (p *mover) begin() {
	p.keep(p.outer, offset.pack.Outer)
	p.keep(p.src, offset.pack.Src)
	p.keep(p.dst, offset.pack.Dst)
}

// lanes is the number of elements in 16 bytes, within which vectors are transposed.
func (p *mover) lanes() int { return 16 / p.size }

// rows is the number of rows of a tile.
func (p *mover) rows() int { return p.m.VecBytes() / p.size }

// arg loads an argument.
func (p *mover) arg(dst GP, field int) {
	p.m.LoadInt(dst, p.args)
	p.m.LoadInt(dst, At(dst, field))
}

// keep copies an argument to the frame.
func (p *mover) keep(to Addr, field int) {
	g := p.m.Regs().GP()
	p.arg(g, field)
	p.m.StoreInt(to, g)
	p.m.Regs().FreeGP(g)
}

// copy copies an integer in the frame.
func (p *mover) copy(to, from Addr) {
	g := p.m.Regs().GP()
	p.m.LoadInt(g, from)
	p.m.StoreInt(to, g)
	p.m.Regs().FreeGP(g)
}

// keepMultiples writes an argument times 1, 2, 4, ... to the frame.
func (p *mover) keepMultiples(to Addr, n, field int) {
	g := p.m.Regs().GP()
	p.arg(g, field)
	for i := range n {
		p.m.StoreInt(to.Plus(8*i), g)
		if i < n-1 {
			p.m.ShiftLeft(g, 1)
		}
	}
	p.m.Regs().FreeGP(g)
}

// advance adds what lies at an address to the pointers of streams.
func (p *mover) advance(s Streams, by Addr) {
	if len(s.Ptrs) == 1 {
		p.m.AddMem(s.Ptrs[0], by)
		return
	}
	g := p.m.Regs().GP()
	p.m.LoadInt(g, by)
	for _, ptr := range s.Ptrs {
		p.m.Add(ptr, g)
	}
	p.m.Regs().FreeGP(g)
}

// addTo adds g to what lies in the frame, and leaves the sum in g.
func (p *mover) addTo(to Addr, g GP) {
	p.m.AddMem(g, to)
	p.m.StoreInt(to, g)
}

// nextOuter goes on to the next outer item, or to the end.
func (p *mover) nextOuter(label, end string) {
	m, g := p.m, p.m.Regs().GP()
	m.LoadInt(g, p.outer)
	m.AddInt(g, -1)
	m.StoreInt(p.outer, g)
	m.JumpIfInt(Equal, g, 0, end)
	p.arg(g, offset.pack.SrcOuter)
	p.addTo(p.src, g)
	p.arg(g, offset.pack.DstOuter)
	p.addTo(p.dst, g)
	p.m.Regs().FreeGP(g)
	m.Jump(label)
}

// choose jumps to one of the ways, or goes on to the first one.
func (p *mover) choose() {
	m, r := p.m, p.m.Regs()
	srcCol, dstCol, dstRow, rows, cols := r.GP(), r.GP(), r.GP(), r.GP(), r.GP()
	p.arg(srcCol, offset.pack.SrcCol)
	p.arg(dstCol, offset.pack.DstCol)
	p.arg(dstRow, offset.pack.DstRow)
	p.arg(rows, offset.pack.Rows)
	p.arg(cols, offset.pack.Cols)
	m.JumpIfInt(Equal, cols, 1, "scattered")
	m.JumpIfInt(NotEqual, srcCol, p.size, "scattered")
	m.JumpIfInt(Equal, dstCol, p.size, "copy")
	m.JumpIfInt(NotEqual, dstRow, p.size, "elements")
	m.JumpIfInt(LessEqual, cols, p.lanes(), "thin")
	m.Label("notThin")
	m.JumpIfInt(Less, rows, p.lanes(), "elements")
	if p.rows() > p.lanes() {
		m.JumpIfInt(Less, rows, p.rows(), "low")
	}
	m.Jump("transpose")
	m.Label("scattered")
	m.JumpIfInt(NotEqual, dstRow, p.size, "elements")
	m.JumpIfInt(GreaterEqual, rows, p.rows(), "gather")
	m.Jump("elements")
	m.Label("thin")
	m.JumpIfInt(GreaterEqual, rows, p.rows(), "gatherThin")
	m.JumpIfInt(Equal, cols, p.lanes(), "notThin")
	m.Jump("elements")
	m.Label("transpose")
	r.FreeGP(srcCol, dstCol, dstRow, rows, cols)
}
