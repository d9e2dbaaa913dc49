package falcon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

// rxWorld is a receiver and what it said last.
type rxWorld struct {
	r   falcon.Receiver
	out falcon.RxResult
	now int64
}

func newRx(m *mode.Mode) *rxWorld {
	return &rxWorld{r: falcon.NewReceiver(&falcon.ReceiverConfig{Mode: m, AckCount: 3, AckTimeoutNs: 8 * us})}
}

// packet takes one of a kind.
func (w *rxWorld) packet(k falcon.Kind, p falcon.PSN, ar bool) falcon.Arrival {
	w.r.Receive(&falcon.Packet{Kind: k, Of: k, PSN: p, AR: ar, T1: uint32(p)}, falcon.Facts{T2: uint32(p) + 1}, w.now,
		&w.out)
	return w.out.Arrival
}

// FAL-D9.
func TestModeWindowNack(t *testing.T) {
	both(t, func(m *mode.Mode) { m.WindowNack = true }, func(t *testing.T, m *mode.Mode, is bool) {
		w := newRx(m)
		require.Equal(t, falcon.Beyond, w.packet(pull, 64, false))
		require.True(t, w.r.Window(falcon.Requests).OWN)
		require.Equal(t, is, w.out.HasNack)
		if is {
			require.Equal(t, falcon.Nack{Window: falcon.Requests, PSN: 64, Code: wire.NackPeerWindow, T1: 64, T2: 65},
				w.out.Nack)
		}
	})
}

// FAL-D3, FAL-D5.
func TestModeWindowInclusive(t *testing.T) {
	both(t, func(m *mode.Mode) { m.WindowInclusive = true }, func(t *testing.T, m *mode.Mode, is bool) {
		w := newRx(m)
		require.Equal(t, falcon.Received, w.packet(reply, 127, false))
		require.Equal(t, falcon.Beyond, w.packet(reply, 128, false))
		require.Equal(t, !is, w.r.Window(falcon.Data).OWN)
		require.Equal(t, falcon.Beyond, w.packet(reply, 129, false))
		require.True(t, w.r.Window(falcon.Data).OWN)
	})
}

// FAL-D3.
func TestModeDuplicateByRx(t *testing.T) {
	both(t, func(m *mode.Mode) { m.DuplicateByRx = true }, func(t *testing.T, m *mode.Mode, is bool) {
		w := newRx(m)
		require.Equal(t, falcon.Received, w.packet(push, 1, false))
		require.Equal(t, pick(is, falcon.Again, falcon.Duplicate), w.packet(push, 1, false))
		w.r.Acknowledge(1, 0, &w.out)
		require.Equal(t, falcon.Duplicate, w.packet(push, 1, false))
	})
}

// FAL-D2.
func TestModeBaseOverReceived(t *testing.T) {
	both(t, func(m *mode.Mode) { m.BaseOverReceived = true }, func(t *testing.T, m *mode.Mode, is bool) {
		w := newRx(m)
		w.packet(push, 0, false)
		require.Equal(t, pick(is, falcon.PSN(0), falcon.PSN(1)), w.r.Window(falcon.Data).Base)
		w.r.Acknowledge(0, 0, &w.out)
		require.Equal(t, falcon.PSN(1), w.r.Window(falcon.Data).Base)
	})
}

// FAL-D7.
func TestModeEACKOnAnyRx(t *testing.T) {
	both(t, func(m *mode.Mode) { m.EACKOnAnyRx = true }, func(t *testing.T, m *mode.Mode, is bool) {
		w := newRx(m)
		w.packet(push, 0, false)
		w.packet(push, 1, false)
		w.r.TakeAck(&w.out)
		require.Equal(t, is, w.out.Ack.EACK)
		w.packet(push, 3, false)
		w.r.TakeAck(&w.out)
		require.True(t, w.out.Ack.EACK, "a hole")
	})
}

// FAL-D6: a count of 3. Push Data counts half when it comes and half when the ULP acknowledges it.
func TestModeAckByCount(t *testing.T) {
	both(t, func(m *mode.Mode) { m.AckByCount = true }, func(t *testing.T, m *mode.Mode, is bool) {
		w := newRx(m)
		w.packet(pull, 0, false)
		w.packet(push, 0, false)
		w.packet(push, 1, false)
		w.r.Acknowledge(0, 0, &w.out)
		require.False(t, w.out.HasAck)
		w.r.Acknowledge(1, 0, &w.out)
		require.Equal(t, is, w.out.HasAck)
	})
}

// FAL-D6.
func TestModeARIgnoredWhileOWN(t *testing.T) {
	both(t, func(m *mode.Mode) { m.ARIgnoredWhileOWN = true }, func(t *testing.T, m *mode.Mode, is bool) {
		w := newRx(m)
		w.packet(pull, 64, true)
		require.False(t, w.out.HasAck, "AR of a dropped packet")
		w.packet(pull, 0, true)
		require.Equal(t, !is, w.out.HasAck)
	})
}

// FAL-D6.
func TestModeDiscardedStartsNone(t *testing.T) {
	both(t, func(m *mode.Mode) { m.DiscardedStartsNone = true }, func(t *testing.T, m *mode.Mode, is bool) {
		w := newRx(m)
		require.Equal(t, falcon.Old, w.packet(pull, 0xFFFFFFFF, false))
		_, runs := w.r.TimerNs()
		require.Equal(t, !is, runs)
	})
}

// FAL-D6.
func TestModeDuplicateHonoursAR(t *testing.T) {
	both(t, func(m *mode.Mode) { m.DuplicateHonoursAR = true }, func(t *testing.T, m *mode.Mode, is bool) {
		w := newRx(m)
		w.packet(pull, 1, false)
		require.Equal(t, falcon.Duplicate, w.packet(pull, 1, true))
		require.Equal(t, is, w.out.HasAck)
	})
}

// FAL-D3, FAL-D4, FAL-D9: what is refused is not received, Push Data waits for the ULP, and a Resync does not.
func TestReceiverByHand(t *testing.T) {
	w := newRx(&mode.Spec)
	w.r.Receive(&falcon.Packet{PSN: 3}, falcon.Facts{Refuse: wire.NackResources}, 0, &w.out)
	require.Equal(t, falcon.Refused, w.out.Arrival)
	require.Equal(t, wire.NackResources, w.out.Nack.Code)
	require.False(t, w.r.Window(falcon.Requests).Rx.Any())
	require.Equal(t, falcon.Received, w.packet(push, 0, true))
	require.False(t, w.out.HasAck, "AR waits for the ULP")
	w.r.Receive(&falcon.Packet{Kind: falcon.Resync, Of: push, PSN: 0, AR: true}, falcon.Facts{}, 0, &w.out)
	require.Equal(t, falcon.Again, w.out.Arrival)
	require.Equal(t, falcon.Ack{DataBase: 1}, w.out.Ack)
	w.r.Acknowledge(0, 0, &w.out)
	require.False(t, w.out.HasAck, "it is acknowledged already")
	require.Equal(t, falcon.Received, w.packet(push, 1, true))
	w.r.Acknowledge(1, 0, &w.out)
	require.True(t, w.out.HasAck, "AR, when the ULP acknowledges")
	require.Equal(t, falcon.Received, w.packet(push, 3, true))
	require.Equal(t, falcon.Received, w.packet(reply, 2, false))
	w.r.Acknowledge(3, 0, &w.out)
	require.True(t, w.out.HasAck, "AR has moved with the base")
	w.r.Kill()
	require.Equal(t, falcon.Dead, w.packet(push, 2, true))
	require.False(t, w.out.HasAck || w.out.HasNack)
}

// FAL-D6: a Resync in front of Push Data that waits for the ULP moves the base: its AR stays its own, and no other's.
func TestARMovesWithAResync(t *testing.T) {
	w := newRx(&mode.Spec)
	require.Equal(t, falcon.Received, w.packet(push, 1, true))
	w.r.Receive(&falcon.Packet{Kind: falcon.Resync, Of: push, PSN: 0}, falcon.Facts{}, 0, &w.out)
	require.Equal(t, falcon.PSN(1), w.r.Window(falcon.Data).Base)
	require.Equal(t, falcon.Received, w.packet(push, 2, false))
	w.r.Acknowledge(2, 0, &w.out)
	require.False(t, w.out.HasAck, "nothing asked for it")
	w.r.Acknowledge(1, 0, &w.out)
	require.True(t, w.out.HasAck, "AR, when the ULP acknowledges")
}

// FAL-D8: a piggybacked base stops the timer, but not while there is more to say.
func TestPiggyback(t *testing.T) {
	for _, kind := range []falcon.Kind{reply, push} {
		w := newRx(&mode.Spec)
		w.packet(kind, 0, false)
		var p falcon.Packet
		w.r.Piggyback(&p)
		_, runs := w.r.TimerNs()
		require.Equal(t, kind == push, runs)
		require.Equal(t, pick(kind == push, falcon.PSN(1), falcon.PSN(0)), p.DataBase)
		w.packet(kind, 200, false)
		w.r.Piggyback(&p)
		_, runs = w.r.TimerNs()
		require.True(t, runs, "an OWN waits")
	}
}

// FAL-D8: nor while either window has a hole, of which an EACK is to tell.
func TestPiggybackBesideHole(t *testing.T) {
	for _, kind := range []falcon.Kind{pull, push} {
		w := newRx(&mode.Spec)
		w.packet(kind, 1, false)
		w.r.Piggyback(new(falcon.Packet))
		_, runs := w.r.TimerNs()
		require.True(t, runs, kind)
	}
}

// FAL-D5, FAL-D7: an EACK carries both OWNs and clears them; what is dropped later is told by the next.
func TestOWNs(t *testing.T) {
	w := newRx(&mode.Spec)
	w.packet(pull, 64, false)
	w.packet(reply, 128, false)
	w.r.TakeAck(&w.out)
	require.Equal(t, falcon.Ack{EACK: true, RequestOWN: true, DataOWN: true, T1: 128, T2: 129}, w.out.Ack)
	w.r.TakeAck(&w.out)
	require.Equal(t, falcon.Ack{T1: 128, T2: 129}, w.out.Ack)
	w.packet(reply, 129, false)
	w.r.TakeAck(&w.out)
	require.Equal(t, falcon.Ack{EACK: true, DataOWN: true, T1: 129, T2: 130}, w.out.Ack)
}

// FAL-D6: what is dropped counts whole, and the third of three brings the ACK.
func TestDroppedPacketsCount(t *testing.T) {
	w := newRx(&mode.Peer)
	for i := range 3 {
		require.Equal(t, falcon.Old, w.packet(pull, 0xFFFFFFFF, false))
		require.Equal(t, i == 2, w.out.HasAck)
	}
}
