package reducesum

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// adversaries are sequences on which sums go wrong.
var adversaries = []struct {
	name string
	make func(r *rand.Rand, n int) []float64
}{
	{"one and many small ones", func(r *rand.Rand, n int) []float64 {
		x := slices.Repeat([]float64{0x1p-25}, n)
		x[0] = 1
		return x
	}},
	{"harmonic", func(r *rand.Rand, n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 1 / float64(i+1)
		}
		return x
	}},
	{"alternating harmonic", func(r *rand.Rand, n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(1-i%2*2) / float64(i+1)
		}
		return x
	}},
	{"large ones that cancel", func(r *rand.Rand, n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
			if i >= n/2 && n > 1 {
				x[i] = -x[i-n/2] * (1 + 0x1p-20)
			}
		}
		return x
	}},
	{"large ones far apart", func(r *rand.Rand, n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.Float64()
		}
		x[0], x[n-1] = 1e30, -1e30
		return x
	}},
	{"all magnitudes", func(r *rand.Rand, n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Ldexp(r.NormFloat64(), r.IntN(200)-100)
		}
		return x
	}},
	{"ever larger", func(r *rand.Rand, n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Pow(1.01, float64(i%6000))
		}
		return x
	}},
	{"subnormals", func(r *rand.Rand, n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Ldexp(r.NormFloat64(), -148)
		}
		return x
	}},
	{"halves of an ulp", func(r *rand.Rand, n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 1 + 0x1p-23*float64(r.IntN(3))
		}
		return x
	}},
}

// TestAccuracy checks the error bound against exact sums.
func TestAccuracy(t *testing.T) {
	r := newRand(t)
	for _, c := range adversaries {
		for _, n := range []int{1, 2, 3, 7, 64, 100, 1024, 1025, 4097, long(100003, 20011)} {
			values := c.make(r, n)
			wide, narrow := make([]float64, n), make([]float32, n)
			for i, v := range values {
				wide[i], narrow[i] = v, float32(v)
			}
			if err := withinBound(float64(Sum(narrow)), 0x1p-24, widenAll(narrow)); err != "" {
				t.Errorf("%s, %d float32: %s", c.name, n, err)
			}
			if err := withinBound(Sum(wide), 0x1p-53, wide); err != "" {
				t.Errorf("%s, %d float64: %s", c.name, n, err)
			}
		}
	}
}

func widenAll(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// withinBound says what is wrong with a sum whose error exceeds
// ceil(log2 n) * u * sum|x|, the sums being exact.
func withinBound(got, u float64, x []float64) string {
	exact := func() *big.Float { return new(big.Float).SetPrec(2200) }
	sum, size := exact(), exact()
	for _, v := range x {
		sum.Add(sum, big.NewFloat(v))
		size.Add(size, big.NewFloat(math.Abs(v)))
	}
	err := exact().Sub(big.NewFloat(got), sum)
	err.Abs(err)
	bound := exact().Mul(size, big.NewFloat(math.Ceil(math.Log2(float64(len(x))))*u))
	if err.Cmp(bound) <= 0 {
		return ""
	}
	return "error " + err.Text('g', 5) + ", at most " + bound.Text('g', 5) + " are allowed"
}
