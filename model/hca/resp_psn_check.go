package hca

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// RespPSNCheckLatencyCycles is how many cycles after it went in a record is answered.
const RespPSNCheckLatencyCycles = 5

// respPSNCheckQPs is NumQps where the device does not say otherwise.
const respPSNCheckQPs = 4096

var respPSNCheckSpec = StageSpec{
	Name:    "resp_psn_check",
	Summary: "judges requests for many QPs as their responder and says what to answer",
	Ports: []PortSpec{
		{Name: "s_rec", Input: true, Kind: Fields},
		{Name: "m_rec", Kind: Fields},
	},
	New: func(s Settings) Stage {
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

// transport is the transport base of the opcodes that a service takes.
func (s RespService) transport() ib.Transport { return [...]ib.Transport{ib.RC, ib.UC, ib.UD}[s] }

// RespProfile is a set of differences between real devices.
type RespProfile uint8

// The differences, by bit.
const (
	RespOldestDup     RespProfile = 1 << iota // PSN-2: PSN = ePSN - 2^23 is a duplicate
	RespNakInRNR                              // RSP-9: a sequence NAK is sent while an RNR NAK is pending
	RespDupByAckReq                           // RSP-5: a duplicate SEND or WRITE is acknowledged only if it asks
	RespLengthFirst                           // RSP-1: length before access
	RespLongIs63                              // RSP-1: a SEND longer than its receive WQE is 63h
	RespRoomUncounted                         // PSN-5: READs in flight are not counted
)

// What RespSet enables.
const (
	RespEnableWrite  = 1 << iota // WRITE, ATOMIC WRITE, FLUSH
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

	// Looked up ahead.
	WQEBytes   uint32
	Credits    uint8 // code
	OwnError   bool
	QKeyOK     bool
	WQEPresent bool
	AccessOK   bool

	// Of RespSet.
	Service  RespService
	PMTU     uint8 // 1 to 5: 256 to 4096 bytes
	MaxReads uint8
	Enabled  uint8
	RNRTimer uint8
	Profile  RespProfile
}

// RespQueryBytes is the size of a record on s_rec of resp_psn_check.
const RespQueryBytes = 23

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
		byte(q.Profile)|flag(q.Solicited, 6)|flag(q.OwnError, 7),
		flag(q.QKeyOK, 0)|flag(q.WQEPresent, 1)|flag(q.AccessOK, 2))
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
		Profile: RespProfile(b[21] & 63), Solicited: is(21, 6), OwnError: is(21, 7),
		QKeyOK: is(22, 0), WQEPresent: is(22, 1), AccessOK: is(22, 2),
	}
}

// RespVerdict is what resp_psn_check makes of a record.
type RespVerdict uint8

// The verdicts on a packet, then those on an operation.
const (
	RespExecute RespVerdict = iota
	RespDuplicate
	RespRefused
	RespDropped
	RespDone
	RespIgnored
)

// RespAnswer is what goes back.
type RespAnswer uint8

// The answers.
const (
	RespNoAnswer RespAnswer = iota
	RespAck
	RespNak
	RespReadResponses
	RespAtomicAck
	RespEmptyRead
)

// RespWhy is the first check that failed, or what the packet is a duplicate of.
type RespWhy uint8

// The reasons.
const (
	RespGood RespWhy = iota
	RespNoQP
	RespNotReady
	RespBadOpcode
	RespGap
	RespRNRPending
	RespSequence
	RespUnsupported
	RespNoRoom
	RespNoWQE
	RespAccess
	RespAlignment
	RespLength
	RespSum
	RespTooLong
	RespOwnError
	RespQKey
	RespBroken
	RespDupMessage
	RespDupRead
	RespDupAtomic
	_
	RespNoSuch
)

// RespResult is a record on m_rec of resp_psn_check.
type RespResult struct {
	QPN           uint32
	Before, After psn.PSN // the QP's ePSN
	PSN           psn.PSN // of the answer
	MSN           uint32
	Syndrome      ib.Syndrome
	Op            RespOp
	Why           RespWhy
	Verdict       RespVerdict
	Answer        RespAnswer
	First, Last   bool
	Complete      bool
	Solicited     bool
	ToError       bool
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
		flag(r.Complete, 0)|flag(r.Solicited, 1)|flag(r.ToError, 2))
}

// ParseRespResult reads a record of RespResultBytes.
func ParseRespResult(b []byte) RespResult {
	is := func(i, n int) bool { return b[i]>>n&1 != 0 }
	return RespResult{
		QPN: get24(b), Before: psn.PSN(get24(b[3:])), After: psn.PSN(get24(b[6:])), PSN: psn.PSN(get24(b[9:])), MSN: get24(b[12:]),
		Syndrome: ib.Syndrome(b[15]), Op: RespOp(b[16] & 7), Why: RespWhy(b[16] >> 3),
		Verdict: RespVerdict(b[17] & 7), Answer: RespAnswer(b[17] >> 3 & 7), First: is(17, 6), Last: is(17, 7),
		Complete: is(18, 0), Solicited: is(18, 1), ToError: is(18, 2),
	}
}

func get24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

// respState is the state of a QP. A QP in reset is not kept at all.
type respState uint8

const (
	respInit respState = iota
	respReady
	respError
)

// respQP is what the stage keeps of a QP.
type respQP struct {
	set      RespQuery // the record that set it up
	state    respState
	epsn     psn.PSN
	msn      uint32
	inFlight uint8      // READs and what is kept like them, not answered yet
	nakSent  bool       // RSP-2
	rnrSent  bool       // RSP-9
	open     respOpKind // of the message whose Last has not come
	left     int64      // bytes that it may still have
}

func (qp *respQP) pmtuBytes() int { return 128 << qp.set.PMTU }

func (qp *respQP) has(p RespProfile) bool { return qp.set.Profile&p != 0 }

// respPSNCheck is the stage of docs/blocks/resp_psn_check.md.
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
	before := s.qps[q.QPN]
	if before != nil {
		r.Before = before.epsn
	}
	if q.Op == RespPacket {
		r.Verdict = RespDropped
		if before == nil {
			r.Why = RespNoQP
		} else {
			before.packet(q, &r)
		}
	} else {
		r.Verdict, r.Why = RespDone, s.operate(q, before, &r)
		if r.Why != RespGood {
			r.Verdict = RespIgnored
		}
	}
	if after := s.qps[q.QPN]; after != nil {
		r.After, r.MSN = after.epsn, after.msn
	}
	return r
}

// operate does an operation on the state of a QP, nil while it is in reset, or says why not (RSP-15).
func (s *respPSNCheck) operate(q *RespQuery, qp *respQP, r *RespResult) RespWhy {
	switch {
	case q.QPN >= s.numQPs:
		return RespNoQP
	case q.Op > RespFreed:
		return RespNoSuch
	case q.Op == RespReset:
		delete(s.qps, q.QPN)
		return RespGood
	case q.Op == RespSet:
		if qp != nil && qp.state != respInit {
			return RespNotReady
		}
		if q.Service > RespUD || q.PMTU < 1 || q.PMTU > 5 {
			return RespNoSuch
		}
		s.qps[q.QPN] = &respQP{set: *q, epsn: q.PSN}
		return RespGood
	case qp == nil:
		return RespNoQP
	case q.Op == RespReady:
		if qp.state != respInit {
			return RespNotReady
		}
		qp.state = respReady
	case q.Op == RespError:
		r.ToError = qp.state != respError
		qp.state = respError
	case qp.inFlight == 0:
		return RespNoRoom
	default:
		qp.inFlight--
	}
	return RespGood
}

// packet judges a request to a QP that is there. r says dropped until something else is found.
func (qp *respQP) packet(q *RespQuery, r *RespResult) {
	switch k, ok := respShape(q.Opcode, qp.set.Service); {
	case qp.state != respReady:
		r.Why = RespNotReady
	case !ok:
		r.Why = RespBadOpcode
	case qp.set.Service == RespUC:
		qp.packetUC(q, &k, r)
	case qp.set.Service == RespUD:
		qp.packetUD(q, &k, r)
	default:
		qp.packetRC(q, &k, r)
	}
}

func (qp *respQP) packetRC(q *RespQuery, k *respOpShape, r *RespResult) {
	switch psn.Arrive(q.PSN, qp.epsn, qp.has(RespOldestDup)) {
	case psn.OutOfSequence:
		qp.gap(r)
	case psn.Duplicate:
		qp.duplicate(q, k, r)
	default:
		qp.nakSent, qp.rnrSent = false, false
		if r.Why = qp.sequence(k); r.Why == RespGood {
			r.Why = qp.check(q, k)
		}
		if r.Why != RespGood {
			qp.refuse(q, r)
			return
		}
		qp.execute(q, k, r)
		qp.answer(q, k, r)
	}
}

// gap says once that a request is missing (RSP-2, RSP-9).
func (qp *respQP) gap(r *RespResult) {
	r.Why = RespGap
	switch {
	case qp.nakSent:
	case qp.rnrSent && !qp.has(RespNakInRNR):
		r.Why = RespRNRPending
	default:
		qp.nakSent = true
		r.Verdict, r.Answer, r.Syndrome, r.PSN = RespRefused, RespNak, ib.NAKSequence, qp.epsn
	}
}

// duplicate answers again and changes nothing (RSP-5 to RSP-8).
func (qp *respQP) duplicate(q *RespQuery, k *respOpShape, r *RespResult) {
	switch {
	case k.kind == respRead:
		r.Why, r.Answer, r.PSN = RespDupRead, RespReadResponses, q.PSN
	case k.kind == respAtomic:
		r.Why, r.Answer, r.PSN = RespDupAtomic, RespAtomicAck, q.PSN
	case k.kind.replayed():
		r.Why, r.Answer, r.PSN = RespDupAtomic, RespEmptyRead, q.PSN
	case qp.has(RespDupByAckReq) && !q.AckReq:
		r.Why = RespDupMessage
		return
	default:
		r.Why, r.Answer, r.PSN = RespDupMessage, RespAck, qp.epsn.Add(-1)
	}
	r.Verdict, r.Syndrome = RespDuplicate, ib.AckSyndrome(q.Credits)
}

// refuse sends a NAK; but for RNR the QP goes to error behind it (RSP-9, RSP-10).
func (qp *respQP) refuse(q *RespQuery, r *RespResult) {
	r.Verdict, r.Answer, r.PSN = RespRefused, RespNak, q.PSN
	switch {
	case r.Why == RespNoWQE:
		r.Syndrome = ib.RNRSyndrome(qp.set.RNRTimer)
		qp.rnrSent = true
		return
	case r.Why == RespAccess:
		r.Syndrome = ib.NAKRemoteAccess
	case r.Why == RespOwnError, r.Why == RespTooLong && qp.has(RespLongIs63):
		r.Syndrome = ib.NAKRemoteOp
	default:
		r.Syndrome = ib.NAKInvalidRequest
	}
	qp.state, qp.open, r.ToError = respError, respNoKind, true
}

func (qp *respQP) packetUC(q *RespQuery, k *respOpShape, r *RespResult) {
	if !k.first && (q.PSN != qp.epsn || qp.sequence(k) != RespGood) {
		qp.open = respNoKind // and so all is broken until a First or Only
		r.Why = RespBroken
		return
	}
	if r.Why = qp.check(q, k); r.Why != RespGood {
		qp.epsn = q.PSN.Add(1)
		qp.open = respNoKind
		return
	}
	qp.execute(q, k, r)
}

func (qp *respQP) packetUD(q *RespQuery, k *respOpShape, r *RespResult) {
	switch {
	case !q.QKeyOK:
		r.Why = RespQKey
	case !q.WQEPresent:
		r.Why = RespNoWQE
	case int(q.Payload) > qp.pmtuBytes():
		r.Why = RespLength
	case uint64(q.Payload)+ib.GRHBytes > uint64(q.WQEBytes):
		r.Why = RespTooLong
	case q.OwnError:
		r.Why = RespOwnError
	default:
		r.executed(q, k)
	}
}

// sequence: First and Only start a message, Middle and Last go on with one of their kind.
func (qp *respQP) sequence(k *respOpShape) RespWhy {
	if k.first && qp.open != respNoKind || !k.first && qp.open != k.kind {
		return RespSequence
	}
	return RespGood
}

// check is RSP-1 from the operation on.
func (qp *respQP) check(q *RespQuery, k *respOpShape) RespWhy {
	switch {
	case qp.set.Enabled&k.enable != k.enable, !k.last && q.Pad != 0 && !qp.has(RespLengthFirst):
		return RespUnsupported
	case k.kind.replayed() && (qp.set.MaxReads == 0 || qp.inFlight >= qp.set.MaxReads && !qp.has(RespRoomUncounted)):
		return RespNoRoom
	case k.needsWQE() && !q.WQEPresent:
		return RespNoWQE
	}
	inOrder := [...]func(*RespQuery, *respOpShape) RespWhy{qp.checkAccess, qp.checkLength}
	if qp.has(RespLengthFirst) {
		inOrder[0], inOrder[1] = inOrder[1], inOrder[0]
	}
	for _, f := range inOrder {
		if why := f(q, k); why != RespGood {
			return why
		}
	}
	if why := qp.checkFit(q, k); why != RespGood {
		return why
	}
	if q.OwnError {
		return RespOwnError
	}
	return RespGood
}

// checkAccess skips what touches no memory: a SEND without invalidate, and length 0.
func (qp *respQP) checkAccess(q *RespQuery, k *respOpShape) RespWhy {
	switch {
	case k.kind == respSend && !k.inv, k.hasDMALength() && q.DMALength == 0:
	case !q.AccessOK:
		return RespAccess
	case q.VALow != 0 && (k.kind == respAtomic || k.kind == respAtomicWrite):
		return RespAlignment // RSP-12
	}
	return RespGood
}

// checkLength is LEN-1. Payload of a packet that has none is not looked at.
func (qp *respQP) checkLength(q *RespQuery, k *respOpShape) RespWhy {
	switch {
	case k.length != ib.NoPayload && !k.length.Allows(int(q.Payload), qp.pmtuBytes()),
		(k.hasDMALength() || k.kind == respFlush) && q.DMALength > ib.MaxMessage,
		k.kind == respAtomicWrite && q.DMALength != 8:
		return RespLength
	}
	return RespGood
}

// room is how many bytes a SEND or WRITE may have from this packet on.
func (qp *respQP) room(q *RespQuery, k *respOpShape) int64 {
	switch {
	case !k.first:
		return qp.left
	case k.kind == respWrite:
		return int64(q.DMALength)
	default:
		return int64(q.WQEBytes)
	}
}

func (qp *respQP) checkFit(q *RespQuery, k *respOpShape) RespWhy {
	left := qp.room(q, k) - int64(q.Payload)
	switch {
	case k.kind == respWrite && (left < 0 || k.last && left != 0):
		return RespSum
	case k.kind == respSend && left < 0:
		return RespTooLong
	}
	return RespGood
}

// execute takes a good new request of RC or UC.
func (qp *respQP) execute(q *RespQuery, k *respOpShape, r *RespResult) {
	r.executed(q, k)
	takes := uint32(1)
	if k.kind == respRead {
		takes = psn.OfRead(q.DMALength, uint32(qp.pmtuBytes())) // PSN-4
	}
	qp.epsn = q.PSN.Add(int32(takes))
	if k.last {
		qp.msn = (qp.msn + 1) & 0xFFFFFF // RSP-11
	}
	if k.kind.replayed() {
		qp.inFlight = min(qp.inFlight+1, 31)
		return
	}
	qp.left = qp.room(q, k) - int64(q.Payload)
	qp.open = k.kind
	if k.last {
		qp.open = respNoKind
	}
}

// answer says what goes back for a new request of RC.
func (qp *respQP) answer(q *RespQuery, k *respOpShape, r *RespResult) {
	switch {
	case k.kind == respRead:
		r.Answer = RespReadResponses
	case k.kind == respAtomic:
		r.Answer = RespAtomicAck
	case k.kind.replayed():
		r.Answer = RespEmptyRead // OPC-3
	case q.AckReq:
		r.Answer = RespAck
	default:
		return
	}
	r.PSN, r.Syndrome = q.PSN, ib.AckSyndrome(q.Credits)
}

func (r *RespResult) executed(q *RespQuery, k *respOpShape) {
	r.Verdict = RespExecute
	r.First, r.Last = k.first, k.last
	r.Complete = k.last && (k.kind == respSend || k.kind == respWrite && k.imm)
	r.Solicited = r.Complete && q.Solicited
}

// respOpKind is what an operation does.
type respOpKind uint8

const (
	respNoKind respOpKind = iota
	respSend
	respWrite
	respRead
	respAtomic
	respAtomicWrite
	respFlush
)

// replayed tells that the request is kept for a replay and counts against max_reads.
func (k respOpKind) replayed() bool { return k >= respRead }

// respOpShape is an opcode taken apart.
type respOpShape struct {
	kind        respOpKind
	first, last bool
	imm, inv    bool
	enable      uint8 // what must be enabled
	length      ib.Length
}

// needsWQE tells that the packet looks for a receive WQE: a SEND at its start, which then holds it; a WRITE with immediate at
// its end.
func (k *respOpShape) needsWQE() bool {
	return k.kind == respSend && k.first || k.kind == respWrite && k.imm
}

// hasDMALength tells that the RETH says how many bytes are touched, none perhaps.
func (k *respOpShape) hasDMALength() bool {
	return k.kind == respRead || k.kind == respWrite && k.first
}

// respShape takes the opcode of a request apart; false where it is none of the service (OPC-1).
func respShape(op ib.Opcode, s RespService) (k respOpShape, ok bool) {
	info := ib.Lookup(op)
	if info == nil || info.Transport != s.transport() || info.Response {
		return k, false
	}
	k = respOpShape{first: true, last: true, imm: info.Headers.Has(ib.ImmDt), inv: info.Headers.Has(ib.IETH), length: info.Length}
	switch info.Operation {
	case ib.SendFirst, ib.WriteFirst:
		k.last = false
	case ib.SendMiddle, ib.WriteMiddle:
		k.first, k.last = false, false
	case ib.SendLast, ib.SendLastImm, ib.SendLastInv, ib.WriteLast, ib.WriteLastImm:
		k.first = false
	}
	switch info.Operation {
	case ib.WriteFirst, ib.WriteMiddle, ib.WriteLast, ib.WriteLastImm, ib.WriteOnly, ib.WriteOnlyImm:
		k.kind, k.enable = respWrite, RespEnableWrite
	case ib.ReadRequest:
		k.kind, k.enable = respRead, RespEnableRead
	case ib.CmpSwap, ib.FetchAdd:
		k.kind, k.enable = respAtomic, RespEnableAtomic
	case ib.AtomicWrite:
		k.kind, k.enable = respAtomicWrite, RespEnableWrite
	case ib.Flush:
		k.kind, k.enable = respFlush, RespEnableWrite
	default:
		k.kind = respSend
	}
	return k, true
}
