package report

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/elem"
	"github.com/reducesum/reducesum/bench/record"
)

// A region of README.md is written between its markers: what write makes of the
// runs that it takes.
type region struct {
	name  string
	takes func(l record.Line) bool
	write func(w *bytes.Buffer, r *record.Report)
}

var regions = []region{
	{"bench", func(l record.Line) bool { return l.Suite == "" }, writeMarkdown},
	{"views", func(l record.Line) bool { return l.Suite == cases.Views }, writeViews},
}

// UpdateReadme writes the tables of runs between the markers of a file. A region
// that no run has lines for stays as it is.
func UpdateReadme(name string, runs []*record.Report) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text := string(old)
	for _, region := range regions {
		var tables bytes.Buffer
		for _, r := range runs {
			if part := region.of(r); len(part.Lines) > 0 {
				region.write(&tables, part)
			}
		}
		if tables.Len() == 0 {
			continue
		}
		if text, err = between(text, region.name, tables.String()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if text == string(old) {
		return nil
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// of returns the part of a run that the region shows: one worker, and of our
// implementations not the plain Go code where there is something better.
func (g region) of(r *record.Report) *record.Report {
	part := &record.Report{Run: r.Run}
	for _, l := range r.Lines {
		plain := l.Ours && l.Impl == "generic" && len(r.Run.Implementations) > 1
		if g.takes(l) && l.Workers == 1 && !plain {
			part.Lines = append(part.Lines, l)
		}
	}
	return part
}

// between replaces what is between the markers of a region.
func between(text, region, table string) (string, error) {
	begin, end := "<!-- "+region+":begin -->", "<!-- "+region+":end -->"
	if strings.Count(text, begin) != 1 || strings.Count(text, end) != 1 {
		return "", fmt.Errorf("want %s and %s once each", begin, end)
	}
	before, rest, _ := strings.Cut(text, begin)
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("%s comes before %s", end, begin)
	}
	return before + begin + "\n" + table + end + after, nil
}

// headlineType is the element type of the table with all the cases.
const headlineType = "float32"

// machine is what the tables of a run begin with.
func machine(r record.Run) string {
	return fmt.Sprintf("**%s**, %s/%s, %s, %s. One thread", r.CPU, r.OS, r.Arch, strings.Replace(r.Go, "go", "Go ", 1), r.Date)
}

// writeMarkdown writes the tables of a run: all cases of one type, and some cases
// of all types.
func writeMarkdown(w *bytes.Buffer, r *record.Report) {
	fmt.Fprintf(w, "%s; GB/s, and the part of the limit: a loop that only loads, stores a large result, widens and adds 16-bit floats.\n\n", machine(r.Run))
	for _, h := range headlines(r, func(l record.Line) bool { return l.Type == headlineType }) {
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

// typeCases are the cases of the table of types.
var typeCases = []string{"65536", "16777216", "8192x768/1", "8192x768/0"}

// writeTypes writes what the best implementation reaches, a row for each type.
func writeTypes(w *bytes.Buffer, r *record.Report) {
	if len(r.Run.Implementations) == 0 {
		return
	}
	best := map[[2]string]record.Line{}
	for _, l := range r.Lines {
		if l.Impl == r.Run.Implementations[0] {
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
