package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/export"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/regress"
)

// TestExportRunsInIcarus exports a block of records and one of packets, has Icarus read them as Verilog-2001 and play
// their vectors. `make export`
// has all. Then a bit of the design is changed, and the bench finds it.
func TestExportRunsInIcarus(t *testing.T) {
	for _, tool := range []string{"yosys", "iverilog"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: %s is not installed", tool)
		}
	}
	for _, name := range []string{"psn_window", "icrc_check"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "psn_window" {
				onlyLong(t)
			}
			dir := t.TempDir()
			exit, out, errs := cosim("export", "--dut", name, "--smallest", "--check", "--count", "100", "-o", dir)
			require.Equal(t, cocosim.Agreed, exit, "%s%s", out, errs)
			require.Contains(t, out, "Icarus Verilog: AGREED, ")
			said, err := exec.Command("iverilog", "-g2001", "-Wall", "-t", "null", "-s", name, filepath.Join(dir,
				name+".v")).CombinedOutput()
			require.NoError(t, err, "%s", said)
			require.Empty(t, string(said))
			file := filepath.Join(dir, name+"_sim.v")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NotContains(t, string(text), "$paramod")
			broken := breakOne(string(text))
			require.NoError(t, os.WriteFile(file, []byte(broken), 0o666))
			m, err := manifest.Find(name)
			require.NoError(t, err)
			m, err = m.Resolve(regress.Smallest(m))
			require.NoError(t, err)
			_, err = export.Run(t.Context(), m, dir)
			require.Equal(t, cocosim.Mismatch, cocosim.ExitOf(err), "%v", err)
		})
	}
}

// breakOne inverts a bit of an output of the top.
func breakOne(text string) string {
	at := strings.LastIndex(text, "  assign m_")
	end := at + strings.Index(text[at:], " = ")
	return text[:end] + " = ~" + text[end+3:]
}
