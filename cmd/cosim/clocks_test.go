package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// TestPortClocks runs a design between two clocks at several ratios of them. A FIFO that is read at least as fast as
// it is written takes a beat in every cycle of its own clock, and one that is read slower does not: cycles are counted
// by the port's clock.
func TestPortClocks(t *testing.T) {
	needVerilator(t)
	if testing.Short() {
		t.Skip("skipped with -short: a simulator is built for each of four ratios")
	}
	for _, c := range []struct {
		ratio string
		full  bool // rate
		exit  cocosim.Exit
		says  string
	}{
		{"times: 1, every: 3", true, cocosim.Agreed, "AGREED"},
		{"times: 1, every: 1", true, cocosim.Agreed, "AGREED"},
		{"times: 3, every: 2", true, cocosim.Mismatch, "RATE on s_axis"},
		{"times: 5, every: 7", false, cocosim.Agreed, "AGREED"},
	} {
		t.Run(c.ratio, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, os.CopyFS(root, os.DirFS(examplesDir)))
			file := filepath.Join(root, "icrc_cdc", "icrc_cdc.yaml")
			replaceIn(t, file, "times: 3, every: 2", c.ratio)
			args := []string{"run", "--dut", file, "--flavour", "quick", "--count", "1000", "--no-bundle"}
			if c.full {
				replaceIn(t, file, "    clock: rx_clk\n", "    clock: rx_clk\n    rate: full\n")
			} else {
				args = append(args, "--backpressure", "0.5", "--idle", "0.3")
			}
			exit, out, errs := cosim(args...)
			require.Equal(t, c.exit, exit, "%s%s", out, errs)
			require.Contains(t, out, c.says)
		})
	}
}
