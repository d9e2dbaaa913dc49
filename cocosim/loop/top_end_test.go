package loop

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

// hcaTop is the stage as a device.
func hcaTop(t *testing.T) cocosim.Device {
	spec, ok := stages.Lookup("hca_top")
	require.True(t, ok)
	return cocosim.NewGolden(spec, sim.Settings{"NumQps": 64, "cycles_per_tick_i": cyclesPerTick, "tick_step_i": 1}, 64)
}

// topPair are two ends that are devices, as wholePair.
func topPair(t *testing.T, seed uint64, i int) *Pair {
	p := stagePair(seed, i)
	p.Wholes = [2]cocosim.Device{hcaTop(t), hcaTop(t)}
	return p
}

// Ends that are devices, set up by registers, do all that their hosts want, once each, whatever the link does. Where
// something is lost the judge is for RTL, as in TestPairOfWholes. -seeds 40 takes minutes.
func TestPairOfTops(t *testing.T) { doAll(t, topPair) }

// A WQE that ends in error takes its QP along: software has it in error, receive WQEs are flushed, and the peer hears
// no more.
func TestTopFails(t *testing.T) {
	p := topPair(t, 1, 0)
	spoil := func(data []byte) { data[7] ^= 2 }
	p.Wholes[0] = &spoiled{Device: p.Wholes[0], port: "m_scqe", spoil: spoil}
	o, err := p.Run(context.Background())
	require.NoError(t, err)
	require.False(t, o.Good())
	require.Equal(t, 1, o.Ends[0].InError)
	require.NotZero(t, o.Ends[0].Failed[roce.Flushed.String()])
	require.NotZero(t, o.Ends[1].Failed[roce.RetryExceeded.String()])
}

// What the device says wrong is found.
func TestSpoiledTop(t *testing.T) {
	at := func(i int, mask byte) func([]byte) { return func(data []byte) { data[i] ^= mask } }
	for port, spoil := range map[string]func([]byte){"m_txd": at(3, 1), "m_mem": at(3, 4), "m_scqe": at(3, 1),
		"m_cqe": at(11, 1), "m_b": at(0, 2)} {
		p := topPair(t, 1, 0)
		p.Wholes[0] = &spoiled{Device: p.Wholes[0], port: port, spoil: spoil}
		o, err := p.Run(context.Background())
		require.True(t, err != nil || !o.Good(), port)
	}
}

// Packets of an earlier connection leave a device as it is: that connection is not run on it.
func TestGhostsAtTop(t *testing.T) {
	ghosts, err := FindRogue("ghosts")
	require.NoError(t, err)
	p := topPair(t, 1, 0)
	p.Wholes[1], p.Rogue = nil, ghosts
	o, err := p.Run(context.Background())
	require.NoError(t, err)
	require.Empty(t, o.Rogue)
	require.NotZero(t, o.Ends[0].Messages)
}
