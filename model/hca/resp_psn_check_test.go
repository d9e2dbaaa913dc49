package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// respBench puts records through a stage, one by one.
type respBench struct {
	t     testing.TB
	stage sim.Stage
}

func newRespBench(t testing.TB) *respBench {
	return &respBench{t, respPSNCheckSpec.New(sim.Settings{"NumQps": 64})}
}

func (b *respBench) put(q RespQuery) RespResult {
	data := q.Append(nil)
	require.Equal(b.t, q, ParseRespQuery(data))
	out := b.stage.Advance(0, []sim.Record{{Data: data}}, nil)
	require.Len(b.t, out, 1)
	require.Equal(b.t, out[0].Start, uint64(RespPSNCheckLatencyCycles))
	r := ParseRespResult(out[0].Data)
	require.Equal(b.t, out[0].Data, r.Append(nil))
	return r
}

// ready sets a QP up with PMTU 256 and everything enabled.
func (b *respBench) ready(set RespQuery) {
	set.Op = RespReset
	b.put(set)
	set.Op = RespSet
	if set.PMTU == 0 {
		set.PMTU, set.Enabled, set.MaxReads = 1, 7, 4
	}
	require.Equal(b.t, roce.RespDone, b.put(set).Verdict)
	require.Equal(b.t, roce.RespDone, b.put(RespQuery{Op: RespReady, QPN: set.QPN}).Verdict)
}

// TestSetGivesTheMSN: a QP may go on counting where it was elsewhere, and the count wraps at 24 bits.
func TestSetGivesTheMSN(t *testing.T) {
	b := newRespBench(t)
	b.ready(RespQuery{PMTU: 1, Enabled: 7, MaxReads: 1, DMALength: 0x5FFFFFE})
	require.EqualValues(t, 0xFFFFFF, b.put(good(ib.Opcode(ib.SendOnly), 0)).MSN)
	require.EqualValues(t, 0, b.put(good(ib.Opcode(ib.SendOnly), 1)).MSN)
}

// good is a packet to QP 0 whose look-ups all say yes.
func good(op ib.Opcode, p psn.PSN) RespQuery {
	return RespQuery{Opcode: op, PSN: p, AckReq: true, WQEBytes: 1 << 20, QKeyOK: true, WQEPresent: true, AccessOK: true,
		Credits: 9}
}

func with(q RespQuery, change func(*RespQuery)) RespQuery {
	change(&q)
	return q
}

// respLine is a record and what must come of it, worked out by hand from the rules.
type respLine struct {
	q        RespQuery
	verdict  roce.RespOutcome
	why      roce.RespReason
	answer   roce.RespAnswer
	syndrome ib.Syndrome
	psn      psn.PSN
	after    psn.PSN
	msn      uint32
}

func (b *respBench) play(lines []respLine) {
	for i, l := range lines {
		r := b.put(l.q)
		require.Equal(b.t, l, respLine{l.q, r.Verdict, r.Why, r.Answer, r.Syndrome, r.PSN, r.After, r.MSN}, "record %d: %+v",
			i, r)
	}
}

const ack9 = ib.Syndrome(9)

// The life of an RC QP: PSNs over the turn, READs, a gap, RNR, duplicates, an error.
func TestRespPSNCheckByHand(t *testing.T) {
	b := newRespBench(t)
	b.ready(RespQuery{PSN: 0xFFFFFE, RNRTimer: 12})
	read := func(p psn.PSN, length uint32) RespQuery {
		return with(good(0x0C, p), func(q *RespQuery) { q.DMALength = length })
	}
	first := with(good(0x00, 0xFFFFFE), func(q *RespQuery) { q.Payload, q.AckReq = 256, false })
	last := with(good(0x02, 0xFFFFFF), func(q *RespQuery) { q.Payload = 1 })
	noWQE := with(good(0x04, 9), func(q *RespQuery) { q.WQEPresent = false })
	b.play([]respLine{
		{first, roce.RespExecute, roce.RespGood, roce.RespNoAnswer, 0, 0, 0xFFFFFF, 0},
		{last, roce.RespExecute, roce.RespGood, roce.RespAck, ack9, 0xFFFFFF, 0, 1},
		{read(0, 0), roce.RespExecute, roce.RespGood, roce.RespReadResponses, ack9, 0, 1, 2}, // PSN-4: one PSN
		{read(1, 257), roce.RespExecute, roce.RespGood, roce.RespReadResponses, ack9, 1, 3, 3},
		{good(0x13, 3), roce.RespExecute, roce.RespGood, roce.RespAtomicAck, ack9, 3, 4, 4},
		{read(7, 1), roce.RespRefused, roce.RespGap, roce.RespNak, ib.NAKSequence, 4, 4, 4}, // RSP-2: once
		{read(8, 1), roce.RespDropped, roce.RespGap, roce.RespNoAnswer, 0, 0, 4, 4},
		{last, roce.RespDuplicate, roce.RespDupMessage, roce.RespAck, ack9, 3, 4, 4},                // RSP-5: MSN stays
		{read(1, 257), roce.RespDuplicate, roce.RespDupRead, roce.RespReadResponses, ack9, 1, 4, 4}, // RSP-7
		{good(0x13, 3), roce.RespDuplicate, roce.RespDupAtomic, roce.RespAtomicAck, ack9, 3, 4, 4},
		// RSP-2: a duplicate was answered
		{read(9, 1), roce.RespRefused, roce.RespGap, roce.RespNak, ib.NAKSequence, 4, 4, 4},
		{read(9, 1), roce.RespDropped, roce.RespGap, roce.RespNoAnswer, 0, 0, 4, 4},
		{read(4, 5*256), roce.RespExecute, roce.RespGood, roce.RespReadResponses, ack9, 4, 9, 5},
		{noWQE, roce.RespRefused, roce.RespNoReceive, roce.RespNak, 0x20 | 12, 9, 9, 5}, // RSP-9
		{good(0x04, 10), roce.RespDropped, roce.RespRNRPending, roce.RespNoAnswer, 0, 0, 9, 5},
		{good(0x04, 9), roce.RespExecute, roce.RespGood, roce.RespAck, ack9, 9, 10, 6},
		{good(0x04, 11), roce.RespRefused, roce.RespGap, roce.RespNak, ib.NAKSequence, 10, 10, 6}, // a new gap
		// four are in flight (PSN-5)
		{read(10, 1), roce.RespRefused, roce.RespNoRoom, roce.RespNak, ib.NAKInvalidRequest, 10, 10, 6},
		{good(0x04, 10), roce.RespDropped, roce.RespNotReady, roce.RespNoAnswer, 0, 0, 10, 6}, // RSP-10, RSP-15
		{last, roce.RespDropped, roce.RespNotReady, roce.RespNoAnswer, 0, 0, 10, 6},
	})
}

// The bounds of PSN-2: a request 2^23 behind is a duplicate. RSP-2, RSP-5, RSP-9 by profile.
func TestRespPSNCheckWindow(t *testing.T) {
	b := newRespBench(t)
	b.ready(RespQuery{PSN: 5})
	b.play([]respLine{
		{good(0x04, 0x800006), roce.RespDuplicate, roce.RespDupMessage, roce.RespAck, ack9, 4, 5, 0},
		{good(0x04, 4), roce.RespDuplicate, roce.RespDupMessage, roce.RespAck, ack9, 4, 5, 0},
		{good(0x04, 0x800005), roce.RespDuplicate, roce.RespDupMessage, roce.RespAck, ack9, 4, 5, 0},
		{good(0x04, 0x800004), roce.RespRefused, roce.RespGap, roce.RespNak, ib.NAKSequence, 5, 5, 0},
		{good(0x04, 5), roce.RespExecute, roce.RespGood, roce.RespAck, ack9, 5, 6, 1},
		{good(0x04, 0x800005), roce.RespRefused, roce.RespGap, roce.RespNak, ib.NAKSequence, 6, 6, 1},
	})
	// 2^23 PSNs are outstanding: the whole of a READ of 2^31 bytes was executed, and is asked for again from its start.
	long := with(good(0x0C, 5), func(q *RespQuery) { q.DMALength = 1 << 31 })
	b.ready(RespQuery{PSN: 5})
	b.play([]respLine{
		{long, roce.RespExecute, roce.RespGood, roce.RespReadResponses, ack9, 5, 0x800005, 1},
		{long, roce.RespDuplicate, roce.RespDupRead, roce.RespReadResponses, ack9, 5, 0x800005, 1},
	})
	b.ready(RespQuery{PSN: 5, Profile: RespNakWhileRNR, RNRTimer: 1})
	noWQE := with(good(0x04, 5), func(q *RespQuery) { q.WQEPresent = false })
	b.play([]respLine{
		{noWQE, roce.RespRefused, roce.RespNoReceive, roce.RespNak, 0x21, 5, 5, 0},
		{good(0x04, 6), roce.RespRefused, roce.RespGap, roce.RespNak, ib.NAKSequence, 5, 5, 0}, // the RNR NAK's PSN
		{good(0x04, 7), roce.RespDropped, roce.RespGap, roce.RespNoAnswer, 0, 0, 5, 0},
	})
}

// RSP-2, RSP-9: a duplicate that is answered ends the silence about a gap, and about what an RNR NAK told of; not where
// the profile keeps it, nor where it is not answered.
func TestRespPSNCheckNAKsAgain(t *testing.T) {
	old, gap := good(0x04, 4), good(0x04, 7)
	quiet := with(old, func(q *RespQuery) { q.AckReq = false })
	noWQE := with(good(0x04, 5), func(q *RespQuery) { q.WQEPresent = false })
	nak := respLine{gap, roce.RespRefused, roce.RespGap, roce.RespNak, ib.NAKSequence, 5, 5, 0}
	silent := respLine{gap, roce.RespDropped, roce.RespGap, roce.RespNoAnswer, 0, 0, 5, 0}
	pending := respLine{gap, roce.RespDropped, roce.RespRNRPending, roce.RespNoAnswer, 0, 0, 5, 0}
	ack := respLine{old, roce.RespDuplicate, roce.RespDupMessage, roce.RespAck, ack9, 4, 5, 0}
	ackQuiet := respLine{quiet, roce.RespDuplicate, roce.RespDupMessage, roce.RespAck, ack9, 4, 5, 0}
	unasked := respLine{quiet, roce.RespDropped, roce.RespDupMessage, roce.RespNoAnswer, 0, 0, 5, 0}
	rnr := respLine{noWQE, roce.RespRefused, roce.RespNoReceive, roce.RespNak, 0x20, 5, 5, 0}
	for _, c := range []struct {
		profile RespProfile
		lines   []respLine
	}{
		{0, []respLine{nak, silent, ack, nak, silent, ackQuiet, nak, rnr, pending, ack, nak, silent}},
		{RespDupKeepsNAK, []respLine{nak, silent, ack, silent, rnr, pending, ack, pending}},
		{RespDupAckByAckReq, []respLine{nak, unasked, silent, ack, nak, rnr, unasked, pending, ack, nak}},
	} {
		b := newRespBench(t)
		b.ready(RespQuery{PSN: 5, Profile: c.profile})
		b.play(c.lines)
	}
}

// OPC-2, LEN-1: what has no payload by its opcode carries none, and no pad.
func TestRespPSNCheckStrayPayload(t *testing.T) {
	for op, length := range map[ib.Opcode]uint16{0x0C: 0, 0x13: 0, 0x14: 0, 0x1C: 0, 0x1D: 8} {
		fit := with(good(op, 7), func(q *RespQuery) { q.DMALength, q.FlushPLT, q.Payload = 8, 1, length })
		payload := with(fit, func(q *RespQuery) { q.Payload++ })
		// pad comes before access, payload behind it
		pad := with(payload, func(q *RespQuery) { q.Pad, q.AccessOK = 3, false })
		for _, profile := range []RespProfile{0, RespLengthBeforeRKey, RespStrayPayloadTaken} {
			try := func(q RespQuery, why roce.RespReason) {
				b := newRespBench(t)
				b.ready(RespQuery{PSN: 7, Profile: profile, PMTU: 1, Enabled: 7, FlushEnabled: 3, MaxReads: 1})
				r := b.put(q)
				require.Equal(t, why, r.Why, "%02X, profile %d", op, profile)
				require.Equal(t, why != roce.RespGood, r.ToError)
			}
			try(fit, roce.RespGood)
			switch {
			case profile != RespStrayPayloadTaken:
				try(payload, roce.RespBadLength)
				try(pad, roce.RespUnsupported)
			case op == 0x1D:
				try(payload, roce.RespBadLength)
				try(pad, roce.RespNoAccess)
			default:
				try(payload, roce.RespGood)
				try(pad, roce.RespNoAccess)
			}
		}
	}
}

// RSP-16: the QP must have the permission for each bit of PLT; a PLT of 0 or above 3, or a SEL above 1, there is not.
func TestRespPSNCheckFlushKinds(t *testing.T) {
	for _, c := range []struct {
		plt, sel, enabled uint8
		spec, unchecked   roce.RespReason
	}{
		{1, 0, 1, roce.RespGood, roce.RespGood},
		{1, 1, 1, roce.RespGood, roce.RespGood},
		{1, 0, 2, roce.RespUnsupported, roce.RespUnsupported},
		{2, 0, 2, roce.RespGood, roce.RespGood},
		{2, 1, 1, roce.RespUnsupported, roce.RespUnsupported},
		{3, 0, 3, roce.RespGood, roce.RespGood},
		{3, 0, 1, roce.RespUnsupported, roce.RespUnsupported},
		{3, 0, 2, roce.RespUnsupported, roce.RespUnsupported},
		{0, 0, 3, roce.RespUnsupported, roce.RespGood},
		{0, 0, 0, roce.RespUnsupported, roce.RespGood},
		{4, 0, 3, roce.RespUnsupported, roce.RespGood},
		{8, 0, 3, roce.RespUnsupported, roce.RespGood},
		{15, 0, 3, roce.RespUnsupported, roce.RespGood},
		{15, 0, 2, roce.RespUnsupported, roce.RespUnsupported},
		{1, 2, 3, roce.RespUnsupported, roce.RespGood},
		{1, 3, 3, roce.RespUnsupported, roce.RespGood},
	} {
		for _, profile := range []RespProfile{0, RespFlushUnchecked} {
			b := newRespBench(t)
			b.ready(RespQuery{PSN: 7, Profile: profile, PMTU: 1, FlushEnabled: c.enabled, MaxReads: 1})
			r := b.put(with(good(0x1C, 7), func(q *RespQuery) { q.FlushPLT, q.FlushSel, q.DMALength = c.plt, c.sel, 8 }))
			want := c.spec
			if profile == RespFlushUnchecked {
				want = c.unchecked
			}
			require.Equal(t, want, r.Why, "%+v profile %d", c, profile)
		}
	}
}

// RSP-5, RSP-13: an answer says how many READs and atomics were in flight when its request came; the one to a duplicate
// that may interrupt them says nothing.
func TestRespPSNCheckBehind(t *testing.T) {
	b := newRespBench(t)
	b.ready(RespQuery{PSN: 5})
	read := with(good(0x0C, 5), func(q *RespQuery) { q.DMALength = 300 })
	for i, c := range []struct {
		q      RespQuery
		answer roce.RespAnswer
		behind uint8
	}{
		{good(0x04, 4), roce.RespAck, 0},
		{read, roce.RespReadResponses, 0},
		{good(0x14, 7), roce.RespAtomicAck, 1},
		{good(0x04, 8), roce.RespAck, 2},
		{with(good(0x04, 9), func(q *RespQuery) { q.AckReq = false }), roce.RespNoAnswer, 0},
		{good(0x04, 8), roce.RespAck, 2}, // a duplicate
		{read, roce.RespReadResponses, 0},
		{good(0x14, 7), roce.RespAtomicAck, 0},
		{good(0x04, 12), roce.RespNak, 2},
		{good(0x04, 12), roce.RespNoAnswer, 0},
		{RespQuery{Op: RespFreed}, roce.RespNoAnswer, 0},
		{good(0x04, 8), roce.RespAck, 1},
		{with(good(0x04, 10), func(q *RespQuery) { q.WQEPresent = false }), roce.RespNak, 1},
		{with(good(0x1D, 10), func(q *RespQuery) { q.Payload, q.DMALength = 8, 8 }), roce.RespEmptyRead, 1},
		{with(good(0x1D, 10), func(q *RespQuery) { q.Payload, q.DMALength = 8, 8 }), roce.RespEmptyRead, 0},
		{good(0x02, 11), roce.RespNak, 2}, // 61h
	} {
		r := b.put(c.q)
		require.Equal(t, []any{c.answer, c.behind}, []any{r.Answer, r.Behind}, "record %d: %+v", i, r)
	}
}

// RSP-1: of all checks that fail the first one is answered. Faults are taken away from the front, one by one.
func TestRespPSNCheckOrder(t *testing.T) {
	type step struct {
		why      roce.RespReason
		syndrome ib.Syndrome
		mend     func(*RespQuery)
	}
	access := step{roce.RespNoAccess, ib.NAKRemoteAccess, func(q *RespQuery) { q.AccessOK = true }}
	length := step{roce.RespBadLength, ib.NAKInvalidRequest, func(q *RespQuery) { q.Payload = 256 }}
	for _, profile := range []RespProfile{0, RespLengthBeforeRKey, RespTooLongIsRemoteOp} {
		set := RespQuery{PSN: 70, PMTU: 1, Profile: profile}
		// An Only with immediate that starts with all faults: WRITE not enabled, no WQE, no access, 257 bytes, RETH 255, own
		// error.
		q := with(good(0x0B, 70), func(q *RespQuery) {
			q.WQEPresent, q.AccessOK, q.Payload, q.DMALength, q.OwnError = false, false, 257, 255, true
		})
		steps := []step{
			{roce.RespUnsupported, ib.NAKInvalidRequest, func(*RespQuery) { set.Enabled = RespEnableWrite }},
			{roce.RespNoReceive, 0x20, func(q *RespQuery) { q.WQEPresent = true }},
			access, length,
			{roce.RespBadSum, ib.NAKInvalidRequest, func(q *RespQuery) { q.DMALength = 256 }},
			{roce.RespOwnError, ib.NAKRemoteOp, func(q *RespQuery) { q.OwnError = false }},
		}
		if profile == RespLengthBeforeRKey {
			steps[2], steps[3] = length, access
		}
		for _, s := range steps {
			b := newRespBench(t)
			b.ready(set)
			r := b.put(q)
			require.Equal(t, []any{s.why, s.syndrome, s.why != roce.RespNoReceive}, []any{r.Why, r.Syndrome, r.ToError})
			s.mend(&q)
		}
		b := newRespBench(t)
		b.ready(set)
		require.Equal(t, roce.RespExecute, b.put(q).Verdict)
	}
}

// Operations keep to the QP's state (RSP-15).
func TestRespPSNCheckOperations(t *testing.T) {
	b := newRespBench(t)
	set := RespQuery{Op: RespSet, PSN: 3, PMTU: 5, Enabled: 7, MaxReads: 1}
	ready, freed := RespQuery{Op: RespReady}, RespQuery{Op: RespFreed}
	again := with(set, func(q *RespQuery) { q.PSN = 8 })
	b.play([]respLine{
		{ready, roce.RespIgnored, roce.RespNoQP, 0, 0, 0, 0, 0},
		{good(0x04, 3), roce.RespDropped, roce.RespNoQP, 0, 0, 0, 0, 0},
		{with(set, func(q *RespQuery) { q.PMTU = 6 }), roce.RespIgnored, roce.RespNoSuch, 0, 0, 0, 0, 0},
		{with(set, func(q *RespQuery) { q.Service = 3 }), roce.RespIgnored, roce.RespNoSuch, 0, 0, 0, 0, 0},
		{with(set, func(q *RespQuery) { q.QPN = 64 }), roce.RespIgnored, roce.RespNoQP, 0, 0, 0, 0, 0},
		{set, roce.RespDone, roce.RespGood, 0, 0, 0, 3, 0},
		{good(0x04, 3), roce.RespDropped, roce.RespNotReady, 0, 0, 0, 3, 0},
		{again, roce.RespDone, roce.RespGood, 0, 0, 0, 8, 0},
		{ready, roce.RespDone, roce.RespGood, 0, 0, 0, 8, 0},
		{set, roce.RespIgnored, roce.RespNotReady, 0, 0, 0, 8, 0},
		{ready, roce.RespIgnored, roce.RespNotReady, 0, 0, 0, 8, 0},
		{freed, roce.RespIgnored, roce.RespNoRoom, 0, 0, 0, 8, 0},
		{good(0x13, 8), roce.RespExecute, roce.RespGood, roce.RespAtomicAck, ack9, 8, 9, 1},
		{freed, roce.RespDone, roce.RespGood, 0, 0, 0, 9, 1},
		{good(0x14, 9), roce.RespExecute, roce.RespGood, roce.RespAtomicAck, ack9, 9, 10, 2},
		{RespQuery{Op: RespError}, roce.RespDone, roce.RespGood, 0, 0, 0, 10, 2},
		{set, roce.RespIgnored, roce.RespNotReady, 0, 0, 0, 10, 2},
		{RespQuery{Op: 7}, roce.RespIgnored, roce.RespNoSuch, 0, 0, 0, 10, 2},
		{RespQuery{Op: RespReset}, roce.RespDone, roce.RespGood, 0, 0, 0, 0, 0},
		{set, roce.RespDone, roce.RespGood, 0, 0, 0, 3, 0},
	})
}
