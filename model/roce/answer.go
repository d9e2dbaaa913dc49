package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// AnswerKind is what a response says, by its opcode and its syndrome.
type AnswerKind uint8

// The kinds of answers.
const (
	NoAnswer       AnswerKind = iota // a request
	DataAnswer                       // a READ or atomic response
	AckAnswer                        // an ACK
	RNRAnswer                        // an RNR NAK
	SequenceAnswer                   // the sequence NAK
	FatalAnswer                      // any other NAK, reserved codes too
	ReservedAnswer                   // a syndrome of no kind
)

// Answer returns what a packet says as a response.
func (p *Packet) Answer() AnswerKind {
	switch info := ib.Lookup(p.Op); {
	case info == nil || !info.Response:
		return NoAnswer
	case info.Operation != ib.Ack:
		return DataAnswer
	}
	switch p.Syndrome.Kind() {
	case ib.KindAck:
		return AckAnswer
	case ib.KindRNR:
		return RNRAnswer
	case ib.KindReserved:
		return ReservedAnswer
	}
	if p.Syndrome == ib.NAKSequence {
		return SequenceAnswer
	}
	return FatalAnswer
}

// NAK reports whether the response refuses: an RNR NAK or any NAK.
func (k AnswerKind) NAK() bool { return RNRAnswer <= k && k <= FatalAnswer }

// CreditCode returns the credits that a response brings (CRD-1); false where it brings none.
func (p *Packet) CreditCode() (code uint8, has bool) {
	info := ib.Lookup(p.Op)
	if info == nil || !info.Headers.Has(ib.AETH) || p.Syndrome.Kind() != ib.KindAck {
		return 0, false
	}
	return p.Syndrome.Code(), true
}

// AtomicValue returns what an atomic makes of the value that memory holds (RSP-12).
func (p *Packet) AtomicValue(old uint64) uint64 {
	value, _ := Atomic{p.Op.Shape().Verb != CmpSwap, p.Compare, p.SwapAdd}.Value(old)
	return value
}

// Atomic is what an atomic request asks for: FETCH & ADD with Add, else CMP & SWAP.
type Atomic struct {
	Add              bool
	Compare, SwapAdd uint64
}

// Value returns what it makes of the value that memory holds, and whether memory is written: a comparison that fails
// writes nothing (DMA-6).
func (a Atomic) Value(old uint64) (value uint64, writes bool) {
	switch {
	case a.Add:
		return old + a.SwapAdd, true
	case old == a.Compare:
		return a.SwapAdd, true
	}
	return old, false
}

// Arrival is what the device makes of a request's PSN (PSN-2). A datagram has no order (RSP-4).
func (f *ResponderFollower) Arrival(p psn.PSN) psn.Arrival {
	if f.cfg.Service == ib.UD {
		return psn.Expected
	}
	return psn.Arrive(p, f.EPSN())
}

// Arrival is what the device makes of a response's PSN (PSN-3).
func (f *RequesterFollower) Arrival(p psn.PSN) psn.Answer {
	una, high := f.PSNs()
	return psn.Respond(p, una, high)
}

// SentBefore reports whether a request's PSN was sent before (PSN-7).
func (f *RequesterFollower) SentBefore(p psn.PSN) bool {
	_, high := f.PSNs()
	return p.Before(high)
}

// RuleOfDifference is the rule that a response breaks which differs from the one that was foreseen.
func RuleOfDifference(want, got *Packet) Rule {
	kind, same := want.Syndrome.Kind(), want.Syndrome.Kind() == got.Syndrome.Kind() && want.Syndrome != got.Syndrome
	switch {
	case want.Op != got.Op:
		return "RSP-13"
	case same && kind == ib.KindAck:
		return "CRD-1"
	case same && kind == ib.KindRNR:
		return "RSP-9"
	case want.MSN != got.MSN:
		return "RSP-11"
	}
	return "RSP-13"
}

// RuleOfMissing is the rule that asks for a response.
func RuleOfMissing(p *Packet) Rule {
	switch p.Answer() {
	case SequenceAnswer:
		return "RSP-2"
	case RNRAnswer:
		return "RSP-9"
	case FatalAnswer:
		return "RSP-10"
	}
	return "RSP-13"
}

// AnswersAtomic reports whether the packet is an atomic response.
func (p *Packet) AnswersAtomic() bool {
	info := ib.Lookup(p.Op)
	return info != nil && info.Operation == ib.AtomicAck
}

// Verbs is a set of verbs.
type Verbs uint32

// Add puts the verb of a request in.
func (v *Verbs) Add(r *Packet) { *v |= 1 << r.Op.Shape().Verb }

// MayAnswer reports whether a response can be to a request with one of the verbs: an ACK can be to each (REQ-1), a READ
// response to a READ and what is answered like one (OPC-3).
func (v Verbs) MayAnswer(p *Packet) bool {
	const atomics, acked = 1<<CmpSwap | 1<<FetchAdd, 1<<Send | 1<<Write
	switch {
	case p.AnswersAtomic():
		return v&atomics != 0
	case p.Answer() == DataAnswer:
		return v&^(atomics|acked) != 0
	}
	return true
}
