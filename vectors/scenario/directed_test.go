package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/docs"
)

// TestDirectedCasesArePlayed: each in every run of its scenario, whatever the seed, with a rule that there is.
func TestDirectedCasesArePlayed(t *testing.T) {
	names := map[string]bool{}
	for _, c := range AllDirected() {
		require.False(t, names[c.Name], c.Name)
		names[c.Name] = true
		require.Contains(t, docs.Rules, "| "+c.Rule+" |", c.Name)
		require.NotEmpty(t, c.Says)
	}
	for _, of := range []string{"resp-psn-check", "mr-lookup"} {
		s, err := Lookup(of)
		require.NoError(t, err)
		for seed := range uint64(2) {
			played := map[string]int{}
			g := NewGenerator(s, seed)
			for index := range s.Count {
				var c Case
				g.Make(index, &c)
				if name := DirectedOf(string(c.Why)); name != "" {
					played[name]++
				}
			}
			for _, c := range AllDirected() {
				if c.Scenario == of {
					require.Greater(t, played[c.Name], 8, "%s, seed %d", c.Name, seed)
				}
			}
		}
	}
}
