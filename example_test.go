package reducesum_test

import (
	"fmt"

	"github.com/reducesum/reducesum"
)

func Example() {
	x := []float32{
		1, 2, 3,
		4, 5, 6,
	}
	sums, shape, err := reducesum.ReduceSum(x, []int{2, 3}, reducesum.Op{Axes: []int{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sums, shape)
	// Output: [5 7 9] [3]
}

func ExampleSum() {
	fmt.Println(reducesum.Sum([]float32{0.5, 0.25, 2}))
	fmt.Println(reducesum.Sum([]int64{1 << 53, 1}))
	// Output:
	// 2.75
	// 9007199254740993
}

func ExampleReduceSum() {
	x := []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12} // [2, 3, 2]
	sums, shape, err := reducesum.ReduceSum(x, []int{2, 3, 2}, reducesum.Op{Axes: []int{0, -1}, KeepDims: true})
	fmt.Println(sums, shape, err)

	_, _, err = reducesum.ReduceSum(x, []int{2, 3, 2}, reducesum.Op{Axes: []int{3}})
	fmt.Println(err)
	// Output:
	// [18 26 34] [1 3 1] <nil>
	// reducesum: axis out of range: axis 3 of a tensor of rank 3
}

func ExampleRun() {
	plan, err := reducesum.NewPlan([]int{2, 3}, reducesum.Op{Axes: []int{1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	sums := make([]float64, plan.Len())
	for _, batch := range [][]float64{{1, 2, 3, 4, 5, 6}, {10, 20, 30, 40, 50, 60}} {
		if err := reducesum.Run(plan, sums, batch); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(sums, plan.Shape())
	}
	// Output:
	// [6 15] [2]
	// [60 150] [2]
}

func ExampleSumBlocks() {
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8} // [2, 2, 2]
	sums := make([]float32, 4)
	err := reducesum.SumBlocks(sums, x, 2, 2, 2)
	fmt.Println(sums, err)
	// Output: [4 6 12 14] <nil>
}

func ExampleWithStrides() {
	x := []float32{1, 2, 3, 4, 5, 6} // rows 1 2 3 and 4 5 6
	transposed := reducesum.WithStrides([]int{1, 3})
	sums, shape, err := reducesum.ReduceSum(x, []int{3, 2}, reducesum.Op{Axes: []int{1}}, transposed)
	fmt.Println(sums, shape, err)
	// Output: [5 7 9] [3] <nil>
}

func ExampleWithWorkers() {
	x := make([]float32, 1<<20)
	for i := range x {
		x[i] = 1
	}
	sums, _, err := reducesum.ReduceSum(x, []int{len(x)}, reducesum.Op{}, reducesum.WithWorkers(0)) // all CPUs
	fmt.Println(sums, err)
	// Output: [1.048576e+06] <nil>
}

func ExampleONNXNode() {
	keep := int64(0)
	node := reducesum.ONNXNode{Opset: 13, AxesInput: []int64{-1}, KeepDims: &keep}
	op, err := node.Op()
	fmt.Printf("%+v %v\n", op, err)

	_, err = reducesum.ONNXNode{Opset: 10, AxesAttribute: []int64{-1}}.Op()
	fmt.Println(err)
	// Output:
	// {Axes:[-1] KeepDims:false NoopWithEmptyAxes:false} <nil>
	// reducesum: not allowed by the ONNX opset: opset 10 takes no negative axis -1
}

func ExampleAsFloat16() {
	type half uint16 // as another package has it
	x := []half{0x3c00, 0x4000, 0x3800}
	fmt.Println(reducesum.Sum(reducesum.AsFloat16(x)))
	// Output: 3.5
}

func ExampleAsBFloat16() {
	x := []uint16{0x3f80, 0x4000, 0x3f00}
	fmt.Println(reducesum.Sum(reducesum.AsBFloat16(x)))
	// Output: 3.5
}
