package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// --lcov writes bins as lines, and the RTL's own lines behind them as Verilator's tool gives them.
func TestCoverLCOV(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "c.json"), filepath.Join(dir, "lcov")
	code, _, stderr := cosim("run", "--dut", "psn_window", "--device", "model", "--count", "2000", "--cover", file)
	require.Zero(t, int(code), stderr)
	code, _, stderr = cosim("cover", file, "--lcov", out)
	require.Zero(t, int(code), stderr)
	info, err := os.ReadFile(filepath.Join(out, "coverage.info"))
	require.NoError(t, err)
	require.Regexp(t, `(?s)^TN:bins\nSF:.*psn_window.bins\nDA:2,\d+\n.*LF:\d+\nLH:\d+\nend_of_record\n$`, string(info))
	bins, err := os.ReadFile(filepath.Join(out, "psn_window.bins"))
	require.NoError(t, err)
	require.Regexp(t, `^rule: side x distance\n  responder, 0 \[PSN-2\]\n`, string(bins))

	code, _, stderr = cosim("cover", file, "--lcov", out, "--verilator", filepath.Join(dir, "none.dat"))
	require.Equal(t, 2, int(code))
	require.Contains(t, stderr, "none.dat")
	code, _, _ = cosim("cover", file, "--verilator", file)
	require.Equal(t, 2, int(code), "without --lcov")
	if _, err := exec.LookPath("verilator_coverage"); err != nil {
		t.Skip("verilator_coverage is not installed")
	}
	dat := filepath.Join(dir, "a.dat")
	require.NoError(t, os.WriteFile(dat, []byte("# SystemC::Coverage-3\nC '\x01f\x02top.sv\x01l\x0210\x01n\x023\x01t\x02"+
		"line\x01page\x02v_line/top\x01o\x02block\x01S\x0210\x01h\x02top' 7\n"), 0o600))
	code, _, stderr = cosim("cover", file, "--lcov", out, "--verilator", dat)
	require.Zero(t, int(code), stderr)
	info, err = os.ReadFile(filepath.Join(out, "coverage.info"))
	require.NoError(t, err)
	require.Regexp(t, `(?s)end_of_record\n.*SF:top.sv\nDA:10,[1-9]\d*\n.*end_of_record\n$`, string(info))
}
