package falcon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

// both runs a case with a field of the mode not set and set.
func both(t *testing.T, set func(*mode.Mode), run func(t *testing.T, m *mode.Mode, is bool)) {
	plain, changed := mode.Spec, mode.Spec
	set(&changed)
	run(t, &plain, false)
	run(t, &changed, true)
}

// pick is the answer of a mode: one where the field is not set, the other where it is.
func pick[T any](is bool, zero, set T) T {
	if is {
		return set
	}
	return zero
}

// chosen is what an EACK of the request window calls for at 100 us, of packets that left one a microsecond from 0 on.
func chosen(t *testing.T, m *mode.Mode, n int, eack falcon.Ack, t1Ns int64) falcon.Bitmap {
	tx := falcon.NewTransmitter(txConfig(m))
	sendAll(t, tx, falcon.PullRequest, n, 0, us)
	var r falcon.TxResult
	eack.EACK = true
	tx.Ack(&eack, falcon.Times{T1Ns: t1Ns}, 100*us, &r)
	return r.Chosen[falcon.Requests]
}

// FAL-D16.
func TestModeDistanceInclusive(t *testing.T) {
	both(t, func(m *mode.Mode) { m.DistanceInclusive = true }, func(t *testing.T, m *mode.Mode, is bool) {
		require.Equal(t, pick(is, bits(0), bits(0, 1)), chosen(t, m, 5, falcon.Ack{Request: bits(4)}, 90*us))
	})
}

// FAL-D16: the RTT is 20 us smoothed, and 4 us by this EACK.
func TestModeRecencyByEACK(t *testing.T) {
	both(t, func(m *mode.Mode) { m.RecencyByEACK = true }, func(t *testing.T, m *mode.Mode, is bool) {
		tx := falcon.NewTransmitter(txConfig(m))
		sendAll(t, tx, falcon.PullRequest, 6, 90*us, 0)
		tx.KnowRTT(20 * us)
		var r falcon.TxResult
		tx.Ack(&falcon.Ack{EACK: true, Request: bits(5)}, falcon.Times{T1Ns: 96 * us}, 100*us, &r)
		require.Equal(t, pick(is, bits(), bits(0, 1)), r.Chosen[falcon.Requests])
	})
}

// FAL-D16: the first packet left again just now, the second long ago.
func TestModeRecencyEndsScan(t *testing.T) {
	both(t, func(m *mode.Mode) { m.RecencyEndsScan = true }, func(t *testing.T, m *mode.Mode, is bool) {
		tx := falcon.NewTransmitter(txConfig(m))
		sendAll(t, tx, falcon.PullRequest, 6, 0, 0)
		tx.TransmittedAt(falcon.Requests, 0, 99*us)
		var r falcon.TxResult
		tx.Ack(&falcon.Ack{EACK: true, Request: bits(5)}, falcon.Times{T1Ns: 80 * us}, 100*us, &r)
		require.Equal(t, pick(is, bits(1), bits()), r.Chosen[falcon.Requests])
	})
}

// FAL-D17: what lies behind the next PSN is never chosen, in either reading.
func TestModeOWNUpToNext(t *testing.T) {
	both(t, func(m *mode.Mode) { m.OWNUpToNext = true }, func(t *testing.T, m *mode.Mode, _ bool) {
		require.Equal(t, bits(0, 2), chosen(t, m, 3, falcon.Ack{Request: bits(1), RequestOWN: true}, 90*us))
	})
}

// FAL-D17.
func TestModeOWNFirstBypass(t *testing.T) {
	both(t, func(m *mode.Mode) { m.OWNFirstBypass = true }, func(t *testing.T, m *mode.Mode, is bool) {
		require.Equal(t, pick(is, bits(), bits(0, 1, 2)), chosen(t, m, 3, falcon.Ack{RequestOWN: true}, 0))
	})
}

// FAL-D17: a second EACK-OWN whose base moved, and then one about a PSN before the last scan's.
func TestModeOWNSmallerBypass(t *testing.T) {
	both(t, func(m *mode.Mode) { m.OWNSmallerBypass = true }, func(t *testing.T, m *mode.Mode, is bool) {
		tx := falcon.NewTransmitter(txConfig(m))
		sendAll(t, tx, falcon.PullRequest, 4, 0, 0)
		tx.OWNScannedFrom(falcon.Requests, 2)
		var r falcon.TxResult
		tx.Ack(&falcon.Ack{EACK: true, RequestOWN: true}, falcon.Times{T1Ns: 0}, us, &r)
		require.Equal(t, pick(is, bits(), bits(0, 1)), r.Chosen[falcon.Requests])
	})
}

// FAL-D17: the first EACK-OWN of a timeout needs no check, a second one does; behind it there is a first again.
func TestOWNFirstBypassComesAgain(t *testing.T) {
	m := mode.Spec
	m.OWNFirstBypass = true
	tx := falcon.NewTransmitter(txConfig(&m))
	rto := txConfig(&m).RTONs
	sendAll(t, tx, falcon.PullRequest, 1, 0, 0)
	for i, step := range []struct {
		atNs int64
		want falcon.Bitmap
	}{{us, bits(0)}, {2 * us, bits()}, {us + rto, bits(0)}, {2*us + rto, bits()}, {us + 2*rto, bits(0)}} {
		var r falcon.TxResult
		tx.KnowRTT(10 * rto) // nothing has left long ago
		tx.Ack(&falcon.Ack{EACK: true, RequestOWN: true}, falcon.Times{T1Ns: 0}, step.atNs, &r)
		require.Equal(t, step.want, r.Chosen[falcon.Requests], "EACK-OWN %d", i)
		drain(tx, step.atNs)
	}
}

// FAL-D17: the scan that ended at PSN 1 goes on there.
func TestModeOWNScanExitBypass(t *testing.T) {
	both(t, func(m *mode.Mode) { m.RecencyEndsScan, m.OWNScanExitBypass = true, true }, func(t *testing.T, m *mode.Mode,
		is bool) {
		tx := falcon.NewTransmitter(txConfig(m))
		sendAll(t, tx, falcon.PullRequest, 1, 0, 0)
		sendAll(t, tx, falcon.PullRequest, 2, 99*us, 0)
		var r falcon.TxResult
		tx.KnowRTT(20 * us)
		tx.Ack(&falcon.Ack{EACK: true, RequestOWN: true}, falcon.Times{T1Ns: 80 * us}, 100*us, &r)
		require.Equal(t, bits(0), r.Chosen[falcon.Requests])
		tx.Ack(&falcon.Ack{EACK: true, RequestBase: 1, RequestOWN: true}, falcon.Times{T1Ns: 80 * us}, 101*us, &r)
		require.Equal(t, pick(is, bits(), bits(0)), r.Chosen[falcon.Requests])
	})
}

// FAL-D17: after an EACK-OWN 33 requests are out, and 32 may be.
func TestModeOWNPause(t *testing.T) {
	both(t, func(m *mode.Mode) { m.OWNPause = true }, func(t *testing.T, m *mode.Mode, is bool) {
		tx := falcon.NewTransmitter(txConfig(m))
		sendAll(t, tx, falcon.PullRequest, 33, 0, 0)
		var r falcon.TxResult
		tx.Ack(&falcon.Ack{EACK: true, RequestOWN: true}, falcon.Times{T1Ns: 0}, 100*us, &r)
		require.Equal(t, pick(is, falcon.Open, falcon.GatePaused), tx.MaySend(falcon.PullRequest, 100*us))
		tx.Ack(&falcon.Ack{RequestBase: 1}, falcon.Times{T1Ns: 0}, 101*us, &r)
		require.Equal(t, falcon.Open, tx.MaySend(falcon.PullRequest, 101*us))
	})
}

// FAL-D17: the wait is over at base + slack = next: there is none where an EACK-OWN finds it so, and the ACK that
// brings it about ends it for good.
func TestOWNPauseEnds(t *testing.T) {
	m := mode.Spec
	m.OWNPause = true
	for kind, slack := range map[falcon.Kind]int{falcon.PullRequest: 32, falcon.PullData: 64} {
		own := falcon.Ack{EACK: true, RequestOWN: true, DataOWN: true}
		var r falcon.TxResult
		tx := falcon.NewTransmitter(txConfig(&m))
		sendAll(t, tx, kind, slack, 0, 0)
		tx.Ack(&own, falcon.Times{T1Ns: 0}, 100*us, &r)
		require.Equal(t, falcon.Open, tx.MaySend(kind, 100*us))

		tx = falcon.NewTransmitter(txConfig(&m))
		sendAll(t, tx, kind, slack+2, 0, 0)
		tx.Ack(&own, falcon.Times{T1Ns: 0}, 100*us, &r)
		back := falcon.Ack{RequestBase: 1}
		if kind == falcon.PullData {
			back = falcon.Ack{DataBase: 1}
		}
		tx.Ack(&back, falcon.Times{T1Ns: 0}, 101*us, &r)
		require.Equal(t, falcon.GatePaused, tx.MaySend(kind, 101*us))
		back.RequestBase, back.DataBase = 2*back.RequestBase, 2*back.DataBase
		tx.Ack(&back, falcon.Times{T1Ns: 0}, 102*us, &r)
		sendAll(t, tx, kind, 2, 102*us, 0)
	}
}

// FAL-D23.
func TestModeNackRTTByT2(t *testing.T) {
	both(t, func(m *mode.Mode) { m.NackRTTByT2 = true }, func(t *testing.T, m *mode.Mode, is bool) {
		tx := falcon.NewTransmitter(txConfig(m))
		var r falcon.TxResult
		tx.Nack(&falcon.Nack{Code: wire.NackRNR}, falcon.Times{T1Ns: 10 * us, T2Ns: 13 * us}, 18*us, &r)
		require.Equal(t, pick(is, int64(8*us), int64(3*us)), r.RTTNs)
	})
}

// FAL-D15.
func TestModeAckBitmapIntoRx(t *testing.T) {
	both(t, func(m *mode.Mode) { m.AckBitmapIntoRx = true }, func(t *testing.T, m *mode.Mode, is bool) {
		tx := falcon.NewTransmitter(txConfig(m))
		sendAll(t, tx, falcon.PushData, 3, 0, 0)
		var r falcon.TxResult
		tx.Ack(&falcon.Ack{EACK: true, DataAck: bits(1), DataRx: bits(1)}, falcon.Times{}, us, &r)
		require.Equal(t, pick(is, bits(1), bits()), r.Acked[falcon.Data])
		w := tx.Window(falcon.Data)
		require.Equal(t, pick(is, bits(0, 2), bits(0, 1, 2)), w.Outstanding())
		require.Equal(t, bits(1), w.Received)
	})
}

// FAL-D11.
func TestModeFcwndFloored(t *testing.T) {
	both(t, func(m *mode.Mode) { m.FcwndFloored = true }, func(t *testing.T, m *mode.Mode, is bool) {
		for fcwnd, want := range map[uint32][2]int{5 * falcon.CwndOne / 2: {3, 2}, falcon.CwndOne / 100: {1, 1},
			2 * falcon.CwndOne: {2, 2}} {
			cfg := txConfig(m)
			cfg.Fcwnd = fcwnd
			tx := falcon.NewTransmitter(cfg)
			out := 0
			for _, gate := tx.Send(falcon.PullRequest, 0, 0); gate == falcon.Open; _, gate = tx.Send(falcon.PullRequest, 0, 0) {
				out++
			}
			require.Equal(t, pick(is, want[0], want[1]), out, fcwnd)
		}
	})
}

// FAL-D21: RTO is 1 ms, the NACK says 10 us, then 5 ms.
func TestModeRNRTimerExact(t *testing.T) {
	both(t, func(m *mode.Mode) { m.RNRTimerExact = true }, func(t *testing.T, m *mode.Mode, is bool) {
		for timeout, want := range map[int64][2]int64{10 * us: {1000 * us, 10 * us}, 5000 * us: {5000 * us, 5000 * us}} {
			tx := falcon.NewTransmitter(txConfig(m))
			sendAll(t, tx, falcon.PushData, 1, 0, 0)
			var r falcon.TxResult
			tx.Nack(&falcon.Nack{Window: falcon.Data, Code: wire.NackRNR, RNRTimeoutNs: timeout}, falcon.Times{}, 100*us, &r)
			end := 100*us + pick(is, want[0], want[1])
			tx.Expire(end-1, &r)
			require.False(t, r.Chosen[falcon.Data].Any())
			tx.Expire(end, &r)
			require.Equal(t, bits(0), r.Chosen[falcon.Data])
		}
	})
}

// FAL-D20: RTO is 1 ms, the ULP's timeout 5 ms.
func TestModeULPTimeout(t *testing.T) {
	both(t, func(m *mode.Mode) { m.ULPTimeout = true }, func(t *testing.T, m *mode.Mode, is bool) {
		tx := falcon.NewTransmitter(txConfig(m))
		sendAll(t, tx, falcon.PushData, 2, 0, 0)
		var r falcon.TxResult
		tx.Ack(&falcon.Ack{EACK: true, DataRx: bits(1)}, falcon.Times{}, us, &r)
		tx.Expire(1000*us, &r)
		require.Equal(t, pick(is, bits(0, 1), bits(0)), r.Chosen[falcon.Data])
		tx.Expire(5000*us, &r)
		require.Equal(t, pick(is, bits(), bits(1)), r.Chosen[falcon.Data])
	})
}

// FAL-D20, FAL-D22: with a maximum of 2.
func TestModeRetryLimit(t *testing.T) {
	for limit, want := range map[mode.RetryLimit]string{mode.ResyncFirst: "again again Resync again again fatal",
		mode.FatalAtMax: "again fatal", mode.FatalAboveMax: "again again fatal"} {
		m := mode.Spec
		m.RetryLimit = limit
		cfg := txConfig(&m)
		cfg.MaxRetransmits = 2
		tx := falcon.NewTransmitter(cfg)
		sendAll(t, tx, falcon.PullRequest, 1, 0, 0)
		story, kind := "", falcon.PullRequest
		var r falcon.TxResult
		for now := int64(1000 * us); !tx.Dead(); now += 1000 * us {
			tx.Expire(now, &r)
			s, _ := tx.Resend(now)
			switch {
			case r.Fatal:
				story += "fatal"
			case s.Kind != kind:
				require.Equal(t, wire.ResyncRetransmit, s.Code)
				story, kind = story+"Resync ", s.Kind
			default:
				story += "again "
			}
		}
		require.Equal(t, want, story)
		require.Equal(t, falcon.GateDead, tx.MaySend(falcon.PullRequest, 0))
	}
}
