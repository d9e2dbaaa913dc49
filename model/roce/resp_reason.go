package roce

import "hcacosim/model/ib"

// RespOutcome is what a responder makes of a request, or of an operation on the state of its QP.
type RespOutcome uint8

// The outcomes of a request, then those of an operation.
const (
	RespExecute   RespOutcome = iota
	RespDuplicate             // answered again, and not executed again
	RespRefused               // with a NAK or an RNR NAK
	RespDropped               // silently
	RespDone
	RespIgnored
)

// RespAnswer is what goes back to the requester.
type RespAnswer uint8

// The answers.
const (
	RespNoAnswer RespAnswer = iota
	RespAck
	RespNak // or RNR NAK
	RespReadResponses
	RespAtomicAck
	RespEmptyRead // a READ response Only without bytes (OPC-3)
)

// RespReason is the first check that failed, what a request is a duplicate of, or why an operation is ignored.
type RespReason uint8

// The reasons.
const (
	RespGood RespReason = iota
	RespNoQP
	RespNotReady
	RespBadOpcode
	RespGap
	RespRNRPending
	RespBadSequence // of opcodes
	RespUnsupported
	RespNoRoom
	RespNoReceive
	RespNoAccess
	RespMisaligned
	RespBadLength
	RespBadSum // of a WRITE
	RespTooLong
	RespOwnError
	RespBadQKey
	RespBroken
	RespDupMessage
	RespDupRead
	RespDupAtomic // or what is answered like one: ATOMIC WRITE, FLUSH
	_
	RespNoSuch     // operation or setting
	RespBadContext // wrong bits in the QP's word, of a device whose memory has a code
)

// respRules is the rule of every reason.
var respRules = [...]Rule{
	RespNoQP: "RSP-15", RespNotReady: "RSP-15", RespBadOpcode: "OPC-1", RespGap: "RSP-2", RespRNRPending: "RSP-9",
	RespBadSequence: "RSP-1", RespUnsupported: "RSP-1", RespNoRoom: "PSN-5", RespNoReceive: "RSP-9", RespNoAccess: "RSP-1",
	RespMisaligned: "RSP-12", RespBadLength: "LEN-1", RespBadSum: "LEN-1", RespTooLong: "LEN-1", RespOwnError: "RSP-1",
	RespBadQKey: "RSP-4", RespBroken: "RSP-3", RespDupMessage: "RSP-5", RespDupRead: "RSP-7", RespDupAtomic: "RSP-8",
	RespNoSuch: "RSP-15", RespBadContext: "ECC-3",
}

// Rule is the rule that a reason comes from on a service; none for RespGood. On UC whatever is wrong with a message is
// RSP-3's.
func (w RespReason) Rule(service ib.Transport) Rule {
	switch {
	case service == ib.UC && RespBadSequence <= w && w <= RespOwnError:
		return "RSP-3"
	case service == ib.UD && w == RespNoReceive:
		return "RSP-4"
	}
	return respRules[w]
}

// syndrome is what a request is refused with (RSP-1, RSP-9).
func (w RespReason) syndrome(cfg *ResponderConfig) ib.Syndrome {
	switch {
	case w == RespNoReceive:
		return ib.RNRSyndrome(cfg.RNRTimer)
	case w == RespNoAccess:
		return ib.NAKRemoteAccess
	case w == RespOwnError, w == RespTooLong && cfg.Profile.TooLongIsRemoteOp:
		return ib.NAKRemoteOp
	}
	return ib.NAKInvalidRequest
}
