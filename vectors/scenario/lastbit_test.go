package scenario

import (
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLastBit: the change of an ICRC, shifted through the table of the standard library and over the zeros behind it,
// leaves the bit that was drawn. Every bit is drawn for every beat.
func TestLastBit(t *testing.T) {
	seen := map[[2]int]bool{}
	for walk := range uint64(32 * len(beatSizes)) {
		end := 66 + int(walk)
		pattern, bit, zeros := lastBit(walk, 32, icrcPoly, end)
		register := pattern
		for range 4 + zeros {
			register = register>>8 ^ crc32.IEEETable[byte(register)]
		}
		require.Equal(t, uint32(1)<<bit, register, walk)
		beat := beatSizes[walk/32]
		require.Zero(t, (end+zeros)%beat)
		seen[[2]int{bit, beat}] = true
	}
	require.Len(t, seen, 32*len(beatSizes))
}
