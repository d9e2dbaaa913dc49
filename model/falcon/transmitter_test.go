package falcon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

// FAL-D15: what is old, what was never sent, and both bases.
func TestAckIsJudged(t *testing.T) {
	tx := falcon.NewTransmitter(txConfig(&mode.Spec))
	sendAll(t, tx, falcon.PullRequest, 4, 0, 0)
	sendAll(t, tx, falcon.PushData, 4, 0, 0)
	var r falcon.TxResult
	ack := func(request, data falcon.PSN) falcon.AckVerdict {
		tx.Ack(&falcon.Ack{RequestBase: request, DataBase: data}, falcon.Times{}, us, &r)
		return r.Verdict
	}
	require.Equal(t, falcon.AckTaken, ack(2, 1))
	require.Equal(t, [2]falcon.Bitmap{bits(0, 1), bits(0)}, r.Acked)
	require.Equal(t, falcon.AckStale, ack(1, 4))
	require.Equal(t, falcon.AckStale, ack(4, 0))
	require.Equal(t, falcon.AckGhost, ack(5, 4))
	require.Equal(t, falcon.AckGhost, ack(4, 5))
	require.Equal(t, uint32(0), r.NumAcked())
	require.Equal(t, falcon.AckTaken, ack(4, 4))
	require.Equal(t, uint32(5), r.NumAcked())
}

// FAL-D11, FAL-D14: ncwnd counts requests only, the gap everything.
func TestGates(t *testing.T) {
	cfg := txConfig(&mode.Spec)
	cfg.Ncwnd, cfg.DataWindow = 1, 3
	tx := falcon.NewTransmitter(cfg)
	sendAll(t, tx, falcon.PushData, 1, 0, 0)
	require.Equal(t, falcon.GateNcwnd, tx.MaySend(falcon.PushData, 0))
	require.Equal(t, falcon.Open, tx.MaySend(falcon.PullRequest, 0), "a count a window")
	sendAll(t, tx, falcon.PullData, 2, 0, 0)
	require.Equal(t, falcon.GateWindow, tx.MaySend(falcon.PullData, 0))
	tx.Apply(falcon.CwndOne, 2, 3, 1000)
	sendAll(t, tx, falcon.PullRequest, 1, 0, 0)
	require.Equal(t, falcon.GateGap, tx.MaySend(falcon.PullRequest, 3*falcon.GapNs-1))
	require.Equal(t, falcon.GateFcwnd, tx.MaySend(falcon.PullRequest, 3*falcon.GapNs))
}

// FAL-D11, FAL-D12: a Resync in the place of Push Data waits while as many as ncwnd allows are out again.
func TestResyncIsGatedLikeItsPacket(t *testing.T) {
	tx := falcon.NewTransmitter(txConfig(&mode.Spec))
	sendAll(t, tx, falcon.PushData, 2, 0, 500*us)
	tx.Apply(256*falcon.CwndOne, 1, 0, 1_000_000)
	var r falcon.TxResult
	tx.Expire(1000*us, &r)
	require.Equal(t, []falcon.PSN{0}, drain(tx, 1000*us))
	tx.Nack(&falcon.Nack{Window: falcon.Data, PSN: 1, Code: wire.NackCIE}, falcon.Times{}, 1001*us, &r)
	_, gate := tx.Resend(1001 * us)
	require.Equal(t, falcon.GateNcwnd, gate)
	tx.Ack(&falcon.Ack{DataBase: 1}, falcon.Times{}, 1002*us, &r)
	s, gate := tx.Resend(1002 * us)
	require.Equal(t, falcon.Open, gate)
	require.Equal(t, falcon.Resync, s.Kind)
}

// FAL-D21, FAL-D22: each NACK and what it calls for.
func TestNacks(t *testing.T) {
	for code, want := range map[wire.NackCode]wire.ResyncCode{wire.NackResources: 0, wire.NackRNR: 0, wire.NackXlr: 5,
		wire.NackCIE: 1,
		wire.NackNRE: 6, wire.NackInvalidCID: 7} {
		tx := falcon.NewTransmitter(txConfig(&mode.Spec))
		sendAll(t, tx, falcon.PushData, 3, 0, 0)
		var r falcon.TxResult
		nack := falcon.Nack{DataBase: 1, Window: falcon.Data, PSN: 2, Code: code, ULPCode: 9}
		tx.Nack(&nack, falcon.Times{}, us, &r)
		require.Equal(t, bits(0), r.Acked[falcon.Data])
		require.Equal(t, falcon.Nacked{Window: falcon.Data, PSN: 2, RSN: 2, Of: falcon.PushData, Code: code, ULPCode: 9},
			r.Nacked)
		s, gate := tx.Resend(us)
		if want == 0 {
			require.Equal(t, falcon.Nothing, gate, code)
			continue
		}
		require.Equal(t, falcon.Packet{Kind: falcon.Resync, Of: falcon.PushData, Code: want, PSN: 2, RSN: 2}, s.Packet)
		tx.Nack(&nack, falcon.Times{}, us, &r)
		_, gate = tx.Resend(us)
		require.Equal(t, falcon.Nothing, gate, "once")
		nack.PSN, nack.Code = 0, wire.NackCIE
		tx.Nack(&nack, falcon.Times{}, us, &r)
		require.Equal(t, falcon.Nacked{}, r.Nacked, "it is acknowledged")
	}
}

// FAL-D10, FAL-T1: what is due leaves in RSN order over both windows, where the RSNs turn too.
func TestResendOrder(t *testing.T) {
	for _, first := range []uint32{0, 0xFFFFFFFD, 1<<31 - 3} {
		tx := falcon.NewTransmitter(txConfig(&mode.Spec))
		for n := range uint32(6) {
			kind := []falcon.Kind{falcon.PushData, falcon.PullRequest}[n%2]
			_, gate := tx.Send(kind, first+n, 0)
			require.Equal(t, falcon.Open, gate)
		}
		var r falcon.TxResult
		tx.Expire(1000*us, &r)
		for n := range uint32(6) {
			s, gate := tx.Resend(1000 * us)
			require.Equal(t, falcon.Open, gate)
			require.Equal(t, first+n, s.RSN)
			require.True(t, s.Retransmission && !s.Early)
			require.Equal(t, uint8(1), s.Retries)
		}
	}
}

// FAL-D22: local xLR, and a transaction that timed out.
func TestReplace(t *testing.T) {
	tx := falcon.NewTransmitter(txConfig(&mode.Spec))
	sendAll(t, tx, falcon.PullRequest, 2, 0, 0)
	require.True(t, tx.Replace(falcon.Requests, 1, wire.ResyncLocalXlr))
	require.False(t, tx.Replace(falcon.Requests, 1, wire.ResyncTimeout))
	require.False(t, tx.Replace(falcon.Requests, 2, wire.ResyncTimeout), "never sent")
	s, _ := tx.Resend(0)
	require.Equal(t, wire.ResyncLocalXlr, s.Code)
	require.Equal(t, falcon.Requests, s.Window())
}

// FAL-D18: a BACK beyond the highest EACK puts RACK to rest.
func TestRACKAtRest(t *testing.T) {
	cfg := txConfig(&mode.Spec)
	cfg.RACK = true
	tx := falcon.NewTransmitter(cfg)
	sendAll(t, tx, falcon.PullRequest, 6, 0, us)
	var r falcon.TxResult
	tx.Ack(&falcon.Ack{RequestBase: 1}, falcon.Times{T1Ns: 5 * us}, 20*us, &r)
	require.False(t, r.Chosen[falcon.Requests].Any())
	tx.Ack(&falcon.Ack{EACK: true, RequestBase: 1, Request: bits(4)}, falcon.Times{T1Ns: 5 * us}, 21*us, &r)
	require.True(t, r.Chosen[falcon.Requests].Any())
}

// Nothing allocates once a connection is there.
func TestDeliveryDoesNotAllocate(t *testing.T) {
	x := newExchange()
	require.Zero(t, testing.AllocsPerRun(100, x.round))
}

// exchange is a transmitter and a receiver that lose one packet in 16.
type exchange struct {
	tx     *falcon.Transmitter
	rx     falcon.Receiver
	now    int64
	n      int
	txOut  falcon.TxResult
	rxOut  falcon.RxResult
	packet int
}

func newExchange() *exchange {
	cfg := txConfig(&mode.Spec)
	return &exchange{tx: falcon.NewTransmitter(cfg),
		rx: falcon.NewReceiver(&falcon.ReceiverConfig{Mode: &mode.Peer, AckCount: 4, AckTimeoutNs: 8 * us})}
}

// round sends 16 packets, or sends them again, and takes what comes back.
func (x *exchange) round() {
	for range 16 {
		x.now += 100
		s, gate := x.tx.Resend(x.now)
		if gate != falcon.Open {
			s, gate = x.tx.Send([]falcon.Kind{falcon.PushData, falcon.PullRequest}[x.n&1], uint32(x.n), x.now)
			x.n++
		}
		if x.packet++; gate != falcon.Open || x.packet%16 == 5 {
			continue
		}
		x.rx.Receive(&s.Packet, falcon.Facts{}, x.now, &x.rxOut)
		x.answer()
		if s.Kind == falcon.PushData {
			x.rx.Acknowledge(s.PSN, x.now, &x.rxOut)
			x.answer()
		}
	}
	x.rx.Expire(x.now, &x.rxOut)
	x.answer()
	x.tx.Expire(x.now, &x.txOut)
}

func (x *exchange) answer() {
	if x.rxOut.HasAck {
		x.tx.Ack(&x.rxOut.Ack, falcon.Times{T1Ns: x.now - 1}, x.now, &x.txOut)
	}
}

// A packet sent, received, acknowledged by the ULP and by an ACK, one in 16 lost: goal 2 million a second.
func BenchmarkDelivery(b *testing.B) {
	x := newExchange()
	b.ReportAllocs()
	for b.Loop() {
		x.round()
	}
	b.ReportMetric(16*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpackets/s")
}
