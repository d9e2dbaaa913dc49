package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/forecast"
	"hcacosim/cocosim/verilated"
)

func predictCommand() *cli.Command {
	return &cli.Command{
		Name:      "predict",
		Usage:     "say how much a workload comes to in hca_rx, or what loss costs two adapters: Gb/s, turn-round, recovery",
		ArgsUsage: "WORKLOAD.yaml",
		Description: "A model of hca_rx with queues and time plays the workload; docs/predict.md has its fields and says\n" +
			"what is modelled. --against-rtl plays it to simulated RTL as well: 1 is the exit code where the goodput\n" +
			"foreseen is off by more than 5 %.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "one JSON object on stdout"},
			&cli.StringFlag{Name: "svg", Usage: "write turn-round and rates over time to this `FILE`"},
			&cli.BoolFlag{Name: "link", Usage: "the workload is of two adapters over a link that loses: goodput and recovery\n" +
				"against loss and timeout code"},
			&cli.BoolFlag{Name: "against-rtl",
				Usage: "simulate the RTL with the same stimulus, and say how far off the model is"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return cocosim.Errorf(cocosim.BadInput, "name one workload: cosim predict WORKLOAD.yaml")
			}
			if c.Bool("link") {
				return predictLink(c, c.Args().First())
			}
			return predictOne(c, c.Args().First())
		},
	}
}

// prediction is what the command has to say of a workload.
type prediction struct {
	Workload  *forecast.Workload `json:"workload"`
	Predicted *forecast.Outcome  `json:"predicted"`
	Waits     []forecast.Wait    `json:"waits"`
	*forecast.Against
	Timing []portTiming `json:"timing,omitempty"`
}

// portTiming is the error of an output port in clocks.
type portTiming struct {
	Port     string  `json:"port"`
	Beats    int     `json:"beats"`
	Median   int64   `json:"median"`
	P99      int64   `json:"p99"`
	Least    int64   `json:"least"`
	Most     int64   `json:"most"`
	Within16 float64 `json:"within_16"`
}

func predictOne(c *cli.Context, file string) error {
	w, err := forecast.Read(file)
	if err != nil {
		return err
	}
	t := forecast.NewTraffic(w)
	crossed, waits := forecast.Predict(w, t)
	p := &prediction{Workload: w, Predicted: forecast.Measure(w, t, crossed), Waits: forecast.Waited(waits)}
	if c.Bool("against-rtl") {
		if p.Against, err = againstRTL(c, w, t, crossed); err != nil {
			return err
		}
		p.Timing = timingOf(p.Against.Timing)
	}
	if name := c.String("svg"); name != "" {
		var svg bytes.Buffer
		if err := forecast.Plot(&svg, w, t, crossed, p.Predicted); err != nil {
			return err
		}
		if err := command.WriteFile(name, svg.Bytes()); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		err = json.NewEncoder(c.App.Writer).Encode(p)
	} else if !c.Bool("quiet") {
		err = p.print(c.App.Writer)
	}
	if err == nil && p.Against != nil {
		err = tooFarOff(p.GoodputError)
	}
	return err
}

// tooFarOff is the exit code for a goodput that is foreseen too high or too low by more than may be. What is no number
// is off, too.
func tooFarOff(share float64) error {
	if math.Abs(share) <= forecast.MostGoodputError {
		return nil
	}
	return cocosim.Errorf(cocosim.Mismatch, "the goodput foreseen is off by %+.1f %%: more than %v %%", 100*share,
		100*forecast.MostGoodputError)
}

func againstRTL(c *cli.Context, w *forecast.Workload, t *forecast.Traffic,
	foreseen *forecast.Crossed) (*forecast.Against, error) {
	d, err := forecast.OpenRTL(c.Context, w, verilated.Fast, logger(c))
	if err != nil {
		return nil, err
	}
	a, err := forecast.Hold(c.Context, d, w, t, foreseen)
	if closed := d.Close(); err == nil {
		err = closed
	}
	return a, err
}

func timingOf(t *forecast.Timing) (all []portTiming) {
	for port := range t.Last {
		e := &t.Last[port]
		if forecast.Ports[port].Input {
			continue
		}
		p := portTiming{Port: forecast.Ports[port].Name, Beats: e.Count, Median: e.At(0.5), P99: e.At(0.99),
			Within16: e.Within(16)}
		p.Least, p.Most = e.Bounds()
		all = append(all, p)
	}
	return all
}

// print prints the table.
func (p *prediction) print(out io.Writer) error {
	w, o := p.Workload, p.Predicted
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "workload\t%s: %s\n", cmp.Or(w.Name, "unnamed"), w)
	fmt.Fprintf(t, "clock\t%v MHz, %d bits: %.1f Gb/s\n", w.ClockMHz, w.DataWidth, w.ClockMHz*float64(w.DataWidth)/1000)
	fmt.Fprintf(t, "interval\t%d clocks: %.1f µs\n", o.Clocks, float64(o.Clocks)/w.ClockMHz)
	fmt.Fprintf(t, "frames\t%d in, %d passed, %d with payload, %d READs and atomics, %d out, %d refused\n",
		o.Frames, o.Passed, o.Placed, o.Asked, o.Answers, o.Refused)
	rows := []*forecast.Outcome{o}
	fmt.Fprint(t, "\tpredicted")
	if p.Against != nil {
		rows = append(rows, p.Simulated)
		fmt.Fprint(t, "\tsimulated")
	}
	fmt.Fprintln(t)
	for _, line := range []struct {
		name string
		of   func(*forecast.Outcome) string
	}{
		{"packets/s", func(o *forecast.Outcome) string { return fmt.Sprintf("%.3f M", o.PacketsPerSecond/1e6) }},
		{"frames", func(o *forecast.Outcome) string { return fmt.Sprintf("%.2f Gb/s", o.WireGbps) }},
		{"goodput", func(o *forecast.Outcome) string { return fmt.Sprintf("%.2f Gb/s", o.GoodputGbps) }},
		{"s_axis", func(o *forecast.Outcome) string {
			return fmt.Sprintf("%.3f beats, %.1f bits a clock", o.BeatsPerClock, o.BitsPerClock)
		}},
		{"m_axis", func(o *forecast.Outcome) string { return fmt.Sprintf("%.3f beats a clock", o.AnswerBeatsPerClock) }},
	} {
		fmt.Fprint(t, line.name)
		for _, o := range rows {
			fmt.Fprintf(t, "\t%s", line.of(o))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return p.printTurns(out)
}

func (p *prediction) printTurns(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "\nturn-round, clocks from the last beat of a message to the last beat of its ACK or response")
	fmt.Fprintln(t, "message\tanswered\tleast\tmedian\tp99\tmost\tmedian, ns\t")
	for _, turn := range p.Predicted.Turns {
		name := turn.Mix.Name()
		if turn.Count == 0 {
			fmt.Fprintf(t, "%s\t0\t\t\t\t\t\t\n", name)
			continue
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%.0f\t\n", name, turn.Count, turn.Least, turn.Median, turn.P99, turn.Max,
			float64(turn.Median)*1000/p.Workload.ClockMHz)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(p.Waits) > 0 {
		fmt.Fprintln(out, "\nwaits: clocks in which something could not move on")
		for _, w := range p.Waits[:min(5, len(p.Waits))] {
			fmt.Fprintf(t, "%s\t%d\t\n", w.Part, w.Clocks)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if p.Against != nil {
		fmt.Fprintf(out, "\nagainst RTL: goodput %+.2f %%; clocks late, device minus model\n", 100*p.GoodputError)
		fmt.Fprintln(t, "port\trecords\tmedian\tp99\tleast\tmost\twithin 16\t")
		for _, e := range p.Timing {
			fmt.Fprintf(t, "%s\t%d\t%+d\t%+d\t%+d\t%+d\t%.2f %%\t\n", e.Port, e.Beats, e.Median, e.P99, e.Least, e.Most,
				100*e.Within16)
		}
	}
	return t.Flush()
}
