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
		c              string
		bytes, workers int
		want           Bar
	}{
		{"16", 64, 1, Bar{NS: 5}},
		{"100", 400, 1, Bar{NS: 8}},
		{"1024", 4096, 1, Bar{}},
		{"4096", 16384, 1, Bar{Ratio: 0.95}},
		{"2^24", 1 << 26, 1, Bar{Ratio: 0.95}},
		{"1000000x3/1", 12e6, 1, Bar{Ratio: 0.6}},
		{"65536x63/1", 1 << 24, 1, Bar{Ratio: 0.6}},
		{"65536x64/1", 1 << 24, 1, Bar{Ratio: 0.85}},
		{"1048576x4/0", 1 << 24, 1, Bar{Ratio: 0.85}},
		{"8x512x768/1", 1 << 24, 1, Bar{Ratio: 0.85}},
		{"32x64x56x56/0,2,3", 1 << 24, 1, Bar{Ratio: 0.85}},
		{"16", 64, 2, Bar{}},
		{"2^24", 1 << 26, 2, Bar{Ratio: 0.85}},
		{"1000000x3/1", 12e6, 2, Bar{Ratio: 0.85}},
	}
	for _, test := range tests {
		c, err := cases.Parse(test.c)
		if err != nil {
			t.Fatal(err)
		}
		if got := BarOf(c, test.bytes, test.workers); got != test.want {
			t.Errorf("%s, %d bytes, %d workers: bar %+v, want %+v", test.c, test.bytes, test.workers, got, test.want)
		}
	}
}

func TestJudge(t *testing.T) {
	line := func(impl string, workers int, ns, ratio float64) Line {
		ours := impl == "avx512" || impl == "avx2" || impl == "generic"
		return Line{Impl: impl, Ours: ours, Workers: workers, Bytes: 1 << 26, NS: ns, Ratio: ratio}
	}
	tests := []struct {
		name  string
		lines []Line // the first is judged
		want  string
	}{
		{"at the bar", []Line{line("avx512", 1, 100, 0.86)}, ""},
		{"under the bar", []Line{line("avx512", 1, 100, 0.84)}, "ratio 0.84 < 0.85"},
		{"the lesser one is under it too", []Line{line("avx2", 1, 100, 0.84)}, ""},
		{"under the lesser bar", []Line{line("avx2", 1, 100, 0.70)}, "ratio 0.70 < 0.72"},
		{"a rival is faster", []Line{line("avx512", 1, 100, 0.9), line("vek", 1, 80, 1)}, "vek is 1.25 times as fast"},
		{"a rival is as fast, but for noise", []Line{line("avx512", 1, 100, 0.9), line("vek", 1, 98, 1)}, ""},
		{"a rival is not measured", []Line{line("avx512", 1, 100, 0.9), line("vek", 1, 0, 0)}, ""},
		{"the limit is no rival", []Line{line("avx512", 1, 100, 0.9), line(Limit, 1, 90, 1)}, ""},
		{"one worker is faster", []Line{line("avx512", 2, 100, 0.9), line("avx512", 1, 50, 0.9)}, "one worker is 2.00 times as fast"},
		{"another implementation is faster", []Line{line("avx512", 1, 100, 0.9), line("avx2", 1, 50, 0.9)}, ""},
		{"generic has no bar", []Line{line("generic", 1, 100, 0.1)}, ""},
		{"not measured", []Line{{Impl: "avx512", Ours: true, Note: "wrong"}}, ""},
	}
	c, err := cases.Parse("8192x768/1")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		Judge(c, test.lines, []string{"avx512", "avx2", "generic"})
		if got := test.lines[0].Under; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestReadWrite(t *testing.T) {
	want := &Report{
		Run: Run{Date: "2026-01-02", CPU: "a CPU", Implementations: []string{"avx2"}, L1: 32 << 10},
		Lines: []Line{
			{Type: "float32", Case: "8x3/1", Impl: "avx2", Ours: true, Workers: 1, Bytes: 96, NS: 10.5, GBs: 9.1, Ratio: 0.5, Under: "slow"},
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
