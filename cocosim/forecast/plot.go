package forecast

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"hcacosim/model/hca/timed"
	"hcacosim/model/sim"
)

// colours tell lines apart, also for those who see no red or no green.
var colours = []color.Color{color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff}}

// plotBins is into how many parts a run is cut for its goodput over time.
const plotBins = 100

// Plot writes an SVG of a run: above the turn-round of answers by kind of message, as the share that is there in time;
// below frames and payload over time.
func Plot(out io.Writer, w *Workload, t *Traffic, c *Crossed, o *Outcome) error {
	turns, rates := plot.New(), plot.New()
	turns.Title.Text = "turn-round: share of answers that are out"
	turns.X.Label.Text, turns.Y.Label.Text, turns.Y.Min, turns.Y.Max = "ns", "%", 0, 100
	rates.Title.Text = "over time"
	rates.X.Label.Text, rates.Y.Label.Text, rates.Y.Min = "µs", "Gb/s", 0
	for i := range o.Turns {
		turn := &o.Turns[i]
		if err := addLine(turns, turn.Mix.Name(), i, turn.share(w)); err != nil {
			return err
		}
	}
	frames := make([]int, len(c[timed.Frames]))
	for i := range frames {
		frames[i] = len(t.Inputs[timed.Frames][i].Data)
	}
	payloads, answers := make([]int, len(c[timed.Writes])), make([]int, len(c[timed.Answers]))
	for i := range payloads {
		payloads[i] = int(written(&c[timed.Writes][i]))
	}
	for i := range answers {
		answers[i] = len(c[timed.Answers][i].Data)
	}
	if err := addLine(rates, "frames in", 0, c.rate(w, o, timed.Frames, frames)); err != nil {
		return err
	}
	if err := addLine(rates, "payload written", 1, c.rate(w, o, timed.Writes, payloads)); err != nil {
		return err
	}
	if err := addLine(rates, "frames out", 2, c.rate(w, o, timed.Answers, answers)); err != nil {
		return err
	}
	return write(out, turns, rates)
}

// share is how many of the ACKs are there after how many ns, in steps of the 100th part.
func (t *TurnRound) share(w *Workload) (xy plotter.XYs) {
	for k := range min(101, len(t.all)+1) {
		i := min(k*len(t.all)/100, len(t.all)-1)
		if i < 0 {
			return nil
		}
		xy = append(xy, plotter.XY{X: float64(t.all[i]) * 1000 / w.ClockMHz, Y: float64(k)})
	}
	return xy
}

// rate is the bits of a port's records over time, each counted where it ends.
func (c *Crossed) rate(w *Workload, o *Outcome, port sim.Port, sizes []int) plotter.XYs {
	xy := make(plotter.XYs, plotBins)
	begin := c[timed.Frames][0].Start
	bin := float64(o.Clocks) / plotBins
	us := 1 / w.ClockMHz
	for i := range xy {
		xy[i].X = (float64(i) + 0.5) * bin * us
	}
	for i := range c[port] {
		at := min(plotBins-1, int(float64(c[port][i].End-begin)/bin))
		xy[at].Y += float64(sizes[i]) * 8 / (bin * us * 1000)
	}
	return xy
}

func addLine(p *plot.Plot, name string, i int, xy plotter.XYs) error {
	if len(xy) == 0 {
		return nil
	}
	line, err := plotter.NewLine(xy)
	if err != nil {
		return fmt.Errorf("the plot could not be drawn: %w", err)
	}
	line.Color, line.Width = colours[i%len(colours)], vg.Points(1.2)
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}

// write puts plots one below the other.
func write(out io.Writer, plots ...*plot.Plot) error {
	c := vgsvg.New(18*vg.Centimeter, vg.Length(len(plots))*9*vg.Centimeter)
	canvas := draw.New(c)
	tiles := draw.Tiles{Rows: len(plots), Cols: 1, PadY: 5 * vg.Millimeter}
	for i, p := range plots {
		p.Add(plotter.NewGrid())
		p.Legend.Top = true
		p.Draw(tiles.At(canvas, 0, i))
	}
	if _, err := c.WriteTo(out); err != nil {
		return fmt.Errorf("the plot could not be written: %w", err)
	}
	return nil
}
