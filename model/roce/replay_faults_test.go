package roce_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/mutate/fault"
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
			spec := build(f.dut, 4)
			spec.Dut = filepath.Join(dir, "psn", f.dut+".yaml")
			err = onRTL(t, spec, "rtl", all[f.dut].records)
			require.Error(t, err)
			t.Log(err)
		})
	}
}

// Faults of the blocks' own lists that stand in what a requester's edge shows; those of forwarding, of other QPs and of
// time are no matter of a world of one QP without time.
var retryFaultsOfWorlds = map[string][]string{
	"ctx/retry_ctl.yaml": {"retry-late-expiry-counts", "retry-two-causes-two-retries", "retry-in-a-wait",
		"retry-timer-forgets-the-gap", "retry-flag-outlives-the-wait", "retry-flag-outlives-progress",
		"retry-count-of-before", "retry-one-less", "retry-fails-as-the-other", "retry-wait-ended-unsaid",
		"retry-idle-timer"},
	"timer/retx_timer.yaml": {"timer-rnr-wait-goes-on", "timer-stale-timeout", "timer-one-retry-less", "timer-lost",
		"timer-twice", "timer-generation-stays"},
}

// Faults of sq_retire and tx_packetizer that stand in what an edge shows. Worlds have no WQE that asks for no
// completion, no queue that is full, no local work that fails, no fence and no drain, no QP that fails with nothing
// posted, and no distance that an old una makes wrong.
var queueFaultsOfWorlds = map[string][]string{
	"sq_retire": {"retire-one-psn-early", "retire-by-magnitude", "retire-needs-more", "retire-one-a-verdict",
		"retire-out-of-order", "retire-not-begun", "retire-flushed-as-cause", "retire-cause-to-the-first",
		"retire-flush-begun-only", "retire-local-waits", "retire-local-overtakes", "retire-post-behind-the-old-tail",
		"retire-second-half-early", "retire-shown-behind-local"},
	"tx_packetizer": {"tx-rewind-one-off", "tx-late-una", "tx-sends-what-was-acknowledged", "tx-credit-lost-in-a-retry",
		"tx-probe-for-ever", "tx-two-probes", "tx-probe-asks-nothing", "tx-window-silent", "tx-window-one-more",
		"tx-reads-copied-late", "tx-read-counted-again", "tx-read-retry-whole", "tx-read-retry-length", "tx-search-stays",
		"tx-wait-not-over"},
}

// PSN-4, PSN-5, PSN-7, REQ-1, REQ-5, REQ-6, REQ-7, REQ-9, REQ-11, CRD-2, RSP-15. Each takes a build: only with
// -explore.
func TestQueueReplayFindsFaults(t *testing.T) {
	if quick || !*explore {
		t.Skip("builds blocks: -explore")
	}
	faults, err := fault.BesideBlocks(os.DirFS("../.."))
	require.NoError(t, err)
	all := map[string]*gathered{"sq_retire": {}, "tx_packetizer": {}}
	for _, p := range plans {
		if p.bits == 4 && !p.long {
			gather(t, p, all)
		}
	}
	for dut, names := range queueFaultsOfWorlds {
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				i := slices.IndexFunc(faults, func(f fault.Fault) bool { return f.Name == name })
				require.GreaterOrEqual(t, i, 0, "no such fault")
				spec := build(dut, 4)
				spec.Dut = filepath.Join(plantedRTL(t, &faults[i]), "tx", dut+".yaml")
				err := onRTL(t, spec, "rtl", all[dut].records)
				require.Error(t, err)
				t.Log(err)
			})
		}
	}
}

// TMR-2, TMR-3, TMR-4, TMR-5. Each takes a build: only with -explore.
func TestRetryReplayFindsFaults(t *testing.T) {
	if quick || !*explore {
		t.Skip("builds blocks: -explore")
	}
	faults, err := fault.BesideBlocks(os.DirFS("../.."))
	require.NoError(t, err)
	records := retriesOfWorlds(t)
	short := slices.Clone(records)
	shortWaits(short)
	short = withGenerations(t, short)
	for manifest, names := range retryFaultsOfWorlds {
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				i := slices.IndexFunc(faults, func(f fault.Fault) bool { return f.Name == name })
				require.GreaterOrEqual(t, i, 0, "no such fault")
				path := filepath.Join(plantedRTL(t, &faults[i]), manifest)
				if strings.HasPrefix(manifest, "ctx") {
					spec := build("retry_ctl", 0)
					spec.Dut = path
					err = onRTL(t, spec, "rtl", withGenerations(t, records))
				} else {
					err = onTimer(t, path, "rtl", timerEvents(short, behindTwo))
				}
				require.Error(t, err)
				t.Log(err)
			})
		}
	}
}

// plantedRTL is a copy of the RTL with a fault in it.
func plantedRTL(t *testing.T, f *fault.Fault) string {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../rtl")))
	path := filepath.Join(dir, strings.TrimPrefix(f.File, "rtl/"))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text, err = f.Plant(text)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o666))
	return dir
}
