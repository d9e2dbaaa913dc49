package hca

import (
	"fmt"
	"math/rand/v2"
	"reflect"
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
	require.Equal(b.t, ReqTaken, a.Why)
}

func (b *reqBench) sent(first psn.PSN, count uint32, kind ReqKind) ReqAnswer {
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
		why    ReqWhy
		action ReqAction
	}
	for _, life := range []struct {
		name    string
		profile uint8
		steps   func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want))
	}{
		{"coalesced ACKs, stale ones and ghosts: PSN-3, REQ-1", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.response(ib.Ack, at(0), noCredits), want{0, ReqGhost, 0})
			check(b.response(ib.Ack, at(-1), noCredits), want{0, ReqUnsolicited, 0})
			check(b.sent(at(0), 5, ReqLimited), want{0, 0, 0})
			check(b.response(ib.Ack, at(2), noCredits), want{3, 0, 0})
			check(b.response(ib.Ack, at(2), noCredits), want{3, ReqUnsolicited, 0})
			check(b.response(ib.Ack, at(1), noCredits), want{3, ReqDuplicate, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{3, ReqGhost, 0})
			check(b.response(ib.Ack, at(5-psn.Half), noCredits), want{3, ReqDuplicate, 0})
			check(b.response(ib.Ack, at(4-psn.Half), noCredits), want{3, ReqGhost, 0})
			check(b.response(ib.Ack, at(4), noCredits), want{5, 0, 0})
		}},
		{"several NAKs of one gap: REQ-4, TMR-3", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 6, ReqWrite), want{0, 0, 0})
			check(b.response(ib.Ack, at(2), ib.NAKSequence), want{2, 0, ReqSequenceNAK})
			check(b.response(ib.Ack, at(2), ib.NAKSequence), want{2, ReqRetrying, 0})
			check(b.sent(at(2), 1, ReqWrite), want{2, ReqResend, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{6, 0, 0}) // REQ-6: above what was sent again
			check(b.sent(at(6), 3, ReqWrite), want{6, 0, 0})
			check(b.response(ib.Ack, at(6), ib.NAKSequence), want{6, 0, ReqSequenceNAK}) // una moved: a new gap
			check(b.do(ReqRecord{Op: ReqRetry}), want{6, 0, ReqTimer})
			check(b.response(ib.Ack, at(7), ib.NAKSequence), want{7, 0, ReqSequenceNAK})
		}},
		{"RNR NAK: REQ-4, TMR-5", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 4, ReqLimited), want{0, 0, 0})
			check(b.response(ib.Ack, at(1), ib.RNRSyndrome(19)), want{1, 0, ReqRNR})
			check(b.response(ib.Ack, at(1), ib.RNRSyndrome(19)), want{1, ReqWaiting, 0})
			check(b.sent(at(4), 1, ReqAtomic), want{1, 0, 0})
			check(b.sent(at(5), 1, ReqWrite), want{1, 0, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{4, ReqWaiting, 0}) // an implied NAK: TMR-5
			check(b.response(ib.Ack, at(4), ib.NAKSequence), want{4, ReqWaiting, 0})
			check(b.do(ReqRecord{Op: ReqRetry}), want{4, ReqNothing, 0})
			check(b.do(ReqRecord{Op: ReqGoOn}), want{4, 0, ReqGoesOn})
			check(b.do(ReqRecord{Op: ReqGoOn}), want{4, ReqNothing, 0})
			check(b.response(ib.Ack, at(4), ib.NAKSequence), want{4, 0, ReqSequenceNAK})
			check(b.response(ib.Ack, at(4), ib.RNRSyndrome(1)), want{4, 0, ReqRNR})
			check(b.do(ReqRecord{Op: ReqGoOn}), want{4, 0, ReqGoesOn})
			check(b.response(ib.Ack, at(4), ib.NAKSequence), want{4, 0, ReqSequenceNAK}) // the wait ended the retry before it
		}},
		{"READ: REQ-2, REQ-3, CRD-4, LEN-1", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 2, ReqLimited), want{0, 0, 0})
			check(b.sent(at(2), 3, ReqRead), want{0, 0, 0})
			check(b.sent(at(5), 1, ReqLimited), want{0, 0, 0})
			check(b.response(ib.ReadResponseFirst, at(1), noCredits), want{0, ReqWrongKind, 0})
			check(b.response(ib.ReadResponseMid, at(2), 0xFF), want{2, ReqWrongPlace, 0})
			check(b.response(ib.ReadResponseOnly, at(2), noCredits), want{2, ReqWrongPlace, 0})
			check(b.response(ib.ReadResponseFirst, at(2), ib.NAKSequence), want{2, ReqSyndrome, 0})
			check(b.response(ib.ReadResponseFirst, at(2), noCredits), want{3, 0, 0})
			check(b.response(ib.Ack, at(3), noCredits), want{3, ReqInside, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{3, 0, ReqImpliedNAK})
			check(b.response(ib.ReadResponseLast, at(4), noCredits), want{3, ReqRetrying, 0})
			check(b.response(ib.ReadResponseMid, at(3), 0xFF), want{4, 0, 0})
			check(b.response(ib.AtomicAck, at(4), noCredits), want{4, ReqWrongKind, 0})
			check(b.do(ReqRecord{Op: ReqResponse, Opcode: 0x0F, PSN: at(4), Syndrome: 31, Payload: 12}), want{4, ReqLength, 0})
			check(b.do(ReqRecord{Op: ReqResponse, Opcode: 0x0F, PSN: at(4), Syndrome: 31, Payload: 8, Pad: 1}), want{4, ReqLength, 0})
			check(b.response(ib.ReadResponseOnly, at(4), noCredits), want{5, 0, 0})
			check(b.response(ib.Ack, at(5), noCredits), want{6, 0, 0})
			check(b.sent(at(6), 2, ReqRead), want{6, 0, 0})
			check(b.response(ib.ReadResponseMid, at(6), 0xFF), want{6, ReqWrongPlace, 0}) // another READ has begun nothing
		}},
		{"a NAK behind a READ: REQ-3", ReqGapWaits, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 2, ReqRead), want{0, 0, 0})
			check(b.sent(at(2), 2, ReqAtomic), want{0, ReqIllegal, 0})
			check(b.sent(at(2), 1, ReqAtomic), want{0, 0, 0})
			check(b.sent(at(3), 1, ReqRead), want{0, ReqReadsFull, 0})
			check(b.response(ib.ReadResponseLast, at(1), noCredits), want{0, ReqGapLeft, 0})
			check(b.response(ib.Ack, at(2), ib.NAKRemoteAccess), want{0, 0, ReqImpliedNAK})
			check(b.response(ib.ReadResponseFirst, at(0), noCredits), want{1, 0, 0})
			check(b.response(ib.ReadResponseLast, at(1), noCredits), want{2, 0, 0})
			check(b.response(ib.ReadResponseOnly, at(2), noCredits), want{2, ReqWrongKind, 0})
			check(b.response(ib.AtomicAck, at(2), noCredits), want{3, 0, 0})
		}},
		{"fatal: REQ-4", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 4, ReqLimited), want{0, 0, 0})
			check(b.response(ib.Ack, at(2), ib.NAKRemoteOp), want{2, 0, ReqFatal})
			require.Equal(b.t, ReqNoQP, b.response(ib.Ack, at(2), noCredits).Why)
		}},
		{"reserved codes: REQ-4", ReqReservedIgnored, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(0), 4, ReqLimited), want{0, 0, 0})
			check(b.response(ib.Ack, at(2), 0x65), want{0, ReqReserved, 0})
			check(b.response(ib.Ack, at(2), 0x45), want{0, ReqSyndrome, 0})
			check(b.response(ib.Ack, at(2), 0x9F), want{0, ReqSyndrome, 0})
			check(b.response(ib.Ack, at(2), 0x64), want{2, 0, ReqFatal})
		}},
		{"window: PSN-5, PSN-7", 0, func(b *reqBench, at func(int32) psn.PSN, check func(ReqAnswer, want)) {
			check(b.sent(at(1), 1, ReqWrite), want{0, ReqHole, 0})
			check(b.sent(at(0), 0, ReqWrite), want{0, ReqIllegal, 0})
			check(b.sent(at(0), psn.Half+1, ReqWrite), want{0, ReqIllegal, 0})
			check(b.sent(at(0), psn.Half-1, ReqWrite), want{0, 0, 0})
			check(b.sent(at(psn.Half-1), 2, ReqWrite), want{0, ReqWindow, 0})
			check(b.sent(at(psn.Half-1), 1, ReqWrite), want{0, 0, 0})
			check(b.sent(at(-psn.Half), 1, ReqWrite), want{0, ReqWindow, 0}) // psn is high again, 2^23 further
			check(b.response(ib.Ack, at(-1), noCredits), want{0, ReqGhost, 0})
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
	sent := func(b *reqBench, p psn.PSN, ssn uint32) ReqWhy {
		return b.do(ReqRecord{Op: ReqSent, PSN: p, Count: 1, Kind: ReqLimited, Number: ssn}).Why
	}
	b := newReqBench(t)
	b.configure(10, ReqCreditsLimited)
	require.Equal(t, ReqProbe, sent(b, 10, 1))
	require.Equal(t, ReqNoCredit, sent(b, 11, 1))
	require.Equal(t, uint32(4), ack(b, 10, 3, 1).LSN)
	require.Equal(t, ReqTaken, sent(b, 12, 4))
	require.Equal(t, ReqNoCredit, sent(b, 13, 6))
	require.Equal(t, ReqProbe, sent(b, 14, 5))
	require.Equal(t, uint32(4), ack(b, 11, 0, 2).LSN, "never backwards")
	require.Equal(t, uint32(5), ack(b, 9, 4, 1).LSN, "a dropped ACK's (CRD-3)")
	require.Equal(t, uint32(5), ack(b, 15, 30, 1).LSN, "never a ghost's")
	require.True(t, ack(b, 12, 31, 2).Unlimited)
	require.Equal(t, ReqTaken, sent(b, 15, 99))
	require.Equal(t, uint32(5), ack(b, 13, 0, 2).LSN)

	b = newReqBench(t)
	b.configure(10, ReqCreditsLast)
	require.Equal(t, uint32(0x800003), ack(b, 9, 3, 0x800000).LSN, "the first credits come with PSN start - 1, whatever they are")
	b.sent(10, 1, ReqWrite)
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
	require.Equal(t, ReqNoQP, do(ReqRecord{QPN: 64, Op: ReqConfigure, PMTU: 1}).Why)
	require.Equal(t, ReqIllegal, do(ReqRecord{QPN: 63, Op: ReqConfigure, PMTU: 1, MaxReads: 2}).Why)
	require.Equal(t, ReqTaken, do(ReqRecord{QPN: 63, Op: ReqConfigure, PMTU: 1, MaxReads: 1}).Why)
	require.Equal(t, ReqAnswer{QPN: 63 + 64, Op: ReqLook, Why: ReqNoQP}, do(ReqRecord{QPN: 63 + 64, Op: ReqLook}))
	s.Reset()
	require.Equal(t, ReqNoQP, do(ReqRecord{QPN: 63, Op: ReqLook}).Why)
}

// reqTwin runs the block beside roce.Requester, the second implementation.
type reqTwin struct {
	t       *testing.T
	r       *rand.Rand
	q       *reqQP
	stage   *reqAckCheck
	machine roce.Requester
	cfg     roce.RequesterConfig
	profile roce.Profile
	only31  bool // the peer never speaks of credits
	mixed   bool // 31 and other codes
	posted  map[uint64]roce.Work
	ids     uint64
	batch   roce.Batch
	seen    map[string]int
}

func (w *reqTwin) open() {
	r := w.r
	w.profile = roce.Profile{ReservedNAKIgnored: r.IntN(2) == 0, CreditsIgnored: r.IntN(4) == 0, CreditsLastOnly: r.IntN(2) == 0,
		GapWaits: r.IntN(4) == 0, RetryForever7: true}
	w.cfg = roce.RequesterConfig{Service: ib.RC, Profile: w.profile, PMTUBytes: 256, StartPSN: psn.New(uint32(r.IntN(12) - 6)),
		MaxReads: uint8(1 + r.IntN(4)), Timeout: 14, RetryCount: 7, RNRRetry: 7, Limited: r.IntN(2) == 0}
	w.only31, w.mixed = !w.cfg.Limited && r.IntN(2) == 0, w.cfg.Limited && r.IntN(2) == 0
	w.machine = roce.NewRequester(&w.cfg)
	w.posted, w.ids = map[uint64]roce.Work{}, 0
	rec := ReqRecord{Op: ReqConfigure, PSN: w.cfg.StartPSN, PMTU: 1, MaxReads: w.cfg.MaxReads}
	for bit, on := range []bool{w.profile.ReservedNAKIgnored, w.profile.CreditsIgnored, w.profile.CreditsLastOnly,
		w.profile.GapWaits, w.cfg.Limited} {
		if on {
			rec.Profile |= 1 << bit
		}
	}
	w.do(ReqRecord{Op: ReqClose})
	require.Equal(w.t, ReqTaken, w.do(rec).Why)
}

func (w *reqTwin) do(r ReqRecord) ReqAnswer { return w.stage.step(&r) }

// machineField reads a field of the machine that it shows nobody.
func (w *reqTwin) machineField(name string) reflect.Value {
	return reflect.ValueOf(&w.machine).Elem().FieldByName(name)
}

// post hands the machine work, and send lets a packet of it go.
func (w *reqTwin) post() {
	w.ids++
	work := roce.Work{ID: w.ids, Signaled: true, Verb: roce.Verb(1 + w.r.IntN(5)), Len: uint32(w.r.IntN(1200)),
		WithImm: w.r.IntN(2) == 0}
	if work.Verb.Atomic() {
		work.Len = 8
	}
	if w.machine.Post(work, &w.batch) {
		w.posted[w.ids] = work
	} else {
		w.ids--
	}
}

func (w *reqTwin) send() {
	_, _, high := w.machine.PSNs()
	w.batch = w.batch[:0]
	if !w.machine.Next(&w.batch) {
		return
	}
	e := w.batch[0]
	work := w.posted[e.ID]
	rec := ReqRecord{Op: ReqSent, PSN: e.Packet.PSN, Count: 1, Number: uint32(e.ID), Kind: ReqWrite}
	switch {
	case work.Verb == roce.Read:
		rec.Kind, rec.Count = ReqRead, psn.OfRead(e.Packet.DMALen, 256)
		rec.Payload = uint16(work.Len - (psn.OfRead(work.Len, 256)-1)*256)
	case work.Verb.Atomic():
		rec.Kind = ReqAtomic
	case work.Verb == roce.Send || work.WithImm:
		rec.Kind = ReqLimited
	}
	a := w.do(rec)
	switch {
	case e.Packet.PSN != high:
		require.Equal(w.t, ReqResend, a.Why)
	case w.mixed && a.Why == ReqNoCredit: // began while credits were not used
	default:
		require.Contains(w.t, []ReqWhy{ReqTaken, ReqProbe}, a.Why, "%+v", rec)
	}
	w.same(a)
}

// same compares the states.
func (w *reqTwin) same(a ReqAnswer) {
	w.t.Helper()
	una, _, high := w.machine.PSNs()
	require.Equal(w.t, una, a.Una, "una")
	require.Equal(w.t, high, a.High, "high")
	require.Equal(w.t, w.machineField("lsn").Uint(), uint64(a.LSN), "LSN")
	require.Equal(w.t, w.machineField("unlimited").Bool(), a.Unlimited, "unlimited")
	require.Equal(w.t, w.machineField("retrying").Bool(), a.Retrying, "retrying")
	require.Equal(w.t, w.machineField("reads").Uint(), uint64(a.Reads), "reads")
	require.Equal(w.t, w.machine.Waiting(), a.Waiting, "waiting")
	require.Equal(w.t, !w.machine.Outstanding(), a.Idle, "idle")
}

func (w *reqTwin) syndrome() ib.Syndrome {
	r := w.r
	switch n := r.IntN(20); {
	case n == 0:
		return ib.Syndrome(r.IntN(256))
	case n < 3:
		return ib.RNRSyndrome(uint8(r.IntN(32)))
	case n < 7:
		return ib.NAKSequence
	case n == 7 && r.IntN(3) == 0:
		return ib.Syndrome(0x61 + r.IntN(4))
	}
	return w.ackSyndrome()
}

// ackSyndrome gives code 31 always, never or at times. To a QP that starts without credits it gives either: the machine takes
// the first code behind a 31 as it is, and LSN could move backwards against CRD-2.
func (w *reqTwin) ackSyndrome() ib.Syndrome {
	if w.only31 || w.mixed && w.r.IntN(4) == 0 {
		return noCredits
	}
	return ib.AckSyndrome(uint8(w.r.IntN(12)))
}

// draw draws a response. Where the two are known to differ, and why, is said here.
func (w *reqTwin) draw() ReqRecord {
	r, q := w.r, w.q
	spread := int(q.high.Diff(q.una)) + 5
	rec := ReqRecord{Op: ReqResponse, PSN: q.una.Add(int32(r.IntN(spread) - 3)), Opcode: 0x11, Syndrome: w.syndrome(),
		Number: uint32(r.IntN(8)) + uint32(w.ids)/2}
	if rec.Syndrome.Kind() == ib.KindAck {
		rec.Syndrome = w.ackSyndrome()
	}
	if r.IntN(2) == 0 {
		return rec
	}
	rec.Opcode = ib.Opcode(0x0D + r.IntN(6))
	h := q.head()
	if h != nil && r.IntN(3) > 0 {
		rec.PSN = h.due
		rec.Syndrome = w.ackSyndrome()
	}
	if h != nil && r.IntN(4) > 0 { // as it should be
		rec.Payload = 256
		if rec.PSN == h.last {
			rec.Payload = h.tail
		}
		first, last := rec.PSN == h.due && !q.begun, rec.PSN == h.last
		switch {
		case h.atomic:
			rec.Opcode = 0x12
		case first && last:
			rec.Opcode = 0x10
		case first:
			rec.Opcode = 0x0D
		case last:
			rec.Opcode = 0x0F
		default:
			rec.Opcode = 0x0E
		}
	}
	if r.IntN(8) == 0 {
		rec.Payload += uint16(r.IntN(3))
	}
	rec.Pad = uint8(-rec.Payload & 3) // the machine does not look at the pad
	if rec.Opcode != 0x11 && psn.Respond(rec.PSN, q.una, q.high) == psn.Unacked && (h == nil || rec.PSN.Diff(h.due) < 0) {
		rec.PSN = q.una // data for a SEND or WRITE: the machine releases the WQEs before it, the block nothing
	}
	if h != nil && rec.PSN == h.due && !q.begun && (rec.Opcode == 0x0E || rec.Opcode == 0x0F) {
		rec.Opcode = 0x0D // the machine takes a Middle for a First: the block does not (OPC-2)
		if rec.PSN == h.last {
			rec.Opcode = 0x10
		}
	}
	return rec
}

// whys says which of the block's reasons the machine's rule stands for.
var whys = map[roce.Rule][]ReqWhy{
	"OPC-1": {ReqNotResponse}, "PSN-3": {ReqGhost, ReqDuplicate, ReqUnsolicited}, "CRD-4": {ReqInside},
	"OPC-2": {ReqSyndrome, ReqWrongKind},
	"LEN-1": {ReqWrongPlace, ReqLength}, "TMR-4": {ReqWaiting}, "TMR-5": {ReqWaiting}, "REQ-3": {ReqRetrying, ReqGapLeft},
	"REQ-4": {ReqRetrying, ReqReserved},
}

var actions = map[roce.Rule]ReqAction{"REQ-4": ReqSequenceNAK, "TMR-4": ReqRNR, "REQ-3": ReqImpliedNAK, "TMR-1": ReqTimer}

// answer gives both a response and compares what they make of it.
func (w *reqTwin) answer() {
	rec := w.draw()
	before, _, high := w.machine.PSNs()
	oldest := w.oldest()
	w.batch = w.batch[:0]
	w.machine.Step(&roce.Packet{Op: rec.Opcode, PSN: rec.PSN, Syndrome: rec.Syndrome, MSN: rec.Number & 0xFFFFFF,
		Len: uint32(rec.Payload), Pad: rec.Pad}, &w.batch)
	a := w.do(rec)
	require.Equal(w.t, before, a.UnaBefore)
	var action ReqAction
	why, data := []ReqWhy{ReqTaken}, false
	for _, e := range w.batch {
		switch e.Kind {
		case roce.Drop:
			why = whys[e.Why]
			w.seen["dropped "+string(e.Why)]++
		case roce.GoBack:
			action = actions[e.Why]
			require.Equal(w.t, a.Una, e.Packet.PSN, "where to go back")
		case roce.EnterError:
			action = ReqFatal
		case roce.ReadReturned:
			data = true
		case roce.Complete:
			if e.Status != roce.Success && e.Status != roce.Flushed {
				require.Equal(w.t, rec.Syndrome, a.Syndrome)
				w.seen[fmt.Sprint("ended: ", e.Status)]++
			}
		}
	}
	require.Contains(w.t, why, a.Why, "%+v", rec)
	require.Equal(w.t, action, a.Action, "%+v", rec)
	w.seen[fmt.Sprint("action ", action)]++
	if data && rec.Payload > 0 || rec.Opcode == 0x12 {
		require.Equal(w.t, data, a.Data)
	}
	if action == ReqFatal {
		require.Equal(w.t, high, a.High)
		require.False(w.t, w.q.open)
		w.open()
		return
	}
	require.Equal(w.t, before != a.Una, a.Progress)
	require.Equal(w.t, oldest != w.oldest() && a.Data, a.Ended)
	w.same(a)
}

// oldest is how many READs and atomics wait at the machine: one fewer when a last response was taken.
func (w *reqTwin) oldest() uint64 { return w.machineField("reads").Uint() }

func (w *reqTwin) expire() {
	w.batch = w.batch[:0]
	if w.machine.Waiting() {
		w.machine.Expire(roce.RNR, &w.batch)
		w.same(w.do(ReqRecord{Op: ReqGoOn}))
		return
	}
	if !w.machineField("timing").Bool() {
		return
	}
	w.machine.Expire(roce.Transport, &w.batch)
	a := w.do(ReqRecord{Op: ReqRetry})
	require.Len(w.t, w.batch, 1)
	require.Equal(w.t, actions[w.batch[0].Why], a.Action)
	w.seen["timer"]++
	w.same(a)
}

// TestReqAckCheckAgreesWithTheMachine: on random work, losses and answers the block and roce.Requester say the same: una,
// high-water mark, LSN, what is dropped and why, what calls for a retry, what is fatal.
func TestReqAckCheckAgreesWithTheMachine(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(30) {
		stage := reqAckCheckSpec.New(Settings{"NumQps": 4}).(*reqAckCheck)
		w := &reqTwin{t: t, r: rand.New(rand.NewPCG(seed, 1)), stage: stage, q: &stage.qps[0], seen: seen}
		w.open()
		for range 5000 {
			switch n := w.r.IntN(20); {
			case n < 2:
				w.post()
			case n < 8:
				w.send()
			case n < 19:
				w.answer()
			default:
				w.expire()
			}
		}
	}
	for _, what := range []string{"dropped PSN-3", "dropped CRD-4", "dropped OPC-2", "dropped LEN-1", "dropped TMR-4",
		"dropped TMR-5", "dropped REQ-3", "dropped REQ-4", "action 0", "action 1", "action 2", "action 3", "action 4",
		"ended: remote access error", "ended: remote operation error",
		"ended: remote invalid request", "timer"} {
		require.Greater(t, seen[what], 20, what)
	}
}
