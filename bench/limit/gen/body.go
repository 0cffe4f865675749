package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A body is what a loop does with the bytes that it visits. It loads them into
// registers that nothing reads, or widens 16-bit floats to float32 and adds them
// to several sums, which do not wait for each other.
type body struct {
	width int    // bytes of a load: 32 or 64
	widen string // the type that is widened, empty for none

	c    *build.Context
	sums []reg.VecVirtual
	next int
	mask reg.VecVirtual // of the upper halves of 32-bit lanes
}

// widenings are the types that a body can widen.
var widenings = []string{"F16", "BF16"}

// sums of a widening body: enough to cover the latency of an addition.
const sums = 8

// start sets the registers that the body keeps over the loop.
func (b *body) start(c *build.Context) {
	b.c, b.sums, b.next = c, nil, 0
	if b.widen == "" {
		return
	}
	for range sums {
		v := b.vector(b.width)
		c.VXORPS(v.AsX(), v.AsX(), v.AsX()) // clears all of it
		b.sums = append(b.sums, v)
	}
	if b.widen == "BF16" {
		b.mask = b.vector(b.width)
		if b.width == 64 {
			c.VPTERNLOGD(operand.U8(0xff), b.mask, b.mask, b.mask)
			c.VPSLLD(operand.U8(16), b.mask, b.mask)
		} else {
			c.VPCMPEQD(b.mask.AsY(), b.mask.AsY(), b.mask.AsY())
			c.VPSLLD(operand.U8(16), b.mask.AsY(), b.mask.AsY())
		}
	}
}

// vector returns a new register of 16, 32 or 64 bytes.
func (b *body) vector(width int) reg.VecVirtual {
	switch width {
	case 64:
		return b.c.ZMM()
	case 32:
		return b.c.YMM()
	}
	return b.c.XMM()
}

// line visits the 64 bytes at m.
func (b *body) line(m operand.Mem) {
	for at := 0; at < 64; at += b.width {
		b.visit(b.width, m.Offset(at))
	}
}

// visit visits size bytes at m.
func (b *body) visit(size int, m operand.Mem) {
	switch b.widen {
	case "F16":
		b.float16(size, m)
	case "BF16":
		b.bfloat16(size, m)
	default:
		b.load(size, m)
	}
}

// load loads size bytes into a register that nothing reads.
func (b *body) load(size int, m operand.Mem) {
	switch size {
	case 64, 32, 16:
		b.c.VMOVUPS(m, b.vector(size))
	case 8:
		b.c.MOVQ(m, b.c.GP64())
	case 4:
		b.c.MOVL(m, b.c.GP32())
	case 2:
		b.c.MOVWLZX(m, b.c.GP32())
	default:
		b.c.MOVBLZX(m, b.c.GP32())
	}
}

// small loads 8, 4 or 2 bytes into the low end of a vector.
func (b *body) small(size int, m operand.Mem) reg.VecVirtual {
	v := b.c.XMM()
	switch size {
	case 8:
		b.c.VMOVQ(m, v)
	case 4:
		b.c.VMOVD(m, v)
	default:
		r := b.c.GP32()
		b.c.MOVWLZX(m, r)
		b.c.VMOVD(r, v)
	}
	return v
}

// float16 widens and adds size bytes at m: the conversion reads memory itself, in
// halves of a vector.
func (b *body) float16(size int, m operand.Mem) {
	if size <= 8 {
		v := b.small(size, m)
		b.c.VCVTPH2PS(v, v)
		b.add(v)
		return
	}
	half := min(size, b.width/2)
	for at := 0; at < size; at += half {
		v := b.vector(2 * half)
		b.c.VCVTPH2PS(m.Offset(at), v)
		b.add(v)
	}
}

// bfloat16 widens and adds size bytes at m: each 32-bit lane holds two elements,
// of which a shift makes one a float32, and a mask the other.
func (b *body) bfloat16(size int, m operand.Mem) {
	var low reg.VecVirtual
	if size <= 8 {
		low = b.small(size, m)
		if size == 2 { // there is no second one
			b.c.VPSLLD(operand.U8(16), low, low)
			b.add(low)
			return
		}
	} else {
		low = b.vector(size)
		b.c.VMOVUPS(m, low)
	}
	high := b.vector(max(size, 16))
	switch size {
	case 64:
		b.c.VPANDD(low, b.mask, high)
	case 32:
		b.c.VPAND(low, b.mask.AsY(), high)
	default:
		b.c.VPAND(low, b.mask.AsX(), high)
	}
	b.c.VPSLLD(operand.U8(16), low, low)
	b.add(low)
	b.add(high)
}

// add adds v to one of the sums. A narrow v clears the sum's upper half, which is
// nobody's loss.
func (b *body) add(v reg.VecVirtual) {
	s := b.sums[b.next%len(b.sums)]
	b.next++
	switch v.Size() {
	case 64:
		b.c.VADDPS(v, s, s)
	case 32:
		b.c.VADDPS(v, s.AsY(), s.AsY())
	default:
		b.c.VADDPS(v, s.AsX(), s.AsX())
	}
}
