// Command cosim runs RTL against the golden model and judges captures.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/hashicorp/go-hclog"
	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole command; tests call it with buffers.
func run(ctx context.Context, args []string, out, errw io.Writer) int {
	app := &cli.App{
		Name:      "cosim",
		Usage:     "does this RTL, or this capture, do what the transport says it must?",
		Writer:    out,
		ErrWriter: errw,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "log-level", Value: "warn", Usage: "trace, debug, info, warn or error; the log goes to stderr"},
		},
		Commands: []*cli.Command{runCommand(), regressCommand(), qualifyCommand(), checkCommand(), explainCommand(), dutsCommand(), doctorCommand(),
			benchCommand(), benchCheckCommand(), compareCommand(), replayCommand(), shrinkCommand()},
		DefaultCommand: "help",
		Description: "Exit codes: 0 agreed, 1 mismatch, 2 usage or bad input, 3 build, 4 simulator crashed or hung,\n" +
			"5 bridge, 6 inconclusive (stopped by a limit before a verdict).",
	}
	withContext(app, ctx)
	return command.Run(app, args, exitOf)
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
	if !c.IsSet("log-level") && isTerminal(c.App.ErrWriter) {
		level = hclog.Info
	}
	return hclog.New(&hclog.LoggerOptions{Name: "cosim", Output: c.App.ErrWriter, Level: level, DisableTime: true})
}
