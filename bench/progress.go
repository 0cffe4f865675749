package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/reducesum/reducesum/bench/record"
	"github.com/reducesum/reducesum/bench/suite"
)

// progress tells how far a suite is: with a bar on a terminal, with a line for
// every tenth of the way elsewhere.
type progress struct {
	w     *os.File
	bar   *progressbar.ProgressBar
	start time.Time
	tenth int
}

func newProgress(w *os.File) *progress {
	p := &progress{w: w, start: time.Now(), tenth: -1}
	if term.IsTerminal(int(w.Fd())) {
		p.bar = progressbar.NewOptions(-1,
			progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish(),
			progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true))
	}
	return p
}

func (p *progress) show(done, of int, what string) {
	if p.bar != nil {
		p.bar.ChangeMax(of)
		p.bar.Describe(fmt.Sprintf("%-32s", what))
		_ = p.bar.Set(done) // a bar that cannot be drawn is no reason to stop
		return
	}
	if tenth := 10 * done / of; tenth > p.tenth {
		p.tenth = tenth
		fmt.Fprintf(p.w, "%3d%%  %6s  %s\n", 100*done/of, time.Since(p.start).Round(time.Second), what)
	}
}

func (p *progress) stop() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// around returns an output that takes the bar off the screen before it writes:
// both may go to the same terminal.
func (p *progress) around(out suite.Output) suite.Output { return &cleared{p, out} }

type cleared struct {
	p   *progress
	out suite.Output
}

func (c *cleared) Run(r record.Run) error {
	c.clear()
	return c.out.Run(r)
}

func (c *cleared) Case(lines []record.Line) error {
	c.clear()
	return c.out.Case(lines)
}

func (c *cleared) clear() {
	if c.p.bar != nil {
		_ = c.p.bar.Clear()
	}
}
