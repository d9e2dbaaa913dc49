package falcon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

const us = 1000 // ns

// bits is a bitmap of places.
func bits(places ...uint32) (b falcon.Bitmap) {
	for _, p := range places {
		b.Set(p)
	}
	return b
}

// txConfig is a transmitter's with everything wide open.
func txConfig(m *mode.Mode) *falcon.TransmitterConfig {
	return &falcon.TransmitterConfig{Mode: m, Fcwnd: 256 * falcon.CwndOne, Ncwnd: 256, OOOThreshold: 3, MaxRetransmits: 7,
		RTONs: 1_000_000, ULPTimeoutNs: 5_000_000}
}

// sendAll lets n packets of a kind leave, one every gap from a time on.
func sendAll(t testing.TB, tx *falcon.Transmitter, kind falcon.Kind, n int, fromNs, gapNs int64) {
	for i := range n {
		_, gate := tx.Send(kind, uint32(i), fromNs+int64(i)*gapNs)
		require.Equal(t, falcon.Open, gate)
	}
}

// drain lets everything that is due leave.
func drain(tx *falcon.Transmitter, nowNs int64) (out []falcon.PSN) {
	for s, gate := tx.Resend(nowNs); gate == falcon.Open; s, gate = tx.Resend(nowNs) {
		out = append(out, s.PSN)
	}
	return out
}

// The cases that the facts name, inputs and results of the peer's own tests: P.
func TestNamedCasesReliability(t *testing.T) {
	t.Run("P.RxWindowShiftByRxWindowSize", rxWindowShift)
	t.Run("P.OooCountTest", oooCount)
	t.Run("P.RetransmissionGatingCriteria", retransmissionGating)
	t.Run("P.RetransmittedPullRequestORRCTest", retransmittedORRC)
	t.Run("P.ARBitSetFcwndTest", arBit)
	t.Run("P.OwnRecencyCheckBypassTest", ownBypass)
}

// FAL-D2.
func rxWindowShift(t *testing.T) {
	for _, m := range []*mode.Mode{&mode.Spec, &mode.Peer} {
		r := falcon.NewReceiver(&falcon.ReceiverConfig{Mode: m, AckCount: 100, AckTimeoutNs: us})
		var out falcon.RxResult
		for psn := falcon.PSN(1); psn < 64; psn++ {
			r.Receive(&falcon.Packet{PSN: psn}, falcon.Facts{}, 0, &out)
			require.Equal(t, falcon.Received, out.Arrival)
		}
		require.Equal(t, falcon.PSN(0), r.Window(falcon.Requests).Base)
		r.Receive(&falcon.Packet{PSN: 0}, falcon.Facts{}, 0, &out)
		require.Equal(t, falcon.PSN(64), r.Window(falcon.Requests).Base)
		require.False(t, r.Window(falcon.Requests).Rx.Any())
	}
}

// FAL-D16.
func oooCount(t *testing.T) {
	for _, m := range []*mode.Mode{&mode.Spec, &mode.Peer} {
		tx := falcon.NewTransmitter(txConfig(m))
		sendAll(t, tx, falcon.PullRequest, 10, 0, 0)
		eack := falcon.Ack{EACK: true, Request: bits(1, 3, 4, 6)}
		var r falcon.TxResult
		tx.Ack(&eack, falcon.Times{T1Ns: 1 * us}, 20*us, &r)
		require.Equal(t, bits(0, 2), r.Chosen[falcon.Requests])
		require.Equal(t, []falcon.PSN{0, 2}, drain(tx, 20*us))
		tx.Ack(&eack, falcon.Times{T1Ns: 11 * us}, 30*us, &r)
		require.False(t, r.Chosen[falcon.Requests].Any())
		tx.Ack(&falcon.Ack{EACK: true, RequestBase: 9}, falcon.Times{T1Ns: 20 * us}, 40*us, &r)
		w := tx.Window(falcon.Requests)
		require.Equal(t, bits(0), w.Outstanding())
		require.Equal(t, falcon.PSN(9), w.Base)
	}
}

// FAL-D11.
func retransmissionGating(t *testing.T) {
	for _, fcwnd := range []uint32{2, 1} {
		tx := falcon.NewTransmitter(txConfig(&mode.Peer))
		sendAll(t, tx, falcon.PullRequest, 2, 0, 0)
		tx.Apply(fcwnd*falcon.CwndOne, 256, 0, 1000)
		var r falcon.TxResult
		tx.TimeOut(falcon.Requests, 1, &r)
		_, gate := tx.Resend(us)
		require.Equal(t, fcwnd == 2, gate == falcon.Open)
	}
}

// FAL-D12.
func retransmittedORRC(t *testing.T) {
	cfg := txConfig(&mode.Peer)
	cfg.RTONs = 10
	tx := falcon.NewTransmitter(cfg)
	sendAll(t, tx, falcon.PullRequest, 2, 0, 0)
	var r falcon.TxResult
	retransmitted := func() uint16 { _, n := tx.Requests(falcon.Requests); return n }
	tx.TimeOut(falcon.Requests, 1, &r)
	require.Equal(t, []falcon.PSN{1}, drain(tx, 5))
	require.Equal(t, uint16(1), retransmitted())
	tx.Expire(15, &r)
	require.Equal(t, bits(0, 1), r.Chosen[falcon.Requests])
	require.Equal(t, uint16(0), retransmitted(), "due again, and not yet sent")
	_, gate := tx.Resend(15)
	require.Equal(t, falcon.Open, gate)
	require.Equal(t, []falcon.PSN{1}, drain(tx, 15))
	require.Equal(t, uint16(2), retransmitted())
	tx.Ack(&falcon.Ack{EACK: true, Request: bits(1)}, falcon.Times{}, 16, &r)
	require.Equal(t, uint16(1), retransmitted())
	tx.Ack(&falcon.Ack{RequestBase: 2}, falcon.Times{}, 17, &r)
	require.Equal(t, uint16(0), retransmitted())
	outstanding, _ := tx.Requests(falcon.Requests)
	require.Equal(t, uint16(0), outstanding)
}

// FAL-D13.
func arBit(t *testing.T) {
	for fcwnd, want := range map[uint32]int{5: 100, 20: 10} {
		cfg := txConfig(&mode.Peer)
		cfg.Fcwnd, cfg.AckReqFcwnd, cfg.AckReqPercent = fcwnd*falcon.CwndOne, 5*falcon.CwndOne, 10
		tx := falcon.NewTransmitter(cfg)
		asked := 0
		for i := range falcon.PSN(100) {
			s, gate := tx.Send(falcon.PullRequest, 0, 0)
			require.Equal(t, falcon.Open, gate)
			if s.AR {
				asked++
			}
			var r falcon.TxResult
			tx.Ack(&falcon.Ack{RequestBase: i + 1}, falcon.Times{}, 0, &r)
		}
		require.Equal(t, want, asked)
	}
}

// FAL-D17.
func ownBypass(t *testing.T) {
	m := mode.Peer
	for _, m.OWNFirstBypass = range []bool{true, false} {
		tx := falcon.NewTransmitter(txConfig(&m))
		sendAll(t, tx, falcon.PullRequest, 2, 0, 10*us)
		var r falcon.TxResult
		tx.Ack(&falcon.Ack{EACK: true, RequestOWN: true}, falcon.Times{T1Ns: 0}, 20*us, &r)
		if m.OWNFirstBypass {
			require.Equal(t, bits(0, 1), r.Chosen[falcon.Requests])
			drain(tx, 20*us)
			tx.Ack(&falcon.Ack{EACK: true, RequestOWN: true}, falcon.Times{T1Ns: 0}, 21*us, &r)
			require.False(t, r.Chosen[falcon.Requests].Any(), "once an RTO period")
		} else {
			require.Equal(t, bits(0), r.Chosen[falcon.Requests])
		}
	}
}

// The cases that the facts name: A. FAL-D6, FAL-D7.
func TestNamedCasesCoalescing(t *testing.T) {
	cfg := falcon.ReceiverConfig{Mode: &mode.Peer, AckCount: 1, AckTimeoutNs: 8 * us}
	var out falcon.RxResult
	t.Run("A.AckCoalescingPullRequestCountTest", func(t *testing.T) {
		r := falcon.NewReceiver(&cfg)
		r.Receive(&falcon.Packet{PSN: 0}, falcon.Facts{}, 0, &out)
		require.True(t, out.HasAck)
		require.Equal(t, falcon.Ack{RequestBase: 1}, out.Ack)
	})
	t.Run("A.AckCoalescingTimerTest", func(t *testing.T) {
		cfg.AckCount = 10
		r := falcon.NewReceiver(&cfg)
		r.Receive(&falcon.Packet{PSN: 0}, falcon.Facts{}, 0, &out)
		require.False(t, out.HasAck)
		r.Expire(8*us-1, &out)
		require.False(t, out.HasAck)
		at, runs := r.TimerNs()
		require.True(t, runs)
		require.Equal(t, int64(8*us), at)
		r.Expire(at, &out)
		require.True(t, out.HasAck)
		_, runs = r.TimerNs()
		require.False(t, runs)
	})
	t.Run("A.AckCoalescingWithOOO", coalescingOutOfOrder)
}

// coalescingOutOfOrder: Push Data 0 to 6, ACKs whenever the timer ends.
func coalescingOutOfOrder(t *testing.T) {
	r := falcon.NewReceiver(&falcon.ReceiverConfig{Mode: &mode.Peer, AckCount: 100, AckTimeoutNs: 8 * us})
	var out falcon.RxResult
	now := int64(0)
	next := func(received, acknowledged []falcon.PSN) falcon.Ack {
		for _, p := range received {
			r.Receive(&falcon.Packet{Kind: falcon.PushData, Of: falcon.PushData, PSN: p}, falcon.Facts{}, now, &out)
			require.Equal(t, falcon.Received, out.Arrival)
		}
		for _, p := range acknowledged {
			r.Acknowledge(p, now, &out)
		}
		now += 8 * us
		r.Expire(now, &out)
		require.True(t, out.HasAck)
		return out.Ack
	}
	type psns = []falcon.PSN
	require.Equal(t, falcon.Ack{EACK: true, DataBase: 1, DataRx: bits(1, 2)}, next(psns{0, 2, 3}, psns{0}))
	require.Equal(t, falcon.Ack{DataBase: 2}, next(psns{1}, psns{1}))
	require.Equal(t, falcon.Ack{EACK: true, DataBase: 3, DataRx: bits(0, 2)}, next(psns{5}, psns{2}))
	require.Equal(t, falcon.Ack{EACK: true, DataBase: 5, DataRx: bits(0, 1), DataAck: bits(1)},
		next(psns{4, 6}, psns{3, 4, 6}))
}

// The cases that the facts name: K. FAL-D18.
func TestNamedCasesRACK(t *testing.T) {
	rackConfig := func() *falcon.TransmitterConfig {
		cfg := txConfig(&mode.Peer)
		cfg.RACK, cfg.RACKWindowNs = true, 2*us
		return cfg
	}
	t.Run("K.RackCalculationTest", func(t *testing.T) {
		tx := falcon.NewTransmitter(rackConfig())
		var r falcon.TxResult
		tx.KnowRTT(8 * us)
		tx.Ack(&falcon.Ack{}, falcon.Times{T1Ns: 9 * us}, 10*us, &r)
		tx.KnowRTT(8 * us)
		require.Equal(t, int64(3*us), tx.RACKTimeoutNs())
		tx.Ack(&falcon.Ack{}, falcon.Times{T1Ns: 7 * us}, 20*us, &r)
		tx.KnowRTT(8 * us)
		require.Equal(t, int64(3*us), tx.RACKTimeoutNs(), "an older t1 is ignored")
		tx.Nack(&falcon.Nack{Code: wire.NackRNR}, falcon.Times{T1Ns: 11 * us}, 40*us, &r)
		require.Equal(t, int64(31*us), tx.RACKTimeoutNs())
	})
	t.Run("K.RackRetransmissionTest", func(t *testing.T) {
		cfg := rackConfig()
		tx := falcon.NewTransmitter(cfg)
		for i := range uint32(5) {
			sendAll(t, tx, falcon.PullRequest, 1, int64(2*i)*us, 0)
			sendAll(t, tx, falcon.PushData, 1, int64(2*i+1)*us, 0)
		}
		var r falcon.TxResult
		tx.KnowRTT(8 * us)
		tx.Ack(&falcon.Ack{EACK: true, Request: bits(3, 4)}, falcon.Times{T1Ns: 8 * us}, 20*us, &r)
		require.Equal(t, bits(0, 1, 2), r.Chosen[falcon.Requests])
		require.Equal(t, bits(0, 1, 2), r.Chosen[falcon.Data])
	})
}

// The case that the facts name: L. FAL-D19.
func TestNamedCasesTLP(t *testing.T) {
	t.Run("L.TlpFirstUnreceivedTest", func(t *testing.T) {
		cfg := txConfig(&mode.Peer)
		cfg.RACK, cfg.TLP, cfg.RACKWindowNs = true, falcon.FirstUnreceived, 2*us
		tx := falcon.NewTransmitter(cfg)
		sendAll(t, tx, falcon.PullRequest, 10, 0, 1*us)
		var r falcon.TxResult
		tx.Ack(&falcon.Ack{EACK: true, Request: bits(0, 1, 2, 3)}, falcon.Times{T1Ns: 3 * us}, 20*us, &r)
		require.Equal(t, int64(70*us), tx.NextTimerNs())
		tx.Expire(70*us-1, &r)
		require.False(t, r.Chosen[falcon.Requests].Any())
		tx.Expire(70*us, &r)
		require.Equal(t, bits(4), r.Chosen[falcon.Requests])
		require.Equal(t, []falcon.PSN{4}, drain(tx, 70*us))
		tx.Expire(200*us, &r)
		require.False(t, r.Chosen[falcon.Requests].Any(), "one probe")
	})
}

// FAL-D19: what has arrived is no probe, be it acknowledged or not: the last that has not is.
func TestProbeIsTheLastUnreceived(t *testing.T) {
	cfg := txConfig(&mode.Spec)
	cfg.RACK, cfg.TLP, cfg.RACKWindowNs = true, falcon.LastUnreceived, 2*us
	tx := falcon.NewTransmitter(cfg)
	sendAll(t, tx, falcon.PushData, 4, 15*us, 0)
	var r falcon.TxResult
	tx.Ack(&falcon.Ack{EACK: true, DataRx: bits(3)}, falcon.Times{T1Ns: 3 * us}, 20*us, &r)
	require.False(t, r.Chosen[falcon.Data].Any(), "left behind what the EACK is about")
	tx.Expire(tx.NextTimerNs(), &r)
	require.Equal(t, bits(2), r.Chosen[falcon.Data])
}
