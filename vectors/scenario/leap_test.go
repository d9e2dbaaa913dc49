package scenario

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two silences are in 20,000 records of cnp-gen and rate-limiter, of 2^20 and 2^21 clocks, and all records keep their
// order.
func TestLeaps(t *testing.T) {
	for _, name := range []string{"cnp-gen", "rate-limiter"} {
		s, err := Lookup(name)
		require.NoError(t, err)
		last, seen := uint64(0), map[int]int{}
		each(t, s, 3, 20_000, func(_ uint64, c *Case) {
			require.GreaterOrEqual(t, c.NotBefore, last, name)
			if gap := c.NotBefore - last; gap >= 1<<20 {
				seen[bits.Len64(gap)-1]++
			}
			last = c.NotBefore
		})
		require.Equal(t, map[int]int{20: 1, 21: 1}, seen, name)
	}
}
