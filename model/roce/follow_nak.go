package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// nak judges a negative acknowledgement. One that others overtook is looked for first, wherever it stands: what is owed
// before a later one of the same PSN may still come.
func (f *ResponderFollower) nak(p *Packet) Verdict {
	q := &f.r.replies
	if p.Syndrome.Kind() == ib.KindReserved || p.Syndrome > ib.NAKInvalidRD {
		return broken("OPC-2", "reserved syndrome %02Xh", uint8(p.Syndrome))
	}
	if f.dropFirst(func(a *reply) bool { return a.moved && a.psn == p.PSN && a.syndrome == p.Syndrome }) {
		return f.msn(p)
	}
	for i := range q.count {
		a := q.at(i)
		if a.kind != nakReply || a.psn != p.PSN || a.optional && a.syndrome != p.Syndrome {
			continue
		}
		v := Verdict{}
		switch {
		case a.syndrome != p.Syndrome:
			v = broken("RSP-1", "%v in place of %v", p.Syndrome, a.syndrome)
		case f.waits(i):
			v = broken("RSP-13", "a NAK of %06Xh before the responses of requests before it", uint32(p.PSN))
		}
		f.passes(i)
		if v.Allowed() {
			v = f.msn(p)
		}
		return v
	}
	return f.unforeseen(p)
}

// passes takes away the NAK at a place and what it settles before it. READs and atomics that it passed may be answered
// yet.
func (f *ResponderFollower) passes(i uint8) {
	q := &f.r.replies
	kept := replyQueue{nowNS: q.nowNS}
	for j := range q.count {
		switch a := q.at(j); {
		case j > i:
			kept.push(*a)
		case j < i && a.counts():
			kept.push(f.left(a))
		}
	}
	f.keepReplies(&kept)
}

// waits reports whether a new READ or atomic waits for its answer before place i.
func (f *ResponderFollower) waits(i uint8) bool {
	for j := range i {
		if a := f.r.replies.at(j); a.counts() {
			return true
		}
	}
	return false
}

// unforeseen takes a NAK that the machine does not owe. With an Open configuration it may be right.
func (f *ResponderFollower) unforeseen(p *Packet) Verdict {
	switch {
	case p.Syndrome == ib.NAKSequence && f.unkept && p.PSN.Diff(f.r.ePSN) <= 0:
		return Verdict{}
	case p.Syndrome == ib.NAKSequence && p.PSN == f.r.ePSN && f.r.nakSent:
		return broken("RSP-2", "a second sequence NAK of %06Xh for the same gap", uint32(p.PSN))
	case p.Syndrome == ib.NAKSequence && p.PSN == f.r.ePSN && f.r.rnrSent && f.cfg.Profile.NakWhileRNR:
		f.r.nakSent = true // of what came before the RNR NAK went out
		return Verdict{}
	case p.Syndrome == ib.NAKSequence && p.PSN == f.r.ePSN && f.r.rnrSent:
		return broken("RSP-9", "a sequence NAK of %06Xh while an RNR NAK is out", uint32(p.PSN))
	case p.Syndrome == ib.NAKSequence && f.dropFirst(f.asksForGap):
		return broken("RSP-2", "a sequence NAK of %06Xh, and %06Xh is missing", uint32(p.PSN), uint32(f.r.ePSN))
	case p.Syndrome == ib.NAKSequence:
		return broken("RSP-2", "a sequence NAK of %06Xh, the next expected is %06Xh and nothing is missing", uint32(p.PSN),
			uint32(f.r.ePSN))
	case !f.cfg.Open || p.PSN.Diff(f.r.ePSN) >= 0 || p.PSN.Diff(f.acked) <= 0:
		return broken("RSP-10", "%v of %06Xh, which was good", p.Syndrome, uint32(p.PSN))
	}
	v := f.tooEarly(p)
	counted := f.LeastMSN(p)
	f.fallBack(p)
	if f.r.rnrSent {
		f.mayRepeat()
	}
	if c := &f.counted[uint32(f.cfg.Width.Prev(p.PSN))%maxCounted]; !c.valid || c.psn != f.cfg.Width.Prev(p.PSN) ||
		f.cfg.Profile.BadInvalidateAcked {
		return v
	}
	f.r.msn = counted
	if v.Allowed() {
		v = f.msn(p)
	}
	return v
}

// asksForGap reports whether a reply is the sequence NAK that is due.
func (f *ResponderFollower) asksForGap(a *reply) bool {
	return a.kind == nakReply && !a.optional && a.syndrome == ib.NAKSequence && a.psn == f.r.ePSN
}

// tooEarly: what was good before a NAK is answered before it (RSP-2, RSP-13).
func (f *ResponderFollower) tooEarly(p *Packet) Verdict {
	for i := range f.r.replies.count {
		if a := f.r.replies.at(i); a.counts() && a.psn.Diff(p.PSN) < 0 {
			return broken("RSP-13", "a NAK of %06Xh before the response of %06Xh is sent", uint32(p.PSN), uint32(a.psn))
		}
	}
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
	f.keepReplies(&kept)
	for i := range f.r.kept.ring {
		if e := &f.r.kept.ring[i]; e.verb != NoVerb && e.first.Diff(p.PSN) >= 0 {
			*e = keptNone
		}
	}
	f.r.ePSN, f.r.acked, f.r.msn = p.PSN, f.lastBefore(p.PSN), p.MSN
	at := f.places.back(p.PSN)
	f.r.open, f.r.write = at.open, at.to
	f.r.nakSent = false // what it said of a gap behind this PSN, it never said
	if f.r.rnrSent = p.Syndrome.Kind() == ib.KindRNR; !f.r.rnrSent {
		f.r.State = Error
	}
}

var keptNone kept

// lastBefore returns the PSN before p, and before the READs that end there: what Profile.DupAckSkipsRead acknowledges.
func (f *ResponderFollower) lastBefore(p psn.PSN) psn.PSN {
	last := f.cfg.Width.Prev(p)
	for range f.r.kept.ring {
		i := f.r.kept.find(last)
		if i < 0 || f.r.kept.ring[i].verb != Read {
			break
		}
		last = f.cfg.Width.Prev(f.r.kept.ring[i].start)
	}
	return last
}

// skip drops the replies before place i: ACKs are part of what comes now, a duplicate may have been ignored. An
// interrupted READ may be resumed, and need not (RSP-7); a NAK behind it may still come. Anything else was overtaken.
func (f *ResponderFollower) skip(i uint8, p *Packet) (v Verdict) {
	q := &f.r.replies
	for i = f.mayFollow(i, p.PSN); i > 0; i-- {
		a := q.at(0)
		switch {
		case a.optional:
		case a.kind == nakReply:
			v = broken("RSP-13", "the NAK of %06Xh was not sent", uint32(a.psn))
		case a.counts() && a.psn.Diff(p.PSN) < 0:
			v = broken("RSP-13", "the response of %06Xh was not sent", uint32(a.psn))
		case a.kind >= readReply:
			f.r.kept.ring[a.slot].givenUp = true
		}
		f.r.pop()
	}
	return v
}

// mayFollow puts the NAKs and answers of PSNs behind p that stand before place i behind the reply there: they may come,
// and need not. An answer to the same READ is none: the reply there takes its place. It returns that reply's place.
func (f *ResponderFollower) mayFollow(i uint8, p psn.PSN) uint8 {
	q := &f.r.replies
	first := q.at(i)
	later := func(j uint8) bool {
		a := q.at(j)
		return j < i && a.kind != ackReply && a.psn.Diff(p) > 0 && (a.kind == nakReply || a.slot != first.slot)
	}
	moved := uint8(0)
	for j := range i {
		if later(j) {
			moved++
		}
	}
	if moved == 0 {
		return i
	}
	kept := replyQueue{nowNS: q.nowNS}
	for j := range q.count {
		if !later(j) {
			kept.push(*q.at(j))
		}
		for k := uint8(0); j == i && k < i; k++ {
			if later(k) {
				kept.push(f.left(q.at(k)))
			}
		}
	}
	f.keepReplies(&kept)
	return i - moved
}

// left is a reply that others overtook, as it may still come.
func (f *ResponderFollower) left(a *reply) reply {
	r := *a
	r.optional, r.moved = true, a.kind == nakReply
	if a.kind >= readReply {
		f.r.kept.ring[a.slot].givenUp, r.again = true, true
	}
	return r
}
