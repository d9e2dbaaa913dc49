package flow

import (
	"hcacosim/model/roce"
)

// skew bounds how far the clock of the capture is ahead of the sidecar's: a frame of an operation lies behind its
// posting and before its completion. The clock may have been set once, in either direction; a finding that rests on the
// clock is certain only where no step that the bounds leave room for would explain it.
//
// An example: the bounds before a timer was armed say that the capture was at most 40 us ahead, those behind the resend
// that it was at least -60 us ahead. It was set back by 100 us at most, and a timer that is 5 ms short was short.
type skew struct {
	before   []bound // how far at most up to a time: falling
	low, top []bound // how far at least, and at most, from a time on: falling and rising
	timerNS  int64   // what the transport timer runs at least, where a finding rests on it
	quiet    bool    // nothing was received: an operation fails only when the timer has run out behind its last packet
}

// bound is what a frame told.
type bound struct{ timeNS, ns int64 }

// maxBounds is how many are kept of each kind: without the others less is certain.
const maxBounds = 64

// unbounded stands where nothing is known.
const unbounded = int64(1) << 62

// atLeast notes that the capture was so far ahead or more.
func (s *skew) atLeast(timeNS, ns int64) {
	s.low = tighter(s.low, bound{timeNS, ns}, func(old int64) bool { return old <= ns })
}

// atMost notes that the capture was so far ahead or less.
func (s *skew) atMost(timeNS, ns int64) {
	if n := len(s.before); n < maxBounds && (n == 0 || ns < s.before[n-1].ns) {
		s.before = append(s.before, bound{timeNS, ns})
	}
	s.top = tighter(s.top, bound{timeNS, ns}, func(old int64) bool { return old >= ns })
}

// tighter puts a bound behind those that are tighter than it; the others say nothing more of what comes. The oldest
// makes room.
func tighter(list []bound, b bound, wider func(old int64) bool) []bound {
	for len(list) > 0 && wider(list[len(list)-1].ns) {
		list = list[:len(list)-1]
	}
	if len(list) == maxBounds {
		list = list[:copy(list, list[1:])]
	}
	return append(list, b)
}

// upTo is the bound of the frames up to a time, from that of the frames from a time on.
func upTo(list []bound, timeNS, otherwise int64) int64 {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].timeNS <= timeNS {
			return list[i].ns
		}
	}
	return otherwise
}

func from(list []bound, timeNS, otherwise int64) int64 {
	for i := range list {
		if list[i].timeNS >= timeNS {
			return list[i].ns
		}
	}
	return otherwise
}

// clockNeed is what a finding needs of the clock: that it was not set by ns or more.
type clockNeed struct {
	kind clockKind
	from int64 // when the timer was armed, or the request came
	to   int64 // when it ran out
	ns   int64
}

type clockKind uint8

const (
	noClock    clockKind = iota
	shortTimer           // a timer that ran ns too short, from from to to
	postedLate           // a receive WQE that was posted ns behind from
	postedSoon           // a receive WQE that was posted ns before from
	longPause            // a pause that was ns too long
)

// shows reports whether no step of the clock explains the finding.
func (s *skew) shows(n *clockNeed) bool {
	switch n.kind {
	case shortTimer: // set back between the two
		low := from(s.low, n.to, -unbounded)
		if s.quiet {
			low += s.timerNS
		}
		return upTo(s.before, n.from, unbounded)-low < n.ns
	case postedLate: // set back before
		return -from(s.low, n.from, -unbounded) < n.ns
	case postedSoon: // set forward before
		return from(s.top, n.from, unbounded) < n.ns
	case longPause: // set forward in it: nothing tells, until another one comes
		return false
	}
	return true
}

// thrice tells of timers that ran short for less than half of what they must: one step explains one of them. The third
// and those behind it are certain.
type thrice struct {
	count int
	to    int64
}

func (x *thrice) shows(n *clockNeed) bool {
	if n.kind != shortTimer || n.to-n.from > n.ns || n.from < x.to {
		return false
	}
	x.to = n.to
	x.count++
	return x.count >= 3
}

// needsClock notes what the finding that was just added needs of the clock.
func (c *Checker) needsClock(n clockNeed) {
	last := len(c.violations.list) - 1
	if c.violations.total == uint64(last+1) && c.violations.list[last].basis.rests {
		n.ns = max(1, n.ns)
		c.violations.list[last].basis.clock = n
	}
}

// timerNeeds does so for a requester that went on before its timer could have run out. armed and rnr are when the two
// timers were started.
func (c *Checker) timerNeeds(m *machines, rule roce.Rule, armed, rnr, timeNS int64) {
	switch {
	case rule == "TMR-1" && m.least[0] > 0:
		c.needsClock(clockNeed{shortTimer, armed, timeNS, c.surelyLeast(m.least[0]) - (timeNS - armed)})
		c.skew.timerNS = m.least[0]
	case rule == "TMR-5" && m.least[1] > 0:
		c.needsClock(clockNeed{shortTimer, rnr, timeNS, m.least[1] - (timeNS - rnr)})
	}
}

// surelyLeast is what a timer runs at least even by stamps that are late.
func (c *Checker) surelyLeast(leastNS int64) int64 {
	return leastNS - max(lateNs, leastNS/16) - int64(c.opt.Profile.JiffyNs) - c.opt.Scan.StampGrainNS()
}

// wqeNeeds does so for a responder: an RNR NAK, or its absence, tells of when receive WQEs were posted.
func (c *Checker) wqeNeeds(m *machines, rule roce.Rule, arrivedNS int64) {
	p := m.predict
	if p == nil || arrivedNS == 0 || c.opt.Sidecar == nil {
		return
	}
	switch {
	case c.pkt.Answer() == roce.RNRAnswer:
		if p.postNS != 0 {
			c.needsClock(clockNeed{kind: postedSoon, from: arrivedNS, ns: arrivedNS - p.postNS})
		}
	case rule == "RSP-9":
		if at := c.opt.Sidecar.postedBehind(c.side, arrivedNS); at != 0 {
			c.needsClock(clockNeed{kind: postedLate, from: arrivedNS, ns: at - arrivedNS})
		}
	}
}

// postedBehind is when an end was given its first receive WQE behind a time; 0: it was given none.
func (s *Sidecar) postedBehind(side string, timeNS int64) (at int64) {
	for i := range s.Recvs {
		if r := &s.Recvs[i]; r.Side == side && r.PostNS > timeNS && (at == 0 || r.PostNS < at) {
			at = r.PostNS
		}
	}
	return at
}
