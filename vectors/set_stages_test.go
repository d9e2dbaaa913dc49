package vectors

import (
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/vectors/scenario"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSetOfEveryStage: a set of each stage's default scenario is intact, timers that run on behind the last record
// included.
func TestSetOfEveryStage(t *testing.T) {
	for _, stage := range stages.All() {
		set, err := GenerateSet(t.TempDir()+"/set", scenario.Default(stage.Name), stage, 3, 300, SetOptions{})
		require.NoError(t, err, stage.Name)
		require.Positive(t, set.ExpectRecords, stage.Name)
		require.NoError(t, set.Check(), stage.Name)
	}
}

// TestGeneratedCountsEachPort: the records of a scenario are numbered on each port from 0.
func TestGeneratedCountsEachPort(t *testing.T) {
	stage, ok := stages.Lookup("retx_timer")
	require.True(t, ok)
	s, err := NewGenerated(scenario.Default(stage.Name), stage, 7, 2000)
	require.NoError(t, err)
	next := make([]uint64, len(stage.Ports))
	for range 2000 {
		var r sim.Offer
		require.NoError(t, s.Next(&r))
		require.Equal(t, next[r.Port], r.Seq)
		next[r.Port]++
	}
}
