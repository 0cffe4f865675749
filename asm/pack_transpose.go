package main

import (
	"fmt"
)

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
