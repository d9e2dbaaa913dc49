package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/sim"
)

// TestTurnsByHand: QP 1, whose weight is 2, gives a third packet before QP 2, which stood ready all along, has a turn
// (RATE-5).
func TestTurnsByHand(t *testing.T) {
	f := newHcaTxFlights(100)
	op := func(to HcaTxTarget, record []byte, at uint64) {
		f.input(&sim.Record{Port: HcaTxOps, Data: AppendHcaTxOp(nil, to, record), End: at})
	}
	post := func(qpn uint32, at uint64) *hcaTxFlight {
		q := SQRecord{QPN: qpn, Op: SQPost}
		op(ToSendQueues, q.Append(nil), at)
		f.ways[qpn] = &FrameWay{WayBack: WayBack{Encap: 1}}
		f.note(FrameRecord{QPN: qpn, Opcode: 0x04}, true, hcaTxCause{at, 0, true})
		return f.qps[qpn][len(f.qps[qpn])-1]
	}
	leave := func(p *hcaTxFlight) *hcaTxFlight {
		over := f.shares.left(p)
		f.forget(p)
		p.dropped = true
		return over
	}
	for qpn := uint32(1); qpn < 3; qpn++ {
		q := SchedRecord{QPN: qpn, Op: SchedSet, Weight: 2}
		op(ToTurns, q.Append(nil), 0)
	}
	early, other := post(1, 1000), post(2, 1001)
	var late []*hcaTxFlight
	for i := range uint64(4) {
		late = append(late, post(1, 1101+i))
	}
	require.Nil(t, leave(early), "it may have left before the other stood ready")
	require.Nil(t, leave(late[0]))
	require.Nil(t, leave(late[1]))
	require.Same(t, other, leave(late[2]))
	require.Nil(t, leave(other))
	require.Nil(t, leave(late[3]))

	// Beside other inputs nothing is certain.
	other = post(2, 2000)
	f.input(&sim.Record{Port: HcaTxResponses, Data: make([]byte, HcaTxResponseBytes), End: 2050})
	require.Empty(t, post(1, 2149).share.ahead)
	require.Equal(t, []*hcaTxFlight{other}, post(1, 2150).share.ahead)
}
