package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/reducesum/reducesum/bench/cases"
	"github.com/reducesum/reducesum/bench/record"
)

// The size of a plot. SVG scales; the text has its size in relation to this.
const (
	plotWidth  vg.Length = 760
	plotHeight vg.Length = 250
)

// colors are those of Okabe and Ito, which the colour-blind can tell apart, with
// blues for ours.
var colors = map[string]color.RGBA{
	record.Limit: {0x22, 0x22, 0x22, 0xff},
	"avx512":     {0x00, 0x4c, 0x99, 0xff},
	"neon":       {0x00, 0x4c, 0x99, 0xff},
	"avx2":       {0x35, 0x8f, 0xe0, 0xff},
	"generic":    {0xa6, 0xcf, 0xf2, 0xff},
	"naive":      {0xb3, 0xb3, 0xb3, 0xff},
	"gonum":      {0x00, 0x9e, 0x73, 0xff},
	"vek":        {0xe6, 0x9f, 0x00, 0xff},
	"gorgonia":   {0xcc, 0x79, 0xa7, 0xff},
	"gomlx":      {0xd5, 0x5e, 0x00, 0xff},
}

func colorOf(name string) color.RGBA {
	if c, ok := colors[name]; ok {
		return c
	}
	return color.RGBA{0x88, 0x88, 0x88, 0xff}
}

// newPlot returns a plot with the look of all of them.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	p.Y.Label.Text = "GB/s"
	p.Y.Min = 0
	p.Y.Tick.Marker = roundTicks{}
	faint := color.Gray{0xdd}
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = faint
	p.Add(grid)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Color = color.Gray{0x99}
		a.Tick.LineStyle.Color = color.Gray{0x99}
		a.Tick.Label.Font = sans(9)
		a.Tick.Label.Color = color.Gray{0x33}
		a.Label.TextStyle.Font = sans(9)
		a.Label.TextStyle.Color = color.Gray{0x33}
		a.Padding = 4
	}
	return p
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// svg draws a plot as an element of a page.
func svg(p *plot.Plot) (template.HTML, error) {
	c := vgsvg.NewWith(vgsvg.UseWH(plotWidth, plotHeight))
	p.Draw(draw.Crop(draw.New(c), 0, -24, 0, 0)) // the last label reaches over the axis
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	return template.HTML(embeddable(b.String())), nil // drawn by us: safe
}

var (
	svgSize = regexp.MustCompile(`<svg width="[^"]*" height="[^"]*"`)
	svgFont = regexp.MustCompile(`font-family:[^;"]*`)
)

// embeddable takes from an SVG file what does not belong into a page, lets it
// scale with the page, and gives it the page's font.
func embeddable(file string) string {
	s := file[max(strings.Index(file, "<svg"), 0):]
	s = svgSize.ReplaceAllString(s, `<svg role="img"`)
	return svgFont.ReplaceAllString(s, "font-family:inherit")
}

// curve plots bandwidth over the size of a full sum. It returns nothing if there
// are fewer than three sizes.
func curve(run record.Run, h Headline) (template.HTML, error) {
	series := map[string]plotter.XYs{}
	for _, row := range h.Rows {
		if row.Kind != "full" || row.Suite == cases.Views {
			continue
		}
		for _, l := range row.lines() {
			series[l.Impl] = append(series[l.Impl], plotter.XY{X: float64(l.Bytes), Y: l.GBs})
		}
	}
	if len(series[record.Limit]) < 3 {
		return "", nil
	}
	p := newPlot()
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = sizeTicks{}
	for _, name := range slices.Concat(h.Rivals, reversed(h.Ours), []string{record.Limit}) {
		if err := addCurve(p, name, series[name], slices.Contains(h.Ours, name)); err != nil {
			return "", err
		}
	}
	p.Y.Max *= 1.12 // room for the names of the caches
	addCaches(p, run)
	return svg(p)
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func addCurve(p *plot.Plot, name string, points plotter.XYs, ours bool) error {
	if len(points) == 0 {
		return nil
	}
	slices.SortFunc(points, func(a, b plotter.XY) int { return int(a.X - b.X) })
	line, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("plot of %s: %w", name, err)
	}
	line.Color = colorOf(name)
	line.Width = 1.2
	if ours {
		line.Width = 2.4
	}
	if name == record.Limit {
		line.Width = 1.2
		line.Dashes = []vg.Length{4, 3}
	}
	p.Add(line)
	return nil
}

// addCaches draws a line where each cache ends.
func addCaches(p *plot.Plot, run record.Run) {
	for _, c := range []struct {
		name string
		size int
	}{{"L1", run.L1}, {"L2", run.L2}, {"L3", run.L3}} {
		if x := float64(c.size); x <= p.X.Min || x >= p.X.Max {
			continue
		}
		p.Add(marker{x: float64(c.size), text: c.name + " " + Bytes(c.size)})
	}
}

// A marker is a vertical line with a text at its head.
type marker struct {
	x    float64
	text string
}

// Plot implements plot.Plotter.
func (m marker) Plot(c draw.Canvas, p *plot.Plot) {
	trX, _ := p.Transforms(&c)
	x := trX(m.x)
	c.StrokeLine2(draw.LineStyle{Color: color.Gray{0xbb}, Width: 0.8, Dashes: []vg.Length{2, 2}}, x, c.Min.Y, x, c.Max.Y)
	style := p.X.Tick.Label
	style.Color, style.XAlign, style.YAlign = color.Gray{0x77}, draw.XRight, draw.YTop
	c.FillText(style, vg.Point{X: x - 3, Y: c.Max.Y}, m.text)
}

// sizeTicks marks powers of two, with a label at every second.
type sizeTicks struct{}

// Ticks implements plot.Ticker.
func (sizeTicks) Ticks(from, to float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Ceil(math.Log2(from)); e <= math.Log2(to); e++ {
		t := plot.Tick{Value: math.Exp2(e)}
		if math.Mod(e, 2) == 0 {
			t.Label = Bytes(int(t.Value))
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// roundTicks marks about five round numbers.
type roundTicks struct{}

// Ticks implements plot.Ticker.
func (roundTicks) Ticks(from, to float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10(to-from)))
	for _, times := range []float64{0.1, 0.2, 0.5, 1, 2} {
		if (to-from)/(step*times) <= 6 {
			step *= times
			break
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(from / step); i*step <= to; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'g', 4, 64)})
	}
	return ticks
}

// lines are the measured lines of a row.
func (r Row) lines() []record.Line {
	lines := []record.Line{r.Limit}
	for _, c := range slices.Concat(r.Ours, r.Rivals) {
		lines = append(lines, c.Line)
	}
	return slices.DeleteFunc(lines, func(l record.Line) bool { return !l.Measured() })
}
