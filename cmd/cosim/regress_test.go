package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
)

// TestRegress: the tables say what the runs that they name say.
func TestRegress(t *testing.T) {
	needVerilator(t)
	exit, out, errs := cosim("regress", "--dut", "psn_window", "--seeds", "2", "--long", "30000")
	require.Equal(t, cocosim.Agreed, exit, errs)
	require.Contains(t, out, "| psn_window | default | psn-window | 4 | 40000 | 0 | 1.000 |", "two seeds, free and stalled, 10,000 records each")
	require.Contains(t, out, "| psn_window | default | psn-window | 3 | 30000 | 0 | 1.000 |", "the long run under a seed of its own")
	require.Contains(t, out, "| psn_window | default | m_rec | free | 20000 | +0 | +0 | +0 | 100.00 % |")
	require.Contains(t, errs, "cosim run --dut psn_window --scenario psn-window --seed 2 --backpressure 0.35 --idle 0.35\n")
	exit, _, _ = cosim("regress", "--dut", "nonesuch")
	require.Equal(t, cocosim.BadInput, exit)
}

// TestRegressionTableShowsTheWorst: mismatches add up, a run without a verdict is named, and no good run's time hides a bad one's.
func TestRegressionTableShowsTheWorst(t *testing.T) {
	runs := make([]regressRun, 3)
	for i := range runs {
		runs[i] = regressRun{spec: session.Spec{Dut: "block", Seed: uint64(i)}, scenario: "some"}
		rep := &runs[i].rep
		rep.Packets, rep.Cycles, rep.Mismatched = 100, 150, uint64(i)
		rep.CycleError = []report.TimeJSON{{Port: "out", N: 100, Median: 2*int64(i) - 1, P1: -int64(i), P99: 10 * int64(i), Within16: 1 - float64(i)/10}}
	}
	runs[1].rep.ExitCode = cocosim.Mismatch
	runs[2].rep.ExitCode, runs[2].rep.Verdict = cocosim.SimFailed, "SIMULATOR FAILED"
	var b strings.Builder
	printRegression(&b, runs)
	require.Contains(t, b.String(), "| block | default | some | 3 | 300 | 3 SIMULATOR FAILED | 1.500 |\n")
	require.Contains(t, b.String(), "| block | default | out | free | 300 | +3 | -2 | +20 | 90.00 % |\n")
}
