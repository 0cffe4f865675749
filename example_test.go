package reducesum_test

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"time"

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

func ExampleNewPlan() {
	plan, err := reducesum.NewPlan([]int{2, 3, 4}, reducesum.Op{Axes: []int{-1, 0}, KeepDims: true})
	fmt.Println(plan.Shape(), plan.Len(), err)

	_, err = reducesum.NewPlan([]int{2, -3}, reducesum.Op{})
	fmt.Println(err)
	// Output:
	// [1 3 1] 3 <nil>
	// reducesum: bad shape: negative dimension -3 at axis 1 of [2 -3]
}

func ExampleSumBlocks() {
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8} // [2, 2, 2]
	sums := make([]float32, 4)
	err := reducesum.SumBlocks(sums, x, 2, 2, 2)
	fmt.Println(sums, err)
	// Output: [4 6 12 14] <nil>
}

func ExampleRunAny() {
	plan, err := reducesum.NewPlan([]int{2, 3}, reducesum.Op{Axes: []int{1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	// An engine's tensors: what they hold is known when the program runs.
	for _, tensor := range []struct{ sums, elements any }{
		{make([]float32, 2), []float32{1, 2, 3, 4, 5, 6}},
		{make([]int, 2), []int{1, 2, 3, 4, 5, 6}},
		{make([]string, 2), []string{"a", "b", "c", "d", "e", "f"}},
	} {
		err := reducesum.RunAny(plan, tensor.sums, tensor.elements)
		fmt.Printf("%v %v\n", tensor.sums, err)
	}
	// Output:
	// [6 15] <nil>
	// [6 15] <nil>
	// [ ] reducesum: bad element type: string, in dst
}

func ExampleRunBytes() {
	plan, err := reducesum.NewPlan([]int{3}, reducesum.Op{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// float16 elements 1, 2 and 0.5, as an engine keeps them.
	src := binary.NativeEndian.AppendUint16(nil, 0x3c00)
	src = binary.NativeEndian.AppendUint16(src, 0x4000)
	src = binary.NativeEndian.AppendUint16(src, 0x3800)
	dst := make([]byte, reducesum.F16.Size())
	err = reducesum.RunBytes(plan, reducesum.F16, dst, src)
	fmt.Printf("%#x %v\n", binary.NativeEndian.Uint16(dst), err)
	// Output: 0x4300 <nil>
}

func ExampleReduceSumAny() {
	var x any = []time.Duration{time.Second, time.Minute, time.Hour}
	sums, shape, err := reducesum.ReduceSumAny(x, []int{3}, reducesum.Op{})
	fmt.Printf("%T %v %v %v\n", sums, sums, shape, err)
	// Output: []time.Duration [1h1m1s] [] <nil>
}

func ExampleReduceSumBytes() {
	x := binary.NativeEndian.AppendUint64(nil, 40)
	x = binary.NativeEndian.AppendUint64(x, 2)
	sums, shape, err := reducesum.ReduceSumBytes(reducesum.U64, x, []int{2}, reducesum.Op{})
	fmt.Println(binary.NativeEndian.Uint64(sums), shape, err)
	// Output: 42 [] <nil>
}

func ExampleDTypeFromONNX() {
	dtype, err := reducesum.DTypeFromONNX(16) // TensorProto.BFLOAT16
	fmt.Println(dtype, dtype.Size(), dtype.ONNX(), err)

	_, err = reducesum.DTypeFromONNX(8) // TensorProto.STRING
	fmt.Println(err)
	// Output:
	// bfloat16 2 16 <nil>
	// reducesum: bad element type: TensorProto.DataType 8
}

func ExampleDTypeOf() {
	dtype, err := reducesum.DTypeOf(reflect.TypeFor[time.Duration]())
	fmt.Println(dtype, err)

	_, err = reducesum.DTypeOf(reflect.TypeFor[int8]())
	fmt.Println(err)
	// Output:
	// int64 <nil>
	// reducesum: bad element type: int8
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

func ExampleWithImplementation() {
	x := []float32{0.1, 0.2, 0.3, 0.4}
	for _, i := range reducesum.Implementations() { // such as avx512, avx2, generic
		sums, _, err := reducesum.ReduceSum(x, []int{len(x)}, reducesum.Op{}, reducesum.WithImplementation(i))
		if err != nil || sums[0] != reducesum.Sum(x) {
			fmt.Println(i, "differs:", sums, err)
		}
	}
	fmt.Println(reducesum.Sum(x), "on each")
	// Output: 1 on each
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

func ExampleBFloat16FromFloat32() {
	x := []reducesum.BFloat16{reducesum.BFloat16FromFloat32(1.5), reducesum.BFloat16FromFloat32(0.3)}
	fmt.Println(x[1], reducesum.Sum(x).Float32())
	// Output: 0.30078125 1.796875
}

func ExampleAsInt() {
	type id int
	x := []id{1, 2, 39}
	fmt.Println(int(reducesum.Sum(reducesum.AsInt(x)))) // an int64, or an int32 where an int has 32 bits
	// Output: 42
}

func ExampleAsUint() {
	fmt.Println(uint(reducesum.Sum(reducesum.AsUint([]uint{40, 2}))))
	// Output: 42
}
