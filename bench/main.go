// Command bench measures the sums of this project on any CPU: against loops that
// only do what no sum can do without, and against other Go packages.
//
//	go run ./bench                                    the standard cases, all element types
//	go run ./bench -case "rows 8192x200/1" -type float32
//	go run ./bench -impl ours -workers 1,2 -under     only what falls short of its bar
//	go run ./bench -suite views -run "float32 .*@1,"  views whose first axis has stride 1
//	go run ./bench -check -quick                      exits 1 with the list of what is under its bar
//	go run ./bench -format benchstat -impl ours > new.txt
//	go run ./bench -html page.html -save bench/results
//	go run ./bench -from bench/results/X.jsonl -readme README.md
//
// A case is shape/axes@strides; see package cases. Bars are in package record, what the
// loops do in package limit. Times are the best of several
// samples that all contestants take in turns; the median and the distance
// between the quartiles are beside them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	f, err := parseFlags(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		os.Exit(2) // parseFlags has told why
	}
	if err := f.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
