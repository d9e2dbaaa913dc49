package forecast

import (
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Point is a workload: its goodput in Gb/s.
type Point struct{ Foreseen, Simulated float64 }

// Curve is bits a clock by bytes of payload.
type Curve struct {
	Name string
	xy   plotter.XYs
}

// Add adds a point.
func (c *Curve) Add(bytes, bits float64) { c.xy = append(c.xy, plotter.XY{X: bytes, Y: bits}) }

// PlotPage writes the SVG of docs/generated/predict.md: above the goodput foreseen against the simulated one, on the
// line where they are the same; below bits a clock by size.
func PlotPage(out io.Writer, points []Point, curves []Curve) error {
	goodput, bits := plot.New(), plot.New()
	goodput.Title.Text = "goodput of the drawn workloads"
	goodput.X.Label.Text, goodput.Y.Label.Text = "simulated, Gb/s", "foreseen, Gb/s"
	var xy plotter.XYs
	most := 0.0
	for _, p := range points {
		xy = append(xy, plotter.XY{X: p.Simulated, Y: p.Foreseen})
		most = max(most, p.Simulated, p.Foreseen)
	}
	marks, err := plotter.NewScatter(xy)
	if err != nil {
		return fmt.Errorf("the plot could not be drawn: %w", err)
	}
	marks.Color, marks.Radius = colours[0], vg.Points(2.5)
	if err := addLine(goodput, "the same", 1, plotter.XYs{{}, {X: most, Y: most}}); err != nil {
		return err
	}
	goodput.Add(marks)
	goodput.Legend.Left = true
	bits.Title.Text = "SEND Only back to back, each answered"
	bits.X.Label.Text, bits.Y.Label.Text = "payload, bytes", "bits of frames a clock"
	bits.Y.Min, bits.Y.Max = 0, 512
	for i, c := range curves {
		if err := addLine(bits, c.Name, i, c.xy); err != nil {
			return err
		}
	}
	bits.Legend.YOffs = -4 * vg.Centimeter
	return write(out, goodput, bits)
}
