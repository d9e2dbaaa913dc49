package hca

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func (s *ReceiveQueues) run(q RQQuery) RQResult { return s.Step(&q) }

func wqeNumber(n uint32) ReceiveWQE { return ReceiveWQE{Bytes: 1000 * n, WQE: n} }

// TestReceiveQueueOfOne: a queue of its own: WQEs in the order of their posts, the head until a message is complete,
// credits of what is left (CRD-1, CRD-2), and nothing beyond Depth.
func TestReceiveQueueOfOne(t *testing.T) {
	s := &ReceiveQueues{numQPs: 4, depth: 8}
	ask := RQQuery{QPN: 2, Queue: 2}
	require.Equal(t, RQResult{QPN: 2}, s.run(ask))
	for n := range uint32(8) {
		require.True(t, s.run(RQQuery{Op: RQPost, Queue: 2, ReceiveWQE: wqeNumber(n + 1)}).Present)
	}
	require.False(t, s.run(RQQuery{Op: RQPost, Queue: 2, ReceiveWQE: wqeNumber(9)}).Present)
	require.Equal(t, RQResult{QPN: 2, Present: true, ReceiveWQE: wqeNumber(1), Credits: 6}, s.run(ask), "8 is code 6")
	first, last := ask, ask
	first.Op, last.Op, last.Complete = RQTake, RQTake, true
	require.Equal(t, wqeNumber(1), s.run(first).ReceiveWQE)
	ask.Complete = true
	require.Equal(t, RQResult{QPN: 2, Present: true, ReceiveWQE: wqeNumber(1), Credits: 5}, s.run(ask), "7 is told as 6")
	require.Equal(t, wqeNumber(1), s.run(last).ReceiveWQE)
	ask.Complete = false
	require.Equal(t, RQResult{QPN: 2, Present: true, ReceiveWQE: wqeNumber(2), Credits: 5}, s.run(ask))
	require.True(t, s.run(RQQuery{Op: RQClear, QPN: 99, Queue: 2}).Present)
	require.False(t, s.run(last).Present)
}

// TestReceiveQueueShared: each message of two QPs has a WQE of its own; one that UC abandoned is used again (RSP-3).
func TestReceiveQueueShared(t *testing.T) {
	s := &ReceiveQueues{numQPs: 4, depth: 8}
	for n := range uint32(3) {
		s.run(RQQuery{Op: RQPost, Queue: 3, ReceiveWQE: wqeNumber(n + 1)})
	}
	take := func(qpn uint32, complete bool) uint32 {
		return s.run(RQQuery{Op: RQTake, QPN: qpn, Queue: 3, Shared: true, Complete: complete}).WQE
	}
	require.Equal(t, uint32(1), take(0, false))
	require.Equal(t, uint32(2), take(1, false))
	require.Equal(t, uint32(1), take(0, false))
	ask := RQQuery{QPN: 0, Queue: 3, Shared: true, Complete: true}
	require.Equal(t, RQResult{Present: true, ReceiveWQE: wqeNumber(1), Credits: 31}, s.run(ask))
	require.Equal(t, uint32(1), take(0, true))
	require.Equal(t, uint32(3), take(0, true))
	require.Equal(t, uint32(0), take(0, true))
	require.Equal(t, uint32(2), take(1, false))
	require.Equal(t, RQResult{QPN: 1, Op: RQRelease, Present: true, ReceiveWQE: wqeNumber(2)},
		s.run(RQQuery{Op: RQRelease, QPN: 1, Queue: 99}))
	require.False(t, s.run(RQQuery{Op: RQRelease, QPN: 1}).Present)
	require.False(t, s.run(RQQuery{Op: RQTake, QPN: 0, Queue: 7, Shared: true}).Present, "a number that shares bits")
}
