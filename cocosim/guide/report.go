package guide

import (
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func random(r *ClosureRun) *Curve { return r.Random }
func guided(r *ClosureRun) *Curve { return r.Guided }

// WriteTable writes the tables of a page. count is what chance was given.
func WriteTable(w io.Writer, all []*Closure, count uint64) {
	fmt.Fprintf(w, "| stage | bins | by chance: packets until 90 %% | 95 %% | 99 %% | all | guided: 90 %% "+
		"| 95 %% | 99 %% | all | "+
		"ratio 90 %% | 95 %% | 99 %% | all | 99 %% takes at least |\n"+
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range all {
		fmt.Fprintf(w, "| %s | %d |", c.Target.Spec.Name, c.Bins)
		var ratios string
		for _, of := range []func(*ClosureRun) *Curve{random, guided} {
			for _, share := range Shares {
				fmt.Fprintf(w, " %s |", c.packets(share, of))
			}
		}
		for _, share := range Shares {
			a, met := c.median(share, random)
			b, found := c.median(share, guided)
			switch {
			case met && found:
				ratios += fmt.Sprintf(" %.1f |", float64(a)/float64(b))
			case found:
				ratios += fmt.Sprintf(" over %.0f |", float64(count)/float64(b))
			default:
				ratios += " - |"
			}
		}
		fmt.Fprintf(w, "%s %d |\n", ratios, c.least(0.99))
	}
}

// packets spells a median and the range over the seeds.
func (c *Closure) packets(share float64, of func(*ClosureRun) *Curve) string {
	m, ok := c.median(share, of)
	if !ok {
		never := 0
		for i := range c.Runs {
			if of(&c.Runs[i]).until(c.bins(share)) == 0 {
				never++
			}
		}
		return fmt.Sprintf("never (%d of %d)", never, len(c.Runs))
	}
	var all []uint64
	for i := range c.Runs {
		if n := of(&c.Runs[i]).until(c.bins(share)); n > 0 {
			all = append(all, n)
		}
	}
	return fmt.Sprintf("%d (%d to %d)", m, slices.Min(all), slices.Max(all))
}

// WriteSeconds writes the table at equal CPU seconds.
func WriteSeconds(w io.Writer, all []*Closure) {
	fmt.Fprint(w, "| stage | share | CPU s of the search until it has it | chance has by then | CPU s of the whole "+
		"search, cut down and ranked | packets that it played |\n|---|---|---|---|---|---|\n")
	for _, c := range all {
		for _, share := range Shares {
			var cpu, chance, whole, played []float64
			for i := range c.Runs {
				r := &c.Runs[i]
				whole, played = append(whole, r.SearchCPU), append(played, float64(r.SearchPackets))
				if t, by, ok := c.within(r, share); ok {
					cpu, chance = append(cpu, t), append(chance, by)
				}
			}
			if len(cpu) == 0 {
				continue
			}
			fmt.Fprintf(w, "| %s | %.0f %% | %.2f | %.1f %% | %.1f | %.0f |\n", c.Target.Spec.Name, 100*share, middle(cpu),
				100*middle(chance), middle(whole), middle(played))
		}
	}
}

func middle(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

var colours = [2]color.Color{color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff}}

// Plot writes an SVG: a stage a picture, bins met against packets, a line a seed, by chance and guided.
func Plot(w io.Writer, all []*Closure) error {
	const width, each = 18 * vg.Centimeter, 8 * vg.Centimeter
	rows := (len(all) + 1) / 2
	canvas := vgsvg.New(width, vg.Length(rows)*each)
	tiles := draw.Tiles{Rows: rows, Cols: 2, PadX: 5 * vg.Millimeter, PadY: 5 * vg.Millimeter}
	for i, c := range all {
		p, err := c.plot()
		if err != nil {
			return err
		}
		p.Draw(tiles.At(draw.New(canvas), i%2, i/2))
	}
	_, err := canvas.WriteTo(w)
	return err
}

func (c *Closure) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = c.Target.Spec.Name
	p.X.Label.Text, p.Y.Label.Text = "packets", "% of the reachable bins"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: 0}
	p.Y.Min, p.Y.Max = 0, 100
	p.Legend.Left = false
	p.Add(plotter.NewGrid())
	for k, of := range []func(*ClosureRun) *Curve{random, guided} {
		for i := range c.Runs {
			line, err := plotter.NewLine(c.points(of(&c.Runs[i])))
			if err != nil {
				return nil, fmt.Errorf("plot of %s: %w", c.Target.Spec.Name, err)
			}
			line.Color, line.Width = colours[k], vg.Points(1)
			p.Add(line)
			if i == 0 {
				p.Legend.Add([]string{"by chance", "guided"}[k], line)
			}
		}
	}
	return p, nil
}

// points thins a curve: a point where the packets change, at most a few hundred.
func (c *Closure) points(v *Curve) (all plotter.XYs) {
	for k, n := range v.Packets {
		if k+1 < len(v.Packets) && (v.Packets[k+1] == n || len(v.Packets) > 400 && k%(len(v.Packets)/200) != 0) {
			continue
		}
		all = append(all, plotter.XY{X: float64(n), Y: 100 * float64(k+1) / float64(c.Bins)})
	}
	return all
}
