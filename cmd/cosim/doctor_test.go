package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
	"hcacosim/docs"
)

// TestDoctorNamesWhatIsNotBuilt: every block of the two maps has a manifest and is called built there, or a line of
// doctor.
func TestDoctorNamesWhatIsNotBuilt(t *testing.T) {
	blocks := docs.MapBlocks()
	require.GreaterOrEqual(t, len(blocks), 27)
	require.Equal(t, len(blocks), strings.Count(docs.Pipeline+docs.Transmit, "built |\n"), "a row that is not read")
	missing, err := notBuilt()
	require.NoError(t, err)
	for _, b := range blocks {
		line := "block " + b.Name + ": " + b.What
		if b.Built {
			require.NotContains(t, missing, line)
		} else {
			require.Contains(t, missing, line)
		}
	}
	exit, out, _ := cosim("doctor")
	require.Contains(t, []cocosim.Exit{cocosim.Agreed, cocosim.BuildFailed}, exit)
	for _, line := range missing {
		require.Contains(t, out, line)
	}
}
