package vectors

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/vectors/scenario"
)

// TestCheckMakesTheInputsAgain: a manifest whose seed, scenario or weights are not those of the set's inputs is found,
// of packets and of records.
func TestCheckMakesTheInputsAgain(t *testing.T) {
	for of, dut := range map[string]string{"mix": "icrc_check", "resp-psn-check": "resp_psn_check",
		"retx-timer": "retx_timer"} {
		set := generate(t, of, dut, 5, 60, SetOptions{})
		require.NoError(t, set.Check())
		can, _ := set.MadeAgain()
		require.True(t, can)
		m := set.Manifest
		m.Seed = 6
		require.ErrorContains(t, written(t, set, m).Check(), "gives with seed 6", of)
		if of == "mix" {
			m.Scenario, m.Seed = "malformed", 5
			require.ErrorContains(t, written(t, set, m).Check(), "is not what scenario malformed gives")
		}
	}
}

// TestCheckMakesWeightsAgain: the weights of the manifest go into that.
func TestCheckMakesWeightsAgain(t *testing.T) {
	w, err := scenario.ParseWeights("w.yaml", []byte("scenario: resp-psn-check\nlost: 0.3\n"))
	require.NoError(t, err)
	set := generate(t, "resp-psn-check", "resp_psn_check", 5, 300, SetOptions{Weights: w})
	require.NoError(t, set.Check())
	m := set.Manifest
	m.Weights = "scenario: resp-psn-check\nlost: 0.1\n"
	require.ErrorContains(t, written(t, set, m).Check(), "one of these was changed")
	m.Weights = "scenario: resp-psn-check\nlots: 0.1\n"
	require.ErrorContains(t, written(t, set, m).Check(), `has no "lots"`)
}

// TestWhatIsNotMadeAgain: a set of another generator is intact, and that is said.
func TestWhatIsNotMadeAgain(t *testing.T) {
	set := generate(t, "mix", "icrc_check", 5, 30, SetOptions{})
	m := set.Manifest
	m.Seed, m.Generator = 6, m.Generator-1
	other := written(t, set, m)
	require.NoError(t, other.Check())
	can, why := other.MadeAgain()
	require.False(t, can)
	require.Contains(t, why, "it is of generator")
}

// written puts a manifest in the place of a set's own, and opens the set again.
func written(t *testing.T, set *Set, m Manifest) *Set {
	t.Helper()
	text, err := json.MarshalIndent(&m, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(set.Dir, manifestFile), text, 0o666))
	other, err := OpenSet(set.Dir)
	require.NoError(t, err)
	return other
}
