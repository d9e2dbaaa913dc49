package regress

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/cover"
	"hcacosim/cocosim/manifest"
	"hcacosim/cocosim/session"
	"hcacosim/model/sim"
	"hcacosim/vectors"
	"hcacosim/vectors/scenario"
)

// TestNoRunDies plays every scenario of records, and those of devices, at every size: the last quarter of a run meets
// nearly as many situations as the first. Where it does not, what an episode left behind takes the room of those behind
// it, as keys that nobody removed held all of four indices, and the rest of the run is green because nothing happens in
// it.
func TestNoRunDies(t *testing.T) {
	all, err := manifest.Embedded()
	require.NoError(t, err)
	for _, m := range all {
		for _, name := range generated(m) {
			s, err := scenario.Lookup(name)
			require.NoError(t, err)
			if s.Input == sim.Axis && !strings.HasPrefix(m.Name, "hca_") { // each packet stands by itself
				continue
			}
			for _, size := range Sizes(m) {
				if fits(m, size, name) {
					met := metInQuarters(t, s, &session.Spec{Dut: m.Name, Scenario: name, Params: size})
					require.NotZero(t, met[0], "%s, %s: no bins", m.Name, name)
					require.GreaterOrEqual(t, met[3]*10, met[0]*6, "%s, %s, %v: %v situations", m.Name, name, size, met)
				}
			}
		}
	}
}

// metInQuarters is how many bins of coverage each quarter of a run meets.
func metInQuarters(t *testing.T, s *scenario.Scenario, spec *session.Spec) (met [4]int) {
	t.Helper()
	stage, settings, err := session.Settled(*spec)
	require.NoError(t, err)
	source, err := vectors.NewGenerated(s, stage, 1, ShortCount)
	require.NoError(t, err)
	follower := cover.NewFollower(&stage, settings)
	var bins [len(met)]map[string]bool
	var seq uint64
	require.NoError(t, vectors.Predict(source, stage, settings, func(in *sim.Offer, out []sim.Record) {
		if in != nil {
			follower.Taken(&sim.Record{Port: in.Port, User: in.User, Data: in.Data, Seq: seq})
		}
		for i := range out {
			follower.Tap(&out[i])
		}
		quarter := min(len(met)-1, int(seq*uint64(len(met))/ShortCount))
		if seq++; bins[quarter] == nil {
			bins[quarter] = map[string]bool{}
		}
		for _, x := range follower.Exercised() {
			for _, bin := range x.Bins {
				bins[quarter][bin] = true
			}
		}
	}))
	for i := range bins {
		met[i] = len(bins[i])
	}
	return met
}
