package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// runningOut is a device's transport timer that nothing stops when everything is acknowledged (Profile.TimerRunsOut,
// TMR-2): armed by a request where none is pending, moved by a response while something is outstanding. When it runs
// out nobody sees, so that it may have started at several times.
type runningOut struct {
	leastNS, latestNS int64 // 0: the device has no such timer
	starts            [8]int64
	count             int
}

func newRunningOut(cfg *RequesterConfig) (t runningOut) {
	p := &cfg.Profile
	if p.TimerRunsOut && cfg.Timeout != 0 {
		slack := int64(p.slackNs() + cfg.StampNs)
		t.leastNS = int64(p.timeoutTicks(cfg.Timeout)*ib.TickNs) - slack
		t.latestNS = p.latestTimeoutNs(cfg.Timeout) + int64(cfg.BusyNs) + slack
	}
	return t
}

// mayHaveRun is how long a time may have been of which the stamps say waited. One that goes back stays what it is.
func (f *RequesterFollower) mayHaveRun(waited uint64) uint64 {
	return max(waited, waited+f.cfg.StampNs)
}

// moved: a response starts it again.
func (t *runningOut) moved(timeNS int64) { t.starts[0], t.count = timeNS, 1 }

// sent: a request starts it, if it may have run out.
func (t *runningOut) sent(timeNS int64) {
	if t.latestNS == 0 {
		return
	}
	kept, pending := 0, false
	for _, start := range t.starts[:t.count] {
		if timeNS-start <= t.latestNS {
			t.starts[kept] = start
			kept++
			pending = pending || timeNS-start < t.leastNS
		}
	}
	t.count = kept
	if !pending {
		t.count = min(kept+1, len(t.starts))
		t.starts[t.count-1] = timeNS
	}
}

// ranOut reports whether it may have run out just now.
func (t *runningOut) ranOut(timeNS int64) bool {
	for _, start := range t.starts[:t.count] {
		if ran := timeNS - start; t.latestNS != 0 && ran >= t.leastNS && ran <= t.latestNS {
			return true
		}
	}
	return false
}

// repeats are responses that tell of a gap again while its retry is under way: a device may start a retry for each, and
// need not (TMR-3).
type repeats struct {
	psn   psn.PSN
	cause Rule
	count uint32
}

func (r *repeats) add(una psn.PSN, p *Packet) {
	r.psn, r.cause = una, "REQ-3"
	if operation(p.Op) == ib.Ack && p.Syndrome == ib.NAKSequence {
		r.cause = "REQ-4"
	}
	r.count++
}

// settle takes one that explains a resume at p.
func (r *repeats) settle(p, first psn.PSN, cause *Rule) bool {
	if r.count == 0 || r.psn.Diff(p) > 0 && p != first {
		return false
	}
	r.count--
	*cause = r.cause
	return true
}

// forget drops those whose gap is closed, as the device must have seen when it sent.
func (r *repeats) forget(una psn.PSN) {
	if r.psn != una {
		r.count = 0
	}
}
