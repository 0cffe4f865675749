package report

import (
	"fmt"
	"io"

	"github.com/reducesum/reducesum/bench/record"
)

// Check lists our lines that are under their bar, so that the list can be sent.
// There being any is an error.
func Check(w io.Writer, runs []*record.Report) error {
	under, judged := 0, 0
	for _, r := range runs {
		list := &Text{W: w, UnderOnly: true}
		fmt.Fprintln(w, "\nUNDER THEIR BAR")
		if err := list.Run(r.Run); err != nil {
			return err
		}
		if err := list.Case(r.Lines); err != nil {
			return err
		}
		if err := list.Close(); err != nil {
			return err
		}
		under, judged = under+list.under, judged+list.judged
	}
	if under > 0 {
		return fmt.Errorf("%d of our %d lines are under their bar", under, judged)
	}
	return nil
}
