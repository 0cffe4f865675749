package main

import (
	"strings"
	"testing"
	"time"

	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/rivals"
)

func TestFlags(t *testing.T) {
	standard, err := cases.Select(cases.Standard)
	if err != nil {
		t.Fatal(err)
	}
	views, err := cases.Select(cases.Views)
	if err != nil {
		t.Fatal(err)
	}
	all, ours := len(rivals.All()), len(rivals.All())-5
	tests := []struct {
		args                          []string
		cases, types, rivals, workers int
	}{
		{nil, len(standard), 8, all, 1},
		{[]string{"-case", "16", "-case", "8x3/1 16", "-type", "float32,int32", "-workers", "1,2"}, 2, 2, all, 2},
		{[]string{"-impl", "ours,naive"}, len(standard), 8, all - 4, 1},
		{[]string{"-impl", "naive,gonum,naive", "-type", "all"}, len(standard), 8, 2, 1},
		{[]string{"-html", "x", "-case", "16"}, 1, 8, all, 1},
		{[]string{"-suite", "views"}, len(views), 8, ours, 1},
		{[]string{"-suite", "views", "-impl", "all"}, len(views), 8, all, 1},
		{[]string{"-suite", "middle,columns", "-case", "16"}, 9, 8, all, 1},
		{[]string{"-suite", "views", "-case", "16"}, len(views) + 1, 8, all, 1},
		{[]string{"-check"}, len(standard) + len(views), 8, ours, 1}, // vek, and not generic
		{[]string{"-check", "-suite", "views", "-impl", "naive"}, len(views), 8, 1, 1},
	}
	for _, test := range tests {
		f, err := parseFlags(test.args, t.Output())
		if err != nil {
			t.Errorf("%v: %v", test.args, err)
			continue
		}
		if len(f.Cases) != test.cases || len(f.Types) != test.types || len(f.Rivals) != test.rivals || len(f.Workers) != test.workers {
			t.Errorf("%v: %d cases, %d types, %d rivals, %d numbers of workers; want %d, %d, %d, %d", test.args,
				len(f.Cases), len(f.Types), len(f.Rivals), len(f.Workers), test.cases, test.types, test.rivals, test.workers)
		}
	}
	f, err := parseFlags([]string{"-html", "x", "-time", "20ms"}, t.Output())
	if err != nil || len(f.Cases) <= len(standard) || f.Options.Time != 20*time.Millisecond {
		t.Errorf("with -html: %d cases, no more than the %d standard ones; time %v, error %v", len(f.Cases), len(standard), f.Options.Time, err)
	}
}

// TestFlagTypes checks which types packed cases and views have.
func TestFlagTypes(t *testing.T) {
	tests := []struct {
		args          []string
		packed, views int
	}{
		{nil, 8, 3},
		{[]string{"-type", "int32"}, 1, 1},
		{[]string{"-type", "float64,int32"}, 2, 2},
		{[]string{"-type", "all"}, 8, 8},
	}
	for _, test := range tests {
		f, err := parseFlags(test.args, t.Output())
		if err != nil || len(f.Types) != test.packed || len(f.ViewTypes) != test.views {
			t.Errorf("%v: %d types, %d of views, error %v; want %d, %d", test.args, len(f.Types), len(f.ViewTypes), err, test.packed, test.views)
		}
	}
}

func TestFlagErrors(t *testing.T) {
	tests := []struct{ args, names string }{
		{"-case|8x3/7", "axis 7"},
		{"-case|cols", `"cols"`},
		{"-type|float8", `"float8"`},
		{"-impl|numpy", `"numpy"`},
		{"-workers|0", `"0"`},
		{"-workers|two", `"two"`},
		{"-time|0s", "0s"},
		{"-run|(", "missing closing )"},
		{"-suite|view", `"view"`},
		{"-rounds|0", "0"},
		{"-format|xml", `"xml"`},
		{"-from|x|-save|y", "-save"},
		{"8x3/1", `"8x3/1"`},
		{"-nonsense", "-nonsense"},
	}
	for _, test := range tests {
		var told strings.Builder
		_, err := parseFlags(strings.Split(test.args, "|"), &told)
		if err == nil || !strings.Contains(told.String(), test.names) {
			t.Errorf("%s: error %v, told %q; want one that names %s", test.args, err, told.String(), test.names)
		}
	}
}
