package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// PSN-6: with PSNs of a few bits, a responder starts with one stale PSN of 2^(bits - 1) in its window, which it does
// not execute, and no other start does better.
func TestSafeStart(t *testing.T) {
	const bits = 5
	w := roce.WidthOf(bits)
	for high := uint32(0); high < 1<<bits; high++ {
		stale := func(start uint32) (in, executed int) {
			for k := uint32(1); k <= 1<<(bits-1); k++ {
				switch psn.Arrive(wide(high-k, w), wide(start, w)) {
				case psn.Expected:
					in, executed = in+1, executed+1
				case psn.Duplicate:
					in++
				}
			}
			return in, executed
		}
		start := uint32(roce.SafeStart(wide(high, w), w)) / uint32(w)
		in, executed := stale(start)
		require.Equal(t, []int{1, 0}, []int{in, executed})
		for other := uint32(0); other < 1<<bits; other++ {
			in, executed := stale(other)
			require.True(t, other == start || in > 1 || executed > 0, "high %d: %d is as good as %d", high, other, start)
		}
	}
}

func wide(p uint32, w roce.Width) psn.PSN { return psn.New(p * uint32(w)) }

// PSN-6: a QP number rests.
func TestTimeWait(t *testing.T) {
	tw := roce.TimeWait{Ticks: 100}
	require.True(t, tw.Free(7, 0))
	tw.Rest(7, 10)
	tw.Rest(8, 20)
	require.False(t, tw.Free(7, 109))
	require.True(t, tw.Free(7, 110))
	require.False(t, tw.Free(8, 119))
	require.True(t, tw.Free(9, 15))
}

// REQ-10: RD, an end-to-end context has one message at a time.
func TestEEContext(t *testing.T) {
	c := roce.EEContext{}
	rd := func(o ib.Operation, p psn.PSN) *roce.Packet { return &roce.Packet{Op: ib.Join(ib.RD, o), PSN: p} }
	require.True(t, c.Sent(rd(ib.SendFirst, 5)).Allowed())
	require.True(t, c.Sent(rd(ib.SendLast, 6)).Allowed())
	require.True(t, c.Sent(rd(ib.SendFirst, 5)).Allowed(), "a retry")
	c.Received(rd(ib.Ack, 5))
	require.Equal(t, roce.Rule("REQ-10"), c.Sent(rd(ib.WriteOnly, 7)).Rule)
	nak := rd(ib.Ack, 6)
	nak.Syndrome = ib.NAKSequence
	c.Received(nak)
	require.Equal(t, roce.Rule("REQ-10"), c.Sent(rd(ib.WriteOnly, 7)).Rule)
	c.Received(rd(ib.Ack, 6))
	require.True(t, c.Sent(rd(ib.WriteOnly, 7)).Allowed())
	require.True(t, c.Sent(rd(ib.Resync, 7)).Allowed())
	require.True(t, c.Sent(rd(ib.SendOnly, 8)).Allowed(), "RESYNC gave the message up")
}

// REQ-1: a scatter/gather list gives the pieces that hold a part of the message. Against a list written out byte by
// byte.
func TestSGList(t *testing.T) {
	l := roce.SGList{{VA: 100, Len: 3}, {VA: 500, Len: 0}, {VA: 200, Len: 4}, {VA: 300, Len: 2}}
	flat := []uint64{100, 101, 102, 200, 201, 202, 203, 300, 301}
	require.Equal(t, uint64(len(flat)), l.Len())
	for off := range uint32(12) {
		for n := range uint32(12) {
			var got []uint64
			found := l.Range(off, n, func(s roce.Segment) {
				require.NotZero(t, s.Len)
				for i := range uint64(s.Len) {
					got = append(got, s.VA+i)
				}
			})
			from, to := min(int(off), len(flat)), min(int(off+n), len(flat))
			require.Equal(t, to-from, int(found))
			require.Equal(t, len(flat[from:to]), len(got))
			for i, va := range got {
				require.Equal(t, flat[from+i], va)
			}
		}
	}
}

// PSN-1: the machines' states are plain: a copy is a snapshot and == compares.
func TestStatesAreValues(t *testing.T) {
	cfg := roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256}
	a, b := roce.NewResponder(&cfg), roce.NewResponder(&cfg)
	require.True(t, a == b)
	var out roce.Batch
	snapshot := a
	a.Step(&roce.Packet{Op: 0x0A, AckReq: true}, &out)
	require.False(t, a == b)
	require.True(t, snapshot == b)
	a.Next(&out)
	b.Step(&roce.Packet{Op: 0x0A, AckReq: true}, &out)
	b.Next(&out)
	require.True(t, a == b)
}

// RSP-13: however many answers wait, they leave in order and none is lost, wherever in the queue's memory the first of
// them lies.
func TestAnswersKeepTheirOrder(t *testing.T) {
	cfg := roce.ResponderConfig{Service: ib.RC, Profile: roce.Profile{AckPerRequest: true}, PMTUBytes: 256,
		Access: roce.RemoteWrite}
	r := roce.NewResponder(&cfg)
	var out roce.Batch
	asked, answered := psn.PSN(0), psn.PSN(0)
	for range 50 {
		for asked.Diff(answered) < 160 {
			r.Step(&roce.Packet{Op: 0x0A, PSN: asked, AckReq: true}, &out)
			asked = asked.Add(1)
		}
		for range 37 {
			out = out[:0]
			require.True(t, r.Next(&out))
			require.Equal(t, answered, out[0].Packet.PSN)
			answered = answered.Add(1)
		}
	}
}

// RSP-1: a WRITE goes on behind its last packet, beyond a multiple of 4 GiB too.
func TestAWriteGoesOnAcross4GiB(t *testing.T) {
	const first = 1<<32 - 256
	for _, regionVA := range []uint64{0, first} {
		r := roce.NewResponder(&roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256, Access: roce.RemoteWrite,
			Regions: [roce.MaxRegions]roce.Region{{RKey: 7, VA: regionVA, Len: 1 << 33, Access: roce.RemoteWrite}}})
		var out roce.Batch
		for i, op := range []ib.Operation{ib.WriteFirst, ib.WriteMiddle, ib.WriteLast} {
			p := roce.Packet{Op: ib.Join(ib.RC, op), PSN: psn.PSN(i), Len: 256}
			if i == 0 {
				p.VA, p.RKey, p.DMALen = first, 7, 3*256
			}
			out = out[:0]
			r.Step(&p, &out)
			require.Equal(t, roce.WriteMemory, out[0].Kind, "%v", out)
			require.Equal(t, first+256*uint64(i), out[0].VA)
		}
	}
}

// RSP-7: a duplicate READ that goes beyond the original is silent, however long it is.
func TestADuplicateReadBeyondTheOriginal(t *testing.T) {
	for bytes, answers := range map[uint32]int{1: 1, 4096: 1, 4097: 0, 0xFFFFF000: 0, 0xFFFFF001: 0, 0xFFFFFFFF: 0} {
		r := roce.NewResponder(&roce.ResponderConfig{Service: ib.RC, PMTUBytes: 4096, MaxReads: 1, Open: true,
			Access: roce.RemoteRead})
		read := roce.Packet{Op: ib.Join(ib.RC, ib.ReadRequest), VA: 0x1000, RKey: 7, DMALen: 8192}
		var out roce.Batch
		r.Step(&read, &out)
		for range 2 {
			require.True(t, r.Next(&out))
		}
		read.PSN, read.VA, read.DMALen = 1, read.VA+4096, bytes
		r.Step(&read, &out)
		for range answers {
			require.True(t, r.Next(&out), "%Xh bytes", bytes)
		}
		require.False(t, r.Next(&out), "%Xh bytes", bytes)
	}
}

// CRD-2: SSNs wrap as PSNs do: behind message FFFFFFh, message 0 may probe for credits.
func TestSSNsWrap(t *testing.T) {
	q := roce.NewRequester(&roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, Limited: true})
	q.Counted(0xFFFFFE)
	var out roce.Batch
	for id := range uint64(3) {
		require.True(t, q.Post(roce.Work{ID: id, Verb: roce.Send, Len: 4}, &out))
	}
	require.True(t, q.Next(&out), "message FFFFFFh probes")
	require.False(t, q.Next(&out))
	q.Step(&roce.Packet{Op: ib.Join(ib.RC, ib.Ack), MSN: 0xFFFFFF, Syndrome: ib.AckSyndrome(0)}, &out)
	require.True(t, q.Next(&out), "message 0 probes")
	require.False(t, q.Next(&out))
	q.Step(&roce.Packet{Op: ib.Join(ib.RC, ib.Ack), PSN: 1, Syndrome: ib.AckSyndrome(1)}, &out)
	require.True(t, q.Next(&out), "message 1 has a credit")
}

// RSP-13, REQ-1: a step allocates nothing once its batch has grown.
func TestStepsAllocateNothing(t *testing.T) {
	rcfg := roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256, Access: roce.RemoteWrite, MaxReads: 4,
		Regions: benchRegions}
	r := roce.NewResponder(&rcfg)
	qcfg := roce.RequesterConfig{Service: ib.RC, PMTUBytes: 256, Timeout: 14, RetryCount: 7}
	q := roce.NewRequester(&qcfg)
	out := make(roce.Batch, 0, 64)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		out = out[:0]
		q.Post(roce.Work{Verb: roce.Write, Len: 600, RKey: 7}, &out)
		for q.Next(&out) {
		}
		n := len(out)
		for i := range n {
			if out[i].Kind == roce.SendRequest {
				p := out[i].Packet
				r.Step(&p, &out)
			}
		}
		n = len(out)
		for r.Next(&out) {
		}
		for i, m := n, len(out); i < m; i++ {
			p := out[i].Packet
			q.Step(&p, &out)
		}
	}))
	require.True(t, q.Idle())
}

// RSP-7, RSP-13: a duplicate of the READ that is being answered interrupts nothing later: what waits behind leaves.
func TestADuplicateOfTheREADUnderWay(t *testing.T) {
	r := roce.NewResponder(&roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256, MaxReads: 1, Open: true,
		Access: roce.RemoteRead})
	var out roce.Batch
	read := roce.Packet{Op: ib.Join(ib.RC, ib.ReadRequest), PSN: 10, VA: 0x1000, RKey: 7, DMALen: 256}
	r.ResponderState = roce.NewResponder(&roce.ResponderConfig{Service: ib.RC, StartPSN: 10}).ResponderState
	r.Step(&read, &out)
	r.Step(&roce.Packet{Op: ib.Join(ib.RC, ib.SendOnly), PSN: 11, AckReq: true}, &out)
	r.Step(&read, &out)
	var psns []psn.PSN
	for out = out[:0]; r.Next(&out); out = out[:0] {
		psns = append(psns, out[0].Packet.PSN)
	}
	require.Equal(t, []psn.PSN{10, 11, 10}, psns)
}

// RSP-15: the receive WQE that a SEND has begun to fill ends with an error, whatever the packet is that the sequence of
// opcodes fails at.
func TestAHeldReceiveEndsWithAnError(t *testing.T) {
	for _, op := range []ib.Operation{ib.SendOnly, ib.WriteFirst, ib.ReadRequest} {
		r := roce.NewResponder(&roce.ResponderConfig{Service: ib.RC, PMTUBytes: 256, MaxReads: 1, Access: roce.RemoteRead |
			roce.RemoteWrite, Regions: benchRegions})
		require.True(t, r.PostReceive(roce.Receive{ID: 1, Len: 4096}))
		require.True(t, r.PostReceive(roce.Receive{ID: 2, Len: 4096}))
		var out roce.Batch
		r.Step(&roce.Packet{Op: ib.Join(ib.RC, ib.SendFirst), Len: 256}, &out)
		out = out[:0]
		r.Step(&roce.Packet{Op: ib.Join(ib.RC, op), PSN: 1, RKey: 7, DMALen: 512, Len: 256}, &out)
		ends := map[uint64]roce.Status{}
		for _, e := range out {
			if e.Kind == roce.Complete {
				ends[e.ID] = e.Status
			}
		}
		require.Equal(t, map[uint64]roce.Status{1: roce.LocalError, 2: roce.Flushed}, ends, op)
	}
}

// REQ-1, OPC-3: a READ response answers a READ, and what is answered like one, but neither a SEND nor a WRITE; an
// atomic has an answer of its own; an ACK may be to each.
func TestWhichAnswersARequestMayHave(t *testing.T) {
	answers := []ib.Operation{ib.ReadResponseOnly, ib.AtomicAck, ib.Ack}
	for op, want := range map[ib.Operation][]bool{
		ib.SendOnly: {false, false, true}, ib.WriteOnly: {false, false, true}, ib.ReadRequest: {true, false, true},
		ib.CmpSwap: {false, true, true}, ib.FetchAdd: {false, true, true},
	} {
		var v roce.Verbs
		v.Add(&roce.Packet{Op: ib.Join(ib.RC, op)})
		var may []bool
		for _, a := range answers {
			may = append(may, v.MayAnswer(&roce.Packet{Op: ib.Join(ib.RC, a)}))
		}
		require.Equal(t, want, may, op)
	}
}
