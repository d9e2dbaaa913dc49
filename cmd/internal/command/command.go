// Package command holds what cosim and vecgen do alike at the edge: arguments in any order, one line for an error, its exit code.
package command

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// Run runs the app and returns the exit code. An error is written to the app's ErrWriter as one line; exitOf tells
// its code.
func Run(app *cli.App, args []string, exitOf func(error) int) int {
	app.ExitErrHandler = func(*cli.Context, error) {}
	app.OnUsageError = usageError
	for _, c := range app.Commands {
		c.OnUsageError = usageError
	}
	err := app.Run(reorder(app, args))
	if err == nil {
		return 0
	}
	var silent Silent
	if !errors.As(err, &silent) {
		fmt.Fprintf(app.ErrWriter, "%s: %s\n", app.Name, oneLine(err))
	}
	return exitOf(err)
}

// Silent is an error whose message has been printed already; its value is the exit code.
type Silent int

func (s Silent) Error() string { return fmt.Sprintf("exit %d", int(s)) }

func usageError(c *cli.Context, err error, _ bool) error {
	return fmt.Errorf("%w (see `%s --help`)", err, strings.TrimSpace(c.App.Name+" "+c.Command.Name))
}

func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
}

// reorder puts the flags of a command before its other arguments: people write `check FILE --json`, the flag package
// stops at FILE.
func reorder(app *cli.App, args []string) []string {
	if len(args) < 3 {
		return args
	}
	var cmd *cli.Command
	at := 1
	for ; at < len(args); at++ {
		if cmd = app.Command(args[at]); cmd != nil {
			break
		}
	}
	if cmd == nil {
		return args
	}
	var flags, rest []string
	tail := args[at+1:]
	for i := 0; i < len(tail); i++ {
		a := tail[i]
		switch {
		case a == "--":
			rest = append(rest, tail[i+1:]...)
			i = len(tail)
		case len(a) < 2 || a[0] != '-':
			rest = append(rest, a)
		default:
			flags = append(flags, a)
			if takesValue(cmd, a) && i+1 < len(tail) {
				i++
				flags = append(flags, tail[i])
			}
		}
	}
	out := append([]string{}, args[:at+1]...)
	out = append(append(out, flags...), "--")
	return append(out, rest...)
}

// takesValue tells whether the flag as written needs the next argument.
func takesValue(cmd *cli.Command, written string) bool {
	name := strings.TrimLeft(written, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range cmd.Flags {
		for _, n := range f.Names() {
			if n == name {
				_, isBool := f.(*cli.BoolFlag)
				return !isBool
			}
		}
	}
	return false
}

// Setting reads the NAME=NUMBER of a flag.
func Setting(flag, text string) (name string, n uint64, err error) {
	name, value, ok := strings.Cut(text, "=")
	if n, err = strconv.ParseUint(value, 0, 64); !ok || err != nil {
		return "", 0, fmt.Errorf("--%s %s: give NAME=NUMBER", flag, text)
	}
	return name, n, nil
}

// Writers are where a command prints: Out for answers, Err for errors, logs and progress.
type Writers struct{ Out, Err io.Writer }
