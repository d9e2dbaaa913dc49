// Command cosim runs RTL against the golden model and judges captures.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/hashicorp/go-hclog"
	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
)

func main() {
	ctx, stop := command.Stopped(os.Stderr, int(cocosim.Inconclusive))
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole command; tests call it with buffers.
func run(ctx context.Context, args []string, out, errw io.Writer) int {
	counted := &countingWriter{w: out}
	app := &cli.App{
		Name:      "cosim",
		Usage:     "does this RTL, or this capture, do what the transport says it must?",
		Writer:    counted,
		ErrWriter: errw,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "log-level", Value: "warn",
				Usage: "trace, debug, info, warn or error; the log goes to stderr"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"},
				Usage: "print verdicts that are no agreement, and errors; no reports, no progress"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "the same as --log-level info"},
		},
		Version: cocosim.Version(),
		Suggest: true,
		// A path may have a comma in it.
		DisableSliceFlagSeparator: true,
		Commands: []*cli.Command{runCommand(), regressCommand(), qualifyCommand(), guideCommand(), coverCommand(),
			conformCommand(), checkCommand(), explainCommand(),
			dutsCommand(), initCommand(), lintCommand(),
			exportCommand(), doctorCommand(), benchCommand(),
			benchCheckCommand(), compareCommand(), linkCommand(), replayCommand(), shrinkCommand(), bucketsCommand(),
			predictCommand(), completionCommand()},
		DefaultCommand: "help",
		Description: "Exit codes: 0 agreed, 1 mismatch, 2 usage or bad input, 3 build, 4 simulator crashed or hung,\n" +
			"5 bridge, 6 inconclusive (stopped by a limit before a verdict).",
	}
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Usage: "print the version"} // -v is --verbose
	withContext(app, ctx)
	code := command.Run(app, args, func(err error) int {
		if ctx.Err() != nil && !errors.As(err, new(command.Silent)) { // whatever fails of what was stopped
			return int(cocosim.Inconclusive)
		}
		return exitOf(err)
	})
	if wantsJSON(args) && counted.n == 0 && code != int(cocosim.Agreed) {
		text, _ := app.Metadata[command.Failure].(string)
		printFailure(out, text, cocosim.Exit(code))
	}
	return code
}

// countingWriter counts what is written.
type countingWriter struct {
	w io.Writer
	n int
}

func (c *countingWriter) Write(b []byte) (int, error) {
	c.n += len(b)
	return c.w.Write(b)
}

func wantsJSON(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return a == "--json" || a == "-json" || a == "--json=true" })
}

// printFailure prints the object of a command that ended before it had one.
func printFailure(w io.Writer, text string, exit cocosim.Exit) {
	json.NewEncoder(w).Encode(struct {
		Error    string       `json:"error"`
		Verdict  string       `json:"verdict"`
		ExitCode cocosim.Exit `json:"exit"`
	}{text, report.VerdictOf(exit), exit})
}

func withContext(app *cli.App, ctx context.Context) {
	app.Before = func(c *cli.Context) error {
		c.Context = ctx
		return nil
	}
}

func exitOf(err error) int {
	var silent command.Silent
	if errors.As(err, &silent) {
		return int(silent)
	}
	return int(cocosim.ExitOf(err))
}

// logger logs to stderr at the level asked for; on a terminal a build, which takes a while, says that it runs.
func logger(c *cli.Context) hclog.Logger {
	level := hclog.LevelFromString(c.String("log-level"))
	if c.Bool("verbose") {
		level = hclog.Info
	}
	if !c.IsSet("log-level") && isTerminal(c.App.ErrWriter) && !c.Bool("quiet") {
		level = hclog.Info
	}
	return hclog.New(&hclog.LoggerOptions{Name: "cosim", Output: c.App.ErrWriter, Level: level, DisableTime: true})
}
