// Package gorgoniasum sums Gorgonia tensors (gorgonia.org/tensor) with
// reducesum. [Engine] is a Gorgonia engine, [Sum] a function for whoever holds
// a tensor of any engine and the attributes of an ONNX ReduceSum.
package gorgoniasum

import (
	"github.com/reducesum/reducesum"
	"gorgonia.org/tensor"
)

// Engine is Gorgonia's own engine in all but Sum. Give it to a tensor when the
// tensor is made:
//
//	t := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking(x), tensor.WithEngine(gorgoniasum.Engine{}))
//	rows, err := t.Sum(-1)
//
// Views of t and sums of t have its engine too.
type Engine struct {
	tensor.StdEng
	// Workers is the number of goroutines that one sum may use. None stands
	// for one: the caller's own.
	Workers int
}

var _ tensor.Sumer = Engine{}

// Sum sums a over the axes along, or over all of them if there are none. It
// takes what [tensor.StdEng] takes, and more: negative axes count from the end,
// the order of axes means nothing, an axis that is named twice counts once.
// along is not changed. A view is summed where it lies.
//
// The result is a new tensor without the summed axes. Its bits depend on the
// values and the shape of a alone, not on a's layout or the workers.
func (e Engine) Sum(a tensor.Tensor, along ...int) (tensor.Tensor, error) {
	sum, err := Sum(a, reducesum.Op{Axes: along}, reducesum.WithWorkers(max(1, e.Workers)))
	if err != nil {
		return nil, err // not a nil *Dense in an interface
	}
	return sum, nil
}
