package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// RequesterFollower judges the requests of a device. It knows no WQEs: it infers each message from its packets, and why
// something is sent again from what the device had received, and holds both against the machine.
type RequesterFollower struct {
	cfg RequesterConfig
	q   Requester

	started bool
	// A device that was captured had not yet looked at everything that had arrived. seen is what was the oldest
	// unacknowledged PSN when it sent last, and run the PSN behind that packet.
	seen, run psn.PSN
	left      bool  // a retry was left at run, which was said; the device may go on there
	timerNS   int64 // when the transport timer started last
	byPacket  bool  // that was with a packet, which may have been decided BehindNs before
	rnrNS     int64 // when the RNR NAK came
	errorNS   int64 // when what ended the QP came, or the last pause behind that ended
	pauses    int   // longer than a device may take to see that
	pause     int   // the one that the last request behind the error came after; 0: none of these
	backNS    int64 // when the device went back last
	newNS     int64 // when it sent a new request last
	rnrTicks  uint64
	// rnrAskedNs is what the RNR NAK asked for, before a profile's rounding.
	rnrAskedNs uint64
	rnrCode    uint8
	cause      Rule           // of the last resume
	due        [maxDue]goBack // causes that have not been acted on, the oldest first
	dues       int
	msgs       [2 * MaxSends]sendWQE
	newest     int
	out        Batch
	told       Obligation // the last that was said to be overdue
	timer      runningOut
	repeats    repeats
	views      oldViews // none without RequesterConfig.BehindNs
	// what a bad response acknowledged goes up to it: the device released that, or dropped the response whole
	released  psn.PSN
	mayHave   bool // released is valid
	mayBeDead bool // a bad response came: the QP is in error, or the device dropped it and goes on (REQ-12)
}

// maxDue is how many causes may wait for a device that is slow to look; older ones are forgotten.
const maxDue = 8

// goBack is a reason to go back to a PSN.
type goBack struct {
	why    Rule
	psn    psn.PSN
	timeNS int64
	// met: the PSN has gone out since, in its turn. Nothing is owed any more, but what comes may still be due to it.
	met     bool
	past    bool // the PSN has been acknowledged since: the same
	pauses  int  // behind which new requests came all the same, until pauseNS
	pauseNS int64
}

// FollowRequester makes a follower. A cfg with Timeout 0 has no opinion about when the transport timer fires; MaxReads
// 0 stands for unknown here.
func FollowRequester(cfg RequesterConfig) *RequesterFollower {
	if cfg.MaxReads == 0 {
		cfg.MaxReads = 255
	}
	f := new(RequesterFollower)
	f.Restart(cfg)
	return f
}

// Received tells what reached the device's requester.
func (f *RequesterFollower) Received(timeNS int64, p *Packet) {
	f.out = f.out[:0]
	if !f.q.responds() {
		return
	}
	f.rnrCode = p.Syndrome.Code()
	was := f.q.s
	var d Decision
	f.q.decide(p, &d)
	if d.Action == ReqBadResponse && !f.cfg.Profile.BadResponseFatal {
		f.q.s, f.mayBeDead = was, true
		f.mayRelease(&d)
		return
	}
	f.overtake(&d)
	if f.cfg.BehindNs != 0 && f.q.s != was {
		f.views.keep(f.view(timeNS, was))
	}
	f.q.apply(p, &d, &f.out)
	if f.q.State == Error {
		f.errorNS = timeNS
	}
	f.note(timeNS, d.Progress())
	f.mayRetry(timeNS, p)
	if d.Why == ReqRetrying {
		f.repeats.add(d.Una, p)
	}
	if was.Retrying && f.dues > 0 && f.due[f.dues-1].timeNS == timeNS && f.cfg.Profile.NAKMayWait {
		f.due[f.dues-1].met = true
	}
}

// overtake notes which reasons to go back an acknowledgement has moved past.
func (f *RequesterFollower) overtake(d *Decision) {
	if !d.Progress() {
		return
	}
	for i := range f.dues {
		g := &f.due[i]
		g.past = g.past || g.psn.From(d.UnaBefore) < d.Una.From(d.UnaBefore)
	}
}

// note takes over what the machine made of an event; the device decides itself what goes out next. progress: the event
// acknowledged something.
func (f *RequesterFollower) note(timeNS int64, progress bool) {
	nak := false
	for i := range f.out {
		switch e := &f.out[i]; {
		case e.Kind == GoBack:
			f.owe(goBack{why: e.Why, psn: e.Packet.PSN, timeNS: timeNS})
			nak = e.Why != "TMR-1"
		case e.Kind != Arm:
		case e.Timer == RNR:
			f.rnrNS, f.rnrTicks, f.rnrAskedNs = timeNS, e.Ticks, f.cfg.Profile.rnrNs(f.rnrCode)
		case nak && !progress: // a NAK's retry may leave the timer alone (TMR-2)
		default:
			f.timerNS, f.byPacket = timeNS, false
			f.timer.moved(timeNS)
		}
	}
	f.q.next, f.q.cur = f.q.s.High, f.q.count
}

// owe notes that the device has a reason to go back.
func (f *RequesterFollower) owe(g goBack) {
	if f.dues == maxDue {
		copy(f.due[:], f.due[1:])
		f.dues--
	}
	f.due[f.dues] = g
	f.dues++
}

// settle takes the oldest reason that explains a resume at p, and forgets those before it. What was acknowledged since
// moved the place of the resume up.
func (f *RequesterFollower) settle(p psn.PSN, first psn.PSN) bool {
	for i := range f.dues {
		if g := f.due[i]; g.psn.Diff(p) <= 0 || p == first && g.psn.Diff(first) >= 0 {
			f.cause = g.why
			f.dues = copy(f.due[:], f.due[i+1:f.dues])
			return true
		}
	}
	return false
}

// meet notes that a PSN goes out again.
func (f *RequesterFollower) meet(p psn.PSN) {
	for i := range f.dues {
		f.due[i].met = f.due[i].met || f.due[i].psn == p
	}
}

// owed returns the oldest reason that has not been acted on and has not been overtaken by an acknowledgement.
func (f *RequesterFollower) owed() *goBack {
	for i := range f.dues {
		if g := &f.due[i]; !g.met && !g.past {
			return g
		}
	}
	return nil
}

// Sent offers a request that the device sent.
func (f *RequesterFollower) Sent(timeNS int64, p *Packet) Verdict {
	if info := ib.Lookup(p.Op); info == nil || info.Response || info.Transport != f.cfg.Service ||
		p.Op.Shape().Verb == NoVerb {
		return broken("OPC-1", "opcode %02Xh is no request of this service", uint8(p.Op))
	}
	if !f.started {
		f.started = true
		f.cfg.StartPSN = p.PSN
	}
	f.pause = 0
	var v Verdict
	switch behind := p.PSN.Diff(f.q.s.High); {
	case f.q.State == Error:
		v = f.afterError(timeNS, p)
	case behind == 0:
		v = f.fresh(timeNS, p)
	case behind > 0:
		v = broken("PSN-4", "PSN %06Xh skips %d", uint32(p.PSN), behind)
	default:
		v = f.again(timeNS, p)
	}
	f.seen = f.q.s.Una
	f.repeats.forget(f.seen)
	return v
}

// fresh takes a packet that was never sent before.
func (f *RequesterFollower) fresh(timeNS int64, p *Packet) Verdict {
	s := p.Op.Shape()
	v := f.mayBeFresh(timeNS, p, s)
	f.left = f.leaves()
	w, follows := f.message(p, s)
	switch {
	case !follows:
		v = broken("RSP-1", "%s does not go on with what was sent before", ib.Lookup(p.Op).Name)
	case v.Allowed(), WrongAlone(p):
		v = f.compare(w, p)
		w.torn = w.torn || WrongAlone(p) // what it is to be, and what follows on, nobody knows
	}
	f.q.s.High = f.behind(w, p)
	f.q.next = f.q.s.High
	if !f.left {
		f.run = f.q.s.High
	}
	if !reliable(f.cfg.Service) {
		f.out = f.out[:0]
		f.q.s.Una = f.q.s.High
		for f.q.count > 0 && !f.q.at(0).more {
			f.q.finish(Success, &f.out)
		}
		return v
	}
	f.startTimer(timeNS)
	f.newNS = timeNS
	f.count(p)
	return v
}

// startTimer starts the transport timer if it does not run (TMR-2).
func (f *RequesterFollower) startTimer(timeNS int64) {
	f.timer.sent(timeNS)
	if !f.q.timing && !f.q.s.Waiting {
		f.q.timing, f.timerNS, f.byPacket = true, timeNS, true
	}
}

// behind is the PSN after a packet.
func (f *RequesterFollower) behind(w *sendWQE, p *Packet) psn.PSN {
	if w.Verb == Read {
		return f.cfg.Width.Add(w.last, 1)
	}
	return f.cfg.Width.Add(p.PSN, 1)
}

// mayBeFresh holds a new packet against the limits.
func (f *RequesterFollower) mayBeFresh(timeNS int64, p *Packet, s *ib.Shape) Verdict {
	probe := sendWQE{Work: Work{Verb: s.Verb, Len: p.DMALen, WithImm: s.Imm}, ssn: f.q.ssn}
	switch {
	case f.ignores(timeNS) != nil:
		return f.ignored(timeNS)
	case f.leaves() && !f.left:
		return broken("REQ-5", "a new request before everything from %06Xh was sent again", uint32(f.run))
	case f.q.s.Waiting && !f.cfg.Profile.SendsDuringRNR && !f.mightSend(timeNS, f.isNotWaiting):
		return broken("TMR-5", "a new request while the RNR timer runs")
	case f.mayHave && f.released.From(f.q.s.Una) > 0: // more may be released than is known
	case !f.q.fits(&probe):
		return broken("PSN-5", "more than %d packets are unacknowledged", f.q.limit())
	case s.Verb.Replayed() && !f.cfg.mayRead(f.q.reads):
		return broken("REQ-9", "more than %d READs and atomics are outstanding", f.cfg.MaxReads)
	case s.First && !f.q.mayCredit(&probe) && !f.mightSend(timeNS, func() bool { return f.q.mayCredit(&probe) }):
		return broken("CRD-2", "no credit for message %d", probe.ssn)
	case s.First && probe.limited() && !f.q.credited(&probe):
		f.q.s.Probed = true
	}
	return Verdict{}
}

// message returns the message that a new packet belongs to. One that does not follow on tears the message before it,
// and begins one: a torn one if it is no First, behind which anything may begin.
func (f *RequesterFollower) message(p *Packet, s *ib.Shape) (m *sendWQE, follows bool) {
	last := &f.msgs[f.newest]
	open := last.started && last.more
	if !s.First && open && last.Verb == s.Verb {
		f.extend(last, p, s)
		*f.q.at(f.q.count - 1) = f.merged(last)
		return last, true
	}
	follows = s.First && (!open || last.torn)
	if open {
		last.more, last.torn = false, true
		*f.q.at(f.q.count - 1) = f.merged(last)
	}
	w := sendWQE{Work: Work{Verb: s.Verb, VA: p.VA, RKey: p.RKey, SwapAdd: p.SwapAdd, Compare: p.Compare, Signaled: true,
		QKey: p.QKey, FETH: p.FETH, XRCSRQ: p.XRCSRQ}, first: p.PSN, last: p.PSN, started: true, more: !s.Last,
		torn: !s.First}
	switch s.Verb {
	case Read, Write, Flush:
		w.Len = p.DMALen
	case AtomicWrite:
		w.Len = 8
	}
	if s.Verb == Read {
		w.last = f.cfg.Width.Add(p.PSN, psn.OfRead(p.DMALen, f.cfg.PMTUBytes)-1)
	}
	f.newest = (f.newest + 1) % len(f.msgs)
	f.msgs[f.newest] = w
	f.extend(&f.msgs[f.newest], p, s)
	w = f.msgs[f.newest]
	f.out = f.out[:0]
	if f.q.count < MaxSends && f.q.Post(w.Work, &f.out) {
		w.ssn = f.q.at(f.q.count - 1).ssn
		*f.q.at(f.q.count - 1) = w
		f.q.cur = f.q.count
		if w.Verb.Replayed() {
			f.q.reads++
		}
	}
	return &f.msgs[f.newest], follows
}

// extend adds a packet to the message.
func (f *RequesterFollower) extend(w *sendWQE, p *Packet, s *ib.Shape) {
	switch {
	case w.Verb != Send:
	case s.Last:
		w.Len += p.Len
	default: // whatever it is, a PMTU was meant
		w.Len += f.cfg.PMTUBytes
	}
	if w.Verb != Read {
		w.last = p.PSN
	}
	if s.Last {
		w.more, w.WithImm, w.Imm, w.Solicited, w.Invalidate = false, s.Imm, p.Imm, p.SE, s.Inv
		if s.Inv {
			w.RKey = p.RKey
		}
	}
}

// merged is the queue's entry of a message that grew.
func (f *RequesterFollower) merged(w *sendWQE) sendWQE {
	in := *f.q.at(f.q.count - 1)
	grown := *w
	grown.ssn, grown.got = in.ssn, in.got
	return grown
}

// again takes a packet that was sent before.
func (f *RequesterFollower) again(timeNS int64, p *Packet) Verdict {
	w := f.find(p.PSN)
	if w == nil {
		return broken("PSN-7", "PSN %06Xh is resent and lies outside every message that could be", uint32(p.PSN))
	}
	v := f.compare(w, p)
	if w.Verb == Read && (p.PSN != w.first || w.Len == 0) && p.Op.Shape().Verb != Read {
		v = broken("PSN-4", "%s PSN %06Xh, which is one of the READ of %06Xh to %06Xh", ib.Lookup(p.Op).Name, uint32(p.PSN),
			uint32(w.first), uint32(w.last))
	}
	if v.Allowed() && (p.PSN != f.run && !f.skips(p.PSN) || f.waitedOut(timeNS)) {
		owed, _ := f.Owed()
		v = f.resume(timeNS, w, p)
		f.backNS, f.mayBeDead, f.left = timeNS, false, false
		if v.Allowed() && owed.LatestNS != 0 && timeNS > owed.LatestNS && owed != f.told {
			v = owed.late(timeNS)
		}
	}
	f.meet(p.PSN)
	v.Cause = f.cause
	f.run = f.behind(w, p)
	f.startTimer(timeNS)
	f.count(p)
	return v
}

// waitedOut reports whether an RNR wait is over, so that what goes on goes on because of it. What is sent before that
// was on its way already.
func (f *RequesterFollower) waitedOut(timeNS int64) bool {
	return f.q.s.Waiting && uint64(timeNS-f.rnrNS) >= f.leastWaitNs()
}

// skips reports whether a retry goes on at a PSN and leaves out only what was acknowledged since (REQ-5): with A to D
// to be sent again, A sent and B acknowledged, C is next.
func (f *RequesterFollower) skips(p psn.PSN) bool {
	n := f.q.s.Una.Diff(f.run)
	return n > 0 && !f.q.s.Waiting && p.Diff(f.run) > 0 && p.Diff(f.run) <= n
}

// find returns the message, ended or not, that a PSN belongs to.
func (f *RequesterFollower) find(p psn.PSN) *sendWQE {
	for i := range f.msgs {
		w := &f.msgs[(f.newest+len(f.msgs)-i)%len(f.msgs)]
		if !w.started {
			return nil
		}
		if f.cfg.Width.Between(p, w.first) <= f.cfg.Width.Between(w.last, w.first) {
			return w
		}
	}
	return nil
}

// resume judges a jump back: where to, and why.
func (f *RequesterFollower) resume(timeNS int64, w *sendWQE, p *Packet) Verdict {
	if !f.mayResumeAt(w, p.PSN) && !f.mayHaveBelieved(timeNS, p.PSN) {
		return broken("REQ-5", "resumes at %06Xh, the oldest unacknowledged is %06Xh", uint32(p.PSN), uint32(f.q.s.Una))
	}
	if f.q.s.Waiting {
		f.cause = "TMR-4"
		if waited := uint64(timeNS - f.rnrNS); f.mayHaveRun(waited) < f.leastWaitNs() {
			if f.mightSend(timeNS, f.isNotWaiting) {
				return Verdict{} // on its way before the NAK came: the wait goes on
			}
			return broken("TMR-5", "resumes %d us after an RNR NAK that asks for %d us", waited/1000, f.rnrTicks*ib.TickNs/1000)
		}
		f.q.s.Waiting, f.dues = false, 0
		return Verdict{}
	}
	if f.settle(p.PSN, w.first) {
		return Verdict{}
	}
	v := f.byTimer(timeNS)
	if !v.Allowed() && f.repeats.settle(p.PSN, w.first, &f.cause) {
		return Verdict{}
	}
	f.cause = "TMR-1"
	switch v.Rule {
	case "TMR-1":
		return v
	case "TMR-3":
		f.q.retries = max(1, f.cfg.RetryCount) // follow
	}
	f.q.timing, f.timer.count = true, 0
	f.out = f.out[:0]
	f.q.Expire(Transport, &f.out)
	f.note(timeNS, false)
	f.dues, f.byPacket = 0, true
	return v
}

// byTimer judges a resume that nothing but the transport timer could have caused.
func (f *RequesterFollower) byTimer(timeNS int64) Verdict {
	if f.cfg.Timeout == 0 {
		return broken("TMR-1", "sent again without a cause: no NAK, and the timer is off")
	}
	least := f.cfg.Profile.timeoutTicks(f.cfg.Timeout) * ib.TickNs
	waited, enough := f.mayHaveRun(uint64(timeNS-f.timerSinceNS())), least-f.cfg.Profile.slackNs()
	idle := f.cfg.BehindNs != 0 && !f.q.Outstanding() && waited >= enough
	if idle { // no timer runs (TMR-2)
		waited = 0
	}
	if waited < enough && !f.timer.ranOut(timeNS) && !f.hadRunOut(timeNS, enough) {
		if idle {
			return broken("TMR-1", "sent again without a cause: no NAK, and no timer runs when everything is acknowledged")
		}
		return broken("TMR-1", "sent again without a cause: no NAK, and the timer had run for %d us of %d us",
			(timeNS-f.timerNS)/1000, least/1000)
	}
	if f.q.retries == 0 {
		return broken("TMR-3", "sent again after %d retries", f.cfg.RetryCount)
	}
	return Verdict{}
}

// mayResumeAt tells where a device may go back to: the oldest unacknowledged PSN, as it is or as the device may have
// believed since it last sent, or the first of that message (REQ-5, REQ-7).
func (f *RequesterFollower) mayResumeAt(w *sendWQE, p psn.PSN) bool {
	una := f.q.s.Una
	if behind := p.From(f.seen); behind >= 0 && behind <= una.From(f.seen) {
		return true
	}
	if f.mayHave && f.released.From(una) > 0 && (p == f.released || p == w.first && w.last.From(f.released) >= 0 &&
		f.released.From(p) >= 0) {
		return true
	}
	return p == w.first && (w.last.From(una) >= 0 || w.last.From(f.seen) >= 0) && una.From(p) >= 0
}

// slackNs is how far a device's clock may be off: a jiffy where timers count in jiffies.
func (f *Profile) slackNs() uint64 {
	if f.JiffyNs != 0 {
		return f.JiffyNs
	}
	return ib.TickNs
}

// leastWaitNs is how long a device must wait after the RNR NAK that it waits for. Where timers count in jiffies that is
// less than they make of it, by the jiffy that the profile's host need not have; but none runs out before the time that
// was asked for.
func (f *RequesterFollower) leastWaitNs() uint64 {
	slack := f.cfg.Profile.slackNs()
	return max(f.rnrTicks*ib.TickNs-slack, f.rnrAskedNs-ib.TickNs)
}

// count keeps how many packets went out without AckReq.
func (f *RequesterFollower) count(p *Packet) {
	f.q.quiet++
	if p.AckReq {
		f.q.quiet = 0
	}
}
