package session

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/stages"
)

// TestModelAgreesWithItself: the model of every device, in the device's place, is what the model expects. It takes a
// record a clock at each port, sooner than the RTL does: what a stage says of records that come so near must have an
// order too. Example: the operations of two commands of qp_ctl that are accepted a clock apart.
func TestModelAgreesWithItself(t *testing.T) {
	all, err := manifest.Embedded()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, m := range all {
		dut := m.Name
		if dut == "tx_arbiter" { // its stage knows a frame when it has ended; whose turn it is goes by how they begin
			continue
		}
		for _, seed := range []uint64{1, 4, 8} {
			spec := Spec{Dut: dut, Device: Model, Seed: seed, Count: 2000, Show: 1}
			rep, err := Run(context.Background(), spec, Options{})
			require.NoError(t, err, dut)
			require.Equal(t, cocosim.Agreed, rep.Exit(), "%s, seed %d", dut, seed)
			require.EqualValues(t, spec.Count, rep.Result.Packets, "%s, seed %d", dut, seed)
		}
	}
}

// TestLapseBeyondTheScan: a time that goes too fast for the timers of so many QPs is refused, and no mismatch.
func TestLapseBeyondTheScan(t *testing.T) {
	spec := Spec{Dut: "retx_timer", Device: Model, Seed: 1, Count: 100,
		Config: map[string]uint64{"cycles_per_tick_i": 64, "tick_step_i": 1 << 30}}
	_, err := Run(context.Background(), spec, Options{})
	require.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
	require.ErrorContains(t, err, "known for 2^34")
	spec.Params = map[string]int{"NumQps": 64}
	rep, err := Run(context.Background(), spec, Options{})
	require.NoError(t, err)
	require.Equal(t, cocosim.Agreed, rep.Exit())
}

// TestModelOfTopSends: the same of both sides of hca_top at once, which its default scenario does not have.
func TestModelOfTopSends(t *testing.T) {
	for seed := uint64(1); seed <= 4; seed++ {
		spec := Spec{Dut: "hca_top", Device: Model, Scenario: "hca-top-sends", Seed: seed, Count: 5600, Show: 1}
		rep, err := Run(context.Background(), spec, Options{})
		require.NoError(t, err)
		require.Equal(t, cocosim.Agreed, rep.Exit(), "seed %d", seed)
		require.Greater(t, rep.Result.Agreed, uint64(3000), "seed %d", seed)
	}
}

// TestInputsOfTheStages: what a stage takes for the value of a configuration input is what the block's manifest states.
func TestInputsOfTheStages(t *testing.T) {
	all, err := manifest.Embedded()
	require.NoError(t, err)
	inputs := 0
	for _, m := range all {
		stage, ok := stages.Lookup(m.Model)
		require.True(t, ok, m.Name)
		of := stage.Inputs(nil)
		require.Len(t, of, len(m.Config), m.Name)
		for _, c := range m.Config {
			require.Contains(t, of, c.Pin, m.Name)
			require.Equal(t, c.Value, of[c.Pin], "%s: %s", m.Name, c.Pin)
		}
		inputs += len(of)
	}
	require.Greater(t, inputs, 10)
}
