package gorgoniasum

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/engines/internal/seeded"
	"github.com/x448/float16"
	"gorgonia.org/tensor"
)

// Every set of axes of tensors of rank 1 to 5, in every layout that Gorgonia
// has, gives what a plain loop over the elements gives.
func TestEveryAxes(t *testing.T) {
	r := seeded.Rand(t)
	// The values of floats are small integers, whose sums are exact in any
	// order; those of integers are any, for their sums wrap in any order.
	small := func() int { return r.IntN(5) - 2 }
	t.Run("float32", everyAxes(r, func() float32 { return float32(small()) }, plus[float32]))
	t.Run("float64", everyAxes(r, func() float64 { return float64(small()) }, plus[float64]))
	t.Run("int", everyAxes(r, func() int { return int(r.Uint64()) }, plus[int]))
	t.Run("uint", everyAxes(r, func() uint { return uint(r.Uint64()) }, plus[uint]))
	t.Run("int32", everyAxes(r, func() int32 { return int32(r.Uint32()) }, plus[int32]))
	t.Run("int64", everyAxes(r, func() int64 { return int64(r.Uint64()) }, plus[int64]))
	t.Run("uint32", everyAxes(r, r.Uint32, plus[uint32]))
	t.Run("uint64", everyAxes(r, r.Uint64, plus[uint64]))
	t.Run("float16", everyAxes(r,
		func() reducesum.Float16 { return float16.Fromfloat32(float32(small())) },
		func(a, b reducesum.Float16) reducesum.Float16 { return float16.Fromfloat32(a.Float32() + b.Float32()) }))
	t.Run("bfloat16", everyAxes(r,
		func() reducesum.BFloat16 { return reducesum.BFloat16FromFloat32(float32(small())) },
		func(a, b reducesum.BFloat16) reducesum.BFloat16 {
			return reducesum.BFloat16FromFloat32(a.Float32() + b.Float32())
		}))
}

func plus[T float32 | float64 | int | uint | int32 | int64 | uint32 | uint64](a, b T) T { return a + b }

// A layout makes a tensor of rank len(shape), of about that shape, from random
// values.
type layout struct {
	name string
	make func(r *rand.Rand, shape []int, backing func(n int) any) *tensor.Dense
}

var layouts = []layout{
	{"row-major", rowMajor},
	{"column-major", func(_ *rand.Rand, shape []int, backing func(int) any) *tensor.Dense {
		return tensor.New(tensor.AsFortran(backing(tensor.ProdInts(shape))), tensor.WithShape(shape...), engine)
	}},
	{"transposed", func(r *rand.Rand, shape []int, backing func(int) any) *tensor.Dense {
		t := rowMajor(r, shape, backing)
		transpose(r, t)
		return t
	}},
	{"sliced", func(r *rand.Rand, shape []int, backing func(int) any) *tensor.Dense {
		return slice(r, rowMajor(r, grown(shape), backing))
	}},
	{"sliced, then transposed", func(r *rand.Rand, shape []int, backing func(int) any) *tensor.Dense {
		t := slice(r, rowMajor(r, grown(shape), backing))
		transpose(r, t)
		return t
	}},
	{"transposed, then sliced", func(r *rand.Rand, shape []int, backing func(int) any) *tensor.Dense {
		t := rowMajor(r, grown(shape), backing)
		transpose(r, t)
		return slice(r, t)
	}},
	{"column-major, then sliced", func(r *rand.Rand, shape []int, backing func(int) any) *tensor.Dense {
		big := grown(shape)
		return slice(r, tensor.New(tensor.AsFortran(backing(tensor.ProdInts(big))), tensor.WithShape(big...), engine))
	}},
}

var engine = tensor.WithEngine(Engine{Workers: 2})

func rowMajor(_ *rand.Rand, shape []int, backing func(int) any) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(backing(tensor.ProdInts(shape))), engine)
}

func transpose(r *rand.Rand, t *tensor.Dense) {
	if t.Dims() < 2 {
		return
	}
	if err := t.T(r.Perm(t.Dims())...); err != nil {
		panic(err)
	}
}

// grown returns a shape that slice cuts back to shape.
func grown(shape []int) []int {
	big := slices.Clone(shape)
	for i := range big {
		big[i] += 3
	}
	return big
}

// slice cuts three indexes off each axis.
func slice(r *rand.Rand, t *tensor.Dense) *tensor.Dense {
	var cuts []tensor.Slice
	for _, n := range t.Shape() {
		from := r.IntN(4)
		cuts = append(cuts, tensor.S(from, from+n-3))
	}
	view, err := t.Slice(cuts...)
	if err != nil {
		panic(err)
	}
	return view.(*tensor.Dense)
}

func everyAxes[T comparable](r *rand.Rand, value func() T, add func(a, b T) T) func(*testing.T) {
	backing := func(n int) any {
		x := make([]T, n)
		for i := range x {
			x[i] = value()
		}
		return x
	}
	return func(t *testing.T) {
		for _, shape := range [][]int{{7}, {1}, {3, 4}, {1, 5}, {5, 1}, {2, 3, 4}, {3, 1, 2}, {2, 3, 4, 5}, {2, 1, 3, 2}, {2, 3, 2, 3, 2}} {
			for _, l := range layouts {
				x := l.make(r, shape, backing)
				name := fmt.Sprintf("%s, shape %v, strides %v", l.name, x.Shape(), x.Strides())
				elements := elementsOf[T](t, x)
				for set := range 1 << x.Dims() {
					checkAxes(t, name, r, x, set, elements, add)
				}
			}
		}
	}
}

// checkAxes sums x over a set of axes, which is written in three ways.
func checkAxes[T comparable](t *testing.T, name string, r *rand.Rand, x *tensor.Dense, set int, elements []T, add func(a, b T) T) {
	t.Helper()
	var axes, negative []int
	for i := range x.Dims() {
		if set>>i&1 == 1 {
			axes, negative = append(axes, i), append(negative, i-x.Dims())
		}
	}
	shuffled := append(slices.Clone(axes), negative...)
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	shape, want := reference(x.Shape(), set, elements, add)
	for _, along := range [][]int{axes, negative, shuffled} {
		given := slices.Clone(along)
		sum, err := x.Sum(along...)
		if err != nil {
			t.Fatalf("%s: sum over %v: %v", name, given, err)
		}
		if !slices.Equal(along, given) {
			t.Errorf("%s: sum over %v changed the caller's axes to %v", name, given, along)
		}
		if !slices.Equal(sum.Shape(), shape) {
			t.Errorf("%s: sum over %v has shape %v, want %v", name, given, sum.Shape(), shape)
			continue
		}
		if got := elementsOf[T](t, sum); !slices.Equal(got, want) {
			t.Errorf("%s: sum over %v is %v, want %v", name, given, got, want)
		}
	}
}

// reference sums elements, of a shape and in row-major order, over a set of
// axes, where 0 stands for all of them.
func reference[T any](shape []int, set int, elements []T, add func(a, b T) T) ([]int, []T) {
	if set == 0 {
		set = 1<<len(shape) - 1
	}
	out, n := []int{}, 1
	strides := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		if set>>i&1 == 0 {
			strides[i] = n
			n *= shape[i]
			out = append([]int{shape[i]}, out...)
		}
	}
	sums := make([]T, n)
	for k, x := range elements {
		at := 0
		for i := len(shape) - 1; i >= 0; i-- {
			at += k % shape[i] * strides[i]
			k /= shape[i]
		}
		sums[at] = add(sums[at], x)
	}
	return out, sums
}

// elementsOf returns the elements of x in row-major order of its indexes, as
// Gorgonia finds them one by one.
func elementsOf[T any](t *testing.T, x *tensor.Dense) []T {
	t.Helper()
	if x.Dims() == 0 {
		return []T{as[T](x.Data())}
	}
	var elements []T
	at := make([]int, x.Dims())
	for range tensor.ProdInts(x.Shape()) {
		v, err := x.At(at...)
		if err != nil {
			t.Fatalf("shape %v, strides %v: At(%v): %v", x.Shape(), x.Strides(), at, err)
		}
		elements = append(elements, as[T](v))
		for i := len(at) - 1; i >= 0; i-- {
			if at[i]++; at[i] < x.Shape()[i] {
				break
			}
			at[i] = 0
		}
	}
	return elements
}

// as returns an element as a T: of types that it does not know Gorgonia gives
// the underlying one.
func as[T any](v any) T {
	return reflect.ValueOf(v).Convert(reflect.TypeFor[T]()).Interface().(T)
}
