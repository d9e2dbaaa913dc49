package hca

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// reqBench feeds a stage of req_ack_check with records of QP 5.
type reqBench struct {
	t     *testing.T
	stage sim.Stage
}

func newReqBench(t *testing.T) *reqBench { return &reqBench{t, reqAckCheckSpec.New(nil)} }

func (b *reqBench) do(r ReqRecord) ReqAnswer {
	r.QPN = 5
	in := []sim.Record{{Data: r.Append(nil)}}
	require.Len(b.t, in[0].Data, ReqRecordBytes)
	out := b.stage.Advance(0, in, nil)
	require.Len(b.t, out, 1)
	require.Len(b.t, out[0].Data, ReqAnswerBytes)
	return ParseReqAnswer(out[0].Data)
}

func (b *reqBench) configure(start psn.PSN, profile uint8) {
	b.t.Helper()
	a := b.do(ReqRecord{Op: ReqConfigure, PSN: start, PMTU: 1, MaxReads: 2, Profile: profile})
	require.Equal(b.t, roce.ReqTaken, a.Why)
}

func (b *reqBench) sent(first psn.PSN, count uint32, kind roce.ReqKind) ReqAnswer {
	return b.do(ReqRecord{Op: ReqSent, PSN: first, Count: count, Kind: kind, Payload: 8})
}

func (b *reqBench) response(op ib.Operation, p psn.PSN, s ib.Syndrome) ReqAnswer {
	r := ReqRecord{Op: ReqResponse, Opcode: ib.Opcode(op), PSN: p, Syndrome: s}
	switch op {
	case ib.ReadResponseFirst, ib.ReadResponseMid:
		r.Payload = 256
	case ib.ReadResponseLast, ib.ReadResponseOnly:
		r.Payload = 8
	}
	return b.do(r)
}

const noCredits = ib.Syndrome(ib.CreditsUnlimited)

// The layout of the document, bit by bit, with a pattern that no two fields share.
func TestReqAckCheckLayout(t *testing.T) {
	bit := func(b []byte, from, width int) (v uint32) {
		for i := range width {
			v |= uint32(b[(from+i)/8]>>((from+i)%8)&1) << i
		}
		return v
	}
	r := ReqRecord{QPN: 0x123456, PSN: 0x789ABC, Count: 0xDEF012, Number: 0x345678, Payload: 0x1A5A, Opcode: 0xC3,
		Syndrome: 0x69,
		Op:       5, Pad: 2, Kind: 1, PMTU: 6, MaxReads: 21, Profile: 0b101011}
	b := r.Append(nil)
	for _, c := range []struct {
		from, width int
		want        uint32
	}{{0, 24, 0x123456}, {24, 24, 0x789ABC}, {48, 24, 0xDEF012}, {72, 24, 0x345678}, {96, 13, 0x1A5A}, {109, 8, 0xC3},
		{117, 8, 0x69}, {125, 3, 5}, {128, 2, 2}, {130, 2, 1}, {132, 3, 6}, {135, 5, 21}, {140, 6, 0b101011}, {146, 6, 0}} {
		require.Equal(t, c.want, bit(b, c.from, c.width), "s_rec bit %d", c.from)
	}
	require.Equal(t, r, ParseReqRecord(b))

	a := ReqAnswer{QPN: 0x123456, UnaBefore: 0x789ABC, Una: 0xDEF012, High: 0x345678, LSN: 0x9ABCDE, Syndrome: 0x69, Op: 5,
		Why: 21, Action: 7, Region: 2, Reads: 13, Progress: true, Data: true, Credits: true, Waiting: true}
	b = a.Append(nil)
	for _, c := range []struct {
		from, width int
		want        uint32
	}{{0, 24, 0x123456}, {24, 24, 0x789ABC}, {48, 24, 0xDEF012}, {72, 24, 0x345678}, {96, 24, 0x9ABCDE}, {120, 8, 0x69},
		{128, 3, 5}, {131, 5, 21}, {136, 3, 7}, {139, 2, 2}, {141, 5, 13}, {146, 8, 0b01010101}} {
		require.Equal(t, c.want, bit(b, c.from, c.width), "m_rec bit %d", c.from)
	}
	require.Equal(t, a, ParseReqAnswer(b))
}

// Every record of a life with what the rules make of it, worked out by hand. PSNs from the start PSN on.
func TestReqAckCheckByHand(t *testing.T) {
	const start = psn.PSN(0xFFFFFE)
	type want struct {
		una    int32
		why    roce.ReqReason
		action roce.ReqAction
	}
	for _, life := range []struct {
		name    string
		profile uint8
		steps   func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want))
	}{
		{"coalesced ACKs, stale ones and ghosts: PSN-3, REQ-1", 0, func(b *reqBench, at func(int32) psn.PSN,
			check func(ReqAnswer, want)) {
			check(b.response(ib.Ack, at(0), noCredits), want{0, roce.ReqGhost, 0})
			check(b.response(ib.Ack, at(-1), noCredits), want{0, roce.ReqUnsolicited, 0})
			check(b.sent(at(0), 5, roce.ReqLimited), want{0, 0, 0})
			check(b.response(ib.Ack, at(2), noCredits), want{3, 0, 0})
			check(b.response(ib.Ack, at(2), noCredits), want{3, roce.ReqUnsolicited, 0})
			check(b.response(ib.Ack, at(1), noCredits), want{3, roce.ReqDuplicate, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{3, roce.ReqGhost, 0})
			check(b.response(ib.Ack, at(5-psn.Half), noCredits), want{3, roce.ReqDuplicate, 0})
			check(b.response(ib.Ack, at(4-psn.Half), noCredits), want{3, roce.ReqGhost, 0})
			check(b.response(ib.Ack, at(4), noCredits), want{5, 0, 0})
		}},
		{"several NAKs of one gap: REQ-4, TMR-3", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 6, roce.ReqWrite), want{0, 0, 0})
			check(b.response(ib.Ack, at(2), ib.NAKSequence), want{2, 0, roce.ReqSequenceNAK})
			check(b.response(ib.Ack, at(2), ib.NAKSequence), want{2, roce.ReqRetrying, 0})
			check(b.sent(at(2), 1, roce.ReqWrite), want{2, roce.ReqResend, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{6, 0, 0}) // REQ-6: above what was sent again
			check(b.sent(at(6), 3, roce.ReqWrite), want{6, 0, 0})
			check(b.response(ib.Ack, at(6), ib.NAKSequence), want{6, 0, roce.ReqSequenceNAK}) // una moved: a new gap
			check(b.do(ReqRecord{Op: ReqRetry}), want{6, 0, roce.ReqTimer})
			check(b.response(ib.Ack, at(7), ib.NAKSequence), want{7, 0, roce.ReqSequenceNAK})
		}},
		{"RNR NAK: REQ-4, TMR-5", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 4, roce.ReqLimited), want{0, 0, 0})
			check(b.response(ib.Ack, at(1), ib.RNRSyndrome(19)), want{1, 0, roce.ReqRNR})
			check(b.response(ib.Ack, at(1), ib.RNRSyndrome(19)), want{1, roce.ReqWaiting, 0})
			check(b.response(ib.Ack, at(1), ib.NAKSequence), want{1, roce.ReqWaiting, 0})
			check(b.do(ReqRecord{Op: ReqRetry}), want{1, roce.ReqNothing, 0})
			check(b.do(ReqRecord{Op: ReqGoOn}), want{1, 0, roce.ReqGoesOn})
			check(b.do(ReqRecord{Op: ReqGoOn}), want{1, roce.ReqNothing, 0})
			check(b.response(ib.Ack, at(1), ib.NAKSequence), want{1, 0, roce.ReqSequenceNAK})
			check(b.response(ib.Ack, at(1), ib.RNRSyndrome(1)), want{1, 0, roce.ReqRNR})
			check(b.do(ReqRecord{Op: ReqGoOn}), want{1, 0, roce.ReqGoesOn})
			// the wait ended the retry before it
			check(b.response(ib.Ack, at(1), ib.NAKSequence), want{1, 0, roce.ReqSequenceNAK})
		}},
		{"progress ends the wait: TMR-5", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 6, roce.ReqLimited), want{0, 0, 0})
			check(b.sent(at(6), 1, roce.ReqAtomic), want{0, 0, 0})
			check(b.sent(at(7), 1, roce.ReqWrite), want{0, 0, 0})
			check(b.response(ib.Ack, at(1), ib.RNRSyndrome(3)), want{1, 0, roce.ReqRNR})
			a := b.response(ib.Ack, at(1), noCredits) // executed after all
			check(a, want{2, 0, 0})
			require.False(b.t, a.Waiting)
			check(b.do(ReqRecord{Op: ReqGoOn}), want{2, roce.ReqNothing, 0})
			check(b.response(ib.Ack, at(2), ib.RNRSyndrome(3)), want{2, 0, roce.ReqRNR})
			check(b.response(ib.Ack, at(3), ib.RNRSyndrome(4)), want{3, 0, roce.ReqRNR}) // the one wait ends, another begins
			check(b.response(ib.Ack, at(4), ib.NAKSequence), want{4, 0, roce.ReqSequenceNAK})
			check(b.response(ib.Ack, at(4), ib.RNRSyndrome(3)), want{4, 0, roce.ReqRNR})
			check(b.response(ib.Ack, at(7), noCredits), want{6, 0, roce.ReqImpliedNAK})
			check(b.response(ib.Ack, at(6), ib.RNRSyndrome(3)), want{6, 0, roce.ReqRNR})
			check(b.response(ib.Ack, at(7), noCredits), want{6, roce.ReqWaiting, 0}) // nothing is acknowledged by it
			check(b.response(ib.Ack, at(5), noCredits), want{6, roce.ReqUnsolicited, 0})
			a = b.response(ib.Ack, at(6), noCredits)
			check(a, want{6, roce.ReqInside, 0})
			require.True(b.t, a.Waiting)
			check(b.response(ib.AtomicAck, at(6), noCredits), want{7, 0, 0})
			check(b.do(ReqRecord{Op: ReqRetry}), want{7, 0, roce.ReqTimer})
		}},
		{"any answer ends the wait: TMR-5, qib", ReqAnyAnswerEndsRNR | ReqReservedIgnored,
			func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
				check(b.sent(at(0), 2, roce.ReqRead), want{0, 0, 0})
				check(b.sent(at(2), 2, roce.ReqWrite), want{0, 0, 0})
				rnr := func() { check(b.response(ib.Ack, at(0), ib.RNRSyndrome(3)), want{0, 0, roce.ReqRNR}) }
				rnr()
				rnr() // each ends the wait of the one before
				check(b.response(ib.Ack, at(0), ib.NAKSequence), want{0, 0, roce.ReqSequenceNAK})
				rnr()
				a := b.response(ib.Ack, at(1), noCredits)
				check(a, want{0, roce.ReqInside, 0})
				require.False(b.t, a.Waiting)
				rnr()
				check(b.response(ib.Ack, at(2), noCredits), want{0, 0, roce.ReqImpliedNAK})
				rnr()
				a = b.response(ib.Ack, at(0), 0x66)
				check(a, want{0, roce.ReqReserved, 0})
				require.False(b.t, a.Waiting)
				rnr()
				require.True(b.t, b.response(ib.Ack, at(-1), noCredits).Waiting) // acknowledged before
				require.True(b.t, b.response(ib.Ack, at(4), noCredits).Waiting)  // a ghost
			}},
		{"READ: REQ-2, REQ-3, CRD-4", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 2, roce.ReqLimited), want{0, 0, 0})
			check(b.sent(at(2), 3, roce.ReqRead), want{0, 0, 0})
			check(b.sent(at(5), 1, roce.ReqLimited), want{0, 0, 0})
			check(b.response(ib.ReadResponseFirst, at(2), noCredits), want{3, 0, 0})
			check(b.response(ib.Ack, at(3), noCredits), want{3, roce.ReqInside, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{3, 0, roce.ReqImpliedNAK})
			check(b.response(ib.ReadResponseLast, at(4), noCredits), want{3, roce.ReqRetrying, 0})
			check(b.response(ib.ReadResponseMid, at(3), 0xFF), want{4, 0, 0})
			check(b.response(ib.ReadResponseOnly, at(4), noCredits), want{5, 0, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{6, 0, 0})
			check(b.sent(at(6), 2, roce.ReqRead), want{6, 0, 0})
			// another READ has begun nothing
			check(b.response(ib.ReadResponseMid, at(6), 0xFF), want{6, roce.ReqWrongPlace, roce.ReqBadResponse})
		}},
		{"a NAK behind a READ: REQ-3", ReqGapWaits, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 2, roce.ReqRead), want{0, 0, 0})
			check(b.sent(at(2), 2, roce.ReqAtomic), want{0, roce.ReqIllegal, 0})
			check(b.sent(at(2), 1, roce.ReqAtomic), want{0, 0, 0})
			check(b.sent(at(3), 1, roce.ReqRead), want{0, roce.ReqReadsFull, 0})
			check(b.response(ib.ReadResponseLast, at(1), noCredits), want{0, roce.ReqGapLeft, 0})
			check(b.response(ib.Ack, at(2), ib.NAKRemoteAccess), want{0, 0, roce.ReqImpliedNAK})
			check(b.response(ib.ReadResponseFirst, at(0), noCredits), want{1, 0, 0})
			check(b.response(ib.ReadResponseLast, at(1), noCredits), want{2, 0, 0})
			check(b.response(ib.AtomicAck, at(2), noCredits), want{3, 0, 0})
		}},
		{"a READ of half the PSNs: PSN-7", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), psn.Half, roce.ReqRead), want{0, 0, 0})
			check(b.response(ib.Ack, at(psn.Half-1), noCredits), want{0, roce.ReqInside, 0})
			check(b.response(ib.ReadResponseOnly, at(psn.Half-1), noCredits), want{0, 0, roce.ReqImpliedNAK})
			check(b.sent(at(0), psn.Half, roce.ReqRead), want{0, roce.ReqResend, 0})
			check(b.response(ib.ReadResponseFirst, at(0), noCredits), want{1, 0, 0})
			check(b.sent(at(-psn.Half), 1, roce.ReqAtomic), want{1, 0, 0})
			check(b.response(ib.Ack, at(-psn.Half), noCredits), want{1, 0, roce.ReqImpliedNAK})
		}},
		{"a SEND of half the PSNs: PSN-7", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), psn.Half, roce.ReqLimited), want{0, 0, 0})
			check(b.response(ib.Ack, at(0), ib.NAKSequence), want{0, 0, roce.ReqSequenceNAK})
			check(b.response(ib.Ack, at(psn.Half-1), ib.NAKSequence), want{psn.Half - 1, 0, roce.ReqSequenceNAK})
			check(b.sent(at(-psn.Half), psn.Half-1, roce.ReqWrite), want{psn.Half - 1, 0, 0})
			check(b.response(ib.Ack, at(-2), noCredits), want{-1 & 0xFFFFFF, 0, 0})
		}},
		{"fatal: REQ-4", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 4, roce.ReqLimited), want{0, 0, 0})
			check(b.response(ib.Ack, at(2), ib.NAKRemoteOp), want{2, 0, roce.ReqFatal})
			require.Equal(b.t, roce.ReqNoQP, b.response(ib.Ack, at(2), noCredits).Why)
		}},
		{"reserved codes: REQ-4", ReqReservedIgnored, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 4, roce.ReqLimited), want{0, 0, 0})
			check(b.response(ib.Ack, at(2), 0x65), want{0, roce.ReqReserved, 0})
			check(b.response(ib.Ack, at(2), 0x45), want{0, roce.ReqSyndrome, 0})
			check(b.response(ib.Ack, at(2), 0x9F), want{0, roce.ReqSyndrome, 0})
			check(b.response(ib.ReadResponseOnly, at(2), 0x9F), want{0, roce.ReqSyndrome, 0})
			check(b.response(ib.Ack, at(2), 0x64), want{2, 0, roce.ReqFatal})
		}},
		{"window: PSN-5, PSN-7", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(1), 1, roce.ReqWrite), want{0, roce.ReqHole, 0})
			check(b.sent(at(0), 0, roce.ReqWrite), want{0, roce.ReqIllegal, 0})
			check(b.sent(at(0), psn.Half+1, roce.ReqWrite), want{0, roce.ReqIllegal, 0})
			check(b.sent(at(0), psn.Half-1, roce.ReqWrite), want{0, 0, 0})
			check(b.sent(at(psn.Half-1), 2, roce.ReqWrite), want{0, roce.ReqWindow, 0})
			check(b.sent(at(psn.Half-1), 1, roce.ReqWrite), want{0, 0, 0})
			check(b.sent(at(-psn.Half), 1, roce.ReqWrite), want{0, roce.ReqWindow, 0}) // psn is high again, 2^23 further
			check(b.response(ib.Ack, at(-1), noCredits), want{0, roce.ReqGhost, 0})
			check(b.response(ib.Ack, at(psn.Half-1), noCredits), want{psn.Half, 0, 0})
		}},
	} {
		t.Run(life.name, func(t *testing.T) {
			b := newReqBench(t)
			b.configure(start, life.profile)
			life.steps(b, func(n int32) psn.PSN { return start.Add(n) }, func(a ReqAnswer, w want) {
				t.Helper()
				require.Equal(t, w, want{a.Una.Diff(start) & 0xFFFFFF, a.Why, a.Action})
			})
		})
	}
}

// Credits by hand: CRD-2 and CRD-3.
func TestReqAckCheckCredits(t *testing.T) {
	ack := func(b *reqBench, p psn.PSN, code uint8, msn uint32) ReqAnswer {
		return b.do(ReqRecord{Op: ReqResponse, Opcode: 0x11, PSN: p, Syndrome: ib.AckSyndrome(code), Number: msn})
	}
	sent := func(b *reqBench, p psn.PSN, ssn uint32) roce.ReqReason {
		return b.do(ReqRecord{Op: ReqSent, PSN: p, Count: 1, Kind: roce.ReqLimited, Number: ssn}).Why
	}
	b := newReqBench(t)
	b.configure(10, ReqCreditsLimited)
	require.Equal(t, roce.ReqProbe, sent(b, 10, 1))
	require.Equal(t, roce.ReqNoCredit, sent(b, 11, 1))
	require.Equal(t, uint32(4), ack(b, 10, 3, 1).LSN)
	require.Equal(t, roce.ReqTaken, sent(b, 12, 4))
	require.Equal(t, roce.ReqNoCredit, sent(b, 13, 6))
	require.Equal(t, roce.ReqProbe, sent(b, 14, 5))
	require.Equal(t, uint32(4), ack(b, 11, 0, 2).LSN, "never backwards")
	require.Equal(t, uint32(5), ack(b, 9, 4, 1).LSN, "a dropped ACK's (CRD-3)")
	require.Equal(t, uint32(5), ack(b, 15, 30, 1).LSN, "never a ghost's")
	require.True(t, ack(b, 12, 31, 2).Unlimited)
	require.Equal(t, roce.ReqTaken, sent(b, 15, 99))
	require.Equal(t, uint32(5), ack(b, 13, 0, 2).LSN)

	b = newReqBench(t)
	b.configure(10, ReqCreditsLast)
	require.Equal(t, uint32(0x800003), ack(b, 9, 3, 0x800000).LSN,
		"the first credits come with PSN start - 1, whatever they are")
	b.sent(10, 1, roce.ReqWrite)
	ack(b, 10, 3, 0x800001)
	require.Equal(t, uint32(0x800004), ack(b, 9, 8, 0x800001).LSN, "PSN una - 2")
	require.Equal(t, uint32(0x800011), ack(b, 10, 8, 0x800001).LSN, "PSN una - 1")

	b = newReqBench(t)
	b.configure(10, ReqCreditsIgnored|ReqCreditsLimited)
	a := ack(b, 9, 3, 7)
	require.True(t, a.Unlimited)
	require.Zero(t, a.LSN)
}

// A QP of a number that is not there is not one of another number.
func TestReqAckCheckNumbers(t *testing.T) {
	s := reqAckCheckSpec.New(sim.Settings{"NumQps": 64, "Reads": 1})
	do := func(r ReqRecord) ReqAnswer {
		return ParseReqAnswer(s.Advance(0, []sim.Record{{Data: r.Append(nil)}}, nil)[0].Data)
	}
	require.Equal(t, roce.ReqNoQP, do(ReqRecord{QPN: 64, Op: ReqConfigure, PMTU: 1}).Why)
	require.Equal(t, roce.ReqIllegal, do(ReqRecord{QPN: 63, Op: ReqConfigure, PMTU: 1, MaxReads: 2}).Why)
	require.Equal(t, roce.ReqTaken, do(ReqRecord{QPN: 63, Op: ReqConfigure, PMTU: 1, MaxReads: 1}).Why)
	require.Equal(t, ReqAnswer{QPN: 63 + 64, Op: ReqLook, Why: roce.ReqNoQP}, do(ReqRecord{QPN: 63 + 64, Op: ReqLook}))
	s.Reset()
	require.Equal(t, roce.ReqNoQP, do(ReqRecord{QPN: 63, Op: ReqLook}).Why)
}

// REQ-12, REQ-3, LEN-1, by hand: two packets of a SEND, a READ of three PSNs with 8 bytes in its last response, an
// atomic, a WRITE. What a response that none of them can have leads to, before any response came and behind the READ's
// first.
func TestReqAckCheckBadResponses(t *testing.T) {
	type of struct {
		op   uint8
		at   int32
		syn  ib.Syndrome
		size uint16
		pad  uint8
	}
	const first, middle, last, only, ack, atomic = 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12
	for name, c := range map[string]struct {
		begun  bool
		answer of
		una    int32
		why    roce.ReqReason
		action roce.ReqAction
	}{
		"data for a SEND":                     {false, of{first, 1, 31, 256, 0}, 1, 8, 7},
		"data for the oldest packet":          {false, of{only, 0, 31, 8, 0}, 0, 8, 7},
		"an atomic ACK for a SEND":            {false, of{atomic, 1, 31, 0, 0}, 1, 8, 7},
		"an atomic ACK for a READ":            {false, of{atomic, 2, 31, 0, 0}, 2, 8, 7},
		"an atomic ACK inside a READ":         {true, of{atomic, 4, 31, 0, 0}, 3, 8, 7},
		"Middle where nothing was taken":      {false, of{middle, 2, 0xFF, 256, 0}, 2, 9, 7},
		"Last where nothing was taken":        {false, of{last, 2, 31, 8, 0}, 2, 9, 7},
		"Only at the first of three":          {false, of{only, 2, 31, 8, 0}, 2, 9, 7},
		"Only inside":                         {true, of{only, 3, 31, 8, 0}, 3, 9, 7},
		"Last inside":                         {true, of{last, 3, 31, 256, 0}, 3, 9, 7},
		"place before length":                 {true, of{last, 3, 31, 5, 0}, 3, 9, 7},
		"a byte short":                        {false, of{first, 2, 31, 255, 1}, 2, 10, 7},
		"a byte long":                         {true, of{middle, 3, 0, 257, 3}, 3, 10, 7},
		"a pad where there is none":           {false, of{first, 2, 31, 256, 2}, 2, 10, 7},
		"a reserved syndrome":                 {false, of{ack, 1, 0x40, 0, 0}, 1, 7, 7},
		"a reserved syndrome with bit 7":      {false, of{ack, 0, 0x9F, 0, 0}, 0, 7, 7},
		"a reserved syndrome at a READ":       {true, of{ack, 3, 0x5F, 0, 0}, 3, 7, 7},
		"a reserved syndrome inside a READ":   {false, of{ack, 4, 0x5F, 0, 0}, 2, 7, 7},
		"a reserved syndrome behind a READ":   {false, of{ack, 5, 0x5F, 0, 0}, 2, 0, 3},
		"a READ response with a NAK":          {false, of{first, 2, 0x60, 256, 0}, 2, 7, 7},
		"a READ response with an RNR NAK":     {true, of{only, 3, 0x21, 256, 0}, 3, 7, 7},
		"an atomic ACK with a NAK":            {false, of{atomic, 5, 0x63, 0, 0}, 2, 0, 3},
		"the atomic's data, the READ missing": {false, of{atomic, 5, 31, 0, 0}, 2, 0, 3},
		"data for a WRITE, others missing":    {false, of{only, 6, 31, 8, 0}, 2, 0, 3},
		"a later one":                         {false, of{last, 4, 31, 8, 0}, 2, 0, 3},
		"a later one too long":                {false, of{last, 4, 31, 800, 0}, 2, 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			b := newReqBench(t)
			b.configure(0, 0)
			b.sent(0, 2, roce.ReqLimited)
			b.sent(2, 3, roce.ReqRead)
			b.sent(5, 1, roce.ReqAtomic)
			b.sent(6, 1, roce.ReqWrite)
			if c.begun {
				require.True(t, b.response(ib.ReadResponseFirst, 2, noCredits).Data)
			}
			x := c.answer
			a := b.do(ReqRecord{Op: ReqResponse, Opcode: ib.Opcode(x.op), PSN: psn.PSN(x.at), Syndrome: x.syn, Payload: x.size,
				Pad: x.pad})
			require.Equal(t, []any{psn.PSN(c.una), c.why, c.action}, []any{a.Una, a.Why, a.Action})
			require.Zero(t, a.Syndrome)
			require.False(t, a.Data)
			require.Equal(t, c.action == roce.ReqBadResponse, b.do(ReqRecord{Op: ReqLook}).Why == roce.ReqNoQP)
		})
	}
}

// REQ-12, LEN-1: the last response of a READ of 5 bytes has 5 bytes and a pad of 3, and no other.
func TestReqAckCheckPads(t *testing.T) {
	for pad := range uint8(4) {
		b := newReqBench(t)
		b.configure(7, 0)
		b.do(ReqRecord{Op: ReqSent, PSN: 7, Count: 1, Kind: roce.ReqRead, Payload: 5})
		a := b.do(ReqRecord{Op: ReqResponse, Opcode: 0x10, PSN: 7, Syndrome: noCredits, Payload: 5, Pad: pad})
		if pad == 3 {
			require.Equal(t, []any{roce.ReqTaken, true, true, psn.PSN(8)}, []any{a.Why, a.Data, a.Ended, a.Una})
		} else {
			require.Equal(t, []any{roce.ReqLength, false, false, psn.PSN(7)}, []any{a.Why, a.Data, a.Ended, a.Una})
		}
	}
}
