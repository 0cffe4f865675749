package main

import (
	"bufio"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// An instruction is a line of a disassembly.
type instruction struct {
	addr     uint64
	mnemonic string
	operands string
	target   uint64 // of a jump inside the function, else 0
}

// A function is a kernel in machine code.
type function struct {
	name string // as blocksF32AVX2
	code []instruction
}

var (
	symbolLine = regexp.MustCompile(`^[0-9a-f]+ <(.+)>:$`)
	codeLine   = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(\S+)(?:\s+(.*))?$`)
	jumpTarget = regexp.MustCompile(`0x([0-9a-f]+) <[^>]*>`)
)

// parseDump reads what llvm-objdump prints, and returns the assembly functions of
// the package whose name matches.
func parseDump(text, pkg string, want *regexp.Regexp) ([]function, error) {
	var functions []function
	var f *function // the one that is being read, nil for none that is wanted
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if m := symbolLine.FindStringSubmatch(line); m != nil {
			f = nil
			if name, ok := kernelName(m[1], pkg); ok && want.MatchString(name) {
				functions = append(functions, function{name: name})
				f = &functions[len(functions)-1]
			}
			continue
		}
		if f == nil {
			continue
		}
		if m := codeLine.FindStringSubmatch(line); m != nil {
			i, err := parseInstruction(m[1], m[2], m[3])
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			f.code = append(f.code, i)
		}
	}
	return functions, lines.Err()
}

// kernelName takes from a symbol the name of an assembly function of the package.
func kernelName(symbol, pkg string) (string, bool) {
	name, ok := strings.CutPrefix(symbol, pkg+".")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, ".abi0")
}

func parseInstruction(addr, mnemonic, operands string) (instruction, error) {
	a, err := strconv.ParseUint(addr, 16, 64)
	if err != nil {
		return instruction{}, err
	}
	operands, _, _ = strings.Cut(operands, " # ") // comments: of x86,
	operands, _, _ = strings.Cut(operands, "// ") // of arm64
	i := instruction{addr: a, mnemonic: mnemonic, operands: strings.TrimSpace(operands)}
	if m := jumpTarget.FindStringSubmatch(operands); m != nil && isJump(mnemonic) {
		if i.target, err = strconv.ParseUint(m[1], 16, 64); err != nil {
			return i, err
		}
	}
	return i, nil
}

// isJump reports whether the mnemonic, of either architecture, jumps inside a
// function.
func isJump(mnemonic string) bool {
	switch mnemonic {
	case "b", "cbz", "cbnz", "tbz", "tbnz":
		return true
	}
	return mnemonic[0] == 'j' || strings.HasPrefix(mnemonic, "b.")
}

// text is the instruction as llvm-mca reads it, with jumps to the label.
func (i instruction) text(label string) string {
	operands := i.operands
	if i.target != 0 {
		operands = jumpTarget.ReplaceAllString(operands, label)
	}
	return i.mnemonic + " " + operands
}
