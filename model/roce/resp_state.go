package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Decides RSP-15.

// MaxInFlight is how many READs and atomics a responder counts that are not answered yet.
const MaxInFlight = 31

// ResponderState is what a responder remembers of its QP from one request to the next, and Decide is what it makes of a
// request. It is a plain struct: copying it is a snapshot, comparing it is ==. The zero value is a QP in reset.
type ResponderState struct {
	State QPState
	// ePSN is the PSN that the next new request has.
	ePSN psn.PSN
	// nakSent: a sequence NAK went out, and neither PSN = ePSN nor a duplicate that is answered has come since. Nothing
	// more is said about the gap (RSP-2).
	nakSent bool
	// rnrSent: an RNR NAK for ePSN went out, and none of these has come since (RSP-9).
	rnrSent bool
	// dropping, UC only: the message is lost, what is not First or Only is dropped (RSP-3).
	dropping bool
	// inFlight counts new READs and atomics that are not answered yet.
	inFlight uint8
	// acked is the PSN of the last SEND, WRITE or atomic, FFFFFFh before the first: see Profile.DupAckSkipsRead.
	acked psn.PSN
	// msn counts completed messages (RSP-11).
	msn uint32
	// open is the message whose Last has not come.
	open openMessage
}

// openMessage is a SEND or WRITE between First and Last. verb is NoVerb between messages.
type openMessage struct {
	verb   Verb
	offset uint32 // bytes taken so far
	left   uint32 // bytes that it may still have: of its RETH length or of its receive WQE
}

// EPSN is the expected PSN.
func (s *ResponderState) EPSN() psn.PSN { return s.ePSN }

// MSN is the number of completed messages, modulo 2^24.
func (s *ResponderState) MSN() uint32 { return s.msn }

// Receiving is what the message does whose Last has not come.
func (s *ResponderState) Receiving() Verb { return s.open.verb }

// receives reports whether requests are taken: a QP that drains its send queue, or whose send queue is in error, still
// does (RSP-15).
func (s *ResponderState) receives() bool {
	return s.State != Reset && s.State != Init && s.State != Error
}

// Set takes a QP in reset or init to init, and gives it what it needs to become ready (RSP-15).
func (s *ResponderState) Set(cfg *ResponderConfig) RespReason {
	switch {
	case s.State != Reset && s.State != Init:
		return RespNotReady
	case !cfg.possible():
		return RespNoSuch
	}
	*s = newResponderState(cfg)
	return RespGood
}

func newResponderState(cfg *ResponderConfig) ResponderState {
	return ResponderState{State: Init, ePSN: cfg.StartPSN, msn: cfg.StartMSN & 0xFFFFFF, acked: psn.New(1<<psn.Bits - 1)}
}

// possible reports whether there are such a service and path MTU.
func (c *ResponderConfig) possible() bool {
	switch c.Service {
	case ib.RC, ib.UC, ib.UD, ib.XRC:
		return ib.ValidPMTU(int(c.PMTUBytes))
	}
	return false
}

// SetReady takes a QP in init to RTR.
func (s *ResponderState) SetReady() RespReason {
	switch s.State {
	case Reset:
		return RespNoQP
	case Init:
		s.State = RTR
		return RespGood
	}
	return RespNotReady
}

// Fail takes a QP to error, from outside; entered tells that it was not there already.
func (s *ResponderState) Fail() (entered bool, why RespReason) {
	if s.State == Reset {
		return false, RespNoQP
	}
	entered = s.State != Error
	s.State, s.open = Error, openMessage{}
	return entered, RespGood
}

// Freed tells that a new READ or atomic was answered: there is room for another (PSN-5).
func (s *ResponderState) Freed() RespReason {
	switch {
	case s.State == Reset:
		return RespNoQP
	case s.inFlight == 0:
		return RespNoRoom
	}
	s.inFlight--
	return RespGood
}

// SetEPSN sets the expected PSN, which only a QP that is being initialized takes (RSP-15).
func (s *ResponderState) SetEPSN(p psn.PSN) bool {
	if s.State != Init {
		return false
	}
	s.ePSN = p
	return true
}
