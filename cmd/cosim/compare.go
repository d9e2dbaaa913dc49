package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/compare"
	"hcacosim/model/ib"
	"hcacosim/model/link"
)

func compareCommand() *cli.Command {
	return &cli.Command{
		Name:  "compare",
		Usage: "run transports over the same lossy link: goodput, bytes sent again, completion times",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "transports", Value: strings.Join(compare.Names(), ","), Usage: "which, by comma"},
			&cli.StringFlag{Name: "loss", Value: "0,0.01,0.1,0.5,1,2,5,10",
				Usage: "losses in percent, by comma; or a range `FROM..TO%` in ten steps"},
			&cli.Float64Flag{Name: "gbps", Value: 100, Usage: "of the link"},
			&cli.DurationFlag{Name: "delay", Value: 2 * time.Microsecond, Usage: "of the link, one way"},
			&cli.Float64Flag{Name: "reorder", Usage: "share of packets, in percent, that others overtake"},
			&cli.DurationFlag{Name: "hold", Value: 2 * time.Microsecond, Usage: "how long such a packet is held up"},
			&cli.Float64Flag{Name: "double", Usage: "share of packets, in percent, that arrive twice"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of the link"},
			&cli.IntFlag{Name: "messages", Value: 2000, Usage: "how many"},
			&cli.UintFlag{Name: "bytes", Value: 64 << 10, Usage: "of a message"},
			&cli.IntFlag{Name: "depth", Value: 8, Usage: "messages posted at a time"},
			&cli.UintFlag{Name: "pmtu", Value: 4096, Usage: "256 to 4096"},
			&cli.IntFlag{Name: "window", Value: 64, Usage: "packets outstanding"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.StringFlag{Name: "svg", Usage: "write a plot of goodput and completion time against loss to `FILE`"},
		},
		Action: compareTransports,
	}
}

func compareTransports(c *cli.Context) error {
	if c.Args().Present() {
		return cocosim.Errorf(cocosim.BadInput, "compare takes no %q; give --transports and --loss", c.Args().First())
	}
	if c.Uint("bytes") > ib.MaxMessage {
		return cocosim.Errorf(cocosim.BadInput, "--bytes is 1 to %d, not %d", uint32(ib.MaxMessage), c.Uint("bytes"))
	}
	losses, err := lossesOf(c.String("loss"))
	if err != nil {
		return err
	}
	work := compare.Workload{Messages: c.Int("messages"), MessageBytes: uint32(c.Uint("bytes")), Depth: c.Int("depth"),
		PMTU: uint32(c.Uint("pmtu")), Window: int32(c.Int("window"))}
	cfg := link.Config{Gbps: c.Float64("gbps"), DelayNs: uint64(c.Duration("delay")), Reorder: c.Float64("reorder") / 100,
		HoldNs: uint64(c.Duration("hold")), Double: c.Float64("double") / 100, Seed: c.Uint64("seed")}
	if err := work.Check(&cfg); err != nil {
		return &cocosim.Error{Exit: cocosim.BadInput, What: err.Error()}
	}
	names := strings.Split(c.String("transports"), ",")
	all, err := compare.Sweep(names, losses, work, cfg, nil)
	if err != nil {
		return &cocosim.Error{Exit: cocosim.BadInput, What: err.Error()}
	}
	if file := c.String("svg"); file != "" {
		if err := writePlot(file, all); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		e := json.NewEncoder(c.App.Writer)
		e.SetIndent("", "  ")
		return e.Encode(all)
	}
	compare.Print(c.App.Writer, all)
	return nil
}

func writePlot(file string, all []compare.Outcome) error {
	f, err := os.Create(file)
	if err != nil {
		return &cocosim.Error{Exit: cocosim.BadInput, What: err.Error()}
	}
	if err = compare.Plot(f, all); err == nil {
		err = f.Close()
	}
	return err
}

// lossesOf reads "0,0.1,5", or "0..10%" as eleven steps.
func lossesOf(text string) (losses []float64, err error) {
	text = strings.TrimSuffix(text, "%")
	var parts []string
	if from, to, isRange := strings.Cut(text, ".."); isRange {
		a, errA := strconv.ParseFloat(strings.TrimSuffix(from, "%"), 64)
		b, errB := strconv.ParseFloat(to, 64)
		if errA != nil || errB != nil {
			return nil, badLoss(text)
		}
		for i := range 11 {
			parts = append(parts, fmt.Sprint(a+(b-a)*float64(i)/10))
		}
	} else {
		parts = strings.Split(text, ",")
	}
	for _, s := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || !(v >= 0 && v <= 50) {
			return nil, badLoss(s)
		}
		losses = append(losses, v/100)
	}
	return losses, nil
}

func badLoss(s string) error {
	return cocosim.Errorf(cocosim.BadInput, "--loss takes percents from 0 to 50, as 0,0.1,1 or 0..10%%, not %q", s)
}
