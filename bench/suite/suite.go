// Package suite measures a list of cases, one after the other.
package suite

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/reducesum/reducesum/bench/buffer"
	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/contest"
	"github.com/reducesum/reducesum/bench/cpu"
	"github.com/reducesum/reducesum/bench/elem"
	"github.com/reducesum/reducesum/bench/limit"
	"github.com/reducesum/reducesum/bench/record"
	"github.com/reducesum/reducesum/bench/rivals"
)

// A Suite is what to measure, and how.
type Suite struct {
	Cases []cases.Case
	Types []elem.Type
	// ViewTypes are the types of cases of the suite of views.
	ViewTypes []elem.Type
	Only      *regexp.Regexp // if set: only what it finds in "type case"
	Rivals    []rivals.Rival
	Workers   []int
	Options   contest.Options

	src, dst *buffer.Buffer
}

// An Output takes what a suite finds, as soon as it is found.
type Output interface {
	Run(record.Run) error
	// Case takes the lines of one case and type.
	Case(lines []record.Line) error
}

// A pair is a case of a type.
type pair struct {
	t elem.Type
	c cases.Case
}

// String returns what Only looks at.
func (p pair) String() string { return fmt.Sprintf("%s %s", p.t, p.c) }

// pairs returns what to measure, all cases of a type together.
func (s *Suite) pairs() []pair {
	var list []pair
	for _, t := range elem.Types {
		for _, c := range s.Cases {
			types := s.Types
			if c.Suite == cases.Views {
				types = s.ViewTypes
			}
			p := pair{t, c}
			if slices.Contains(types, t) && (s.Only == nil || s.Only.MatchString(p.String())) {
				list = append(list, p)
			}
		}
	}
	return list
}

// Run measures everything. It calls progress before each case.
func (s *Suite) Run(out Output, progress func(done, of int, what string)) error {
	list := s.pairs()
	if len(list) == 0 {
		return fmt.Errorf("nothing to measure: no type and case has %v", s.Only)
	}
	if err := s.allocate(list); err != nil {
		return err
	}
	defer s.free()
	for i, p := range list {
		if i == 0 || p.t != list[i-1].t {
			p.t.Fill(s.src.Bytes)
		}
		if i == 0 { // once the pages have been touched
			if err := out.Run(s.describe()); err != nil {
				return err
			}
		}
		progress(i, len(list), p.String())
		if err := out.Case(s.measure(p.t, p.c)); err != nil {
			return err
		}
	}
	return nil
}

// allocate gets memory for the largest case.
func (s *Suite) allocate(list []pair) error {
	src, dst := 0, 0
	for _, p := range list {
		src = max(src, p.c.Reach()*p.t.Size())
		dst = max(dst, p.c.Results()*p.t.Size())
	}
	var err error
	if s.src, err = buffer.New(src); err != nil {
		return err
	}
	s.dst, err = buffer.New(dst)
	return err
}

func (s *Suite) free() {
	_ = s.src.Free() // the program is about to end: nothing to do about an error
	_ = s.dst.Free()
}

func (s *Suite) describe() record.Run {
	c := cpu.This()
	r := record.Run{
		Date: time.Now().Format(time.DateOnly),
		CPU:  c.Name, Slug: c.Slug, L1: c.L1, L2: c.L2, L3: c.L3,
		Threads: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
		Buffer: len(s.src.Bytes), Huge: buffer.Huge(),
		Time: s.Options.Time.String(), Rounds: s.Options.Rounds,
		Implementations: implementations(),
	}
	r.Loops = limit.Names()
	return r
}

// measure times everybody on one case and type. The lines of the limit come
// first for each number of workers.
func (s *Suite) measure(t elem.Type, c cases.Case) []record.Line {
	f := newField(t, c, s.src.Bytes, s.dst.Bytes)
	f.checkBits(s.Rivals, s.Workers)
	for _, w := range s.Workers {
		f.addLoops(w)
		for _, r := range s.Rivals {
			f.addRival(r, w)
		}
	}
	lines := f.lines(contest.Run(f.contestants, s.Options))
	record.Judge(c, lines, implementations())
	return lines
}

// implementations returns the names of ours, best first.
func implementations() []string {
	var names []string
	for _, r := range rivals.All() {
		if r.Ours {
			names = append(names, r.Name)
		}
	}
	return names
}

// Choose returns the rivals that list names, separated by commas: names, ours
// for all implementations of this project, rivals for all others, all for both.
func Choose(list string) ([]rivals.Rival, error) {
	all := rivals.All()
	var names, chosen []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	for _, word := range strings.Split(list, ",") {
		before := len(chosen)
		for _, r := range all {
			if word == r.Name || word == "all" || word == "ours" && r.Ours || word == "rivals" && !r.Ours {
				chosen = append(chosen, r.Name)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("unknown implementation %q (this CPU has %s; ours, rivals and all are groups)", word, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(all, func(r rivals.Rival) bool { return !slices.Contains(chosen, r.Name) }), nil
}

// Wrong returns an error if one of our lines has a wrong result.
func Wrong(lines []record.Line) error {
	for _, l := range lines {
		if l.Ours && l.Note != "" {
			return fmt.Errorf("%s %s, %s with %d workers: %s", l.Type, l.Case, l.Impl, l.Workers, l.Note)
		}
	}
	return nil
}

// skip reports whether a rival just has no such sum.
func skip(err error) bool { return errors.Is(err, rivals.ErrUnsupported) }
