package reducesum

// The fuzz targets take no slices: the fuzzing engine would minimise each one
// that reaches something new, and what goroutines reach is never the same twice.

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/reducesum/reducesum/kernels"
)

// fuzzed returns n elements of type e behind an offset: random ones, with big
// near the beginning and -big near the end.
func fuzzed(e element, seed uint64, big float64, n int, offset uint8) buffer {
	typ := e.Type()
	r := rand.New(rand.NewPCG(seed, 0))
	src := newBuffer(typ, n, int(offset)%(64/typ.Size()))
	src.fill(r)
	if n > 1 && seed%2 == 0 {
		store(typ, src.p, r.IntN(n)/2, floatBits(typ, big))
		store(typ, src.p, n-1-r.IntN(n)/2, floatBits(typ, -big))
	}
	return src
}

// FuzzSum compares Sum with the definition.
func FuzzSum(f *testing.F) {
	for i, n := range []uint32{0, 1, 17, 64, 1000, 1024, 1025, 70000} {
		for typ := range elementTypes {
			f.Add(uint64(i), math.Ldexp(1, 10*i-30), n, uint8(typ), uint8(i), uint8(3*i))
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, big float64, length uint32, typ, impl, offset uint8) {
		e := elementTypes[int(typ)%len(elementTypes)]
		n := int(length % (1 << 17))
		pin(t, Implementations()[int(impl)%len(Implementations())])
		src := fuzzed(e, seed, big, n, offset)
		if err := e.Sum(src).same(e.Want(src, []int{n}, nil, []bool{true})); err != nil {
			t.Fatalf("%v, %d elements: %v", e, n, err)
		}
	})
}

// FuzzReduceSum compares Run, and SumBlocks where it can do the same, with the
// definition. The flags are keepdims, noop, a view, a pool, a large tensor.
func FuzzReduceSum(f *testing.F) {
	for i, s := range shapesFor(kernels.F64) {
		var d [6]uint8
		for k, size := range s.shape[:min(len(s.shape), len(d))] {
			d[k] = uint8(min(size, 64+size/16, 255))
		}
		axes := uint8(0)
		for _, a := range s.axes {
			axes |= 1 << a
		}
		k := uint8(i)
		f.Add(uint64(i), math.Ldexp(1, 2*i), uint8(len(s.shape)), d[0], d[1], d[2], d[3], d[4], d[5], axes, k, k, k/2, k/3, 5*k)
	}
	f.Fuzz(func(t *testing.T, seed uint64, big float64, rank, d0, d1, d2, d3, d4, d5, axes, flags, typ, impl, workers, offset uint8) {
		e := elementTypes[int(typ)%len(elementTypes)]
		r := rand.New(rand.NewPCG(seed, 1))
		most := 1 << 11
		if flags&16 != 0 { // enough for several workers
			most = 1 << 18
		}
		c := reduction{shape: fuzzedShape([]uint8{d0, d1, d2, d3, d4, d5}[:rank%7], most), keep: flags&1 != 0, noop: flags&2 != 0}
		c.axes = axesOf(r, int(axes), len(c.shape))
		if flags&4 != 0 {
			c.strides = viewOf(r, c.shape)
			if c.reach() > 1<<19 {
				c.strides = nil
			}
		}
		src := fuzzed(e, seed, big, c.reach(), offset)
		i := Implementations()[int(impl)%len(Implementations())]
		opts := []Option{WithWorkers(int(workers) % 17), WithImplementation(i)}
		if flags&8 != 0 {
			opts = append(opts, WithPool(&allAtOnce{workers: 1 + int(workers)%16}))
		}
		if c.strides != nil {
			opts = append(opts, WithStrides(c.strides))
		}
		want := e.Want(src, c.shape, c.strides, c.reduced())
		if err := c.run(e, src, want, opts); err != nil {
			t.Fatalf("%v, %v, %v: %v", e, i, c, err)
		}
		pin(t, i)
		fuzzBlocks(t, e, c, src, want)
	})
}

// fuzzBlocks gives SumBlocks what is a sum over one axis.
func fuzzBlocks(t *testing.T, e element, c reduction, src, want buffer) {
	axis := -1
	for i, reduced := range c.reduced() {
		if reduced && axis >= 0 {
			return
		}
		if reduced {
			axis = i
		}
	}
	if axis < 0 || c.strides != nil {
		return
	}
	dst, beside := newResult(src.typ, want.n, 1)
	outer, reduce, inner := refProduct(c.shape[:axis]), c.shape[axis], refProduct(c.shape[axis+1:])
	if err := e.SumBlocks(dst, src, outer, reduce, inner); err != nil {
		t.Fatal(err)
	}
	if err := dst.same(want); err != nil {
		t.Fatalf("SumBlocks: %v, [%d %d %d]: %v", e, outer, reduce, inner, err)
	}
	if err := beside(); err != nil {
		t.Fatal(err)
	}
}

// fuzzedShape makes a shape of at most so many elements, and results.
func fuzzedShape(dims []uint8, most int) []int {
	shape := []int{}
	n := 1
	for _, d := range dims {
		size := int(d)
		if d > 64 {
			size = (size - 64) * 16
		}
		size = min(size, most/n)
		n *= max(size, 1)
		shape = append(shape, size)
	}
	return shape
}
