package hca

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// orderHost is a SendOrder of 8 QPs.
type orderHost struct {
	t *testing.T
	o SendOrder
}

// give gives a record and says whose turn comes to stand in the queue, with how many packets: 100 * qpn + packets, or
// 0.
func (h *orderHost) give(op SchedOp, qpn uint32, why SchedWhy, weight uint8) int {
	turn, stands, _ := h.o.Step(&SchedRecord{QPN: qpn, Op: op, Why: why, Weight: weight})
	require.Equal(h.t, stands, turn != SchedTurn{})
	return int(100*turn.QPN) + int(turn.Packets)
}

// TestSendOrder: the words of docs/blocks/sq_scheduler.md, one by one.
func TestSendOrder(t *testing.T) {
	h := &orderHost{t: t, o: NewSendOrder(8)}
	require.Zero(t, h.give(SchedWake, 3, 0, 0), "it is not set")
	h.give(SchedSet, 3, 0, 5)
	h.give(SchedSet, 4, 0, 0)
	h.give(SchedSet, 8, 0, 1)
	require.Zero(t, h.give(SchedWake, 8, 0, 0), "there is no such QP")
	require.Equal(t, 305, h.give(SchedWake, 3, 0, 0))
	require.Equal(t, 401, h.give(SchedWake, 4, 0, 0), "0 counts as 1")
	require.Zero(t, h.give(SchedDone, 4, SchedMore, 0), "not the oldest")
	require.Equal(t, 305, h.give(SchedDone, 3, SchedMore, 0))
	h.give(SchedSet, 3, 0, 7)
	require.Equal(t, 401, h.give(SchedDone, 4, SchedRate, 0))
	require.Zero(t, h.give(SchedDone, 3, SchedWindow, 0), "asleep")
	require.Equal(t, 307, h.give(SchedWake, 3, 0, 0))
	require.Zero(t, h.give(SchedWake, 3, 0, 0), "woken")
	require.Zero(t, h.give(SchedDone, 4, SchedNothing, 0))
	require.Equal(t, 307, h.give(SchedDone, 3, SchedNothing, 0), "it was woken")
	require.Zero(t, h.give(SchedDone, 3, SchedNothing, 0), "once")
	require.Zero(t, h.give(SchedDone, 3, SchedMore, 0), "it has no turn")
	h.give(SchedWake, 3, 0, 0)
	h.give(SchedWake, 3, 0, 0)
	h.give(SchedRemove, 3, 0, 0)
	require.Zero(t, h.give(SchedWake, 3, 0, 0))
	require.Equal(t, 1, h.o.Awake(), "its turn comes")
	h.give(SchedSet, 3, 0, 2)
	require.Zero(t, h.give(SchedDone, 3, SchedClosed, 0), "the wake was the old connection's")
	require.Equal(t, 302, h.give(SchedWake, 3, 0, 0))
	h.give(SchedWake, 3, 0, 0)
	require.Equal(t, 302, h.give(SchedDone, 3, SchedClosed, 0), "and this one is not")
}

// TestSendOrderIsFair: QPs that always have more have their turns in one cycle; and whatever comes, none stands in the
// queue twice, and none that was woken behind its last turn is asleep.
func TestSendOrderIsFair(t *testing.T) {
	h, r := &orderHost{t: t, o: NewSendOrder(8)}, rand.New(rand.NewPCG(5, 6))
	for qpn := range uint32(8) {
		h.give(SchedSet, qpn, 0, 1)
		require.NotZero(t, h.give(SchedWake, qpn, 0, 0))
	}
	for n := range uint32(800) {
		oldest, _ := h.o.Oldest()
		require.Equal(t, n%8, oldest)
		h.give(SchedDone, oldest, SchedMore, 0)
	}
	owed, removed := [8]bool{}, [8]bool{}
	for range 20000 {
		q := SchedRecord{QPN: uint32(r.IntN(8)), Op: SchedOp(r.IntN(5)), Why: SchedWhy(r.IntN(8)), Weight: 1}
		oldest, any := h.o.Oldest()
		if q.Op == SchedDone && any && r.IntN(4) > 0 {
			q.QPN = oldest
		}
		_, stands, _ := h.o.Step(&q)
		switch {
		case q.Op == SchedWake && !removed[q.QPN]:
			owed[q.QPN] = true
		case q.Op == SchedSet || q.Op == SchedRemove:
			removed[q.QPN] = q.Op == SchedRemove
		}
		owed[q.QPN] = owed[q.QPN] && !stands && !removed[q.QPN]
		places := [8]int{}
		for _, qpn := range h.o.line {
			places[qpn]++
			require.Equal(t, 1, places[qpn])
		}
		for qpn, owes := range owed {
			require.False(t, owes && places[qpn] == 0, "QP %d was woken and sleeps", qpn)
		}
	}
}
