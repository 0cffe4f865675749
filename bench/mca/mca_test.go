package main

import (
	"regexp"
	"strings"
	"testing"
)

// dump is what llvm-objdump prints, shortened: a kernel with a loop inside a
// loop, its wrapper, and a function of another package.
const dump = `
/tmp/kernels.test:	file format elf64-x86-64

Disassembly of section .text:

0000000000001000 <github.com/reducesum/reducesum.colsF32AVX2.abi0>:
    1000:      	movq	0x8(%rsp), %rax
    1005:      	subq	$0x400, %rsp            # imm = 0x400
    100c:      	vmovups	(%rax), %ymm0
    1010:      	vaddps	0x20(%rax), %ymm0, %ymm0
    1015:      	vaddps	(%rdi), %ymm0, %ymm0
    1019:      	jne	0x1015 <github.com/reducesum/reducesum.colsF32AVX2.abi0+0x15>
    101b:      	vmovups	%ymm0, (%rdx)
    101f:      	jge	0x100c <github.com/reducesum/reducesum.colsF32AVX2.abi0+0xc>
    1021:      	jmp	0x1025 <github.com/reducesum/reducesum.colsF32AVX2.abi0+0x25>
    1025:      	retq

0000000000002000 <github.com/reducesum/reducesum.colsF32AVX2>:
    2000:      	jmp	0x2000 <github.com/reducesum/reducesum.colsF32AVX2>

0000000000003000 <runtime.colsF32AVX2.abi0>:
    3000:      	jmp	0x3000 <runtime.colsF32AVX2.abi0>
`

func TestLoops(t *testing.T) {
	functions, err := parseDump(dump, "github.com/reducesum/reducesum", regexp.MustCompile("^cols"))
	if err != nil {
		t.Fatal(err)
	}
	if len(functions) != 1 || functions[0].name != "colsF32AVX2" || len(functions[0].code) != 10 {
		t.Fatalf("functions are %+v, want colsF32AVX2 with 10 instructions", functions)
	}
	if got := functions[0].code[1].text("top"); got != "subq $0x400, %rsp" {
		t.Errorf("without the comment, instruction 1 is %q", got)
	}
	loops := findLoops(functions[0], loadX86, 1)
	want := []struct {
		name  string
		bytes int
		code  string
	}{
		{"colsF32AVX2 at 0x15", 32, "vaddps (%rdi), %ymm0, %ymm0; jne top"},
		{"colsF32AVX2 at 0xc", 64, "vmovups (%rax), %ymm0; vaddps 0x20(%rax), %ymm0, %ymm0; vmovups %ymm0, (%rdx); jge top"},
	}
	if len(loops) != len(want) {
		t.Fatalf("%d loops, want %d: %+v", len(loops), len(want), loops)
	}
	for i, l := range loops {
		var code []string
		for _, in := range l.code {
			code = append(code, in.text("top"))
		}
		if l.name != want[i].name || l.bytes != want[i].bytes || strings.Join(code, "; ") != want[i].code {
			t.Errorf("loop %d is %s, %d bytes: %s; want %+v", i, l.name, l.bytes, strings.Join(code, "; "), want[i])
		}
	}
	if loops := findLoops(functions[0], loadX86, 33); len(loops) != 1 || loops[0].bytes != 64 {
		t.Errorf("of 33 bytes and more there are %+v", loops)
	}
	if got, want := regions(loops[0]), "# LLVM-MCA-BEGIN loop\n.Ltop:\nvaddps (%rdi), %ymm0, %ymm0\njne .Ltop\n# LLVM-MCA-END\n"+
		"# LLVM-MCA-BEGIN loads0\nvmovups (%rdi), %ymm0\n# LLVM-MCA-END\n"; got != want {
		t.Errorf("regions are %q, want %q", got, want)
	}
}

func TestLoads(t *testing.T) {
	tests := []struct {
		loads    func(instruction) load
		code     string
		bytes    int
		contains string // of the first way to load as much
	}{
		{loadX86, "vmovups 0x40(%rcx,%rdx,4), %zmm1", 64, "vmovups 0x40(%rcx,%rdx,4), %zmm0"},
		{loadX86, "vaddps 0x40(%rcx), %ymm0, %ymm1", 32, "vmovups 0x40(%rcx), %ymm0"},
		{loadX86, "vmovups (%rcx), %zmm1 {%k1} {z}", 64, "%zmm0"},
		{loadX86, "vpmovzxwd (%rcx), %ymm1", 16, "%xmm0"},
		{loadX86, "vcvtph2ps (%rcx), %zmm1", 32, "%ymm0"},
		{loadX86, "vinsertf128 $0x1, (%rcx), %ymm1, %ymm1", 16, "%xmm0"},
		{loadX86, "vinserti64x4 $0x1, (%rcx), %zmm1, %zmm1", 32, "%ymm0"},
		{loadX86, "vmovss (%rcx), %xmm1", 4, "vmovss (%rcx), %xmm0"},
		{loadX86, "vaddsd (%rcx), %xmm1, %xmm1", 8, "vmovsd (%rcx), %xmm0"},
		{loadX86, "vmovups %zmm1, (%rcx)", 0, ""},
		{loadX86, "vmovups (%rsp), %ymm1", 0, ""},
		{loadX86, "vmovups 0x100(%rip), %ymm1", 0, ""},
		{loadX86, "vbroadcastss (%rcx), %ymm1", 0, ""},
		{loadX86, "vaddps (%rcx){1to16}, %zmm1, %zmm1", 0, ""},
		{loadX86, "vaddps %ymm0, %ymm0, %ymm1", 0, ""},
		{loadX86, "movq (%rcx), %rax", 0, ""},
		{loadARM, "ldp q0, q1, [x1, #0x40]", 32, "ldp q0, q1, [x1]"},
		{loadARM, "ldr q0, [x1], #16", 16, "ldr q0, [x1]"},
		{loadARM, "ldur d0, [x1, #-8]", 8, "ldr d0, [x1]"},
		{loadARM, "ldr s3, [x1, x2]", 4, "ldr s0, [x1]"},
		{loadARM, "ld1 { v0.4s, v1.4s, v2.4s }, [x1], #48", 48, "ldp q0, q1, [x1]\nldr q0, [x1]"},
		{loadARM, "ld1 {v0.8h}, [x1]", 16, "ldr q0, [x1]"},
		{loadARM, "ld1 { v0.s }[1], [x1]", 4, "ldr s0, [x1]"},
		{loadARM, "ld1r { v0.2d }, [x1]", 8, "ldr d0, [x1]"},
		{loadARM, "ldr q0, [sp, #16]", 0, ""},
		{loadARM, "ldr x0, [x1]", 0, ""},
		{loadARM, "ldp x0, x2, [x1]", 0, ""},
		{loadARM, "stp q0, q1, [x1]", 0, ""},
		{loadARM, "fadd v0.4s, v0.4s, v1.4s", 0, ""},
	}
	for _, test := range tests {
		mnemonic, operands, _ := strings.Cut(test.code, " ")
		got := test.loads(instruction{mnemonic: mnemonic, operands: operands})
		if got.bytes != test.bytes || got.bytes > 0 && !strings.Contains(got.text[0], test.contains) {
			t.Errorf("%s loads %d bytes, as %q; want %d, %q", test.code, got.bytes, got.text, test.bytes, test.contains)
		}
	}
}

func TestJumps(t *testing.T) {
	tests := []struct{ mnemonic, operands, want string }{
		{"jne", "0x1015 <f.abi0+0x15>", "jne top"},
		{"b.ge", "0x1d0880 <f.abi0+0x40>", "b.ge top"},
		{"tbz", "w1, #0x3, 0x1d0880 <f.abi0+0x40>", "tbz w1, #0x3, top"},
		{"bl", "0x1d0880 <g+0x40>", "bl 0x1d0880 <g+0x40>"},
		{"bsl", "v0.16b, v1.16b, v2.16b", "bsl v0.16b, v1.16b, v2.16b"},
	}
	for _, test := range tests {
		i, err := parseInstruction("10", test.mnemonic, test.operands)
		if err != nil {
			t.Fatal(err)
		}
		if got := i.text("top"); got != test.want {
			t.Errorf("%s %s is %q, want %q", test.mnemonic, test.operands, got, test.want)
		}
	}
}

func TestReadResult(t *testing.T) {
	const view = `"SummaryView": {"Iterations": 100, "TotalCycles": 6400, "BlockRThroughput": 48}`
	text := `{"CodeRegions": [{"Name": "loop", ` + view + `}, {"Name": "loads0", ` + view + `},
		{"Name": "loads1", ` + strings.Replace(view, "6400", "3200", 1) + `}]}`
	got, err := readResult(text, 4096)
	if want := (result{loop: 1, ports: 0.75, loads: 0.5}); err != nil || got != want {
		t.Errorf("result %+v, %v; want %+v", got, err, want)
	}
	for _, text := range []string{"", "{}", `{"CodeRegions": [{"Name": "loop", ` + view + `}]}`} {
		if got, err := readResult(text, 4096); err == nil {
			t.Errorf("result of %q is %+v, want an error", text, got)
		}
	}
}
