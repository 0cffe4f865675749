package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/reducesum/reducesum/cmd/internal/onnxcase"
)

const onnxUsage = `usage: reducesum onnx DIR...

Runs test cases in the form of ONNX's backend tests: folders with model.onnx
and test_data_set_*, in or below each DIR. Models that are not one ReduceSum
node are skipped. Floats must agree within ONNX's tolerances (relative 1e-3,
absolute 1e-7), integers and shapes exactly.
`

func runONNX(c *call) error {
	dirs, err := c.parse()
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		return usagef("no directory")
	}
	var cases []string
	for _, dir := range dirs {
		found, err := onnxcase.Find(dir)
		if err != nil {
			return err
		}
		cases = append(cases, found...)
	}
	var passed, failed, skipped int
	for _, dir := range cases {
		err := onnxcase.Run(dir)
		line := "PASS " + dir
		switch {
		case err == nil:
			passed++
		case errors.Is(err, onnxcase.ErrSkip):
			skipped++
			line = "SKIP " + dir + ": " + strings.TrimPrefix(oneLine(err), onnxcase.ErrSkip.Error()+": ")
		default:
			failed++
			line = "FAIL " + dir + ": " + oneLine(err)
		}
		if _, err := fmt.Fprintln(c.stdout, line); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(c.stdout, "%d passed, %d failed, %d skipped\n", passed, failed, skipped); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d cases failed", failed, passed+failed)
	}
	if passed == 0 {
		return fmt.Errorf("no case of ReduceSum was run (%d skipped)", skipped)
	}
	return nil
}
