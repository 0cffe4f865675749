package reducesum

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// packTypes are a type of each size, whose kernels serve the others too.
var packTypes = []kernels.Type{kernels.F16, kernels.F32, kernels.F64}

// A packTest calls pack with source and destination between guard pages.
type packTest struct {
	isa            kernels.ISA
	typ            kernels.Type
	src, dst, want []byte
}

func newPackTest(t testing.TB, r *rand.Rand, isa kernels.ISA, typ kernels.Type, bytes int) *packTest {
	p := &packTest{isa: isa, typ: typ, src: guarded(t, bytes), dst: guarded(t, bytes), want: make([]byte, bytes+4096)}
	for i := range p.src {
		p.src[i] = byte(r.Uint32())
	}
	return p
}

// spans are how many bytes lie from the first element of a to behind the last one.
func packSpans(size int, a kernels.PackArgs) (src, dst int) {
	return (a.Outer-1)*a.SrcOuter + (a.Rows-1)*a.SrcRow + (a.Cols-1)*a.SrcCol + size,
		(a.Outer-1)*a.DstOuter + (a.Rows-1)*a.DstRow + (a.Cols-1)*a.DstCol + size
}

// check compares a call with the generic one: where the source begins and ends at a
// guard page, and the destination too, with what lies between its elements.
func (p *packTest) check(t *testing.T, a kernels.PackArgs, call func(a kernels.PackArgs)) {
	t.Helper()
	src, dst := packSpans(p.typ.Size(), a)
	if src > len(p.src) || dst > len(p.dst) {
		t.Fatalf("%+v: %d and %d bytes, only %d", a, src, dst, len(p.src))
	}
	for _, end := range []bool{false, true} {
		a.Src = unsafe.Pointer(&p.src[0])
		got := p.dst[:dst]
		if end {
			a.Src = tail(p.src, src)
			got = p.dst[len(p.dst)-dst:]
		}
		want := p.want[:dst]
		for i := range want {
			want[i] = 0xA5
		}
		copy(got, want)
		a.Dst = unsafe.Pointer(&want[0])
		packGeneric(&a, kernels.Generic, p.typ)
		a.Dst = unsafe.Pointer(&got[0])
		call(a)
		if !bytes.Equal(got, want) {
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%+v: byte %d of %d is %#x, want %#x", a, i, dst, got[i], want[i])
				}
			}
		}
	}
}

// packLayouts are the ways in which matrices lie: strides in elements, of which those
// of Dst are such that none of its elements overlap.
func packLayouts(r *rand.Rand, a kernels.PackArgs) map[string]kernels.PackArgs {
	pad := func() int { return r.IntN(2) * r.IntN(20) }
	layouts := map[string]kernels.PackArgs{}
	add := func(name string, srcRow, srcCol, dstRow, dstCol int) {
		b := a
		b.SrcRow, b.SrcCol, b.DstRow, b.DstCol = srcRow, srcCol, dstRow, dstCol
		b.SrcOuter = []int{0, 1, a.Rows*srcRow + a.Cols*srcCol + pad()}[r.IntN(3)]
		b.DstOuter = max(a.Rows*dstRow, a.Cols*dstCol) + pad()
		if dstRow < a.Cols && dstCol < a.Rows {
			b.DstOuter += a.Rows*dstRow + a.Cols*dstCol
		}
		layouts[name] = b
	}
	add("transpose", a.Cols+pad(), 1, 1, a.Rows+pad())
	add("transpose, rows repeated", r.IntN(3), 1, 1, a.Rows+pad())
	add("copy", a.Cols+pad(), 1, a.Cols+pad(), 1)
	add("copy, rows overlap", r.IntN(a.Cols+1), 1, a.Cols+pad(), 1)
	add("gather", (a.Cols+pad())*3, 3, a.Cols+pad(), 1)
	add("scatter", a.Cols+pad(), 1, 2*a.Cols+pad(), 2)
	add("columns first", 1, a.Rows+pad(), a.Cols+pad(), 1)
	add("columns first on both sides", 1, a.Rows+pad(), 1, a.Rows+pad())
	k := 2 + r.IntN(3)
	add("every other element", k*a.Cols+pad(), k, a.Cols+pad(), 1)
	add("one element repeated", 0, 0, a.Cols+pad(), 1)
	add("any strides", (a.Cols+pad())*k, k, 1+pad(), a.Rows*20)
	return layouts
}

// inBytes turns strides in elements into strides in bytes.
func inBytes(size int, a kernels.PackArgs) kernels.PackArgs {
	for _, s := range []*int{&a.SrcOuter, &a.SrcRow, &a.SrcCol, &a.DstOuter, &a.DstRow, &a.DstCol} {
		*s *= size
	}
	return a
}

// TestPackKernels compares pack with the generic one for all small matrices, and
// some larger ones.
func TestPackKernels(t *testing.T) {
	eachISA(t, func(t *testing.T, isa kernels.ISA) {
		for _, typ := range packTypes {
			t.Run(typ.String(), func(t *testing.T) {
				r := newRand(t)
				p := newPackTest(t, r, isa, typ, 1<<18)
				call := func(a kernels.PackArgs) { pack(&a, isa, typ) }
				check := func(outer, rows, cols int) {
					for name, a := range packLayouts(r, kernels.PackArgs{Outer: outer, Rows: rows, Cols: cols}) {
						a = inBytes(typ.Size(), a)
						if s, d := packSpans(typ.Size(), a); s > len(p.src) || d > len(p.dst) {
							continue
						}
						p.check(t, a, call)
						if t.Failed() {
							t.Fatal(name)
						}
					}
				}
				for rows := 1; rows <= 40; rows++ {
					for cols := 1; cols <= 40; cols++ {
						check(1+r.IntN(2)*r.IntN(3), rows, cols)
					}
				}
				for range long(300, 60) {
					check(1+r.IntN(4), 1+r.IntN(150), 1+r.IntN(150))
					check(1+r.IntN(40), 1+r.IntN(5), 1+r.IntN(5))
					check(1+r.IntN(40), 1+r.IntN(20), 1+r.IntN(20))
					check(1, 1+r.IntN(9), 1+r.IntN(2000))
					check(1, 1+r.IntN(2000), 1+r.IntN(9))
				}
			})
		}
	})
}

// TestPackElements compares packElements with the generic kernel, for more than one
// call packs, and axes in any order.
func TestPackElements(t *testing.T) {
	eachISA(t, func(t *testing.T, isa kernels.ISA) {
		eachType(t, func(t *testing.T, typ kernels.Type) {
			r := newRand(t)
			p := newPackTest(t, r, isa, typ, 4<<20)
			for range long(100, 20) {
				a := randomPack(r, typ.Size(), len(p.src))
				p.check(t, a, func(a kernels.PackArgs) { packElements(isa, typ, a) })
			}
		})
	})
}

// randomPack returns axes of up to limit bytes, in any order on either side.
func randomPack(r *rand.Rand, size, limit int) kernels.PackArgs {
	for {
		n := [3]int{}
		for i := range n {
			n[i] = 1 + r.IntN(1<<r.IntN(13))
		}
		strides := func() (s [3]int) {
			stride := size * (1 + r.IntN(2)*r.IntN(4))
			for _, i := range r.Perm(3) {
				s[i] = stride
				stride = stride*n[i] + r.IntN(2)*r.IntN(40)*size
			}
			return s
		}
		s, d := strides(), strides()
		a := kernels.PackArgs{
			Outer: n[0], Rows: n[1], Cols: n[2],
			SrcOuter: s[0], SrcRow: s[1], SrcCol: s[2], DstOuter: d[0], DstRow: d[1], DstCol: d[2],
		}
		if src, dst := packSpans(size, a); src <= limit && dst <= limit {
			return a
		}
	}
}

// apart returns axes whose elements all lie in lines of their own, on both sides, and
// that have about as many elements as a call may touch lines.
func apart(r *rand.Rand, size int) kernels.PackArgs {
	a := kernels.PackArgs{Outer: 1 + r.IntN(20), Rows: 1 + r.IntN(20)}
	a.Cols = 1 + r.IntN(2*kernels.MaxBytes/cacheLine/(a.Outer*a.Rows))
	a.SrcCol, a.DstCol = (2+r.IntN(4))*cacheLine, (1+r.IntN(4))*cacheLine
	a.SrcRow, a.DstRow = a.Cols*a.SrcCol, a.Cols*a.DstCol
	a.SrcOuter, a.DstOuter = a.Rows*a.SrcRow, a.Rows*a.DstRow
	return a
}

// TestPackPiece fails when a call would touch more cache lines than it may.
func TestPackPiece(t *testing.T) {
	r := newRand(t)
	for _, size := range []int{2, 4, 8} {
		for range long(300, 50) {
			a := packOrder(size, randomPack(r, size, 16<<20))
			switch r.IntN(4) {
			case 0:
				a.SrcRow = r.IntN(2) * size
			case 1:
				a = packOrder(size, apart(r, size))
			}
			a.Outer, a.Rows, a.Cols = packPiece(size, &a)
			lines := 0
			for _, s := range [][4]int{{a.SrcOuter, a.SrcRow, a.SrcCol, 16}, {a.DstOuter, a.DstRow, a.DstCol, size}} {
				seen := map[int]bool{}
				at := max(r.IntN(cacheLine/size), r.IntN(cacheLine/size)) * size // 16 bytes often lie in two lines
				for o := range a.Outer {
					for i := range a.Rows {
						for k := range a.Cols {
							off := at + o*s[0] + i*s[1] + k*s[2]
							seen[off/cacheLine] = true
							seen[(off+s[3]-1)/cacheLine] = true
						}
					}
				}
				lines += len(seen)
			}
			if lines*cacheLine > kernels.MaxBytes {
				t.Fatalf("size %d, %+v: %d cache lines", size, a, lines)
			}
		}
	}
}

// packBenches are layouts of which each takes another way, in elements: how wide the
// rows are, or how high the columns, and how far apart.
var packBenches = []struct {
	name string
	args func(size, n int) kernels.PackArgs // n elements
}{
	{"transpose wide", func(size, n int) kernels.PackArgs { return transposed(n/256, 256, 256) }},
	{"transpose wide apart", func(size, n int) kernels.PackArgs { return transposed(n/256, 256, 1040) }},
	{"transpose a line wide", func(size, n int) kernels.PackArgs { return transposed(n*size/64, 64/size, 256/size) }},
	{"transpose 3 wide", func(size, n int) kernels.PackArgs { return transposed(n/3, 3, 3) }},
	{"transpose 3 high", func(size, n int) kernels.PackArgs { return transposed(3, n/3, n/3) }},
	{"transpose 12 high", func(size, n int) kernels.PackArgs { return transposed(12, n/12, n/12) }},
	{"copy rows of 16 bytes", func(size, n int) kernels.PackArgs { return copied(n*size/16, 16/size, 64/size) }},
	{"copy rows of 100 bytes", func(size, n int) kernels.PackArgs { return copied(n*size/100, 100/size, 400/size) }},
	{"copy rows of 1 KiB", func(size, n int) kernels.PackArgs { return copied(n*size/1024, 1024/size, 4096/size) }},
	{"every other element", func(size, n int) kernels.PackArgs {
		return kernels.PackArgs{Outer: 1, Rows: 1, Cols: n, SrcCol: 2, DstCol: 1}
	}},
	{"every third element", func(size, n int) kernels.PackArgs {
		return kernels.PackArgs{Outer: 1, Rows: 1, Cols: n, SrcCol: 3, DstCol: 1}
	}},
	{"to every third element", func(size, n int) kernels.PackArgs {
		return kernels.PackArgs{Outer: 1, Rows: 1, Cols: n, SrcCol: 1, DstCol: 3}
	}},
	{"many of 3 by 3", func(size, n int) kernels.PackArgs {
		a := transposed(3, 3, 3)
		a.Outer, a.SrcOuter, a.DstOuter = n/9, 9, 9
		return a
	}},
}

// transposed returns the arguments for a matrix whose rows are pitch elements apart,
// and which becomes one with a cache line or more between columns.
func transposed(rows, cols, pitch int) kernels.PackArgs {
	a := kernels.PackArgs{Outer: 1, Rows: rows, Cols: cols, SrcRow: pitch, SrcCol: 1, DstRow: 1, DstCol: rows}
	if rows > 12 {
		a.DstCol += 32
	}
	return a
}

// copied returns the arguments for rows that are pitch elements apart, and are put
// next to each other.
func copied(rows, cols, pitch int) kernels.PackArgs {
	return kernels.PackArgs{Outer: 1, Rows: rows, Cols: cols, SrcRow: pitch, SrcCol: 1, DstRow: cols, DstCol: 1}
}

// BenchmarkPack measures pack, and Go's copy of as many bytes, with names for benchstat's
// columns: size=, form=, bytes=, isa=. What counts is the ratio of the two.
func BenchmarkPack(b *testing.B) {
	for _, typ := range packTypes {
		size := typ.Size()
		for _, bytes := range []int{8 << 10, 128 << 10, 4 << 20} {
			for _, c := range packBenches {
				a := inBytes(size, c.args(size, bytes/size))
				name := fmt.Sprintf("size=%d/form=%s/bytes=%d", size, strings.ReplaceAll(c.name, " ", "_"), bytes)
				benchmarkPack(b, name, typ, a)
			}
		}
	}
}

func benchmarkPack(b *testing.B, name string, typ kernels.Type, a kernels.PackArgs) {
	s, d := packSpans(typ.Size(), a)
	n := a.Outer * a.Rows * a.Cols * typ.Size()
	src, dst := make([]byte, s), make([]byte, d)
	a.Src, a.Dst = unsafe.Pointer(&src[0]), unsafe.Pointer(&dst[0])
	run := func(isa string, f func()) {
		b.Run(name+"/isa="+isa, func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				f()
			}
		})
	}
	run("copy", func() { copy(dst[:n], src[:n]) })
	for _, i := range Implementations() {
		run(i.String(), func() { packElements(i.isa, typ, a) })
	}
}
