package recovery

import (
	"fmt"
	"image/color"
	"io"
	"text/tabwriter"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// String is a workload in a line.
func (w *Workload) String() string {
	ways := "both ways"
	if w.OneWay {
		ways = "one way"
	}
	return fmt.Sprintf("%d QPs, WRITEs of %d bytes %s, PMTU %d, %d at a time, window %d, %v Gb/s, %d ns, adapter %s",
		w.QPs, w.Bytes, ways, w.PMTU, w.Depth, w.Window, w.Gbps, w.DelayNs, w.Adapter)
}

// Print writes a table: a row a timeout code and loss.
func Print(out io.Writer, w *Workload, all []Point) error {
	fmt.Fprintf(out, "%s: %s\n", orUnnamed(w.Name), w)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "code\ttimer\tloss\tgoodput\tshare\tbound\tby NAK\tby timer\tmean\twait for the timer\twasted\t")
	for i := range all {
		p := &all[i]
		if i > 0 && all[i-1].Timeout != p.Timeout {
			fmt.Fprintln(t, "\t\t\t\t\t\t\t\t\t\t\t")
		}
		fmt.Fprintf(t, "%d\t%.1f us\t%.2f %%\t%.2f Gb/s\t%.1f %%\t%s\t", p.Timeout, p.TimerUs, p.Loss, p.Goodput,
			100*p.Share, p.Bound)
		fmt.Fprintf(t, "%.1f us\t%.1f us\t%.1f us\t%.1f %%\t%.1f\t\n", p.NAKUs, p.TimerRe, p.MeanUs, 100*p.ByTimer,
			p.Wasted)
	}
	return t.Flush()
}

func orUnnamed(name string) string {
	if name == "" {
		return "unnamed"
	}
	return name
}

// colours tell timeout codes apart, also for those who see no red or no green.
var colours = []color.Color{color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0x00, 0x00, 0x00, 0xff}}

// Plot writes an SVG: goodput against loss, and below how long a lost packet takes on average, a line a timeout code.
func Plot(out io.Writer, all []Point) error {
	goodput, times := plot.New(), plot.New()
	goodput.Title.Text, goodput.Y.Label.Text, goodput.Y.Min = "goodput against loss", "Gb/s", 0
	times.Title.Text, times.Y.Label.Text, times.Y.Min = "from a loss to the packet's next way, mean", "µs", 0
	for _, p := range []*plot.Plot{goodput, times} {
		p.X.Label.Text = "loss, %"
		p.Add(plotter.NewGrid())
		p.Legend.Top = true
	}
	times.Legend.Left = true
	for from, i := 0, 0; from < len(all); i++ {
		to := from
		for to < len(all) && all[to].Timeout == all[from].Timeout {
			to++
		}
		if err := addLines(goodput, times, all[from:to], colours[i%len(colours)]); err != nil {
			return err
		}
		from = to
	}
	c := vgsvg.New(18*vg.Centimeter, 20*vg.Centimeter)
	tiles, canvas := draw.Tiles{Rows: 2, Cols: 1, PadY: 5 * vg.Millimeter}, draw.New(c)
	goodput.Draw(tiles.At(canvas, 0, 0))
	times.Draw(tiles.At(canvas, 0, 1))
	if _, err := c.WriteTo(out); err != nil {
		return fmt.Errorf("the plot could not be written: %w", err)
	}
	return nil
}

// addLines adds the points of one timeout code.
func addLines(goodput, times *plot.Plot, points []Point, colour color.Color) error {
	name := fmt.Sprintf("timer %.0f µs", points[0].TimerUs)
	for _, one := range []struct {
		to *plot.Plot
		y  func(*Point) float64
	}{{goodput, func(p *Point) float64 { return p.Goodput }}, {times, func(p *Point) float64 { return p.MeanUs }}} {
		xy := make(plotter.XYs, len(points))
		for i := range points {
			xy[i].X, xy[i].Y = points[i].Loss, one.y(&points[i])
		}
		line, err := plotter.NewLine(xy)
		if err != nil {
			return fmt.Errorf("the plot could not be made: %w", err)
		}
		line.Color, line.Width = colour, vg.Points(1.5)
		one.to.Add(line)
		one.to.Legend.Add(name, line)
	}
	return nil
}
