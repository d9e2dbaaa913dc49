package cells

import (
	"fmt"
	"image/color"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"hcacosim/cocosim/loop"
)

// Page writes what came of the cells of a list as Markdown; picture is the name of the plot beside it.
func Page(w io.Writer, l *List, results map[string]*Result, file, picture string) {
	fmt.Fprintf(w, "# The closed loop, cell by cell\n\nMade by `cosim link --cells %s --page FILE.md`. Window %d, %v %% "+
		"of packets doubled, %v %% overtaken, %v %% with a wrong bit, seed %d%s.\nEach cell: every message executed exactly "+
		"once, memories equal at the end, nothing stuck, no certain finding of a judge; \"pcap\": `cosim check "+
		"--complete` of what each end saw.\nRetries (jumps back that left) and recovery (from a loss that a queue pair goes "+
		"back for to its next new PSN) are those of end A as its judge finds them.\n\n![goodput against loss](%s)\n\n",
		file, l.Window, l.Dup, l.Reorder, l.Corrupt, l.Seed, lapse(l), picture)
	fmt.Fprintf(w, "| A | B | QPs | loss | new PSNs | verdict | goodput | link time | frames A, B | retries of A | "+
		"recovery of A: times, mean, median, most | pcap A, B | took |\n|%s\n", strings.Repeat("---|", 13))
	total := 0.0
	for _, c := range l.Cells() {
		r := results[c.Line()]
		fmt.Fprintf(w, "| %s | %s | %d | %v %% | %d | ", c.A, c.B, c.QPs, c.Loss, c.Count)
		if r == nil {
			fmt.Fprint(w, "not run |  |  |  |  |  |  |  |\n")
			continue
		}
		total += r.Seconds
		r.row(w)
	}
	fmt.Fprintf(w, "\nAll of them took %s together, on a machine that did other work too.\n\nOne line each:\n\n",
		time.Duration(total*1e9).Round(time.Second))
	for _, c := range l.Cells() {
		if results[c.Line()] != nil {
			fmt.Fprintf(w, "    %s\n", c.Line())
		}
	}
}

// lapse is how time passes for who only waits, if not as ever.
func lapse(l *List) string {
	if l.Lapse <= 1 {
		return ""
	}
	return fmt.Sprintf(", lapse %d", l.Lapse)
}

// row is the rest of a cell's row.
func (r *Result) row(w io.Writer) {
	took := time.Duration(r.Seconds * 1e9).Round(time.Second)
	o := r.Outcome
	if o == nil {
		fmt.Fprintf(w, "%s |  |  |  |  |  |  | %s |\n", r.Error, took)
		return
	}
	verdict := "agreed"
	if r.Exit != 0 {
		verdict = fmt.Sprintf("exit %d", r.Exit)
	}
	a, rec := &o.Ends[0], &o.Ends[0].Recovery
	us := func(ns uint64) float64 { return float64(ns) / 1000 }
	fmt.Fprintf(w, "%s | %.1f Gb/s | %.2f ms | %d, %d | %s | %d, %.1f us, %.1f us, %.1f us | %s | %s |\n", verdict,
		o.Goodput, us(o.Result.Ns)/1000, a.Frames, o.Ends[1].Frames, causes(a), rec.Count, us(rec.MeanNs), us(rec.HalfNs),
		us(rec.MostNs), captures(r.Captures), took)
}

func captures(exits [2]int) string {
	var words []string
	for _, exit := range exits {
		word := "clean"
		if exit != 0 {
			word = fmt.Sprintf("exit %d", exit)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func causes(s *loop.Side) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(s.Causes)) {
		words = append(words, fmt.Sprintf("%s %d", name, s.Causes[name]))
	}
	return strings.Join(words, ", ")
}

// colours tell lines apart, also for those who see no red or no green.
var colours = []color.Color{color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0x00, 0x00, 0x00, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff}, color.RGBA{0x80, 0x80, 0x80, 0xff}}

// Plot writes an SVG: goodput against loss, and below the mean time of a recovery, a line for each two ends and number
// of queue pairs.
func Plot(out io.Writer, l *List, results map[string]*Result) error {
	goodput, times := plot.New(), plot.New()
	goodput.Title.Text, goodput.Y.Label.Text, goodput.Y.Min = "goodput against loss", "Gb/s", 0
	times.Title.Text, times.Y.Label.Text, times.Y.Min = "from a loss to the next new PSN, mean", "µs", 0
	for _, p := range []*plot.Plot{goodput, times} {
		p.X.Label.Text = "loss, %"
		p.Add(plotter.NewGrid())
		p.Legend.Top = true
	}
	var names []string
	points := map[string][2]plotter.XYs{}
	for _, c := range l.Cells() {
		r := results[c.Line()]
		if r == nil || r.Outcome == nil {
			continue
		}
		name := fmt.Sprintf("%s - %s, %d QPs", c.A, c.B, c.QPs)
		if _, ok := points[name]; !ok {
			names = append(names, name)
		}
		xy := points[name]
		xy[0] = append(xy[0], plotter.XY{X: c.Loss, Y: r.Outcome.Goodput})
		xy[1] = append(xy[1], plotter.XY{X: c.Loss, Y: float64(r.Outcome.Ends[0].Recovery.MeanNs) / 1000})
		points[name] = xy
	}
	for i, name := range names {
		for j, to := range []*plot.Plot{goodput, times} {
			if err := addLine(to, name, points[name][j], colours[i%len(colours)]); err != nil {
				return err
			}
		}
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

func addLine(to *plot.Plot, name string, xy plotter.XYs, colour color.Color) error {
	slices.SortFunc(xy, func(a, b plotter.XY) int { return int(1000 * (a.X - b.X)) })
	line, dots, err := plotter.NewLinePoints(xy)
	if err != nil {
		return fmt.Errorf("the plot could not be made: %w", err)
	}
	line.Color, line.Width, dots.Color = colour, vg.Points(1.5), colour
	to.Add(line, dots)
	to.Legend.Add(name, line)
	return nil
}
