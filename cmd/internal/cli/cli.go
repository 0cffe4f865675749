// Package cli is the command reducesum, as a function.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Exit codes of [Main].
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

const usage = `reducesum sums tensors, and checks that sums are right.

    reducesum sum [flags] FILE       sum a tensor over any of its axes
    reducesum list FILE              show the arrays that a file holds
    reducesum onnx DIR...            run ONNX backend test cases of ReduceSum
    reducesum info                   this CPU, its implementations, the one chosen
    reducesum verify [-seconds n]    compare every implementation, bit by bit

'reducesum COMMAND -h' tells more.
`

// A command is one of the words after reducesum.
type command struct {
	name  string
	usage string // what -h prints before the flags
	run   func(c *call) error
}

func commands() []command {
	return []command{
		{"sum", sumUsage, runSum},
		{"list", listUsage, runList},
		{"onnx", onnxUsage, runONNX},
		{"info", infoUsage, runInfo},
		{"verify", verifyUsage, runVerify},
	}
}

// A call is one run of a command.
type call struct {
	args   []string
	stdout io.Writer
	stderr io.Writer
	flags  *flag.FlagSet
}

// A usageError is the fault of the one who typed the command.
type usageError struct{ error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// Main runs the command that args, without the program's name, describe. It
// returns the exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		io.WriteString(stderr, usage)
		return exitUsage
	}
	if args[0] == "help" && len(args) > 1 { // help sum is sum -h
		args = []string{args[1], "-h"}
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		io.WriteString(stdout, usage)
		return exitOK
	}
	for _, cmd := range commands() {
		if cmd.name == args[0] {
			return cmd.main(args[1:], stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "reducesum: unknown command %q\n\n%s", args[0], usage)
	return exitUsage
}

// main runs a command and turns its error into an exit code.
func (cmd command) main(args []string, stdout, stderr io.Writer) int {
	c := &call{args: args, stdout: stdout, stderr: stderr, flags: flag.NewFlagSet(cmd.name, flag.ContinueOnError)}
	c.flags.SetOutput(io.Discard)
	c.flags.Usage = func() {}
	err := cmd.run(c)
	var wrong usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, flag.ErrHelp):
		cmd.help(c.flags, stdout)
		return exitOK
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "reducesum %s: %s\n\n", cmd.name, oneLine(err))
		cmd.help(c.flags, stderr)
		return exitUsage
	}
	fmt.Fprintf(stderr, "reducesum: %s\n", oneLine(err))
	return exitError
}

func (cmd command) help(flags *flag.FlagSet, w io.Writer) {
	io.WriteString(w, cmd.usage)
	flags.SetOutput(w)
	flags.PrintDefaults()
}

// oneLine puts an error on one line, and leaves out the package's name, which
// is the program's name too.
func oneLine(err error) string {
	s := strings.ReplaceAll(err.Error(), "reducesum: ", "")
	return strings.Join(strings.Fields(s), " ")
}
