package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/cover"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "drive a device with packets and diff everything that comes out against the golden model",
		Description: "Packets come from --vectors, --known, --capture and --scenario, in this order; without any of them " +
			"from the\n" +
			"default scenario of the device.",
		Flags: append(slices.Concat(bundleFlags(), wavesFlags(), captureFlags()),
			&cli.StringFlag{Name: "spec", Usage: "run what `FILE` says (YAML, as a run can be written down); other flags go " +
				"over it"},
			&cli.StringSliceFlag{Name: "dut", Value: cli.NewStringSlice("icrc_check"),
				Usage: "a device that `cosim duts` lists, or the path of a manifest; several run one after the other"},
			&cli.StringFlag{Name: "vectors", Usage: "play a vector set made by vecgen"},
			&cli.BoolFlag{Name: "known", Usage: "play the real packets that come with cosim"},
			&cli.StringFlag{Name: "scenario", Usage: "play generated packets; `vecgen list` lists the scenarios"},
			&cli.StringFlag{Name: "weights", Usage: "how often the scenario does what, from a `FILE`: see vecgen weights"},
			&cli.Uint64SliceFlag{Name: "seed", Value: cli.NewUint64Slice(1),
				Usage: "of the scenario, backpressure and idle beats; several run one after the other"},
			&cli.Uint64Flag{Name: "count", Usage: "packets of the scenario (default: enough for all that it promises)"},
			&cli.StringSliceFlag{Name: "param", Usage: "override a parameter of the device: NAME=NUMBER; may be repeated"},
			&cli.StringSliceFlag{Name: "config", Usage: "set a configuration input of the device: NAME=NUMBER; may be repeated"},
			&cli.StringFlag{Name: "device", Value: "rtl", Usage: "rtl, model or recording (what a vector set expects)"},
			&cli.StringFlag{Name: "flavour", Value: string(verilated.Fast),
				Usage: "fast, debug (assertions on), quick (compiles fastest), coverage, or the netlist that Yosys makes: word, " +
					"gate"},
			&cli.StringFlag{Name: "cover", Usage: "`FILE` for what the run exercised, by rule and situation: see `cosim cover`"},
			&cli.StringFlag{Name: "coverage", Usage: "`FILE` for what a build of --flavour coverage counted, in Verilator's " +
				"format"},
			&cli.Float64Flag{Name: "backpressure", Usage: "share of cycles (0 to 0.99) in which an output is not ready"},
			&cli.StringFlag{Name: "stall-only", Usage: "backpressure for the output of this `NAME` alone"},
			&cli.Float64Flag{Name: "idle", Usage: "share of cycles (0 to 0.99) in which an input holds back its next beat"},
			&cli.IntFlag{Name: "batch", Value: cocosim.DefaultBatch,
				Usage: "records a call to the device; never shows in a result"},
			&cli.StringFlag{Name: "netlist", Usage: "run what Yosys makes of the device in its place: word or gate; as " +
				"--flavour does"},
			&cli.Uint64Flag{Name: "limit-cycles", Usage: "stop without a verdict after this many cycles"},
			&cli.Uint64Flag{Name: "max-mismatches", Value: cocosim.DefaultMaxMismatches,
				Usage: "stop after this many mismatches"},
			&cli.Uint64Flag{Name: "max-memory", Value: verilated.DefaultMemoryLimit >> 20,
				Usage: "most memory of the simulator in MiB"},
			&cli.Uint64Flag{Name: "drain", Value: cocosim.DefaultDrain,
				Usage: "cycles after the last input in which nothing unasked may come"},
			&cli.StringSliceFlag{Name: "plusarg", Usage: "what $test$plusargs and $value$plusargs find: NAME or NAME=VALUE; " +
				"may be repeated"},
			&cli.Uint64Flag{Name: "state-seed", Usage: "of what no reset reaches: registers, memories, X (default: one made " +
				"of the seed)"},
			&cli.IntFlag{Name: "states", Usage: "if the run agrees, repeat it with this many other states of what no reset " +
				"reaches"},
			&cli.IntFlag{Name: "resets", Usage: "before the run, reset the design this often in the middle of other traffic"},
			&cli.BoolFlag{Name: "warnings", Usage: "a warning of Verilator, or several drivers of a wire, fail the build"},
			&cli.DurationFlag{Name: "timeout", Usage: "stop without a verdict after this long"},
			&cli.IntFlag{Name: "show", Value: 3, Usage: "print this many mismatches in full"},
			&cli.StringFlag{Name: "html",
				Usage: "write the report as a page, `FILE`, that a browser shows; it needs no network"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object on stdout"},
		),
		Action: runDut,
	}
}

func runDut(c *cli.Context) error {
	if c.NArg() > 0 {
		return cocosim.Errorf(cocosim.BadInput, "unexpected argument %q (see `cosim run --help`)", c.Args().First())
	}
	if err := checkWaves(c); err != nil {
		return err
	}
	spec, err := specOf(c)
	if err != nil {
		return err
	}
	all := severally(c, *spec)
	if len(all) == 1 {
		return runOne(c, all[0])
	}
	if c.IsSet("html") {
		return cocosim.Errorf(cocosim.BadInput, "--html is the page of one run, not of %d; cosim regress --html has many",
			len(all))
	}
	exit := cocosim.Agreed // the first that is another
	for _, one := range all {
		err := runOne(c, one)
		if err == nil {
			continue
		}
		var silent command.Silent
		if !errors.As(err, &silent) { // the others are run all the same
			silent = command.Silent(exitOf(err))
			fmt.Fprintln(c.App.ErrWriter, "cosim:", err)
			if c.Bool("json") {
				printFailure(c.App.Writer, err.Error(), cocosim.Exit(silent))
			}
		}
		if exit == cocosim.Agreed {
			exit = cocosim.Exit(silent)
		}
	}
	if exit != cocosim.Agreed {
		return command.Silent(exit)
	}
	return nil
}

// severally is the run for each --dut and each --seed.
func severally(c *cli.Context, spec session.Spec) (all []session.Spec) {
	duts, seeds := []string{spec.Dut}, []uint64{spec.Seed}
	if c.IsSet("dut") {
		duts = c.StringSlice("dut")
	}
	if c.IsSet("seed") {
		seeds = c.Uint64Slice("seed")
	}
	for _, dut := range duts {
		for _, seed := range seeds {
			spec.Dut, spec.Seed = dut, seed
			all = append(all, spec)
		}
	}
	return all
}

// runOne runs a Spec and prints its report. What is no agreement is an error.
func runOne(c *cli.Context, spec session.Spec) error {
	o := session.Options{Log: logger(c), Probe: true}
	if !c.Bool("quiet") {
		o.Begun = func(total uint64) func(uint64, bool) { return newProgress(c.App.ErrWriter, total).tell }
	}
	counted, err := coverTap(c, &spec, &o)
	if err != nil {
		return err
	}
	rep, err := session.Run(c.Context, spec, o)
	if err != nil {
		return err
	}
	if counted != nil {
		if err := cover.WriteFile(c.String("cover"), []*cover.Sheet{counted.Sheet}, cover.Write); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		err = json.NewEncoder(c.App.Writer).Encode(rep.Object())
	} else if !c.Bool("quiet") {
		rep.Print(c.App.Writer)
	} else if rep.Exit() != cocosim.Agreed {
		_, err = fmt.Fprintf(c.App.Writer, "%s: %s\n", rep.Verdict(), rep.Reproduce)
	}
	if err != nil {
		return err
	}
	if rep.Err != nil {
		fmt.Fprintln(c.App.ErrWriter, "cosim:", rep.Err)
	}
	err = writeRunPage(c, spec, rep)
	leaveBundle(c, &spec, rep)
	if exit := rep.Exit(); exit != cocosim.Agreed {
		if err != nil {
			fmt.Fprintln(c.App.ErrWriter, "cosim:", err)
		}
		return command.Silent(exit)
	}
	return err
}

// specOf is the run that the flags ask for: that of --spec, and what other flags say over it.
func specOf(c *cli.Context) (s *session.Spec, err error) {
	s = &session.Spec{Dut: c.StringSlice("dut")[0], Seed: c.Uint64Slice("seed")[0], Show: c.Int("show")}
	if file := c.String("spec"); file != "" {
		if s, err = session.Read(file); err != nil {
			return nil, err
		}
	}
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if n := timesGiven(c, name); n > 1 && !repeats(f) {
			return nil, cocosim.Errorf(cocosim.BadInput, "--%s is given %d times; it takes one value", name, n)
		}
		if c.IsSet(name) {
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
		s.Dut = c.StringSlice(name)[0]
	case "vectors":
		s.Vectors = c.String(name)
	case "known":
		s.Known = c.Bool(name)
	case "capture":
		s.Captures = c.StringSlice(name)
	case "peer-config":
		s.PeerConfig = c.String(name)
	case "at":
		s.At = c.String(name)
	case "profile":
		s.Profile = c.String(name)
	case "scenario":
		s.Scenario = c.String(name)
	case "weights":
		s.Weights = c.String(name)
	case "seed":
		s.Seed = c.Uint64Slice(name)[0]
	case "count":
		s.Count = c.Uint64(name)
	case "param", "config":
		return setSettings(c, s, name)
	case "device":
		s.Device = c.String(name)
	case "flavour":
		s.Flavour = verilated.Flavour(c.String(name))
	case "netlist":
		return setNetlist(s, c.String(name))
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
	default:
		setBounds(c, s, name)
	}
	return nil
}

// setBounds takes a flag about what a device may do.
func setBounds(c *cli.Context, s *session.Spec, name string) {
	switch name {
	case "max-mismatches":
		s.MaxMismatches = c.Uint64(name)
	case "max-memory":
		s.MaxMemory = c.Uint64(name)
	case "drain":
		s.Drain = c.Uint64(name)
	case "plusarg":
		s.Plusargs = c.StringSlice(name)
	case "state-seed":
		s.StateSeed = c.Uint64(name)
	case "stall-only":
		s.StallOnly = c.String(name)
	case "resets":
		s.Resets = c.Int(name)
	case "states":
		s.States = c.Int(name)
	case "warnings":
		s.Warnings = c.Bool(name)
	}
}

func setNetlist(s *session.Spec, level string) error {
	flavour := verilated.Flavour(level)
	if flavour != verilated.Word && flavour != verilated.Gate {
		return cocosim.Errorf(cocosim.BadInput, "--netlist is word or gate, not %q", level)
	}
	if s.Flavour != "" && s.Flavour != flavour {
		return cocosim.Errorf(cocosim.BadInput, "--netlist %s and --flavour %s: a netlist is a flavour of its own; give one",
			level, s.Flavour)
	}
	s.Flavour = flavour
	return nil
}

// repeats reports whether a flag may be given more than once.
func repeats(f cli.Flag) bool {
	switch f.(type) {
	case *cli.StringSliceFlag, *cli.Uint64SliceFlag, *cli.BoolFlag:
		return true
	}
	return false
}

// timesGiven is how often a flag was written.
func timesGiven(c *cli.Context, name string) (n int) {
	args, _ := c.App.Metadata[command.Arguments].([]string)
	for _, a := range args {
		if a, _, _ = strings.Cut(a, "="); a == "--"+name || a == "-"+name {
			n++
		}
	}
	return n
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

// isTerminal reports whether progress may be drawn on w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
