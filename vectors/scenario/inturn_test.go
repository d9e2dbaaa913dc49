package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInTurn: each kind once a round, and each behind each other one.
func TestInTurn(t *testing.T) {
	for _, kinds := range []uint64{8, 16} {
		pairs, last := map[[2]uint64]bool{}, uint64(0)
		for round := range kinds {
			seen := map[uint64]bool{}
			for i := range kinds {
				k := inTurn(round*kinds+i, kinds)
				seen[k], pairs[[2]uint64{last, k}] = true, true
				last = k
			}
			require.Len(t, seen, int(kinds))
		}
		require.GreaterOrEqual(t, len(pairs), int(kinds*(kinds-1)), "%d kinds", kinds)
	}
}
