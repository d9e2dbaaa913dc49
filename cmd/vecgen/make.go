package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim/cover"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

const defaultStage = "icrc_check"

// setFlags are what gen and import have in common.
func setFlags(own ...cli.Flag) []cli.Flag {
	return append(own,
		&cli.StringFlag{Name: "dut", Value: defaultStage, Usage: "stage that the expected records come from"},
		&cli.StringFlag{Name: "o", Usage: "directory to write, `DIR`"},
		&cli.BoolFlag{Name: "force", Usage: "replace a vector set that is there"},
		&cli.StringSliceFlag{Name: "config", Usage: "set a parameter or configuration input of the stage: NAME=NUMBER; may " +
			"be repeated"},
		&cli.IntFlag{Name: "readmemh", Usage: "also write $readmemh files for a data path of `BITS`"},
		&cli.BoolFlag{Name: "c-header", Usage: "also write C headers"},
		&cli.BoolFlag{Name: "sv-package", Usage: "also write a SystemVerilog package of the $readmemh files"},
		&cli.BoolFlag{Name: "bins", Usage: "also write bins.jsonl: the bins that each vector exercises, and their rules"},
		&cli.BoolFlag{Name: "strict", Usage: "expect what one device gives, also where the rules leave a choice"},
		&cli.Uint64Flag{Name: "slack", Value: vectors.DefaultSlack, Usage: "cycles that a record may come later than the " +
			"model gives it"},
	)
}

func genCommand() *cli.Command {
	return &cli.Command{
		Name:  "gen",
		Usage: "make a vector set from a scenario",
		Flags: setFlags(
			&cli.StringFlag{Name: "scenario", Usage: "see `vecgen list`; by default the stage's first"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "same seed, same bytes"},
			&cli.Uint64Flag{Name: "count", Usage: "packets; by default what the scenario needs to show everything"},
			&cli.StringFlag{Name: "weights", Usage: "how often the scenario does what, from a `FILE`: see vecgen weights"},
		),
		Action: gen,
	}
}

func gen(c *cli.Context) error {
	if err := noArgs(c); err != nil {
		return err
	}
	spec, err := stage(c)
	if err != nil {
		return err
	}
	s := scenario.Default(spec.Name)
	if c.IsSet("scenario") {
		if s, err = scenario.Lookup(c.String("scenario")); err != nil {
			return err
		}
	}
	count := s.Count
	if c.IsSet("count") {
		count = c.Uint64("count")
	}
	var weights *scenario.Weights
	if file := c.String("weights"); file != "" {
		if weights, err = scenario.ReadWeights(file); err != nil {
			return err
		}
	}
	return write(c, func(dir string, o vectors.SetOptions) (*vectors.Set, error) {
		o.Weights = weights
		return vectors.GenerateSet(dir, s, spec, c.Uint64("seed"), count, o)
	})
}

func importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "make a vector set from a capture",
		ArgsUsage: "CAPTURE",
		Flags:     setFlags(),
		Action:    importCapture,
	}
}

func importCapture(c *cli.Context) error {
	path, err := oneArg(c, "capture")
	if err != nil {
		return err
	}
	spec, err := stage(c)
	if err != nil {
		return err
	}
	return write(c, func(dir string, o vectors.SetOptions) (*vectors.Set, error) {
		return vectors.ImportSet(dir, path, spec, o)
	})
}

// write makes a set and says what was made.
func write(c *cli.Context, make func(dir string, o vectors.SetOptions) (*vectors.Set, error)) error {
	dir := c.String("o")
	if dir == "" {
		return fmt.Errorf("%s: where to? (-o DIR)", c.Command.Name)
	}
	if c.IsSet("readmemh") && c.Int("readmemh") <= 0 {
		return fmt.Errorf("%s: --readmemh %d: no data width of the blocks (64, 128, 256, 512 or 1024)", c.Command.Name,
			c.Int("readmemh"))
	}
	spec, err := stage(c)
	if err != nil {
		return err
	}
	settings, err := settingsOf(c, spec)
	if err != nil {
		return err
	}
	var slack *uint64
	if c.IsSet("slack") {
		n := c.Uint64("slack")
		slack = &n
	}
	var bins vectors.Follower
	if c.Bool("bins") {
		if vectors.IsView(spec.Name) {
			return fmt.Errorf("--bins: %s is a view, and bins are those of stages", spec.Name)
		}
		bins = cover.NewFollower(&spec, settings)
	}
	set, err := make(dir, vectors.SetOptions{
		Bins: bins, Settings: settings, SVPackage: c.Bool("sv-package"), Strict: c.Bool("strict"), Slack: slack,
		Force: c.Bool("force"), ReadmemhBits: c.Int("readmemh"), CHeader: c.Bool("c-header"),
		Now: func(uint64) error {
			if c.Context.Err() != nil {
				return errors.New("interrupted: nothing was written")
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "%s  %d records in, %d expected of %s\n", dir, set.StimulusRecords, set.ExpectRecords,
		set.Dut)
	return nil
}

func weightsCommand() *cli.Command {
	return &cli.Command{
		Name:  "weights",
		Usage: "print the weights, shares and ranges of a scenario, as a file for gen --weights and cosim run --weights",
		Flags: []cli.Flag{&cli.StringFlag{Name: "scenario", Value: "mix", Usage: "see `vecgen list`"}},
		Action: func(c *cli.Context) error {
			s, err := scenario.Lookup(c.String("scenario"))
			if err == nil {
				_, err = fmt.Fprint(c.App.Writer, scenario.DescribeWeights(s))
			}
			return err
		},
	}
}
