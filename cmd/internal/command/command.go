// Package command holds what cosim and vecgen do alike at the edge: arguments in any order, one line for an error, its
// exit code.
package command

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"hcacosim/model/sim"
)

// Run runs the app and returns the exit code. An error is written to the app's ErrWriter as one line; exitOf tells
// its code.
func Run(app *cli.App, args []string, exitOf func(error) int) int {
	app.ExitErrHandler = func(*cli.Context, error) {}
	app.OnUsageError = usageError
	for _, c := range app.Commands {
		c.OnUsageError = usageError
	}
	if app.Metadata == nil {
		app.Metadata = map[string]any{}
	}
	app.Metadata[Arguments] = args
	err := app.Run(reorder(app, args))
	if err == nil {
		return 0
	}
	var silent Silent
	if !errors.As(err, &silent) {
		app.Metadata[Failure] = oneLine(err)
		fmt.Fprintf(app.ErrWriter, "%s: %s\n", app.Name, oneLine(err))
	}
	return exitOf(err)
}

// Arguments is the key of App.Metadata under which the arguments stand as they were written.
const Arguments = "arguments"

// Failure is the key under which the error stands that a command ended with.
const Failure = "failure"

// Silent is an error whose message has been printed already; its value is the exit code.
type Silent int

func (s Silent) Error() string { return fmt.Sprintf("exit %d", int(s)) }

// badValue is what the package says of a flag whose value it cannot read.
var badValue = regexp.MustCompile(`^invalid (?:boolean )?value "(.*)" for (?:flag )?-+([\w-]+): `)

func usageError(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if m := badValue.FindStringSubmatch(text); m != nil {
		flags := c.App.Flags
		if c.Command != nil {
			flags = slices.Concat(c.Command.Flags, flags)
		}
		if want := wanted(flagOf(flags, m[2])); want != "" {
			text = fmt.Sprintf("--%s %s: give %s", m[2], m[1], want)
		}
	}
	return fmt.Errorf("%s (see `%s --help`)", text, strings.TrimSpace(c.App.Name+" "+c.Command.Name))
}

// wanted is what the value of a flag must be; "" where any text will do.
func wanted(f cli.Flag) string {
	switch f.(type) {
	case *cli.Uint64Flag, *cli.UintFlag, *cli.Uint64SliceFlag:
		return "a whole number from 0 on"
	case *cli.IntFlag, *cli.IntSliceFlag, *cli.Int64Flag:
		return "a whole number"
	case *cli.Float64Flag:
		return "a number"
	case *cli.DurationFlag:
		return "a time, such as 2us or 90s"
	}
	return ""
}

func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
}

// reorder puts the flags of a command before its other arguments: people write `check FILE --json`, the flag package
// stops at FILE. Flags of the app go before the command: people write `run -q`.
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
	var own, flags, rest []string
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
			to, of := &flags, cmd.Flags
			if flagOf(cmd.Flags, a) == nil && flagOf(app.Flags, a) != nil {
				to, of = &own, app.Flags
			}
			*to = append(*to, a)
			if takesValue(of, a) && i+1 < len(tail) {
				i++
				*to = append(*to, tail[i])
			}
		}
	}
	out := append(append([]string{}, args[:at]...), own...)
	out = append(append(append(out, args[at]), flags...), "--")
	return append(out, rest...)
}

// takesValue reports whether the flag as written needs the next argument.
func takesValue(flags []cli.Flag, written string) bool {
	f := flagOf(flags, written)
	_, isBool := f.(*cli.BoolFlag)
	return f != nil && !isBool && !strings.Contains(written, "=")
}

// flagOf finds a flag by how it was written; nil if it is none of them.
func flagOf(flags []cli.Flag, written string) cli.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(written, "-"), "=")
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// Setting reads the NAME=NUMBER of a flag.
func Setting(flag, text string) (name string, n uint64, err error) {
	if name, n, err = sim.ParseSetting(text); err != nil {
		return "", 0, fmt.Errorf("--%s %s: give NAME=NUMBER", flag, text)
	}
	return name, n, nil
}

// Writers are where a command prints: Out for answers, Err for errors, logs and progress.
type Writers struct{ Out, Err io.Writer }
