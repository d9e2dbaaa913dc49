package guide

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
	"hcacosim/model/stages"
)

func target(t *testing.T, stage string, settings sim.Settings) Target {
	spec, ok := stages.Lookup(stage)
	require.True(t, ok)
	return Target{spec, settings}
}

// The same seed gives the same records, another seed others.
func TestSearchIsDeterministic(t *testing.T) {
	tt := target(t, "psn_window", nil)
	o := Options{Seed: 1, Patience: 20000}
	before := runtime.GOMAXPROCS(1)
	one := Search(tt, o).Offers()
	runtime.GOMAXPROCS(before)
	require.Equal(t, one, Search(tt, o).Offers())
	o.Seed = 2
	require.NotEqual(t, one, Search(tt, o).Offers())
}

// A search meets with fewer than a tenth of the packets all that chance meets.
func TestSearchBeatsChance(t *testing.T) {
	tt := target(t, "psn_window", nil)
	found, chance := Search(tt, Options{Seed: 3, Patience: 200000}), Random(tt, 3, 20000, nil)
	require.True(t, found.Met.holds(chance.Met), "%d bins of %d", found.Met.Len(), chance.Met.Len())
	curve := found.Replay()
	require.Equal(t, found.Met, curve.Met, "ranked and measured are the same")
	require.Less(t, 10*curve.until(curve.Met.Len()), chance.until(chance.Met.Len()))
}

// What is found can do without none of its records: minimize has taken out the last.
func TestNothingIsLeftOver(t *testing.T) {
	tt := target(t, "psn_window", nil)
	r := Search(tt, Options{Seed: 1, Patience: 20000})
	p := newPlayer(tt)
	spare := 0
	for _, g := range r.Segments {
		for i := range g.Steps {
			steps := g.Steps
			g.Steps = append(append([]Step(nil), steps[:i]...), steps[i+1:]...)
			if p.measure(r.Segments...).holds(r.Met) {
				spare++
			}
			g.Steps = steps
		}
	}
	require.LessOrEqual(t, spare, len(r.Segments)/20, "of %d segments", len(r.Segments))
}

// A record keeps its distance when what comes before it changes.
func TestDistances(t *testing.T) {
	p := newPlayer(target(t, "resp_psn_check", sim.Settings{"NumQps": 64}))
	d := newDrawer(p.target, 1)
	s := d.draw(&d.arms[0], p)
	all := p.met()
	require.Equal(t, all, p.measure(s), "played again from distances")
	require.Greater(t, all.Len(), 100)
}

// Segments mean the same in another order: each resets the QPs that it speaks of, and its PSNs are distances.
func TestSegmentsStandAlone(t *testing.T) {
	tt := target(t, "resp_psn_check", sim.Settings{"NumQps": 64})
	tries := 0 // a short search: some twenty segments
	r := Search(tt, Options{Seed: 1, Patience: 1000, Stop: func() bool { tries++; return tries > 40 }})
	require.Greater(t, len(r.Segments), 20)
	alone := newSet(r.Bins)
	p := newPlayer(tt)
	s := &search{player: p}
	for _, g := range r.Segments {
		g.Steps = opened(s.lie, g.Steps) // cutting down all together takes some of it out again
		alone.Join(p.measure(g))
	}
	slices.Reverse(r.Segments)
	lost := alone.beyond(p.measure(r.Segments...))
	require.Less(t, lost, alone.Len()/100, "of %d bins", alone.Len())
}
