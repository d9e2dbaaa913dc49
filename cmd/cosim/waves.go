package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"hcacosim/cocosim"
	"hcacosim/cocosim/bundle"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
)

// When waves are wanted.
const (
	wavesNever  = "never"
	wavesFail   = "fail"
	wavesAlways = "always"
)

// wavesFlags are those of run and replay.
func wavesFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "waves", Value: wavesNever, Usage: "put the waves around the mismatch into the bundle: " +
			"never, fail, or always (of a run that agrees, its end)"},
		&cli.Uint64Flag{Name: "waves-before", Value: bundle.DefaultBefore, Usage: "cycles of waves in front of the " +
			"mismatch; more where its input was taken earlier"},
		&cli.Uint64Flag{Name: "waves-after", Value: bundle.DefaultAfter, Usage: "and behind it"},
	}
}

func isWaves(v string) bool { return slices.Contains([]string{wavesNever, wavesFail, wavesAlways}, v) }

func checkWaves(c *cli.Context) error {
	if v := c.String("waves"); !isWaves(v) {
		return cocosim.Errorf(cocosim.BadInput, "--waves is never, fail or always, not %q", v)
	}
	if c.String("waves") != wavesNever && c.Bool("no-bundle") {
		return cocosim.Errorf(cocosim.BadInput, "--waves lie in the bundle, which --no-bundle leaves out")
	}
	return nil
}

// wantsWaves reports whether a run that ended so gets waves.
func wantsWaves(c *cli.Context, exit cocosim.Exit) bool {
	w := c.String("waves")
	return w == wavesFail && exit == cocosim.Mismatch ||
		w == wavesAlways && (exit == cocosim.Mismatch || exit == cocosim.Agreed)
}

// trace puts waves into a bundle and says where they are. What goes wrong with them changes no verdict. The report is
// that of the run with waves, nil where there was none. same says that the device is that of the bundle.
func trace(c *cli.Context, dir string, spec *session.Spec, same bool) *report.Report {
	rep, err := bundle.Trace(c.Context, dir, *spec, bundle.TraceOptions{Before: c.Uint64("waves-before"),
		After: c.Uint64("waves-after"), Log: logger(c)})
	if err != nil {
		fmt.Fprintln(c.App.ErrWriter, "cosim:", err)
		return rep
	}
	about, _, err := bundle.Open(dir)
	if err != nil {
		fmt.Fprintln(c.App.ErrWriter, "cosim:", err)
		return rep
	}
	in := about.TraceCycles
	fmt.Fprintf(c.App.ErrWriter, "waves %s: cycles %d to %d (gtkwave %s, or surfer -c %s, there)\n",
		filepath.Join(dir, about.Trace), in.From, in.To, bundle.GTKWaveFile, bundle.SurferFile)
	if same && !about.Repeats(rep) {
		fmt.Fprintf(c.App.ErrWriter, "the run with waves does not show %q: it has other values in what no reset reaches\n",
			about.Signature)
	}
	return rep
}
