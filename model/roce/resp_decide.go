package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Decides RSP-2, RSP-5, RSP-6, RSP-9, RSP-10 and RSP-11.

// RespFacts is what was looked up ahead of a decision, outside the state of the QP.
type RespFacts struct {
	ReceivePosted bool   // there is a receive WQE at the head of the queue
	ReceiveBytes  uint32 // how much it holds
	AccessOK      bool   // R_Key, protection domain, range and permission of what the packet touches are good
	OwnError      bool   // the responder could not do it
	QKeyOK        bool   // UD: the Q_Key matches
	ForeignSRQ    bool   // XRC: the packet names another shared receive queue than the QP's
	Replay        bool   // duplicate READ or atomic: what it repeats is kept, and it lies within
	Credits       uint8  // credit code that a positive answer carries
}

// RespDecision is what a responder does with a request.
type RespDecision struct {
	Outcome     RespOutcome
	Why         RespReason
	Answer      RespAnswer
	Syndrome    ib.Syndrome // of the answer
	Behind      uint8       // how many READs and atomics, the oldest, the answer has to wait for (RSP-5, RSP-13)
	First, Last bool        // executed: its place in the message
	Complete    bool        // executed: the receive WQE at the head is used up
	ToError     bool        // the QP went to error
	PSN         psn.PSN     // of the answer, the first one of a READ's
	MSN         uint32      // behind the request
	Offset      uint32      // executed: bytes of the message before it
}

// Decide judges a request and moves the state on. What cfg says does not change in the life of a QP (RSP-15).
func (s *ResponderState) Decide(cfg *ResponderConfig, p *Packet, f *RespFacts) (d RespDecision) {
	s.decide(cfg, p, p.Op.Shape(), f, &d)
	return d
}

// decide does so into d, which is empty: a machine that does nothing but decide and act has no time for copies.
func (s *ResponderState) decide(cfg *ResponderConfig, p *Packet, sh *ib.Shape, f *RespFacts, d *RespDecision) {
	d.Outcome = RespDropped
	switch {
	case s.State == Reset:
		d.Why = RespNoQP
	case !s.receives():
		d.Why = RespNotReady
	case !sh.Request || ib.Transport(p.Op&0xE0) != cfg.Service:
		d.Why = RespBadOpcode
	case cfg.Service == ib.UC:
		s.decideUC(cfg, p, sh, f, d)
	case cfg.Service == ib.UD:
		s.decideUD(cfg, p, sh, f, d)
	default:
		s.decideRC(cfg, p, sh, f, d)
	}
	d.MSN = s.msn
}

// decideRC is for the services that acknowledge: RC and XRC.
func (s *ResponderState) decideRC(cfg *ResponderConfig, p *Packet, sh *ib.Shape, f *RespFacts, d *RespDecision) {
	d.Behind = s.inFlight
	switch psn.Arrive(p.PSN, s.ePSN) {
	case psn.OutOfSequence:
		s.gap(cfg, d)
	case psn.Duplicate:
		s.duplicate(cfg, p, sh, f, d)
	default:
		s.nakSent, s.rnrSent = false, false
		if d.Why = s.checkNew(cfg, p, sh, f); d.Why != RespGood {
			s.refuse(cfg, p, d)
			break
		}
		s.execute(cfg, p, sh, f, d)
		s.answer(p, sh, f, d)
	}
	if d.Answer == RespNoAnswer {
		d.Behind = 0
	}
}

// gap says once that a request is missing (RSP-2, RSP-9).
func (s *ResponderState) gap(cfg *ResponderConfig, d *RespDecision) {
	d.Why = RespGap
	switch {
	case s.nakSent:
	case s.rnrSent && !cfg.Profile.NakWhileRNR:
		d.Why = RespRNRPending
	default:
		s.nakSent = true
		d.Outcome, d.Answer, d.Syndrome, d.PSN = RespRefused, RespNak, ib.NAKSequence, s.ePSN
	}
}

// duplicate answers a request that was executed before. What is wrong with it is nobody's business (RSP-6). Behind the
// answer the next request out of sequence is NAKed again (RSP-2, RSP-9).
func (s *ResponderState) duplicate(cfg *ResponderConfig, p *Packet, sh *ib.Shape, f *RespFacts, d *RespDecision) {
	answered := f.Replay
	switch {
	case sh.Verb == Read:
		d.Why, d.Answer, d.PSN = RespDupRead, RespReadResponses, p.PSN
	case sh.Verb.Atomic():
		d.Why, d.Answer, d.PSN = RespDupAtomic, RespAtomicAck, p.PSN
	case sh.Verb.Replayed():
		d.Why, d.Answer, d.PSN = RespDupAtomic, RespEmptyRead, p.PSN
	default:
		answered = p.AckReq || !cfg.Profile.DupAckByAckReq
		d.Why, d.Answer, d.PSN = RespDupMessage, RespAck, s.completed(cfg)
	}
	if !answered {
		d.Answer, d.PSN = RespNoAnswer, 0
		return
	}
	if sh.Verb.Replayed() {
		d.Behind = 0 // whom it may interrupt, RSP-7 says
	}
	d.Outcome, d.Syndrome = RespDuplicate, ib.AckSyndrome(f.Credits)
	if !cfg.Profile.DupKeepsNAK {
		s.nakSent, s.rnrSent = false, false
	}
}

// completed is the PSN of the most recent request that is complete once what is in flight is answered (RSP-5).
func (s *ResponderState) completed(cfg *ResponderConfig) psn.PSN {
	if cfg.Profile.DupAckSkipsRead {
		return s.acked
	}
	return cfg.Width.Prev(s.ePSN)
}

// refuse answers a request with a NAK; but for RNR the QP goes to error behind it (RSP-9, RSP-10).
func (s *ResponderState) refuse(cfg *ResponderConfig, p *Packet, d *RespDecision) {
	d.Outcome, d.Answer, d.PSN, d.Syndrome = RespRefused, RespNak, p.PSN, d.Why.syndrome(cfg)
	if d.Why == RespNoReceive {
		s.rnrSent = true
		return
	}
	s.State, s.open, d.ToError = Error, openMessage{}, true
}

// execute takes a good new request of RC, XRC or UC.
func (s *ResponderState) execute(cfg *ResponderConfig, p *Packet, sh *ib.Shape, f *RespFacts, d *RespDecision) {
	d.Outcome, d.First, d.Last = RespExecute, sh.First, sh.Last
	if !sh.First {
		d.Offset = s.open.offset
	}
	if sh.Inv && !f.AccessOK { // Profile.BadInvalidateAcked: found out this late, the message does not complete (RSP-10)
		s.State, s.open, d.ToError = Error, openMessage{}, true
		return
	}
	takes := uint32(1)
	if sh.Verb == Read {
		takes = psn.OfRead(p.DMALen, cfg.PMTUBytes) // PSN-4
	} else {
		s.acked = p.PSN
	}
	s.ePSN = cfg.Width.Add(p.PSN, takes)
	if sh.Last {
		s.msn = (s.msn + 1) & 0xFFFFFF // of a READ on acceptance (RSP-11)
		d.Complete = sh.NeedsReceive()
	}
	if sh.Verb.Replayed() {
		s.inFlight = min(s.inFlight+1, MaxInFlight)
		return
	}
	if sh.Last {
		s.open = openMessage{}
		return
	}
	s.open = openMessage{verb: sh.Verb, offset: d.Offset + p.Len, left: s.room(p, sh, f) - p.Len}
}

// answer says what goes back for a new request.
func (s *ResponderState) answer(p *Packet, sh *ib.Shape, f *RespFacts, d *RespDecision) {
	switch {
	case sh.Verb == Read:
		d.Answer = RespReadResponses
	case sh.Verb.Atomic():
		d.Answer = RespAtomicAck
	case sh.Verb.Replayed():
		d.Answer = RespEmptyRead // OPC-3
	case p.AckReq:
		d.Answer = RespAck
	default:
		return
	}
	d.PSN, d.Syndrome = p.PSN, ib.AckSyndrome(f.Credits)
}
