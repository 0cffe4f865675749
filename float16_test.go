package reducesum

import (
	"math"
	"testing"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// float16Value is the value of x, by the definition of binary16: 5 bits of
// exponent, 10 of fraction.
func float16Value(x Float16) float32 {
	sign, exp, fraction := 1-2*float64(x>>15), int(x>>10&31), float64(x&1023)
	switch exp {
	case 0:
		if fraction == 0 {
			return float32(math.Copysign(0, sign))
		}
		return float32(math.Ldexp(sign*fraction, -24))
	case 31:
		if fraction != 0 {
			return float32(math.NaN())
		}
		return float32(math.Inf(int(sign)))
	}
	return float32(math.Ldexp(sign*(1024+fraction), exp-25))
}

// bfloat16Value is the value of x: the upper half of a binary32.
func bfloat16Value(x BFloat16) float32 { return math.Float32frombits(uint32(x) << 16) }

// nearest rounds x to the nearest multiple of the quantum of its magnitude, of a
// format with digits binary digits, exponents from least on, and most as its
// largest finite value; ties to even.
func nearest(x float32, digits, least int, most float64) float64 {
	if x == 0 || x-x != 0 {
		return float64(x)
	}
	_, exp := math.Frexp(float64(x))
	quantum := math.Ldexp(1, max(exp, least+1)-digits)
	y := math.RoundToEven(float64(x)/quantum) * quantum
	if math.Abs(y) > most {
		return math.Copysign(math.Inf(1), y)
	}
	return math.Copysign(y, float64(x))
}

func nearestFloat16(x float32) Float16 {
	y := nearest(x, 11, -14, 65504)
	sign := Float16(0)
	if math.Signbit(y) {
		sign = 1 << 15
	}
	y = math.Abs(y)
	switch {
	case y != y:
		return 0x7e00
	case math.IsInf(y, 0):
		return sign | 0x7c00
	case y < 0x1p-14:
		return sign | Float16(math.Ldexp(y, 24))
	}
	_, exp := math.Frexp(y)
	return sign | Float16(exp+13)<<10 + Float16(math.Ldexp(y, 11-exp))&0x3ff + 1<<10
}

func nearestBFloat16(x float32) BFloat16 {
	y := nearest(x, 8, -126, 0xff*0x1p120)
	if y != y {
		return 0x7fc0
	}
	return BFloat16(math.Float32bits(float32(y)) >> 16)
}

// roundedTypes are the types whose sums are rounded, and their definitions.
var roundedTypes = []struct {
	typ     kernels.Type
	value   func(bits uint16) float32
	nearest func(x float32) uint16
	scalar  func(x float32) uint16 // the package's
	widen   func(bits uint16) float32
}{
	{
		kernels.F16,
		func(b uint16) float32 { return float16Value(Float16(b)) },
		func(x float32) uint16 { return uint16(nearestFloat16(x)) },
		func(x float32) uint16 { return uint16(float16FromFloat32(x)) },
		func(b uint16) float32 { return Float16(b).Float32() },
	},
	{
		kernels.BF16,
		func(b uint16) float32 { return bfloat16Value(BFloat16(b)) },
		func(x float32) uint16 { return uint16(nearestBFloat16(x)) },
		func(x float32) uint16 { return uint16(BFloat16FromFloat32(x)) },
		func(b uint16) float32 { return BFloat16(b).Float32() },
	},
}

// all16 are all 16-bit patterns.
func all16() []uint16 {
	x := make([]uint16, 1<<16)
	for i := range x {
		x[i] = uint16(i)
	}
	return x
}

// TestWidenExhaustively widens all 65536 values, in plain Go and in each kernel.
func TestWidenExhaustively(t *testing.T) {
	for _, h := range roundedTypes {
		src := all16()
		want := make([]float32, len(src))
		for i, b := range src {
			want[i] = h.value(b)
			if got := h.widen(b); math.Float32bits(got) != math.Float32bits(want[i]) && got == got {
				t.Errorf("%v: %#04x is %g, want %g", h.typ, b, got, want[i])
			}
		}
		for _, i := range Implementations() {
			widenInKernels(t, i.isa, h.typ, src, want)
		}
	}
}

// widenInKernels gives each kernel that widens one element per result, and -0
// beside it.
func widenInKernels(t *testing.T, isa kernels.ISA, typ kernels.Type, src []uint16, want []float32) {
	got := make([]float32, len(src))
	check := func(kernel string) {
		t.Helper()
		if err := sameBits(kernels.F32, unsafe.Pointer(&got[0]), unsafe.Pointer(&want[0]), len(want)); err != nil {
			t.Errorf("%v %v %s: %v", isa, typ, kernel, err)
		}
		clear(got)
	}
	cols(&kernels.ColsArgs{Dst: unsafe.Pointer(&got[0]), Src: unsafe.Pointer(&src[0]), Nodes: new(kernels.ColsNode), Count: 1, N: len(src), Outer: 1}, isa, typ)
	check("cols")

	for _, n := range []int{1, 3, typ.Lanes() - 1, typ.Lanes(), typ.Lanes() + 17, typ.Block()} {
		x := make([]uint16, n)
		for i := range x {
			x[i] = 1 << 15 // -0
		}
		for i := range src {
			at := i % n
			x[at] = src[i]
			a := kernels.RowsArgs{Dst: unsafe.Pointer(&got[i]), Src: unsafe.Pointer(&x[0]), Outer: 1, N: n}
			callRows(isa, typ, &a)
			x[at] = 1 << 15
		}
		check("a row of " + format(kernels.I32, uint64(n)))
		if testing.Short() && n > 3 {
			break
		}
	}
}

// TestRoundExhaustively rounds what lies at, halfway between, and just beside
// all 65536 values, in plain Go and in each kernel.
func TestRoundExhaustively(t *testing.T) {
	for _, h := range roundedTypes {
		var src []float32
		for _, b := range all16() {
			x := h.value(b)
			if x != x || math.IsInf(float64(x), 0) {
				src = append(src, x)
				continue
			}
			next := float64(h.value(b + 1)) // away from zero
			if math.IsInf(next, 0) {        // as if the format had one more exponent
				next = 2*float64(x) - float64(h.value(b-1))
			}
			tie := float32((float64(x) + next) / 2)
			src = append(src, x, tie, math.Nextafter32(tie, 0), math.Nextafter32(tie, 2*tie))
		}
		src = append(src, math.MaxFloat32, -math.MaxFloat32, 0x1p-149, -0x1p-149)
		for _, bits := range []uint32{0x7f800001, 0x7fc00000, 0x7fffffff, 0xff800001, 0xffbf0000, 0xff80ffff} {
			src = append(src, math.Float32frombits(bits)) // NaNs whose upper half is an infinity's
		}
		want := make([]uint16, len(src))
		for i, x := range src {
			want[i] = h.nearest(x)
			if got := h.scalar(x); got != want[i] && !(x != x && isNaN(h.typ, uint64(got))) {
				t.Errorf("%v: %g (%#x) is rounded to %#04x, want %#04x", h.typ, x, math.Float32bits(x), got, want[i])
			}
		}
		got := make([]uint16, len(src))
		for _, i := range Implementations() {
			roundTo(i.isa, h.typ, unsafe.Pointer(&got[0]), unsafe.Pointer(&src[0]), len(src))
			if err := sameBits(h.typ, unsafe.Pointer(&got[0]), unsafe.Pointer(&want[0]), len(src)); err != nil {
				t.Errorf("%v %v: %v", i, h.typ, err)
			}
			clear(got)
		}
	}
}

// TestSumOfOne sums each 16-bit value alone: it comes out as it went in.
func TestSumOfOne(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, x := range AsFloat16(all16()) {
			if got := Sum([]Float16{x}); got != x && !(got.IsNaN() && x.IsNaN()) {
				t.Fatalf("float16 %#04x became %#04x", uint16(x), uint16(got))
			}
		}
		for _, x := range AsBFloat16(all16()) {
			if got := Sum([]BFloat16{x}); got != x && !(got.Float32() != got.Float32() && x.Float32() != x.Float32()) {
				t.Fatalf("bfloat16 %#04x became %#04x", uint16(x), uint16(got))
			}
		}
	})
}

func TestBFloat16String(t *testing.T) {
	for _, c := range []struct {
		x    BFloat16
		want string
	}{
		{0x3f80, "1"}, {0x8000, "-0"}, {0x7f80, "+Inf"}, {0xff80, "-Inf"}, {0x7fc1, "NaN"}, {0x3dcd, "0.100097656"}, {0x478c, "71680"},
	} {
		if got := c.x.String(); got != c.want {
			t.Errorf("%#04x prints as %s, want %s", uint16(c.x), got, c.want)
		}
	}
}

// TestViewsOf16Bits checks that AsFloat16 and AsBFloat16 share memory.
func TestViewsOf16Bits(t *testing.T) {
	type half uint16
	x := []half{0x3c00, 0x4000, 0xffff}
	f, b := AsFloat16(x), AsBFloat16(x)
	if len(f) != 3 || len(b) != 3 {
		t.Fatalf("views of %d and %d elements, want 3", len(f), len(b))
	}
	x[1] = 0x4200
	if f[1] != 0x4200 || b[1] != 0x4200 {
		t.Errorf("the views have %#x and %#x, want the new 0x4200", f[1], b[1])
	}
	if AsFloat16[half](nil) != nil || len(AsBFloat16([]half{})) != 0 {
		t.Error("views of nothing have elements")
	}
}
