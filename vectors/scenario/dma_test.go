package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
)

// TestRxDMAIsPossible: what rx-dma gives keeps the contract of docs/blocks/rx_dma.md. Each frame has the length that
// its record says, each write is acknowledged once, and no acknowledgement stands 256 writes or more before one that is
// older than it: a device could wait for ever. Every run may be cut behind any case.
func TestRxDMAIsPossible(t *testing.T) {
	s, err := Lookup("rx-dma")
	require.NoError(t, err)
	var owed []int // lengths of the frames to come
	writes, early, outOfOrder, errors := 0, 0, 0, 0
	oldest, answered := 0, map[int]bool{}
	var laps [hca.DMATags]int
	each(t, s, 1, s.Count, func(i uint64, c *Case) {
		switch c.Port {
		case dmaCommands:
			cmd := hca.ParseDMACommand(c.Frame)
			if cmd.Bytes > 0 {
				owed = append(owed, int(cmd.Bytes))
				if cmd.Place {
					writes++
				}
			}
			require.False(t, cmd.Clear && (cmd.Bytes > 0 || cmd.Complete), "case %d", i)
		case dmaPayload:
			require.NotEmpty(t, owed, "case %d: a frame without its record", i)
			require.Len(t, c.Frame, owed[0], "case %d", i)
			owed = owed[1:]
		case dmaAcks:
			tag := int(c.Frame[0])
			write := laps[tag]*hca.DMATags + tag
			laps[tag]++
			require.False(t, answered[write])
			require.Less(t, write-oldest, hca.DMATags, "case %d: a number whose write before is not answered", i)
			if answered[write] = true; write > oldest {
				outOfOrder++
			}
			for ; answered[oldest]; oldest++ {
				delete(answered, oldest)
			}
			if write >= writes {
				early++
			}
			errors += int(c.Frame[1] & 1)
		}
	})
	require.Empty(t, owed)
	require.Equal(t, writes, oldest, "every write is answered")
	require.Equal(t, writes, int(s.Count)/dmaLength*dmaWrites)
	require.Greater(t, early, writes/2)
	require.Greater(t, outOfOrder, writes/4)
	require.Greater(t, errors, 50)
}
