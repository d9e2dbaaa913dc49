package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVCRCLengths: PktLen stands on either side of every carry, and at its greatest.
func TestVCRCLengths(t *testing.T) {
	s, err := Lookup("vcrc")
	require.NoError(t, err)
	seen := map[int]bool{}
	each(t, s, 1, 20000, func(index uint64, c *Case) {
		if index%64 == 0 {
			words := int(c.Frame[4]&7)<<8 | int(c.Frame[5])
			require.Equal(t, c.layout.end, 4*words)
			seen[words] = true
		}
	})
	for k := 6; k <= 10; k++ {
		require.True(t, seen[1<<k-1] && seen[1<<k], k)
	}
	require.True(t, seen[2047])
}
