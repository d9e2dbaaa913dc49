package guide

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// TestProbeOfOneInput: where records enter by one port there is no probe, and nothing is stuck.
func TestProbeOfOneInput(t *testing.T) {
	p := newProbe(newDrawer(target(t, "psn_window", nil), 1))
	require.Nil(t, p)
	require.False(t, p.stuck([]Step{{}}))
}

// TestProbeTellsWhatWaits: rx_dma keeps a second acknowledgement of a number back until a write has had the first, and
// all acknowledgements behind it. With two of a number that no write of the probe has it tells nothing any more. One
// waits for nobody, and neither does one more of a number that a write has. What the probe says does not depend on what
// was asked before.
func TestProbeTellsWhatWaits(t *testing.T) {
	p := newProbe(newDrawer(target(t, "rx_dma", sim.Settings{"NumQps": 64}), 1))
	require.NotNil(t, p)
	require.Positive(t, p.gave)
	ack := func(tag uint8) Step {
		a := hca.DMAAck{Tag: tag}
		return Step{Offer: sim.Offer{Port: 2, Data: a.Append(nil)}}
	}
	for range 2 {
		require.False(t, p.stuck(nil))
		require.False(t, p.stuck([]Step{ack(250)}))
		require.True(t, p.stuck([]Step{ack(250), ack(250)}))
		require.False(t, p.stuck([]Step{ack(0)}))
	}
}
