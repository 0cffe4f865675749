package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// writeTable writes a line for each loop: for each CPU the cycles for 64 bytes,
// what its ports allow, what the loads alone take, and the ratio to these.
func writeTable(w io.Writer, cpus []string, loops []loop, results map[string][]result) {
	fmt.Fprintln(w, "Cycles for 64 bytes: the loop, the bound of all its ports, that of the loads alone; loop / loads.")
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "loop\tbytes\tcode\t")
	for _, cpu := range cpus {
		fmt.Fprintf(t, "   %s\tports\tloads\tratio\t", cpu)
	}
	fmt.Fprintln(t)
	for i, l := range loops {
		fmt.Fprintf(t, "%s\t%d\t%d\t", l.name, l.bytes, len(l.code))
		for _, cpu := range cpus {
			r := results[cpu][i]
			if r.loop == 0 {
				fmt.Fprint(t, "-\t-\t-\t-\t")
				continue
			}
			fmt.Fprintf(t, "%.2f\t%.2f\t%.2f\t%.2f\t", r.loop, r.ports, r.loads, r.loop/r.loads)
		}
		fmt.Fprintln(t)
	}
	fmt.Fprintln(t)
	_ = t.Flush() // to the standard output: nothing to do about an error
}

// writeLoops writes the instructions of the loops.
func writeLoops(w io.Writer, loops []loop) {
	for _, l := range loops {
		fmt.Fprintf(w, "%s:\n", l.name)
		for _, in := range l.code {
			fmt.Fprintf(w, "\t%s\n", in.text("top"))
		}
		fmt.Fprintln(w)
	}
}
