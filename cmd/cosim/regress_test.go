package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// TestRegress: the tables say what the runs that they name say.
func TestRegress(t *testing.T) {
	needVerilator(t)
	exit, out, errs := cosim("regress", "--dut", "psn_window", "--seeds", "2", "--long", "30000")
	require.Equal(t, cocosim.Agreed, exit, errs)
	require.Contains(t, out, "| psn_window | default | psn-window | 4 | 40000 | 0 | 1.000 |",
		"two seeds, free and stalled, 10,000 records each")
	require.Contains(t, out, "| psn_window | default | psn-window | 3 | 30000 | 0 | 1.000 |",
		"the long run under a seed of its own")
	require.Contains(t, out, "| psn_window | default | m_rec | free | 20000 | +0 | +0 | +0 | 100.00 % |")
	require.Contains(t, errs, "cosim run --dut psn_window --scenario psn-window --seed 2 --backpressure 0.35 --idle "+
		"0.35 --resets 32\n")
	exit, _, _ = cosim("regress", "--dut", "nonesuch")
	require.Equal(t, cocosim.BadInput, exit)
}

// TestRegressForeign: a manifest by its path, seeds by range, a stop after the first failure, JUnit, and only the
// failed runs again.
func TestRegressForeign(t *testing.T) {
	needVerilator(t)
	dir := t.TempDir()
	t.Chdir(copyMisbehaviour(t, dir, map[string]string{"value: 0": "value: 4"})) // one wrong record
	exit, _, errs := cosim("regress", "--rerun-failed")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "no regression was run from this directory")

	exit, _, errs = cosim("regress", "--dut", "psn.yaml", "--junit", "nowhere/out.xml")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "there is no directory nowhere", "said before the runs")

	exit, out, errs := cosim("regress", "--dut", "psn.yaml", "--seeds", "5..9", "--long", "0", "--flavour", "quick",
		"--stop-after", "2", "--jobs", "1", "--junit", "out.xml")
	require.Equal(t, cocosim.Mismatch, exit, errs)
	require.Contains(t, out, "psn.yaml | default | psn-window | 2 | 20000 | 2 |")
	require.Contains(t, errs, "2 of 2 runs failed, 8 were not begun")
	junit, err := os.ReadFile("out.xml")
	require.NoError(t, err)
	require.Contains(t, string(junit), `tests="10" failures="2" errors="0" skipped="8"`)
	require.Contains(t, string(junit), "DATA m_rec at cycle 301: first difference at byte 0 of 4")

	copyMisbehaviour(t, dir, nil)
	exit, out, errs = cosim("regress", "--rerun-failed", "-q")
	require.Equal(t, cocosim.Agreed, exit, errs)
	require.Contains(t, out, "psn.yaml | default | psn-window | 2 | 20000 | 0 |")
	require.Empty(t, errs)
	exit, _, errs = cosim("regress", "--rerun-failed")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "nothing failed")
}

// copyMisbehaviour copies the design of testdata/misbehaviour, its manifest changed, and returns where it is.
func copyMisbehaviour(t *testing.T, dir string, changes map[string]string) string {
	r := misbehaviour{}
	r.edit(t, dir, "psn.yaml", changes)
	r.edit(t, dir, "psn.v", nil)
	return dir
}
