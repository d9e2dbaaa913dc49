package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// ResponderConfig is what a responder is given while its QP is being initialized (RSP-15).
type ResponderConfig struct {
	Service   ib.Transport
	Profile   Profile
	Width     Width
	PMTUBytes uint32
	StartPSN  psn.PSN // the first request's (PSN-5)
	MaxReads  uint8   // agreed number of outstanding READs and atomics, up to MaxKept
	Access    Access  // operations that the QP takes from its peer
	RNRTimer  uint8   // code that an RNR NAK asks the peer to wait
	QKey      uint32
	XRCSRQ    uint32 // XRC: the shared receive queue that receive WQEs are posted to
	Regions   [MaxRegions]Region
	// Open: what the QP was given is not known. Keys, permissions, room and receive WQEs are taken to be there.
	Open bool
	// AnswerWithinNs is how long a device may take to answer what it is asked, from when its turn came; 0: as long as it likes. No rule
	// bounds it. Only a follower that is told the time looks at it.
	AnswerWithinNs uint64
	// follows: the machine judges. What a device may or may not do it leaves to the device.
	follows bool
}

// Responder is the receiving half of a queue pair. Its fields but State are for printing and comparing.
type Responder struct {
	cfg *ResponderConfig

	State QPState
	// ePSN is the PSN that the next new request has.
	ePSN psn.PSN
	// nakSent: a sequence NAK went out and PSN = ePSN has not come since. Nothing more is said about the gap (RSP-2).
	nakSent bool
	// rnrSent: an RNR NAK for ePSN went out and PSN = ePSN has not come since (RSP-9).
	rnrSent bool
	// dropping, UC only: the message is lost, what is not First or Only is dropped (RSP-3).
	dropping bool
	// drained, only with Profile.AcksWhenDrained: nothing has been received since Drained.
	drained bool
	// acked is the PSN that the ACK of a duplicate carries (RSP-5): ePSN - 1, but see Profile.DupAckSkipsRead.
	acked psn.PSN
	// msn counts completed messages (RSP-11).
	msn uint32
	// msg is the message whose Last has not come.
	msg message

	recv    receiveQueue
	keys    regions
	kept    keeper
	replies replyQueue
}

// message is a SEND or WRITE between First and Last. verb is NoVerb between messages.
type message struct {
	verb   Verb
	va     uint64 // of a WRITE: where the next byte goes
	rkey   uint32
	total  uint32 // of a WRITE: RETH length
	offset uint32 // bytes taken so far
}

// NewResponder makes the responder of a QP in RTR, or what state says. cfg must not change any more.
func NewResponder(cfg *ResponderConfig) Responder {
	r := Responder{cfg: cfg, State: RTR, ePSN: cfg.StartPSN, keys: cfg.Regions}
	r.acked = cfg.Width.prev(r.ePSN)
	if cfg.Profile.DupAckSkipsRead {
		r.acked = psn.New(1<<psn.Bits - 1)
	}
	return r
}

// PostReceive adds a receive WQE; false when the queue is full.
func (r *Responder) PostReceive(w Receive) bool { return r.State != Error && r.recv.post(w) }

// SetEPSN sets the expected PSN, which only a QP that is being initialized takes (RSP-15).
func (r *Responder) SetEPSN(p psn.PSN) bool {
	if r.State != Init {
		return false
	}
	r.ePSN, r.acked = p, r.cfg.Width.prev(p)
	return true
}

// Bind does the bind of a BindWindow effect of the same host: false when no such region allows it (RSP-1).
func (r *Responder) Bind(w Region, lkey uint32) bool { return r.keys.bind(w, lkey) }

// Unbind takes a window's key away, as an InvalidateKey effect of the same host asks: false when there is no such key.
func (r *Responder) Unbind(rkey uint32) bool { return r.keys.invalidate(rkey) }

// Drained tells a responder whose ACKs wait (Profile.AcksWhenDrained) that nothing more waits to be received.
func (r *Responder) Drained() { r.drained = r.cfg.Profile.AcksWhenDrained }

// EPSN is the expected PSN.
func (r *Responder) EPSN() psn.PSN { return r.ePSN }

// MSN is the number of completed messages, modulo 2^24.
func (r *Responder) MSN() uint32 { return r.msn }

// Step takes a request that reached the QP: addressed to it, with good ICRC and P_Key.
func (r *Responder) Step(p *Packet, out *Batch) {
	s := p.Op.Shape()
	r.drained = false
	switch {
	case r.State != RTR && r.State != RTS:
		out.drop("RSP-15")
	case ib.Lookup(p.Op) == nil || ib.Transport(p.Op&0xE0) != r.cfg.Service || !s.Request:
		out.drop("OPC-1")
	case r.cfg.Service == ib.UC:
		r.stepUC(p, s, out)
	case r.cfg.Service == ib.UD:
		r.stepUD(p, s, out)
	default:
		r.stepRC(p, s, out)
	}
}

func (r *Responder) stepRC(p *Packet, s *ib.Shape, out *Batch) {
	switch psn.Arrive(p.PSN, r.ePSN, r.cfg.Profile.OldestIsDuplicate) {
	case psn.OutOfSequence:
		r.outOfSequence(out)
	case psn.Duplicate:
		r.duplicate(p, s, out)
	default:
		if r.replies.full() {
			out.drop("RSP-13") // as if lost on the way: the peer goes back
			return
		}
		r.nakSent, r.rnrSent = false, false
		if f := r.check(p, s); f.rule != "" {
			r.refuse(p, f, out)
			return
		}
		r.execute(p, s, out)
	}
}

// outOfSequence says once that a request is missing (RSP-2).
func (r *Responder) outOfSequence(out *Batch) {
	switch {
	case r.nakSent, r.replies.full():
		out.drop("RSP-2")
	case r.rnrSent && !r.cfg.Profile.NakWhileRNR:
		out.drop("RSP-9")
	default:
		r.nakSent = true
		r.replies.push(reply{kind: nakReply, psn: r.ePSN, syndrome: ib.NAKSequence, msn: r.msn})
		out.drop("RSP-2")
	}
}

// check holds a new request against everything that could be wrong with it, in the order of RSP-1.
func (r *Responder) check(p *Packet, s *ib.Shape) fault {
	if f := r.checkSequence(s); f.rule != "" {
		return f
	}
	if f := r.checkSupported(p, s); f.rule != "" {
		return f
	}
	if f := r.checkRoom(s); f.rule != "" {
		return f
	}
	if s.NeedsReceive() && r.cfg.Service == ib.XRC && p.XRCSRQ != r.cfg.XRCSRQ && !r.cfg.Open {
		return invalid // no such queue (our reading)
	}
	if s.NeedsReceive() && r.recv.count == 0 && !r.cfg.Open {
		return fault{syndrome: ib.RNRSyndrome(r.cfg.RNRTimer), rule: "RSP-9"}
	}
	f := r.checkContent(p, s)
	f.held = s.NeedsReceive()
	return f
}

// checkContent is the rest of RSP-1: key, length, and whether the bytes fit.
func (r *Responder) checkContent(p *Packet, s *ib.Shape) fault {
	if r.cfg.Profile.LengthBeforeRKey {
		if f := r.checkLength(p, s); f.rule != "" {
			return f
		}
		if f := r.checkAccess(p, s); f.rule != "" {
			return f
		}
		return r.checkFit(p, s)
	}
	if f := r.checkAccess(p, s); f.rule != "" {
		return f
	}
	if f := r.checkLength(p, s); f.rule != "" {
		return f
	}
	return r.checkFit(p, s)
}

var invalid = fault{syndrome: ib.NAKInvalidRequest, rule: "RSP-1"}

// checkSequence: First and Only start a message, Middle and Last go on with one of their kind.
func (r *Responder) checkSequence(s *ib.Shape) fault {
	if s.First != (r.msg.verb == NoVerb) || !s.First && s.Verb != r.msg.verb {
		return invalid
	}
	return fault{}
}

func (r *Responder) checkSupported(p *Packet, s *ib.Shape) fault {
	switch {
	case s.Verb == NoVerb, s.Verb != Send && r.cfg.Access&accessOf(s.Verb) == 0 && !r.cfg.Open:
		return invalid
	case !s.Last && p.Pad != 0 && !r.cfg.Profile.LengthBeforeRKey: // there it is a wrong length
		return invalid
	}
	return fault{}
}

// accessOf is the permission that a verb needs.
func accessOf(v Verb) Access {
	switch v {
	case Write:
		return RemoteWrite
	case Read:
		return RemoteRead
	case AtomicWrite, Flush:
		return RemoteWrite
	default:
		return RemoteAtomic
	}
}

// checkRoom: a READ or atomic beyond the agreed number is the peer's fault (PSN-5).
func (r *Responder) checkRoom(s *ib.Shape) fault {
	if !s.Verb.Replayed() || r.cfg.Open {
		return fault{}
	}
	if r.cfg.MaxReads == 0 || !r.cfg.Profile.RoomUnchecked && r.replies.reads() >= r.cfg.MaxReads {
		return fault{syndrome: ib.NAKInvalidRequest, rule: "PSN-5"}
	}
	return fault{}
}

// checkLength is LEN-1 for one packet and for the length that its RETH states.
func (r *Responder) checkLength(p *Packet, s *ib.Shape) fault {
	if (s.Verb == Send || s.Verb == Write || s.Verb == AtomicWrite) && !ib.Lookup(p.Op).Length.Allows(int(p.Len), int(r.cfg.PMTUBytes)) ||
		(s.Verb == Read || s.Verb == Flush || s.Verb == Write && s.First) && p.DMALen > ib.MaxMessage ||
		s.Verb == AtomicWrite && p.DMALen != 8 {
		return fault{syndrome: ib.NAKInvalidRequest, rule: "LEN-1"}
	}
	return fault{}
}

// checkAccess looks at R_Key, range and permission: a WRITE by packet, a READ by its RETH, nothing for length 0.
func (r *Responder) checkAccess(p *Packet, s *ib.Shape) fault {
	denied := fault{syndrome: ib.NAKRemoteAccess, rule: "RSP-1"}
	switch s.Verb {
	case Send:
		if s.Inv && !r.cfg.Profile.BadInvalidateAcked && !r.cfg.Open && !r.canInvalidate(p.RKey) {
			return denied
		}
		return fault{}
	case Write:
		return r.checkWriteAccess(p, s, denied)
	case Read:
		if p.DMALen != 0 && !r.allows(p.RKey, p.VA, uint64(p.DMALen), RemoteRead) {
			return denied
		}
	case Flush:
		if !r.mayFlush(p) {
			return denied
		}
	default:
		switch {
		case !r.allows(p.RKey, p.VA, 8, accessOf(s.Verb)):
			return denied
		case p.VA%8 != 0:
			return fault{syndrome: ib.NAKInvalidRequest, rule: "RSP-12"}
		}
	}
	return fault{}
}

func (r *Responder) allows(rkey uint32, va, length uint64, need Access) bool {
	return r.cfg.Open || r.keys.allows(rkey, va, length, need)
}

// mayFlush: a FLUSH of a range is held against its key like a WRITE, one of a whole region needs the key only.
func (r *Responder) mayFlush(p *Packet) bool {
	switch {
	case p.wholeRegion():
		return r.cfg.Open || r.keys.opens(p.RKey, RemoteWrite)
	case p.DMALen == 0:
		return true
	default:
		return r.allows(p.RKey, p.VA, uint64(p.DMALen), RemoteWrite)
	}
}

func (r *Responder) canInvalidate(rkey uint32) bool {
	t := r.keys
	return t.invalidate(rkey)
}

func (r *Responder) checkWriteAccess(p *Packet, s *ib.Shape, denied fault) fault {
	m := r.msg
	if s.First {
		m = message{va: p.VA, rkey: p.RKey, total: p.DMALen}
	}
	length := p.Len
	if r.cfg.Profile.WholeWriteChecked {
		length = m.total - m.offset
	}
	switch {
	case m.total == 0:
		if p.Len != 0 && r.cfg.Profile.PayloadBeyondZero {
			return denied
		}
	case !r.allows(m.rkey, m.va, uint64(length), RemoteWrite):
		return denied
	}
	return fault{}
}

// checkFit: the bytes of a WRITE add up to its RETH length, a SEND fits its receive WQE.
func (r *Responder) checkFit(p *Packet, s *ib.Shape) fault {
	switch s.Verb {
	case Write:
		total, have := r.msg.total, r.msg.offset+p.Len
		if s.First {
			total, have = p.DMALen, p.Len
		}
		if have > total || s.Last && have != total {
			return fault{syndrome: ib.NAKInvalidRequest, rule: "LEN-1"}
		}
	case Send:
		if r.msg.offset+p.Len > r.recv.first().Len && !r.cfg.Open {
			if r.cfg.Profile.TooLongIsRemoteOp {
				return fault{syndrome: ib.NAKRemoteOp, rule: "LEN-1"}
			}
			return fault{syndrome: ib.NAKInvalidRequest, rule: "LEN-1"}
		}
	}
	return fault{}
}

// refuse answers a request with a NAK; but for RNR the QP goes to Error behind it (RSP-9, RSP-10).
func (r *Responder) refuse(p *Packet, f fault, out *Batch) {
	r.replies.push(reply{kind: nakReply, psn: p.PSN, syndrome: f.syndrome, msn: r.msn})
	out.drop(f.rule)
	if f.syndrome.Kind() == ib.KindRNR {
		r.rnrSent = true
		return
	}
	r.fail(f.held, f.rule, out)
}

// fail moves the QP to Error and flushes what is posted, the receive WQE that a message held with an error of its own. What
// was owed before is still answered.
func (r *Responder) fail(held bool, why Rule, out *Batch) {
	r.State = Error
	out.add(Effect{Kind: EnterError, Why: why})
	status := Flushed
	if held || r.msg.verb == Send {
		status = LocalError
	}
	for r.recv.count > 0 {
		out.add(Effect{Kind: Complete, ID: r.recv.pop().ID, Status: status})
		status = Flushed
	}
	r.msg = message{}
}

// SetError moves the QP to Error from outside: nothing is answered any more (RSP-15).
func (r *Responder) SetError(out *Batch) {
	if r.State != Error {
		r.replies = replyQueue{}
		r.fail(false, "RSP-15", out)
	}
}

// execute does what a good new request asks for.
func (r *Responder) execute(p *Packet, s *ib.Shape, out *Batch) {
	w := r.cfg.Width
	switch s.Verb {
	case Read:
		n := psn.OfRead(p.DMALen, r.cfg.PMTUBytes)
		r.ePSN = w.add(p.PSN, n)
		r.msn = (r.msn + 1) & 0xFFFFFF // on acceptance (RSP-11)
		r.keep(p, s, w.add(p.PSN, n-1))
		r.replies.push(reply{kind: readReply, psn: p.PSN, va: p.VA, left: p.DMALen, msn: r.msn})
		if !r.cfg.Profile.DupAckSkipsRead {
			r.acked = w.prev(r.ePSN)
		}
		return
	case AtomicWrite, Flush:
		r.answerAsRead(p, s, out)
		return
	case CmpSwap, FetchAdd:
		r.advance(p, true)
		slot := r.keep(p, s, p.PSN)
		out.add(Effect{Kind: AtomicMemory, Slot: slot, VA: p.VA, Len: 8, Packet: *p})
		r.replies.push(reply{kind: atomicReply, psn: p.PSN, slot: slot, waits: true, msn: r.msn})
		return
	}
	r.place(p, s, out)
	if s.Inv && !r.invalidate(p, s, out) {
		return
	}
	r.advance(p, s.Last)
	r.goOn(p, s)
	if s.Last {
		r.complete(p, s, out)
	}
	if p.AckReq {
		r.ack(p.PSN)
	}
}

// answerAsRead does an ATOMIC WRITE or a FLUSH, which a READ response without bytes answers (OPC-3).
func (r *Responder) answerAsRead(p *Packet, s *ib.Shape, out *Batch) {
	r.advance(p, true)
	r.keep(p, s, p.PSN)
	e := Effect{Kind: FlushMemory, VA: p.VA, Len: p.DMALen, Packet: *p}
	if s.Verb == AtomicWrite {
		e = Effect{Kind: WriteMemory, VA: p.VA, Len: p.Len}
	}
	out.add(e)
	r.replies.push(reply{kind: readReply, psn: p.PSN, msn: r.msn})
}

// place puts the payload where it belongs.
func (r *Responder) place(p *Packet, s *ib.Shape, out *Batch) {
	va := r.msg.va
	if s.First {
		va = p.VA
	}
	switch {
	case p.Len == 0:
	case s.Verb == Write:
		out.add(Effect{Kind: WriteMemory, VA: va, Len: p.Len})
	default:
		out.add(Effect{Kind: Deliver, ID: r.recv.first().ID, Off: r.msg.offset, Len: p.Len})
	}
}

// invalidate does what an IETH asks for. It fails only in profiles that find a bad key this late.
func (r *Responder) invalidate(p *Packet, s *ib.Shape, out *Batch) bool {
	if r.keys.invalidate(p.RKey) || r.cfg.Open {
		out.add(Effect{Kind: Invalidate, Packet: *p})
		return true
	}
	if p.AckReq {
		r.ack(p.PSN)
	}
	r.fail(true, "RSP-10", out)
	return false
}

// advance takes the PSN of a new SEND, WRITE or atomic; a message that ends here counts (RSP-11).
func (r *Responder) advance(p *Packet, last bool) {
	r.ePSN = r.cfg.Width.add(p.PSN, 1)
	r.acked = p.PSN
	if last {
		r.msn = (r.msn + 1) & 0xFFFFFF
	}
}

// goOn keeps what the next packet of the message needs.
func (r *Responder) goOn(p *Packet, s *ib.Shape) {
	if s.First {
		r.msg = message{verb: s.Verb}
		if s.Verb == Write {
			r.msg.va, r.msg.rkey, r.msg.total = p.VA, p.RKey, p.DMALen
		}
	}
	r.msg.offset += p.Len
	if s.Verb == Write {
		r.msg.va += uint64(p.Len)
	}
}

// complete ends a SEND or WRITE; those that use a receive WQE make a completion entry.
func (r *Responder) complete(p *Packet, s *ib.Shape, out *Batch) {
	if s.NeedsReceive() && r.recv.count > 0 {
		out.add(Effect{Kind: Complete, ID: r.recv.pop().ID, Len: r.msg.offset, Packet: *p})
	}
	r.msg = message{}
}
