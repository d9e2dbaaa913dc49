package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// ReqAckCheckLatencyCycles is how many cycles after it went in a record is answered.
const ReqAckCheckLatencyCycles = 5

var reqAckCheckSpec = StageSpec{
	Name:    "req_ack_check",
	Summary: "says how far a response acknowledges and what it calls for, for the requesters of many QPs",
	Ports: []PortSpec{
		{Name: "s_rec", Input: true, Kind: Fields},
		{Name: "m_rec", Kind: Fields},
	},
	New: func(s Settings) Stage {
		return &reqAckCheck{
			pass:  pass{latencyCycles: ReqAckCheckLatencyCycles},
			reads: uint8(s.Get("Reads", 4)),
			qps:   make([]reqQP, s.Get("NumQps", 4096)),
		}
	},
}

// ReqOp is what a record on s_rec of req_ack_check is about.
type ReqOp uint8

// Operations of req_ack_check; 7 is ReqLook too.
const (
	ReqResponse ReqOp = iota
	ReqSent
	ReqConfigure
	ReqClose
	ReqRetry
	ReqGoOn
	ReqLook
)

// ReqKind is what was sent, as far as its answers differ.
type ReqKind uint8

const (
	ReqWrite   ReqKind = iota
	ReqLimited         // needs a credit (CRD-2)
	ReqRead
	ReqAtomic
)

// Bits of ReqRecord.Profile.
const (
	ReqReservedIgnored = 1 << iota
	ReqCreditsIgnored
	ReqCreditsLast
	ReqGapWaits
	ReqCreditsLimited
)

// ReqRecord is a record on s_rec of req_ack_check; docs/blocks/req_ack_check.md says which op uses what.
type ReqRecord struct {
	QPN      uint32
	PSN      psn.PSN
	Count    uint32
	Number   uint32 // MSN or SSN
	Payload  uint16
	Opcode   ib.Opcode
	Syndrome ib.Syndrome
	Op       ReqOp
	Pad      uint8
	Kind     ReqKind
	PMTU     uint8 // code, 1 to 5
	MaxReads uint8
	Profile  uint8
}

// ReqRecordBytes and ReqAnswerBytes are the sizes of records on s_rec and m_rec of req_ack_check.
const (
	ReqRecordBytes = 19
	ReqAnswerBytes = 20
)

// Append appends the record.
func (r *ReqRecord) Append(b []byte) []byte {
	w := layoutWriter{b: b}
	w.put(uint32(r.QPN), 24)
	w.put(uint32(r.PSN), 24)
	w.put(r.Count, 24)
	w.put(r.Number, 24)
	w.put(uint32(r.Payload), 13)
	w.put(uint32(r.Opcode), 8)
	w.put(uint32(r.Syndrome), 8)
	w.put(uint32(r.Op), 3)
	w.put(uint32(r.Pad), 2)
	w.put(uint32(r.Kind), 2)
	w.put(uint32(r.PMTU), 3)
	w.put(uint32(r.MaxReads), 5)
	w.put(uint32(r.Profile), 5)
	return w.end()
}

func parseReqRecord(b []byte) (r ReqRecord) {
	l := layoutReader{b: b}
	r.QPN = l.take(24)
	r.PSN = psn.PSN(l.take(24))
	r.Count = l.take(24)
	r.Number = l.take(24)
	r.Payload = uint16(l.take(13))
	r.Opcode = ib.Opcode(l.take(8))
	r.Syndrome = ib.Syndrome(l.take(8))
	r.Op = ReqOp(l.take(3))
	r.Pad = uint8(l.take(2))
	r.Kind = ReqKind(l.take(2))
	r.PMTU = uint8(l.take(3))
	r.MaxReads = uint8(l.take(5))
	r.Profile = uint8(l.take(5))
	return r
}

// ReqWhy says why a record was not simply taken.
type ReqWhy uint8

const (
	ReqTaken       ReqWhy = 0
	ReqNoQP        ReqWhy = 1  // RSP-15
	ReqNotResponse ReqWhy = 2  // OPC-1
	ReqGhost       ReqWhy = 3  // PSN-3
	ReqDuplicate   ReqWhy = 4  // PSN-3
	ReqUnsolicited ReqWhy = 5  // CRD-4
	ReqInside      ReqWhy = 6  // CRD-4
	ReqSyndrome    ReqWhy = 7  // OPC-2
	ReqWrongKind   ReqWhy = 8  // OPC-2
	ReqWrongPlace  ReqWhy = 9  // OPC-2
	ReqLength      ReqWhy = 10 // LEN-1
	ReqGapLeft     ReqWhy = 11 // REQ-3
	ReqWaiting     ReqWhy = 12 // TMR-5
	ReqRetrying    ReqWhy = 13 // TMR-3
	ReqReserved    ReqWhy = 14 // REQ-4
	ReqHole        ReqWhy = 15 // PSN-7
	ReqWindow      ReqWhy = 16 // PSN-5
	ReqReadsFull   ReqWhy = 17 // REQ-9
	ReqResend      ReqWhy = 18 // PSN-7
	ReqNoCredit    ReqWhy = 19 // CRD-2
	ReqProbe       ReqWhy = 20 // CRD-2
	ReqIsOpen      ReqWhy = 21
	ReqIllegal     ReqWhy = 22
	ReqNothing     ReqWhy = 23
)

// ReqAction is what a record calls for.
type ReqAction uint8

const (
	ReqNone ReqAction = iota
	ReqSequenceNAK
	ReqRNR
	ReqImpliedNAK
	ReqFatal
	ReqTimer
	ReqGoesOn
)

// ReqAnswer is a record on m_rec of req_ack_check.
type ReqAnswer struct {
	QPN       uint32
	UnaBefore psn.PSN
	Una       psn.PSN
	High      psn.PSN
	LSN       uint32
	Syndrome  ib.Syndrome
	Op        ReqOp
	Why       ReqWhy
	Action    ReqAction
	Region    uint8
	Reads     uint8
	Progress  bool
	Idle      bool
	Data      bool
	Ended     bool
	Credits   bool
	Unlimited bool
	Waiting   bool
	Retrying  bool
}

// Append appends the record.
func (a *ReqAnswer) Append(b []byte) []byte {
	w := layoutWriter{b: b}
	for _, v := range []uint32{a.QPN, uint32(a.UnaBefore), uint32(a.Una), uint32(a.High), a.LSN} {
		w.put(v, 24)
	}
	w.put(uint32(a.Syndrome), 8)
	w.put(uint32(a.Op), 3)
	w.put(uint32(a.Why), 5)
	w.put(uint32(a.Action), 3)
	w.put(uint32(a.Region), 2)
	w.put(uint32(a.Reads), 5)
	for _, v := range []bool{a.Progress, a.Idle, a.Data, a.Ended, a.Credits, a.Unlimited, a.Waiting, a.Retrying} {
		w.flag(v)
	}
	return w.end()
}

// ParseReqAnswer reads a record of ReqAnswerBytes.
func ParseReqAnswer(b []byte) (a ReqAnswer) {
	l := layoutReader{b: b}
	a.QPN = l.take(24)
	a.UnaBefore, a.Una, a.High = psn.PSN(l.take(24)), psn.PSN(l.take(24)), psn.PSN(l.take(24))
	a.LSN = l.take(24)
	a.Syndrome = ib.Syndrome(l.take(8))
	a.Op, a.Why, a.Action = ReqOp(l.take(3)), ReqWhy(l.take(5)), ReqAction(l.take(3))
	a.Region, a.Reads = uint8(l.take(2)), uint8(l.take(5))
	for _, f := range []*bool{&a.Progress, &a.Idle, &a.Data, &a.Ended, &a.Credits, &a.Unlimited, &a.Waiting, &a.Retrying} {
		*f = l.take(1) != 0
	}
	return a
}

// layoutWriter packs fields from bit 0 of byte 0 up, as a record port does.
type layoutWriter struct {
	b     []byte
	held  uint64
	count uint
}

func (w *layoutWriter) put(v uint32, bits uint) {
	w.held |= uint64(v) & (1<<bits - 1) << w.count
	for w.count += bits; w.count >= 8; w.count -= 8 {
		w.b = append(w.b, byte(w.held))
		w.held >>= 8
	}
}

func (w *layoutWriter) flag(v bool) {
	n := uint32(0)
	if v {
		n = 1
	}
	w.put(n, 1)
}

// end appends what is left of the last byte.
func (w *layoutWriter) end() []byte {
	if w.count > 0 {
		w.put(0, 8-w.count)
	}
	return w.b
}

// layoutReader is its inverse.
type layoutReader struct {
	b     []byte
	held  uint64
	count uint
}

func (l *layoutReader) take(bits uint) uint32 {
	for ; l.count < bits; l.count += 8 {
		l.held |= uint64(l.b[0]) << l.count
		l.b = l.b[1:]
	}
	v := uint32(l.held & (1<<bits - 1))
	l.held >>= bits
	l.count -= bits
	return v
}

// reqAckCheck is the stage of docs/blocks/req_ack_check.md.
type reqAckCheck struct {
	pass
	reads   uint8
	qps     []reqQP
	answers []byte // of one Advance; its outputs share it until the next
}

// reqQP is the state of a QP. Its zero value is a closed one.
type reqQP struct {
	open      bool
	profile   uint8
	pmtuBytes uint16
	maxReads  uint8

	una, high psn.PSN // una to high - 1 is unacknowledged
	retrying  bool
	waiting   bool

	lsn       psn.PSN // SSN, MSN and LSN wrap as PSNs do
	known     bool    // lsn means something
	unlimited bool
	probed    bool

	outstanding [16]reqRead // oldest first
	reads       uint8
	begun       bool // the oldest has had a response
}

// reqRead is an outstanding READ or atomic.
type reqRead struct {
	due, last psn.PSN // the next response and the last one
	atomic    bool
	tail      uint16 // bytes in the last response
}

func (s *reqAckCheck) Reset() {
	s.pass.Reset()
	clear(s.qps)
}

func (s *reqAckCheck) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.answers = s.answers[:0]
	for i := range in {
		r := parseReqRecord(in[i].Data)
		a := s.step(&r)
		at := len(s.answers)
		s.answers = a.Append(s.answers)
		out = append(out, s.through(&in[i], s.answers[at:at+ReqAnswerBytes:at+ReqAnswerBytes], 0))
	}
	return out
}

func (s *reqAckCheck) step(r *ReqRecord) ReqAnswer {
	a := ReqAnswer{QPN: r.QPN, Op: r.Op}
	if uint64(r.QPN) >= uint64(len(s.qps)) {
		a.Why = ReqNoQP
		return a
	}
	q := &s.qps[r.QPN]
	if q.open {
		a.UnaBefore = q.una
		q.step(r, &a)
	} else if r.Op == ReqConfigure {
		q.configure(r, s.reads, &a)
	} else {
		a.Why = ReqNoQP
	}
	if !q.open {
		return a
	}
	q.show(&a)
	if r.Op == ReqClose || a.Action == ReqFatal {
		*q = reqQP{}
	}
	return a
}

// show tells the state behind the record.
func (q *reqQP) show(a *ReqAnswer) {
	a.Una, a.High, a.LSN, a.Reads = q.una, q.high, uint32(q.lsn), q.reads
	a.Idle, a.Unlimited, a.Waiting, a.Retrying = q.una == q.high, q.unlimited, q.waiting, q.retrying
}

func (q *reqQP) configure(r *ReqRecord, reads uint8, a *ReqAnswer) {
	if r.PMTU < 1 || r.PMTU > 5 || r.MaxReads > reads {
		a.Why = ReqIllegal
		return
	}
	limited := r.Profile&ReqCreditsLimited != 0
	*q = reqQP{open: true, profile: r.Profile, pmtuBytes: 128 << r.PMTU, maxReads: r.MaxReads, una: r.PSN, high: r.PSN,
		known: limited, unlimited: !limited || r.Profile&ReqCreditsIgnored != 0}
}

func (q *reqQP) step(r *ReqRecord, a *ReqAnswer) {
	switch r.Op {
	case ReqResponse:
		q.respond(r, a)
		a.Progress = q.una != a.UnaBefore
	case ReqSent:
		a.Why = q.sent(r)
	case ReqConfigure:
		a.Why = ReqIsOpen
	case ReqRetry:
		if q.waiting || q.una == q.high {
			a.Why = ReqNothing
			return
		}
		q.retrying = true
		a.Action = ReqTimer
	case ReqGoOn:
		if !q.waiting {
			a.Why = ReqNothing
			return
		}
		q.waiting = false
		if q.una != q.high {
			a.Action = ReqGoesOn
		}
	}
}

// sent notes what went out: in order, within the window (PSN-5, PSN-7), with no READ too many (REQ-9).
func (q *reqQP) sent(r *ReqRecord) ReqWhy {
	ahead := r.PSN.Diff(q.high)
	replayed := r.Kind == ReqRead || r.Kind == ReqAtomic
	switch {
	case r.Count == 0 || r.Count > psn.Half || r.Kind == ReqAtomic && r.Count != 1:
		return ReqIllegal
	case ahead < 0:
		return ReqResend
	case ahead > 0:
		return ReqHole
	case uint32(psn.New(uint32(q.high)-uint32(q.una)))+r.Count > psn.Half:
		return ReqWindow
	case replayed && q.reads >= q.maxReads:
		return ReqReadsFull
	}
	if replayed {
		q.outstanding[q.reads] = reqRead{due: r.PSN, last: r.PSN.Add(int32(r.Count - 1)), atomic: r.Kind == ReqAtomic, tail: r.Payload}
		q.reads++
	}
	q.high = r.PSN.Add(int32(r.Count))
	return q.spend(r)
}

// spend tells whether what was sent had a credit (CRD-2).
func (q *reqQP) spend(r *ReqRecord) ReqWhy {
	beyond := psn.New(r.Number).Diff(q.lsn)
	switch {
	case r.Kind != ReqLimited || q.unlimited || beyond <= 0:
		return ReqTaken
	case beyond == 1 && !q.probed:
		q.probed = true
		return ReqProbe
	default:
		return ReqNoCredit
	}
}

// respond finds the region of a response (PSN-3). What was acknowledged before gives credits at most (CRD-3), a ghost nothing.
func (q *reqQP) respond(r *ReqRecord, a *ReqAnswer) {
	if r.Opcode < ib.Opcode(ib.ReadResponseFirst) || r.Opcode > ib.Opcode(ib.AtomicAck) {
		a.Why = ReqNotResponse
		return
	}
	isAck := r.Opcode == ib.Opcode(ib.Ack)
	switch psn.Respond(r.PSN, q.una, q.high) {
	case psn.Ghost:
		a.Region, a.Why = 3, ReqGhost
	case psn.Stale:
		a.Region, a.Why = 2, ReqDuplicate
		newest := r.PSN.Add(1) == q.una
		if isAck && r.Syndrome.Kind() == ib.KindAck && newest {
			a.Why = ReqUnsolicited
		}
		if isAck && (newest || q.profile&ReqCreditsLast == 0) {
			q.takeCredits(r, a)
		}
	default:
		a.Region = 1
		if isAck {
			q.acknowledge(r, a)
		} else {
			q.returned(r, a)
		}
	}
}

// head is the oldest outstanding READ or atomic; nil if there is none.
func (q *reqQP) head() *reqRead {
	if q.reads == 0 {
		return nil
	}
	return &q.outstanding[0]
}

// moveTo sets una. What moves it ends a retry that went before (TMR-3).
func (q *reqQP) moveTo(una psn.PSN) {
	if una != q.una {
		q.una, q.retrying = una, false
	}
}

// release acknowledges everything before to, but nothing that waits for its own response (REQ-1, REQ-2). beyond tells that to
// lies behind the head, whose responses were lost then (REQ-3).
func (q *reqQP) release(to psn.PSN) (beyond bool) {
	h := q.head()
	if h == nil || to.Diff(h.due) <= 0 {
		q.moveTo(to)
		return false
	}
	q.moveTo(h.due)
	return to.Diff(h.last) > 0
}

// acknowledge takes opcode ACK. An ACK inside the head completes nothing and is no loss (CRD-4).
func (q *reqQP) acknowledge(r *ReqRecord, a *ReqAnswer) {
	switch r.Syndrome.Kind() {
	case ib.KindAck:
		q.takeCredits(r, a)
		h := q.head()
		switch {
		case h == nil || r.PSN.Diff(h.due) < 0:
			q.release(r.PSN.Add(1))
		case q.release(r.PSN): // a PSN within the head stays within
			q.implied(a)
		default:
			a.Why = ReqInside
		}
	case ib.KindRNR:
		q.notReady(r, a)
	case ib.KindNAK:
		q.negative(r, a)
	default:
		a.Why = ReqSyndrome
	}
}

// notReady takes an RNR NAK: back to its PSN, after a wait (REQ-4).
func (q *reqQP) notReady(r *ReqRecord, a *ReqAnswer) {
	if q.waiting {
		a.Why = ReqWaiting
		return
	}
	if q.release(r.PSN) {
		q.implied(a)
		return
	}
	q.waiting, q.retrying = true, false
	a.Action, a.Syndrome = ReqRNR, r.Syndrome
}

// negative takes a NAK (REQ-4). What an RNR wait holds up starts no retry (TMR-5).
func (q *reqQP) negative(r *ReqRecord, a *ReqAnswer) {
	sequence := r.Syndrome == ib.NAKSequence
	switch {
	case r.Syndrome > ib.NAKInvalidRD && q.profile&ReqReservedIgnored != 0:
		a.Why = ReqReserved
	case sequence && q.waiting:
		a.Why = ReqWaiting
	case q.release(r.PSN):
		q.implied(a)
	case sequence:
		q.retry(ReqSequenceNAK, a)
	default:
		a.Action, a.Syndrome = ReqFatal, r.Syndrome
	}
}

// implied is what tells of lost responses of a READ or atomic (REQ-3).
func (q *reqQP) implied(a *ReqAnswer) {
	if q.waiting {
		a.Why = ReqWaiting
		return
	}
	q.retry(ReqImpliedNAK, a)
}

// retry calls for one, unless one is under way for the same una (TMR-3).
func (q *reqQP) retry(action ReqAction, a *ReqAnswer) {
	if q.retrying {
		a.Why = ReqRetrying
		return
	}
	q.retrying = true
	a.Action = action
}

// returned takes a response with data: to the head, or to nothing.
func (q *reqQP) returned(r *ReqRecord, a *ReqAnswer) {
	atomic, middle := r.Opcode == ib.Opcode(ib.AtomicAck), r.Opcode == ib.Opcode(ib.ReadResponseMid)
	h := q.head()
	switch {
	case !middle && r.Syndrome.Kind() != ib.KindAck:
		a.Why = ReqSyndrome
	case h == nil || r.PSN.Diff(h.due) < 0:
		a.Why = ReqWrongKind
	case q.release(r.PSN): // REQ-2
		q.implied(a)
	case h.atomic != atomic:
		a.Why = ReqWrongKind
	case r.PSN != h.due && q.profile&ReqGapWaits != 0:
		a.Why = ReqGapLeft
	case r.PSN != h.due:
		q.implied(a)
	case !atomic && !q.inPlace(r, h):
		a.Why = ReqWrongPlace
	case !atomic && !q.longEnough(r, h):
		a.Why = ReqLength
	default:
		if !middle {
			q.takeCredits(r, a)
		}
		a.Data, a.Ended = true, r.PSN == h.last
		q.take(h, a.Ended)
	}
}

// inPlace compares First, Middle, Last and Only with the place in the READ (OPC-2). A retry may have begun anywhere (REQ-7).
func (q *reqQP) inPlace(r *ReqRecord, h *reqRead) bool {
	switch ib.Operation(r.Opcode) {
	case ib.ReadResponseFirst:
		return r.PSN != h.last
	case ib.ReadResponseMid:
		return r.PSN != h.last && q.begun
	case ib.ReadResponseLast:
		return r.PSN == h.last && q.begun
	default:
		return r.PSN == h.last
	}
}

// longEnough compares payload and pad with what the place asks for (LEN-1).
func (q *reqQP) longEnough(r *ReqRecord, h *reqRead) bool {
	want := q.pmtuBytes
	if r.PSN == h.last {
		want = h.tail
	}
	return r.Payload == want && (r.Payload+uint16(r.Pad))%4 == 0
}

// take moves una behind the response that the head waited for.
func (q *reqQP) take(h *reqRead, ended bool) {
	h.due = h.due.Add(1)
	q.moveTo(h.due)
	q.begun = !ended
	if ended {
		copy(q.outstanding[:], q.outstanding[1:q.reads])
		q.reads--
	}
}

// takeCredits takes what an ACK syndrome says of the receive queue (CRD-2).
func (q *reqQP) takeCredits(r *ReqRecord, a *ReqAnswer) {
	if q.profile&ReqCreditsIgnored != 0 || r.Syndrome.Kind() != ib.KindAck {
		return
	}
	credits, limited := ib.Credits(r.Syndrome.Code())
	if q.unlimited = !limited; !limited {
		return
	}
	if lsn := psn.New(r.Number + credits); !q.known || lsn.Diff(q.lsn) > 0 {
		q.lsn, q.probed = lsn, false
		a.Credits = true
	}
	q.known = true
}
