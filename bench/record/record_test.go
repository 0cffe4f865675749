package record

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/reducesum/reducesum/bench/cases"
)

func TestBarOf(t *testing.T) {
	tests := []struct {
		c, typ         string
		bytes, workers int
		want           string
	}{
		{"16", "float32", 64, 1, "5 ns"},
		{"100", "float32", 400, 1, "8 ns"},
		{"512", "float32", 2048, 1, ""},
		{"1024", "float32", 4096, 1, "0.85"},
		{"65536", "float32", 1 << 18, 1, "0.85"},
		{"2^24", "float32", 1 << 26, 1, "0.95"},
		{"2^24", "float16", 1 << 25, 1, "0.90"},
		{"1000000x3/1", "int64", 24e6, 1, "0.60"},
		{"65536x63/1", "float32", 1 << 24, 1, "0.60"},
		{"65536x63/1", "bfloat16", 1 << 23, 1, "0.60"},
		{"65536x64/1", "float32", 1 << 24, 1, "0.85"},
		{"65536x64/1", "bfloat16", 1 << 23, 1, "0.80"},
		{"1048576x4/0", "float32", 1 << 24, 1, "0.85"},
		{"8x512x768/1", "float32", 1 << 24, 1, "0.85"},
		{"32x64x56x56/0,2,3", "float32", 1 << 24, 1, "0.85"},
		{"16", "float32", 64, 2, ""},
		{"2^24", "float32", 1 << 26, 2, "0.85"},
		{"1000000x3/1", "float32", 12e6, 2, "0.85"},
		{"1024x4096@1,1024", "float32", 1 << 24, 1, "0.33"},
		{"1024x4096/0@1,1024", "float32", 1 << 24, 1, "0.50"},
		{"1024x4096/1@1,1024", "float32", 1 << 24, 1, "0.50"},
		{"1024x4096/1@1,1024", "float32", 1 << 20, 1, "0.25"},
		{"1024x4096/1@1,1024", "float32", 1 << 20, 2, ""},
		{"8x8@1,8", "float32", 256, 1, "+60 ns"},
		{"8x8@1,8", "float32", 64<<10 - 1, 1, "+60 ns"},
		{"8x8@1,8", "float32", 64 << 10, 1, "0.25"},
	}
	for _, test := range tests {
		list, err := cases.Select(test.c)
		if err != nil {
			t.Fatal(err)
		}
		if got := BarOf(list[0], test.typ, test.bytes, test.workers).String(); got != test.want {
			t.Errorf("%s %s, %d bytes, %d workers: bar %q, want %q", test.typ, test.c, test.bytes, test.workers, got, test.want)
		}
	}
}

func TestJudge(t *testing.T) {
	line := func(impl string, workers int, ns, ratio float64) Line {
		ours := impl == "avx512" || impl == "avx2" || impl == "generic"
		return Line{Type: "float32", Impl: impl, Ours: ours, Workers: workers, Bytes: 1 << 26, NS: ns, Ratio: ratio}
	}
	small := func(impl string, ns float64) Line {
		return Line{Type: "float32", Impl: impl, Ours: impl != Limit, Workers: 1, Bytes: 4096, NS: ns}
	}
	const packed, view = "8192x768/1", "8192x768/1@1,8192"
	tests := []struct {
		name  string
		c     string
		lines []Line // the first is judged
		want  string
	}{
		{"at the bar", packed, []Line{line("avx512", 1, 100, 0.86)}, ""},
		{"under the bar", packed, []Line{line("avx512", 1, 100, 0.84)}, "ratio 0.84 < 0.85"},
		{"the lesser one is under it too", packed, []Line{line("avx2", 1, 100, 0.76)}, ""},
		{"under the lesser bar", packed, []Line{line("avx2", 1, 100, 0.74)}, "ratio 0.74 < 0.75"},
		{"a full sum under the lesser bar", "2^24", []Line{line("avx2", 1, 100, 0.80)}, "ratio 0.80 < 0.81"},
		{"a view has one bar for all", view, []Line{line("avx2", 1, 100, 0.49)}, "ratio 0.49 < 0.50"},
		{"a rival is faster", packed, []Line{line("avx512", 1, 100, 0.9), line("vek", 1, 80, 1)}, "vek is 1.25 times as fast"},
		{"a rival is as fast, but for noise", packed, []Line{line("avx512", 1, 100, 0.9), line("vek", 1, 98, 1)}, ""},
		{"a rival is not measured", packed, []Line{line("avx512", 1, 100, 0.9), line("vek", 1, 0, 0)}, ""},
		{"the limit is no rival", packed, []Line{line("avx512", 1, 100, 0.9), line(Limit, 1, 90, 1)}, ""},
		{"one worker is faster", packed, []Line{line("avx512", 2, 100, 0.9), line("avx512", 1, 50, 0.9)}, "one worker is 2.00 times as fast"},
		{"another implementation is faster", packed, []Line{line("avx512", 1, 100, 0.9), line("avx2", 1, 50, 0.9)}, "avx2 is 2.00 times as fast"},
		{"another implementation is as fast, but for noise", packed, []Line{line("avx512", 1, 1000, 0.9), line("avx2", 1, 960, 0.9)}, ""},
		{"the best implementation is faster", packed, []Line{line("avx2", 1, 100, 0.9), line("avx512", 1, 50, 0.9)}, ""},
		{"generic has no bar", packed, []Line{line("generic", 1, 100, 0.1)}, ""},
		{"not measured", packed, []Line{{Impl: "avx512", Ours: true, Note: "wrong"}}, ""},
		{"a small view at the bar", view, []Line{small("avx512", 79), small(Limit, 20)}, ""},
		{"a small view over the bar", view, []Line{small("avx512", 81), small(Limit, 20)}, "81.0 ns > 20.0 ns + 60 ns"},
	}
	for _, test := range tests {
		list, err := cases.Select(test.c)
		if err != nil {
			t.Fatal(err)
		}
		Judge(list[0], test.lines, []string{"avx512", "avx2", "generic"})
		if got := test.lines[0].Under; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestReadWrite(t *testing.T) {
	want := &Report{
		Run: Run{Date: "2026-01-02", CPU: "a CPU", Implementations: []string{"avx2"}, L1: 32 << 10},
		Lines: []Line{
			{Type: "float32", Case: "8x3/1", Impl: "avx2", Ours: true, Workers: 1, Bytes: 96, NS: 10.5, GBs: 9.1, Ratio: 0.5, Bar: Bar{Over: 60}, Under: "slow"},
			{Type: "float32", Case: "8x3/1", Impl: "other", Workers: 1, Bytes: 96, Note: "wrong"},
		},
	}
	var b bytes.Buffer
	if err := want.Write(&b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 3 {
		t.Errorf("%d lines, want 3:\n%s", n, b.String())
	}
	got, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
}

func TestReadErrors(t *testing.T) {
	for _, text := range []string{"", "{}", `{"line":{}}`, `{"run":{}}` + "\n" + `{"run":{}}`, `{"run":{}}` + "\nx", "[]"} {
		if r, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("Read(%q) is %+v, want an error", text, r)
		}
	}
}
