package hca

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// RespPSNCheckLatencyCycles is how many cycles after it went in a record is answered.
const RespPSNCheckLatencyCycles = 5

// respPSNCheckQPs is NumQps where the device does not say otherwise.
const respPSNCheckQPs = 4096

// respContextBits are the data bits of the word of a QP.
const respContextBits = 119

// psnWidth is how far one PSN lies from the next. Devices have PSNs of 24 bits; in a build of fewer, psn_pkg's macro,
// small worlds are replayed.
func psnWidth(s sim.Settings) roce.Width { return roce.WidthOf(int(s.Get("HCA_PSN_BITS", psn.Bits))) }

var respPSNCheckSpec = sim.StageSpec{
	Name:    "resp_psn_check",
	Summary: "judges requests for many QPs as their responder and says what to answer",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields, Bits: 190},
		{Name: "m_rec", Kind: sim.Fields, Bits: 152},
	},
	New: func(s sim.Settings) sim.Stage {
		return &respPSNCheck{
			pass:   pass{latencyCycles: RespPSNCheckLatencyCycles},
			numQPs: uint32(s.Get("NumQps", respPSNCheckQPs)),
			width:  psnWidth(s),
			ecc:    eccOf(s, respContextBits),
		}
	},
}

// RespOp is what a record on s_rec of resp_psn_check is.
type RespOp uint8

// A packet, the operations on the state of a QP, and those of a memory with a code.
const (
	RespPacket RespOp = iota
	RespSet
	RespReady
	RespError
	RespReset
	RespFreed
	RespInject
	RespCounts
)

// RespService is the service of a QP as RespSet codes it.
type RespService uint8

// The services that a QP of resp_psn_check can have.
const (
	RespRC RespService = iota
	RespUC
	RespUD
)

// transport is the transport base of the opcodes that a service takes; of no service one that no responder has.
func (s RespService) transport() ib.Transport {
	return [...]ib.Transport{ib.RC, ib.UC, ib.UD, ib.CNP}[s]
}

// RespProfile is a set of differences between real devices.
type RespProfile uint8

// The differences, by bit: the fields of roce.Profile of the same names.
const (
	RespDupKeepsNAK RespProfile = 1 << iota
	RespNakWhileRNR
	RespDupAckByAckReq
	RespLengthBeforeRKey
	RespTooLongIsRemoteOp
	RespRoomUnchecked
	RespStrayPayloadTaken
	RespFlushUnchecked
)

// fields is the profile of the responder's machine.
func (p RespProfile) fields() roce.Profile {
	has := func(bit RespProfile) bool { return p&bit != 0 }
	return roce.Profile{
		DupKeepsNAK: has(RespDupKeepsNAK), NakWhileRNR: has(RespNakWhileRNR), DupAckByAckReq: has(RespDupAckByAckReq),
		LengthBeforeRKey: has(RespLengthBeforeRKey), TooLongIsRemoteOp: has(RespTooLongIsRemoteOp),
		RoomUnchecked:     has(RespRoomUnchecked),
		StrayPayloadTaken: has(RespStrayPayloadTaken), FlushUnchecked: has(RespFlushUnchecked),
	}
}

// What RespSet enables.
const (
	RespEnableWrite  = 1 << iota // WRITE, ATOMIC WRITE
	RespEnableRead               // READ
	RespEnableAtomic             // CMP & SWAP, FETCH & ADD
)

// RespQuery is a record on s_rec of resp_psn_check. docs/blocks/resp_psn_check.md says which op uses what.
type RespQuery struct {
	Op  RespOp
	QPN uint32
	PSN psn.PSN

	Opcode    ib.Opcode
	Payload   uint16 // bytes without pad
	DMALength uint32
	Pad       uint8
	VALow     uint8 // the low three bits of the address
	AckReq    bool
	Solicited bool
	FlushPLT  uint8
	FlushSel  uint8

	// Looked up ahead.
	WQEBytes   uint32
	Credits    uint8 // code
	OwnError   bool
	QKeyOK     bool
	WQEPresent bool
	AccessOK   bool

	// Of RespSet.
	Service      RespService
	PMTU         uint8 // 1 to 5: 256 to 4096 bytes
	MaxReads     uint8
	Enabled      uint8
	FlushEnabled uint8 // by bit of PLT
	Lost         bool  // of a packet, with a code: another memory had a worthless word for it
	RNRTimer     uint8
	Profile      RespProfile
}

// RespQueryBytes is the size of a record on s_rec of resp_psn_check.
const RespQueryBytes = 24

func (q *RespQuery) layout(l *sim.Layout) {
	sim.Field(l, &q.QPN, 24)
	sim.Field(l, &q.PSN, psn.Bits)
	sim.Field(l, &q.Opcode, 8)
	sim.Field(l, &q.Payload, 16)
	sim.Field(l, &q.DMALength, 32)
	sim.Field(l, &q.WQEBytes, 32)
	sim.Field(l, &q.Op, 3)
	sim.Field(l, &q.Service, 2)
	sim.Field(l, &q.PMTU, 3)
	sim.Field(l, &q.MaxReads, 5)
	sim.Field(l, &q.Enabled, 3)
	sim.Field(l, &q.RNRTimer, 5)
	sim.Field(l, &q.VALow, 3)
	sim.Field(l, &q.Credits, 5)
	sim.Field(l, &q.Pad, 2)
	l.Flag(&q.AckReq)
	sim.Field(l, &q.Profile, 8)
	for _, f := range [...]*bool{&q.Solicited, &q.OwnError, &q.QKeyOK, &q.WQEPresent, &q.AccessOK} {
		l.Flag(f)
	}
	sim.Field(l, &q.FlushPLT, 4)
	sim.Field(l, &q.FlushSel, 2)
	sim.Field(l, &q.FlushEnabled, 2)
	l.Flag(&q.Lost)
}

var respQueryForm = sim.FormOf((*RespQuery).layout)

// Append appends the record as it goes over the port.
func (q *RespQuery) Append(b []byte) []byte {
	return respQueryForm.Append(b, q)
}

// ParseRespQuery reads a record of RespQueryBytes.
func ParseRespQuery(b []byte) RespQuery { return respQueryForm.Parse(b) }

// packet is the request that a record tells of.
func (q *RespQuery) packet() roce.Packet {
	return roce.Packet{Op: q.Opcode, PSN: q.PSN, AckReq: q.AckReq, SE: q.Solicited, Pad: q.Pad,
		FETH: q.FlushPLT | q.FlushSel<<4,
		Len:  uint32(q.Payload), VA: uint64(q.VALow), DMALen: q.DMALength}
}

// facts is what was looked up ahead. Whether a duplicate lies within what is kept, the block behind the stage says.
func (q *RespQuery) facts() roce.RespFacts {
	return roce.RespFacts{ReceivePosted: q.WQEPresent, ReceiveBytes: q.WQEBytes, AccessOK: q.AccessOK,
		OwnError: q.OwnError,
		QKeyOK:   q.QKeyOK, Replay: true, Credits: q.Credits}
}

// config is what a RespSet gives its QP.
func (q *RespQuery) config() roce.ResponderConfig {
	return roce.ResponderConfig{Service: q.Service.transport(), Profile: q.Profile.fields(), PMTUBytes: 128 << q.PMTU,
		StartPSN: q.PSN, StartMSN: q.DMALength & 0xFFFFFF,
		MaxReads: q.MaxReads, RNRTimer: q.RNRTimer,
		Access: roce.Access(q.Enabled)*roce.RemoteWrite | roce.Access(q.FlushEnabled)*roce.FlushGlobal}
}

// RespResult is a record on m_rec of resp_psn_check.
type RespResult struct {
	QPN           uint32
	Before, After psn.PSN // the QP's ePSN
	PSN           psn.PSN // of the answer
	MSN           uint32
	Syndrome      ib.Syndrome
	Op            RespOp
	Why           roce.RespReason
	Verdict       roce.RespOutcome
	Answer        roce.RespAnswer
	First, Last   bool
	Complete      bool
	Solicited     bool
	ToError       bool
	Behind        uint8
}

// RespResultBytes is the size of a record on m_rec of resp_psn_check.
const RespResultBytes = 19

func (r *RespResult) layout(l *sim.Layout) {
	sim.Field(l, &r.QPN, 24)
	sim.Field(l, &r.Before, psn.Bits)
	sim.Field(l, &r.After, psn.Bits)
	sim.Field(l, &r.PSN, psn.Bits)
	sim.Field(l, &r.MSN, 24)
	sim.Field(l, &r.Syndrome, 8)
	sim.Field(l, &r.Op, 3)
	sim.Field(l, &r.Why, 5)
	sim.Field(l, &r.Verdict, 3)
	sim.Field(l, &r.Answer, 3)
	for _, f := range [...]*bool{&r.First, &r.Last, &r.Complete, &r.Solicited, &r.ToError} {
		l.Flag(f)
	}
	sim.Field(l, &r.Behind, 5)
}

var respResultForm = sim.FormOf((*RespResult).layout)

// Append appends the record as it goes over the port.
func (r *RespResult) Append(b []byte) []byte {
	return respResultForm.Append(b, r)
}

// ParseRespResult reads a record of RespResultBytes.
func ParseRespResult(b []byte) RespResult { return respResultForm.Parse(b) }

// respQP is what the stage keeps of a QP that is not in reset.
type respQP struct {
	roce.ResponderState
	cfg roce.ResponderConfig
}

// respPSNCheck is the stage of docs/blocks/resp_psn_check.md. roce.ResponderState decides.
type respPSNCheck struct {
	pass
	numQPs  uint32
	width   roce.Width
	qps     byIndex[respQP]
	ecc     *eccMemory // nil without
	blank   respQP     // stands for a QP in reset while a record that does not set it is judged
	results []byte     // of one Advance; its outputs share it until the next
}

func (s *respPSNCheck) Reset() {
	s.pass.Reset()
	s.qps.reset()
	s.ecc.reset()
}

func (s *respPSNCheck) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.results = s.results[:0]
	for i := range in {
		q := ParseRespQuery(in[i].Data)
		r := s.answer(&q)
		at := len(s.results)
		s.results = r.Append(s.results)
		out = s.through(out, &in[i], s.results[at:len(s.results):len(s.results)], 0)
	}
	return out
}

// answer looks at the word of the QP, where it can be wrong, before anything is made of it.
func (s *respPSNCheck) answer(q *RespQuery) RespResult {
	switch {
	case s.ecc == nil:
		return s.judge(q)
	case q.Op == RespInject || q.Op == RespCounts:
		return s.maintain(q)
	case q.QPN >= s.numQPs:
		return s.judge(q)
	}
	found := s.ecc.look(q.QPN)
	s.ecc.write(q.QPN)
	if found == wordFailed || q.Op == RespPacket && q.Lost {
		return s.stop(q)
	}
	return s.judge(q)
}

// maintain orders an injection (ECC-4), or tells the counts (ECC-5).
func (s *respPSNCheck) maintain(q *RespQuery) RespResult {
	r := RespResult{QPN: q.QPN, Op: q.Op, Verdict: roce.RespDone}
	switch {
	case q.Op == RespCounts:
		r.Before, r.After = psn.New(uint32(s.ecc.corrected)), psn.New(uint32(s.ecc.failed))
		r.PSN, r.MSN = psn.New(s.ecc.lastCorrected), s.ecc.lastFailed
	case q.QPN >= s.numQPs:
		r.Verdict, r.Why = roce.RespIgnored, roce.RespNoQP
	case !s.ecc.inject(q.QPN, int(q.Payload&0xFF), int(q.Payload>>8)):
		r.Verdict, r.Why = roce.RespIgnored, roce.RespNoSuch
	}
	return r
}

// stop is what becomes of a record whose QP's word is worthless: the QP is in error, and nobody hears of it (ECC-3). A
// reset needs nothing of the word.
func (s *respPSNCheck) stop(q *RespQuery) RespResult {
	r := RespResult{QPN: q.QPN, Op: q.Op, Why: roce.RespBadContext, ToError: true}
	switch q.Op {
	case RespReset:
		s.qps.delete(q.QPN)
		return RespResult{QPN: q.QPN, Op: q.Op, Verdict: roce.RespDone}
	case RespPacket:
		r.Verdict = roce.RespDropped
	default:
		r.Verdict = roce.RespIgnored
	}
	s.qps.set(q.QPN, respQP{ResponderState: roce.ResponderState{State: roce.Error}})
	return r
}

// judge answers one record and moves its QP on.
func (s *respPSNCheck) judge(q *RespQuery) (r RespResult) {
	r.QPN, r.Op = q.QPN, q.Op
	qp := s.qps.get(q.QPN)
	switch {
	case qp != nil:
	case q.Op == RespSet:
		qp = new(respQP)
	default:
		s.blank = respQP{}
		qp = &s.blank
	}
	r.Before = qp.EPSN()
	if q.Op == RespPacket {
		p, f := q.packet(), q.facts()
		d := qp.Decide(&qp.cfg, &p, &f)
		r.Verdict, r.Why, r.Answer, r.Syndrome, r.PSN, r.Behind = d.Outcome, d.Why, d.Answer, d.Syndrome, d.PSN, d.Behind
		r.First, r.Last, r.Complete, r.ToError = d.First, d.Last, d.Complete, d.ToError
		r.Solicited = d.Complete && q.Solicited
	} else {
		r.Verdict = roce.RespDone
		if r.Why, r.ToError = s.operate(q, qp); r.Why != roce.RespGood {
			r.Verdict = roce.RespIgnored
		}
	}
	r.After, r.MSN = qp.EPSN(), qp.MSN()
	return r
}

// keep puts a QP that left reset on the list.
func (s *respPSNCheck) keep(qpn uint32, qp *respQP) {
	if s.qps.get(qpn) == nil {
		s.qps.set(qpn, *qp)
	}
}

// operate does an operation on the state of a QP, or says why not.
func (s *respPSNCheck) operate(q *RespQuery, qp *respQP) (why roce.RespReason, toError bool) {
	if q.QPN >= s.numQPs {
		return roce.RespNoQP, false
	}
	switch q.Op {
	case RespSet:
		cfg := q.config()
		cfg.Width = s.width
		if why = qp.Set(&cfg); why == roce.RespGood {
			qp.cfg = cfg
			s.keep(q.QPN, qp)
		}
	case RespReady:
		why = qp.SetReady()
	case RespError:
		toError, why = qp.Fail()
	case RespReset:
		*qp = respQP{}
		s.qps.delete(q.QPN)
	case RespFreed:
		why = qp.Freed()
	default:
		why = roce.RespNoSuch
	}
	return why, toError
}
