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
	stage Stage
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
	r := ReqRecord{QPN: 0x123456, PSN: 0x789ABC, Count: 0xDEF012, Number: 0x345678, Payload: 0x1A5A, Opcode: 0xC3, Syndrome: 0x69,
		Op: 5, Pad: 2, Kind: 1, PMTU: 6, MaxReads: 21, Profile: 11}
	b := r.Append(nil)
	for _, c := range []struct {
		from, width int
		want        uint32
	}{{0, 24, 0x123456}, {24, 24, 0x789ABC}, {48, 24, 0xDEF012}, {72, 24, 0x345678}, {96, 13, 0x1A5A}, {109, 8, 0xC3},
		{117, 8, 0x69}, {125, 3, 5}, {128, 2, 2}, {130, 2, 1}, {132, 3, 6}, {135, 5, 21}, {140, 5, 11}, {145, 7, 0}} {
		require.Equal(t, c.want, bit(b, c.from, c.width), "s_rec bit %d", c.from)
	}
	require.Equal(t, r, parseReqRecord(b))

	a := ReqAnswer{QPN: 0x123456, UnaBefore: 0x789ABC, Una: 0xDEF012, High: 0x345678, LSN: 0x9ABCDE, Syndrome: 0x69, Op: 5,
		Why: 21, Action: 6, Region: 2, Reads: 13, Progress: true, Data: true, Credits: true, Waiting: true}
	b = a.Append(nil)
	for _, c := range []struct {
		from, width int
		want        uint32
	}{{0, 24, 0x123456}, {24, 24, 0x789ABC}, {48, 24, 0xDEF012}, {72, 24, 0x345678}, {96, 24, 0x9ABCDE}, {120, 8, 0x69},
		{128, 3, 5}, {131, 5, 21}, {136, 3, 6}, {139, 2, 2}, {141, 5, 13}, {146, 8, 0b01010101}} {
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
		{"coalesced ACKs, stale ones and ghosts: PSN-3, REQ-1", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
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
			check(b.sent(at(4), 1, roce.ReqAtomic), want{1, 0, 0})
			check(b.sent(at(5), 1, roce.ReqWrite), want{1, 0, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{4, roce.ReqWaiting, 0}) // an implied NAK: TMR-5
			check(b.response(ib.Ack, at(4), ib.NAKSequence), want{4, roce.ReqWaiting, 0})
			check(b.do(ReqRecord{Op: ReqRetry}), want{4, roce.ReqNothing, 0})
			check(b.do(ReqRecord{Op: ReqGoOn}), want{4, 0, roce.ReqGoesOn})
			check(b.do(ReqRecord{Op: ReqGoOn}), want{4, roce.ReqNothing, 0})
			check(b.response(ib.Ack, at(4), ib.NAKSequence), want{4, 0, roce.ReqSequenceNAK})
			check(b.response(ib.Ack, at(4), ib.RNRSyndrome(1)), want{4, 0, roce.ReqRNR})
			check(b.do(ReqRecord{Op: ReqGoOn}), want{4, 0, roce.ReqGoesOn})
			check(b.response(ib.Ack, at(4), ib.NAKSequence), want{4, 0, roce.ReqSequenceNAK}) // the wait ended the retry before it
		}},
		{"READ: REQ-2, REQ-3, CRD-4, LEN-1", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 2, roce.ReqLimited), want{0, 0, 0})
			check(b.sent(at(2), 3, roce.ReqRead), want{0, 0, 0})
			check(b.sent(at(5), 1, roce.ReqLimited), want{0, 0, 0})
			check(b.response(ib.ReadResponseFirst, at(1), noCredits), want{0, roce.ReqWrongKind, 0})
			check(b.response(ib.ReadResponseMid, at(2), 0xFF), want{2, roce.ReqWrongPlace, 0})
			check(b.response(ib.ReadResponseOnly, at(2), noCredits), want{2, roce.ReqWrongPlace, 0})
			check(b.response(ib.ReadResponseFirst, at(2), ib.NAKSequence), want{2, roce.ReqSyndrome, 0})
			check(b.response(ib.ReadResponseFirst, at(2), noCredits), want{3, 0, 0})
			check(b.response(ib.Ack, at(3), noCredits), want{3, roce.ReqInside, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{3, 0, roce.ReqImpliedNAK})
			check(b.response(ib.ReadResponseLast, at(4), noCredits), want{3, roce.ReqRetrying, 0})
			check(b.response(ib.ReadResponseMid, at(3), 0xFF), want{4, 0, 0})
			check(b.response(ib.AtomicAck, at(4), noCredits), want{4, roce.ReqWrongKind, 0})
			check(b.do(ReqRecord{Op: ReqResponse, Opcode: 0x0F, PSN: at(4), Syndrome: 31, Payload: 12}), want{4, roce.ReqLength, 0})
			check(b.do(ReqRecord{Op: ReqResponse, Opcode: 0x0F, PSN: at(4), Syndrome: 31, Payload: 8, Pad: 1}), want{4, roce.ReqLength, 0})
			check(b.response(ib.ReadResponseOnly, at(4), noCredits), want{5, 0, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{6, 0, 0})
			check(b.sent(at(6), 2, roce.ReqRead), want{6, 0, 0})
			check(b.response(ib.ReadResponseMid, at(6), 0xFF), want{6, roce.ReqWrongPlace, 0}) // another READ has begun nothing
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
			check(b.response(ib.ReadResponseOnly, at(2), noCredits), want{2, roce.ReqWrongKind, 0})
			check(b.response(ib.AtomicAck, at(2), noCredits), want{3, 0, 0})
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
	require.Equal(t, uint32(0x800003), ack(b, 9, 3, 0x800000).LSN, "the first credits come with PSN start - 1, whatever they are")
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
	s := reqAckCheckSpec.New(Settings{"NumQps": 64, "Reads": 1})
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
