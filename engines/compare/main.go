// Command compare measures the ReduceSum of each engine as it is and with
// reducesum, and prints a table, or puts it into README.md:
//
//	GOWORK=off go run . [-repeats n] [-doubt x] [-readme ../README.md]
//
// The runs of all engines alternate, so that a slow moment of the machine is one
// for all of them; the figures are medians. It must run in this directory, and not in
// a workspace: GOWORK=off.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/reducesum/reducesum/engines/compare/cases"
)

func main() {
	repeats := flag.Int("repeats", 301, "runs of each sum")
	doubt := flag.Float64("doubt", 0.1, "how far, as a part of it, a median may be from the true one to be published (confidence 95 %)")
	readme := flag.String("readme", "", "file to put the table into")
	flag.Parse()
	if flag.NArg() > 0 || *repeats < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*repeats, *doubt, *readme); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(repeats int, doubt float64, readme string) (err error) {
	engines, err := allEngines(runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	defer func() {
		for _, e := range engines {
			err = errors.Join(err, e.close())
		}
	}()
	if err := measure(engines, repeats); err != nil {
		return err
	}
	noisy := report(os.Stderr, engines, doubt)
	text := table(engines, repeats, time.Now())
	if readme == "" {
		fmt.Print(text)
		return nil
	}
	if noisy {
		return fmt.Errorf("%s stays as it is: some medians are too doubtful, try again on a quiet machine or with more -repeats", readme)
	}
	return insert(readme, text)
}

// measure runs each variant of each engine on each case, in turns.
func measure(engines []*engine, repeats int) error {
	bar := progressbar.NewOptions(repeats*len(cases.All),
		progressbar.OptionSetWriter(os.Stderr), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetVisibility(term.IsTerminal(int(os.Stderr.Fd()))))
	for range repeats {
		for i := range cases.All {
			for _, e := range engines {
				for _, v := range e.variants {
					if err := v.measure(i); err != nil {
						return fmt.Errorf("%s, %s, %v: %w", e.name, v.name, cases.All[i], err)
					}
				}
			}
			_ = bar.Add(1)
		}
	}
	return nil
}
