package suite

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/contest"
	"github.com/reducesum/reducesum/bench/elem"
	"github.com/reducesum/reducesum/bench/record"
	"github.com/reducesum/reducesum/bench/rivals"
)

// collect is an output that keeps the lines.
type collect struct {
	run   record.Run
	cases [][]record.Line
}

func (c *collect) Run(r record.Run) error { c.run = r; return nil }

func (c *collect) Case(lines []record.Line) error {
	c.cases = append(c.cases, lines)
	return nil
}

// TestRun measures a little, with a rival that is always wrong among the others.
func TestRun(t *testing.T) {
	list, err := cases.Select("100 20x30/1")
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := Choose("ours,naive")
	if err != nil {
		t.Fatal(err)
	}
	wrong := rivals.Rival{Name: "wrong", New: func(t rivals.Task) (*rivals.Entry, error) {
		return &rivals.Entry{Run: func(int) {}, Result: func() any { return t.Dst }}, nil
	}}
	s := &Suite{
		Cases: list, Types: []elem.Type{"float32", "bfloat16"}, Rivals: append(chosen, wrong), Workers: []int{1, 2},
		Options: contest.Options{Time: time.Millisecond, Rounds: 3},
	}
	out := &collect{}
	shown := 0
	if err := s.Run(out, func(done, of int, _ string) {
		if done != shown || of != 4 {
			t.Errorf("progress %d of %d, want %d of 4", done, of, shown)
		}
		shown++
	}); err != nil {
		t.Fatal(err)
	}
	if out.run.CPU == "" || len(out.run.Implementations) == 0 || len(out.run.Loops) == 0 || out.run.Buffer != 600*4 {
		t.Errorf("the run is %+v", out.run)
	}
	if len(out.cases) != 4 {
		t.Fatalf("%d cases, want 4", len(out.cases))
	}
	for _, lines := range out.cases {
		checkLines(t, lines, len(chosen))
	}
}

// checkLines checks the lines of a case: one of the limit for each number of
// workers, one of each of ours, the rivals with one worker only.
func checkLines(t *testing.T, lines []record.Line, chosen int) {
	t.Helper()
	if want := 2*(1+chosen-1) + 1 + 1; len(lines) != want {
		t.Errorf("%d lines, want %d: %+v", len(lines), want, lines)
	}
	limits := 0
	for _, l := range lines {
		switch {
		case l.Impl == "wrong":
			if l.Measured() || l.Note == "" {
				t.Errorf("a wrong rival has the line %+v", l)
			}
			continue
		case l.Impl == record.Limit:
			limits++
			if l.Ratio != 1 {
				t.Errorf("the limit's ratio is %v", l.Ratio)
			}
		}
		if l.NS <= 0 || l.Median < l.NS || l.GBs <= 0 || l.LimitGBs <= 0 || l.LimitLoop == "" || l.Note != "" {
			t.Errorf("%+v", l)
		}
	}
	if limits != 2 {
		t.Errorf("%d limits, want one for each number of workers", limits)
	}
}

func TestPairs(t *testing.T) {
	list, err := cases.Select("100 20x30/1@30,1")
	if err != nil {
		t.Fatal(err)
	}
	s := &Suite{Cases: list, Types: []elem.Type{"int32", "float32"}, ViewTypes: []elem.Type{"float16"}}
	tests := []struct {
		only string
		want []string
	}{
		{"", []string{"float32 100", "float16 20x30/1@30,1", "int32 100"}},
		{"^float", []string{"float32 100", "float16 20x30/1@30,1"}},
		{"x", []string{"float16 20x30/1@30,1"}},
		{"32 100$", []string{"float32 100", "int32 100"}},
		{"nothing", nil},
	}
	for _, test := range tests {
		s.Only = regexp.MustCompile(test.only)
		var got []string
		for _, p := range s.pairs() {
			got = append(got, p.String())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %v, want %v", test.only, got, test.want)
		}
	}
	err = s.Run(&collect{}, func(int, int, string) {})
	if err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("nothing to measure: error %v, want one that names the expression", err)
	}
}

// TestBits checks that an implementation of ours with the right values, but not
// the bits of a contiguous copy, is out.
func TestBits(t *testing.T) {
	list, err := cases.Select("64@3")
	if err != nil {
		t.Fatal(err)
	}
	inOrder := rivals.Rival{Name: "in order", Ours: true, New: func(t rivals.Task) (*rivals.Entry, error) {
		src, dst := t.Src.([]float32), t.Dst.([]float32)
		return &rivals.Entry{
			Run: func(int) {
				dst[0] = 0
				for i := 0; i < len(src); i += 3 {
					dst[0] += src[i]
				}
			},
			Result: func() any { return dst },
		}, nil
	}}
	s := &Suite{
		Cases: list, ViewTypes: []elem.Type{"float32"}, Rivals: []rivals.Rival{inOrder}, Workers: []int{1},
		Options: contest.Options{Time: time.Millisecond, Rounds: 3},
	}
	out := &collect{}
	if err := s.Run(out, func(int, int, string) {}); err != nil {
		t.Fatal(err)
	}
	if err := Wrong(out.cases[0]); err == nil || !strings.Contains(err.Error(), "the bits of sum 0") {
		t.Errorf("error %v, want one that tells of the bits", err)
	}
}

func TestWrong(t *testing.T) {
	tests := []struct {
		line record.Line
		want bool
	}{
		{record.Line{Ours: true, NS: 1}, false},
		{record.Line{Note: "wrong: sum 1"}, false},
		{record.Line{Ours: true, Note: "wrong: sum 1"}, true},
	}
	for _, test := range tests {
		if err := Wrong([]record.Line{test.line}); (err != nil) != test.want {
			t.Errorf("Wrong(%+v) is %v", test.line, err)
		}
	}
}
