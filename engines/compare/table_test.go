package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reducesum/reducesum/engines/compare/cases"
)

// measured returns an engine whose variants took times of each case.
func measured(name string, times ...[]time.Duration) *engine {
	e := newEngine(name, nil, nil, nil)
	for i, v := range e.variants {
		for c := range v.cases {
			v.cases[c].times = times[i]
		}
	}
	return e
}

func ms(x ...float64) []time.Duration {
	var times []time.Duration
	for _, x := range x {
		times = append(times, time.Duration(x*float64(time.Millisecond)))
	}
	return times
}

func TestTable(t *testing.T) {
	quick := measured("quick", ms(8, 6, 7), ms(2, 1, 9), ms(1, 1, 1))
	quick.variants[before].cases[1].wrong = true
	text := table([]*engine{quick, measured("new", nil, ms(3), ms(2))}, 3, time.Now())
	for _, row := range []string{
		"| quick | [8192, 768] over 1 | 7.00 | 2.00 | 3.5× | 1.00 | 7.0× |",
		"| quick | [8192, 768] over 0 | 7.00, wrong | 2.00 | 3.5× | 1.00 | 7.0× |",
		"| new | [32, 64, 56, 56] over (2, 3) | none | 3.00 |  | 2.00 |  |",
	} {
		if !strings.Contains(text, row+"\n") {
			t.Errorf("no row %q in\n%s", row, text)
		}
	}
}

func TestReport(t *testing.T) {
	for _, c := range []struct {
		times []time.Duration
		noisy bool
	}{
		{ms(10, 10, 11, 10, 10, 10, 10, 10, 99), false}, // one stray
		{ms(10, 10, 10, 14, 15, 15, 16, 20, 20), true},
		{ms(10, 10, 10, 10, 10), true}, // too few for any confidence
	} {
		var b strings.Builder
		if noisy := report(&b, []*engine{measured("e", nil, c.times, c.times)}, 0.2); noisy != c.noisy {
			t.Errorf("%v: noisy %t, want %t\n%s", c.times, noisy, c.noisy, b.String())
		}
		if n := strings.Count(b.String(), "\n"); n != 2*len(cases.All) {
			t.Errorf("%d lines, want %d", n, 2*len(cases.All))
		}
	}
}

func TestInsert(t *testing.T) {
	for _, c := range []struct {
		old, new string
		fits     bool
	}{
		{"a\n" + begin + "\nold\n" + end + "\nb\n", "a\n" + begin + "\nnew\n" + end + "\nb\n", true},
		{"a\n" + begin + end, "a\n" + begin + "\nnew\n" + end, true},
		{"no markers", "no markers", false},
		{end + begin, end + begin, false},
	} {
		path := filepath.Join(t.TempDir(), "README.md")
		if err := os.WriteFile(path, []byte(c.old), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := insert(path, "new\n"); (err == nil) != c.fits {
			t.Errorf("%q: error %v", c.old, err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.new {
			t.Errorf("%q became %q, want %q", c.old, got, c.new)
		}
	}
}

// Every engine runs every case once, and is right where it should be.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("builds GoMLX")
	}
	t.Setenv("GOWORK", "off")
	engines, err := allEngines(2)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engines {
		defer func() {
			if err := e.close(); err != nil {
				t.Error(err)
			}
		}()
	}
	if err := measure(engines, 1); err != nil {
		t.Fatal(err)
	}
	for _, e := range engines {
		for _, v := range e.variants[after:] {
			for i, r := range v.cases {
				if len(r.times) != 1 || r.wrong {
					t.Errorf("%s, %s, %v: %d runs, wrong sums: %t", e.name, v.name, cases.All[i], len(r.times), r.wrong)
				}
			}
		}
	}
}
