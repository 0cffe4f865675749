// Package cases describes what is summed: a shape, the axes to sum over, and the
// strides of a view.
package cases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reducesum/reducesum"
)

// A Case is one reduction. It is written shape/axes@strides, as 8192x768/1: the
// dimensions joined with x, the axes with commas. Without axes it is the sum of
// everything, without strides the tensor is contiguous. A number may be a power,
// as 2^20.
type Case struct {
	Shape   []int
	Axes    []int // none: all
	Strides []int // none: contiguous
	// Suite is the group of cases that it is taken from, if its bars depend on that.
	Suite string
}

// Parse reads a case.
func Parse(s string) (Case, error) {
	c, err := parse(s)
	if err != nil {
		return Case{}, fmt.Errorf("case %q: %w", s, err)
	}
	return c, nil
}

func parse(s string) (Case, error) {
	s, strides, isView := strings.Cut(s, "@")
	shape, axes, hasAxes := strings.Cut(s, "/")
	var c Case
	var err error
	if c.Shape, err = numbers(shape, "x"); err != nil {
		return c, err
	}
	if hasAxes {
		if c.Axes, err = numbers(axes, ","); err != nil {
			return c, err
		}
	}
	var opts []reducesum.Option
	if isView {
		if c.Strides, err = numbers(strides, ","); err != nil {
			return c, err
		}
		opts = append(opts, reducesum.WithStrides(c.Strides))
	}
	if slices.Contains(c.Shape, 0) {
		return c, fmt.Errorf("a dimension is 0: there is nothing to measure")
	}
	if _, err := reducesum.NewPlan(c.Shape, reducesum.Op{Axes: c.Axes}, opts...); err != nil {
		return c, err
	}
	for i, a := range c.Axes {
		if a < 0 {
			c.Axes[i] += len(c.Shape)
		}
	}
	slices.Sort(c.Axes)
	c.Axes = slices.Compact(c.Axes)
	return c, nil
}

// numbers reads the numbers of s, which sep separates.
func numbers(s, sep string) ([]int, error) {
	var list []int
	for _, f := range strings.Split(s, sep) {
		n, err := number(f)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func number(s string) (int, error) {
	base, exponent, isPower := strings.Cut(s, "^")
	n, err := strconv.Atoi(base)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	if !isPower {
		return n, nil
	}
	e, err := strconv.Atoi(exponent)
	if err != nil || e < 0 || n < 1 {
		return 0, fmt.Errorf("%q is not a power", s)
	}
	p := 1
	for range e {
		if p > (1<<40)/n {
			return 0, fmt.Errorf("%q is more than any memory holds", s)
		}
		p *= n
	}
	return p, nil
}

// String returns what Parse reads.
func (c Case) String() string {
	s := join(c.Shape, "x")
	if len(c.Axes) > 0 {
		s += "/" + join(c.Axes, ",")
	}
	if len(c.Strides) > 0 {
		s += "@" + join(c.Strides, ",")
	}
	return s
}

func join(list []int, sep string) string {
	var words []string
	for _, n := range list {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, sep)
}

// Elements returns the number of elements that are summed.
func (c Case) Elements() int {
	n := 1
	for _, d := range c.Shape {
		n *= d
	}
	return n
}

// Added returns the number of elements that have to be added: of sums that an
// axis of stride 0 repeats, only those of one.
func (c Case) Added() int {
	n := c.Elements()
	for i, s := range c.Strides {
		if s == 0 && !c.Reduces(i) {
			n /= c.Shape[i]
		}
	}
	return n
}

// Reach returns the number of elements of memory that the tensor spans: more
// than Elements for most views.
func (c Case) Reach() int {
	if len(c.Strides) == 0 {
		return c.Elements()
	}
	last := 0
	for i, d := range c.Shape {
		last += (d - 1) * c.Strides[i]
	}
	return last + 1
}

// Results returns the number of sums.
func (c Case) Results() int {
	n := 1
	for i, d := range c.Shape {
		if !c.Reduces(i) {
			n *= d
		}
	}
	return n
}

// Reduces reports whether the case sums over the axis.
func (c Case) Reduces(axis int) bool {
	return len(c.Axes) == 0 || slices.Contains(c.Axes, axis)
}
