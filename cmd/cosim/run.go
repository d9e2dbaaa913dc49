package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "drive a device with packets and diff everything that comes out against the golden model",
		Description: "Packets come from --vectors, --known, --capture and --scenario, in this order; without any of them from the\n" +
			"default scenario of the device.",
		Flags: append(bundleFlags(),
			&cli.StringFlag{Name: "spec", Usage: "run what `FILE` says (YAML, as a run can be written down); other flags go over it"},
			&cli.StringFlag{Name: "dut", Value: "icrc_check", Usage: "a device that `cosim duts` lists, or the path of a manifest"},
			&cli.StringFlag{Name: "vectors", Usage: "play a vector set made by vecgen"},
			&cli.BoolFlag{Name: "known", Usage: "play the real packets that come with cosim"},
			&cli.StringSliceFlag{Name: "capture", Usage: "play a pcap or pcapng file; may be repeated"},
			&cli.StringFlag{Name: "scenario", Usage: "play generated packets; `vecgen list` lists the scenarios"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of the scenario, backpressure and idle beats"},
			&cli.Uint64Flag{Name: "count", Usage: "packets of the scenario (default: enough for all that it promises)"},
			&cli.StringSliceFlag{Name: "param", Usage: "override a parameter of the device: NAME=NUMBER; may be repeated"},
			&cli.StringSliceFlag{Name: "config", Usage: "set a configuration input of the device: NAME=NUMBER; may be repeated"},
			&cli.StringFlag{Name: "device", Value: "rtl", Usage: "rtl, model or recording (what a vector set expects)"},
			&cli.StringFlag{Name: "flavour", Value: string(verilated.Fast), Usage: "fast, debug (assertions on), quick (compiles fastest), coverage, or the netlist that Yosys makes: word, gate"},
			&cli.StringFlag{Name: "coverage", Usage: "`FILE` for what a build of --flavour coverage counted, in Verilator's format"},
			&cli.Float64Flag{Name: "backpressure", Usage: "share of cycles (0 to 0.99) in which an output is not ready"},
			&cli.Float64Flag{Name: "idle", Usage: "share of cycles (0 to 0.99) in which an input holds back its next beat"},
			&cli.IntFlag{Name: "batch", Value: cocosim.DefaultBatch, Usage: "records a call to the device; never shows in a result"},
			&cli.Uint64Flag{Name: "limit-cycles", Usage: "stop without a verdict after this many cycles"},
			&cli.DurationFlag{Name: "timeout", Usage: "stop without a verdict after this long"},
			&cli.IntFlag{Name: "show", Value: 3, Usage: "print this many mismatches in full"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object on stdout"},
		),
		Action: runDut,
	}
}

func runDut(c *cli.Context) error {
	if c.NArg() > 0 {
		return cocosim.Errorf(cocosim.BadInput, "unexpected argument %q (see `cosim run --help`)", c.Args().First())
	}
	spec, err := specOf(c)
	if err != nil {
		return err
	}
	rep, err := session.Run(c.Context, *spec, session.Options{Log: logger(c), Begun: func(total uint64) func(uint64, bool) {
		return newProgress(c.App.ErrWriter, total).tell
	}})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		if err := json.NewEncoder(c.App.Writer).Encode(rep.Object()); err != nil {
			return err
		}
	} else {
		rep.Print(c.App.Writer)
	}
	if rep.Err != nil {
		fmt.Fprintln(c.App.ErrWriter, "cosim:", rep.Err)
	}
	if exit := rep.Exit(); exit != cocosim.Agreed {
		leaveBundle(c, spec, exit)
		return command.Silent(exit)
	}
	return nil
}

// specOf is the run that the flags ask for: that of --spec, and what other flags say over it.
func specOf(c *cli.Context) (s *session.Spec, err error) {
	s = &session.Spec{Dut: c.String("dut"), Seed: c.Uint64("seed"), Show: c.Int("show")}
	if file := c.String("spec"); file != "" {
		if s, err = session.Read(file); err != nil {
			return nil, err
		}
	}
	for _, f := range c.Command.Flags {
		if name := f.Names()[0]; c.IsSet(name) {
			if err := setFlag(c, s, name); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// setFlag takes one flag that was given.
func setFlag(c *cli.Context, s *session.Spec, name string) error {
	switch name {
	case "dut":
		s.Dut = c.String(name)
	case "vectors":
		s.Vectors = c.String(name)
	case "known":
		s.Known = c.Bool(name)
	case "capture":
		s.Captures = c.StringSlice(name)
	case "scenario":
		s.Scenario = c.String(name)
	case "seed":
		s.Seed = c.Uint64(name)
	case "count":
		s.Count = c.Uint64(name)
	case "param", "config":
		return setSettings(c, s, name)
	case "device":
		s.Device = c.String(name)
	case "flavour":
		s.Flavour = verilated.Flavour(c.String(name))
	case "coverage":
		s.Coverage = c.String(name)
	case "backpressure":
		s.Backpressure = c.Float64(name)
	case "idle":
		s.Idle = c.Float64(name)
	case "batch":
		s.Batch = c.Int(name)
	case "limit-cycles":
		s.LimitCycles = c.Uint64(name)
	case "timeout":
		s.Timeout = c.Duration(name)
	case "show":
		s.Show = c.Int(name)
	}
	return nil
}

// setSettings takes the NAME=NUMBER of --param or --config.
func setSettings(c *cli.Context, s *session.Spec, flag string) error {
	if s.Params == nil {
		s.Params = map[string]int{}
	}
	if s.Config == nil {
		s.Config = map[string]uint64{}
	}
	for _, text := range c.StringSlice(flag) {
		name, n, err := command.Setting(flag, text)
		switch {
		case err != nil:
			return cocosim.Errorf(cocosim.BadInput, "%v", err)
		case flag == "param":
			s.Params[name] = int(n)
		default:
			s.Config[name] = n
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// isTerminal tells whether progress may be drawn on w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
