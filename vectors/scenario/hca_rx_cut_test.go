package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// TestHcaRxMemoryGivesWhatIsAsked: wherever a run of one of these scenarios is cut, memory gave no piece
// that was not asked for.
func TestHcaRxMemoryGivesWhatIsAsked(t *testing.T) {
	for name, length := range map[string]uint64{"hca-rx": hcaRxLength, "hca-rx-one": hcaRxOneLength,
		"hca-rx-full": hcaRxFullLength, "hca-rx-long": hcaRxLongLength, "hca-rx-meets": hcaRxMeetsLength,
		"hca-rx-vast": hcaRxVastLength} {
		t.Run(name, func(t *testing.T) { memoryGivesWhatIsAsked(t, name, length) })
	}
}

func memoryGivesWhatIsAsked(t *testing.T, name string, length uint64) {
	s, err := Lookup(name)
	require.NoError(t, err)
	spec, _ := hca.Lookup("hca_rx")
	for seed := range uint64(4) {
		stage, asked, given := spec.New(sim.Settings{}), 0, 0
		each(t, s, seed, 20*length, func(i uint64, c *Case) {
			in := sim.Record{Start: c.NotBefore, End: c.NotBefore, Seq: i, Port: c.Port, User: uint32(c.Link), Data: c.Frame}
			if c.HasUser {
				in.User = c.User
			}
			// Here acknowledgements come first: one that fails would fail all behind.
			if c.Port == 2 && (name == "hca-rx-full" || name == "hca-rx-meets") {
				in.Data[1] = 0
			}
			if c.Port == hcaRxPortRead {
				given++
			}
			for _, r := range stage.Advance(c.NotBefore, []sim.Record{in}, nil) {
				if spec.Ports[r.Port].Name == "m_rd" {
					asked++
				}
			}
			require.LessOrEqual(t, given, asked, "seed %d, record %d, round %d", seed, i, i/length)
		})
	}
}

// TestHcaRxTagsComeRound: wherever a run of hca-rx-many is cut, memory has acknowledged fewer writes that nobody has
// asked for yet than there are tags: rx_dma holds one back that comes twice, and all behind it.
func TestHcaRxTagsComeRound(t *testing.T) {
	s, err := Lookup("hca-rx-many")
	require.NoError(t, err)
	model, acks, writes, most := hca.NewHcaRxBlocks(sim.Settings{}), 0, 0, 0
	var f hca.HcaRxFrame
	each(t, s, 1, 2*hcaRxManyLength, func(i uint64, c *Case) {
		switch c.Port {
		case 0:
			if model.Play(&f, c.Link, c.Frame); f.Placed() {
				writes++
			}
		case 1:
			model.Operate(c.Frame)
		case 2:
			acks++
		}
		most = max(most, acks-writes)
	})
	require.Less(t, most, hca.DMATags)
	require.Equal(t, 2*hcaRxMany.writes, acks)
}
