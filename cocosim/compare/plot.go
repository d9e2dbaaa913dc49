package compare

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// colours tell transports apart, also for those who see no red or no green.
var colours = []color.Color{color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff}}

// Plot writes an SVG: above goodput against loss, with the closed forms dashed; below the time that 99 % of the
// messages take at most.
func Plot(w io.Writer, all []Outcome) error {
	goodput, times := plot.New(), plot.New()
	goodput.Title.Text = "goodput against loss (dashed: closed form)"
	goodput.Y.Label.Text, goodput.Y.Min, goodput.Y.Max = "% of the link", 0, 100
	times.Title.Text = "completion time of a message, 99th percentile"
	times.Y.Label.Text, times.Y.Min = "µs", 0
	for _, p := range []*plot.Plot{goodput, times} {
		p.X.Label.Text = "loss, %"
		p.Add(plotter.NewGrid())
		p.Legend.Top = true
	}
	for i, name := range transportsOf(all) {
		colour := colours[i%len(colours)]
		y := func(f func(*Outcome) float64) plotter.XYs { return series(all, name, f) }
		if err := add(goodput, name, colour, false, y(func(o *Outcome) float64 { return 100 * o.Share })); err != nil {
			return err
		}
		if err := add(goodput, "", colour, true, y(func(o *Outcome) float64 { return 100 * o.Theory })); err != nil {
			return err
		}
		if err := add(times, name, colour, false, y(func(o *Outcome) float64 { return float64(o.P99Ns) / 1e3 })); err != nil {
			return err
		}
	}
	times.Legend.Left = true
	const width, height = 18 * vg.Centimeter, 20 * vg.Centimeter
	c := vgsvg.New(width, height)
	tiles := draw.Tiles{Rows: 2, Cols: 1, PadY: 5 * vg.Millimeter}
	canvas := draw.New(c)
	goodput.Draw(tiles.At(canvas, 0, 0))
	times.Draw(tiles.At(canvas, 0, 1))
	if _, err := c.WriteTo(w); err != nil {
		return fmt.Errorf("the plot could not be written: %w", err)
	}
	return nil
}

func transportsOf(all []Outcome) (names []string) {
	for i := range all {
		if i == 0 || all[i].Transport != all[i-1].Transport {
			names = append(names, all[i].Transport)
		}
	}
	return names
}

func series(all []Outcome, name string, y func(*Outcome) float64) (points plotter.XYs) {
	for i := range all {
		if all[i].Transport == name {
			points = append(points, plotter.XY{X: 100 * all[i].Loss, Y: y(&all[i])})
		}
	}
	return points
}

func add(p *plot.Plot, name string, colour color.Color, dashed bool, points plotter.XYs) error {
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return fmt.Errorf("plot of %s: %w", name, err)
	}
	line.Color, dots.Color, line.Width = colour, colour, vg.Points(1.5)
	if dashed {
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		p.Add(line)
		return nil
	}
	p.Add(line, dots)
	p.Legend.Add(name, line, dots)
	return nil
}
