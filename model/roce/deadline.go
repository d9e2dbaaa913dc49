package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Obligation is something that a device still has to send.
type Obligation struct {
	PSN      psn.PSN
	Rule     Rule  // what asks for it
	SinceNS  int64 // when its turn came: nothing before it was owed any more
	LatestNS int64 // when it must have been sent; 0: nothing says so
}

// overdue is the verdict on an obligation that was not met.
func (o *Obligation) overdue(nowNS int64) Verdict {
	return broken(o.Rule, "%06Xh is owed and was never answered: %d us have passed, at most %d us may", uint32(o.PSN),
		(nowNS-o.SinceNS)/1000,
		(o.LatestNS-o.SinceNS)/1000)
}

// late is the verdict on an obligation that was met behind its time.
func (o *Obligation) late(nowNS int64) Verdict {
	return broken(o.Rule, "%06Xh was answered too late: after %d us, at most %d us may pass", uint32(o.PSN),
		(nowNS-o.SinceNS)/1000,
		(o.LatestNS-o.SinceNS)/1000)
}

// Now tells when what follows happens. A follower that is not told judges no time.
func (f *ResponderFollower) Now(timeNS int64) { f.r.replies.nowNS = timeNS }

// Obligations calls each with everything that the device owes, in the order in which it must leave.
func (f *ResponderFollower) Obligations(each func(Obligation)) {
	for i := range f.r.replies.count {
		if a := f.r.replies.at(i); !a.optional {
			each(f.obligation(a))
		}
	}
}

func (f *ResponderFollower) obligation(a *reply) Obligation {
	o := Obligation{PSN: a.psn, Rule: "RSP-7", SinceNS: a.sinceNS}
	switch a.kind {
	case ackReply:
		o.Rule = "RSP-13"
	case nakReply:
		o.Rule = "RSP-2"
	case atomicReply:
		o.Rule = "RSP-8"
	}
	if f.cfg.AnswerWithinNs != 0 && a.sinceNS != 0 {
		o.LatestNS = a.sinceNS + int64(f.cfg.AnswerWithinNs)
	}
	return o
}

// Overdue says at a time that nothing happened what should have been sent by then, once for each obligation.
func (f *ResponderFollower) Overdue(timeNS int64) Verdict {
	a := f.due()
	if a == nil {
		return Verdict{}
	}
	o := f.obligation(a)
	if a.told || o.LatestNS == 0 || timeNS <= o.LatestNS {
		return Verdict{}
	}
	a.told = true
	return o.overdue(timeNS)
}

// inTime judges when a response comes that settles what is owed first.
func (f *ResponderFollower) inTime(p *Packet) Verdict {
	a, nowNS := f.due(), f.r.replies.nowNS
	if a == nil || a.told || p.PSN.Diff(a.psn) < 0 {
		return Verdict{}
	}
	if o := f.obligation(a); o.LatestNS != 0 && nowNS > o.LatestNS {
		return o.late(nowNS)
	}
	return Verdict{}
}

// turn starts the time of what is owed first after a response: it had to wait for that one (RSP-13).
func (f *ResponderFollower) turn() {
	if a := f.due(); a != nil {
		a.sinceNS, a.told = f.r.replies.nowNS, false
	}
}

// Owed returns what the device has to send again: after an RNR wait, because of a NAK or a gap, or when the transport
// timer runs out. It is false when it has to send nothing. A device whose retries are used up may go to error and say
// nothing, and so may one that a bad response reached (REQ-12). One whose RNR wait progress ended may wait its time all
// the same (TMR-5).
func (f *RequesterFollower) Owed() (o Obligation, owed bool) {
	q, within := &f.q, int64(f.cfg.ResumeWithinNs)
	if q.State != RTS || !q.Outstanding() || f.mayBeDead {
		return o, false
	}
	o.PSN = q.s.Una
	var rnrNS int64 // by when a device that keeps its RNR wait, whatever ended it, must have sent
	if f.rnrTicks != 0 {
		rnrNS = f.rnrNS + f.cfg.Profile.latestNs(f.rnrTicks*ib.TickNs) + within
	}
	switch g := f.owed(); {
	case q.s.Waiting:
		o.Rule, o.SinceNS = "TMR-4", f.rnrNS
		o.LatestNS = rnrNS
	case g != nil:
		o.PSN, o.Rule, o.SinceNS = g.psn, g.why, g.timeNS
		o.LatestNS = max(rnrNS, o.SinceNS+within)
	case f.cfg.Timeout != 0 && q.timing:
		// A device that has just gone back, because of a NAK or on its own, may have started its timer with that.
		o.Rule, o.SinceNS = "TMR-1", max(f.timerNS, f.backNS)
		if f.cfg.Profile.SendsMayRestart {
			o.SinceNS = max(o.SinceNS, f.newNS)
		}
		o.LatestNS = max(rnrNS, o.SinceNS+f.cfg.Profile.latestTimeoutNs(f.cfg.Timeout)+int64(f.cfg.BusyNs)+within)
		if q.retries == 0 && !(f.cfg.RetryCount == 7 && f.cfg.Profile.RetryForever7) {
			o.LatestNS = 0
		}
	}
	if within == 0 {
		o.LatestNS = 0
	}
	return o, true
}

// Overdue says at a time that nothing happened what should have been sent again by then, once for each obligation.
func (f *RequesterFollower) Overdue(timeNS int64) Verdict {
	o, owed := f.Owed()
	if !owed || o.LatestNS == 0 || timeNS <= o.LatestNS || o == f.told {
		return Verdict{}
	}
	f.told = o
	return o.overdue(timeNS)
}

// latestTimeoutNs is when a transport timer must have run out: 4T (TMR-1). Timers that count in jiffies run out within
// one more; the wheel that holds them is coarser beyond 63 jiffies.
func (f *Profile) latestTimeoutNs(code uint8) int64 {
	if f.JiffyNs == 0 {
		return int64(4 * ib.TimeoutNs(code))
	}
	return f.latestNs(f.roundedTicks(code) * ib.TickNs)
}

// latestNs is when a timer for a time must have run out.
func (f *Profile) latestNs(ns uint64) int64 {
	if f.JiffyNs == 0 {
		return int64(ns)
	}
	jiffies := ns/f.JiffyNs + 1
	if jiffies > 63 {
		jiffies = (jiffies + 7) / 8 * 8
	}
	return int64(jiffies * f.JiffyNs)
}
