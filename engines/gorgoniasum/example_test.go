package gorgoniasum_test

import (
	"fmt"

	"github.com/reducesum/reducesum"
	"github.com/reducesum/reducesum/engines/gorgoniasum"
	"gorgonia.org/tensor"
)

func ExampleEngine() {
	t := tensor.New(
		tensor.WithShape(2, 3),
		tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6}),
		tensor.WithEngine(gorgoniasum.Engine{Workers: 2}),
	)
	rows, err := t.Sum(-1)
	if err != nil {
		fmt.Println(err)
		return
	}
	all, err := t.Sum()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rows.Data(), all.Data())
	// Output: [6 15] 21
}

func ExampleSum() {
	t := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]int64{1, 2, 3, 4, 5, 6}))
	sum, err := gorgoniasum.Sum(t, reducesum.Op{Axes: []int{0}, KeepDims: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.Shape(), sum.Data())
	// Output: (1, 3) [5 7 9]
}
