package reducesum

import (
	"math/rand/v2"
	"testing"
)

// fuzzed returns n elements of type e behind an offset: random ones, of which
// values overwrites the first.
func fuzzed(e element, values []byte, seed uint64, n int, offset uint8) buffer {
	src := newBuffer(e.Type(), n, int(offset)%(64/e.Type().Size()))
	src.fill(rand.New(rand.NewPCG(seed, 0)))
	copy(src.bytes(), values)
	return src
}

// FuzzSum compares Sum with the definition.
func FuzzSum(f *testing.F) {
	for i, n := range []uint32{0, 1, 17, 64, 1000, 1024, 1025, 70000} {
		for typ := range elementTypes {
			f.Add([]byte{0, 0, 0x80, 0x7f}, uint64(i), n, uint8(typ), uint8(i), uint8(3*i))
		}
	}
	f.Fuzz(func(t *testing.T, values []byte, seed uint64, length uint32, typ, impl, offset uint8) {
		e := elementTypes[int(typ)%len(elementTypes)]
		n := int(length % (1 << 17))
		pin(t, Implementations()[int(impl)%len(Implementations())])
		src := fuzzed(e, values, seed, n, offset)
		if err := e.Sum(src).same(e.Want(src, []int{n}, nil, []bool{true})); err != nil {
			t.Fatalf("%v, %d elements: %v", e, n, err)
		}
	})
}

// FuzzReduceSum compares Run, and SumBlocks where it can do the same, with the
// definition.
func FuzzReduceSum(f *testing.F) {
	for i, s := range shapesFor(elementTypes[1].Type()) {
		var dims []byte
		for _, d := range s.shape {
			dims = append(dims, uint8(min(d, 64+d/16, 255)))
		}
		subset := uint8(0)
		for _, a := range s.axes {
			subset |= 1 << a
		}
		f.Add([]byte{0, 0, 0x80, 0xff}, uint64(i), dims, subset, uint8(i), uint8(i), uint8(i/2), uint8(i/3), uint8(i*5))
	}
	f.Fuzz(func(t *testing.T, values []byte, seed uint64, dims []byte, axes, flags, typ, impl, workers, offset uint8) {
		e := elementTypes[int(typ)%len(elementTypes)]
		r := rand.New(rand.NewPCG(seed, 1))
		c := reduction{shape: fuzzedShape(dims), keep: flags&1 != 0, noop: flags&2 != 0}
		c.axes = axesOf(r, int(axes), len(c.shape))
		if flags&4 != 0 {
			c.strides = viewOf(r, c.shape)
			if c.reach() > 1<<20 {
				c.strides = nil
			}
		}
		i := Implementations()[int(impl)%len(Implementations())]
		src := fuzzed(e, values, seed, c.reach(), offset)
		want := e.Want(src, c.shape, c.strides, c.reduced())
		opts := []Option{WithWorkers(int(workers) % 17), WithImplementation(i)}
		if flags&8 != 0 {
			opts = append(opts, WithPool(&allAtOnce{workers: 1 + int(workers)%16}))
		}
		if c.strides != nil {
			opts = append(opts, WithStrides(c.strides))
		}
		if err := c.run(e, src, want, opts); err != nil {
			t.Fatalf("%v, %v, %v: %v", e, i, c, err)
		}
	})
}

// fuzzedShape makes a shape of up to six axes, and 2^18 elements at most.
func fuzzedShape(dims []byte) []int {
	shape := []int{}
	n := 1
	for _, d := range dims[:min(len(dims), 6)] {
		size := int(d)
		if d > 64 {
			size = (size - 64) * 16
		}
		size = min(size, 1<<18/max(n, 1))
		n *= size
		shape = append(shape, size)
	}
	return shape
}
