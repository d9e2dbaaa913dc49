package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// ResponderFollower judges the responses of a device. The machine says what is owed; how far ACKs are coalesced is read
// from the PSN of the ACK that comes, what a READ or atomic returns is taken from the device the first time.
type ResponderFollower struct {
	cfg ResponderConfig
	r   Responder
	// acked is the highest PSN that a response acknowledged, ackedMSN what it said of messages.
	acked    psn.PSN
	ackedMSN uint32
	counted  [maxCounted]counted
	base     uint32 // the device's MSN where the follower's is 0, for what is said of it
	miscount int32  // how far the device's count was off when that was said, as long as it may be so still
	places   places
	gap      gapTalk
	unkept   bool // a sequence NAK may come that found no place among the replies
	over     bool // the last response was a First or Middle where its READ ends
	dead     bool // a NAK that ends the connection was sent
	out      Batch
}

// maxCounted is how many requests back the count of messages is known.
const maxCounted = 128

// counted is how many messages had been completed with the request that ends at a PSN.
type counted struct {
	psn   psn.PSN
	msn   uint32
	valid bool
}

// gapTalk is what makes a device say again what it misses, or not (RSP-2, PSN-2).
type gapTalk struct {
	dup    bool // a duplicate has come, and no request out of sequence since
	behind bool // since the device sent something a duplicate has come, and something behind it
	sent   bool // since the device sent something a duplicate has come
	unsure bool // a request with PSN = ePSN - 2^23 has come: a device may have taken it for one behind the gap
}

// FollowResponder makes a follower. With cfg.Open a refusal that depends on what only the device knows is allowed, and
// so is an answer to what an older READ or atomic than MaxKept may have been.
func FollowResponder(cfg ResponderConfig) *ResponderFollower {
	if cfg.Open {
		cfg.MaxReads, cfg.Access = MaxKept, RemoteRead|RemoteWrite|RemoteAtomic|FlushGlobal|FlushPersistent
	}
	cfg.follows = true
	cfg.Profile.DupKeepsNAK = true // what a device may say behind a duplicate is an answer that it may leave out
	f := &ResponderFollower{cfg: cfg}
	f.r = NewResponder(&f.cfg)
	f.acked = cfg.Width.Prev(cfg.StartPSN)
	return f
}

// PostReceive reports whether the device was given a receive WQE.
func (f *ResponderFollower) PostReceive(w Receive) bool { return f.r.PostReceive(w) }

// SetState tells which state the device's QP is in.
func (f *ResponderFollower) SetState(s QPState) { f.r.State = s }

// Received tells what reached the device's responder.
func (f *ResponderFollower) Received(p *Packet) {
	f.out = f.out[:0]
	if !reliable(f.cfg.Service) || !f.r.receives() {
		f.r.Step(p, &f.out)
		return
	}
	f.gap.behind = f.gap.behind || f.gap.sent
	switch d := p.PSN.Diff(f.r.ePSN); {
	case d == 0:
		f.gap = gapTalk{}
		f.resume(p)
		f.places.note(place{p.PSN, f.r.open, f.r.write}, f.acked)
		f.r.Step(p, &f.out)
		f.noteCount(p)
	case d > 0:
		f.beyond(p)
	case d == -psn.Half:
		f.oldest(p)
		f.gap.dup, f.gap.sent = true, true
	default:
		f.r.Step(p, &f.out)
		f.gap.dup, f.gap.sent = true, true
	}
}

// noteCount keeps how many messages had ended with a request that was taken. In a profile where one with a bad
// invalidate does not end and is acknowledged all the same, such a one need not be among them.
func (f *ResponderFollower) noteCount(p *Packet) {
	if f.r.ePSN == p.PSN {
		return
	}
	end, msn := f.cfg.Width.Prev(f.r.ePSN), f.r.msn
	if p.Op.Shape().Inv && f.cfg.Open && f.cfg.Profile.BadInvalidateAcked {
		msn = uint32(psn.New(msn - 1))
	}
	f.counted[uint32(end)%maxCounted] = counted{end, msn, true}
}

// beyond takes a request behind a gap. Where a duplicate has come since, a device may say again what it misses, or not
// (RSP-2).
func (f *ResponderFollower) beyond(p *Packet) {
	q := &f.r.replies
	said, before := f.r.nakSent || f.r.rnrSent, q.count
	f.r.Step(p, &f.out)
	switch {
	case q.count > before:
		q.at(before).optional = f.gap.unsure
	case said && f.gap.dup:
		f.mayNAK()
	}
	f.gap.dup = false
}

// oldest takes a request with PSN = ePSN - 2^23: a duplicate, and for a device that reads PSN-2 literally one behind a
// gap. It may be answered, NAKed or left alone.
func (f *ResponderFollower) oldest(p *Packet) {
	q := &f.r.replies
	before, last := q.count, reply{}
	if before > 0 {
		last = *q.at(before - 1)
	}
	f.r.Step(p, &f.out)
	switch {
	case q.count > before:
		q.at(before).optional = true
	case before > 0:
		*q.at(before - 1) = last // the answer was made one with that
	}
	f.gap.unsure = true
	f.mayNAK()
}

// maxOptional is how many answers may wait that a device may leave out, so that they never take the room of others.
const maxOptional = 64

// mayNAK lets a device send a sequence NAK, or not.
func (f *ResponderFollower) mayNAK() {
	q, waiting := &f.r.replies, 0
	for i := range q.count {
		if q.at(i).optional {
			waiting++
		}
	}
	f.unkept = f.unkept && waiting > 0
	switch {
	case waiting >= maxOptional || q.full():
		f.unkept = true
	default:
		q.push(reply{kind: nakReply, psn: f.r.ePSN, syndrome: ib.NAKSequence, msn: f.r.msn, optional: true})
	}
}

// mayRepeat does so where a duplicate came before the device said that it misses something, which was taken for good
// here.
func (f *ResponderFollower) mayRepeat() {
	if f.gap.behind {
		f.mayNAK()
	}
}

// due returns the first answer that may not be left out, nil if there is none.
func (f *ResponderFollower) due() *reply {
	for i := range f.r.replies.count {
		if a := f.r.replies.at(i); !a.optional {
			return a
		}
	}
	return nil
}

// Owed returns the PSN of what must be answered next, and the rule that says so; false when nothing is.
func (f *ResponderFollower) Owed() (psn.PSN, Rule, bool) {
	a := f.due()
	if a == nil {
		return 0, "", false
	}
	o := f.obligation(a)
	return o.PSN, o.Rule, true
}

// Sent offers a response that the device sent.
func (f *ResponderFollower) Sent(p *Packet) (v Verdict) {
	info := ib.Lookup(p.Op)
	if info == nil || !info.Response {
		return broken("OPC-1", "opcode %02Xh is no response", uint8(p.Op))
	}
	late := f.inTime(p)
	f.over = false
	switch {
	case f.dead:
		return broken("RSP-15", "%s of %06Xh behind the NAK that ended the connection", ib.Lookup(p.Op).Name, uint32(p.PSN))
	case info.Operation == ib.AtomicAck:
		v = f.atomic(p)
	case info.Operation != ib.Ack:
		v = f.read(p, info.Operation)
	case p.Syndrome.Kind() == ib.KindAck:
		v = f.ack(p)
	default:
		v = f.nak(p)
	}
	f.gap.sent, f.gap.behind = false, false
	f.dead = v.Allowed() && p.Answer() == FatalAnswer
	f.turn()
	if v.Allowed() {
		v = late
	}
	return v
}

// Dead reports whether the device has sent a NAK that ends the connection: it answers nothing any more (RSP-15).
func (f *ResponderFollower) Dead() bool { return f.dead }

// RunsOver reports whether the last response was a First or Middle where the READ ends: what follows is of no READ.
func (f *ResponderFollower) RunsOver() bool { return f.over }

// ack judges a positive acknowledgement: of something that came, not before what it may not overtake (RSP-13), not
// behind what was said before (RSP-5, CRD-4), and not inside a READ that was interrupted (RSP-5, RSP-7).
func (f *ResponderFollower) ack(p *Packet) Verdict {
	exact, early := f.owesAck(p.PSN)
	switch {
	case p.PSN.Diff(f.r.ePSN) >= 0 && !exact:
		return broken("RSP-13", "acknowledges %06Xh, the next expected is %06Xh", uint32(p.PSN), uint32(f.r.ePSN))
	case p.PSN.Diff(f.acked) < 0 && early:
		f.dropFirst(func(a *reply) bool { return a.kind == ackReply && a.again })
		return f.msn(p)
	case p.PSN.Diff(f.acked) < 0 && !exact:
		v := broken("RSP-5", "acknowledges %06Xh, but %06Xh was acknowledged before", uint32(p.PSN), uint32(f.acked))
		f.dropFirst(func(a *reply) bool { return a.kind == ackReply })
		return v
	}
	inside := f.r.kept.around(p.PSN) && p.PSN != f.acked && !(exact && f.cfg.Profile.DupAckSkipsRead)
	v := f.acknowledge(p, exact)
	if v.Allowed() && inside {
		v = broken("RSP-5", "acknowledges %06Xh inside a READ that is not answered to its end", uint32(p.PSN))
	}
	if v.Allowed() && early && !exact {
		f.dropFirst(func(a *reply) bool { return a.kind == ackReply && a.again })
	}
	f.advance(p)
	return v
}

// owesAck reports whether an ACK with a PSN is owed, and whether one of a duplicate is that may leave at once with it:
// the PSN before the oldest READ or atomic that is not answered (RSP-5).
func (f *ResponderFollower) owesAck(p psn.PSN) (exact, early bool) {
	again := false
	for i := range f.r.replies.count {
		if a := f.r.replies.at(i); a.kind == ackReply {
			exact, again = exact || a.psn == p, again || a.again
		}
	}
	if e := f.r.unanswered(f.r.ePSN); e != nil {
		early = again && p == f.cfg.Width.Prev(e.start)
	}
	return exact, early
}

// acknowledge takes away what an ACK settles.
func (f *ResponderFollower) acknowledge(p *Packet, exact bool) Verdict {
	v, q := f.msn(p), &f.r.replies
	for q.count > 0 {
		a := q.at(0)
		if a.optional && a.kind == nakReply && exact { // the ACK that is owed stands behind it
			nak := *a
			nak.moved = true
			f.r.pop()
			q.push(nak)
			continue
		}
		if a.psn.Diff(p.PSN) > 0 {
			break
		}
		if a.kind == nakReply && !a.optional && v.Allowed() {
			rule := RuleOfMissing(&Packet{Op: p.Op, Syndrome: a.syndrome})
			v = broken(rule, "the NAK of %06Xh was not sent", uint32(a.psn))
		}
		if f.saidBefore(a) {
			return f.settleBehind(p, v)
		}
		if a.kind >= readReply && !a.optional { // its response may still come
			if v.Allowed() {
				v = f.overtakes(p, a)
			}
			return f.settleBehind(p, v)
		}
		named := a.kind == ackReply && a.psn == p.PSN
		f.r.pop()
		if named && f.cfg.Profile.AckPerRequest {
			break
		}
		exact = exact && !named // a NAK behind it may still come
	}
	return v
}

func (f *ResponderFollower) overtakes(p *Packet, a *reply) Verdict {
	return broken("RSP-13", "acknowledges %06Xh before the response of %06Xh is sent", uint32(p.PSN), uint32(a.psn))
}

// overtaken reports whether an ACK was sent before an answer that it may not overtake. That has been said, and the
// answer may count fewer messages.
func (a *reply) overtaken() bool { return a.optional && a.counts() }

// saidBefore reports whether a reply repeats an answer that was given to its end, or given up: an ACK of a duplicate
// before it names the most recent completed request, and so lies beyond it (RSP-5), and nothing behind an answer that
// was given up need wait for it (RSP-7).
func (f *ResponderFollower) saidBefore(a *reply) bool {
	if a.kind < readReply || !a.again || a.optional {
		return false
	}
	e := &f.r.kept.ring[a.slot]
	return !e.open || e.givenUp
}

// settleBehind is what an ACK settles behind a repeated answer, which is still to come: ACKs there may be one with it.
func (f *ResponderFollower) settleBehind(p *Packet, v Verdict) Verdict {
	for i := range f.r.replies.count {
		a := f.r.replies.at(i)
		switch {
		case a.psn.Diff(p.PSN) > 0 || a.kind == nakReply:
			return v
		case f.saidBefore(a), a.optional:
			continue
		case a.kind >= readReply && v.Allowed():
			v = f.overtakes(p, a)
		}
		a.optional = true
	}
	return v
}

// dropFirst forgets the first reply of which something is true: the device answered it in a way of its own. It reports
// whether there was one.
func (f *ResponderFollower) dropFirst(is func(*reply) bool) (dropped bool) {
	q := &f.r.replies
	kept := replyQueue{nowNS: q.nowNS}
	for i := uint8(0); i < q.count; i++ {
		if a := q.at(i); dropped || !is(a) {
			kept.push(*a)
		} else {
			dropped = true
		}
	}
	if dropped {
		f.keepReplies(&kept)
	}
	return dropped
}

// keepReplies puts another queue in place of what is owed.
func (f *ResponderFollower) keepReplies(q *replyQueue) {
	f.r.replies = *q
	f.r.inFlight = q.reads()
}

// read judges a READ response against the READ that it continues, and the place in the order of answers.
func (f *ResponderFollower) read(p *Packet, op ib.Operation) Verdict {
	if i, found := f.readAt(p.PSN, op); found {
		v := f.skip(i, p)
		a := f.r.replies.at(0)
		want := ReadOperation(!a.resumed, a.left <= f.cfg.PMTUBytes)
		switch {
		case p.Len != min(a.left, f.cfg.PMTUBytes):
			v = broken("LEN-1", "a READ response of %d bytes, %d are left", p.Len, a.left)
		case op != want:
			v = broken("RSP-7", "%s in place of %s", ib.Lookup(p.Op).Name, ib.Lookup(ib.Join(f.cfg.Service, want)).Name)
		case op != ib.ReadResponseMid && v.Allowed() && !a.overtaken():
			v = f.msn(p)
		}
		f.over = a.left <= f.cfg.PMTUBytes && (op == ib.ReadResponseFirst || op == ib.ReadResponseMid)
		f.out = f.out[:0]
		f.r.nextOfRead(a, &f.out)
		if op == ib.ReadResponseMid {
			f.acked = maxPSN(f.acked, p.PSN)
		} else {
			f.advance(p)
		}
		return v
	}
	if f.forgot(p.PSN) {
		return Verdict{}
	}
	if due := f.skipped(p.PSN); due != nil {
		return broken("RSP-7", "a READ response of %06Xh, and that of %06Xh was not sent", uint32(p.PSN), uint32(due.psn))
	}
	return broken("RSP-7", "a READ response of %06Xh that no READ waits for", uint32(p.PSN))
}

// skipped returns the READ that a PSN belongs to and whose next response comes before it, if there is one.
func (f *ResponderFollower) skipped(p psn.PSN) *reply {
	for i := range f.r.replies.count {
		a := f.r.replies.at(i)
		behind := p.Diff(a.psn)
		if a.kind == readReply && behind > 0 && uint64(behind)*uint64(f.cfg.PMTUBytes) < uint64(a.left) {
			return a
		}
	}
	return nil
}

// readAt returns the place of the READ that a response goes on with, the first whose turn has its kind: one that was
// interrupted and the one that asks for the rest of it may wait at the same PSN. One that was not begun is asked for
// again by the other.
func (f *ResponderFollower) readAt(p psn.PSN, op ib.Operation) (place uint8, found bool) {
	best := 0
	for i := range f.r.replies.count {
		a := f.r.replies.at(i)
		if a.kind != readReply || a.psn != p {
			continue
		}
		fit := 1
		if op == ReadOperation(!a.resumed, a.left <= f.cfg.PMTUBytes) {
			fit = 3
			if a.optional && !a.resumed {
				fit = 2
			}
		}
		if fit > best {
			place, best = i, fit
		}
	}
	return place, best > 0
}

// atomicAt returns the place of the atomic that a response is to.
func (f *ResponderFollower) atomicAt(p psn.PSN) (place uint8, found bool) {
	for i := range f.r.replies.count {
		a := f.r.replies.at(i)
		if a.kind == atomicReply && a.psn == p && (!found || !a.optional) {
			if place, found = i, true; !a.optional {
				break
			}
		}
	}
	return place, found
}

// forgot reports whether a device may keep what was at a PSN, and the follower does not (RSP-8).
func (f *ResponderFollower) forgot(p psn.PSN) bool {
	return f.cfg.Open && f.r.kept.older(f.cfg.Width, p, f.r.ePSN)
}

func maxPSN(a, b psn.PSN) psn.PSN {
	if b.Diff(a) > 0 {
		return b
	}
	return a
}

// atomic judges the answer to an atomic. Its value is the device's the first time, and must stay the same (RSP-8).
func (f *ResponderFollower) atomic(p *Packet) Verdict {
	if i, found := f.atomicAt(p.PSN); found {
		v := f.skip(i, p)
		a := f.r.replies.at(0)
		switch {
		case a.waits:
			f.r.Result(a.slot, p.Original)
		case a.original != p.Original:
			v = broken("RSP-8", "the replay of an atomic returns %d, it returned %d", p.Original, a.original)
		}
		if v.Allowed() && !a.overtaken() {
			v = f.msn(p)
		}
		f.r.answered(a)
		f.r.pop()
		f.advance(p)
		return v
	}
	if f.forgot(p.PSN) {
		return Verdict{}
	}
	return broken("RSP-8", "an atomic response of %06Xh that no atomic waits for", uint32(p.PSN))
}
