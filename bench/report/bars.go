package report

import (
	"html/template"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/reducesum/reducesum/bench/record"
)

// bars plots a group of bars for each row: ours first, then the rivals, with a
// line across the group at its limit. It returns nothing if there is no row.
func bars(h Headline, rows []Row) (template.HTML, error) {
	if len(rows) == 0 {
		return "", nil
	}
	names := slices.Concat(h.Ours, h.Rivals)
	groupWidth := 0.82 * (plotWidth - 70) / vg.Length(len(rows))
	width := min(groupWidth/vg.Length(len(names)), 22)
	p := newPlot()
	for i, name := range names {
		chart, err := plotter.NewBarChart(heights(rows, name), width)
		if err != nil {
			return "", err
		}
		chart.Color = colorOf(name)
		chart.LineStyle.Width = 0
		chart.Offset = width * (vg.Length(i) - vg.Length(len(names)-1)/2)
		p.Add(chart)
	}
	labels := make([]string, len(rows))
	for i, row := range rows {
		labels[i] = row.Case
		p.Add(limitMark{x: float64(i), y: row.Limit.GBs, half: width * vg.Length(len(names)) / 2})
		p.Y.Max = max(p.Y.Max, row.Limit.GBs*1.04)
	}
	p.NominalX(labels...)
	p.X.Tick.Length = 0
	p.X.Tick.Label.Font = sans(8)
	p.X.Min, p.X.Max = -0.5, float64(len(rows))-0.5
	return svg(p)
}

// heights returns the bandwidth of one implementation in each row, 0 for none.
func heights(rows []Row, name string) plotter.Values {
	v := make(plotter.Values, len(rows))
	for i, row := range rows {
		for _, l := range row.lines() {
			if l.Impl == name {
				v[i] = l.GBs
			}
		}
	}
	return v
}

// A limitMark is a horizontal line across a group of bars.
type limitMark struct {
	x, y float64
	half vg.Length
}

// Plot implements plot.Plotter.
func (m limitMark) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	x, y := trX(m.x), trY(m.y)
	style := draw.LineStyle{Color: colorOf(record.Limit), Width: 1.2, Dashes: []vg.Length{4, 3}}
	c.StrokeLine2(style, x-m.half-3, y, x+m.half+3, y)
}
