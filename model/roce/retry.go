package roce

import (
	"hcacosim/model/ib"
)

// Decides REQ-5, REQ-8, TMR-1, TMR-2 and TMR-4.

// notReady takes an RNR NAK: go back to its PSN and wait (REQ-4, TMR-4).
func (q *Requester) notReady(d *Decision, out *Batch) {
	if q.rnrRetries == 0 {
		q.s.Waiting = false // the timer never started
		q.fail(ReqRNR.Exceeded(), "TMR-4", out)
		return
	}
	if q.cfg.RNRRetry != 7 {
		q.rnrRetries--
	}
	q.goBack("TMR-4", out)
	q.stop(out)
	out.add(Effect{Kind: Arm, Timer: RNR, Ticks: q.cfg.Profile.rnrTicks(d.Syndrome.Code())})
}

// again spends a retry and goes back to the oldest unacknowledged PSN, or gives up: an atomic that ends so may have
// been executed or not (REQ-8).
func (q *Requester) again(why Rule, out *Batch) {
	if q.retries == 0 {
		q.fail(ReqTimer.Exceeded(), "TMR-3", out)
		return
	}
	p := &q.cfg.Profile
	if forever := p.AdaptiveTimer || p.RetryForever7 && q.cfg.RetryCount == 7; !forever {
		q.retries--
	}
	q.goBack(why, out)
	q.run(out)
}

// goBack makes the oldest unacknowledged packet, or the first of its message, the next to go out (REQ-5). A READ asks
// for what is missing, or for everything again (REQ-7). What comes behind follows.
func (q *Requester) goBack(why Rule, out *Batch) {
	q.next = q.s.Una
	q.cur = 0
	w := q.at(0)
	if w.Verb == Read && q.cfg.Profile.WholeRead || w.Verb != Read && q.cfg.Profile.MessageRestart {
		q.next = w.first
	}
	out.add(Effect{Kind: GoBack, Why: why, Packet: Packet{PSN: q.next}})
}

// Expire tells the machine that a timer ran out.
func (q *Requester) Expire(t Timer, out *Batch) {
	switch {
	case !q.responds():
	case t == RNR:
		d := q.s.GoOn()
		if d.Action == ReqGoesOn {
			q.run(out)
		}
	case q.timing:
		q.timing = false
		if d := q.s.Retry(); d.Action == ReqTimer {
			q.again("TMR-1", out)
		}
	}
}

// restart starts the transport timer behind progress and behind a wait that it ended; it stops where nothing is
// outstanding (TMR-2, TMR-5).
func (q *Requester) restart(out *Batch) {
	switch {
	case q.s.Waiting:
	case q.Outstanding() && q.cfg.Timeout != 0:
		q.arm(out)
	case !q.cfg.Profile.TimerRunsOut:
		q.stop(out)
	}
}

// run starts the transport timer, unless its code is off (TMR-1).
func (q *Requester) run(out *Batch) {
	if q.cfg.Timeout != 0 {
		q.arm(out)
	}
}

// arm starts or restarts the transport timer.
func (q *Requester) arm(out *Batch) {
	q.timing = true
	out.add(Effect{Kind: Arm, Timer: Transport, Ticks: q.cfg.timeoutTicks()})
}

// stop stops the transport timer.
func (q *Requester) stop(out *Batch) {
	if q.timing {
		q.timing = false
		out.add(Effect{Kind: Disarm, Timer: Transport})
	}
}

// timeoutTicks is the transport timer in ticks (TMR-1, TMR-6).
func (c *RequesterConfig) timeoutTicks() uint64 {
	if c.Profile.TimerAddsBusy {
		return ib.Ticks(ib.TimeoutNs(c.Timeout) + c.BusyNs)
	}
	return c.Profile.roundedTicks(c.Timeout)
}

// adaptiveTicks is the least that an adaptive timer takes: 4,000 ns, rounded down.
const adaptiveTicks = 4_000 / ib.TickNs

// timeoutTicks is the least that the transport timer takes, in ticks without a busy time.
func (f *Profile) timeoutTicks(code uint8) uint64 {
	if f.AdaptiveTimer && code != 0 {
		return adaptiveTicks
	}
	return f.roundedTicks(code)
}

// roundedTicks is the transport timer in ticks without a busy time, where it does not adapt.
func (f *Profile) roundedTicks(code uint8) uint64 {
	ns := ib.TimeoutNs(code)
	if f.JiffyNs != 0 {
		ns = max(1, ns/f.JiffyNs) * f.JiffyNs
	}
	return ib.Ticks(ns)
}

// rnrNs is what a code asks for by the device's table.
func (f *Profile) rnrNs(code uint8) uint64 {
	if f.RNRTypo && code == 25 {
		return 61_410_000
	}
	return ib.RNRTimerNs(code)
}

// rnrTicks is the wait that an RNR NAK asks for, in ticks.
func (f *Profile) rnrTicks(code uint8) uint64 {
	ns := f.rnrNs(code)
	if f.JiffyNs != 0 {
		ns = (ns + f.JiffyNs - 1) / f.JiffyNs * f.JiffyNs
	}
	return ib.Ticks(ns)
}
