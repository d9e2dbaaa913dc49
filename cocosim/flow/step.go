package flow

import (
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// An endpoint's machines are in step with the device as long as the device does what they foresee. After something else
// they are made anew where the next message starts: one cause is one finding, and what lies between is folded under it.

// keptArrivals is how many requests are kept for that; holdArrivals and holdNs bound how long a response waits for a
// request that the capture may have filed behind it.
const (
	keptArrivals = 256
	holdArrivals = 8
	holdNs       = 5_000_000
	maxHeld      = 64
)

// arrival is a request that reached the endpoint.
type arrival struct {
	pkt     roce.Packet
	number  uint64
	timeNS  int64
	refusal roce.Refusal
	taken   bool // it was expected next when the responder's machine took it
}

// held is a response that waits to be judged.
type held struct {
	pkt     roce.Packet
	payload []byte
	number  uint64
	timeNS  int64
	until   uint64 // count of arrivals
	ePSN    psn.PSN
	gap     bool // what it answers came behind a gap
	swapped bool // a neighbour lies in its place
}

// step is how far an endpoint's machines are in step with the device.
type step struct {
	in      bool   // the device has had what the capture has up to frame since
	since   uint64 // a frame
	from    uint64 // the frame that the machines started with
	lost    bool   // out of step: the machines wait for a message to start
	after   psn.PSN
	anew    bool        // the machines were made anew, from PSN start on
	start   psn.PSN     // below it nothing is judged
	fog     bool        // what was before start may still have consequences
	fogTo   psn.PSN     // a requester's: up to here it sends again what was before start
	ghost   causeSought // what a response said that answers nothing that was sent
	ghostAt int64
	// place of a finding that an RNR NAK was not waited for: it may have been filed before what it answers; -1: none
	hasty     int
	paused    int   // place of a finding that a request came behind too long a pause; -1: none
	askedPast bool  // something was sent for the first time since
	askedNS   int64 // when a NAK or a gap in a READ asked for something that was not sent again since; 0: nothing
	excusedNS int64
	excuses   int // responses that could explain it
	excused   int // place of a finding that the order of the capture may explain; -1: none
	fault     int // place of the finding that put it out of step, in the list; -1: none

	gapAt   uint64 // the frame behind the gap
	gapNS   int64  // when a request came behind a gap; 0: none is open
	gapID   uint16
	gapSaid bool    // the device has said that it misses something
	gapTo   psn.PSN // the highest behind it
	// a gap was filled so that the capture may have filed the two in the wrong order, and the device has not been in step
	// since
	shaky   bool
	shakyTo psn.PSN
	// the last request was a duplicate; one came next to another request, and the device has not been in step since
	duplicate, mingled bool
	class              Class // of the last request, where nothing numbers them
	mingledFrom        psn.PSN
	mingledTo          psn.PSN

	high      psn.PSN // the last that was ever sent, if sentAny
	sentAny   bool
	isFresh   bool       // the request that is judged is behind all
	run, ran  psn.PSN    // behind the request that was sent last, and behind the one before
	skipped   [2]psn.PSN // what was left out, by finding skipFault: either
	skippedNS int64
	skippedAt uint64
	skipFault int

	recent   []arrival // at most keptArrivals, in turn
	arrivals uint64
	held     []held
	beside   neighbours
	got      sentFrame // the last response that was waited for
	gotAny   sentFrame // the last response
}

func newStep() *step { return &step{fault: -1, excused: -1, hasty: -1, paused: -1} }

// fold counts a packet under the finding that keeps it from being judged.
func (c *Checker) fold(t *step) Verdict {
	if t.fault >= 0 && t.fault < len(c.violations.list) {
		c.violations.list[t.fault].Folded++
	}
	return said(Expected, "not judged: out of step since the violation before")
}

// outOfStep notes that what was just found puts the machines out of step; after is the last PSN that the device has
// dealt with.
func (c *Checker) outOfStep(t *step, after psn.PSN) {
	t.lost, t.in, t.after, t.fog, t.fogTo = true, false, after, true, after.Add(-1)
	if c.violations.total == uint64(len(c.violations.list)) {
		t.fault = len(c.violations.list) - 1
	}
}

// note keeps a request that reached the endpoint.
func (t *step) note(number uint64, timeNS int64, p *roce.Packet, x roce.Refusal) *arrival {
	if len(t.recent) < keptArrivals {
		t.recent = append(t.recent, arrival{})
	}
	a := &t.recent[t.arrivals%keptArrivals]
	*a = arrival{pkt: *p, number: number, timeNS: timeNS, refusal: x}
	t.arrivals++
	return a
}

// kept calls do with the requests that are kept, the oldest first, until it returns false.
func (t *step) kept(do func(a *arrival) bool) {
	from := uint64(0)
	if t.arrivals > keptArrivals {
		from = t.arrivals - keptArrivals
	}
	for i := from; i < t.arrivals; i++ {
		if !do(&t.recent[i%keptArrivals]) {
			return
		}
	}
}

// last returns the request with a PSN that is kept and came last, nil if there is none.
func (t *step) last(p psn.PSN) *arrival {
	for i := t.arrivals; i > 0 && i+keptArrivals > t.arrivals; i-- {
		if a := &t.recent[(i-1)%keptArrivals]; a.pkt.PSN == p {
			return a
		}
	}
	return nil
}

// fellBack gives the responder's machine again what came behind a request that it took and the device refused, if the
// request or one before it was among that: sent twice before the refusal left, it may be good the second time.
func (c *Checker) fellBack(m *machines) {
	t, refused := m.step, m.resp.EPSN()
	found, again := false, false
	var behind []*arrival
	t.kept(func(a *arrival) bool {
		switch {
		case a.taken && a.pkt.PSN == refused:
			found, again, behind = true, false, behind[:0]
		case found:
			behind = append(behind, a)
			again = again || !a.pkt.PSN.After(refused)
		}
		return true
	})
	if !again {
		return
	}
	m.resp.Repeat()
	for _, a := range behind {
		a.refusal = m.resp.Refuses(&a.pkt)
		a.taken = m.resp.Arrival(a.pkt.PSN) == psn.Expected
		m.resp.Received(&a.pkt)
	}
}

// startsAnew reports whether the machines can be made anew with a request.
func (t *step) startsAnew(p *roce.Packet) bool {
	s := p.Op.Shape()
	return s.Request && s.First && p.PSN.After(t.after)
}

// again makes a responder's machines anew at the first kept request behind what the device has dealt with, and gives
// them what came since.
func (c *Checker) again(h *half) {
	t := h.m.step
	begun := false
	t.kept(func(a *arrival) bool {
		if begun = begun || t.startsAnew(&a.pkt); begun {
			if t.lost {
				c.renew(h, a.pkt.PSN)
			}
			c.feed(h, a, nil)
		}
		return true
	})
}

// renew makes a responder's machines anew, with a PSN for the next.
func (c *Checker) renew(h *half, start psn.PSN) {
	m := h.m
	t := m.step
	t.lost, t.anew, t.start, t.held = false, true, start, nil
	cfg := m.cfg
	cfg.StartPSN, cfg.Open = start, true
	m.resp = roce.FollowResponder(cfg)
	m.recvs, m.early, m.start = nil, nil, startKnown
	m.based, m.msnBase = false, 0
	if m.predict != nil {
		m.predict.renew(start)
	}
}

// feed gives a request to a responder's machines. payload is nil for one that is fed again.
func (c *Checker) feed(h *half, a *arrival, payload []byte) {
	m := h.m
	m.resp.Received(&a.pkt)
	if m.predict != nil {
		m.predict.again = payload == nil && a.pkt.Len > 0
		m.predict.take(a.number, a.timeNS, &a.pkt, payload)
		m.predict.again = false
	}
}

// early reports whether a response answers nothing that has come, as far as can be told.
func (c *Checker) early(m *machines) bool {
	if m.predict != nil && c.opt.Profile.AckPerRequest {
		return !m.predict.foresees(&c.pkt)
	}
	return !m.resp.Foreseen(&c.pkt)
}

// hold keeps a response until the request that it answers has come, or for a while.
func (c *Checker) hold(f *vectors.Frame, q *half, payload []byte) Verdict {
	m := q.m
	t := m.step
	x, found := c.blame(q, &c.pkt)
	t.held = append(t.held, held{pkt: c.pkt, payload: append([]byte(nil), payload...), number: f.Number, timeNS: f.TimeNS,
		until: t.arrivals + holdArrivals, ePSN: m.resp.EPSN(), gap: found && !c.pkt.Answer().NAK() && (x.rule == "RSP-2" ||
			x.rule == "RSP-9")})
	v := said(Broken, "answers what has not come")
	v.Rule, v.Certainty = "RSP-13", sim.Possible
	return v
}

// release judges what was held and need not wait any longer.
func (c *Checker) release(h *half, timeNS int64, all bool) {
	m := h.m
	for m != nil && len(m.step.held) > 0 {
		t := m.step
		x := t.held[0]
		now := c.pkt
		c.pkt = x.pkt
		ready := all || !c.early(m) || t.arrivals >= x.until || timeNS-x.timeNS > holdNs || len(t.held) >= maxHeld
		if ready {
			t.held = t.held[1:]
			c.settleResponse(&vectors.Frame{Number: x.number, TimeNS: x.timeNS}, x.payload, h, x.gap && m.resp.EPSN() != x.ePSN)
			c.swappedHeld(&x)
		}
		if c.pkt = now; !ready {
			return
		}
		m = h.m
	}
}

// cause is what a request that was sent again without a reason might have had for one.
type causeSought struct {
	sought bool
	psn    psn.PSN
	timer  bool // the transport timer may have run out
	credit bool // any acknowledgement would have made room
}

// sought tells what would explain a violation of a requester, were it filed too late.
func (c *Checker) sought(m *machines, rule roce.Rule, waited int64) causeSought {
	switch rule {
	case "TMR-1", "REQ-5", "TMR-3", "TMR-5":
		timer := m.least[0] > 0 && waited > c.surelyLeast(m.least[0])
		return causeSought{sought: true, psn: c.pkt.PSN, timer: timer}
	case "PSN-5", "REQ-9", "CRD-2":
		return causeSought{sought: true, psn: c.pkt.PSN, credit: true}
	}
	return causeSought{}
}

// lateNs is how late a time stamp may be; a sixteenth of a longer timer.
const lateNs = 2_000_000

// explains reports whether a response that came right behind explains it. gap: one before it is missing.
func (s *causeSought) explains(p *roce.Packet, gap bool) bool {
	kind := p.Answer()
	switch {
	case s.credit:
		return kind == roce.AckAnswer || kind == roce.DataAnswer
	case kind == roce.SequenceAnswer || kind == roce.RNRAnswer:
		return p.PSN == s.psn
	case kind == roce.DataAnswer && !p.AnswersAtomic():
		return gap && p.PSN.After(s.psn) || s.timer && p.PSN.Before(s.psn)
	default:
		return s.timer && p.PSN.Add(1) == s.psn
	}
}

// knownCause: what was sent again without a reason had one that the capture filed before the request that it answers.
func (c *Checker) knownCause(t *step, timeNS int64, rule roce.Rule, timer bool) {
	before := t.hasty
	t.hasty = -1
	now := sentFrame{psn: c.pkt.PSN, number: c.last, timeNS: timeNS}
	if (rule == "TMR-1" || rule == "REQ-5") && t.got.psn == now.psn && t.got.near(&now) {
		c.mayBeClose() // its answer was filed before it
	}
	switch {
	case rule == "TMR-1" && timer:
		c.mayBeOrder()
	case (rule == "TMR-1" || rule == "REQ-5") && t.askedNS != 0 && t.askedPast && timeNS-t.askedNS < holdNs:
		c.mayBeOrder() // something was sent between that may have been sent before
	case rule == "TMR-1" || rule == "REQ-5":
		if t.ghost.timer && t.ghost.psn == c.pkt.PSN || before >= 0 {
			c.mayBeOrder()
			t.ghost = causeSought{}
		}
	case rule == "TMR-5":
		c.mayBeOrder()
		t.hasty = len(c.violations.list) - 1
	}
}

// fresh reports whether a request is behind everything that was sent before it.
func (t *step) fresh(p *roce.Packet, pmtu uint32) bool {
	last := p.PSN
	if p.Op.Shape().Verb == roce.Read {
		last = p.PSN.Add(int32(psn.OfRead(p.DMALen, pmtu)) - 1)
	}
	t.ran, t.run = t.run, last.Add(1)
	fresh := !t.sentAny || p.PSN.After(t.high)
	if !t.sentAny || last.After(t.high) {
		t.high, t.sentAny = last, true
	}
	return fresh
}

// skip notes a PSN that was left out, by a finding. It may be one of two.
func (t *step) skip(f *vectors.Frame, n, or psn.PSN, fault int) {
	t.skipped, t.skippedNS, t.skippedAt, t.skipFault = [2]psn.PSN{n, or}, f.TimeNS, f.Number, fault
}

// filedBehind: what was left out comes at once behind. Where identifications do not tell in which order the two were
// sent, it may be the capture that has them the wrong way round.
func (c *Checker) filedBehind(t *step, f *vectors.Frame, peer addr) bool {
	l := c.ev.of(peer)
	if t.skippedAt == 0 || t.skipFault < 0 || c.pkt.PSN != t.skipped[0] && c.pkt.PSN != t.skipped[1] ||
		l != nil && l.sent.has || f.TimeNS-t.skippedNS > holdNs && f.Number-t.skippedAt > holdArrivals {
		return false
	}
	c.violations.list[t.skipFault].basis.order = true
	return true
}

// filed follows gaps in the requests that arrive. One that is filled by a request that was sent before, or at once and
// without a word from the device, may be the capture's.
func (c *Checker) filed(t *step, f *vectors.Frame, w *wire.Packet, class Class) {
	now := w.BTH().PSN()
	id := uint16(0)
	if ip := w.IPv4(); ip != nil {
		id = ip.ID()
	}
	if class == Duplicate {
		t.beside.askedAt = f.Number
	}
	switch {
	case class == OutOfSequence:
		t.gapSaid = t.gapSaid && id == 0
		if t.gapNS == 0 {
			t.gapAt = f.Number
		}
		t.gapNS, t.gapID, t.gapTo = f.TimeNS, id, now
		if l := c.ev.last; l != nil && l.received.twinAt == f.Number { // nothing tells what it came behind
			t.shaky, t.shakyTo = true, now
		}
	case class == Expected && t.gapNS != 0:
		late := int16(id-t.gapID) < 0
		if id == 0 || t.gapID == 0 {
			late = f.TimeNS-t.gapNS < holdNs
		}
		// the one behind it came just before it, and nothing tells which was sent first
		c.order.unsaid = c.order.unsaid || id == 0 && late && t.gapTo == now.Add(1)
		if late && !t.gapSaid {
			t.shaky, t.shakyTo = true, t.gapTo
			c.doubtSince(t.gapAt)
			c.order.unsaid = c.order.unsaid || id == 0
		}
		t.gapNS, t.gapSaid = 0, false
	}
	back := c.ev.last != nil && c.ev.last.received.backAt == f.Number
	if id == 0 || back || t.duplicate {
		t.mingle(class, class == Duplicate && (id == 0 || back), id == 0)
	}
}

// mingle looks whether a duplicate lies next to another request, or one behind a gap before the one that fills it:
// nothing tells which of the two came first.
func (t *step) mingle(class Class, duplicate, unnumbered bool) {
	was, wasClass := t.duplicate, t.class
	t.duplicate, t.class = duplicate, class
	if t.arrivals < 2 {
		return
	}
	a, b := &t.recent[(t.arrivals-1)%keptArrivals], &t.recent[(t.arrivals-2)%keptArrivals]
	filled := unnumbered && wasClass == OutOfSequence && class == Expected
	filled = filled && a.number-b.number <= holdArrivals && t.beside.last() < b.number // without a word between them
	if (duplicate || was || filled) && near(a.timeNS, b.timeNS) && a.pkt.PSN != b.pkt.PSN {
		from, to := b.pkt.PSN, a.pkt.PSN
		if to.Before(from) {
			from, to = to, from
		}
		if t.mingled {
			from, to = psnMin(from, t.mingledFrom), psnMax(to, t.mingledTo)
		}
		t.mingled, t.mingledFrom, t.mingledTo = true, from, to
	}
}

// doubtSince makes what was found since a frame one that the order of the capture may explain.
func (c *Checker) doubtSince(frame uint64) {
	for i := len(c.violations.list) - 1; i >= 0 && c.violations.list[i].Packet > frame; i-- {
		if b := &c.violations.list[i].basis; b.rests {
			b.order = true
		}
	}
}

// explain looks whether a response explains what was found shortly before.
func (c *Checker) explain(t *step, timeNS int64, gap bool) {
	kept := c.ev.waiting[:0]
	if t.excused >= 0 && c.violations.list[t.excused].basis.cause.explains(&c.pkt, gap) {
		t.excuses++
	}
	for _, i := range c.ev.waiting {
		b := &c.violations.list[i].basis
		if b.cause.sought {
			if b.cause.explains(&c.pkt, gap) {
				b.order, t.excused, t.excuses, t.excusedNS = true, i, 0, timeNS
			}
			b.cause.sought = !b.order && (timeNS-b.timeNS < holdNs || c.last-c.violations.list[i].Packet < holdArrivals)
		}
		if b.cause.sought || !b.open && (b.received || b.sent) {
			kept = append(kept, i)
		}
	}
	c.ev.waiting = kept
}
