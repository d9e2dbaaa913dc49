package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// ReqAckCheckLatencyCycles is how many cycles after it went in a record is answered.
const ReqAckCheckLatencyCycles = 5

var reqAckCheckSpec = sim.StageSpec{
	Name:    "req_ack_check",
	Summary: "says how far a response acknowledges and what it calls for, for the requesters of many QPs",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields},
		{Name: "m_rec", Kind: sim.Fields},
	},
	New: func(s sim.Settings) sim.Stage {
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

// Bits of ReqRecord.Profile.
const (
	ReqReservedIgnored = 1 << iota
	ReqCreditsIgnored
	ReqCreditsLast
	ReqGapWaits
	ReqCreditsLimited
	ReqAnyAnswerEndsRNR
)

// ReqProfileBits is how many they are.
const ReqProfileBits = 6

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
	Kind     roce.ReqKind
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
	w.put(uint32(r.Profile), ReqProfileBits)
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
	r.Kind = roce.ReqKind(l.take(2))
	r.PMTU = uint8(l.take(3))
	r.MaxReads = uint8(l.take(5))
	r.Profile = uint8(l.take(ReqProfileBits))
	return r
}

// ReqAnswer is a record on m_rec of req_ack_check.
type ReqAnswer struct {
	QPN       uint32
	UnaBefore psn.PSN
	Una       psn.PSN
	High      psn.PSN
	LSN       uint32
	Syndrome  ib.Syndrome
	Op        ReqOp
	Why       roce.ReqReason
	Action    roce.ReqAction
	Region    roce.ReqRegion
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
	a.Op, a.Why, a.Action = ReqOp(l.take(3)), roce.ReqReason(l.take(5)), roce.ReqAction(l.take(3))
	a.Region, a.Reads = roce.ReqRegion(l.take(2)), uint8(l.take(5))
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

// reqAckCheck is the stage of docs/blocks/req_ack_check.md. What follows from a record roce.RequesterState decides.
type reqAckCheck struct {
	pass
	reads   uint8
	qps     []reqQP
	answers []byte // of one Advance; its outputs share it until the next
}

// maxReqReads is the largest Reads.
const maxReqReads = 16

// reqQP is the state of a QP. Its zero value is a closed one.
type reqQP struct {
	open  bool
	cfg   roce.RequesterConfig
	state roce.RequesterState

	outstanding [maxReqReads]roce.Outstanding // READs and atomics, oldest first
	reads       uint8
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
		a.Why = roce.ReqNoQP
		return a
	}
	q := &s.qps[r.QPN]
	closes := false
	switch {
	case q.open:
		a.UnaBefore = q.state.Una
		closes = q.step(r, &a)
	case r.Op == ReqConfigure:
		a.Why = q.configure(r, s.reads)
	default:
		a.Why = roce.ReqNoQP
	}
	if !q.open {
		return a
	}
	q.show(&a)
	if closes {
		*q = reqQP{}
	}
	return a
}

// show tells the state behind the record.
func (q *reqQP) show(a *ReqAnswer) {
	st := &q.state
	a.Una, a.High, a.LSN, a.Reads = st.Una, st.High, st.LSN, q.reads
	a.Idle, a.Unlimited, a.Waiting, a.Retrying = st.Idle(), st.Unlimited, st.Waiting, st.Retrying
}

// pmtuBytes is the PMTU of a code, a size that there is not for codes that are none.
func pmtuBytes(code uint8) int { return ib.MinPMTU << code >> 1 }

// Config is what a record of configure gives a requester.
func (r *ReqRecord) Config() roce.RequesterConfig {
	has := func(bit uint8) bool { return r.Profile&bit != 0 }
	return roce.RequesterConfig{Service: ib.RC, PMTUBytes: uint32(pmtuBytes(r.PMTU)), StartPSN: r.PSN, MaxReads: r.MaxReads,
		Limited: has(ReqCreditsLimited), Profile: roce.Profile{ReservedNAKIgnored: has(ReqReservedIgnored),
			CreditsIgnored: has(ReqCreditsIgnored), CreditsLastOnly: has(ReqCreditsLast), GapWaits: has(ReqGapWaits),
			AnyAnswerEndsRNR: has(ReqAnyAnswerEndsRNR)}}
}

// Packet is the response that a record tells of.
func (r *ReqRecord) Packet() roce.Packet {
	return roce.Packet{Op: r.Opcode, PSN: r.PSN, Syndrome: r.Syndrome, MSN: r.Number, Len: uint32(r.Payload), Pad: r.Pad}
}

// Outstanding is what a record says of a READ or atomic that was sent.
func (r *ReqRecord) Outstanding() roce.Outstanding {
	return roce.Outstanding{Due: r.PSN, Last: r.PSN.Add(int32(r.Count - 1)), Atomic: r.Kind == roce.ReqAtomic, TailBytes: uint32(r.Payload)}
}

func (q *reqQP) configure(r *ReqRecord, reads uint8) roce.ReqReason {
	if !ib.ValidPMTU(pmtuBytes(r.PMTU)) || r.MaxReads > reads {
		return roce.ReqIllegal
	}
	*q = reqQP{open: true, cfg: r.Config()}
	q.state = roce.NewRequesterState(&q.cfg)
	return roce.ReqTaken
}

// step takes a record of an open QP and reports whether it closes it.
func (q *reqQP) step(r *ReqRecord, a *ReqAnswer) (closes bool) {
	var d roce.Decision
	switch r.Op {
	case ReqResponse:
		d = q.respond(r)
	case ReqSent:
		d.Why = q.sent(r)
	case ReqConfigure:
		d.Why = roce.ReqIsOpen
	case ReqRetry:
		d = q.state.Retry()
	case ReqGoOn:
		d = q.state.GoOn()
	}
	a.Why, a.Action, a.Region, a.Syndrome = d.Why, d.Action, d.Region, d.Syndrome
	a.Progress, a.Data, a.Ended, a.Credits = d.Progress(), d.Data, d.Ended, d.Credits
	return r.Op == ReqClose || d.Closes()
}

// sent notes what went out, and a READ or atomic on the list.
func (q *reqQP) sent(r *ReqRecord) roce.ReqReason {
	before := q.state.High
	why := q.state.Sent(&q.cfg, r.Kind, r.PSN, r.Count, r.Number, q.reads)
	if q.state.High != before && r.Kind.Replayed() {
		q.outstanding[q.reads] = r.Outstanding()
		q.reads++
	}
	return why
}

// respond gives a response to the oldest READ or atomic, and takes that off the list with its last.
func (q *reqQP) respond(r *ReqRecord) roce.Decision {
	p := r.Packet()
	if q.reads == 0 {
		return q.state.Respond(&q.cfg, &p, nil)
	}
	d := q.state.Respond(&q.cfg, &p, &q.outstanding[0])
	if d.Ended {
		copy(q.outstanding[:], q.outstanding[1:q.reads])
		q.reads--
	}
	return d
}
