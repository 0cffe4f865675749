package rivals

import (
	"fmt"
	"math"

	"github.com/x448/float16"

	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/elem"
)

// Want is the right result of a task on the values of [elem.Type.Fill].
type Want struct {
	sums  any     // of the task's type
	scale float64 // what a sum of so many values of either sign comes to
	typ   elem.Type
}

// tolerance is how far a rival's result may be off, as a part of what such a sum
// comes to. Sums of float32 and wider are exact on our values in any order; a
// rival that keeps its sums in 16 bits loses some, and is out only where nothing
// of use is left.
var tolerance = map[elem.Type]float64{"float32": 1e-5, "float64": 1e-12, "float16": 1. / 32, "bfloat16": 1. / 32}

// NewWant computes the result of a task with a plain loop over whole numbers.
func NewWant(t Task) *Want {
	w := &Want{typ: t.Type, scale: math.Sqrt(float64(t.Case.Elements()/t.Case.Results()) * elem.MeanSquare)}
	switch src := t.Src.(type) {
	case []float32:
		w.sums = sums(t.Case, src, func(x float32) int64 { return int64(x) }, func(s int64) float32 { return float32(s) })
	case []float64:
		w.sums = sums(t.Case, src, func(x float64) int64 { return int64(x) }, func(s int64) float64 { return float64(s) })
	case []reducesum.Float16:
		w.sums = sums(t.Case, src, func(x reducesum.Float16) int64 { return int64(x.Float32()) },
			func(s int64) reducesum.Float16 { return float16.Fromfloat32(float32(s)) })
	case []reducesum.BFloat16:
		w.sums = sums(t.Case, src, func(x reducesum.BFloat16) int64 { return int64(x.Float32()) },
			func(s int64) reducesum.BFloat16 { return reducesum.BFloat16FromFloat32(float32(s)) })
	case []int32:
		w.sums = sums(t.Case, src, func(x int32) int64 { return int64(x) }, func(s int64) int32 { return int32(s) })
	case []int64:
		w.sums = sums(t.Case, src, func(x int64) int64 { return x }, func(s int64) int64 { return s })
	case []uint32:
		w.sums = sums(t.Case, src, func(x uint32) int64 { return int64(x) }, func(s int64) uint32 { return uint32(s) })
	case []uint64:
		w.sums = sums(t.Case, src, func(x uint64) int64 { return int64(x) }, func(s int64) uint64 { return uint64(s) })
	}
	return w
}

// sums computes the sums of a case. A whole number stands for an element.
func sums[T any](c cases.Case, src []T, value func(T) int64, of func(int64) T) []T {
	acc := make([]int64, c.Results())
	strides, to := steps(c)
	var visit func(axis, from, into int)
	visit = func(axis, from, into int) {
		if axis == len(c.Shape) {
			acc[into] += value(src[from])
			return
		}
		if axis < len(c.Shape)-1 {
			for i := range c.Shape[axis] {
				visit(axis+1, from+i*strides[axis], into+i*to[axis])
			}
			return
		}
		for i := range c.Shape[axis] { // the last axis: without a call for every element
			acc[into+i*to[axis]] += value(src[from+i*strides[axis]])
		}
	}
	visit(0, 0, 0)
	results := make([]T, len(acc))
	for i, s := range acc {
		results[i] = of(s)
	}
	return results
}

// steps returns how far apart in memory, and in the result, the neighbours along
// each axis are.
func steps(c cases.Case) (strides, to []int) {
	strides, to = make([]int, len(c.Shape)), make([]int, len(c.Shape))
	n, results := 1, 1
	for i := len(c.Shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= c.Shape[i]
		if !c.Reduces(i) {
			to[i] = results
			results *= c.Shape[i]
		}
	}
	if len(c.Strides) > 0 {
		strides = c.Strides
	}
	return strides, to
}

// Check compares a result with the right one, to the bit if exact is set.
func (w *Want) Check(got any, exact bool) error {
	tol := tolerance[w.typ]
	if exact {
		tol = 0
	}
	switch got := got.(type) {
	case []float32:
		return check(w, got, tol, func(x float32) float64 { return float64(x) })
	case []float64:
		return check(w, got, tol, func(x float64) float64 { return x })
	case []reducesum.Float16:
		return check(w, got, tol, func(x reducesum.Float16) float64 { return float64(x.Float32()) })
	case []reducesum.BFloat16:
		return check(w, got, tol, func(x reducesum.BFloat16) float64 { return float64(x.Float32()) })
	case []int32:
		return check(w, got, 0, func(x int32) float64 { return float64(x) })
	case []int64:
		return check(w, got, 0, func(x int64) float64 { return float64(x) })
	case []uint32:
		return check(w, got, 0, func(x uint32) float64 { return float64(x) })
	case []uint64:
		return check(w, got, 0, func(x uint64) float64 { return float64(x) })
	}
	return fmt.Errorf("wrong: returns a %T", got)
}

func check[T comparable](w *Want, got []T, tol float64, value func(T) float64) error {
	want, ok := w.sums.([]T)
	if !ok || len(want) != len(got) {
		return fmt.Errorf("wrong: returns a %T of %d elements for %T", got, len(got), w.sums)
	}
	for i := range want {
		if got[i] == want[i] {
			continue
		}
		g, x := value(got[i]), value(want[i])
		if off := math.Abs(g - x); tol == 0 || !(off <= tol*max(w.scale, math.Abs(x))) {
			return fmt.Errorf("wrong: sum %d is %v, not %v", i, g, x)
		}
	}
	return nil
}
