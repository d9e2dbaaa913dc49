package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/regress"
	"hcacosim/cocosim/verilated"
)

// TestStateTable: a bit that changed no more than four times a run is still; a reason takes its bits of its device
// out.
func TestStateTable(t *testing.T) {
	counts := verilated.Toggles{"count_q[0]": 9, "count_q[1]": 8, "count_q[2]": 0, "u_queue.mem[0][7]": 1,
		"u_queue.mem[1][7]": 2, "u_queue.mem[2][7]": 9, "m_valid_o": 9, "s_ready_o": 1, "x_q.qpn[3]": 0, "next": 0,
		"u_queue.level_o[1]": 0}
	states := regress.States{{Dut: "queue", Runs: 2, Toggles: counts},
		{Dut: "other", Runs: 2, Toggles: verilated.Toggles{"count_q[2]": 0}}}
	var b strings.Builder
	require.Equal(t, 7, printState(&b, states, nil))
	require.Contains(t, b.String(), "| queue | 2 | 9 | 33.3 % | 0 | 6 |\n| other | 2 | 1 | 0.0 % | 0 | 1 |\n")
	for _, row := range []string{"`count_q[2:1]`", "`u_queue.mem[*][7], 2 of them`", "`s_ready_o`", "`x_q.qpn[3]`"} {
		require.Contains(t, b.String(), "| queue | "+row+" |\n")
	}
	require.NotContains(t, b.String(), "next")
	require.NotContains(t, b.String(), "level_o")

	file := filepath.Join(t.TempDir(), "state.yaml")
	require.NoError(t, os.WriteFile(file, []byte("- {device: other, signal: count_q, bits: [2, 2], "+
		"reason: no more}\n- {device: queue, signal: \"u_queue.mem[*]\", bits: [7, 7], reason: constant}\n"+
		"- {device: queue, signal: s_ready_o, bits: [0, 0], reason: always}\n"), 0o666))
	reasons, err := readReasons[stillReason](file)
	require.NoError(t, err)
	b.Reset()
	require.Equal(t, 3, printState(&b, states, reasons), "count_q and x_q")
	require.Contains(t, b.String(), "| queue | 2 | 9 | 33.3 % | 3 | 3 |\n| other | 2 | 1 | 0.0 % | 1 | 0 |\n")
	for _, r := range reasons {
		require.True(t, r.used, r.Signal)
	}
}

// TestStateOfForeignNames: where nothing is called as our registers are, every bit counts.
func TestStateOfForeignNames(t *testing.T) {
	s := &regress.State{Dut: "psn_req", Runs: 1, Toggles: verilated.Toggles{"busy": 0, "cnt[3]": 0, "cnt[0]": 5}}
	still, all, _ := s.Still(nil)
	require.Equal(t, 3, all)
	require.Len(t, still, 2)
}

// TestStateRefuses: what cannot be followed is refused before anything runs, and nothing counted is no result.
func TestStateRefuses(t *testing.T) {
	wrong := filepath.Join(t.TempDir(), "wrong.yaml")
	require.NoError(t, os.WriteFile(wrong, []byte("- {device: queue, signals: count_q}\n"), 0o666))
	for want, args := range map[string][]string{
		"--state-reasons is of --state":          {"--state-reasons", wrong},
		"wrong.yaml":                             {"--state", "out.md", "--state-reasons", wrong},
		"no such file":                           {"--state", "out.md", "--state-reasons", wrong + "er"},
		"--coverage and --state exclude each":    {"--state", "out.md", "--coverage", "out.md"},
		"--smallest and --own exclude each":      {"--own", "--smallest"},
		"there is no directory no/such/director": {"--state", "no/such/directory/out.md"},
	} {
		exit, _, errs := cosim(append([]string{"regress", "--dut", "psn_window"}, args...)...)
		require.Equal(t, cocosim.BadInput, exit, errs)
		require.Contains(t, errs, want)
	}
	require.ErrorContains(t, counted(regress.States{{Dut: "queue", Runs: 2}}), "no bit of queue was counted, in 2 runs")
	require.ErrorContains(t, counted(nil), "nothing was run")
	require.NoError(t, counted(regress.States{{Dut: "queue", Toggles: verilated.Toggles{"a": 0}}}))
}
