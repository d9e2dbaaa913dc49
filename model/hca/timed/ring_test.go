package timed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
)

// TestRingHoldsAsManyAsItsDepth: with so many under way the next request waits, whichever it is.
func TestRingHoldsAsManyAsItsDepth(t *testing.T) {
	r, q := newRing(3), hca.IssueRequest{}
	for i := range 3 {
		require.False(t, r.holds(&q), i)
		r.put(hca.IssueRequest{QPN: uint32(i + 1)})
	}
	require.True(t, r.holds(&q))
	r.take()
	require.False(t, r.holds(&q))
}
