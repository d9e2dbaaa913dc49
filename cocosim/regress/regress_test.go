package regress

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/report"
	"hcacosim/cocosim/session"
)

// TestRegressionTableShowsTheWorst: mismatches add up, a run without a verdict is named, and no good run's time hides
// a bad one's.
func TestRegressionTableShowsTheWorst(t *testing.T) {
	runs := make([]*Run, 3)
	for i := range runs {
		runs[i] = &Run{Spec: session.Spec{Dut: "block", Seed: uint64(i)}, Scenario: "some", Done: true}
		rep := &runs[i].Report
		rep.Packets, rep.Cycles, rep.Mismatched = 100, 150, uint64(i)
		rep.CycleError = []report.TimeJSON{{Port: "out", N: 100, Median: 2*int64(i) - 1, P1: -int64(i), P99: 10 * int64(i),
			Within16: 1 - float64(i)/10}}
	}
	runs[1].Report.ExitCode = cocosim.Mismatch
	runs[2].Report.ExitCode, runs[2].Report.Verdict = cocosim.SimFailed, "SIMULATOR FAILED"
	var b strings.Builder
	Print(&b, runs)
	require.Contains(t, b.String(), "| block | default | some | 3 | 300 | 3 SIMULATOR FAILED | 1.500 |\n")
	require.Contains(t, b.String(), "| block | default | out | free | 300 | +3 | -2 | +20 | 90.00 % |\n")
}
