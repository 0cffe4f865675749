package report

import (
	"io"

	"github.com/reducesum/reducesum/bench/record"
)

// JSON writes a line of JSON for the run and for each of its lines.
type JSON struct{ W io.Writer }

// Run writes what the lines were measured on.
func (j JSON) Run(r record.Run) error { return record.WriteRun(j.W, r) }

// Case writes the lines of one case.
func (j JSON) Case(lines []record.Line) error {
	for _, l := range lines {
		if err := record.WriteLine(j.W, l); err != nil {
			return err
		}
	}
	return nil
}

// Keep keeps everything in memory.
type Keep struct{ record.Report }

// Run keeps what the lines were measured on.
func (k *Keep) Run(r record.Run) error {
	k.Report.Run = r
	return nil
}

// Case keeps the lines of one case.
func (k *Keep) Case(lines []record.Line) error {
	k.Lines = append(k.Lines, lines...)
	return nil
}
