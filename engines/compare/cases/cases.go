// Package cases has the sums that compare measures.
package cases

import (
	"fmt"
	"slices"
	"strings"
)

// A Case is a sum of a float32 tensor over some axes.
type Case struct{ Shape, Axes []int }

// All are the cases: rows, columns, and the pixels of images.
var All = []Case{
	{[]int{8192, 768}, []int{1}},
	{[]int{8192, 768}, []int{0}},
	{[]int{32, 64, 56, 56}, []int{2, 3}},
}

// String returns shape and axes, as in "[8192, 768] over 1".
func (c Case) String() string {
	axes := list(c.Axes)
	if len(c.Axes) > 1 {
		axes = "(" + axes + ")"
	}
	return "[" + list(c.Shape) + "] over " + axes
}

func list(x []int) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(x), "[]"), " ", ", ") }

// Input returns the elements of the tensor: small integers, whose sums are
// exact in any order.
func (c Case) Input() []float32 {
	n := 1
	for _, d := range c.Shape {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i * 7 % 13)
	}
	return x
}

// Sums returns what the sums of the input are.
func (c Case) Sums() []float32 {
	n := 1
	strides := make([]int, len(c.Shape))
	for i := len(c.Shape) - 1; i >= 0; i-- {
		if !slices.Contains(c.Axes, i) {
			strides[i] = n
			n *= c.Shape[i]
		}
	}
	sums := make([]float32, n)
	for k, x := range c.Input() {
		at := 0
		for i := len(c.Shape) - 1; i >= 0; i-- {
			at += k % c.Shape[i] * strides[i]
			k /= c.Shape[i]
		}
		sums[at] += x
	}
	return sums
}
