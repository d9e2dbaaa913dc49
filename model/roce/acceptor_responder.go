package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// ResponderFollower judges the responses of a device. The machine says what is owed; how far ACKs are coalesced is read from
// the PSN of the ACK that comes, what a READ or atomic returns is taken from the device the first time.
type ResponderFollower struct {
	cfg ResponderConfig
	r   Responder
	// acked is the highest PSN that a response acknowledged, ackedMSN what it said of messages.
	acked    psn.PSN
	ackedMSN uint32
	before   message // the message before the last request: what an RNR NAK falls back to
	last     psn.PSN // of that request
	out      Batch
}

// FollowResponder makes a follower. With cfg.Open a refusal that depends on what only the device knows is allowed.
func FollowResponder(cfg ResponderConfig) *ResponderFollower {
	if cfg.Open {
		cfg.MaxReads, cfg.Access = MaxKept, RemoteRead|RemoteWrite|RemoteAtomic
	}
	cfg.follows = true
	f := &ResponderFollower{cfg: cfg}
	f.r = NewResponder(&f.cfg)
	f.acked = cfg.Width.prev(cfg.StartPSN)
	return f
}

// PostReceive tells that the device was given a receive WQE.
func (f *ResponderFollower) PostReceive(w Receive) bool { return f.r.PostReceive(w) }

// SetState tells which state the device's QP is in.
func (f *ResponderFollower) SetState(s QPState) { f.r.State = s }

// Received tells what reached the device's responder.
func (f *ResponderFollower) Received(p *Packet) {
	f.out = f.out[:0]
	f.before, f.last = f.r.msg, p.PSN
	f.r.Step(p, &f.out)
}

// Owed returns the PSN of what must be answered next, and the rule that says so; false when nothing is.
func (f *ResponderFollower) Owed() (psn.PSN, Rule, bool) {
	if f.r.replies.count == 0 {
		return 0, "", false
	}
	o := f.obligation(f.r.replies.at(0))
	return o.PSN, o.Rule, true
}

// Sent offers a response that the device sent.
func (f *ResponderFollower) Sent(p *Packet) (v Verdict) {
	info := ib.Lookup(p.Op)
	if info == nil || !info.Response {
		return broken("OPC-1", "opcode %02Xh is no response", uint8(p.Op))
	}
	late := f.inTime(p)
	switch {
	case info.Operation == ib.AtomicAck:
		v = f.atomic(p)
	case info.Operation != ib.Ack:
		v = f.read(p, info.Operation)
	case p.Syndrome.Kind() == ib.KindAck:
		v = f.ack(p)
	default:
		v = f.nak(p)
	}
	f.turn()
	if v.Allowed() {
		v = late
	}
	return v
}

// ack judges a positive acknowledgement: of something that came, not before what it may not overtake (RSP-13), not behind
// what was said before (RSP-5, CRD-4).
func (f *ResponderFollower) ack(p *Packet) Verdict {
	q := &f.r.replies
	exact := false
	for i := range q.count {
		exact = exact || q.at(i).kind == ackReply && q.at(i).psn == p.PSN
	}
	switch {
	case p.PSN.Diff(f.r.ePSN) >= 0 && !exact:
		return broken("RSP-13", "acknowledges %06Xh, the next expected is %06Xh", uint32(p.PSN), uint32(f.r.ePSN))
	case p.PSN.Diff(f.acked) < 0 && !exact:
		v := broken("RSP-5", "acknowledges %06Xh, but %06Xh was acknowledged before", uint32(p.PSN), uint32(f.acked))
		f.dropFirst(ackReply)
		return v
	}
	v := f.msn(p)
	for q.count > 0 {
		a := q.at(0)
		if a.psn.Diff(p.PSN) > 0 {
			break
		}
		if a.kind >= readReply && v.Allowed() {
			v = broken("RSP-13", "acknowledges %06Xh before the response of %06Xh is sent", uint32(p.PSN), uint32(a.psn))
		}
		stop := a.kind == ackReply && a.psn == p.PSN && f.cfg.Profile.AckPerRequest
		if a.kind == nakReply {
			break
		}
		q.pop()
		if stop {
			break
		}
	}
	f.advance(p)
	return v
}

// dropFirst forgets the first reply of a kind: the device answered it in a way of its own.
func (f *ResponderFollower) dropFirst(kind replyKind) {
	q := &f.r.replies
	kept := replyQueue{nowNS: q.nowNS}
	for i, dropped := uint8(0), false; i < q.count; i++ {
		if a := *q.at(i); a.kind != kind || dropped {
			kept.push(a)
		} else {
			dropped = true
		}
	}
	*q = kept
}

// msn judges the count of messages: not below what was said, not above what was completed (RSP-11).
func (f *ResponderFollower) msn(p *Packet) Verdict {
	if after24(f.ackedMSN, p.MSN) || after24(p.MSN, f.r.msn) {
		return broken("RSP-11", "MSN %d, expected %d to %d", p.MSN, f.ackedMSN, f.r.msn)
	}
	return Verdict{}
}

// advance notes how far the device has acknowledged.
func (f *ResponderFollower) advance(p *Packet) {
	if p.PSN.Diff(f.acked) > 0 {
		f.acked = p.PSN
	}
	if after24(p.MSN, f.ackedMSN) {
		f.ackedMSN = p.MSN
	}
}

// nak judges a negative acknowledgement.
func (f *ResponderFollower) nak(p *Packet) Verdict {
	q := &f.r.replies
	if p.Syndrome.Kind() == ib.KindReserved || p.Syndrome > ib.NAKInvalidRD {
		return broken("OPC-2", "reserved syndrome %02Xh", uint8(p.Syndrome))
	}
	for i := range q.count {
		a := q.at(i)
		if a.kind != nakReply || a.psn != p.PSN {
			continue
		}
		v := Verdict{}
		switch {
		case a.syndrome != p.Syndrome:
			v = broken("RSP-1", "%v in place of %v", p.Syndrome, a.syndrome)
		case f.waits(i):
			v = broken("RSP-13", "a NAK of %06Xh before the responses of requests before it", uint32(p.PSN))
		}
		for ; q.count > 0 && i < 255; i-- {
			q.pop()
		}
		if v.Allowed() {
			v = f.msn(p)
		}
		return v
	}
	return f.unforeseen(p)
}

// waits tells that a new READ or atomic waits for its answer before place i.
func (f *ResponderFollower) waits(i uint8) bool {
	for j := range i {
		if a := f.r.replies.at(j); a.kind >= readReply && !a.again {
			return true
		}
	}
	return false
}

// unforeseen takes a NAK that the machine does not owe. With an Open configuration it may be right.
func (f *ResponderFollower) unforeseen(p *Packet) Verdict {
	switch {
	case p.Syndrome == ib.NAKSequence && p.PSN == f.r.ePSN && f.r.nakSent:
		return broken("RSP-2", "a second sequence NAK of %06Xh for the same gap", uint32(p.PSN))
	case p.Syndrome == ib.NAKSequence && p.PSN == f.r.ePSN && f.r.rnrSent && f.cfg.Profile.NakWhileRNR:
		f.r.nakSent = true // of what came before the RNR NAK went out
		return Verdict{}
	case p.Syndrome == ib.NAKSequence && p.PSN == f.r.ePSN && f.r.rnrSent:
		return broken("RSP-9", "a sequence NAK of %06Xh while an RNR NAK is out", uint32(p.PSN))
	case p.Syndrome == ib.NAKSequence:
		return broken("RSP-2", "a sequence NAK of %06Xh, the next expected is %06Xh and nothing is missing", uint32(p.PSN), uint32(f.r.ePSN))
	case !f.cfg.Open || p.PSN.Diff(f.r.ePSN) >= 0 || p.PSN.Diff(f.acked) <= 0:
		return broken("RSP-10", "%v of %06Xh, which was good", p.Syndrome, uint32(p.PSN))
	}
	f.fallBack(p)
	return Verdict{}
}

// fallBack takes back what the machine executed from a PSN on: the device refused it.
func (f *ResponderFollower) fallBack(p *Packet) {
	kept := replyQueue{nowNS: f.r.replies.nowNS}
	for i := range f.r.replies.count {
		if a := f.r.replies.at(i); a.psn.Diff(p.PSN) < 0 {
			kept.push(*a)
		}
	}
	f.r.replies = kept
	for i := range f.r.kept.ring {
		if e := &f.r.kept.ring[i]; e.verb != NoVerb && e.first.Diff(p.PSN) >= 0 {
			*e = keptNone
		}
	}
	f.r.ePSN, f.r.acked, f.r.msn = p.PSN, f.cfg.Width.prev(p.PSN), p.MSN
	f.r.msg = message{}
	if p.PSN == f.last {
		f.r.msg = f.before
	}
	if f.r.rnrSent = p.Syndrome.Kind() == ib.KindRNR; !f.r.rnrSent {
		f.r.State = Error
	}
}

var keptNone kept

// read judges a READ response against the READ that it continues, and the place in the order of answers.
func (f *ResponderFollower) read(p *Packet, op ib.Operation) Verdict {
	q := &f.r.replies
	for i := range q.count {
		a := q.at(i)
		if a.kind != readReply || a.psn != p.PSN {
			continue
		}
		v := f.skip(i, p)
		a = q.at(0)
		want := readOperation(!a.resumed, a.left <= f.cfg.PMTUBytes)
		switch {
		case p.Len != min(a.left, f.cfg.PMTUBytes):
			v = broken("LEN-1", "a READ response of %d bytes, %d are left", p.Len, a.left)
		case op != want:
			v = broken("RSP-7", "%s in place of %s", ib.Lookup(p.Op).Name, ib.Lookup(ib.Join(f.cfg.Service, want)).Name)
		case op != ib.ReadResponseMid && v.Allowed():
			v = f.msn(p)
		}
		f.out = f.out[:0]
		f.r.nextOfRead(a, &f.out)
		if op == ib.ReadResponseMid {
			f.acked = maxPSN(f.acked, p.PSN)
		} else {
			f.advance(p)
		}
		return v
	}
	return broken("RSP-7", "a READ response of %06Xh that no READ waits for", uint32(p.PSN))
}

func maxPSN(a, b psn.PSN) psn.PSN {
	if b.Diff(a) > 0 {
		return b
	}
	return a
}

// skip drops the replies before place i: ACKs are part of what comes now, an interrupted READ need not be resumed (RSP-7), a
// duplicate may have been ignored. Anything else was overtaken.
func (f *ResponderFollower) skip(i uint8, p *Packet) (v Verdict) {
	q := &f.r.replies
	for ; i > 0; i-- {
		a := q.at(0)
		switch {
		case a.kind == nakReply && a.psn.Diff(p.PSN) <= 0:
			v = broken("RSP-13", "the NAK of %06Xh was not sent", uint32(a.psn))
		case a.kind >= readReply && !a.again && a.psn.Diff(p.PSN) < 0:
			v = broken("RSP-13", "the response of %06Xh was not sent", uint32(a.psn))
		}
		q.pop()
	}
	return v
}

// atomic judges the answer to an atomic. Its value is the device's the first time, and must stay the same (RSP-8).
func (f *ResponderFollower) atomic(p *Packet) Verdict {
	q := &f.r.replies
	for i := range q.count {
		a := q.at(i)
		if a.kind != atomicReply || a.psn != p.PSN {
			continue
		}
		v := f.skip(i, p)
		a = q.at(0)
		switch {
		case a.waits:
			f.r.Result(a.slot, p.Original)
		case a.original != p.Original:
			v = broken("RSP-8", "the replay of an atomic returns %d, it returned %d", p.Original, a.original)
		}
		if v.Allowed() {
			v = f.msn(p)
		}
		q.pop()
		f.advance(p)
		return v
	}
	return broken("RSP-8", "an atomic response of %06Xh that no atomic waits for", uint32(p.PSN))
}
