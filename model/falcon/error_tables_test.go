package falcon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

// newSender is a transmitter with one Push Data out, which is given up behind two timeouts.
func newSender(t *testing.T) *falcon.Transmitter {
	tx := falcon.NewTransmitter(&falcon.TransmitterConfig{Mode: &mode.Spec, Fcwnd: 8 * falcon.CwndOne, Ncwnd: 8,
		MaxRetransmits: 2, RTONs: 1000})
	s, gate := tx.Send(push, 7, 0)
	require.Equal(t, falcon.Open, gate)
	require.Zero(t, s.PSN)
	return tx
}

// timedOut lets the timer of the only packet end and sends it again.
func timedOut(t *testing.T, tx *falcon.Transmitter) falcon.Sent {
	var r falcon.TxResult
	tx.TimeOut(falcon.Data, 0, &r)
	s, gate := tx.Resend(0)
	require.Equal(t, falcon.Open, gate)
	require.Zero(t, s.PSN)
	require.Equal(t, uint32(7), s.RSN)
	return s
}

// The sender's table of errors: FAL-D20, FAL-D21, FAL-D22.
func TestSenderErrors(t *testing.T) {
	t.Run("timeouts", func(t *testing.T) {
		tx := newSender(t)
		for range 2 {
			require.Equal(t, push, timedOut(t, tx).Kind, "below the maximum: the original")
		}
		for n := range 3 {
			s := timedOut(t, tx)
			require.Equal(t, falcon.Resync, s.Kind, "at the maximum: a Resync, and its own count")
			require.Equal(t, [2]any{wire.ResyncRetransmit, uint8(n)}, [2]any{s.Code, s.Retries})
		}
		var r falcon.TxResult
		tx.TimeOut(falcon.Data, 0, &r)
		require.True(t, r.Fatal && tx.Dead(), "a Resync at the maximum")
		require.Equal(t, falcon.GateDead, tx.MaySend(push, 0))
	})
	for code, resync := range map[wire.NackCode]wire.ResyncCode{wire.NackXlr: wire.ResyncRemoteXlr,
		wire.NackCIE: wire.ResyncCIE,
		wire.NackNRE: wire.ResyncNRE, wire.NackInvalidCID: wire.ResyncInvalidCID} {
		t.Run(code.String(), func(t *testing.T) {
			tx := newSender(t)
			timedOut(t, tx)
			var r falcon.TxResult
			tx.Nack(&falcon.Nack{Window: falcon.Data, Code: code, ULPCode: 3}, falcon.Times{}, 10, &r)
			require.Equal(t, falcon.Nacked{Window: falcon.Data, RSN: 7, Of: push, Code: code, ULPCode: 3}, r.Nacked,
				"the transaction sublayer is told")
			s, gate := tx.Resend(10)
			require.Equal(t, falcon.Open, gate)
			require.Equal(t, [3]any{falcon.Resync, resync, uint8(0)}, [3]any{s.Kind, s.Code, s.Retries})
		})
	}
	for _, c := range []struct {
		code  wire.NackCode
		rnrNs int64
		endNs int64
	}{{wire.NackResources, 0, 1000}, {wire.NackRNR, 500, 1010}, {wire.NackRNR, 5000, 5010}} {
		tx := newSender(t)
		var r falcon.TxResult
		tx.Nack(&falcon.Nack{Window: falcon.Data, Code: c.code, RNRTimeoutNs: c.rnrNs}, falcon.Times{}, 10, &r)
		require.Equal(t, c.code, r.Nacked.Code, "congestion control is told")
		require.False(t, r.Chosen[falcon.Data].Any())
		tx.Expire(c.endNs-1, &r)
		require.False(t, r.Chosen[falcon.Data].Any())
		tx.Expire(c.endNs, &r)
		require.True(t, r.Chosen[falcon.Data].Has(0), "%v %d", c.code, c.rnrNs)
	}
}

// The receiver's table of errors: FAL-D3, FAL-D4, FAL-D9. What fails a check of integrity or security never comes so
// far (FAL-S7).
func TestReceiverErrors(t *testing.T) {
	resync := falcon.Packet{Kind: falcon.Resync, Of: push, PSN: 1}
	other := falcon.Packet{Kind: push, Of: push, PSN: 1}
	for _, c := range []struct {
		name   string
		taken  bool // the ULP has acknowledged what came before
		p      falcon.Packet
		refuse wire.NackCode
		dead   bool
		want   falcon.Arrival
		acked  bool
		nack   bool
		ack    bool
	}{
		{"duplicate, acknowledged", true, other, 0, false, falcon.Duplicate, true, false, true},
		{"duplicate, received", false, other, 0, false, falcon.Again, false, false, true},
		{"Resync of what is received", false, resync, 0, false, falcon.Again, true, false, true},
		{"Resync of what is acknowledged", true, resync, 0, false, falcon.Duplicate, true, false, true},
		{"no resources", false, falcon.Packet{Kind: push, Of: push, PSN: 2}, wire.NackResources, false, falcon.Refused, false,
			true, false},
		{"xLR filter", false, falcon.Packet{Kind: push, Of: push, PSN: 2}, wire.NackXlr, false, falcon.Refused, false, true,
			false},
		{"dead connection", false, other, 0, true, falcon.Dead, false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rx := falcon.NewReceiver(&falcon.ReceiverConfig{Mode: &mode.Spec, AckTimeoutNs: 1000})
			var out falcon.RxResult
			rx.Receive(&other, falcon.Facts{}, 0, &out) // PSN 0 is missing: PSN 1 stays inside the window
			if c.taken {
				rx.Acknowledge(1, 0, &out)
			}
			rx.TakeAck(&out)
			if c.dead {
				rx.Kill()
			}
			rx.Receive(&c.p, falcon.Facts{Refuse: c.refuse}, 0, &out)
			require.Equal(t, c.want, out.Arrival)
			w := rx.Window(falcon.Data)
			require.Equal(t, c.acked, w.Ack.Has(uint32(c.p.PSN)))
			_, runs := rx.TimerNs()
			require.Equal(t, c.ack, runs, "an ACK will follow")
			require.Equal(t, c.nack, out.HasNack)
			if c.nack {
				require.Equal(t, [2]any{c.refuse, c.p.PSN}, [2]any{out.Nack.Code, out.Nack.PSN})
				require.False(t, w.Rx.Has(2))
			}
		})
	}
}
