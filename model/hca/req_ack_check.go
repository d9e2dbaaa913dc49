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
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 146},
		{Name: "m_rec", Kind: sim.Fields, Bits: 154},
	},
	New: func(s sim.Settings) sim.Stage {
		return &reqAckCheck{
			pass:  pass{latencyCycles: ReqAckCheckLatencyCycles},
			reads: uint8(s.Get("Reads", 4)),
			width: psnWidth(s),
			qps:   make([]reqQP, s.Get("NumQps", 4096)),
			ecc:   eccOf(s, reqStateBits+reqReadBits*int(s.Get("Reads", 4))),
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

// ReqMaintain, of a memory with a code, is an injection with kind ReqInject, the counts with kind ReqCounts, else
// ReqLook.
const (
	ReqMaintain ReqOp = 7
	ReqInject         = roce.ReqLimited
	ReqCounts         = roce.ReqRead
)

// The data bits of the word of a QP: its state, and each READ or atomic that it can have outstanding.
const (
	reqStateBits = 98
	reqReadBits  = 62
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

func (r *ReqRecord) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.PSN, psn.Bits)
	sim.Field(l, &r.Count, 24)
	sim.Field(l, &r.Number, 24)
	sim.Field(l, &r.Payload, 13)
	sim.Field(l, &r.Opcode, 8)
	sim.Field(l, &r.Syndrome, 8)
	sim.Field(l, &r.Op, 3)
	sim.Field(l, &r.Pad, 2)
	sim.Field(l, &r.Kind, 2)
	sim.Field(l, &r.PMTU, 3)
	sim.Field(l, &r.MaxReads, 5)
	sim.Field(l, &r.Profile, ReqProfileBits)
}

var reqRecordForm = sim.FormOf((*ReqRecord).layout)

// Append appends the record as it goes over the port.
func (r *ReqRecord) Append(b []byte) []byte {
	return reqRecordForm.Append(b, r)
}

// ParseReqRecord reads a record of ReqRecordBytes.
func ParseReqRecord(b []byte) ReqRecord { return reqRecordForm.Parse(b) }

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

func (a *ReqAnswer) layout(l *sim.Layout) {
	sim.Field(l, &a.QPN, 24)
	sim.Field(l, &a.UnaBefore, psn.Bits)
	sim.Field(l, &a.Una, psn.Bits)
	sim.Field(l, &a.High, psn.Bits)
	sim.Field(l, &a.LSN, 24)
	sim.Field(l, &a.Syndrome, 8)
	sim.Field(l, &a.Op, 3)
	sim.Field(l, &a.Why, 5)
	sim.Field(l, &a.Action, 3)
	sim.Field(l, &a.Region, 2)
	sim.Field(l, &a.Reads, 5)
	for _, f := range [...]*bool{&a.Progress, &a.Idle, &a.Data, &a.Ended, &a.Credits, &a.Unlimited, &a.Waiting,
		&a.Retrying} {
		l.Flag(f)
	}
}

var reqAnswerForm = sim.FormOf((*ReqAnswer).layout)

// Append appends the record as it goes over the port.
func (a *ReqAnswer) Append(b []byte) []byte {
	return reqAnswerForm.Append(b, a)
}

// ParseReqAnswer reads a record of ReqAnswerBytes.
func ParseReqAnswer(b []byte) ReqAnswer { return reqAnswerForm.Parse(b) }

// reqAckCheck is the stage of docs/blocks/req_ack_check.md. What follows from a record roce.RequesterState decides.
type reqAckCheck struct {
	pass
	reads   uint8
	width   roce.Width
	qps     []reqQP
	ecc     *eccMemory // nil without
	answers []byte     // of one Advance; its outputs share it until the next
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
	s.ecc.reset()
}

func (s *reqAckCheck) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.answers = s.answers[:0]
	for i := range in {
		r := ParseReqRecord(in[i].Data)
		a := s.step(&r)
		at := len(s.answers)
		s.answers = a.Append(s.answers)
		out = s.through(out, &in[i], s.answers[at:at+ReqAnswerBytes:at+ReqAnswerBytes], 0)
	}
	return out
}

func (s *reqAckCheck) step(r *ReqRecord) (a ReqAnswer) {
	a.QPN, a.Op = r.QPN, r.Op
	if s.ecc != nil && r.Op == ReqMaintain && (r.Kind == ReqInject || r.Kind == ReqCounts) {
		s.maintain(r, &a)
		return a
	}
	if uint64(r.QPN) >= uint64(len(s.qps)) {
		a.Why = roce.ReqNoQP
		return a
	}
	q := &s.qps[r.QPN]
	lost := s.ecc.lost(r.QPN)
	if lost {
		*q = reqQP{}
	}
	closes := false
	switch {
	case q.open:
		a.UnaBefore = q.state.Una
		closes = q.step(r, &a)
	case r.Op == ReqConfigure:
		a.Why = q.configure(r, s.reads)
		q.cfg.Width = s.width
	case lost:
		a.Why = roce.ReqLost
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

// maintain orders an injection (ECC-4), or tells the counts (ECC-5).
func (s *reqAckCheck) maintain(r *ReqRecord, a *ReqAnswer) {
	switch m := s.ecc; {
	case r.Kind == ReqCounts:
		a.UnaBefore, a.Una = psn.New(uint32(m.corrected)), psn.New(uint32(m.failed))
		a.High, a.LSN = psn.New(m.lastCorrected), m.lastFailed
		a.Idle = a.Una == a.High
	case uint64(r.QPN) >= uint64(len(s.qps)):
		a.Why = roce.ReqNoQP
	case !m.inject(r.QPN, int(r.Count&0xFFFF), int(r.Number&0xFFFF)):
		a.Why = roce.ReqIllegal
	}
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
	return roce.RequesterConfig{Service: ib.RC, PMTUBytes: uint32(pmtuBytes(r.PMTU)), StartPSN: r.PSN,
		MaxReads: r.MaxReads,
		Limited:  has(ReqCreditsLimited), Profile: roce.Profile{ReservedNAKIgnored: has(ReqReservedIgnored),
			CreditsIgnored: has(ReqCreditsIgnored), CreditsLastOnly: has(ReqCreditsLast), GapWaits: has(ReqGapWaits),
			AnyAnswerEndsRNR: has(ReqAnyAnswerEndsRNR)}}
}

// Packet is the response that a record tells of.
func (r *ReqRecord) Packet() roce.Packet {
	return roce.Packet{Op: r.Opcode, PSN: r.PSN, Syndrome: r.Syndrome, MSN: r.Number, Len: uint32(r.Payload), Pad: r.Pad}
}

// Outstanding is what a record says of a READ or atomic that was sent.
func (r *ReqRecord) Outstanding() roce.Outstanding {
	return roce.Outstanding{Due: r.PSN, Last: r.PSN.Add(int32(r.Count - 1)), Atomic: r.Kind == roce.ReqAtomic,
		TailBytes: uint32(r.Payload)}
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
		o := r.Outstanding()
		o.Last = q.state.High.Add(-int32(q.cfg.Width))
		q.outstanding[q.reads] = o
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
