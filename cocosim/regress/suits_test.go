package regress

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim/manifest"
)

// TestScenariosSuit: a checker that takes no malformed packet has no run of them; of ours nothing is left out.
func TestScenariosSuit(t *testing.T) {
	foreign, err := manifest.Load("../../docs/examples/icrc64/icrc64.yaml")
	require.NoError(t, err)
	own, err := manifest.Find("icrc_check")
	require.NoError(t, err)
	require.Contains(t, Scenarios(own), "malformed")
	require.NotContains(t, Scenarios(foreign), "malformed")
	require.Len(t, Scenarios(foreign), len(Scenarios(own))-1)
}
