package scenario

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPaceMovesNothingButTime: at every pace hca-rx has the same records; a slower run waits longer, and never goes
// back in time at a port.
func TestPaceMovesNothingButTime(t *testing.T) {
	s, err := Lookup("hca-rx")
	require.NoError(t, err)
	var first [][]byte
	var ends []uint64
	for i, pace := range []Pace{{BeatBytes: 128, Words: 64}, {BeatBytes: 64, Words: 4096}, {BeatBytes: 8, Words: 64},
		{BeatBytes: 8, Words: 64, Idle: 0.35, Backpressure: 0.35}, {BeatBytes: 8, Words: 64, Idle: 0.9, Backpressure: 0.9}} {
		g := NewGenerator(s, 4)
		g.SetPace(pace)
		var c Case
		var last [16]uint64
		for index := range uint64(1600) {
			g.Make(index, &c)
			if c.Port < hcaRxPortRead { // what memory gives may aim at a cycle that is past: it waits for what stands before it
				require.GreaterOrEqual(t, c.NotBefore, last[c.Port], "record %d of port %d", index, c.Port)
			}
			require.Greater(t, c.NotBefore, uint64(pace.Words))
			last[c.Port] = c.NotBefore
			if i == 0 {
				first = append(first, slices.Clone(c.Frame))
			}
			require.Equal(t, first[index], c.Frame, "record %d", index)
		}
		ends = append(ends, last[0])
	}
	require.IsIncreasing(t, []uint64{ends[0], ends[2], ends[3], ends[4]})
}
