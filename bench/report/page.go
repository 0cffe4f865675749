package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"slices"

	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/record"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"bytes":   Bytes,
	"number":  number,
	"percent": func(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) },
	"ns":      func(x float64) string { return fmt.Sprintf("%.1f", x) },
	"color": func(name string) template.CSS {
		c := colorOf(name)
		return template.CSS(fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))
	},
	"case": caseText,
}).Parse(pageText))

// A page is what the template shows.
type page struct {
	Run      record.Run
	Sections []section
	Lines    []record.Line
}

// A section is one element type and number of workers.
type section struct {
	Headline
	Plots []figure
}

// A figure is a plot with its caption.
type figure struct {
	Caption string
	SVG     template.HTML
}

// WritePage writes a run as a page that needs no other file.
func WritePage(name string, r *record.Report) error {
	text, err := renderPage(r)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

func renderPage(r *record.Report) ([]byte, error) {
	p := page{Run: r.Run, Lines: r.Lines}
	for _, h := range headlines(r, func(record.Line) bool { return true }) {
		s, err := newSection(r.Run, h)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, s)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// groups are the bar charts of a section.
var groups = []struct {
	caption string
	kinds   []cases.Kind
}{
	{"Inner axes: the sum of each row", []cases.Kind{cases.Rows}},
	{"Outer axes: the sum of each column", []cases.Kind{cases.Columns}},
	{"Middle axes, and several groups of axes", []cases.Kind{cases.Middle, cases.Mixed}},
}

func newSection(run record.Run, h Headline) (section, error) {
	s := section{Headline: h}
	svg, err := curve(run, h)
	if err != nil {
		return s, err
	}
	s.add("Full sums: bandwidth over the size of the data", svg)
	for _, g := range groups {
		rows := slices.DeleteFunc(slices.Clone(h.Rows), func(r Row) bool {
			return r.Suite == cases.Views || !slices.Contains(g.kinds, cases.Kind(r.Kind))
		})
		for part := range slices.Chunk(rows, maxGroups) {
			if svg, err = bars(h, part); err != nil {
				return s, err
			}
			s.add(g.caption, svg)
		}
	}
	return s, nil
}

// maxGroups is the number of groups of bars that fit into a plot.
const maxGroups = 8

func (s *section) add(caption string, svg template.HTML) {
	if svg != "" {
		s.Plots = append(s.Plots, figure{caption, svg})
	}
}
