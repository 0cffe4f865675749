package report

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/record"
)

// sample is a run with a little of everything.
func sample() *record.Report {
	line := func(c, kind, impl string, bytes int, ns float64) record.Line {
		l := record.Line{Type: "float32", Case: c, Kind: kind, Impl: impl, Workers: 1, Bytes: bytes,
			NS: ns, Median: ns * 1.5, Spread: 0.25, GBs: float64(bytes) / ns, LimitGBs: float64(bytes) / 10, LimitLoop: "load256",
			Ratio: 10 / ns, Samples: []float64{ns * 2, ns}}
		l.Ours = impl == "avx2" || impl == "generic"
		return l
	}
	r := &record.Report{Run: record.Run{
		Date: "2026-01-02", CPU: "Some <CPU>", Slug: "some-cpu", OS: "linux", Arch: "amd64", Go: "go1.26.8", Threads: 2,
		Implementations: []string{"avx2", "generic"}, Loops: []string{"load256"}, L1: 32 << 10, L2: 512 << 10, Buffer: 1 << 20,
	}}
	for _, size := range []int{1 << 12, 1 << 16, 1 << 20} {
		for i, impl := range []string{record.Limit, "generic", "avx2", "vek"} {
			r.Lines = append(r.Lines, line(map[int]string{1 << 12: "1024", 1 << 16: "16384", 1 << 20: "262144"}[size], "full", impl, size, float64(10+10*i)))
		}
	}
	r.Lines = append(r.Lines,
		line("8x3/1", "rows", record.Limit, 96, 10), line("8x3/1", "rows", "avx2", 96, 16),
		line("8x3/1", "rows", "vek", 96, 20), line("8x3/1", "rows", "gonum", 96, 12))
	wrong := line("8x3/1", "rows", "gomlx", 96, 0)
	wrong.NS, wrong.Samples, wrong.Note = 0, nil, "wrong: sum 1 is 3, not 4"
	r.Lines = append(r.Lines, wrong)
	r.Lines[2].Under = "ratio 0.10 < 0.95"
	return r
}

func TestText(t *testing.T) {
	tests := []struct {
		underOnly bool
		lines     int
		contains  []string
	}{
		{false, 17, []string{"Some <CPU>", "avx2, generic", "1.5%", "load256", "left out: wrong: sum 1", "UNDER: ratio 0.10 < 0.95", "\n1 of our 4 lines are under"}},
		{true, 1, []string{"UNDER: ratio 0.10 < 0.95", "\n1 of our 4 lines are under"}},
	}
	for _, test := range tests {
		var b strings.Builder
		text := &Text{W: &b, UnderOnly: test.underOnly}
		r := sample()
		r.Lines[0].Spread = 0.015
		if err := text.Run(r.Run); err != nil {
			t.Fatal(err)
		}
		if err := text.Case(r.Lines); err != nil {
			t.Fatal(err)
		}
		if err := text.Close(); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		if n := len(regexp.MustCompile(`(?m)^float32 `).FindAllString(out, -1)); n != test.lines {
			t.Errorf("under only %v: %d lines, want %d:\n%s", test.underOnly, n, test.lines, out)
		}
		for _, s := range test.contains {
			if !strings.Contains(out, s) && !(test.underOnly && s == "1.5%") {
				t.Errorf("under only %v: no %q in\n%s", test.underOnly, s, out)
			}
		}
	}
}

// TestBenchstat reads what was written with the reader that benchstat uses.
func TestBenchstat(t *testing.T) {
	var b bytes.Buffer
	w := NewBenchstat(&b)
	r := sample()
	if err := w.Run(r.Run); err != nil {
		t.Fatal(err)
	}
	if err := w.Case(r.Lines); err != nil {
		t.Fatal(err)
	}
	var names []string
	reader := benchfmt.NewReader(&b, "test")
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("not a result: %v", reader.Result())
		}
		if cpu := result.GetConfig("cpu"); cpu != "Some <CPU>" {
			t.Errorf("cpu is %q", cpu)
		}
		names = append(names, string(result.Name))
		if len(names) == 1 && (len(result.Values) != 2 || result.Values[0].OrigValue != 20 || result.Values[0].OrigUnit != "ns/op") {
			t.Errorf("values are %+v, want 20 ns/op and MB/s", result.Values)
		}
	}
	if len(names) != 2*16 {
		t.Errorf("%d results, want two for each measured line", len(names))
	}
	if want := "Sum/type=float32/case=8x3:1/impl=gonum/workers=1"; !slices.Contains(names, want) {
		t.Errorf("no result %s in %v", want, names)
	}
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	writeMarkdown(&b, regions[0].of(sample()))
	for _, want := range []string{
		"**Some <CPU>**, linux/amd64, Go 1.26.8, 2026-01-02.",
		"| float32 | limit | reducesum avx2 | | vek | gonum | gomlx |\n|---|--:|--:|--:|--:|--:|--:|\n",
		"| full 2^18 | 104857.6 | **34952.5** | 0.33 | 26214.4 | – | – |\n",
		"| [8, 3] over 1 | 9.60 | **6.00** | 0.62 | 4.80 | 8.00 | wrong |\n",
		"| int64 | – | – | – | – | – | – | – | – |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestBetween(t *testing.T) {
	const begin, end = "<!-- bench:begin -->", "<!-- bench:end -->"
	tests := []struct{ text, want string }{
		{"a\n" + begin + "\nold\n" + end + "\nb", "a\n" + begin + "\nnew\n" + end + "\nb"},
		{begin + end, begin + "\nnew\n" + end},
		{"a", ""},
		{begin, ""},
		{end + begin, ""},
		{begin + begin + end, ""},
	}
	for _, test := range tests {
		got, err := between(test.text, "bench", "new\n")
		if got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("between(%q) is %q, %v; want %q", test.text, got, err, test.want)
		}
	}
}

// TestUpdateReadme checks that each region gets its lines, and that one without
// lines is kept.
func TestUpdateReadme(t *testing.T) {
	const both = "a\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nb\n<!-- views:begin -->\nold views\n<!-- views:end -->\nc\n"
	views := sample()
	for i := range views.Lines {
		views.Lines[i].Suite = cases.Views
	}
	tests := []struct {
		name     string
		runs     []*record.Report
		contains []string
		not      []string
	}{
		{"packed", []*record.Report{sample()}, []string{"full 2^18", "\nold views\n"}, []string{"\nold\n"}},
		{"views", []*record.Report{views}, []string{"\nold\n", "| [8, 3] over 1 | 1.6 |"}, []string{"old views", "full 2^18 | 104857.6"}},
		{"two", []*record.Report{sample(), views}, []string{"full 2^18 | 104857.6", "| [8, 3] over 1 | 1.6 |"}, []string{"\nold\n", "old views"}},
	}
	for _, test := range tests {
		name := filepath.Join(t.TempDir(), "README.md")
		if err := os.WriteFile(name, []byte(both), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := UpdateReadme(name, test.runs); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range test.contains {
			if !strings.Contains(string(text), s) {
				t.Errorf("%s: no %q in\n%s", test.name, s, text)
			}
		}
		for _, s := range test.not {
			if strings.Contains(string(text), s) {
				t.Errorf("%s: %q in\n%s", test.name, s, text)
			}
		}
	}
}

func TestViews(t *testing.T) {
	line := func(typ, c, impl string, ns float64, bar record.Bar) record.Line {
		return record.Line{Type: typ, Case: c, Impl: impl, Ours: impl != record.Limit, Workers: 1, NS: ns, Bar: bar, Suite: cases.Views}
	}
	half, over := record.Bar{Ratio: 0.5}, record.Bar{Over: 60}
	wrong := line("float16", "8x8@1,8", "avx2", 0, record.Bar{})
	wrong.Note = "wrong: sum 1"
	r := &record.Report{Run: sample().Run, Lines: []record.Line{
		line("float32", "512x512@1,512", record.Limit, 10, record.Bar{}), line("float32", "512x512@1,512", "avx2", 15, half),
		line("float32", "8x8@1,8", record.Limit, 5, record.Bar{}), line("float32", "8x8@1,8", "avx2", 46, over),
		line("float16", "512x512@1,512", record.Limit, 10, record.Bar{}), line("float16", "512x512@1,512", "avx2", 1234, half),
		line("float16", "8x8@1,8", record.Limit, 5, record.Bar{}), wrong,
	}}
	var b bytes.Buffer
	writeViews(&b, r)
	for _, want := range []string{
		"| | float32 avx2 | float16 avx2 |\n|---|--:|--:|\n",
		"| [512, 512], strides [1, 512] | 1.5 | 123 |\n",
		"| [8, 8], strides [1, 8] | +41 ns | wrong |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestCheck(t *testing.T) {
	good := sample()
	good.Lines[2].Under = ""
	tests := []struct {
		runs  []*record.Report
		err   string
		lines int
	}{
		{[]*record.Report{sample()}, "1 of our 4 lines", 1},
		{[]*record.Report{sample(), good}, "1 of our 8 lines", 1},
		{[]*record.Report{good}, "", 0},
	}
	for _, test := range tests {
		var b strings.Builder
		err := Check(&b, test.runs)
		if (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
			t.Errorf("error %v, want %q", err, test.err)
		}
		if n := strings.Count(b.String(), "UNDER: ratio 0.10 < 0.95"); n != test.lines || !strings.Contains(b.String(), "Some <CPU>") {
			t.Errorf("%d lines, want %d, and the CPU:\n%s", n, test.lines, b.String())
		}
	}
}

func TestCaseText(t *testing.T) {
	for in, want := range map[string]string{
		"100":                      "full 100",
		"65536":                    "full 65536",
		"16777216":                 "full 2^24",
		"8192x768/1":               "[8192, 768] over 1",
		"32x64x56x56/0,2,3":        "[32, 64, 56, 56] over (0, 2, 3)",
		"8x3":                      "[8, 3]",
		"8192x768/1@773,1":         "[8192, 768] over 1, strides [773, 1]",
		"8192x768@773,1":           "[8192, 768], strides [773, 1]",
		"8x512x768/1@400003,779,1": "[8, 512, 768] over 1, strides [400003, 779, 1]",
		"1500@2":                   "[1500], strides [2]",
		"2x2x2x2x2x2x2x2x2/0,1,2,3,4,5,6,7,8@1,2,4,8,16,32,64,128,256": "[2, 2, 2, ..., 2] over (0, 1, 2, 3, 4, 5, 6, 7, 8), strides [1, 2, 4, ..., 256]",
	} {
		if got := caseText(Row{Case: in}); got != want {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
}

// TestPage checks that the page has its plots and its table, and needs nothing
// from elsewhere.
func TestPage(t *testing.T) {
	text, err := renderPage(sample())
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	if n := strings.Count(page, "<svg"); n != 2 {
		t.Errorf("%d plots, want the curve of full sums and the bars of rows", n)
	}
	for _, want := range []string{"reducesum on Some &lt;CPU&gt;", "Full sums: bandwidth", "Inner axes", "512 KiB", "left out: wrong: sum 1"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if found := regexp.MustCompile(`(src|href)="?(https?:|//|[^#"])[^"]*"|@import|url\(`).FindString(strings.ReplaceAll(page, "http://www.w3.org/", "")); found != "" {
		t.Errorf("the page refers to %q", found)
	}
	if strings.Contains(page, "<?xml") || strings.Contains(page, "font-family:Liberation") {
		t.Error("the page has an SVG file's head or font")
	}
}

func TestTicks(t *testing.T) {
	tests := []struct {
		to   float64
		want string
	}{
		{170, "0 50 100 150"},
		{26, "0 5 10 15 20 25"},
		{9.7, "0 2 4 6 8"},
		{0.4, "0 0.1 0.2 0.3 0.4"},
	}
	for _, test := range tests {
		var labels []string
		for _, tick := range (roundTicks{}).Ticks(0, test.to) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("ticks up to %v are %s, want %s", test.to, got, test.want)
		}
	}
	if got := (sizeTicks{}).Ticks(1000, 5000); len(got) != 3 || got[0].Label != "1 KiB" || got[1].Label != "" || got[2].Label != "4 KiB" {
		t.Errorf("ticks of sizes are %+v", got)
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int]string{0: "0 B", 64: "64 B", 1536: "1.5 KiB", 24 << 20: "24 MiB", 12e6: "11.44 MiB", 3 << 30: "3 GiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) is %q, want %q", n, got, want)
		}
	}
}
