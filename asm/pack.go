package main

import (
	"fmt"

	"github.com/reducesum/reducesum/kernels"
)

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

// A transposer transposes matrices. A tile has as many columns as 16 bytes have
// elements, and as many rows as a vector has: 16 bytes of each row, some of them
// side by side in a vector, are interleaved until each vector holds a column. Where
// a matrix ends, the last tiles overlap those before.
//
// Tiles are taken in squares of whole cache lines: as many below each other as fill a
// cache line of a column, four next to each other. So each cache line of either
// side is used up at once, however far it lies from its neighbours.
//
// Meanwhile the rows that the next squares lie in are prefetched, as they lie in memory:
// one row after the other, which took half as long as the same cache lines in the
// squares' order.
type transposer struct {
	*mover
	srcSteps, dstSteps Addr // strides of rows and of columns, times 1, 2, 4, ...
	rowSrc, rowDst     Addr // where a row of squares begins
	rowsLeft, colsLeft Addr // behind it, in it
	tiles, tilesLeft   Addr // below each other in a square
	wide               Addr // next to each other: four, or one where less than four are left
	down, up           Addr // bytes in Src from a tile to the one below, and back
	downDst, upDst     Addr // in Dst, from the end of tiles next to each other to the ones below, and back
	back, backDst      Addr // from the last whole tile's end to where the last tile begins
	next               Addr // the rows to prefetch,
	lines, toNext      Addr // in each of them, and from one's end to the next
	share, extra       Addr // lines for each line of tiles, and what is left behind the squares
	from, to           Streams
	ahead, linesAhead  GP // what to prefetch, and how much more in the row
}

const (
	// line is the size of a cache line.
	line = 64
	// longRow is the size from which on CPUs find the next cache lines of a row in time.
	longRow = 1024
)

func newTransposer(p *mover) *transposer {
	x := &transposer{mover: new(*p)}
	x.slots(
		&x.rowSrc, &x.rowDst, &x.rowsLeft, &x.colsLeft, &x.tiles, &x.tilesLeft, &x.wide, &x.down, &x.up,
		&x.downDst, &x.upDst, &x.share, &x.extra, &x.lines, &x.toNext, &x.next, &x.back, &x.backDst,
	)
	x.srcSteps, x.dstSteps = x.array(log2(p.rows())+1), x.array(log2(line/p.size)+1)
	return x
}

// together is the number of columns that are stored with the same pointers: few
// registers are left beside those for the rows.
func (x *transposer) together() int {
	if x.rows() >= 16 || x.lanes() == 2 {
		return 2
	}
	return 4
}

func (x *transposer) emit() {
	m := x.m
	x.prepare()
	m.Label("matrix")
	x.copy(x.rowSrc, x.src)
	x.copy(x.rowDst, x.dst)
	x.keep(x.rowsLeft, offset.pack.Rows)
	m.Label("squares")
	x.beginSquares()
	x.squares()
	x.endSquares()
	x.nextOuter("matrix", "end")
	if x.rows() > x.lanes() {
		x.low()
	}
}

// prepare fills the frame with what is the same for all matrices.
func (x *transposer) prepare() {
	m, r, n := x.m, x.m.Regs(), x.lanes()
	x.keepMultiples(x.srcSteps, log2(x.rows())+1, offset.pack.SrcRow)
	x.keepMultiples(x.dstSteps, log2(line/x.size)+1, offset.pack.DstCol)
	g, h := r.GP(), r.GP()
	x.arg(g, offset.pack.Cols)
	m.And(g, n-1)
	m.AddInt(g, -n)
	m.LoadInt(h, x.dstSteps)
	m.Mul(h, g)
	m.StoreInt(x.backDst, h)
	m.ShiftLeft(g, log2(x.size))
	m.StoreInt(x.back, g)
	r.FreeGP(g, h)
}

// beginSquares begins a row of squares, the last of which overlaps the one before.
func (x *transposer) beginSquares() {
	m, r, rows := x.m, x.m.Regs(), x.rows()
	left, n, g := r.GP(), r.GP(), r.GP()
	m.LoadInt(left, x.rowsLeft)
	m.Move(n, left)
	m.ShiftRight(n, log2(rows))
	m.JumpIfInt(NotEqual, n, 0, "squaresInside")
	m.AddInt(left, -rows)
	m.LoadInt(g, x.srcSteps)
	m.Mul(g, left)
	x.addTo(x.rowSrc, g)
	m.ShiftLeft(left, log2(x.size))
	x.addTo(x.rowDst, left)
	m.MoveInt(left, rows)
	m.MoveInt(n, 1)
	m.Label("squaresInside")
	m.JumpIfInt(LessEqual, n, line/m.VecBytes(), "squaresCounted")
	m.MoveInt(n, line/m.VecBytes())
	m.Label("squaresCounted")
	m.StoreInt(x.tiles, n)
	m.Move(g, n)
	m.ShiftLeft(g, log2(rows))
	m.Sub(left, g)
	m.StoreInt(x.rowsLeft, left)
	m.MoveInt(g, 1) // the ways back
	m.Sub(g, n)
	m.LoadInt(n, x.srcSteps.Plus(8*log2(rows)))
	m.Mul(n, g)
	m.StoreInt(x.up, n)
	m.ShiftLeft(g, log2(m.VecBytes()))
	m.StoreInt(x.upDst, g)
	r.FreeGP(n, g)
	x.lookAhead(left)
	r.FreeGP(left)
}

// lookAhead finds the rows that come next: as many as these behind them, or the last
// ones of the matrix, or the first ones of the next matrix; else these once more, for
// they are in the cache.
func (x *transposer) lookAhead(left GP) {
	m, r := x.m, x.m.Regs()
	stride, bytes, n := r.GP(), r.GP(), r.GP()
	m.LoadInt(stride, x.srcSteps)
	x.arg(bytes, offset.pack.Cols)
	m.ShiftLeft(bytes, log2(x.size))
	m.MoveInt(n, 0)
	m.StoreInt(x.share, n)
	m.StoreInt(x.extra, n)
	m.JumpIfInt(Less, stride, line, "aheadKnown")      // rows near to each other need no help,
	m.JumpIfInt(Greater, bytes, longRow, "aheadKnown") // nor do long ones

	next, g := r.GP(), r.GP()
	m.LoadInt(next, x.rowSrc)
	m.JumpIfInt(Equal, left, 0, "nextMatrix")
	m.LoadInt(n, x.tiles)
	m.ShiftLeft(n, log2(x.rows()))
	m.JumpIf(LessEqual, n, left, "nextFull")
	m.Move(n, left)
	m.Label("nextFull")
	m.Mul(n, stride)
	m.Add(next, n)
	m.Jump("nextKnown")
	m.Label("nextMatrix")
	m.LoadInt(g, x.outer)
	m.JumpIfInt(Equal, g, 1, "nextKnown")
	m.LoadInt(next, x.src)
	x.arg(g, offset.pack.SrcOuter)
	m.Add(next, g)
	m.Label("nextKnown")
	m.StoreInt(x.next, next)

	// Cache lines in a row: if it may begin anywhere in one, as many as it can touch.
	m.Move(n, stride)
	m.And(n, line-1)
	m.JumpIfInt(Equal, n, 0, "aligned")
	m.MoveInt(next, line-1)
	m.Label("aligned")
	m.And(next, line-1)
	m.Add(next, bytes)
	m.AddInt(next, line-1)
	m.ShiftRight(next, log2(line))
	m.StoreInt(x.lines, next)
	m.Move(n, next)
	m.ShiftLeft(n, log2(line))
	m.Sub(stride, n)
	m.StoreInt(x.toNext, stride)
	m.ShiftRight(bytes, log2(line))
	m.Sub(next, bytes)
	m.LoadInt(g, x.tiles)
	m.Mul(next, g)
	m.ShiftLeft(next, log2(x.rows()))
	m.StoreInt(x.extra, next)
	m.MoveInt(g, x.rows())
	m.StoreInt(x.share, g)
	m.Label("aheadKnown")
	r.FreeGP(stride, bytes, n, next, g)
}

// squares goes through a row of squares, and those columns behind them that fill no
// cache line.
func (x *transposer) squares() {
	m, r, n := x.m, x.m.Regs(), x.lanes()
	x.keep(x.colsLeft, offset.pack.Cols)
	from, to := r.GP(), r.GP()
	m.LoadInt(from, x.rowSrc)
	m.LoadInt(to, x.rowDst)
	x.from = m.Streams(from, x.srcSteps, log2(x.rows()))
	x.to = m.Streams(to, x.dstSteps, log2(x.together()))
	x.ahead, x.linesAhead = r.GP(), r.GP()
	m.LoadInt(x.ahead, x.next)
	m.LoadInt(x.linesAhead, x.lines)
	x.jumpIfLeft(Less, line/x.size, "narrow")
	x.setWide(line / 16)
	m.Jump("square")

	m.Label("narrow")
	x.prefetchExtra()
	x.setWide(1)
	g := r.GP()
	m.MoveInt(g, 0)
	m.StoreInt(x.share, g)
	r.FreeGP(g)
	m.Label("narrowTile")
	x.jumpIfLeft(Equal, 0, "squaresDone")
	x.jumpIfLeft(GreaterEqual, n, "square")
	x.overlap()

	m.Label("square")
	x.copy(x.tilesLeft, x.tiles)
	count := r.GP()
	m.Label("tiles")
	m.LoadInt(count, x.share)
	m.JumpIfInt(Equal, count, 0, "noShare")
	x.prefetch("ahead", count)
	m.Label("noShare")
	m.LoadInt(count, x.wide)
	m.Label("tile")
	x.tile()
	m.AddInt(count, -1)
	m.JumpIfInt(NotEqual, count, 0, "tile")
	m.LoadInt(count, x.tilesLeft)
	m.AddInt(count, -1)
	m.StoreInt(x.tilesLeft, count)
	m.JumpIfInt(Equal, count, 0, "squareDone")
	r.FreeGP(count)
	x.advance(x.from, x.down)
	x.advance(x.to, x.downDst)
	m.Jump("tiles")
	m.Label("squareDone")
	x.advance(x.from, x.up)
	x.advance(x.to, x.upDst)
	wide, left := r.GP(), r.GP()
	m.LoadInt(wide, x.wide)
	m.ShiftLeft(wide, log2(n))
	m.LoadInt(left, x.colsLeft)
	m.Sub(left, wide)
	m.StoreInt(x.colsLeft, left)
	m.JumpIfInt(Equal, wide, n, "narrowTile")
	m.JumpIfInt(GreaterEqual, left, line/x.size, "square")
	r.FreeGP(wide, left)
	m.Jump("narrow")
	m.Label("squaresDone")
	r.FreeGP(x.ahead, x.linesAhead)
	m.FreeStreams(x.from)
	m.FreeStreams(x.to)
}

// setWide sets how many tiles are taken next to each other, and what follows from it.
func (x *transposer) setWide(n int) {
	m, g := x.m, x.m.Regs().GP()
	m.MoveInt(g, n)
	m.StoreInt(x.wide, g)
	m.LoadInt(g, x.srcSteps.Plus(8*log2(x.rows())))
	m.AddInt(g, -16*n)
	m.StoreInt(x.down, g)
	h := m.Regs().GP()
	m.MoveInt(g, m.VecBytes())
	m.LoadInt(h, x.dstSteps.Plus(8*log2(n*x.lanes())))
	m.Sub(g, h)
	m.StoreInt(x.downDst, g)
	m.Regs().FreeGP(g, h)
}

// prefetchExtra prefetches what whole squares have left of the rows that come next.
func (x *transposer) prefetchExtra() {
	count := x.m.Regs().GP()
	x.m.LoadInt(count, x.extra)
	x.m.JumpIfInt(Equal, count, 0, "noExtra")
	x.prefetch("extra", count)
	x.m.Label("noExtra")
	x.m.Regs().FreeGP(count)
}

// prefetch prefetches an even number of cache lines.
func (x *transposer) prefetch(label string, count GP) {
	m := x.m
	m.Label(label)
	for i := range 2 {
		inRow := fmt.Sprintf("%sInRow%d", label, i)
		m.Prefetch(At(x.ahead, 0))
		m.AddInt(x.ahead, line)
		m.AddInt(x.linesAhead, -1)
		m.JumpIfInt(NotEqual, x.linesAhead, 0, inRow)
		m.AddMem(x.ahead, x.toNext)
		m.LoadInt(x.linesAhead, x.lines)
		m.Label(inRow)
	}
	m.AddInt(count, -2)
	m.JumpIfInt(NotEqual, count, 0, label)
}

// jumpIfLeft compares the number of columns that are left.
func (x *transposer) jumpIfLeft(c Cond, n int, label string) {
	g := x.m.Regs().GP()
	x.m.LoadInt(g, x.colsLeft)
	x.m.JumpIfInt(c, g, n, label)
	x.m.Regs().FreeGP(g)
}

// overlap goes back so far that a tile has all of its columns.
func (x *transposer) overlap() {
	x.advance(x.from, x.back)
	x.advance(x.to, x.backDst)
	g := x.m.Regs().GP()
	x.m.MoveInt(g, x.lanes())
	x.m.StoreInt(x.colsLeft, g)
	x.m.Regs().FreeGP(g)
}

// tile transposes a tile, and goes on to the next columns.
func (x *transposer) tile() {
	m, together := x.m, x.together()
	vs := x.transposed(x.from)
	for _, ptr := range x.from.Ptrs {
		m.AddInt(ptr, 16)
	}
	for j, v := range vs {
		m.Store(x.to.Leaf(j%together), v)
		if j%together == together-1 {
			x.advance(x.to, x.dstSteps.Plus(8*log2(together)))
		}
	}
	m.Regs().Free(vs...)
}

// loadTile loads 16 bytes of each row of a tile.
func (p *mover) loadTile(from Streams) []Vec {
	n := p.lanes()
	vs := p.m.Regs().Vecs(n)
	for i, v := range vs {
		var rows []Addr
		for k := i; k < p.rows(); k += n {
			rows = append(rows, from.Leaf(k))
		}
		p.m.LoadLanes(v, rows)
	}
	return vs
}

// transposed returns the columns of a tile. Interleaving the first half of the
// vectors with the second moves the bits that number an element, those of its vector
// before those of its lane, round by one.
func (p *mover) transposed(from Streams) []Vec {
	r, n := p.m.Regs(), p.lanes()
	vs := p.loadTile(from)
	for h := 1; h < n; h *= 2 {
		var next []Vec
		for i := range n / 2 {
			a, b, w := vs[i], vs[i+n/2], r.Vec()
			p.m.Interleave(p.size, w, b, a, b)
			r.Free(a)
			next = append(next, w, b)
		}
		vs = next
	}
	return vs
}

// firstColumn returns the first column of a tile.
func (p *mover) firstColumn(from Streams) Vec {
	vs := p.loadTile(from)
	for n := len(vs) / 2; n > 0; n /= 2 {
		for i, b := range vs[n:] {
			p.m.Interleave(p.size, vs[i], noVec, vs[i], b)
			p.m.Regs().Free(b)
		}
		vs = vs[:n]
	}
	return vs[0]
}

// endSquares goes on to the next row of squares, if there is one.
func (x *transposer) endSquares() {
	m, r := x.m, x.m.Regs()
	n, g := r.GP(), r.GP()
	m.LoadInt(n, x.tiles)
	m.LoadInt(g, x.srcSteps.Plus(8*log2(x.rows())))
	m.Mul(g, n)
	x.addTo(x.rowSrc, g)
	m.ShiftLeft(n, log2(m.VecBytes()))
	x.addTo(x.rowDst, n)
	m.LoadInt(g, x.rowsLeft)
	m.JumpIfInt(NotEqual, g, 0, "squares")
	r.FreeGP(n, g)
}

// low transposes matrices with less rows than a tile, but as many as 16 bytes have
// elements at least: the last ones are the upper half of a tile's rows.
func (x *transposer) low() {
	m, r, n := x.m, x.m.Regs(), x.lanes()
	levels, together := log2(n), x.together()
	m.Label("low")
	x.prepare()
	g, h := r.GP(), r.GP()
	x.arg(g, offset.pack.Rows)
	m.AddInt(g, -n)
	m.LoadInt(h, x.srcSteps)
	m.Mul(h, g)
	m.StoreInt(x.srcSteps.Plus(8*levels), h)
	m.ShiftLeft(g, log2(x.size))
	half := x.dstSteps.Plus(8 * log2(together)) // from the first rows to the last
	x.copy(x.downDst, half)
	m.StoreInt(half, g)
	r.FreeGP(g, h)

	m.Label("lowMatrix")
	x.keep(x.colsLeft, offset.pack.Cols)
	from, to := r.GP(), r.GP()
	m.LoadInt(from, x.src)
	m.LoadInt(to, x.dst)
	x.from = m.Streams(from, x.srcSteps, levels+1)
	x.to = m.Streams(to, x.dstSteps, log2(together)+1)
	m.Label("lowTile")
	x.jumpIfLeft(GreaterEqual, n, "lowInside")
	x.overlap()
	m.Label("lowInside")
	vs := x.transposed(x.from)
	for _, ptr := range x.from.Ptrs {
		m.AddInt(ptr, 16)
	}
	for j, v := range vs {
		m.StoreLanes([]Addr{x.to.Leaf(j % together), x.to.Leaf(j%together + together)}, v)
		if j%together == together-1 {
			x.advance(x.to, x.downDst)
		}
	}
	r.Free(vs...)
	g = r.GP()
	m.LoadInt(g, x.colsLeft)
	m.AddInt(g, -n)
	m.StoreInt(x.colsLeft, g)
	m.JumpIfInt(NotEqual, g, 0, "lowTile")
	r.FreeGP(g)
	m.FreeStreams(x.from)
	m.FreeStreams(x.to)
	x.nextOuter("lowMatrix", "end")
}

// A rowCopier copies rows. One of up to 128 bytes is copied in two pieces of the same
// size, which overlap unless each is half of it; a longer one in pieces of 128 bytes,
// the last one of which overlaps. Rows that lie apart are prefetched: how many ahead
// depends on how long they are.
type rowCopier struct {
	*mover
	bytes            Addr // in a row
	steps, dstSteps  Addr // from a row's beginning to its last piece, and to what is prefetched
	srcRow, dstRow   Addr // from a row to the next, or from the end of one longer than two pieces
	rowSrc, rowDst   Addr // where the next rows begin
	left             Addr // rows
	far, ahead       Addr // how many rows ahead rows are prefetched, and how many bytes that is
	outers, farOuter Addr // the same for the last rows, in outer items and bytes
}

// longest is the size of rows up to which they are copied in two pieces.
const longest = 128

// rowsAhead is how many rows ahead rows are prefetched, up to how many bytes long.
var rowsAhead = []struct{ rows, bytes int }{{16, 128}, {4, 1024}, {1, 0}}

func newRowCopier(p *mover) *rowCopier {
	x := &rowCopier{mover: new(*p)}
	x.slots(&x.bytes, &x.srcRow, &x.dstRow, &x.rowSrc, &x.rowDst, &x.left, &x.far, &x.ahead, &x.outers, &x.farOuter, &x.dstSteps)
	x.steps = x.array(2)
	return x
}

func (x *rowCopier) emit() {
	m, r := x.m, x.m.Regs()
	m.Label("copy")
	x.prepare()
	m.Label("rowsMatrix")
	x.copy(x.rowSrc, x.src)
	x.copy(x.rowDst, x.dst)
	x.keep(x.left, offset.pack.Rows)
	m.Label("rowsNext")
	count := r.GP()
	x.beginRows(count)
	for u := 2 * x.size; u <= longest/2; u *= 2 {
		x.jumpIfLonger(2*u, fmt.Sprintf("longerThan%d", 2*u))
		x.twoPieces(count, u)
		m.Jump("rowsDone")
		m.Label(fmt.Sprintf("longerThan%d", 2*u))
	}
	x.pieces(count)
	m.Label("rowsDone")
	m.LoadInt(count, x.left)
	m.JumpIfInt(NotEqual, count, 0, "rowsNext")
	r.FreeGP(count)
	x.nextOuter("rowsMatrix", "end")
}

func (x *rowCopier) jumpIfLonger(bytes int, label string) {
	g := x.m.Regs().GP()
	x.m.LoadInt(g, x.bytes)
	x.m.JumpIfInt(Greater, g, bytes, label)
	x.m.Regs().FreeGP(g)
}

// prepare fills the frame with what is the same for all matrices.
func (x *rowCopier) prepare() {
	m, r := x.m, x.m.Regs()
	g, h := r.GP(), r.GP()
	x.arg(g, offset.pack.Cols)
	m.ShiftLeft(g, log2(x.size))
	m.StoreInt(x.bytes, g)
	for _, row := range []struct {
		to    Addr
		field int
	}{{x.srcRow, offset.pack.SrcRow}, {x.dstRow, offset.pack.DstRow}} {
		skip := fmt.Sprintf("stride%d", row.field)
		x.arg(h, row.field)
		m.JumpIfInt(LessEqual, g, longest, skip)
		m.Sub(h, g)
		m.Label(skip)
		m.StoreInt(row.to, h)
	}
	for u := 2 * x.size; u <= longest/2; u *= 2 {
		m.Move(h, g)
		m.AddInt(h, -u)
		m.StoreInt(x.dstSteps, h)
		m.JumpIfInt(LessEqual, g, 2*u, "pieceKnown")
	}
	m.Label("pieceKnown")
	x.copy(x.steps, x.dstSteps)
	for i, a := range rowsAhead {
		m.MoveInt(h, a.rows)
		if i < len(rowsAhead)-1 {
			m.JumpIfInt(LessEqual, g, a.bytes, "farKnown")
		}
	}
	m.Label("farKnown")
	r.FreeGP(g)
	x.prepareAhead(h)
	r.FreeGP(h)
}

// prepareAhead computes where the rows lie that are far rows ahead: in the same matrix,
// or in one of the next ones, a power of two of them ahead.
func (x *rowCopier) prepareAhead(far GP) {
	m, r := x.m, x.m.Regs()
	stride, g, rows, outers := r.GP(), r.GP(), r.GP(), r.GP()
	m.StoreInt(x.far, far)
	x.arg(stride, offset.pack.SrcRow)
	m.MoveInt(g, 0)
	m.JumpIfInt(Less, stride, line, "rowsAheadKnown")
	m.Move(g, stride)
	m.Mul(g, far)
	m.Label("rowsAheadKnown")
	m.StoreInt(x.ahead, g)

	x.arg(g, offset.pack.SrcOuter)
	x.arg(rows, offset.pack.Rows)
	m.MoveInt(outers, 1)
	m.JumpIf(Less, rows, far, "moreOuters")
	m.Sub(rows, far)
	m.Mul(rows, stride)
	m.Sub(g, rows)
	m.Jump("outersKnown")
	m.Label("moreOuters")
	m.ShiftLeft(g, 1)
	m.ShiftLeft(outers, 1)
	m.ShiftLeft(rows, 1)
	m.JumpIf(Less, rows, far, "moreOuters")
	m.Label("outersKnown")
	m.StoreInt(x.farOuter, g)
	m.StoreInt(x.outers, outers)
	r.FreeGP(stride, g, rows, outers)
}

// beginRows sets count to the number of rows for which that what is prefetched lies
// at the same distance: all but the last ones of a matrix, or those.
func (x *rowCopier) beginRows(count GP) {
	m, r := x.m, x.m.Regs()
	left, g, h := r.GP(), r.GP(), r.GP()
	m.LoadInt(left, x.left)
	m.LoadInt(g, x.far)
	m.Move(count, left)
	m.Sub(count, g)
	m.LoadInt(h, x.ahead)
	m.JumpIfInt(Greater, count, 0, "rowsCounted")
	m.Move(count, left)
	m.MoveInt(h, 0)
	m.LoadInt(left, x.outer)
	m.LoadInt(g, x.outers)
	m.JumpIf(LessEqual, left, g, "lastRows")
	m.LoadInt(h, x.farOuter)
	m.Label("lastRows")
	m.Move(left, count)
	m.Label("rowsCounted")
	m.StoreInt(x.steps.Plus(8), h)
	m.Sub(left, count)
	m.StoreInt(x.left, left)
	r.FreeGP(left, g, h)
}

// twoPieces copies rows of u to 2u bytes.
func (x *rowCopier) twoPieces(count GP, u int) {
	m, r := x.m, x.m.Regs()
	src, dst, srcRow, dstRow := r.GP(), r.GP(), r.GP(), r.GP()
	m.LoadInt(src, x.rowSrc)
	m.LoadInt(dst, x.rowDst)
	m.LoadInt(srcRow, x.srcRow)
	m.LoadInt(dstRow, x.dstRow)
	from, to := m.Streams(src, x.steps, 2), m.Streams(dst, x.dstSteps, 1)
	label := fmt.Sprintf("row%d", u)
	m.Label(label)
	x.move(to, from, u)
	m.Prefetch(from.Leaf(2))
	m.Prefetch(from.Leaf(3))
	for _, p := range from.Ptrs {
		m.Add(p, srcRow)
	}
	for _, p := range to.Ptrs {
		m.Add(p, dstRow)
	}
	m.AddInt(count, -1)
	m.JumpIfInt(NotEqual, count, 0, label)
	m.StoreInt(x.rowSrc, from.Leaf(0).Base)
	m.StoreInt(x.rowDst, to.Leaf(0).Base)
	m.FreeStreams(from)
	m.FreeStreams(to)
	r.FreeGP(srcRow, dstRow)
}

// move copies u bytes at the first two leaves each.
func (x *rowCopier) move(to, from Streams, u int) {
	m, r := x.m, x.m.Regs()
	if u <= 8 {
		a, b := r.GP(), r.GP()
		m.LoadElement(u, a, from.Leaf(0))
		m.LoadElement(u, b, from.Leaf(1))
		m.StoreElement(u, to.Leaf(0), a)
		m.StoreElement(u, to.Leaf(1), b)
		r.FreeGP(a, b)
		return
	}
	vs := r.Vecs(2 * max(1, u/m.VecBytes()))
	half := len(vs) / 2
	if u < m.VecBytes() {
		m.LoadLanes(vs[0], []Addr{from.Leaf(0)})
		m.LoadLanes(vs[1], []Addr{from.Leaf(1)})
		m.StoreLanes([]Addr{to.Leaf(0)}, vs[0])
		m.StoreLanes([]Addr{to.Leaf(1)}, vs[1])
	} else {
		m.LoadVecs(whole, vs[:half], from.Leaf(0))
		m.LoadVecs(whole, vs[half:], from.Leaf(1))
		m.StoreVecs(to.Leaf(0), vs[:half])
		m.StoreVecs(to.Leaf(1), vs[half:])
	}
	r.Free(vs...)
}

// pieces copies rows that are longer than two pieces.
func (x *rowCopier) pieces(count GP) {
	m, r := x.m, x.m.Regs()
	src, dst, left := r.GP(), r.GP(), r.GP()
	vs := r.Vecs(longest / m.VecBytes())
	m.LoadInt(src, x.rowSrc)
	m.LoadInt(dst, x.rowDst)
	from := m.Streams(src, x.steps.Plus(8), 1)
	m.Label("longRow")
	m.LoadInt(left, x.bytes)
	m.AddInt(left, -longest)
	m.Label("piece")
	m.LoadVecs(whole, vs, from.Leaf(0))
	m.StoreVecs(At(dst, 0), vs)
	for i := 0; i < longest; i += line {
		m.Prefetch(from.Leaf(1).Plus(i))
	}
	for _, p := range from.Ptrs {
		m.AddInt(p, longest)
	}
	m.AddInt(dst, longest)
	m.AddInt(left, -longest)
	m.JumpIfInt(Greater, left, 0, "piece")
	for _, p := range from.Ptrs {
		m.Add(p, left)
	}
	m.Add(dst, left)
	m.LoadVecs(whole, vs, from.Leaf(0))
	m.StoreVecs(At(dst, 0), vs)
	for _, p := range from.Ptrs {
		m.AddInt(p, longest)
	}
	m.AddInt(dst, longest)
	x.advance(from, x.srcRow)
	m.AddMem(dst, x.dstRow)
	m.AddInt(count, -1)
	m.JumpIfInt(NotEqual, count, 0, "longRow")
	m.StoreInt(x.rowSrc, from.Leaf(0).Base)
	m.StoreInt(x.rowDst, dst)
	r.Free(vs...)
	m.FreeStreams(from)
	r.FreeGP(dst, left)
}

// A gatherer gathers columns of a vector's rows at a time: one by one, or all of those
// of a matrix that has no more of them than 16 bytes have elements. It loads 16 bytes
// of each row, as a transposer does, of which those behind the columns may be elements
// of the next rows, or lie between them. The last few rows, where they would lie behind
// all elements, are copied element by element.
type gatherer struct {
	*mover
	thin               Addr // whether all columns are gathered at a time
	passes, passesLeft Addr // columns, if they are gathered one by one
	colSrc, colDst     Addr // where the current ones begin
	last               Addr // how many rows are left in the end
	srcSteps           Addr // the stride of rows, times 1, 2, 4, ...
	back, backDst      Addr // from the last whole tile's end to where the last tile begins
}

func newGatherer(p *mover) *gatherer {
	x := &gatherer{mover: new(*p)}
	x.slots(&x.thin, &x.passes, &x.passesLeft, &x.colSrc, &x.colDst, &x.last, &x.back, &x.backDst)
	x.srcSteps = x.array(log2(p.rows()) + 1)
	return x
}

func (x *gatherer) emit() {
	m, r := x.m, x.m.Regs()
	x.prepare()
	m.Label("gatherMatrix")
	x.copy(x.colSrc, x.src)
	x.copy(x.colDst, x.dst)
	x.copy(x.passesLeft, x.passes)
	m.Label("gatherPass")
	g := r.GP()
	m.LoadInt(g, x.thin)
	m.JumpIfInt(NotEqual, g, 0, "thinPass")
	r.FreeGP(g)
	g = r.GP()
	m.LoadInt(g, x.srcSteps)
	m.JumpIfInt(Equal, g, 2*x.size, "evens")
	r.FreeGP(g)
	x.tiles("gatherTile", log2(x.rows()), x.one)
	m.Jump("passed")
	m.Label("evens")
	x.tiles("evensTile", 0, x.evens)
	m.Label("passed")
	g = r.GP()
	x.arg(g, offset.pack.SrcCol)
	x.addTo(x.colSrc, g)
	x.arg(g, offset.pack.DstCol)
	x.addTo(x.colDst, g)
	m.LoadInt(g, x.passesLeft)
	m.AddInt(g, -1)
	m.StoreInt(x.passesLeft, g)
	m.JumpIfInt(NotEqual, g, 0, "gatherPass")
	m.Jump("gathered")
	r.FreeGP(g)
	m.Label("thinPass")
	x.tiles("thinTile", log2(x.rows()), x.some)
	m.Label("gathered")
	x.nextOuter("gatherMatrix", "gatheredAll")
	m.Label("gatheredAll")
	x.leaveLast()
}

// prepare fills the frame with what is the same for all matrices.
func (x *gatherer) prepare() {
	m, r := x.m, x.m.Regs()
	thin, passes, bytes := r.GP(), r.GP(), r.GP()
	m.Label("gather")
	m.MoveInt(thin, 0)
	x.arg(passes, offset.pack.Cols)
	m.MoveInt(bytes, x.size)
	m.Jump("gatherAny")
	m.Label("gatherThin")
	m.MoveInt(thin, 1)
	m.MoveInt(passes, 1)
	x.arg(bytes, offset.pack.Cols)
	m.ShiftLeft(bytes, log2(x.size))
	m.Label("gatherAny")
	m.StoreInt(x.thin, thin)
	m.StoreInt(x.passes, passes)

	last, rows, stride := thin, passes, r.GP()
	x.arg(stride, offset.pack.SrcRow)
	m.JumpIfInt(Less, stride, x.size, "elements")
	m.MoveInt(last, 0)
	m.Label("gatherLast")
	m.JumpIfInt(GreaterEqual, bytes, 16, "gatherInside")
	m.AddInt(last, 1)
	m.Add(bytes, stride)
	m.Jump("gatherLast")
	m.Label("gatherInside")
	m.StoreInt(x.last, last)
	m.LoadInt(rows, x.matrixRows)
	m.Sub(rows, last)
	m.JumpIfInt(Less, rows, x.rows(), "elements")
	m.StoreInt(x.matrixRows, rows)

	m.And(rows, x.rows()-1)
	m.AddInt(rows, -x.rows())
	m.Mul(stride, rows)
	m.StoreInt(x.back, stride)
	m.ShiftLeft(rows, log2(x.size))
	m.StoreInt(x.backDst, rows)
	r.FreeGP(thin, passes, bytes, stride)
	x.keepMultiples(x.srcSteps, log2(x.rows())+1, offset.pack.SrcRow)
}

// tiles goes through the tiles below each other, with pointers to 2^levels rows.
func (x *gatherer) tiles(label string, levels int, tile func(from Streams, to GP)) {
	m, r, rows := x.m, x.m.Regs(), x.rows()
	base, to, left, step := r.GP(), r.GP(), r.GP(), r.GP()
	m.LoadInt(base, x.colSrc)
	m.LoadInt(to, x.colDst)
	m.LoadInt(left, x.matrixRows)
	m.LoadInt(step, x.srcSteps.Plus(8*log2(rows)))
	from := m.Streams(base, x.srcSteps, levels)
	m.Label(label)
	tile(from, to)
	for _, ptr := range from.Ptrs {
		m.Add(ptr, step)
	}
	m.AddInt(to, m.VecBytes())
	m.AddInt(left, -rows)
	m.JumpIfInt(GreaterEqual, left, rows, label)
	m.JumpIfInt(Equal, left, 0, label+"Done")
	m.MoveInt(left, rows)
	for _, ptr := range from.Ptrs {
		m.AddMem(ptr, x.back)
	}
	m.AddMem(to, x.backDst)
	m.Jump(label)
	m.Label(label + "Done")
	m.FreeStreams(from)
	r.FreeGP(to, left, step)
}

// one gathers one column.
func (x *gatherer) one(from Streams, to GP) {
	v := x.firstColumn(from)
	x.m.Store(At(to, 0), v)
	x.m.Regs().Free(v)
}

// evens gathers every other one of the elements of two vectors.
func (x *gatherer) evens(from Streams, to GP) {
	m, r := x.m, x.m.Regs()
	vs := r.Vecs(2)
	m.LoadVecs(whole, vs, from.Leaf(0))
	m.Evens(x.size, vs[0], vs[1])
	m.Store(At(to, 0), vs[0])
	r.Free(vs...)
}

// some gathers all columns of a tile, of which there may be less than there is room for.
func (x *gatherer) some(from Streams, to GP) {
	m, r := x.m, x.m.Regs()
	at, cols, col := r.GP(), r.GP(), r.GP()
	x.arg(cols, offset.pack.Cols)
	x.arg(col, offset.pack.DstCol)
	m.Move(at, to)
	vs := x.transposed(from)
	for j, v := range vs {
		m.Store(At(at, 0), v)
		if j < len(vs)-1 {
			m.JumpIfInt(Equal, cols, j+1, "someStored")
			m.Add(at, col)
		}
	}
	m.Label("someStored")
	r.Free(vs...)
	r.FreeGP(at, cols, col)
}

// leaveLast goes on to copy the elements of the last rows, if any are left.
func (x *gatherer) leaveLast() {
	m, r := x.m, x.m.Regs()
	rows, g := r.GP(), r.GP()
	m.LoadInt(g, x.last)
	m.JumpIfInt(Equal, g, 0, "end")
	m.LoadInt(rows, x.matrixRows)
	m.StoreInt(x.matrixRows, g)
	x.begin()
	m.LoadInt(g, x.srcSteps)
	m.Mul(g, rows)
	x.addTo(x.src, g)
	m.ShiftLeft(rows, log2(x.size))
	x.addTo(x.dst, rows)
	r.FreeGP(rows, g)
}

// An elementCopier copies elements one by one, along the longer side of a matrix,
// four at a time.
type elementCopier struct {
	*mover
	count, lines       Addr // elements in a line, lines in a matrix
	linesLeft          Addr
	srcLine, dstLine   Addr // from the end of a line's last four elements to the next line
	srcOuter, dstOuter Addr // from the end of a matrix to the next one
	srcSteps, dstSteps Addr // the stride inside of a line, times 1, 2, 4
}

func newElementCopier(p *mover) *elementCopier {
	x := &elementCopier{mover: new(*p)}
	x.slots(&x.count, &x.lines, &x.linesLeft, &x.srcLine, &x.dstLine, &x.srcOuter, &x.dstOuter)
	x.srcSteps, x.dstSteps = x.array(3), x.array(3)
	return x
}

func (x *elementCopier) emit() {
	m, r := x.m, x.m.Regs()
	x.prepare()
	src, dst, count := r.GP(), r.GP(), r.GP()
	m.LoadInt(src, x.src)
	m.LoadInt(dst, x.dst)
	from, to := m.Streams(src, x.srcSteps, 2), m.Streams(dst, x.dstSteps, 2)
	m.Label("elementsMatrix")
	x.copy(x.linesLeft, x.lines)
	m.Label("elementsLine")
	m.LoadInt(count, x.count)
	m.JumpIfInt(Less, count, 4, "single0")
	m.Label("four")
	x.move(to, from, 0, 4)
	x.advance(from, x.srcSteps.Plus(16))
	x.advance(to, x.dstSteps.Plus(16))
	m.AddInt(count, -4)
	m.JumpIfInt(GreaterEqual, count, 4, "four")
	for i := range 3 {
		m.Label(fmt.Sprintf("single%d", i))
		m.JumpIfInt(LessEqual, count, i, "elementsLineDone")
		x.move(to, from, i, i+1)
	}
	m.Label("elementsLineDone")
	x.advance(from, x.srcLine)
	x.advance(to, x.dstLine)
	m.LoadInt(count, x.linesLeft)
	m.AddInt(count, -1)
	m.StoreInt(x.linesLeft, count)
	m.JumpIfInt(NotEqual, count, 0, "elementsLine")
	x.advance(from, x.srcOuter)
	x.advance(to, x.dstOuter)
	m.LoadInt(count, x.outer)
	m.AddInt(count, -1)
	m.StoreInt(x.outer, count)
	m.JumpIfInt(NotEqual, count, 0, "elementsMatrix")
	m.FreeStreams(from)
	m.FreeStreams(to)
	r.FreeGP(count)
}

// move copies the elements at some of the leaves.
func (x *elementCopier) move(to, from Streams, first, end int) {
	m, r := x.m, x.m.Regs()
	var gs []GP
	for i := first; i < end; i++ {
		g := r.GP()
		m.LoadElement(x.size, g, from.Leaf(i))
		gs = append(gs, g)
	}
	for i, g := range gs {
		m.StoreElement(x.size, to.Leaf(first+i), g)
	}
	r.FreeGP(gs...)
}

// prepare fills the frame with what is the same for all matrices.
func (x *elementCopier) prepare() {
	m, r := x.m, x.m.Regs()
	m.Label("elements")
	count, lines, src, srcLine, dst, dstLine := r.GP(), r.GP(), r.GP(), r.GP(), r.GP(), r.GP()
	m.LoadInt(lines, x.matrixRows)
	x.arg(count, offset.pack.Cols)
	x.arg(src, offset.pack.SrcCol)
	x.arg(srcLine, offset.pack.SrcRow)
	x.arg(dst, offset.pack.DstCol)
	x.arg(dstLine, offset.pack.DstRow)
	m.JumpIf(LessEqual, lines, count, "longer")
	g := r.GP()
	for _, p := range [][2]GP{{count, lines}, {src, srcLine}, {dst, dstLine}} {
		m.Move(g, p[0])
		m.Move(p[0], p[1])
		m.Move(p[1], g)
	}
	m.Label("longer")
	m.StoreInt(x.count, count)
	m.StoreInt(x.lines, lines)
	m.And(count, -4)
	for _, s := range []struct {
		steps, line, outer Addr
		stride, lineStride GP
		field              int
	}{
		{x.srcSteps, x.srcLine, x.srcOuter, src, srcLine, offset.pack.SrcOuter},
		{x.dstSteps, x.dstLine, x.dstOuter, dst, dstLine, offset.pack.DstOuter},
	} {
		m.Move(g, s.stride)
		for i := range 3 {
			m.StoreInt(s.steps.Plus(8*i), g)
			m.ShiftLeft(g, 1)
		}
		m.Mul(s.stride, count)
		m.Move(g, s.lineStride)
		m.Sub(g, s.stride)
		m.StoreInt(s.line, g)
		x.arg(g, s.field)
		m.Mul(s.lineStride, lines)
		m.Sub(g, s.lineStride)
		m.StoreInt(s.outer, g)
	}
	r.FreeGP(count, lines, src, srcLine, dst, dstLine, g)
}
