package roce

import "hcacosim/model/psn"

// A device with a pipeline decides a packet some time before it leaves. What arrives in between is too late for that
// packet, though an earlier one may have left behind the arrival: with RequesterConfig.BehindNs at 1,000 a resend that
// leaves 300 ns behind the ACK of its PSN, and behind another packet, is as right as before.

// oldViews are what a requester believed before the latest responses.
type oldViews struct {
	list    []oldView
	next    int
	lost    bool  // one made room for a later one
	untilNS int64 // when that one ended, with lost
}

// maxOldViews is how many are kept: the latest. What only an older one could allow is not known, and so allowed.
const maxOldViews = 64

// oldView is what it believed until a response came.
type oldView struct {
	untilNS int64
	una     psn.PSN
	state   RequesterState
	timerNS int64 // when its transport timer had started; meaningful with timing
	timing  bool
}

// keep notes what an acknowledgement ended.
func (o *oldViews) keep(v oldView) {
	if len(o.list) < maxOldViews {
		o.list = append(o.list, v)
		return
	}
	o.lost, o.untilNS = true, o.list[o.next].untilNS
	o.list[o.next] = v
	o.next = (o.next + 1) % maxOldViews
}

// forgot reports whether more views ended within the last behindNs than are kept.
func (o *oldViews) forgot(nowNS int64, behindNs uint64) bool {
	return o.lost && uint64(nowNS-o.untilNS) <= behindNs
}

// may reports whether what a device believed within the last behindNs, then or until then, allows a resume.
func (o *oldViews) may(nowNS int64, behindNs uint64, allows func(v *oldView) bool) bool {
	if o.forgot(nowNS, behindNs) {
		return true
	}
	for i := range o.list {
		v := &o.list[i]
		if uint64(nowNS-v.untilNS) <= behindNs && allows(v) {
			return true
		}
	}
	return false
}

func (f *RequesterFollower) isNotWaiting() bool { return !f.q.s.Waiting }

// view is what the device believed until now, if it had looked at all that came.
func (f *RequesterFollower) view(untilNS int64, was RequesterState) oldView {
	return oldView{untilNS: untilNS, una: was.Una, state: was, timerNS: f.timerSinceNS(), timing: f.q.timing}
}

// timerSinceNS is when the transport timer may have started: with the decision to send a packet, or with a response.
func (f *RequesterFollower) timerSinceNS() int64 {
	if f.byPacket {
		return f.timerNS - int64(f.cfg.BehindNs)
	}
	return f.timerNS
}

// mightSend reports whether, by what it believed within BehindNs, the device might send a new packet: an RNR wait or
// credits came too late for it (TMR-5, CRD-2).
func (f *RequesterFollower) mightSend(timeNS int64, allows func() bool) bool {
	now := f.q.s
	defer func() { f.q.s = now }()
	return f.views.may(timeNS, f.cfg.BehindNs, func(v *oldView) bool {
		f.q.s = now
		f.q.s.Waiting, f.q.s.LSN, f.q.s.Known, f.q.s.Unlimited = v.state.Waiting, v.state.LSN, v.state.Known,
			v.state.Unlimited
		return allows()
	})
}

// mayHaveBelieved reports whether a PSN was, within BehindNs, the oldest unacknowledged one or behind it.
func (f *RequesterFollower) mayHaveBelieved(timeNS int64, p psn.PSN) bool {
	una := f.q.s.Una
	return una.From(p) >= 0 && f.views.may(timeNS, f.cfg.BehindNs, func(v *oldView) bool {
		return p.From(v.una) >= 0
	})
}

// hadRunOut reports whether the transport timer had run out, within BehindNs, before an acknowledgement stopped it.
func (f *RequesterFollower) hadRunOut(timeNS int64, leastNs uint64) bool {
	return f.views.may(timeNS, f.cfg.BehindNs, func(v *oldView) bool {
		return v.timing && f.mayHaveRun(uint64(v.untilNS-v.timerNS)) >= leastNs
	})
}

// seesErrorNs is how long a device may take to see what ends its QP, where software looks (REQ-4).
const seesErrorNs = 20_000_000

// afterError allows what was under way when the device had not yet seen the NAK. On the wire nobody knows when it came.
// A pause is told of twice: the clock may have been set in one of the two.
func (f *RequesterFollower) afterError(timeNS int64, p *Packet) Verdict {
	if p.PSN != f.run {
		return broken("REQ-4", "a request after an error that ends the QP")
	}
	f.run = f.cfg.Width.Add(p.PSN, 1)
	paused := timeNS - f.errorNS
	if f.cfg.BehindNs == 0 || uint64(paused) <= max(seesErrorNs, f.cfg.BehindNs) || f.pauses >= 2 {
		return Verdict{}
	}
	f.errorNS = timeNS
	f.pauses++
	if f.pause = f.pauses; f.pause == 1 {
		return broken("REQ-4", "a request %d us after an error that ends the QP", paused/1000)
	}
	return broken("REQ-4", "and more %d us later, after an error that ends the QP", paused/1000)
}

// ignores returns the sequence NAK that a new request comes too long behind: the device has not gone back. As behind an
// error, a pause is told of twice.
func (f *RequesterFollower) ignores(timeNS int64) *goBack {
	g := f.owed()
	if f.cfg.BehindNs == 0 || g == nil || g.why != "REQ-4" || g.pauses >= 2 ||
		uint64(timeNS-max(g.timeNS, g.pauseNS)) <= max(seesErrorNs, f.cfg.BehindNs) {
		return nil
	}
	return g
}

func (f *RequesterFollower) ignored(timeNS int64) Verdict {
	g := f.ignores(timeNS)
	waited := (timeNS - g.timeNS) / 1000
	g.pauseNS = timeNS
	g.pauses++
	f.pause = g.pauses
	return broken("REQ-4", "a new request %d us after a sequence NAK of %06Xh, to which the device has not gone back",
		waited, uint32(g.psn))
}

// Pause is which pause behind an error, or behind a sequence NAK, the last request came after that was found too late
// (REQ-4); 0: none, it is wrong for another reason.
func (f *RequesterFollower) Pause() int { return f.pause }

// leaves reports whether a new packet would leave a retry before its end.
func (f *RequesterFollower) leaves() bool {
	return f.run != f.q.s.High && f.q.Outstanding() && f.run.From(f.q.s.Una) >= 0 && f.dues == 0
}
