package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/html"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/verilated"
)

func regressCommand() *cli.Command {
	return &cli.Command{
		Name:  "regress",
		Usage: "every device, every scenario for it, many seeds, every size, free and stalled; and a long run of each",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "dut", Usage: "only this device, a name or the path of a manifest; may be repeated"},
			&cli.StringFlag{Name: "seeds", Value: "3", Usage: "seeds: `N` is 1 to N, 5..9, or a list such as 4,7,11..13"},
			&cli.Uint64Flag{Name: "long", Value: 1e6, Usage: "records of the long run of each device on its default scenario; " +
				"0 for none"},
			&cli.Uint64Flag{Name: "most", Usage: "at most `N` packets or records a run, the long ones apart; 0 for all that " +
				"a scenario promises"},
			&cli.Uint64Flag{Name: "most-packets", Usage: "the same for packets, and for records of a device joined from " +
				"others, but not for those of a block, which take little"},
			&cli.StringFlag{Name: "flavour", Value: string(verilated.Fast),
				Usage: "how the devices are built: see `cosim run --help`; word and gate are netlists"},
			&cli.BoolFlag{Name: "smallest", Usage: "only the smallest size of each device"},
			&cli.BoolFlag{Name: "own", Usage: "only the size of each device that its manifest gives it"},
			&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Value: max(1, runtime.NumCPU()/2), Usage: "`N` runs at a time"},
			&cli.IntFlag{Name: "stop-after", Usage: "begin no more runs after `N` have failed; 0 for no limit"},
			&cli.BoolFlag{Name: "rerun-failed", Usage: "only the runs that failed in the last regression from this directory"},
			&cli.StringFlag{Name: "junit", Usage: "write the result of each run to `FILE` in JUnit's XML"},
			&cli.StringFlag{Name: "write", Usage: "write the tables to `FILE` instead of stdout"},
			&cli.StringFlag{Name: "html",
				Usage: "write the report as a page, `FILE`, that a browser shows; it needs no network"},
			&cli.DurationFlag{Name: "shrink", Usage: "make the first failure of each bucket small, each within this time"},
			&cli.StringFlag{Name: "coverage", Usage: "count lines and branches, which takes several times as long, and write " +
				"the tables of that to `FILE`"},
			&cli.StringFlag{Name: "state", Usage: "count the changes of every bit of registers and memories, which takes many " +
				"times as long, and write to `FILE` which never changed"},
			&cli.StringFlag{Name: "state-reasons", Usage: "with --state: a `FILE` with the reasons why bits never change"},
			&cli.StringFlag{Name: "reasons", Value: "rtl/coverage.yaml", Usage: "why something is not covered"},
		}, regressBundleFlags()...),
		Action: regressDuts,
	}
}

func regressDuts(c *cli.Context) error {
	if c.NArg() > 0 {
		return cocosim.Errorf(cocosim.BadInput, "unexpected argument %q (see `cosim regress --help`)", c.Args().First())
	}
	if err := checkRegress(c); err != nil {
		return err
	}
	runs, err := plannedRuns(c)
	if err != nil {
		return err
	}
	o := regress.Options{Jobs: c.Int("jobs"), StopAfter: c.Int("stop-after"), Log: logger(c)}
	if c.IsSet("coverage") {
		o.Count = verilated.Coverages{}
	}
	if c.IsSet("state") {
		o.State = &regress.States{}
	}
	ended := follow(c, &o, len(runs))
	err = regress.Execute(c.Context, runs, o)
	ended()
	if serr := regress.SaveFailed(runs); err == nil {
		err = serr
	}
	if err != nil {
		_ = writeJUnit(c, runs) // of what was run; the first error is the one to tell
		return err
	}
	if err := reportFailures(c, runs, o.Count); err != nil {
		return err
	}
	switch {
	case o.Count != nil:
		err = writeCoverage(c, runs, o.Count)
	case o.State != nil:
		err = writeState(c, *o.State)
	default:
		err = writeRegression(c, runs)
	}
	if failed := regress.Failed(runs); err == nil && len(failed) > 0 {
		begun := regress.Begun(runs)
		left := ""
		if n := len(runs) - begun; n > 0 {
			left = fmt.Sprintf(", %d were not begun", n)
		}
		fmt.Fprintf(c.App.ErrWriter, "%d of %d runs failed%s (--rerun-failed repeats them)\n", len(failed), begun, left)
		return command.Silent(regress.Exit(runs))
	}
	return err
}

// checkRegress refuses flags that cannot be followed: before the hours, not behind them.
func checkRegress(c *cli.Context) error {
	for _, two := range [][2]string{{"smallest", "own"}, {"coverage", "state"}} {
		if c.IsSet(two[0]) && c.IsSet(two[1]) {
			return cocosim.Errorf(cocosim.BadInput, "--%s and --%s exclude each other: give one of them", two[0], two[1])
		}
	}
	if c.IsSet("state-reasons") && !c.IsSet("state") {
		return cocosim.Errorf(cocosim.BadInput, "--state-reasons is of --state: give that too")
	}
	if _, err := stillReasons(c); err != nil {
		return err
	}
	for _, flag := range []string{"junit", "write", "coverage", "state"} {
		if file := c.String(flag); file != "" {
			if st, err := os.Stat(filepath.Dir(file)); err != nil || !st.IsDir() {
				return cocosim.Errorf(cocosim.BadInput, "--%s %s: there is no directory %s", flag, file, filepath.Dir(file))
			}
		}
	}
	return checkBundles(c)
}

// reportFailures leaves the bundles of what failed, prints its buckets, and writes JUnit's XML and the page where those
// are wanted.
func reportFailures(c *cli.Context, runs []*regress.Run, count verilated.Coverages) error {
	buckets, firsts := sorted(c, runs, c.Duration("shrink"))
	leaveBundles(c, buckets, firsts)
	if len(buckets) > 0 {
		printBuckets(c.App.ErrWriter, buckets)
	}
	if err := writeJUnit(c, runs); err != nil {
		return err
	}
	if c.String("html") == "" {
		return nil
	}
	page := regressPage(c, runs, buckets, firsts)
	for _, f := range byFile(count) {
		page.Coverage = append(page.Coverage, html.Cover{Name: f.name + ", lines", Hit: f.lineHit(), Total: len(f.lines)},
			html.Cover{Name: f.name + ", branches", Hit: f.branchHit, Total: f.branches})
	}
	return writePage(c.String("html"), page)
}

// plannedRuns are the runs that the flags ask for.
func plannedRuns(c *cli.Context) (runs []*regress.Run, err error) {
	if c.Bool("rerun-failed") {
		if runs, err = regress.LoadFailed(); err == nil && len(runs) == 0 {
			err = cocosim.Errorf(cocosim.BadInput, "--rerun-failed: nothing failed in the last regression from this directory")
		}
		return runs, err
	}
	seeds, err := regress.ParseSeeds(c.String("seeds"))
	if err != nil {
		return nil, err
	}
	plan := regress.Plan{Duts: c.StringSlice("dut"), Seeds: seeds, Long: c.Uint64("long"), Most: c.Uint64("most"),
		MostPackets: c.Uint64("most-packets"), Flavour: verilated.Flavour(c.String("flavour")),
		Smallest: c.Bool("smallest"), Own: c.Bool("own")}
	if runs, err = plan.Runs(); err == nil && len(runs) == 0 {
		err = cocosim.Errorf(cocosim.Inconclusive, "nothing was judged: there is no run for these devices and flags")
	}
	return runs, err
}

// follow shows how the regression goes: a bar on a terminal, else a line a run; failures in both.
func follow(c *cli.Context, o *regress.Options, total int) (ended func()) {
	bar := &progress{}
	if !c.Bool("quiet") {
		bar = newProgressOf(c.App.ErrWriter, "runs", uint64(total))
	}
	o.Begun = func(at int, r *regress.Run) {
		if bar.bar == nil && !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "%d/%d %s\n", at+1, total, r.Spec.Line())
		}
	}
	o.Ended = func(_ int, r *regress.Run) {
		bar.tell(1, false)
		if r.Report.ExitCode != cocosim.Agreed {
			bar.printf(c.App.ErrWriter, "  %s %s: %s\n", r.Report.Verdict, r.Report.Error, r.Spec.Line())
		}
	}
	return func() { bar.tell(0, true) }
}

func writeJUnit(c *cli.Context, runs []*regress.Run) error {
	if c.String("junit") == "" {
		return nil
	}
	var b bytes.Buffer
	if err := regress.WriteJUnit(&b, runs); err != nil {
		return err
	}
	return command.WriteFile(c.String("junit"), b.Bytes())
}

func writeRegression(c *cli.Context, runs []*regress.Run) error {
	var b bytes.Buffer
	regress.Print(&b, runs)
	if file := c.String("write"); file != "" {
		return command.WriteFile(file, b.Bytes())
	}
	_, err := c.App.Writer.Write(b.Bytes())
	return err
}

func writeCoverage(c *cli.Context, runs []*regress.Run, count verilated.Coverages) error {
	var devices []string
	for _, r := range runs {
		if !slices.Contains(devices, r.Spec.Dut) {
			devices = append(devices, r.Spec.Dut)
		}
	}
	excuses, err := readReasons[excuse](c.String("reasons"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	open := printCoverage(&b, devices, count, excuses)
	fmt.Fprintf(c.App.ErrWriter, "%d points were not hit and have no reason\n", open)
	for _, e := range excuses {
		if !e.used {
			fmt.Fprintf(c.App.ErrWriter, "%s: this reason is not needed: %s: %s\n", c.String("reasons"), e.File, e.Text)
		}
	}
	return command.WriteFile(c.String("coverage"), b.Bytes())
}
