package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Decides PSN-5, PSN-7, CRD-2 and REQ-9.

// RequesterState is what the decisions of a requester rest on. The transport machine holds one, the block req_ack_check
// one for each QP. Its methods decide and change nothing else.
type RequesterState struct {
	Una  psn.PSN // oldest unacknowledged; to High - 1 is unacknowledged
	High psn.PSN // one above the highest ever sent: the high-water mark (PSN-7)
	LSN  uint32  // CRD-2

	Known     bool // LSN means something: the peer has spoken of credits, or it was known that it would
	Unlimited bool // the peer does not use credits
	Probed    bool // the one packet beyond the credits is out
	// Retrying: a retry was called for and una has not moved since. What says again that something is missing starts no
	// second one (TMR-3).
	Retrying bool
	Waiting  bool // the RNR timer runs (TMR-5)
}

// Outstanding is the oldest READ or atomic that waits for its own responses: the head.
type Outstanding struct {
	Due, Last psn.PSN // the next response and the last one
	TailBytes uint32  // in its last response
	Atomic    bool
	Begun     bool // a response was taken
}

// ReqKind is what was sent, as far as its answers differ.
type ReqKind uint8

const (
	ReqWrite   ReqKind = iota
	ReqLimited         // needs a credit (CRD-2)
	ReqRead            // and what is answered like one (OPC-3)
	ReqAtomic
)

// Replayed reports whether what was sent waits for responses of its own.
func (k ReqKind) Replayed() bool { return k >= ReqRead }

// ReqReason says why something was not simply taken. The numbers are those of docs/blocks/req_ack_check.md.
type ReqReason uint8

const (
	ReqTaken       ReqReason = 0
	ReqNoQP        ReqReason = 1  // there is none, or it is closed
	ReqNotResponse ReqReason = 2  // no opcode of a response
	ReqGhost       ReqReason = 3  // answers nothing that could be outstanding
	ReqDuplicate   ReqReason = 4  // of something acknowledged
	ReqUnsolicited ReqReason = 5  // repeats the last acknowledgement
	ReqInside      ReqReason = 6  // an ACK inside an unfinished READ or atomic
	ReqSyndrome    ReqReason = 7  // bad: none that the response can have
	ReqWrongKind   ReqReason = 8  // bad: the request has no such response
	ReqWrongPlace  ReqReason = 9  // bad: First, Middle, Last or Only elsewhere
	ReqLength      ReqReason = 10 // bad: payload or pad
	ReqGapLeft     ReqReason = 11 // a gap that is left to the timer
	ReqWaiting     ReqReason = 12 // calls for a retry while the RNR timer runs
	ReqRetrying    ReqReason = 13 // calls for a retry while one is under way
	ReqReserved    ReqReason = 14 // a reserved NAK code that is ignored
	ReqHole        ReqReason = 15 // sent: leaves PSNs out
	ReqWindow      ReqReason = 16 // sent: more than may be outstanding
	ReqReadsFull   ReqReason = 17 // sent: one READ or atomic too many
	ReqResend      ReqReason = 18 // sent again
	ReqNoCredit    ReqReason = 19 // sent without a credit
	ReqProbe       ReqReason = 20 // sent to probe for credits
	ReqIsOpen      ReqReason = 21 // configured already
	ReqIllegal     ReqReason = 22 // a number that cannot be
	ReqNothing     ReqReason = 23 // no such timer could have run
	ReqLost        ReqReason = 24 // wrong bits in the QP's word, of a device whose memory has a code
)

var reqRules = [...]Rule{ReqNoQP: "RSP-15", ReqNotResponse: "OPC-1", ReqGhost: "PSN-3", ReqDuplicate: "PSN-3",
	ReqUnsolicited: "CRD-4",
	ReqInside:      "CRD-4", ReqSyndrome: "REQ-12", ReqWrongKind: "REQ-12", ReqWrongPlace: "REQ-12", ReqLength: "LEN-1",
	ReqGapLeft: "REQ-3",
	ReqWaiting: "TMR-5", ReqRetrying: "TMR-3", ReqReserved: "REQ-4", ReqHole: "PSN-7", ReqWindow: "PSN-5",
	ReqReadsFull: "REQ-9",
	ReqResend:    "PSN-7", ReqNoCredit: "CRD-2", ReqProbe: "CRD-2", ReqIsOpen: "RSP-15", ReqIllegal: "PSN-4",
	ReqNothing: "TMR-5", ReqLost: "ECC-6"}

// Rule is the rule that a reason stands for, none where all was taken.
func (r ReqReason) Rule() Rule { return reqRules[r] }

// ReqAction is what something calls for, numbered like the reasons.
type ReqAction uint8

const (
	ReqNone        ReqAction = iota
	ReqSequenceNAK           // go back to una, a retry is spent (REQ-4)
	ReqRNR                   // wait, go back to una (REQ-4, TMR-4)
	ReqImpliedNAK            // go back to una, a retry is spent (REQ-3)
	ReqFatal                 // the WQE of una fails by the NAK code (REQ-4)
	ReqTimer                 // go back to una: the transport timer ran out
	ReqGoesOn                // una goes out: the RNR timer ran out
	ReqBadResponse           // the WQE of una fails by the reason (REQ-12)
)

// ReqRegion is where the PSN of a response lies (PSN-3).
type ReqRegion uint8

const (
	ReqNowhere ReqRegion = iota
	ReqUnacked
	ReqAcked
	ReqBeyond // a ghost
)

// Decision is what follows from a response or from a timer.
type Decision struct {
	UnaBefore psn.PSN
	Una       psn.PSN // everything before it is acknowledged; where an action says go back, it is where to
	Why       ReqReason
	Action    ReqAction
	Region    ReqRegion
	Syndrome  ib.Syndrome // of actions RNR and fatal: holds the timer code or the NAK code
	Data      bool        // a READ or atomic response was taken
	Ended     bool        // the last of its request
	Credits   bool        // LSN was set or moved
	WaitEnded bool        // progress ended the wait for the RNR timer (TMR-5)
}

// Progress reports whether something was acknowledged: the retry counters are restored, the timer starts again (TMR-2,
// TMR-3).
func (d *Decision) Progress() bool { return d.Una != d.UnaBefore }

// Closes reports whether the QP goes to error.
func (d *Decision) Closes() bool { return d.Action == ReqFatal || d.Action == ReqBadResponse }

// Retries reports whether a retry is asked for (TMR-3).
func (d *Decision) Retries() bool { return d.Action == ReqSequenceNAK || d.Action == ReqImpliedNAK }

// Failure is how the WQE of una ends where an action closes the QP (REQ-4, REQ-12).
func (d *Decision) Failure() Status {
	switch {
	case d.Action == ReqFatal:
		return statusOf(d.Syndrome)
	case d.Why == ReqLength:
		return LocalLength
	default:
		return BadResponse
	}
}

// Exceeded is how the WQE of una ends where an action finds no retry left (TMR-3, TMR-4).
func (a ReqAction) Exceeded() Status {
	if a == ReqRNR {
		return RNRRetryExceeded
	}
	return RetryExceeded
}

// NewRequesterState is the state with nothing sent.
func NewRequesterState(cfg *RequesterConfig) RequesterState {
	return RequesterState{Una: cfg.StartPSN, High: cfg.StartPSN, Known: cfg.Limited,
		Unlimited: !cfg.Limited || cfg.Profile.CreditsIgnored}
}

// Idle reports whether everything that was sent is acknowledged.
func (s *RequesterState) Idle() bool { return s.Una == s.High }

// Sent notes count PSNs from first, of a message with number ssn, that go out while reads READs and atomics are
// outstanding: in order, within the window (PSN-5, PSN-7), with no READ too many (REQ-9). It is noted with reasons
// taken, probe and no credit.
func (s *RequesterState) Sent(cfg *RequesterConfig, kind ReqKind, first psn.PSN, count, ssn uint32,
	reads uint8) ReqReason {
	distance := uint64(count) * uint64(cfg.Width.unit())
	ahead := first.Diff(s.High)
	switch {
	case count == 0 || distance > psn.Half || kind == ReqAtomic && count != 1:
		return ReqIllegal
	case ahead < 0:
		return ReqResend
	case ahead > 0:
		return ReqHole
	case !s.inWindow(s.High, distance, psn.Half):
		return ReqWindow
	case kind.Replayed() && !cfg.mayRead(reads):
		return ReqReadsFull
	}
	s.High = first.Add(int32(distance))
	if kind != ReqLimited {
		return ReqTaken
	}
	why := s.Credit(ssn)
	s.Probed = s.Probed || why == ReqProbe
	return why
}

// inWindow reports whether what lies up to distance behind a PSN keeps within most of una (PSN-5).
func (s *RequesterState) inWindow(p psn.PSN, distance, most uint64) bool {
	return uint64(p.From(s.Una))+distance <= most
}

// mayRead reports whether one READ or atomic more may be outstanding beside so many (REQ-9).
func (c *RequesterConfig) mayRead(reads uint8) bool { return reads < c.MaxReads }

// Credit says whether a message with number ssn that needs a credit has one, is the one that probes for credits, or has
// to wait (CRD-2).
func (s *RequesterState) Credit(ssn uint32) ReqReason {
	switch {
	case s.Unlimited || !after24(ssn, s.LSN):
		return ReqTaken
	case ssn == (s.LSN+1)&0xFFFFFF && !s.Probed:
		return ReqProbe
	default:
		return ReqNoCredit
	}
}

// after24 reports whether a lies ahead of b, both modulo 2^24: SSN, LSN and MSN wrap as PSNs do.
func after24(a, b uint32) bool { return psn.New(a).Diff(psn.New(b)) > 0 }

// takeCredits takes what an ACK syndrome says of the peer's receive queue (CRD-2) and reports whether LSN was set or
// moved.
func (s *RequesterState) takeCredits(cfg *RequesterConfig, p *Packet) bool {
	if cfg.Profile.CreditsIgnored || p.Syndrome.Kind() != ib.KindAck {
		return false
	}
	n, limited := ib.Credits(p.Syndrome.Code())
	if s.Unlimited = !limited; !limited {
		return false
	}
	first := !s.Known
	s.Known = true
	lsn := (p.MSN + n) & 0xFFFFFF
	if !first && !after24(lsn, s.LSN) {
		return false
	}
	s.LSN, s.Probed = lsn, false
	return true
}

// Retry takes the end of the transport timer (TMR-3). Nothing is retried while the RNR timer runs (TMR-5).
func (s *RequesterState) Retry() (d Decision) {
	d.UnaBefore, d.Una = s.Una, s.Una
	if s.Waiting || s.Idle() {
		d.Why = ReqNothing
		return d
	}
	s.Retrying = true
	d.Action = ReqTimer
	return d
}

// GoOn takes the end of the RNR timer (TMR-5).
func (s *RequesterState) GoOn() (d Decision) {
	d.UnaBefore, d.Una = s.Una, s.Una
	if !s.Waiting {
		d.Why = ReqNothing
		return d
	}
	s.Waiting = false
	if !s.Idle() {
		d.Action = ReqGoesOn
	}
	return d
}
