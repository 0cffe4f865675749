package gonnxsum_test

import (
	"fmt"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/reducesum/reducesum/engines/gonnxsum"
	"gorgonia.org/tensor"
)

func ExampleNewModelFromFile() {
	m, err := gonnxsum.NewModelFromFile("testdata/rowsums.onnx")
	if err != nil {
		fmt.Println(err)
		return
	}
	x := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float32{1, -2, 3, 4, 5, 6}))
	out, err := m.Run(gonnx.Tensors{"x": x})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out["y"].Data())
	// Output: [4 15]
}
