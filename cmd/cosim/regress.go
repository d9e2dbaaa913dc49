package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/hashicorp/go-hclog"
	"github.com/urfave/cli/v2"

	"hcacosim/cmd/internal/command"
	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
	"hcacosim/cocosim/verilated"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors/scenario"
)

func regressCommand() *cli.Command {
	return &cli.Command{
		Name:  "regress",
		Usage: "every device, every scenario for it, many seeds, every size, free and stalled; and a long run of each",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "dut", Usage: "only this device; may be repeated"},
			&cli.Uint64Flag{Name: "seeds", Value: 3, Usage: "seeds 1 to `N`"},
			&cli.Uint64Flag{Name: "long", Value: 1e6, Usage: "records of the long run of each device on its default scenario; 0 for none"},
			&cli.Uint64Flag{Name: "most", Usage: "at most `N` packets a run, the long ones apart; 0 for all that a scenario promises"},
			&cli.StringFlag{Name: "flavour", Value: string(verilated.Fast), Usage: "how the devices are built: see `cosim run --help`; word and gate are netlists"},
			&cli.BoolFlag{Name: "smallest", Usage: "only the smallest size of each device"},
			&cli.StringFlag{Name: "write", Usage: "write the tables to `FILE` instead of stdout"},
			&cli.StringFlag{Name: "coverage", Usage: "count lines and branches, which takes several times as long, and write the tables of that to `FILE`"},
			&cli.StringFlag{Name: "reasons", Value: "rtl/coverage.yaml", Usage: "why something is not covered"},
		},
		Action: regress,
	}
}

// stalledShare is the backpressure and the idle share of a stalled run.
const stalledShare = 0.35

// regressRun is a run of the regression.
type regressRun struct {
	spec     session.Spec
	scenario string // as the tables name it
	long     bool
	rep      report.JSON
}

func (r *regressRun) stalled() bool { return r.spec.Backpressure != 0 }

func regress(c *cli.Context) error {
	if c.NArg() > 0 {
		return cocosim.Errorf(cocosim.BadInput, "unexpected argument %q (see `cosim regress --help`)", c.Args().First())
	}
	all, err := manifest.Embedded()
	if err != nil {
		return err
	}
	var runs []regressRun
	for _, m := range all {
		if only := c.StringSlice("dut"); len(only) > 0 && !slices.Contains(only, m.Name) {
			continue
		}
		if c.Bool("smallest") {
			m.Sizes = []map[string]int{smallest(m)}
		}
		for _, r := range regressRuns(m, c.Uint64("seeds"), c.Uint64("long"), c.Uint64("most")) {
			if c.Bool("smallest") && r.spec.Params == nil && len(m.Sizes[0]) > 0 {
				continue
			}
			r.spec.Flavour = verilated.Flavour(c.String("flavour"))
			runs = append(runs, r)
		}
	}
	if len(runs) == 0 {
		return cocosim.Errorf(cocosim.BadInput, "no such device; `cosim duts` lists them")
	}
	count, log := verilated.Coverages{}, logger(c)
	failed := 0
	for i := range runs {
		r := &runs[i]
		fmt.Fprintf(c.App.ErrWriter, "%d/%d %s\n", i+1, len(runs), r.spec.Line())
		if c.IsSet("coverage") {
			err = r.runCounted(c.Context, log, count)
		} else {
			err = r.run(c.Context, log)
		}
		if err != nil {
			return err
		}
		if r.rep.ExitCode != cocosim.Agreed {
			failed++
			fmt.Fprintf(c.App.ErrWriter, "  %s %s\n", r.rep.Verdict, r.rep.Error)
		}
	}
	if c.IsSet("coverage") {
		err = writeCoverage(c, runs, count)
	} else {
		err = writeRegression(c, runs)
	}
	if err == nil && failed > 0 {
		fmt.Fprintf(c.App.ErrWriter, "%d of %d runs failed\n", failed, len(runs))
		return command.Silent(cocosim.Mismatch)
	}
	return err
}

func writeRegression(c *cli.Context, runs []regressRun) error {
	var b bytes.Buffer
	printRegression(&b, runs)
	if file := c.String("write"); file != "" {
		return os.WriteFile(file, b.Bytes(), 0o666)
	}
	_, err := c.App.Writer.Write(b.Bytes())
	return err
}

func writeCoverage(c *cli.Context, runs []regressRun, count verilated.Coverages) error {
	var devices []string
	for _, g := range groups(runs, func(*regressRun) bool { return true }, func(r *regressRun) string { return r.spec.Dut }) {
		devices = append(devices, g.runs[0].spec.Dut)
	}
	excuses, err := readExcuses(c.String("reasons"))
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
	return os.WriteFile(c.String("coverage"), b.Bytes(), 0o666)
}

// regressRuns are the runs of a device.
func regressRuns(m *manifest.Manifest, seeds, long, most uint64) (runs []regressRun) {
	for _, params := range sizes(m) {
		for _, name := range regressScenarios(m) {
			for seed := uint64(1); seed <= seeds; seed++ {
				for _, share := range []float64{0, stalledShare} {
					runs = append(runs, newRegressRun(session.Spec{Dut: m.Name, Params: params, Seed: seed, Backpressure: share, Idle: share},
						name, most))
				}
			}
		}
	}
	if long > 0 {
		name := scenario.Default(m.Model).Name
		spec := session.Spec{Dut: m.Name, Scenario: name, Seed: seeds + 1, Count: long, Show: session.DefaultShow}
		runs = append(runs, regressRun{spec: spec, scenario: name, long: true})
	}
	return runs
}

// newRegressRun is a run of a scenario, or of the real packets, with at most so many packets; 0 is no limit.
func newRegressRun(spec session.Spec, name string, most uint64) regressRun {
	spec.Show = session.DefaultShow
	if name == knownScenario {
		spec.Known = true
		return regressRun{spec: spec, scenario: name}
	}
	spec.Scenario = name
	if s, err := scenario.Lookup(name); err == nil && s.Input == sim.Axis && most > 0 && most < s.Count {
		spec.Count = most
	}
	return regressRun{spec: spec, scenario: name}
}

// sizes are the parameters that a device is run at: its defaults first.
func sizes(m *manifest.Manifest) []map[string]int { return append([]map[string]int{nil}, m.Sizes...) }

// smallest is the size of a device that is quickest to build: the one with the smallest parameters.
func smallest(m *manifest.Manifest) (best map[string]int) {
	sum := func(size map[string]int) (n int) {
		for name, v := range m.Parameters {
			if w, ok := size[name]; ok {
				v = w
			}
			n += v
		}
		return n
	}
	for _, size := range m.Sizes {
		if sum(size) < sum(best) {
			best = size
		}
	}
	return best
}

// knownScenario stands for the real packets that come with cosim.
const knownScenario = "known captures"

// regressScenarios are those made for a device; one that takes packets is given the real ones too.
func regressScenarios(m *manifest.Manifest) (names []string) {
	if stage, ok := stages.Lookup(m.Model); ok && stage.Ports[0].Kind == sim.Axis {
		names = append(names, knownScenario)
	}
	for _, s := range scenario.All() {
		if s.IsFor(m.Model) {
			names = append(names, s.Name)
		}
	}
	return names
}

// run runs it.
func (r *regressRun) run(ctx context.Context, log hclog.Logger) error {
	rep, err := session.Run(ctx, r.spec, session.Options{Log: log})
	if ctx.Err() != nil {
		return cocosim.Errorf(cocosim.Inconclusive, "stopped: %v", context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.spec.Line(), err)
	}
	r.rep = *rep.Object()
	return nil
}

// runCounted runs it with a build that counts lines and branches, and adds what it counted.
func (r *regressRun) runCounted(ctx context.Context, log hclog.Logger, count verilated.Coverages) error {
	f, err := os.CreateTemp("", "cosim-coverage-")
	if err != nil {
		return err
	}
	f.Close()
	defer os.Remove(f.Name())
	r.spec.Flavour, r.spec.Coverage = verilated.Coverage, f.Name()
	if err := r.run(ctx, log); err != nil {
		return err
	}
	return count.ReadCoverage(f.Name())
}

func printRegression(w io.Writer, runs []regressRun) {
	fmt.Fprintf(w, "# The default regression\n\n"+
		"Written by `make regress` (`cosim regress`): every device, every scenario made for it, each with its full count of records under several\n"+
		"seeds, at every size of the manifest, free and with %.2f backpressure and idle share. Each run is a `cosim run` that anyone can repeat.\n\n", stalledShare)
	fmt.Fprintf(w, "## Packets and mismatches\n\nCycles per record are those of the free runs.\n\n"+
		"| device | size | scenario | runs | records | mismatches | cycles per record |\n|---|---|---|---|---|---|---|\n")
	for _, g := range groups(runs, func(r *regressRun) bool { return !r.long }, func(r *regressRun) string { return r.spec.Dut + r.size() + r.scenario }) {
		g.printRow(w, g.runs[0].scenario, fmt.Sprint(len(g.runs)))
	}
	if long := groups(runs, func(r *regressRun) bool { return r.long }, func(r *regressRun) string { return r.spec.Dut }); len(long) > 0 {
		fmt.Fprintf(w, "\n## Long runs\n\nThe default scenario of each device, free, under a seed of its own.\n\n"+
			"| device | size | scenario | seed | records | mismatches | cycles per record |\n|---|---|---|---|---|---|---|\n")
		for _, g := range long {
			g.printRow(w, g.runs[0].scenario, fmt.Sprint(g.runs[0].spec.Seed))
		}
	}
	fmt.Fprintf(w, "\n## Cycle error\n\nDevice minus model in cycles, by output port, over the runs of the first table: median, p1 and p99 are those of the worst run, the share\n"+
		"within 16 cycles is that of all outputs. Free runs are judged against the block's window;\n"+
		"stalled ones are held against an ideal block under the same stalls (ARCHITECTURE.md).\n\n"+
		"| device | size | port | runs | outputs | median | p1 | p99 | within 16 |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, stalled := range []bool{false, true} {
		for _, g := range groups(runs, func(r *regressRun) bool { return !r.long && r.stalled() == stalled }, func(r *regressRun) string { return r.spec.Dut + r.size() }) {
			g.printTiming(w, map[bool]string{false: "free", true: "stalled"}[stalled])
		}
	}
}

// size is the parameters that differ from the device's defaults, in words.
func (r *regressRun) size() string { return cmp.Or(parameterText(r.spec.Params), "default") }

// group is the runs that share a row.
type group struct{ runs []*regressRun }

func groups(runs []regressRun, in func(*regressRun) bool, key func(*regressRun) string) (all []group) {
	at := map[string]int{}
	for i := range runs {
		r := &runs[i]
		if !in(r) {
			continue
		}
		k, ok := at[key(r)]
		if !ok {
			k = len(all)
			at[key(r)] = k
			all = append(all, group{})
		}
		all[k].runs = append(all[k].runs, r)
	}
	return all
}

// printRow prints the tally of a group. A run that came to no verdict makes the row say so.
func (g group) printRow(w io.Writer, name, count string) {
	var records, mismatched, freeRecords, freeCycles uint64
	verdict := ""
	for _, r := range g.runs {
		records += r.rep.Packets
		mismatched += r.rep.Mismatched
		if !r.stalled() {
			freeRecords += r.rep.Packets
			freeCycles += r.rep.Cycles
		}
		if r.rep.ExitCode != cocosim.Agreed && r.rep.ExitCode != cocosim.Mismatch {
			verdict = " " + r.rep.Verdict
		}
	}
	rate := "-"
	if freeRecords > 0 {
		rate = fmt.Sprintf("%.3f", float64(freeCycles)/float64(freeRecords))
	}
	fmt.Fprintf(w, "| %s | %s | %s | %s | %d | %d%s | %s |\n", g.runs[0].spec.Dut, g.runs[0].size(), name, count, records, mismatched, verdict, rate)
}

// printTiming prints a row an output port.
func (g group) printTiming(w io.Writer, what string) {
	worst := map[string]*report.TimeJSON{}
	var ports []string
	for _, r := range g.runs {
		for _, t := range r.rep.CycleError {
			have, ok := worst[t.Port]
			if !ok {
				worst[t.Port] = &t
				ports = append(ports, t.Port)
				continue
			}
			n := float64(have.N + t.N)
			have.Within16 = (have.Within16*float64(have.N) + t.Within16*float64(t.N)) / n
			have.N += t.N
			have.Median, have.P1, have.P99 = farther(have.Median, t.Median), min(have.P1, t.P1), max(have.P99, t.P99)
		}
	}
	for _, port := range ports {
		t := worst[port]
		fmt.Fprintf(w, "| %s | %s | %s | %s | %d | %+d | %+d | %+d | %.2f %% |\n",
			g.runs[0].spec.Dut, g.runs[0].size(), port, what, t.N, t.Median, t.P1, t.P99, 100*t.Within16)
	}
}

func farther(a, b int64) int64 {
	if max(a, -a) >= max(b, -b) {
		return a
	}
	return b
}
