package main

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
