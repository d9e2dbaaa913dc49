package guide

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// The operation that ends what records began is found by itself; half an episode with it leaves a device as a whole
// one does.
func TestTidyLearnsTheEnd(t *testing.T) {
	small := sim.Settings{"NumQps": 64}
	for stage, ends := range map[string]int{"mr_lookup": 2, "tx_packetizer": 3} { // remove, close
		tidy := newTidy(newDrawer(target(t, stage, small), 1))
		require.NotNil(t, tidy, stage)
		require.Equal(t, ends, tidy.ends, stage)
		require.True(t, tidy.left(tidy.steps[:len(tidy.steps)/2]), stage)
	}
	require.Nil(t, newTidy(newDrawer(target(t, "psn_window", nil), 1)), "records stand alone")
}

// A search meets what only long runs of chance meet: a timer that runs out behind others.
func TestSearchMeetsExpiries(t *testing.T) {
	tt := target(t, "retry_ctl", sim.Settings{"NumQps": 64})
	found, chance := Search(tt, Options{Seed: 1, Patience: 20000}), Random(tt, 1, 10000, nil)
	require.Less(t, chance.Met.without(found.Met).Len(), chance.Met.Len()/100)
}

// No set meets bins that are apart in fewer packets than there are of them, and what is apart is no more than that.
func TestApart(t *testing.T) {
	tt := target(t, "psn_window", nil)
	found := Search(tt, Options{Seed: 1, Patience: 20000})
	n := apartOf(tt, []*Result{found})
	require.LessOrEqual(t, n, found.Source().Len())
	require.Greater(t, n, found.Source().Len()/2)
}

// TestShortenedMeetsTheSame: what is cut out of segments takes no bin with it, also none for which another one comes.
func TestShortenedMeetsTheSame(t *testing.T) {
	tt := target(t, "resp_psn_check", sim.Settings{"NumQps": 64})
	for seed := range uint64(12) {
		p, d := newPlayer(tt), newDrawer(tt, seed)
		s := &search{player: newPlayer(tt), draws: d}
		segment := d.draw(d.choose(), p)
		segment.Steps = segment.Steps[:min(30, len(segment.Steps))]
		need := s.measure(segment)
		require.True(t, s.measure(s.shortened([]*Segment{segment}, need)...).holds(need), "seed %d", seed)
	}
}
