package scenario

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/psn"
	"hcacosim/model/stages"
)

// reachPSN counts what a run of psn-window asks about: every class with the distances at which it begins and ends.
func reachPSN(t *testing.T, seed uint64) bins {
	s, err := Lookup("psn-window")
	require.NoError(t, err)
	b := bins{}
	stage, ok := stages.Lookup("psn_window")
	require.True(t, ok)
	model := stage.New(nil)
	each(t, s, seed, s.Count, func(_ uint64, c *Case) {
		out := advance(t, model, c, 0).Data
		at := func(i int) psn.PSN {
			return psn.New(uint32(c.Frame[i]) | uint32(c.Frame[i+1])<<8 | uint32(c.Frame[i+2])<<16)
		}
		b.add("class %d distance %d", out[3], at(0).Diff(at(3)))
		b.add("class %d from next %d", out[3], at(0).Diff(at(6)))
		b.add("class %d outstanding %d", out[3], at(6).Diff(at(3)))
		if uint32(at(0)) < uint32(at(3)) {
			b.add("class %d PSN below base", out[3])
		} else {
			b.add("class %d PSN from base up", out[3])
		}
	})
	return b
}

// TestPSNWindowReachesItsBounds: under any seed every bound of PSN-2 and PSN-3 is met from both sides, and every power
// of two is met as a distance.
func TestPSNWindowReachesItsBounds(t *testing.T) {
	const half = psn.Half
	want := []string{
		"class 0 distance 0",
		"class 1 distance -1", fmt.Sprint("class 1 distance ", -half),
		"class 2 distance 1", fmt.Sprint("class 2 distance ", half-1),
		"class 4 distance 0", "class 4 from next -1",
		"class 5 distance -1", fmt.Sprint("class 5 from next ", -half),
		"class 6 from next 0", fmt.Sprint("class 6 from next ", half-1),
		"class 6 outstanding 0", fmt.Sprint("class 4 outstanding ", -half), // 2^23 as a signed number
	}
	for class := range 3 {
		want = append(want, fmt.Sprintf("class %d PSN below base", class|4), fmt.Sprintf("class %d PSN from base up",
			class|4))
	}
	for bit := range psn.Bits - 1 {
		want = append(want, fmt.Sprintf("class 2 distance %d", 1+1<<bit), fmt.Sprintf("class 1 distance %d", -1-1<<bit))
	}
	for seed := range uint64(5) {
		require.Empty(t, reachPSN(t, seed).missing(want), "seed %d", seed)
	}
}
