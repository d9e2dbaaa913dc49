package session

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/cocosim"
)

// TestLivesHoldOneOutput: of the lives that are full some have all outputs held back, and each output of a device is
// held back alone in some run; without outputs to choose from nothing is.
func TestLivesHoldOneOutput(t *testing.T) {
	seen := map[int]bool{}
	for seed := range uint64(8) {
		s := &Session{spec: Spec{Dut: "roce_parse", Seed: seed + 1, Count: 100, Resets: 32}, params: map[string]int{},
			inputs: map[string]uint64{}}
		for _, step := range []func() error{s.spec.check, s.chooseDut, s.configure, s.stimulus} {
			require.NoError(t, step())
		}
		lives, err := s.lives()
		require.NoError(t, err)
		for i := range lives {
			if lives[i].Backpressure == fullShare {
				seen[lives[i].StallOnly] = true
			} else {
				require.Zero(t, lives[i].StallOnly)
			}
		}
		for _, name := range s.heldOutputs() {
			require.Positive(t, s.manifest.PortNumber(name))
			if seed == 7 {
				require.True(t, seen[1+s.manifest.PortNumber(name)], name)
			}
		}
	}
	require.True(t, seen[0])
	require.Len(t, seen, 3) // all, m_hdr, m_axis
}

// TestStallOnlyIsRefused: a name of no output that can be held back, and one without backpressure, say so in a line.
func TestStallOnlyIsRefused(t *testing.T) {
	for text, spec := range map[string]Spec{
		"has no output of that name with a ready pin; it has m_hdr, m_axis": {StallOnly: "s_axis", Backpressure: 0.5},
		"without --backpressure nothing is held back":                       {StallOnly: "m_axis"},
	} {
		spec.Dut, spec.Device, spec.Count = "roce_parse", Model, 10
		_, err := Open(t.Context(), spec, nil)
		require.ErrorContains(t, err, text)
		require.Equal(t, cocosim.BadInput, cocosim.ExitOf(err))
	}
}
