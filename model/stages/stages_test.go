package stages

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every stage is found by its name, and no two share one.
func TestEveryStageIsFound(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range All() {
		require.False(t, seen[s.Name], s.Name)
		seen[s.Name] = true
		found, ok := Lookup(s.Name)
		require.True(t, ok)
		require.Equal(t, s.Name, found.Name)
		require.Equal(t, s.Ports, found.Ports)
	}
	require.True(t, seen["falcon_window"] && seen["resp_psn_check"])
	_, ok := Lookup("nothing")
	require.False(t, ok)
}
