package main

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/contest"
	"github.com/reducesum/reducesum/bench/elem"
	"github.com/reducesum/reducesum/bench/rivals"
	"github.com/reducesum/reducesum/bench/suite"
)

// flags are the command line.
type flags struct {
	suite.Suite
	cases string

	format string
	under  bool
	html   string
	save   string

	from   string
	readme string

	suites string
	lists  bool // what is under its bar
}

// parseFlags reads the command line, and writes what is wrong with it to w.
func parseFlags(args []string, w io.Writer) (*flags, error) {
	f := &flags{Suite: suite.Suite{
		Types:     elem.Types,
		ViewTypes: []elem.Type{"float32", "float64", "float16"},
		Workers:   []int{1},
		Options:   contest.Options{Time: 100 * time.Millisecond, Rounds: 100}, // short samples: some of them nobody interrupts
	}}

	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	set.SetOutput(w)
	set.Func("case", "cases, as 8192x768/1 (shape/axes@strides), and groups of them:\n"+strings.Join(cases.Groups, ", ")+" (default "+cases.Standard+")", f.addCases)
	set.StringVar(&f.suites, "suite", "", "groups of cases, separated by commas; views has the types float32, float64, float16")
	set.Func("run", "measure only what matches this `regexp` in \"type case\", as \"float32 8192x768/1\"", f.setOnly)
	set.Func("type", "element types, separated by commas (default all)", f.setTypes)
	set.Func("impl", "implementations, separated by commas; also ours, rivals, all (default all; of views, ours)", f.setRivals)
	set.Func("workers", "numbers of goroutines, separated by commas (default 1)", f.setWorkers)
	set.DurationVar(&f.Options.Time, "time", f.Options.Time, "time for each contestant of a case")
	set.IntVar(&f.Options.Rounds, "rounds", f.Options.Rounds, "samples that the time is divided into")
	set.StringVar(&f.format, "format", "text", "of the standard output: text, json or benchstat")
	set.BoolFunc("quick", "short for -time 20ms -rounds 20", f.setQuick)
	set.BoolVar(&f.lists, "check", false, "close with the list of our lines that are under their bar, and exit 1 if there are any;\nmeasures standard and views, our implementations and vek, if nothing else is asked for")
	set.BoolVar(&f.under, "under", false, "print only our lines that are under their bar")
	set.StringVar(&f.html, "html", "", "write a page with plots to this `file`; adds the cases of sweep to the default")
	set.StringVar(&f.save, "save", "", "write the run to a file in this `folder`, named by the CPU")
	set.StringVar(&f.from, "from", "", "measure nothing, take the runs in these `files`, separated by commas")
	set.StringVar(&f.readme, "readme", "", "write the headline table between the markers of this `file`")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if err := f.check(set.Args()); err != nil {
		fmt.Fprintln(w, "bench:", err)
		return nil, err
	}
	return f, nil
}

// check checks what no single flag can, and chooses the cases.
func (f *flags) check(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q (quote a list of cases)", args[0])
	}
	if f.Options.Time <= 0 {
		return fmt.Errorf("-time %v: must be more than 0", f.Options.Time)
	}
	if f.Options.Rounds < 1 {
		return fmt.Errorf("-rounds %d: must be at least 1", f.Options.Rounds)
	}
	if f.format != "text" && f.format != "json" && f.format != "benchstat" {
		return fmt.Errorf("-format %q: want text, json or benchstat", f.format)
	}
	if f.from != "" && f.save != "" {
		return fmt.Errorf("-save needs a run, and -from measures nothing")
	}
	return f.choose()
}

// choose chooses the cases and the implementations.
func (f *flags) choose() error {
	f.cases += " " + strings.ReplaceAll(f.suites, ",", " ")
	isDefault := strings.TrimSpace(f.cases) == ""
	switch {
	case isDefault && f.lists:
		f.cases = cases.Standard + " " + cases.Views
	case isDefault:
		f.cases = cases.Standard
		if f.html != "" {
			f.cases += " sweep"
		}
	}
	var err error
	if f.Cases, err = cases.Select(f.cases); err != nil || f.Rivals != nil {
		return err
	}
	switch {
	case f.lists:
		f.Rivals = slices.DeleteFunc(rivals.All(), func(r rivals.Rival) bool { return !r.Ours && r.Name != "vek" || r.Name == "generic" })
	case slices.ContainsFunc(f.Cases, func(c cases.Case) bool { return c.Suite != cases.Views }):
		f.Rivals, err = suite.Choose("all")
	default:
		f.Rivals, err = suite.Choose("ours")
	}
	return err
}

// setQuick lets later flags change what it sets.
func (f *flags) setQuick(text string) error {
	quick, err := strconv.ParseBool(text)
	if quick {
		f.Options = contest.Options{Time: 20 * time.Millisecond, Rounds: 20}
	}
	return err
}

func (f *flags) setOnly(text string) error {
	var err error
	f.Only, err = regexp.Compile(text)
	return err
}

func (f *flags) addCases(list string) error {
	f.cases += " " + list
	return nil
}

func (f *flags) setTypes(list string) error {
	f.Types = nil
	defer func() { f.ViewTypes = f.Types }()
	for _, name := range strings.Split(list, ",") {
		if name == "all" {
			f.Types = elem.Types
			return nil
		}
		t, err := elem.Parse(name)
		if err != nil {
			return err
		}
		f.Types = append(f.Types, t)
	}
	return nil
}

func (f *flags) setRivals(list string) error {
	var err error
	f.Rivals, err = suite.Choose(list)
	return err
}

func (f *flags) setWorkers(list string) error {
	f.Workers = nil
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a number of goroutines", word)
		}
		f.Workers = append(f.Workers, n)
	}
	return nil
}
