package hca

import (
	"math/rand/v2"
	"slices"
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
	stage Stage
}

func newRespBench(t testing.TB) *respBench {
	return &respBench{t, respPSNCheckSpec.New(Settings{"NumQps": 64})}
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

// good is a packet to QP 0 whose look-ups all say yes.
func good(op ib.Opcode, p psn.PSN) RespQuery {
	return RespQuery{Opcode: op, PSN: p, AckReq: true, WQEBytes: 1 << 20, QKeyOK: true, WQEPresent: true, AccessOK: true, Credits: 9}
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
		require.Equal(b.t, l, respLine{l.q, r.Verdict, r.Why, r.Answer, r.Syndrome, r.PSN, r.After, r.MSN}, "record %d: %+v", i, r)
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
		{read(9, 1), roce.RespRefused, roce.RespGap, roce.RespNak, ib.NAKSequence, 4, 4, 4}, // RSP-2: a duplicate was answered
		{read(9, 1), roce.RespDropped, roce.RespGap, roce.RespNoAnswer, 0, 0, 4, 4},
		{read(4, 5*256), roce.RespExecute, roce.RespGood, roce.RespReadResponses, ack9, 4, 9, 5},
		{noWQE, roce.RespRefused, roce.RespNoReceive, roce.RespNak, 0x20 | 12, 9, 9, 5}, // RSP-9
		{good(0x04, 10), roce.RespDropped, roce.RespRNRPending, roce.RespNoAnswer, 0, 0, 9, 5},
		{good(0x04, 9), roce.RespExecute, roce.RespGood, roce.RespAck, ack9, 9, 10, 6},
		{good(0x04, 11), roce.RespRefused, roce.RespGap, roce.RespNak, ib.NAKSequence, 10, 10, 6},       // a new gap
		{read(10, 1), roce.RespRefused, roce.RespNoRoom, roce.RespNak, ib.NAKInvalidRequest, 10, 10, 6}, // four are in flight (PSN-5)
		{good(0x04, 10), roce.RespDropped, roce.RespNotReady, roce.RespNoAnswer, 0, 0, 10, 6},           // RSP-10, RSP-15
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

// RSP-2, RSP-9: a duplicate that is answered ends the silence about a gap, and about what an RNR NAK told of; not where the profile keeps it,
// nor where it is not answered.
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
		pad := with(payload, func(q *RespQuery) { q.Pad, q.AccessOK = 3, false }) // pad comes before access, payload behind it
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

// RSP-5, RSP-13: an answer says how many READs and atomics were in flight when its request came; the one to a duplicate that may interrupt
// them says nothing.
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
		// An Only with immediate that starts with all faults: WRITE not enabled, no WQE, no access, 257 bytes, RETH 255, own error.
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

// respWorld holds the stage beside roce.Responder, the second implementation of the rules.
type respWorld struct {
	*respBench
	r        *rand.Rand
	set      RespQuery
	cfg      roce.ResponderConfig
	resp     roce.Responder
	posted   []uint32 // receive WQEs
	window   bool     // the key that a peer may invalidate is valid
	owed     int      // responses that wait in resp
	fresh    int      // READs and atomics among what is owed, not counting duplicates
	huge     bool     // one of them is too long to be answered here
	message  roce.Packet
	offset   uint32 // bytes of the open message
	open     bool
	executed []roce.Packet
	seen     map[roce.RespReason]int
}

const (
	keyAll, keyShort, keyNone, keyWindow = 1, 2, 3, 7

	allVA, allBytes = 0x10000, 1 << 33
	shortBytes      = 1 << 20

	remote = roce.RemoteRead | roce.RemoteWrite | roce.RemoteAtomic | roce.FlushGlobal | roce.FlushPersistent
)

// allowed is what the regions of the world allow.
func allowed(key uint32, va, length uint64) bool {
	switch key {
	case keyAll:
		return va >= allVA && va+length <= allVA+allBytes
	case keyShort:
		return va+length <= shortBytes
	}
	return false
}

// start sets both up anew.
func (w *respWorld) start() {
	r := w.r
	w.set = RespQuery{
		PSN: psn.New([]uint32{0, 0x7FFFFF, 0xFFFFFD, r.Uint32()}[r.IntN(4)]), Service: RespService([]uint8{0, 0, 0, 0, 1, 2}[r.IntN(6)]),
		PMTU: uint8(1 + r.IntN(5)), MaxReads: uint8([]int{0, 1, 3, 16}[r.IntN(4)]), Enabled: 7, RNRTimer: uint8(r.IntN(32)),
		Profile: RespProfile(r.IntN(256)), QPN: uint32(r.IntN(64)), FlushEnabled: 3,
	}
	if r.IntN(4) == 0 {
		w.set.Enabled, w.set.FlushEnabled = uint8(r.IntN(8)), uint8(r.IntN(4))
	}
	w.cfg = w.set.config()
	w.cfg.QKey, w.cfg.Profile.AckPerRequest, w.cfg.Profile.NoCredits = 5, true, true
	w.cfg.Regions = [roce.MaxRegions]roce.Region{
		{RKey: keyAll, VA: allVA, Len: allBytes, Access: remote}, {RKey: keyShort, Len: shortBytes, Access: remote},
		{RKey: keyNone, Len: allBytes}, {RKey: keyWindow, Len: 8, Window: true}}
	w.resp = roce.NewResponder(&w.cfg)
	w.posted, w.executed = w.posted[:0], w.executed[:0]
	w.window, w.owed, w.fresh, w.huge, w.open = true, 0, 0, false, false
	w.ready(w.set)
}

func (w *respWorld) pmtu() uint32 { return w.cfg.PMTUBytes }

// drain sends every response that is owed, and tells the stage that READs and atomics were answered.
func (w *respWorld) drain() {
	if w.huge {
		w.start()
		return
	}
	var out roce.Batch
	for w.resp.Next(&out) {
		out = out[:0]
	}
	for ; w.fresh > 0; w.fresh-- {
		w.put(RespQuery{Op: RespFreed, QPN: w.set.QPN})
	}
	w.owed = 0
}

// draw makes a request that fits, or one that does not.
func (w *respWorld) draw() roce.Packet {
	r := w.r
	if len(w.executed) > 0 && r.IntN(8) == 0 { // a duplicate
		p := w.executed[r.IntN(len(w.executed))]
		p.AckReq = r.IntN(2) == 0
		return p
	}
	p := roce.Packet{PSN: w.resp.EPSN(), AckReq: r.IntN(2) == 0, SE: r.IntN(2) == 0, QKey: 5, RKey: keyAll,
		VA: allVA + 8*uint64(r.IntN(1<<20))}
	op := w.drawOperation(&p)
	p.Op = ib.Join(w.cfg.Service, op)
	w.drawLength(&p, op)
	if r.IntN(6) == 0 {
		w.damage(&p)
	}
	if r.IntN(8) == 0 {
		p.PSN = p.PSN.Add([]int32{1, 2, 5, psn.Half - 1, -psn.Half}[r.IntN(5)])
	}
	return p
}

func (w *respWorld) drawOperation(p *roce.Packet) ib.Operation {
	r := w.r
	if w.cfg.Service == ib.UD {
		return ib.SendOnly + ib.Operation(r.IntN(2))
	}
	if !w.open {
		ops := []ib.Operation{ib.SendFirst, ib.SendOnly, ib.SendOnlyImm, ib.WriteFirst, ib.WriteOnly, ib.WriteOnlyImm,
			ib.ReadRequest, ib.ReadRequest, ib.CmpSwap, ib.FetchAdd, ib.AtomicWrite, ib.Flush, ib.SendOnlyInv}
		if w.cfg.Service == ib.UC {
			ops = ops[:6]
		}
		return ops[r.IntN(len(ops))]
	}
	first := ib.Operation(w.message.Op & 0x1F)
	if first == ib.SendFirst {
		return []ib.Operation{ib.SendMiddle, ib.SendLast, ib.SendLastImm}[r.IntN(3)]
	}
	if w.message.DMALen-w.offset > w.pmtu() {
		return ib.WriteMiddle
	}
	return []ib.Operation{ib.WriteLast, ib.WriteLastImm}[r.IntN(2)]
}

func (w *respWorld) drawLength(p *roce.Packet, op ib.Operation) {
	r := w.r
	n := uint32(1 + r.IntN(int(w.pmtu())))
	switch op {
	case ib.SendFirst, ib.SendMiddle, ib.WriteMiddle:
		p.Len = w.pmtu()
	case ib.SendLast, ib.SendLastImm:
		p.Len = n
	case ib.WriteLast, ib.WriteLastImm:
		p.Len = w.message.DMALen - w.offset
	case ib.WriteFirst:
		p.Len, p.DMALen = w.pmtu(), w.pmtu()*uint32(1+r.IntN(3))+n
		if r.IntN(4) == 0 { // a later packet of it leaves the region
			p.RKey, p.VA = keyShort, uint64(shortBytes-w.pmtu()*uint32(r.IntN(3)))
		}
	case ib.AtomicWrite:
		p.Len, p.DMALen = 8, 8
	case ib.ReadRequest:
		p.DMALen = []uint32{0, 1, w.pmtu(), w.pmtu() + 1, uint32(r.IntN(70 * int(w.pmtu()))), ib.MaxMessage}[r.IntN(6)]
	case ib.Flush:
		p.FETH = uint8(1+r.IntN(3)) | uint8(r.IntN(2))<<4
	case ib.CmpSwap, ib.FetchAdd:
	default: // Only
		p.Len = n * uint32(r.IntN(2))
		p.DMALen = p.Len
	}
	if op == ib.SendOnlyInv || op == ib.SendLastInv {
		p.RKey = keyWindow
	}
}

// damage breaks one thing, which does not have to matter.
func (w *respWorld) damage(p *roce.Packet) {
	r := w.r
	switch r.IntN(11) {
	case 10:
		p.FETH = uint8(r.IntN(64))
	case 0:
		p.QKey = 6
	case 1:
		p.PSN = p.PSN.Add([]int32{-1, -2, -5, 1 - psn.Half, -psn.Half}[r.IntN(5)])
	case 2:
		p.Op = ib.Opcode(r.IntN(256))
	case 3:
		p.Op = ib.Join(w.cfg.Service, ib.Operation(r.IntN(32)))
	case 4:
		p.RKey = keyNone
	case 5:
		p.VA += uint64(1 + r.IntN(7))
	case 6:
		p.Len = []uint32{p.Len + 1, max(p.Len, 1) - 1, 0, w.pmtu(), w.pmtu() + 1}[r.IntN(5)]
	case 7:
		p.DMALen = ib.MaxMessage + uint32(r.IntN(2))
	case 8:
		p.DMALen += uint32(r.IntN(3)) - 1
	case 9:
		p.Pad = uint8(1 + r.IntN(3))
	}
}

// query is what the look-ups ahead of the stage make of a packet.
func (w *respWorld) query(p *roce.Packet) RespQuery {
	q := RespQuery{QPN: w.set.QPN, FlushPLT: p.FETH & 15, FlushSel: p.FETH >> 4, PSN: p.PSN, Opcode: p.Op, Payload: uint16(p.Len), DMALength: p.DMALen, Pad: p.Pad,
		VALow: uint8(p.VA & 7), AckReq: p.AckReq, Solicited: p.SE, Credits: ib.CreditsUnlimited, QKeyOK: p.QKey == 5, WQEPresent: len(w.posted) > 0}
	if q.WQEPresent {
		q.WQEBytes = w.posted[0]
	}
	switch op := ib.Operation(p.Op & 0x1F); op {
	case ib.WriteFirst, ib.WriteOnly, ib.WriteOnlyImm:
		q.AccessOK = allowed(p.RKey, p.VA, uint64(p.Len))
	case ib.WriteMiddle, ib.WriteLast, ib.WriteLastImm:
		q.AccessOK = allowed(w.message.RKey, w.message.VA+uint64(w.offset), uint64(p.Len))
	case ib.ReadRequest:
		q.AccessOK = allowed(p.RKey, p.VA, uint64(p.DMALen))
	case ib.Flush: // of a whole region or of a range
		q.AccessOK = q.FlushSel == 1 && (p.RKey == keyAll || p.RKey == keyShort) ||
			q.FlushSel != 1 && (p.DMALen == 0 || allowed(p.RKey, p.VA, uint64(p.DMALen)))
	case ib.SendLastInv, ib.SendOnlyInv:
		q.AccessOK = p.RKey == keyWindow && w.window
	default:
		q.AccessOK = allowed(p.RKey, p.VA, 8)
	}
	return q
}

// step puts one request to both and compares what they say.
func (w *respWorld) step() {
	p := w.draw()
	shape := p.Op.Shape()
	if w.r.IntN(6) == 0 || p.PSN != w.resp.EPSN() && shape.Verb == roce.Read || w.owed > 90 {
		before := w.cfg
		w.drain() // also: the answer to a duplicate READ would cut a later one short
		if before != w.cfg {
			return
		}
	}
	for len(w.posted) < 3 && w.r.IntN(3) > 0 {
		n := []uint32{0, 100, 300, 1 << 30, 1 << 30, 1 << 30}[w.r.IntN(6)]
		w.posted = append(w.posted, n)
		w.resp.PostReceive(roce.Receive{Len: n})
	}
	got := w.put(w.query(&p))

	isOld := w.set.Service == RespRC && p.PSN != w.resp.EPSN()
	var out roce.Batch
	w.resp.Step(&p, &out)
	var drop roce.Rule
	complete, toError := false, false
	for _, e := range out {
		switch e.Kind {
		case roce.Drop:
			drop = e.Why
		case roce.Complete:
			complete = complete || e.Status == roce.Success
		case roce.EnterError:
			toError = true
		case roce.AtomicMemory:
			w.resp.Result(e.Slot, 1)
		}
	}
	require.Equal(w.t, w.resp.EPSN(), got.After, "%s %+v %+v", drop, p, got)
	require.Equal(w.t, w.resp.MSN(), got.MSN, "%+v %+v", p, got)
	require.Equal(w.t, []bool{complete, complete && p.SE, toError}, []bool{got.Complete, got.Solicited, got.ToError},
		"%+v %+v", p, got)
	switch {
	case drop != "":
		require.Equal(w.t, drop, got.Why.Rule(w.cfg.Service), "%+v %+v", p, got)
		require.NotEqual(w.t, roce.RespExecute, got.Verdict)
	case isOld:
		require.Contains(w.t, []roce.RespReason{roce.RespDupRead, roce.RespDupAtomic}, got.Why, "%+v %+v", p, got)
		require.Equal(w.t, roce.RespDuplicate, got.Verdict)
	default:
		require.Equal(w.t, []any{roce.RespGood, roce.RespExecute}, []any{got.Why, got.Verdict}, "%+v %+v", p, got)
	}
	w.seen[got.Why]++
	w.compareAnswer(&p, got)
	w.follow(&p, shape, got)
}

// compareAnswer holds the answer against the response behind all that were owed before.
func (w *respWorld) compareAnswer(p *roce.Packet, got RespResult) {
	rest := w.resp
	var out roce.Batch
	for range w.owed {
		require.True(w.t, rest.Next(&out))
	}
	out = out[:0]
	if !rest.Next(&out) {
		// A machine keeps as many READs and atomics as were agreed on. What it has forgotten it does not answer.
		if got.Why == roce.RespDupRead || got.Why == roce.RespDupAtomic {
			require.False(w.t, w.keeps(p), "%+v %+v", p, got)
			w.start() // and what it does not answer changes nothing; the stage cannot know
			return
		}
		require.Equal(w.t, roce.RespNoAnswer, got.Answer, "%+v %+v", p, got)
		return
	}
	want := out[len(out)-1].Packet
	answer := roce.RespAck
	switch op := ib.Operation(want.Op & 0x1F); {
	case op == ib.AtomicAck:
		answer = roce.RespAtomicAck
	case op != ib.Ack && ib.Operation(p.Op&0x1F) != ib.ReadRequest:
		answer = roce.RespEmptyRead
	case op != ib.Ack:
		answer = roce.RespReadResponses
	case want.Syndrome.Kind() != ib.KindAck:
		answer = roce.RespNak
	}
	require.Equal(w.t, []any{answer, want.PSN, want.Syndrome, want.MSN}, []any{got.Answer, got.PSN, got.Syndrome, got.MSN},
		"%+v %+v", p, got)
	w.owed++
	if answer == roce.RespReadResponses {
		w.owed += int(psn.OfRead(p.DMALen, w.pmtu())) - 1
		w.huge = w.huge || p.DMALen > 1<<20
	}
}

// keeps tells that p is one of the last requests that the machine keeps, unchanged.
func (w *respWorld) keeps(p *roce.Packet) bool {
	kept := 0
	for i := len(w.executed) - 1; i >= 0 && kept < int(w.set.MaxReads); i-- {
		e := w.executed[i]
		if e.Op.Shape().Verb.Replayed() {
			kept++
			e.AckReq = p.AckReq
			if e == *p {
				return true
			}
		}
	}
	return false
}

// follow keeps what the next request builds on.
func (w *respWorld) follow(p *roce.Packet, shape *ib.Shape, got RespResult) {
	switch {
	case got.Complete:
		w.posted = w.posted[1:]
	case got.ToError:
		w.open = false
	}
	if w.set.Service == RespUC && got.Verdict != roce.RespExecute && got.Why != roce.RespNotReady && got.Why != roce.RespBadOpcode {
		w.open = false
	}
	if got.Verdict != roce.RespExecute || w.set.Service == RespUD {
		return
	}
	w.executed = append(w.executed, *p)
	switch {
	case shape.Verb.Replayed():
		w.fresh++
	case shape.First:
		w.message, w.offset, w.open = *p, p.Len, !shape.Last
	default:
		w.offset += p.Len
		w.open = !shape.Last
	}
	if shape.Inv {
		w.window = false
	}
}

// TestRespPSNCheckIsTheResponder: on random requests the stage and the machine of model/roce say the same.
func TestRespPSNCheckIsTheResponder(t *testing.T) {
	w := respWorld{respBench: newRespBench(t), seen: map[roce.RespReason]int{}}
	const lives = 2000
	for seed := range uint64(lives) {
		w.r = rand.New(rand.NewPCG(seed, 1))
		w.start()
		for range 60 {
			w.step()
			if (w.resp.State == roce.Error || w.set.Service != RespRC) && w.r.IntN(4) == 0 {
				w.start()
			}
		}
	}
	t.Log(w.seen)
	for why := roce.RespGood; why <= roce.RespDupAtomic; why++ {
		if !slices.Contains([]roce.RespReason{roce.RespNoQP, roce.RespOwnError}, why) { // the machine knows one QP, and no trouble of its own
			require.Greater(t, w.seen[why], 50, "why %d", why)
		}
	}
}
