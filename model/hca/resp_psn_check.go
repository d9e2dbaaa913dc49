package hca

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// RespPSNCheckLatencyCycles is how many cycles after it went in a record is answered.
const RespPSNCheckLatencyCycles = 5

// respPSNCheckQPs is NumQps where the device does not say otherwise.
const respPSNCheckQPs = 4096

var respPSNCheckSpec = sim.StageSpec{
	Name:    "resp_psn_check",
	Summary: "judges requests for many QPs as their responder and says what to answer",
	Ports: []sim.PortSpec{
		{Name: "s_rec", Input: true, Kind: sim.Fields},
		{Name: "m_rec", Kind: sim.Fields},
	},
	New: func(s sim.Settings) sim.Stage {
		return &respPSNCheck{
			pass:   pass{latencyCycles: RespPSNCheckLatencyCycles},
			numQPs: uint32(s.Get("NumQps", respPSNCheckQPs)),
			qps:    map[uint32]*respQP{},
		}
	},
}

// RespOp is what a record on s_rec of resp_psn_check is.
type RespOp uint8

// A packet, and the operations on the state of a QP.
const (
	RespPacket RespOp = iota
	RespSet
	RespReady
	RespError
	RespReset
	RespFreed
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
		LengthBeforeRKey: has(RespLengthBeforeRKey), TooLongIsRemoteOp: has(RespTooLongIsRemoteOp), RoomUnchecked: has(RespRoomUnchecked),
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
	RNRTimer     uint8
	Profile      RespProfile
}

// RespQueryBytes is the size of a record on s_rec of resp_psn_check.
const RespQueryBytes = 24

// Append appends the record as it goes over the port.
func (q *RespQuery) Append(b []byte) []byte {
	b = append24(b, q.QPN)
	b = append24(b, uint32(q.PSN))
	b = append(b, byte(q.Opcode))
	b = binary.LittleEndian.AppendUint16(b, q.Payload)
	b = binary.LittleEndian.AppendUint32(b, q.DMALength)
	b = binary.LittleEndian.AppendUint32(b, q.WQEBytes)
	return append(b,
		byte(q.Op)|byte(q.Service)<<3|q.PMTU<<5,
		q.MaxReads|q.Enabled<<5,
		q.RNRTimer|q.VALow<<5,
		q.Credits|q.Pad<<5|flag(q.AckReq, 7),
		byte(q.Profile),
		flag(q.Solicited, 0)|flag(q.OwnError, 1)|flag(q.QKeyOK, 2)|flag(q.WQEPresent, 3)|flag(q.AccessOK, 4)|q.FlushPLT<<5,
		q.FlushPLT>>3&1|q.FlushSel<<1|q.FlushEnabled<<3)
}

// ParseRespQuery reads a record of RespQueryBytes.
func ParseRespQuery(b []byte) RespQuery {
	is := func(i, n int) bool { return b[i]>>n&1 != 0 }
	return RespQuery{
		QPN: get24(b), PSN: psn.PSN(get24(b[3:])), Opcode: ib.Opcode(b[6]),
		Payload: binary.LittleEndian.Uint16(b[7:]), DMALength: binary.LittleEndian.Uint32(b[9:]),
		WQEBytes: binary.LittleEndian.Uint32(b[13:]),
		Op:       RespOp(b[17] & 7), Service: RespService(b[17] >> 3 & 3), PMTU: b[17] >> 5,
		MaxReads: b[18] & 31, Enabled: b[18] >> 5,
		RNRTimer: b[19] & 31, VALow: b[19] >> 5,
		Credits: b[20] & 31, Pad: b[20] >> 5 & 3, AckReq: is(20, 7),
		Profile:   RespProfile(b[21]),
		Solicited: is(22, 0), OwnError: is(22, 1), QKeyOK: is(22, 2), WQEPresent: is(22, 3), AccessOK: is(22, 4),
		FlushPLT: b[22]>>5 | b[23]&1<<3, FlushSel: b[23] >> 1 & 3, FlushEnabled: b[23] >> 3 & 3,
	}
}

// packet is the request that a record tells of.
func (q *RespQuery) packet() roce.Packet {
	return roce.Packet{Op: q.Opcode, PSN: q.PSN, AckReq: q.AckReq, SE: q.Solicited, Pad: q.Pad, FETH: q.FlushPLT | q.FlushSel<<4,
		Len: uint32(q.Payload), VA: uint64(q.VALow), DMALen: q.DMALength}
}

// facts is what was looked up ahead. Whether a duplicate lies within what is kept, the block behind the stage says.
func (q *RespQuery) facts() roce.RespFacts {
	return roce.RespFacts{ReceivePosted: q.WQEPresent, ReceiveBytes: q.WQEBytes, AccessOK: q.AccessOK, OwnError: q.OwnError,
		QKeyOK: q.QKeyOK, Replay: true, Credits: q.Credits}
}

// config is what a RespSet gives its QP.
func (q *RespQuery) config() roce.ResponderConfig {
	return roce.ResponderConfig{Service: q.Service.transport(), Profile: q.Profile.fields(), PMTUBytes: 128 << q.PMTU, StartPSN: q.PSN, StartMSN: q.DMALength & 0xFFFFFF,
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

// Append appends the record as it goes over the port.
func (r *RespResult) Append(b []byte) []byte {
	for _, v := range []uint32{r.QPN, uint32(r.Before), uint32(r.After), uint32(r.PSN), r.MSN} {
		b = append24(b, v)
	}
	return append(b, byte(r.Syndrome), byte(r.Op)|byte(r.Why)<<3,
		byte(r.Verdict)|byte(r.Answer)<<3|flag(r.First, 6)|flag(r.Last, 7),
		flag(r.Complete, 0)|flag(r.Solicited, 1)|flag(r.ToError, 2)|r.Behind<<3)
}

// ParseRespResult reads a record of RespResultBytes.
func ParseRespResult(b []byte) RespResult {
	is := func(i, n int) bool { return b[i]>>n&1 != 0 }
	return RespResult{
		QPN: get24(b), Before: psn.PSN(get24(b[3:])), After: psn.PSN(get24(b[6:])), PSN: psn.PSN(get24(b[9:])), MSN: get24(b[12:]),
		Syndrome: ib.Syndrome(b[15]), Op: RespOp(b[16] & 7), Why: roce.RespReason(b[16] >> 3),
		Verdict: roce.RespOutcome(b[17] & 7), Answer: roce.RespAnswer(b[17] >> 3 & 7), First: is(17, 6), Last: is(17, 7),
		Complete: is(18, 0), Solicited: is(18, 1), ToError: is(18, 2), Behind: b[18] >> 3,
	}
}

func get24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

// respQP is what the stage keeps of a QP that is not in reset.
type respQP struct {
	roce.ResponderState
	cfg roce.ResponderConfig
}

// respPSNCheck is the stage of docs/blocks/resp_psn_check.md. roce.ResponderState decides.
type respPSNCheck struct {
	pass
	numQPs  uint32
	qps     map[uint32]*respQP
	results []byte // of one Advance; its outputs share it until the next
}

func (s *respPSNCheck) Reset() {
	s.pass.Reset()
	clear(s.qps)
}

func (s *respPSNCheck) Advance(_ uint64, in, out []sim.Record) []sim.Record {
	s.results = s.results[:0]
	for i := range in {
		q := ParseRespQuery(in[i].Data)
		r := s.judge(&q)
		at := len(s.results)
		s.results = r.Append(s.results)
		out = append(out, s.through(&in[i], s.results[at:len(s.results):len(s.results)], 0))
	}
	return out
}

// judge answers one record and moves its QP on.
func (s *respPSNCheck) judge(q *RespQuery) RespResult {
	r := RespResult{QPN: q.QPN, Op: q.Op}
	qp := s.qps[q.QPN]
	if qp == nil {
		qp = new(respQP)
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

// operate does an operation on the state of a QP, or says why not.
func (s *respPSNCheck) operate(q *RespQuery, qp *respQP) (why roce.RespReason, toError bool) {
	if q.QPN >= s.numQPs {
		return roce.RespNoQP, false
	}
	switch q.Op {
	case RespSet:
		cfg := q.config()
		if why = qp.Set(&cfg); why == roce.RespGood {
			qp.cfg, s.qps[q.QPN] = cfg, qp
		}
	case RespReady:
		why = qp.SetReady()
	case RespError:
		toError, why = qp.Fail()
	case RespReset:
		*qp = respQP{}
		delete(s.qps, q.QPN)
	case RespFreed:
		why = qp.Freed()
	default:
		why = roce.RespNoSuch
	}
	return why, toError
}
