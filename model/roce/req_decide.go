package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Decides REQ-1, REQ-2, REQ-3, REQ-4, REQ-12, CRD-3, CRD-4, TMR-3 and TMR-5.

// Respond decides what follows from a response. head is the oldest READ or atomic that waits for responses, nil if
// there is none; a response that is taken moves it, and with the last of its responses the caller takes it off its
// list. The order of the checks is that of docs/blocks/req_ack_check.md.
func (s *RequesterState) Respond(cfg *RequesterConfig, p *Packet, head *Outstanding) (d Decision) {
	s.decide(cfg, p, head, &d)
	return d
}

// decide is Respond without a copy of the decision.
func (s *RequesterState) decide(cfg *RequesterConfig, p *Packet, head *Outstanding, d *Decision) {
	d.UnaBefore = s.Una
	s.place(cfg, p, head, d)
	d.Una = s.Una
}

// place tells unacknowledged, acknowledged and ghost apart (PSN-3). What was acknowledged before gives credits at most
// (CRD-3), a ghost nothing.
func (s *RequesterState) place(cfg *RequesterConfig, p *Packet, head *Outstanding, d *Decision) {
	info := ib.Lookup(p.Op)
	if info == nil || !info.Response || info.Transport != cfg.Service {
		d.Why = ReqNotResponse
		return
	}
	switch psn.Respond(p.PSN, s.Una, s.High) {
	case psn.Unacked:
		d.Region = ReqUnacked
		if cfg.Profile.AnyAnswerEndsRNR {
			s.endWait(d)
		}
		if info.Operation == ib.Ack {
			s.acknowledge(cfg, p, head, d)
		} else {
			s.returned(cfg, p, info.Operation, head, d)
		}
	case psn.Stale:
		d.Region = ReqAcked
		s.stale(cfg, p, info.Operation == ib.Ack, d)
	default:
		d.Region = ReqBeyond
		if cfg.Profile.FutureAckCompletes && !s.Idle() {
			s.future(head, d)
			return
		}
		d.Why = ReqGhost
	}
}

// future lets a ghost end all that waits for no response of its own.
func (s *RequesterState) future(head *Outstanding, d *Decision) {
	s.release(s.High, head, d)
	if head != nil {
		s.implied(d)
	}
}

// stale takes a response to something acknowledged: an ACK's credits, and those of an unsolicited one anyhow (CRD-3,
// CRD-4).
func (s *RequesterState) stale(cfg *RequesterConfig, p *Packet, isAck bool, d *Decision) {
	d.Why = ReqDuplicate
	newest := p.PSN == cfg.Width.Prev(s.Una)
	if isAck && newest && p.Syndrome.Kind() == ib.KindAck {
		d.Why = ReqUnsolicited
	}
	if isAck && (newest || !cfg.Profile.CreditsLastOnly) {
		d.Credits = s.takeCredits(cfg, p)
	}
}

// endWait ends the wait for the RNR timer (TMR-5).
func (s *RequesterState) endWait(d *Decision) {
	d.WaitEnded = d.WaitEnded || s.Waiting
	s.Waiting = false
}

// moveTo sets una. What moves it ends a retry that went before, and an RNR wait (TMR-3, TMR-5).
func (s *RequesterState) moveTo(una psn.PSN, d *Decision) {
	if una != s.Una {
		s.advance(una, d)
	}
}

func (s *RequesterState) advance(una psn.PSN, d *Decision) {
	s.Una, s.Retrying = una, false
	s.endWait(d)
}

// Follow takes what was decided on a response elsewhere, by a state that has seen no timer yet that this one has seen,
// or has not seen one: it moves una where there was progress, and says what is left of the action. anyEnds is
// Profile.AnyAnswerEndsRNR.
func (s *RequesterState) Follow(t *Decision, progress, anyEnds bool) (d Decision) {
	d.UnaBefore = s.Una
	if anyEnds && t.Region == ReqUnacked {
		s.endWait(&d)
	}
	if progress {
		s.advance(t.Una, &d)
	}
	switch t.Action {
	case ReqSequenceNAK, ReqImpliedNAK:
		s.retry(t.Action, &d)
	case ReqRNR:
		s.notReady(t.Syndrome, &d)
	case ReqFatal, ReqBadResponse:
		d.Action, d.Why, d.Syndrome = t.Action, t.Why, t.Syndrome
	}
	d.Una = s.Una
	return d
}

// release acknowledges everything before to, but nothing that waits for its own response (REQ-1, REQ-2).
func (s *RequesterState) release(to psn.PSN, head *Outstanding, d *Decision) {
	if head != nil && to.From(s.Una) > head.Due.From(s.Una) {
		to = head.Due
	}
	s.moveTo(to, d)
}

// beyond reports whether a PSN lies behind the head, whose responses were lost then (REQ-3).
func (s *RequesterState) beyond(p psn.PSN, head *Outstanding) bool {
	return head != nil && p.From(s.Una) > head.Last.From(s.Una)
}

// acknowledge takes opcode ACK. An ACK inside the head completes nothing and is no loss (CRD-4).
func (s *RequesterState) acknowledge(cfg *RequesterConfig, p *Packet, head *Outstanding, d *Decision) {
	kind := p.Syndrome.Kind()
	switch {
	case kind == ib.KindReserved:
		s.bad(cfg, ReqSyndrome, p, head, d)
		return
	case kind == ib.KindNAK && p.Syndrome > ib.NAKInvalidRD && cfg.Profile.ReservedNAKIgnored:
		d.Why = ReqReserved
		return
	case kind == ib.KindAck:
		d.Credits = s.takeCredits(cfg, p)
		s.release(cfg.Width.Add(p.PSN, 1), head, d)
	default:
		s.release(p.PSN, head, d)
	}
	switch {
	case s.beyond(p.PSN, head):
		s.implied(d)
	case kind == ib.KindRNR:
		s.notReady(p.Syndrome, d)
	case p.Syndrome == ib.NAKSequence:
		s.retry(ReqSequenceNAK, d)
	case kind == ib.KindNAK:
		d.Action, d.Syndrome = ReqFatal, p.Syndrome
	case head != nil && p.PSN.From(s.Una) >= head.Due.From(s.Una):
		d.Why = ReqInside
	}
}

// notReady takes an RNR NAK: back to its PSN, after a wait (REQ-4). Said twice it waits no longer.
func (s *RequesterState) notReady(syndrome ib.Syndrome, d *Decision) {
	if s.Waiting {
		d.Why = ReqWaiting
		return
	}
	s.Waiting, s.Retrying = true, false
	d.Action, d.Syndrome = ReqRNR, syndrome
}

// implied is what tells of lost responses of a READ or atomic (REQ-3).
func (s *RequesterState) implied(d *Decision) { s.retry(ReqImpliedNAK, d) }

// retry calls for one, unless the RNR timer runs (TMR-5) or one is under way for the same una (TMR-3).
func (s *RequesterState) retry(action ReqAction, d *Decision) {
	switch {
	case s.Waiting:
		d.Why = ReqWaiting
	case s.Retrying:
		d.Why = ReqRetrying
	default:
		s.Retrying = true
		d.Action = action
	}
}

// bad takes a response that its request cannot have (REQ-12): what is before it is acknowledged, and its WQE fails,
// unless it shows first that others are missing (REQ-3).
func (s *RequesterState) bad(cfg *RequesterConfig, why ReqReason, p *Packet, head *Outstanding, d *Decision) {
	if why == ReqSyndrome && cfg.Profile.ReservedNAKIgnored {
		d.Why = why
		return
	}
	s.release(p.PSN, head, d)
	if s.beyond(p.PSN, head) {
		s.implied(d)
		return
	}
	d.Why, d.Action = why, ReqBadResponse
}

// returned takes a response with data: to the head, or to nothing.
func (s *RequesterState) returned(cfg *RequesterConfig, p *Packet, op ib.Operation, head *Outstanding, d *Decision) {
	middle, atomic := op == ib.ReadResponseMid, op == ib.AtomicAck
	switch {
	case !middle && p.Syndrome.Kind() != ib.KindAck:
		s.bad(cfg, ReqSyndrome, p, head, d)
		return
	case head == nil || p.PSN.From(s.Una) < head.Due.From(s.Una):
		s.bad(cfg, ReqWrongKind, p, head, d)
		return
	}
	s.release(head.Due, head, d) // REQ-2
	switch {
	case s.beyond(p.PSN, head):
		s.implied(d)
	case head.Atomic != atomic:
		s.bad(cfg, ReqWrongKind, p, head, d)
	case p.PSN != head.Due && cfg.Profile.GapWaits:
		d.Why = ReqGapLeft
	case p.PSN != head.Due:
		s.implied(d)
	case !atomic && !head.inPlace(p.PSN, op):
		s.bad(cfg, ReqWrongPlace, p, head, d)
	case !atomic && !head.longEnough(cfg, p):
		s.bad(cfg, ReqLength, p, head, d)
	default:
		if !middle {
			d.Credits = s.takeCredits(cfg, p)
		}
		d.Data, d.Ended = true, p.PSN == head.Last
		head.Due, head.Begun = cfg.Width.Add(p.PSN, 1), true
		s.moveTo(head.Due, d)
	}
}

// inPlace compares First, Middle, Last and Only with the place in the READ (REQ-12). A retry may have begun anywhere
// behind what was taken (REQ-7).
func (h *Outstanding) inPlace(p psn.PSN, op ib.Operation) bool {
	switch op {
	case ib.ReadResponseFirst:
		return p != h.Last
	case ib.ReadResponseMid:
		return p != h.Last && h.Begun
	case ib.ReadResponseLast:
		return p == h.Last && h.Begun
	default:
		return p == h.Last
	}
}

// longEnough compares payload and pad with what the place asks for (LEN-1).
func (h *Outstanding) longEnough(cfg *RequesterConfig, p *Packet) bool {
	want := cfg.PMTUBytes
	if p.PSN == h.Last {
		want = h.TailBytes
	}
	return p.Len == want && (p.Len+uint32(p.Pad))%4 == 0
}
