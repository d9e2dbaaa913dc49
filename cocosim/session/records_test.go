package session

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a bundle keeps of a device that accepts part of the stimulus is enough for so many records to go in.
func TestRecordsTakenAreThoseBehindAccepts(t *testing.T) {
	spec := Spec{Dut: "../../cmd/cosim/testdata/foreign/drop8.yaml", Device: Model, Scenario: "mix", Seed: 1, Count: 3000}
	all, more, err := RecordsTaken(spec, 100, 3000)
	require.NoError(t, err)
	require.False(t, more)
	require.Greater(t, len(all), 120)
	less, more, err := RecordsTaken(spec, 99, 3000)
	require.NoError(t, err)
	require.False(t, more)
	require.Less(t, len(less), len(all))
	_, more, err = RecordsTaken(spec, 100, uint64(len(all)-1))
	require.NoError(t, err)
	require.True(t, more)
	plain, _, err := RecordsTaken(Spec{Dut: "icrc_check", Device: Model, Scenario: "mix", Seed: 1, Count: 300}, 50, 300)
	require.NoError(t, err)
	require.Len(t, plain, 50)
}
