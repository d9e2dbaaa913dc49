package roce

import (
	"math"

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
	StartMSN  uint32  // messages completed before, where the QP goes on elsewhere; 0 for a new one
	MaxReads  uint8   // agreed number of outstanding READs and atomics, up to MaxKept
	Access    Access  // operations that the QP takes from its peer
	PD        uint32  // protection domain: an R_Key of another one opens nothing
	RNRTimer  uint8   // code that an RNR NAK asks the peer to wait
	QKey      uint32
	XRCSRQ    uint32 // XRC: the shared receive queue that receive WQEs are posted to
	Regions   [MaxRegions]Region
	// Open: what the QP was given is not known. Keys, permissions, room and receive WQEs are taken to be there.
	Open bool
	// AnswerWithinNs is how long a device may take to answer what it is asked, from when its turn came; 0: as long as it
	// likes. No rule bounds it. Only a follower that is told the time looks at it.
	AnswerWithinNs uint64
	// follows: the machine judges. What a device may or may not do it leaves to the device.
	follows bool
}

// Responder is the receiving half of a queue pair: what it remembers of its QP, which decides, and what it keeps to act
// on that. Its fields but State are for printing and comparing.
type Responder struct {
	cfg *ResponderConfig
	ResponderState
	// drained, only with Profile.AcksWhenDrained: nothing has been received since Drained.
	drained bool
	// write is where the WRITE goes on whose Last has not come.
	write   writeTarget
	recv    receiveQueue
	keys    regions
	kept    keeper
	replies replyQueue
}

// writeTarget is where the next byte of a WRITE goes.
type writeTarget struct {
	va   uint64
	rkey uint32
}

// NewResponder makes the responder of a QP in RTR, or what state says. cfg must not change any more.
func NewResponder(cfg *ResponderConfig) Responder {
	r := Responder{cfg: cfg, ResponderState: newResponderState(cfg), keys: cfg.Regions}
	r.State = RTR
	return r
}

// PostReceive adds a receive WQE; false when the queue is full.
func (r *Responder) PostReceive(w Receive) bool { return r.State != Error && r.recv.post(w) }

// Bind does the bind of a BindWindow effect of the same host: false when no such region allows it (RSP-1).
func (r *Responder) Bind(w Region, lkey uint32) bool {
	w.PD = r.cfg.PD
	return r.keys.bind(w, lkey)
}

// Unbind takes a window's key away, as an InvalidateKey effect of the same host asks: false when there is no such key.
func (r *Responder) Unbind(rkey uint32) bool { return r.keys.invalidate(rkey, r.cfg.PD) }

// Drained tells a responder whose ACKs wait (Profile.AcksWhenDrained) that nothing more waits to be received.
func (r *Responder) Drained() { r.drained = r.cfg.Profile.AcksWhenDrained }

// Step takes a request that reached the QP: addressed to it, with good ICRC and P_Key.
func (r *Responder) Step(p *Packet, out *Batch) {
	r.drained = false
	if r.replies.full() && r.receives() {
		out.drop("RSP-13") // as if lost on the way: the peer goes back
		return
	}
	s := p.Op.Shape()
	var f RespFacts
	r.lookUp(p, s, &f)
	inSend := r.open.verb == Send
	var d RespDecision
	r.decide(r.cfg, p, s, &f, &d)
	switch d.Outcome {
	case RespExecute:
		r.execute(p, s, &d, out)
	case RespDuplicate:
		r.again(p, &d, out)
	default:
		if d.Answer == RespNak {
			r.replies.push(reply{kind: nakReply, psn: d.PSN, syndrome: d.Syndrome, msn: d.MSN})
		}
		why := d.Why.Rule(r.cfg.Service)
		out.drop(why)
		if d.ToError { // what the request needs of a receive WQE it had by then
			r.fail(inSend || d.Why >= RespNoAccess && s.NeedsReceive(), why, out)
		}
	}
}

// lookUp is what the QP's memory, receive WQEs and kept requests say about a request. With Open they are taken to be
// there.
func (r *Responder) lookUp(p *Packet, s *ib.Shape, f *RespFacts) {
	if r.recv.count > 0 {
		f.ReceivePosted, f.ReceiveBytes = true, r.recv.first().Len
	}
	switch {
	case r.cfg.Service == ib.UD:
		f.QKeyOK = p.QKey == r.cfg.QKey
	case p.PSN != r.ePSN && r.cfg.Service != ib.UC:
		f.Replay = s.Verb.Replayed() && r.replays(p, s)
	case r.cfg.Open:
		f.AccessOK, f.ReceivePosted, f.ReceiveBytes = true, true, math.MaxUint32
	default:
		f.AccessOK = r.mayTouch(p, s)
		f.ForeignSRQ = r.cfg.Service == ib.XRC && p.XRCSRQ != r.cfg.XRCSRQ
	}
}

// mayTouch holds what a new request touches against its key: a WRITE by packet, a READ by its RETH.
func (r *Responder) mayTouch(p *Packet, s *ib.Shape) bool {
	switch s.Verb {
	case Send:
		return !s.Inv || r.canInvalidate(p.RKey)
	case Write:
		return r.mayWrite(p, s)
	case Read:
		return p.DMALen == 0 || r.allows(p.RKey, p.VA, uint64(p.DMALen), RemoteRead)
	case Flush:
		return r.mayFlush(p)
	default:
		return r.allows(p.RKey, p.VA, 8, accessOf(p, s.Verb))
	}
}

func (r *Responder) allows(rkey uint32, va, length uint64, need Access) bool {
	return r.cfg.Open || r.keys.allows(rkey, r.cfg.PD, va, length, need)
}

// mayFlush: a FLUSH of a range is held against its key with that range, one of a whole region needs the key only
// (RSP-16).
func (r *Responder) mayFlush(p *Packet) bool {
	need := accessOf(p, Flush)
	if p.wholeRegion() {
		return r.keys.opens(p.RKey, r.cfg.PD, need)
	}
	return p.DMALen == 0 || r.allows(p.RKey, p.VA, uint64(p.DMALen), need)
}

func (r *Responder) canInvalidate(rkey uint32) bool {
	t := r.keys
	return t.invalidate(rkey, r.cfg.PD)
}

func (r *Responder) mayWrite(p *Packet, s *ib.Shape) bool {
	at, left := r.write, r.open.left
	if s.First {
		at, left = writeTarget{p.VA, p.RKey}, p.DMALen
	}
	length := p.Len
	if r.cfg.Profile.WholeWriteChecked {
		length = left
	}
	return r.allows(at.rkey, at.va, uint64(length), RemoteWrite)
}

// fail flushes what is posted when the QP has gone to error, the receive WQE that a message held with an error of its
// own. What was owed before is still answered.
func (r *Responder) fail(held bool, why Rule, out *Batch) {
	out.add(Effect{Kind: EnterError, Why: why})
	status := Flushed
	if held {
		status = LocalError
	}
	for r.recv.count > 0 {
		out.add(Effect{Kind: Complete, ID: r.recv.pop().ID, Status: status})
		status = Flushed
	}
	r.write = writeTarget{}
}

// SetError moves the QP to Error from outside: nothing is answered any more, and every receive WQE is flushed, the one
// that a SEND has begun to fill among them (RSP-15).
func (r *Responder) SetError(out *Batch) {
	if entered, _ := r.Fail(); entered {
		r.replies, r.inFlight = replyQueue{}, 0
		r.fail(false, "RSP-15", out)
	}
}

// execute does what a good new request asks for.
func (r *Responder) execute(p *Packet, s *ib.Shape, d *RespDecision, out *Batch) {
	switch s.Verb {
	case Read:
		slot := r.keep(p, s)
		r.replies.push(reply{kind: readReply, psn: p.PSN, slot: slot, va: p.VA, left: p.DMALen, msn: d.MSN})
	case AtomicWrite, Flush:
		slot := r.keep(p, s)
		e := Effect{Kind: FlushMemory, VA: p.VA, Len: p.DMALen, Packet: *p}
		if s.Verb == AtomicWrite {
			e = Effect{Kind: WriteMemory, VA: p.VA, Len: p.Len}
		}
		out.add(e)
		r.replies.push(reply{kind: readReply, psn: p.PSN, slot: slot, msn: d.MSN})
	case CmpSwap, FetchAdd:
		slot := r.keep(p, s)
		out.add(Effect{Kind: AtomicMemory, Slot: slot, VA: p.VA, Len: 8, Packet: *p})
		r.replies.push(reply{kind: atomicReply, psn: p.PSN, slot: slot, waits: true, msn: d.MSN})
	default:
		r.message(p, s, d, out)
	}
}

// message does a packet of a SEND or WRITE.
func (r *Responder) message(p *Packet, s *ib.Shape, d *RespDecision, out *Batch) {
	header := uint32(0)
	if r.cfg.Service == ib.UD {
		header = ib.GRHBytes
	}
	r.place(p, s, d.Offset+header, out)
	switch {
	case d.ToError: // a key that cannot be invalidated, and a profile that finds it this late
	case s.Inv:
		r.keys.invalidate(p.RKey, r.cfg.PD)
		out.add(Effect{Kind: Invalidate, Packet: *p})
		fallthrough
	default:
		if d.Complete && r.recv.count > 0 {
			out.add(Effect{Kind: Complete, ID: r.recv.pop().ID, Len: d.Offset + header + p.Len, Packet: *p})
		}
	}
	if d.Answer == RespAck {
		r.ack(d, false)
	}
	if d.ToError {
		r.fail(true, "RSP-10", out)
	}
}

// place puts the payload where it belongs, and keeps where a WRITE goes on.
func (r *Responder) place(p *Packet, s *ib.Shape, offset uint32, out *Batch) {
	if s.Verb == Send {
		if p.Len != 0 {
			e := out.more(Deliver)
			e.ID, e.Off, e.Len = r.recv.first().ID, offset, p.Len
		}
		return
	}
	if s.First {
		r.write = writeTarget{p.VA, p.RKey}
	}
	if p.Len != 0 {
		e := out.more(WriteMemory)
		e.VA, e.Len = r.write.va, p.Len
	}
	r.write.va += uint64(p.Len)
	if s.Last {
		r.write = writeTarget{}
	}
}
