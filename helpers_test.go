package reducesum

import (
	"bytes"
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

// TestMain lets tensors be split that are large enough to, but not worth it, and makes
// all kernels known, which tests call by themselves.
func TestMain(m *testing.M) {
	for _, e := range elementTypes {
		e.Type()
	}
	parallelBytes = 4 * taskBytes
	os.Exit(m.Run())
}

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

// eachImplementation runs a test for every implementation of this CPU, which
// Sum and SumBlocks use meanwhile, and plans too unless told otherwise.
func eachImplementation(t *testing.T, f func(t *testing.T)) {
	for _, i := range Implementations() {
		t.Run(i.String(), func(t *testing.T) {
			pin(t, i)
			f(t)
		})
	}
}

// pin makes an implementation the best one for the duration of a test.
func pin(t testing.TB, i Implementation) {
	was := best
	best = i.isa
	t.Cleanup(func() { best = was })
}

// eachISA runs a test for every instruction set that this CPU has kernels for.
func eachISA(t *testing.T, f func(t *testing.T, isa kernels.ISA)) {
	for _, i := range Implementations() {
		if i.isa != kernels.Generic {
			t.Run(i.String(), func(t *testing.T) { f(t, i.isa) })
		}
	}
}

// eachType runs a test for every type that kernels know.
func eachType(t *testing.T, f func(t *testing.T, typ kernels.Type)) {
	for typ := range kernels.NumTypes {
		t.Run(typ.String(), func(t *testing.T) { f(t, typ) })
	}
}

// tail returns the address of the last n > 0 bytes of mem.
func tail(mem []byte, n int) unsafe.Pointer { return unsafe.Pointer(&mem[len(mem)-n]) }

// long returns the first argument, or the second in short tests.
func long[T any](full, short T) T {
	if testing.Short() {
		return short
	}
	return full
}

// The kinds of values that fill makes.
const (
	ordinary    = iota // of a normal distribution
	wide               // of very different magnitudes
	special            // zeros, subnormals, powers, limits
	anyBits            // any finite ones below 2
	mostlyMinus        // -0, and +0 here and there
	mixed              // ordinary, wide, special and huge ones
)

// kinds are what fillBits chooses from: more often those among which a wrong
// element shows.
var kinds = []int{ordinary, ordinary, ordinary, ordinary, wide, wide, special, anyBits, anyBits, mostlyMinus, mixed, mixed}

// finite are special values, as float64; each type rounds them to its own.
var finite = []float64{
	0, math.Copysign(0, -1), 1, -1, 5e-324, -1e-310, 2.2e-308, 1e-40, -1e-45, 1.2e-38, 6e-8, -6e-8, 6.1e-5,
	2049, -4097, 16777217, 9007199254740993, 1e30, -1e30,
}

// period is the number of elements after which fill repeats itself: a prime, so
// that neighbouring rows differ.
const period = 10007

// fill fills a buffer with one of several kinds of values. Infinities and NaNs
// are few, so that long sums do not all end in NaN.
func (b buffer) fill(r *rand.Rand) {
	fillBits(r, b.typ, b.p, min(b.n, period))
	for done := period; done < b.n; done *= 2 {
		copy(b.slice(done, b.n).bytes(), b.slice(0, done).bytes())
	}
	if b.n == 0 || !b.typ.Float() || r.IntN(4) > 0 {
		return
	}
	for range 1 + r.IntN(3) {
		x := []float64{math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(3)]
		store(b.typ, b.p, r.IntN(b.n), floatBits(b.typ, x))
	}
}

// fillBits fills the n elements of type t at p with finite values of one kind.
func fillBits(r *rand.Rand, t kernels.Type, p unsafe.Pointer, n int) {
	kind := kinds[r.IntN(len(kinds))]
	for i := range n {
		if kind == anyBits || !t.Float() {
			bits := r.Uint64()
			if t.Float() {
				bits &^= 1 << (8*t.Size() - 2)
			}
			store(t, p, i, bits)
			continue
		}
		x := r.NormFloat64()
		switch {
		case kind == wide || kind == mixed && r.IntN(8) == 0:
			x = math.Ldexp(x, r.IntN(60)-30)
		case kind == special || kind == mixed && r.IntN(16) == 0:
			x = finite[r.IntN(len(finite))]
		case kind == mostlyMinus:
			x = 0
			if r.IntN(300) > 0 {
				x = math.Copysign(0, -1)
			}
		case kind == mixed && r.IntN(n+8) == 0:
			x = []float64{65504, 3e38, -3e38, 1.7e308}[r.IntN(4)]
		}
		store(t, p, i, floatBits(t, x))
	}
}

// floatBits returns the bits of x, rounded to type t; but a finite x stays
// finite.
func floatBits(t kernels.Type, x float64) uint64 {
	if t == kernels.F64 {
		return math.Float64bits(x)
	}
	most := float64(math.MaxFloat32)
	if t == kernels.F16 {
		most = 65504
	}
	if !math.IsInf(x, 0) && !math.IsNaN(x) {
		x = max(-most, min(most, x))
	}
	switch t {
	case kernels.F16:
		return uint64(nearestFloat16(float32(x)))
	case kernels.BF16:
		return uint64(nearestBFloat16(float32(x)))
	}
	return uint64(math.Float32bits(float32(x)))
}

// sameBits compares n values of type t: all NaNs are equal.
func sameBits(t kernels.Type, got, want unsafe.Pointer, n int) error {
	if bytes.Equal(buffer{t, got, n}.bytes(), buffer{t, want, n}.bytes()) {
		return nil
	}
	for i := range n {
		x, y := load(t, got, i), load(t, want, i)
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

func store(t kernels.Type, p unsafe.Pointer, i int, bits uint64) {
	at := unsafe.Add(p, i*t.Size())
	switch t.Size() {
	case 2:
		*(*uint16)(at) = uint16(bits)
	case 4:
		*(*uint32)(at) = uint32(bits)
	default:
		*(*uint64)(at) = bits
	}
}

// asFloat returns the value of a float's bits.
func asFloat(t kernels.Type, bits uint64) float64 {
	switch t {
	case kernels.F64:
		return math.Float64frombits(bits)
	case kernels.F16:
		return float64(float16Value(Float16(bits)))
	case kernels.BF16:
		return float64(bfloat16Value(BFloat16(bits)))
	}
	return float64(math.Float32frombits(uint32(bits)))
}

func isNaN(t kernels.Type, bits uint64) bool { return t.Float() && math.IsNaN(asFloat(t, bits)) }

func format(t kernels.Type, bits uint64) string {
	if !t.Float() {
		return fmt.Sprintf("%#x", bits)
	}
	return fmt.Sprintf("%g (%#x)", asFloat(t, bits), bits)
}
