package reducesum

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"github.com/reducesum/reducesum/kernels"
)

// newRand returns a source of random numbers whose seed the test prints, and
// REDUCESUM_SEED sets.
func newRand(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("REDUCESUM_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("REDUCESUM_SEED: %v", err)
		}
		seed = n
	}
	t.Logf("REDUCESUM_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// fillBits fills the n elements of type t at p with one of several kinds of
// values: ordinary ones, ones that cancel, special ones, any bits at all.
func fillBits(r *rand.Rand, t kernels.Type, p unsafe.Pointer, n int) {
	kind := r.IntN(5)
	for i := range n {
		at := unsafe.Add(p, i*t.Size())
		x := r.NormFloat64()
		switch {
		case kind == 1 || kind == 4 && r.IntN(8) == 0:
			x = math.Ldexp(x, r.IntN(60)-30)
		case kind == 2 || kind == 4 && r.IntN(64) == 0:
			special := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, 1e-40, -1e-45, 6e-8, 65504, 3e38, -3e38, 1e308}
			x = special[r.IntN(len(special))]
			if r.IntN(200) == 0 {
				x = []float64{math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(3)]
			}
		}
		bits := r.Uint64()
		if kind != 3 {
			switch t {
			case kernels.F32:
				bits = uint64(math.Float32bits(float32(x)))
			case kernels.F64:
				bits = math.Float64bits(x)
			case kernels.F16:
				bits = uint64(float16FromFloat32(float32(x)))
			case kernels.BF16:
				bits = uint64(BFloat16FromFloat32(float32(x)))
			}
		} else if r.IntN(4) > 0 && n > 40 { // few infinities and NaNs among any bits
			bits &^= 1 << (8*t.Size() - 2)
		}
		switch t.Size() {
		case 2:
			*(*uint16)(at) = uint16(bits)
		case 4:
			*(*uint32)(at) = uint32(bits)
		default:
			*(*uint64)(at) = bits
		}
	}
}

// sameBits compares n values of type t: all NaNs are equal.
func sameBits(t kernels.Type, a, b unsafe.Pointer, n int) error {
	for i := range n {
		x, y := load(t, a, i), load(t, b, i)
		if x != y && !(isNaN(t, x) && isNaN(t, y)) {
			return fmt.Errorf("value %d of %d: %s, want %s", i, n, format(t, x), format(t, y))
		}
	}
	return nil
}

func load(t kernels.Type, p unsafe.Pointer, i int) uint64 {
	at := unsafe.Add(p, i*t.Size())
	switch t.Size() {
	case 2:
		return uint64(*(*uint16)(at))
	case 4:
		return uint64(*(*uint32)(at))
	}
	return *(*uint64)(at)
}

func asFloat(t kernels.Type, bits uint64) float64 {
	switch t {
	case kernels.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case kernels.F64:
		return math.Float64frombits(bits)
	case kernels.F16:
		return float64(Float16(bits).Float32())
	case kernels.BF16:
		return float64(BFloat16(bits).Float32())
	}
	return 0
}

func isNaN(t kernels.Type, bits uint64) bool { return math.IsNaN(asFloat(t, bits)) }

func format(t kernels.Type, bits uint64) string {
	if !t.Float() {
		return fmt.Sprintf("%#x", bits)
	}
	return fmt.Sprintf("%g (%#x)", asFloat(t, bits), bits)
}

// eachISA runs a test for every instruction set that this CPU has kernels for.
func eachISA(t *testing.T, f func(t *testing.T, isa kernels.ISA)) {
	for _, i := range Implementations() {
		if i.isa != kernels.Generic {
			t.Run(i.String(), func(t *testing.T) { f(t, i.isa) })
		}
	}
}

// eachType runs a test for every element type.
func eachType(t *testing.T, f func(t *testing.T, typ kernels.Type)) {
	for typ := range kernels.NumTypes {
		t.Run(typ.String(), func(t *testing.T) { f(t, typ) })
	}
}
