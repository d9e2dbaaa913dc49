package vectors

import (
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

const lifeLength = 10

// lives is a scenario whose records count up from a random number, on two ports in turn.
var lives = Scenario{Name: "lives", Stages: []string{"two_inputs"}, Input: hca.Fields, make: func(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, lifeLength, func(r *Rand, e *Episode) {
		first := r.Uint64()
		for i := range uint64(lifeLength) {
			e.Add(sim.Port(i%2), 100*e.Number+i, binary.LittleEndian.AppendUint64(nil, first+i), fmt.Sprintf("step %d of life %d", e.Len(), e.Number))
		}
	})
}}

// TestEpisodes: the cases of an episode build on each other, and each can be made by itself.
func TestEpisodes(t *testing.T) {
	spec := hca.StageSpec{Name: "two_inputs", Ports: []hca.PortSpec{{Name: "a", Input: true, Kind: hca.Fields}, {Name: "b", Input: true, Kind: hca.Fields}}}
	s, err := NewGenerated(&lives, spec, 7, 35)
	require.NoError(t, err)
	var r sim.Record
	var all []uint64
	for i := uint64(0); ; i++ {
		err := s.Next(&r)
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		step := i % lifeLength
		require.Equal(t, sim.Port(step%2), r.Port)
		require.Equal(t, i/2, r.Seq, "each port counts for itself")
		require.Equal(t, i/lifeLength*100+step, r.Start)
		require.Equal(t, fmt.Sprintf("step %d of life %d", step, i/lifeLength), string(s.Why()))
		all = append(all, binary.LittleEndian.Uint64(r.Data))
		if step > 0 {
			require.Equal(t, all[i-1]+1, all[i])
		}
	}
	require.Len(t, all, 35)
	require.NotEqual(t, all[0], all[10])
	g := NewGenerator(&lives, 7)
	var c Case
	for _, i := range []uint64{34, 3, 12, 11, 30, 0} {
		g.Make(i, &c)
		require.Equal(t, all[i], binary.LittleEndian.Uint64(c.Frame), "case %d by itself", i)
	}
	NewGenerator(&lives, 8).Make(0, &c)
	require.NotEqual(t, all[0], binary.LittleEndian.Uint64(c.Frame), "another seed, other lives")
	other := lives
	other.Name = "other lives"
	NewGenerator(&other, 7).Make(0, &c)
	require.NotEqual(t, all[0], binary.LittleEndian.Uint64(c.Frame), "another scenario, other lives")
}

// TestSetOfEveryStage: a set of each stage's default scenario is intact, timers that run on behind the last record included.
func TestSetOfEveryStage(t *testing.T) {
	for _, stage := range hca.Stages() {
		set, err := GenerateSet(t.TempDir()+"/set", DefaultScenario(stage.Name), stage, 3, 300, SetOptions{})
		require.NoError(t, err, stage.Name)
		require.Positive(t, set.ExpectRecords, stage.Name)
		require.NoError(t, set.Check(), stage.Name)
	}
}
