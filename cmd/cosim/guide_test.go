package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/vectors"
)

// TestGuide: the set that a search for points of the RTL leaves is whole, meets every bin, and agrees on the device.
func TestGuide(t *testing.T) {
	onlyLong(t)
	needVerilator(t)
	dir := filepath.Join(t.TempDir(), "set")
	exit, out, errs := cosim("guide", "--dut", "psn_window", "--tries", "5", "--patience", "20000", "--chance", "100",
		"-o", dir)
	require.Equal(t, cocosim.Agreed, exit, errs)
	require.Regexp(t, `chance  \d+ points in 100 records\nbins    (\d+) of \d+ in \d+ records: they reach (\d+) of \d+ `+
		`points of the RTL\nguided  \d+ points in \d+ records, of \d+ plays; \d+ segments more\n`, out)
	set, err := vectors.OpenSet(dir)
	require.NoError(t, err)
	require.NoError(t, set.Check())
	exit, out, errs = cosim("run", "--dut", "psn_window", "--vectors", dir)
	require.Equal(t, cocosim.Agreed, exit, "%s%s", out, errs)

	exit, _, errs = cosim("guide", "--dut", "psn_windo")
	require.Equal(t, cocosim.BadInput, exit)
	require.Contains(t, errs, "psn_windo")
}
