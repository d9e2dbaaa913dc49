package roce_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Mistakes in narrow corners of the RTL, each of which the small worlds find.
var replayFaults = []struct{ name, dut, file, old, new string }{
	{"a retry hides a loss that shows as una moves", "req_ack_check", "psn/req_decide.sv",
		"assign retrying  = ctx.retrying & ~moved;", "assign retrying  = ctx.retrying & ~(moved & ~beyond);"},
	{"a duplicate of a READ keeps the silence", "resp_psn_check", "psn/resp_decide.sv",
		"rc_again & ~profile.dup_keeps_nak;", "rc_again & ~profile.dup_keeps_nak & ~dec_i.replayed;"},
	{"the last of half the PSNs behind", "resp_psn_check", "pkg/psn_pkg.sv", "if (psn_pkg::is_behind(psn, expected))",
		"if (psn_pkg::is_behind(psn, expected) && psn_pkg::distance(psn, expected) != 24'h80_0000)"},
}

// RSP-2, PSN-2, TMR-3. Each takes a build: only with -explore.
func TestReplayFindsFaults(t *testing.T) {
	if quick || !*explore {
		t.Skip("builds blocks: -explore")
	}
	for _, f := range replayFaults {
		t.Run(f.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS("../../rtl")))
			path := filepath.Join(dir, f.file)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(string(text), f.old), f.old)
			require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), f.old, f.new, 1)), 0o666))
			all := map[string]*gathered{f.dut: {}}
			for _, p := range plans {
				if p.bits == 4 && !p.long {
					gather(t, p, all)
				}
			}
			err = onRTL(t, filepath.Join(dir, "psn", f.dut+".yaml"), 4, map[string]int{"NumQps": 4}, "rtl", all[f.dut].records)
			require.Error(t, err)
			t.Log(err)
		})
	}
}
