package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/reducesum/reducesum/bench/record"
	"github.com/reducesum/reducesum/bench/report"
	"github.com/reducesum/reducesum/bench/suite"
)

// outputs passes everything on to several outputs.
type outputs []suite.Output

func (o outputs) Run(r record.Run) error {
	for _, out := range o {
		if err := out.Run(r); err != nil {
			return err
		}
	}
	return nil
}

func (o outputs) Case(lines []record.Line) error {
	for _, out := range o {
		if err := out.Case(lines); err != nil {
			return err
		}
	}
	return nil
}

// run does what the command line asks for.
func (f *flags) run() error {
	runs, err := f.runs()
	if err != nil {
		return err
	}
	if f.lists {
		err = report.Check(os.Stdout, runs)
	}
	if f.html != "" {
		if err := report.WritePage(f.html, runs[0]); err != nil {
			return err
		}
	}
	if f.readme != "" {
		if err := report.UpdateReadme(f.readme, runs); err != nil {
			return err
		}
	}
	return err
}

// runs measures, or reads what has been measured.
func (f *flags) runs() ([]*record.Report, error) {
	if f.from == "" {
		r, err := f.measure()
		return []*record.Report{r}, err
	}
	var runs []*record.Report
	for _, name := range strings.Split(f.from, ",") {
		r, err := record.ReadFile(name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	if f.html == "" && f.readme == "" && !f.lists {
		for _, r := range runs {
			if err := f.print(r); err != nil {
				return nil, err
			}
		}
	}
	return runs, nil
}

// measure runs the suite. Results that are wrong are an error, but only once
// everything is printed and saved.
func (f *flags) measure() (*record.Report, error) {
	keep := &report.Keep{}
	stdout, done := f.stdout()
	p := newProgress(os.Stderr)
	err := f.Suite.Run(outputs{keep, p.around(stdout)}, p.show)
	p.stop()
	if err != nil {
		return nil, err
	}
	if err := done(); err != nil {
		return nil, err
	}
	if f.save != "" {
		if err := save(f.save, &keep.Report); err != nil {
			return nil, err
		}
	}
	return &keep.Report, suite.Wrong(keep.Lines)
}

// print writes a run that was read from a file to the standard output.
func (f *flags) print(r *record.Report) error {
	stdout, done := f.stdout()
	if err := stdout.Run(r.Run); err != nil {
		return err
	}
	if err := stdout.Case(r.Lines); err != nil {
		return err
	}
	return done()
}

// stdout returns the output that -format names, and what ends it.
func (f *flags) stdout() (suite.Output, func() error) {
	nothing := func() error { return nil }
	switch f.format {
	case "json":
		return report.JSON{W: os.Stdout}, nothing
	case "benchstat":
		return report.NewBenchstat(os.Stdout), nothing
	}
	text := &report.Text{W: os.Stdout, UnderOnly: f.under}
	return text, text.Close
}

// save writes a run to a file named by its CPU.
func save(folder string, r *record.Report) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	name := filepath.Join(folder, r.Run.Slug+".jsonl")
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := r.Write(file); err != nil {
		_ = file.Close() // the first error tells more
		return fmt.Errorf("%s: %w", name, err)
	}
	return file.Close()
}
