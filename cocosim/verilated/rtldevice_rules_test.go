package verilated

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
)

func TestStreamRulesAreChecked(t *testing.T) {
	for _, c := range []struct {
		name       string
		fault      uint64
		stalls     float64
		rule, port string
		text       string
	}{
		{"valid dropped", faultValidDropped, 0.5, "AXIS-VALID", "m_axis", "valid fell before ready"},
		{"data changed", faultDataChanged, 0.5, "AXIS-STABLE", "m_axis", "tdata changed while stalled"},
		{"hole in tkeep", faultKeepHole, 0, "AXIS-KEEP", "m_axis", "tkeep has a hole"},
		{"no tlast", faultNoLast, 0.1, "AXIS-LAST", "m_axis", "no tlast within 262144 bytes"},
		{"valid in reset", faultValidInReset, 0.5, "AXIS-RESET", "m_axis", "valid is high in reset"},
		{"assertion", faultAssertion, 0.5, "ASSERT", "", "not calm in cycle 40"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := withFault(c.fault)
			cfg.Backpressure = c.stalls
			d := openLoopback(t, Options{}, cfg)
			in := []sim.Offer{{Data: make([]byte, maxRecordBytes)}, {Data: make([]byte, 104), Seq: 1}}
			require.NoError(t, d.Advance(context.Background(), 80_000, in, new(sim.Batch)))
			require.NoError(t, d.Close())
			all := d.Violations()
			require.NotEmpty(t, all)
			for _, v := range all[:len(all)-1] { // the last may count the rest
				assert.Equal(t, c.rule, string(v.Rule))
				assert.Equal(t, c.port, v.Port)
			}
			assert.Contains(t, all[0].Text, c.text)
			if c.rule == "ASSERT" {
				assert.Contains(t, all[0].Text, "loopback.sv:")
			}
		})
	}
}

// TestWithdrawableRecordMayVanish: valid of a record port may fall where the manifest says so, and nowhere else.
func TestWithdrawableRecordMayVanish(t *testing.T) {
	needTools(t)
	for _, withdrawable := range []bool{false, true} {
		m, err := manifest.Load(loopbackManifest)
		require.NoError(t, err)
		m.Ports[portRecordOut].Withdrawable = withdrawable
		image, err := Build(context.Background(), m, nil, Debug, nil)
		require.NoError(t, err)
		d, err := image.Open(context.Background(), Options{})
		require.NoError(t, err)
		cfg := withFault(faultWithdrawn)
		cfg.Backpressure = 0.8
		require.NoError(t, d.Reset(context.Background(), cfg))
		var in []sim.Offer
		for i := range uint64(500) {
			in = append(in, sim.Offer{Port: portRecordIn, Seq: i, Data: make([]byte, 21)})
		}
		var out sim.Batch
		require.NoError(t, d.Advance(context.Background(), 5000, in, &out))
		require.NoError(t, d.Close())
		require.Len(t, out.Records, 1000, "each comes in the end")
		all := d.Violations()
		require.Equal(t, withdrawable, len(all) == 0)
		for _, v := range all {
			require.EqualValues(t, "AXIS-VALID", v.Rule)
			require.Equal(t, "out", v.Port)
		}
	}
}

func TestHungDesignIsAMismatchAndLeavesTheSimulatorWell(t *testing.T) {
	for _, fault := range []uint64{faultNeverReady, faultSilent} {
		d := openLoopback(t, Options{StallLimit: 500}, withFault(fault))
		in := []sim.Offer{{Data: make([]byte, 3000)}}
		for i := range 1000 { // enough to keep the record port fed
			in = append(in, sim.Offer{Port: portRecordIn, Seq: uint64(i), NotBefore: 1 << 40, Data: make([]byte, 21)})
		}
		var out sim.Batch
		err := d.Advance(context.Background(), cocosim.WhileFed, in, &out)
		var hung *cocosim.HungError
		require.ErrorAs(t, err, &hung)
		assert.Equal(t, cocosim.Mismatch, cocosim.ExitOf(err))
		assert.Equal(t, "s_axis", hung.Port)
		assert.Equal(t, uint64(500), hung.Idle)
		assert.Less(t, hung.Cycle, uint64(3000))
		assert.ErrorContains(t, err, fmt.Sprintf("loopback: design hung at cycle %d: port s_axis", hung.Cycle))
		assert.NoError(t, d.Close())
	}
}

// A slow design is not a hung one: waiting for a record's cycle is no stall.
func TestWaitingIsNoStall(t *testing.T) {
	d := openLoopback(t, Options{StallLimit: 100}, cocosim.Config{})
	in := []sim.Offer{
		{Port: portAxisIn, NotBefore: 50_000, Data: make([]byte, 8)},
		{Port: portRecordIn, NotBefore: 50_000, Data: make([]byte, 21)}}
	var out sim.Batch
	require.NoError(t, d.Advance(context.Background(), cocosim.WhileFed, in, &out))
	assert.Len(t, onPort(out.Records, portRecordOut), 1)
	assert.Equal(t, uint64(50_000), onPort(out.Records, portRecordOut)[0].Start)
	require.NoError(t, d.Close())
}
