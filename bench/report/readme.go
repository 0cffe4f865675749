package report

import (
	"bytes"
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"strings"

	"github.com/reducesum/reducesum/bench/elem"
	"github.com/reducesum/reducesum/bench/record"
)

// The markers between which UpdateReadme writes.
const (
	beginMarker = "<!-- bench:begin -->"
	endMarker   = "<!-- bench:end -->"
)

// UpdateReadme writes the headline tables of runs between the markers of a file.
func UpdateReadme(name string, runs []*record.Report) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var tables bytes.Buffer
	for _, r := range runs {
		writeMarkdown(&tables, r)
	}
	text, err := between(string(old), tables.String())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if text == string(old) {
		return nil
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// between replaces what is between the markers.
func between(text, table string) (string, error) {
	if strings.Count(text, beginMarker) != 1 || strings.Count(text, endMarker) != 1 {
		return "", fmt.Errorf("want %s and %s once each", beginMarker, endMarker)
	}
	before, rest, _ := strings.Cut(text, beginMarker)
	_, after, ok := strings.Cut(rest, endMarker)
	if !ok {
		return "", fmt.Errorf("%s comes before %s", endMarker, beginMarker)
	}
	return before + beginMarker + "\n" + table + endMarker + after, nil
}

// headlineType is the element type of the table with all the cases.
const headlineType = "float32"

// writeMarkdown writes the tables of a run: all cases of one type, and some cases
// of all types. The plain Go code is left out where there is something better.
func writeMarkdown(w *bytes.Buffer, r *record.Report) {
	fmt.Fprintf(w, "**%s**, %s/%s, %s, %s. One thread; GB/s, and the part of the limit: a loop that only loads.\n\n",
		r.Run.CPU, r.Run.OS, r.Run.Arch, strings.Replace(r.Run.Go, "go", "Go ", 1), r.Run.Date)
	plain := func(l record.Line) bool { return l.Ours && l.Impl == "generic" && len(r.Run.Implementations) > 1 }
	for _, h := range headlines(r, func(l record.Line) bool { return l.Type == headlineType && l.Workers == 1 && !plain(l) }) {
		writeHeadline(w, h)
	}
	writeTypes(w, r)
}

func writeHeadline(w *bytes.Buffer, h Headline) {
	fmt.Fprintf(w, "| %s | limit |", h.Type)
	for _, name := range h.Ours {
		fmt.Fprintf(w, " reducesum %s | |", name)
	}
	for _, name := range h.Rivals {
		fmt.Fprintf(w, " %s |", name)
	}
	fmt.Fprintf(w, "\n|---|--:|%s\n", strings.Repeat("--:|", 2*len(h.Ours)+len(h.Rivals)))
	for _, row := range h.Rows {
		fmt.Fprintf(w, "| %s | %s |", caseText(row), number(row.Limit.GBs))
		for _, c := range row.Ours {
			fmt.Fprintf(w, " **%s** | %s |", c.Text(), c.Ratio())
		}
		for _, c := range row.Rivals {
			fmt.Fprintf(w, " %s |", c.Text())
		}
		w.WriteByte('\n')
	}
	w.WriteByte('\n')
}

// caseText is a case in words: [8192, 768] over 1.
func caseText(r Row) string {
	shape, axes, _ := strings.Cut(r.Case, "/")
	shape, strides, isView := strings.Cut(shape, "@")
	if axes == "" && !strings.Contains(shape, "x") {
		return "full " + power(shape)
	}
	text := "[" + strings.ReplaceAll(shape, "x", ", ") + "]"
	axes, s, hasStrides := strings.Cut(axes, "@")
	if hasStrides {
		strides, isView = s, true
	}
	switch n := strings.Count(axes, ","); {
	case axes == "":
	case n == 0:
		text += " over " + axes
	default:
		text += " over (" + strings.ReplaceAll(axes, ",", ", ") + ")"
	}
	if isView {
		text += ", strides " + strings.ReplaceAll(strides, ",", ", ")
	}
	return text
}

// power writes a large power of two as one.
func power(number string) string {
	n, err := strconv.Atoi(number)
	if err != nil || n <= 1<<16 || n&(n-1) != 0 {
		return number
	}
	return fmt.Sprintf("2^%d", bits.TrailingZeros(uint(n)))
}

// typeCases are the cases of the table of types.
var typeCases = []string{"65536", "16777216", "8192x768/1", "8192x768/0"}

// writeTypes writes what the best implementation reaches, a row for each type.
func writeTypes(w *bytes.Buffer, r *record.Report) {
	if len(r.Run.Implementations) == 0 {
		return
	}
	best := map[[2]string]record.Line{}
	for _, l := range r.Lines {
		if l.Impl == r.Run.Implementations[0] && l.Workers == 1 {
			best[[2]string{l.Type, l.Case}] = l
		}
	}
	fmt.Fprintf(w, "| reducesum %s |", r.Run.Implementations[0])
	for _, c := range typeCases {
		fmt.Fprintf(w, " %s | |", caseText(Row{Case: c}))
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("--:|", 2*len(typeCases)))
	for _, t := range elem.Types {
		fmt.Fprintf(w, "| %s |", t)
		for _, c := range typeCases {
			cell := Cell{Line: best[[2]string{string(t), c}]}
			fmt.Fprintf(w, " %s | %s |", cell.Text(), cell.Ratio())
		}
		w.WriteByte('\n')
	}
	w.WriteByte('\n')
}
