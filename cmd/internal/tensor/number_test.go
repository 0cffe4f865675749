package tensor

import (
	"math"
	"strconv"
	"testing"

	"github.com/x448/float16"

	"github.com/reducesum/reducesum"
)

func f16(x float32) reducesum.Float16   { return float16.Fromfloat32(x) }
func bf16(x float32) reducesum.BFloat16 { return reducesum.BFloat16FromFloat32(x) }

func TestNumber(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Number(float32(0)), "0.0"},
		{Number(float32(math.Copysign(0, -1))), "-0.0"},
		{Number(float32(1)), "1.0"},
		{Number(float32(-2.5)), "-2.5"},
		{Number(float32(0.1)), "0.1"},
		{Number(float32(1.0 / 3)), "0.33333334"},
		{Number(float32(1e-4)), "0.0001"},
		{Number(float32(9.5e-5)), "9.5e-05"},
		{Number(float32(1 << 25)), "33554432.0"},
		{Number(float32(1 << 30)), "1073741824.0"},
		{Number(float32(1e16)), "1e+16"},
		{Number(float32(math.MaxFloat32)), "3.4028235e+38"},
		{Number(float32(math.SmallestNonzeroFloat32)), "1e-45"},
		{Number(float32(math.NaN())), "nan"},
		{Number(float32(math.Inf(1))), "inf"},
		{Number(float32(math.Inf(-1))), "-inf"},
		{Number(0.1), "0.1"},
		{Number(1.0 / 3), "0.3333333333333333"},
		{Number(9007199254740993.0), "9007199254740992.0"},
		{Number(-1e300), "-1e+300"},
		{Number(12345.678), "12345.678"},
		{Number(f16(0.1)), "0.1"},
		{Number(f16(8192)), "8192.0"},
		{Number(f16(65504)), "65504.0"},
		{Number(f16(-0.3333)), "-0.3333"},
		{Number(f16(6e-8)), "6e-08"},
		{Number(f16(float32(math.Inf(-1)))), "-inf"},
		{Number(f16(float32(math.NaN()))), "nan"},
		{Number(bf16(70144)), "70144.0"},
		{Number(bf16(0.1)), "0.1"},
		{Number(bf16(3e38)), "3e+38"},
		{Number(int32(math.MinInt32)), "-2147483648"},
		{Number(int64(9007199254740993)), "9007199254740993"},
		{Number(uint32(math.MaxUint32)), "4294967295"},
		{Number(uint64(math.MaxUint64)), "18446744073709551615"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

// Each of the 65536 values of a 16-bit type must be the nearest to its decimal.
func TestNumberRoundTrip(t *testing.T) {
	t.Run("float16", func(t *testing.T) {
		testRoundTrip(t, 0x7c00, func(b uint16) (float64, string) {
			x := reducesum.Float16(b)
			return float64(x.Float32()), Number(x)
		})
	})
	t.Run("bfloat16", func(t *testing.T) {
		testRoundTrip(t, 0x7f80, func(b uint16) (float64, string) {
			x := reducesum.BFloat16(b)
			return float64(x.Float32()), Number(x)
		})
	})
}

// testRoundTrip goes through the positive finite values, whose bits are below
// inf, and their negatives.
func testRoundTrip(t *testing.T, inf uint16, number func(bits uint16) (float64, string)) {
	t.Helper()
	for b := range inf {
		x, s := number(b)
		if minus, neg := number(b | 0x8000); neg != "-"+s || minus != -x {
			t.Fatalf("bits %#x: %s, negative %s", b, s, neg)
		}
		parsed, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatalf("bits %#x: %v", b, err)
		}
		distance := math.Abs(parsed - x)
		for _, n := range []uint16{b - 1, b + 1} {
			if n >= inf { // also b - 1 of 0
				continue
			}
			if y, _ := number(n); math.Abs(parsed-y) <= distance {
				t.Fatalf("bits %#x: %s is not nearest to %v, %v is as near", b, s, x, y)
			}
		}
	}
}
