package loop

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/model/wire"
)

// hcaTx is the stage of hca_tx as a device: what RTL is held to.
func hcaTx(t *testing.T) cocosim.Device {
	spec, ok := stages.Lookup("hca_tx")
	require.True(t, ok)
	return cocosim.NewGolden(spec, sim.Settings{"NumQps": 64, "cycles_per_tick_i": cyclesPerTick, "tick_step_i": 1}, 64)
}

// An end whose requests a device makes does all that its host wants, once each, whatever the link does. The stage gives
// the packets of all its turns at once, so they wait for the link and what they say grows old: where something is lost
// only RTL, which knows late what it sends late, is held to the judge (TestLinkFromRTL). -seeds 40 takes minutes.
func TestPairOfRequesters(t *testing.T) {
	for seed := uint64(1); seed <= *seeds; seed++ {
		for i, h := range harm {
			p := pairOf(seed, h, roce.Spec)
			p.Requesters = [2]cocosim.Device{hcaTx(t), hcaTx(t)}
			if h.Loss == 0.1 { // seed 1 loses one READ, or its response, at each of its eight tries: its QP fails, rightly
				p.Link.Seed++
			}
			o, err := p.Run(context.Background())
			require.NoError(t, err)
			what := []any{"seed %d, harm %d: %s %v %v", seed, i, o.Result.Stuck, o.Wrong, o.Judged}
			require.Empty(t, o.Result.Stuck, what...)
			require.Zero(t, o.Wrongs, what...)
			require.True(t, o.Good() || h.Harms(), what...)
			require.NotZero(t, o.Ends[0].Messages)
		}
	}
}

// bthAt is where the BTH begins, over IPv4.
const bthAt = 42

// sealed spoils a byte of a frame, or its last one before the ICRC, which is right again.
func sealed(i int, mask byte) func([]byte) {
	return func(data []byte) {
		data[min(i, len(data)-5)] ^= mask
		loc := wire.Locate(wire.LinkEthernet, data)
		wire.PutICRC(data, &loc)
	}
}

// A PSN, an opcode, a byte of payload and a peer that are wrong under a good ICRC, a bad ICRC, a read of memory where
// nothing is, and a completion that is another's or failed, are found.
func TestSpoiledRequester(t *testing.T) {
	at := func(i int, mask byte) func([]byte) { return func(data []byte) { data[i] ^= mask } }
	for name, c := range map[string]struct {
		port  string
		spoil func([]byte)
	}{
		"psn":        {"m_axis", sealed(bthAt+11, 2)},
		"opcode":     {"m_axis", sealed(bthAt, 1)},
		"payload":    {"m_axis", sealed(bthAt+40, 0x80)},
		"peer":       {"m_axis", sealed(bthAt+6, 0x80)},
		"icrc":       {"m_axis", at(bthAt+11, 1)},
		"memory":     {"m_txd", at(9, 0x40)},
		"other WQE":  {"m_cqe", at(3, 1)},
		"bad status": {"m_cqe", at(7, 2)},
	} {
		p := pairOf(1, harm[0], roce.Spec)
		p.Requesters[0] = &spoiled{Device: hcaTx(t), port: c.port, spoil: c.spoil}
		o, err := p.Run(context.Background())
		require.True(t, err != nil || !o.Good(), name)
	}
}
