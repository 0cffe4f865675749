// Reducesum sums tensors in .npy, .npz and .safetensors files over any axes, runs
// ONNX's test cases of ReduceSum, and verifies that every implementation gives the
// same bits.
package main

import (
	"os"

	"github.com/reducesum/reducesum/cmd/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
