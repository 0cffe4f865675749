// Command example prints the sum of a thousand ones, in bfloat16, that GoMLX's
// backend in pure Go gives.
package main

import (
	"fmt"
	"os"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/dtypes/bfloat16"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

func main() {
	sum, err := sumOfOnes(1000)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(sum.Float32())
}

func sumOfOnes(n int) (bfloat16.BFloat16, error) {
	backend := simplego.GetBackend()
	shape := shapes.Make(dtypes.BFloat16, n)
	builder := backend.Builder("ones")
	x, err := builder.Parameter("x", shape, nil)
	if err != nil {
		return 0, err
	}
	sum, err := builder.ReduceSum(x)
	if err != nil {
		return 0, err
	}
	program, err := builder.Compile([]backends.Op{sum}, nil)
	if err != nil {
		return 0, err
	}
	ones := make([]bfloat16.BFloat16, n)
	for i := range ones {
		ones[i] = bfloat16.FromFloat32(1)
	}
	in, err := backend.BufferFromFlatData(0, ones, shape)
	if err != nil {
		return 0, err
	}
	out, err := program.Execute([]backends.Buffer{in}, nil, 0)
	if err != nil {
		return 0, err
	}
	result := make([]bfloat16.BFloat16, 1)
	err = backend.BufferToFlatData(out[0], result)
	return result[0], err
}
