package regress

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
	"hcacosim/vectors/scenario"
)

// Print writes the tables of docs/regression.md.
func Print(w io.Writer, runs []*Run) {
	fmt.Fprintf(w, "# The default regression\n\n"+
		"Written by `cosim regress`, with generator %d: scenarios made for a device, each with %s, "+
		"at the sizes of the table, free and with %.2f\n"+
		"backpressure and idle share, under %s. `make regress` has every device, every size and long runs. "+
		"Each run is a `cosim run` that anyone can repeat.\n\n", scenario.GeneratorVersion, countOf(runs), StalledShare,
		seedsOf(runs))
	fmt.Fprintf(w, "## Packets and mismatches\n\nCycles per record are those of the free runs.\n\n"+
		"| device | size | scenario | runs | records | mismatches | cycles per record |\n|---|---|---|---|---|---|---|\n")
	for _, g := range groups(runs, func(r *Run) bool { return !r.Long }, func(r *Run) string {
		return r.Spec.Dut +
			r.Size() + r.Scenario
	}) {
		g.printRow(w, g.runs[0].Scenario, fmt.Sprint(len(g.runs)))
	}
	if long := groups(runs, func(r *Run) bool { return r.Long },
		func(r *Run) string { return r.Spec.Dut }); len(long) > 0 {
		fmt.Fprintf(w, "\n## Long runs\n\nThe default scenario of each device, free, under a seed of its own.\n\n"+
			"| device | size | scenario | seed | records | mismatches | cycles per record |\n|---|---|---|---|---|---|---|\n")
		for _, g := range long {
			g.printRow(w, g.runs[0].Scenario, fmt.Sprint(g.runs[0].Spec.Seed))
		}
	}
	fmt.Fprintf(w, "\n## Cycle error\n\nDevice minus model in cycles, by output port, over the runs of the first table: "+
		"median, p1 and p99 are those of the worst run, the share\n"+
		"within 16 cycles is that of all outputs. Free runs are judged against the block's window;\n"+
		"stalled ones are held against an ideal block under the same stalls (ARCHITECTURE.md).\n\n"+
		"| device | size | port | runs | outputs | median | p1 | p99 | within 16 |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, stalled := range []bool{false, true} {
		for _, g := range groups(runs, func(r *Run) bool { return !r.Long && r.Stalled() == stalled },
			func(r *Run) string { return r.Spec.Dut + r.Size() }) {
			g.printTiming(w, map[bool]string{false: "free", true: "stalled"}[stalled])
		}
	}
}

// countOf says how many records the runs have that are not long ones.
func countOf(runs []*Run) string {
	for _, r := range runs {
		if s, err := scenario.Lookup(r.Scenario); err == nil && !r.Long && r.Spec.Count != 0 && r.Spec.Count < s.Count {
			return fmt.Sprintf("at most %d records", r.Spec.Count)
		}
	}
	return "its full count of records"
}

// seedsOf names the seeds of the runs that are not long ones.
func seedsOf(runs []*Run) string {
	seen := map[uint64]bool{}
	for _, r := range runs {
		if !r.Long {
			seen[r.Spec.Seed] = true
		}
	}
	var words []string
	for _, seed := range slices.Sorted(maps.Keys(seen)) {
		words = append(words, fmt.Sprint(seed))
	}
	return "seeds " + strings.Join(words, ", ")
}

// Size is the parameters that differ from the device's defaults, in words.
func (r *Run) Size() string { return cmp.Or(parameters(r.Spec.Params), "default") }

// group is the runs that share a row.
type group struct{ runs []*Run }

func groups(runs []*Run, in func(*Run) bool, key func(*Run) string) (all []group) {
	at := map[string]int{}
	for _, r := range runs {
		if !r.Done || !in(r) {
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
		records += r.Report.Packets
		mismatched += r.Report.Mismatched
		if !r.Stalled() {
			freeRecords += r.Report.Packets
			freeCycles += r.Report.Cycles
		}
		if r.Report.ExitCode != cocosim.Agreed && r.Report.ExitCode != cocosim.Mismatch {
			verdict = " " + r.Report.Verdict
		}
	}
	rate := "-"
	if freeRecords > 0 {
		rate = fmt.Sprintf("%.3f", float64(freeCycles)/float64(freeRecords))
	}
	fmt.Fprintf(w, "| %s | %s | %s | %s | %d | %d%s | %s |\n", g.runs[0].Spec.Dut, g.runs[0].Size(), name, count, records,
		mismatched, verdict, rate)
}

// printTiming prints a row an output port.
func (g group) printTiming(w io.Writer, what string) {
	worst := map[string]*report.TimeJSON{}
	var ports []string
	for _, r := range g.runs {
		for _, t := range r.Report.CycleError {
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
			g.runs[0].Spec.Dut, g.runs[0].Size(), port, what, t.N, t.Median, t.P1, t.P99, 100*t.Within16)
	}
}

func farther(a, b int64) int64 {
	if max(a, -a) >= max(b, -b) {
		return a
	}
	return b
}

func parameters(p map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, p[name]))
	}
	return strings.Join(parts, " ")
}
