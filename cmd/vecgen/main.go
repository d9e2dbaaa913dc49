// Command vecgen makes vector sets for devices, takes them apart and proves them intact.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

func main() {
	ctx, stop := command.Stopped(os.Stderr, exitBadInput)
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// exitBadInput is the exit code of every error. Only judge has another answer.
const exitBadInput = 2

// run is the whole command; tests call it with buffers.
func run(ctx context.Context, args []string, out, errw io.Writer) int {
	app := &cli.App{
		Name:      "vecgen",
		Usage:     "vector sets: what goes into a device and what must come out",
		Writer:    out,
		ErrWriter: errw,
		Commands: []*cli.Command{listCommand(), genCommand(), weightsCommand(), importCommand(), guideCommand(),
			coverCommand(), closureCommand(), checkCommand(), judgeCommand(), showCommand(), replayCommand()},
		DefaultCommand: "help",
		Description: "Exit codes: 0 done, 2 usage or bad input; of judge 1: not allowed. docs/vectors.md describes a " +
			"vector set.",
		Before: func(c *cli.Context) error {
			c.Context = ctx
			return nil
		},
	}
	return command.Run(app, args, exitOf)
}

func exitOf(err error) int {
	var silent command.Silent
	if errors.As(err, &silent) {
		return int(silent)
	}
	return exitBadInput
}

func listCommand() *cli.Command {
	return &cli.Command{
		Name:   "list",
		Usage:  "scenarios and stages, or the directed cases that scenarios play (docs/verbs.md, docs/areas.md)",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "directed", Usage: "the directed cases: name, rule, what in a sentence"}},
		Action: list,
	}
}

func list(c *cli.Context) error {
	if err := noArgs(c); err != nil {
		return err
	}
	w := c.App.Writer
	if c.Bool("directed") {
		fmt.Fprintf(w, "%-15s %-27s %-6s  %s\n", "scenario", "directed case", "rule", "what")
		for _, d := range scenario.AllDirected() {
			fmt.Fprintf(w, "%-15s %-27s %-6s  %s\n", d.Scenario, d.Name, d.Rule, d.Says)
		}
		return nil
	}
	fmt.Fprintf(w, "%-15s %7s  %-37s %s\n", "scenario", "packets", "for", "what")
	for _, s := range scenario.All() {
		fmt.Fprintf(w, "%-15s %7d  %-37s %s\n", s.Name, s.Count, strings.Join(s.Stages, ", "), s.Summary)
	}
	listStages(w, "stage", "what", false)
	listStages(w, "view", "for vector sets, `vecgen judge` and `cosim export`; no device is run against it", true)
	return nil
}

// listStages lists the stages, or the views of them.
func listStages(w io.Writer, head, what string, views bool) {
	fmt.Fprintf(w, "\n%-15s %-17s %s\n", head, "ports", what)
	for _, s := range vectors.Stages() {
		if vectors.IsView(s.Name) != views {
			continue
		}
		var ports []string
		for _, p := range s.Ports {
			ports = append(ports, p.Name)
		}
		fmt.Fprintf(w, "%-15s %-17s %s\n", s.Name, strings.Join(ports, ", "), s.Summary)
	}
}

func noArgs(c *cli.Context) error {
	if c.NArg() > 0 {
		return fmt.Errorf("%s: unexpected %q", c.Command.Name, c.Args().First())
	}
	return nil
}

// oneArg returns the only argument of a command.
func oneArg(c *cli.Context, what string) (string, error) {
	switch c.NArg() {
	case 0:
		return "", fmt.Errorf("%s: no %s named (see `vecgen %s --help`)", c.Command.Name, what, c.Command.Name)
	case 1:
		return c.Args().First(), nil
	}
	return "", fmt.Errorf("%s: one %s at a time, not %d", c.Command.Name, what, c.NArg())
}

// stage finds the model stage that --dut names.
func stage(c *cli.Context) (sim.StageSpec, error) {
	name := c.String("dut")
	spec, ok := vectors.Lookup(name)
	if !ok {
		var known []string
		for _, s := range vectors.Stages() {
			known = append(known, s.Name)
		}
		return spec, fmt.Errorf("--dut %s: unknown (known: %s)", name, strings.Join(known, ", "))
	}
	return spec, nil
}
