package regress

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/session"
)

func TestParseSeeds(t *testing.T) {
	for text, want := range map[string][]uint64{"3": {1, 2, 3}, "5..7": {5, 6, 7}, "9..9": {9}, "4,7,11..12": {4, 7, 11,
		12}, "4,7": {4, 7}} {
		got, err := ParseSeeds(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "x", "0", "7..5", "1..", "..3", "-1", "1..9999999999", "1,,2"} {
		_, err := ParseSeeds(text)
		require.Equal(t, cocosim.BadInput, cocosim.ExitOf(err), text)
	}
}

// TestExecute: runs of the model against itself side by side; a run that cannot be made is a failure and no end; after
// enough failures no more begin.
func TestExecute(t *testing.T) {
	model := func(dut string, seed uint64) *Run {
		return &Run{Spec: session.Spec{Dut: dut, Device: session.Model, Seed: seed, Count: 50, Show: 1}, Scenario: "some"}
	}
	runs := []*Run{model("icrc_check", 1), model("no_such", 2), model("vcrc_check", 3), model("psn_window", 4)}
	var ended []int
	require.NoError(t, Execute(context.Background(), runs, Options{Jobs: 3, Ended: func(at int,
		_ *Run) {
		ended = append(ended, at)
	}}))
	require.ElementsMatch(t, []int{0, 1, 2, 3}, ended)
	require.Equal(t, []*Run{runs[1]}, Failed(runs))
	require.Equal(t, cocosim.BadInput, Exit(runs))
	require.Contains(t, runs[1].Report.Error, `no device named "no_such"`)
	for _, at := range []int{0, 2, 3} {
		require.Equal(t, cocosim.Agreed, runs[at].Report.ExitCode)
		require.Nil(t, runs[at].Report.Describe, "it holds the run's stimulus")
	}
	var junit strings.Builder
	require.NoError(t, WriteJUnit(&junit, runs))
	require.Contains(t, junit.String(), `tests="4" failures="0" errors="1" skipped="0"`)
	require.Contains(t, junit.String(), "BAD INPUT: no device named")

	runs = []*Run{model("no_such", 1), model("icrc_check", 2)}
	require.NoError(t, Execute(context.Background(), runs, Options{StopAfter: 1}))
	require.False(t, runs[1].Done)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.Equal(t, cocosim.Inconclusive, cocosim.ExitOf(Execute(ctx, runs, Options{})))
}

// TestScenarioOfOneSize: hca-rx-ecc is played at the size that it is for, free and stalled, and at no other.
func TestScenarioOfOneSize(t *testing.T) {
	runs, err := Plan{Duts: []string{"hca_rx"}, Seeds: []uint64{1}}.Runs()
	require.NoError(t, err)
	m, err := manifest.Find("hca_rx")
	require.NoError(t, err)
	specs := Short(m)
	for _, r := range runs {
		specs = append(specs, r.Spec)
	}
	played := 0
	for _, spec := range specs {
		if spec.Scenario == "hca-rx-ecc" {
			played++
			require.Equal(t, map[string]int{"NumQps": 64, "DataWidth": 256, "Ecc": 1}, spec.Params)
		}
	}
	require.Equal(t, 4, played)
}

func TestPlan(t *testing.T) {
	runs, err := Plan{Duts: []string{"psn_window", "../../rtl/icrc/icrc_check.yaml"}, Seeds: []uint64{7}, Long: 10,
		Smallest: true, Flavour: "quick"}.Runs()
	require.NoError(t, err)
	lines := map[string]bool{}
	for _, r := range runs {
		lines[r.Spec.Line()] = true
		require.EqualValues(t, "quick", r.Spec.Flavour)
	}
	require.True(t, lines["cosim run --dut psn_window --scenario psn-window --seed 7 --backpressure 0.35 --idle 0.35 "+
		"--resets 32 --flavour quick"], lines)
	require.Len(t, lines, len(runs))
	_, err = Plan{Duts: []string{"nonesuch"}, Seeds: []uint64{1}}.Runs()
	require.ErrorContains(t, err, "no device named")
}

// TestConfigurationsHaveEachSeed: a configuration that a scenario allows is run under each seed of the plan, free and
// stalled, as the scenario itself is.
func TestConfigurationsHaveEachSeed(t *testing.T) {
	runs, err := Plan{Duts: []string{"retry_ctl"}, Seeds: []uint64{2, 5}}.Runs()
	require.NoError(t, err)
	var seeds []uint64
	for _, r := range runs {
		if r.Spec.Config["retry7_forever_i"] == 1 {
			seeds = append(seeds, r.Spec.Seed)
		}
	}
	require.Equal(t, []uint64{2, 2, 5, 5}, seeds)
}

// TestMost: it bounds packets and records alike.
func TestMost(t *testing.T) {
	plan := Plan{Duts: []string{"icrc_check", "psn_window", "hca_tx"}, Seeds: []uint64{1}, Most: 500, Smallest: true}
	runs, err := plan.Runs()
	require.NoError(t, err)
	require.Zero(t, Begun(runs))
	runs[0].Done = true
	require.Equal(t, 1, Begun(runs))
	for _, r := range runs {
		if r.Scenario != KnownScenario {
			require.Equal(t, uint64(500), r.Spec.Count, r.Spec.Line())
		}
	}
}

// TestMostPackets: it bounds packets, and the records of a device that is joined from others, not those of a block. The
// smaller bound counts.
func TestMostPackets(t *testing.T) {
	plan := Plan{Duts: []string{"icrc_check", "psn_window", "hca_tx"}, Seeds: []uint64{1}, MostPackets: 500,
		Smallest: true}
	for most, block := range map[uint64]uint64{0: 0, 800: 800, 300: 300} {
		plan.Most = most
		runs, err := plan.Runs()
		require.NoError(t, err)
		for _, r := range runs {
			want := uint64(500)
			if r.Spec.Dut == "psn_window" {
				want = block
			} else if most == 300 {
				want = most
			}
			if r.Scenario != KnownScenario {
				require.Equal(t, want, r.Spec.Count, r.Spec.Line())
			}
		}
	}
}
