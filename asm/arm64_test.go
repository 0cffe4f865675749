package main

import (
	"encoding/binary"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// disassemble spells a word as GNU's tools do.
func disassemble(word uint64) (string, error) {
	inst, err := arm64asm.Decode(binary.LittleEndian.AppendUint32(nil, uint32(word)))
	if err != nil {
		return "", err
	}
	return arm64asm.GNUSyntax(inst), nil
}

// words returns the words of an assembly, by their comments: those of macros are
// what the assembler makes of their definitions.
func words(t *testing.T, assembly string) map[string]uint64 {
	words := map[string]uint64{}
	for _, w := range regexp.MustCompile(`WORD\s+\$(\w+) // (.*)\n`).FindAllStringSubmatch(assembly, -1) {
		words[w[2]] = number(t, w[1])
	}
	for _, m := range regexp.MustCompile(`// (.*)\n#define (\w+)\((.*)\) WORD \$\((\w+)\|(.*)\)\n`).FindAllStringSubmatch(assembly, -1) {
		gnu, name, params := m[1], m[2], strings.Split(m[3], ", ")
		for _, call := range regexp.MustCompile(`\t`+name+`\((.*)\)\n`).FindAllStringSubmatch(assembly, -1) {
			word, comment := number(t, m[4]), gnu
			for i, value := range strings.Split(call[1], ", ") {
				for _, field := range strings.Split(m[5], "|") {
					if param, shift, ok := strings.Cut(field, "<<"); ok && param == params[i] {
						word |= number(t, value) << number(t, shift)
					}
				}
				comment = strings.ReplaceAll(comment, " v"+params[i]+".", " v"+value+".")
			}
			words[comment] = word
		}
	}
	if strings.Count(assembly, "#define") == 0 || len(words) == 0 {
		t.Fatal("no macro or no word found")
	}
	return words
}

func number(t *testing.T, s string) uint64 {
	n, err := strconv.ParseUint(s, 0, 32)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkWords fails when a word is not the instruction that its comment says.
func checkWords(t *testing.T, words map[string]uint64) {
	for comment, word := range words {
		if got, err := disassemble(word); err != nil || got != comment {
			t.Errorf("%#x is %q (%v), its comment says %q", word, got, err, comment)
		}
	}
}

func TestWords(t *testing.T) {
	files, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	assembly := string(files["kernels_arm64.s"])
	checkWords(t, words(t, assembly))
	lines := regexp.MustCompile(`WORD.*`).FindAllString(assembly, -1)
	for _, line := range lines {
		if !strings.Contains(line, " // ") && !strings.Contains(line, "WORD $(") {
			t.Errorf("%s has no comment", line)
		}
	}
}

// TestWordFields fails when a field of a word lies in the wrong place: every
// instruction is packed with the registers and immediates at their limits.
func TestWordFields(t *testing.T) {
	registers := []Vec{0, 1, 16, 31}
	three := map[string]func(e *arm64, dst, a, b Vec, s shape){
		"FADD": (*arm64).FADD, "FADDP": (*arm64).FADDP, "FCMEQ": (*arm64).FCMEQ,
	}
	two := map[string]func(e *arm64, dst, a Vec){
		"FCVTL": (*arm64).FCVTL, "FCVTL2": (*arm64).FCVTL2, "FCVTN": (*arm64).FCVTN,
	}
	e := newARM64()
	for _, d := range registers {
		for _, a := range registers {
			for _, f := range two {
				f(e, d, a)
			}
			for _, n := range []int{1, 8, 16} {
				e.SHRN(d, a, n)
			}
			for _, b := range registers {
				for _, f := range three {
					f(e, d, a, b, s4)
					f(e, d, a, b, d2)
				}
			}
		}
		for _, n := range []uint32{0x01, 0x1f, 0x20, 0x40, 0x7f, 0x80, 0xff} {
			for _, m := range []modified{lsl0, lsl16, lsl24, msl8} {
				e.MOVI(d, n, m)
				if m != msl8 { // ORR has no msl
					e.ORRi(d, n, m)
				}
			}
		}
	}
	all := words(t, strings.Join(e.macros, "")+e.body.String())
	// Three operands of two shapes, two operands, SHRN, and immediates.
	if want := 64*3*2 + 16*3 + 16*3 + 4*7*(4+3); len(all) != want {
		t.Errorf("%d different words, want %d", len(all), want)
	}
	checkWords(t, all)
}

// TestARM64Misuse fails when the emitter takes an operand that the assembler
// would refuse, or would spread over several instructions.
func TestARM64Misuse(t *testing.T) {
	for name, misuse := range map[string]func(e *arm64){
		"platform register":     func(e *arm64) { e.MOVDi(18, 0) },
		"assembler's register":  func(e *arm64) { e.MOVDi(27, 0) },
		"g":                     func(e *arm64) { e.MOVD(0, 28) },
		"link register":         func(e *arm64) { e.MOVD(30, 0) },
		"stack pointer written": func(e *arm64) { e.ADDi(Frame, Frame, 16) },
		"no register":           func(e *arm64) { e.MOVDload(0, At(None, 0)) },
		"load too far":          func(e *arm64) { e.FMOVQload(0, At(0, 16<<12)) },
		"load not aligned":      func(e *arm64) { e.FMOVQload(0, At(0, 264)) },
		"load with an index":    func(e *arm64) { e.FMOVQload(0, Addr{0, 1, 0}) },
		"pair not aligned":      func(e *arm64) { e.FLDPQ(0, 1, At(0, 8)) },
	} {
		e := newARM64()
		e.begin("kernel", 0)
		func() {
			defer func() {
				if msg, ok := recover().(string); !ok || !strings.HasPrefix(msg, "kernel: ") {
					t.Errorf("%s: %q", name, msg)
				}
			}()
			misuse(e)
		}()
	}
}

// TestWindow fails when a pair far from its base is loaded from elsewhere, or
// from a register that no longer points there.
func TestWindow(t *testing.T) {
	e := newARM64()
	e.begin("kernel", 0)
	e.body.Reset()
	for _, off := range []int{-1024, 1008, 1024, 2048 + 1008, 3072} {
		e.FLDPQ(0, 1, At(1, off))
	}
	e.ADDi(2, 2, 1) // not the base
	e.FLDPQ(0, 1, At(1, 3088))
	e.FLDPQ(0, 1, At(2, 3088))
	e.ADDi(2, 2, 1)
	e.FLDPQ(0, 1, At(2, 3088))
	e.label("l")
	e.FLDPQ(0, 1, At(2, 3088))
	e.FLDPQ(0, 1, At(Frame, 1040))
	const want = `
FLDPQ -1024(R1), (F0, F1)
FLDPQ 1008(R1), (F0, F1)
ADD $2048, R1, R26
FLDPQ -1024(R26), (F0, F1)
FLDPQ 1008(R26), (F0, F1)
ADD $4096, R1, R26
FLDPQ -1024(R26), (F0, F1)
ADD $1, R2, R2
FLDPQ -1008(R26), (F0, F1)
ADD $4096, R2, R26
FLDPQ -1008(R26), (F0, F1)
ADD $1, R2, R2
ADD $4096, R2, R26
FLDPQ -1008(R26), (F0, F1)
l:
ADD $4096, R2, R26
FLDPQ -1008(R26), (F0, F1)
ADD $2048, RSP, R26
FLDPQ -1008(R26), (F0, F1)
`
	var got strings.Builder
	got.WriteByte('\n')
	for line := range strings.Lines(e.body.String()) {
		if fields := strings.Fields(line); len(fields) > 0 {
			got.WriteString(strings.Join(fields, " ") + "\n")
		}
	}
	if got.String() != want {
		t.Errorf("got %s", got.String())
	}
}

// TestFrameARM64 fails when locals overlap, lie outside the frame, or are not
// aligned as their size asks.
func TestFrameARM64(t *testing.T) {
	e := newARM64()
	e.begin("kernel", 0)
	end := 8 // the link register
	for _, size := range []int{8, 16, 8, 8, 256} {
		at := e.local(size).Off
		if at < end || at%min(size, 16) != 0 {
			t.Errorf("%d bytes at %d, behind %d", size, at, end)
		}
		end = at + size
	}
	e.end()
	if want := "$312-8"; !strings.Contains(e.text.String(), want) || end > 312+8 {
		t.Errorf("locals end at %d, frame not %s:\n%s", end, want, e.text.String())
	}
}
