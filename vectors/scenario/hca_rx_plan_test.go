package scenario

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// TestHcaRxPlans: what a round writes and asks memory for is what its plan says, so that the tags of the next one are
// known; and every QP executes something.
func TestHcaRxPlans(t *testing.T) {
	for _, c := range []struct {
		name   string
		plan   *hcaRxPlan
		seed   uint64
		rounds int
		ecc    uint64
	}{
		{"hca-rx", &hcaRxFive, 6, 10, 0},
		{"hca-rx-one", &hcaRxOne, 6, 10, 0},
		{"hca-rx-receive", &hcaRxReceive, 6, 20, 0},
		{"hca-rx-many", &hcaRxMany, 6, 2, 0},
		{"hca-rx-full", &hcaRxFull, 6, 4, 0},
		{"hca-rx-long", &hcaRxLong, 6, 8, 0},
		{"hca-rx-meets", &hcaRxMeets, 6, 8, 0},
		{"hca-rx-writes", &hcaRxWrites, 6, 1, 0},
		{"hca-rx-vast", &hcaRxVastly, 6, 3, 0},
		{"hca-rx-ecc", &hcaRxWorn, 1, 30, 1}, // a round must know nothing of what the one before it turned
	} {
		s, err := Lookup(c.name)
		require.NoError(t, err)
		spec, _ := hca.Lookup("hca_rx")
		stage, counts, executed := spec.New(sim.Settings{"Ecc": c.ecc}), map[string]int{}, map[uint32]bool{}
		for _, in := range recordsInTime(t, s, c.seed, c.rounds*c.plan.length) {
			for _, out := range stage.Advance(in.Start, []sim.Record{in}, nil) {
				port := spec.Ports[out.Port].Name
				counts[port]++
				if d := out.Data; port == "m_rec" && d[6]&7 == 1 && d[6]>>7|d[7]&3 == 0 {
					executed[uint32(d[0])|uint32(d[1])<<8|uint32(d[2])<<16] = true
				}
			}
		}
		require.Equal(t, c.rounds*c.plan.writes, counts["m_mem"], c.name)
		require.Equal(t, c.rounds*c.plan.asks(), counts["m_rd"], c.name)
		require.Equal(t, c.rounds*c.plan.atomics, counts["m_ard"], c.name)
		require.GreaterOrEqual(t, len(executed), c.plan.fixed*9/10, c.name)
	}
}

// recordsInTime are records as a device without stalls takes them: frames 40 clocks apart.
func recordsInTime(t *testing.T, s *Scenario, seed uint64, n int) (all []sim.Record) {
	var frames uint64
	each(t, s, seed, uint64(n), func(i uint64, c *Case) {
		in := sim.Record{Start: c.NotBefore, Seq: i, Port: c.Port, User: uint32(c.Link), Data: slices.Clone(c.Frame)}
		if c.HasUser {
			in.User = c.User
		}
		if c.Port == 0 {
			frames = max(frames+40, in.Start)
			in.Start = frames
		}
		in.End = in.Start
		all = append(all, in)
	})
	slices.SortStableFunc(all, func(a, b sim.Record) int { return cmp.Compare(a.Start, b.Start) })
	return all
}
