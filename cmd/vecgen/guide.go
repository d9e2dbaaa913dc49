package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim/guide"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

func guideCommand() *cli.Command {
	return &cli.Command{
		Name: "guide",
		Usage: "search for the shortest vector set that meets every bin of a stage's coverage (docs/coverage-by-rule.md), " +
			"on the golden model",
		Description: "The same stage, configuration and seed give the same set. It is ranked: its first records meet most " +
			"bins.\n`cosim run --vectors DIR` plays it on a device.",
		Flags: setFlags(
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "same seed, same bytes"},
			&cli.Uint64Flag{Name: "patience", Value: guide.DefaultPatience, Usage: "packets tried without a new bin after " +
				"which the search ends"},
		),
		Action: guided,
	}
}

func guided(c *cli.Context) error {
	if err := noArgs(c); err != nil {
		return err
	}
	spec, err := stage(c)
	if err != nil {
		return err
	}
	return write(c, func(dir string, o vectors.SetOptions) (*vectors.Set, error) {
		if err := vectors.Free(dir, o.Force); err != nil {
			return nil, err
		}
		r := guide.Search(guide.Target{Spec: spec, Settings: o.Settings}, guide.Options{Seed: c.Uint64("seed"),
			Patience: c.Uint64("patience"), Stop: func() bool { return c.Context.Err() != nil }})
		fmt.Fprintf(c.App.Writer, "guide  %d of %d bins in %d records, of %d segments tried with %d records\n", r.Met.Len(),
			r.Bins, r.Source().Len(), r.Tried, r.Played)
		name := fmt.Sprintf("guided-%d", c.Uint64("seed"))
		return vectors.WriteSet(dir, vectors.Manifest{Name: name, Dut: spec.Name, Generator: scenario.GeneratorVersion,
			Seed: c.Uint64("seed"), Source: "guided", Command: guideLine(c, spec.Name)}, r.Source(), o)
	})
}

func guideLine(c *cli.Context, stage string) string {
	line := fmt.Sprintf("vecgen guide --dut %s --seed %d", stage, c.Uint64("seed"))
	for _, text := range c.StringSlice("config") {
		line += " --config " + text
	}
	return line
}

// settingsOf are the --config flags, which the stages have to know.
func settingsOf(c *cli.Context, specs ...sim.StageSpec) (sim.Settings, error) {
	settings := sim.Settings{}
	for _, text := range c.StringSlice("config") {
		name, n, err := command.Setting("config", text)
		if err != nil {
			return nil, err
		}
		settings[name] = n
	}
	for _, spec := range specs {
		if err := spec.Check(settings); err != nil {
			return nil, fmt.Errorf("--config: %w", err)
		}
	}
	return settings, nil
}
