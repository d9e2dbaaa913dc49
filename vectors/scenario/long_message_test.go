package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/hca"
)

// TestMsgTrackerLongPassesEachBit: what was before a packet carries into each bit up to 30.
func TestMsgTrackerLongPassesEachBit(t *testing.T) {
	s, err := Lookup("msg-tracker-long")
	require.NoError(t, err)
	offset, carries := uint64(0), uint64(0)
	each(t, s, 1, s.Count, func(_ uint64, c *Case) {
		if q := hca.ParseMsgQuery(c.Frame); q.Op == hca.MsgCommit {
			require.False(t, q.Last)
			carries |= offset ^ (offset + uint64(q.Payload))
			offset += uint64(q.Payload)
		}
	})
	require.EqualValues(t, 1<<31-1, carries)
}

// TestRespLongLeavesEachBit: receive WQEs that have each bit from 13 on left, and nothing else, behind a First that a
// Middle follows.
func TestRespLongLeavesEachBit(t *testing.T) {
	s, err := Lookup("resp-long-message")
	require.NoError(t, err)
	left := uint32(0)
	each(t, s, 1, respLongLength, func(_ uint64, c *Case) {
		if q := hca.ParseRespQuery(c.Frame); string(c.Why) == "request: of a receive WQE with one bit left" {
			left |= q.WQEBytes - uint32(q.Payload)
		}
	})
	require.Equal(t, ^uint32(1<<13-1), left)
}
