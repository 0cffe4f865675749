package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	// memoryX86 is a memory operand, registerX86 a vector register, AT&T syntax.
	memoryX86   = regexp.MustCompile(`[^,\s]*\(%([a-z0-9]+)[^)]*\)`)
	registerX86 = regexp.MustCompile(`%([xyz])mm\d+`)
)

// loadX86 returns what an instruction loads, AT&T syntax. Loads from the stack
// and of constants are no data.
func loadX86(in instruction) load {
	m := memoryX86.FindStringSubmatchIndex(in.operands)
	if m == nil || in.mnemonic[0] != 'v' || strings.HasPrefix(in.mnemonic, "vbroadcast") || strings.Contains(in.operands, "{1to") {
		return load{}
	}
	memory, base, rest := in.operands[m[0]:m[1]], in.operands[m[2]:m[3]], in.operands[m[1]:]
	if base == "rsp" || base == "rbp" || base == "rip" {
		return load{}
	}
	destination := registerX86.FindStringSubmatch(rest) // none after a store's memory
	if destination == nil {
		return load{}
	}
	bytes := map[string]int{"x": 16, "y": 32, "z": 64}[destination[1]]
	switch {
	case strings.HasPrefix(in.mnemonic, "vpmovzx"), strings.HasPrefix(in.mnemonic, "vpmovsx"), strings.HasPrefix(in.mnemonic, "vcvtph2ps"):
		bytes /= 2
	case strings.HasPrefix(in.mnemonic, "vinsert"):
		bytes = 16
		if strings.Contains(in.mnemonic, "x4") && destination[1] == "z" && strings.Contains(in.mnemonic, "64") {
			bytes = 32
		}
	case strings.HasSuffix(in.mnemonic, "ss"), in.mnemonic == "vmovd":
		bytes = 4
	case strings.HasSuffix(in.mnemonic, "sd"), in.mnemonic == "vmovq":
		bytes = 8
	}
	return load{bytes, []string{plainX86(bytes, memory)}}
}

// plainX86 is an instruction that loads so many bytes.
func plainX86(bytes int, memory string) string {
	switch bytes {
	case 4:
		return "vmovss " + memory + ", %xmm0"
	case 8:
		return "vmovsd " + memory + ", %xmm0"
	}
	return fmt.Sprintf("vmovups %s, %%%cmm0", memory, map[int]byte{16: 'x', 32: 'y', 64: 'z'}[bytes])
}

var (
	baseARM     = regexp.MustCompile(`\[(x\d+|sp)`)
	registerARM = regexp.MustCompile(`^([qdshb])\d+`)
	listARM     = regexp.MustCompile(`^\{([^}]*)\}(\[\d+\])?`)
	arranged    = regexp.MustCompile(`v\d+\.(\d*)([bhsd])`)
)

// loadARM returns what an instruction loads into vector registers. Loads from
// the stack are no data.
func loadARM(in instruction) load {
	base := baseARM.FindStringSubmatch(in.operands)
	if base == nil || base[1] == "sp" {
		return load{}
	}
	bytes := 0
	switch in.mnemonic {
	case "ldr", "ldur":
		bytes = scalarARM(in.operands)
	case "ldp", "ldnp":
		bytes = 2 * scalarARM(in.operands)
	case "ld1", "ld2", "ld3", "ld4":
		bytes = structureARM(in.operands)
	case "ld1r":
		if m := arranged.FindStringSubmatch(in.operands); m != nil {
			bytes = sizeARM(m[2])
		}
	}
	if bytes == 0 {
		return load{}
	}
	return load{bytes, plainARM(bytes, base[1])}
}

func sizeARM(letter string) int {
	return map[string]int{"q": 16, "d": 8, "s": 4, "h": 2, "b": 1}[letter]
}

// scalarARM is the size of the first register, 0 if it is no vector register.
func scalarARM(operands string) int {
	if m := registerARM.FindStringSubmatch(operands); m != nil {
		return sizeARM(m[1])
	}
	return 0
}

// structureARM is the size of a list of registers, or of one lane of each.
func structureARM(operands string) int {
	list := listARM.FindStringSubmatch(operands)
	if list == nil {
		return 0
	}
	bytes := 0
	for _, m := range arranged.FindAllStringSubmatch(list[1], -1) {
		count := 1
		if list[2] == "" {
			count, _ = strconv.Atoi(m[1]) // digits, by the pattern
		}
		bytes += count * sizeARM(m[2])
	}
	return bytes
}

// plainARM returns two ways to load so many bytes: with pairs and without.
func plainARM(bytes int, base string) []string {
	var pairs, singles []string
	for left := bytes; left > 0; {
		switch {
		case left >= 32:
			pairs = append(pairs, "ldp q0, q1, ["+base+"]")
			singles = append(singles, "ldr q0, ["+base+"]", "ldr q1, ["+base+", #16]")
			left -= 32
			continue
		case left >= 16:
			pairs = append(pairs, "ldr q0, ["+base+"]")
			left -= 16
		case left >= 8:
			pairs = append(pairs, "ldr d0, ["+base+"]")
			left -= 8
		default:
			pairs = append(pairs, "ldr s0, ["+base+"]")
			left = 0
		}
		singles = append(singles, pairs[len(pairs)-1])
	}
	return []string{strings.Join(pairs, "\n"), strings.Join(singles, "\n")}
}
