package flow

import (
	"fmt"
	"strings"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// machines follow one half. Which of them there are depends on where the capture was taken: at an endpoint only its
// own.
type machines struct {
	req     *roce.RequesterFollower // of the end that sends the requests
	resp    *roce.ResponderFollower // of the end that answers them
	predict *predictor              // of the same, where everything is known
	recvs   []Recv                  // for resp
	posted  uint64
	ops     *operations // of req, where the sidecar lists them
	times   *bracket    // of either, where the sidecar has times
	skips   bool        // a request's PSN skipped some
	skipped psn.PSN     // behind the last such request
	start   start
	cfg     roce.ResponderConfig // of resp
	reqCfg  roce.RequesterConfig // of req, where the capture was taken at its end
	early   []roce.Packet        // received while start is guessed
	least   [2]int64             // transport and RNR timer: what they may take at least, where known

	upstream   bool               // requests were lost before they came past the capture point
	wire       *roce.WireFollower // where the capture was taken between the ends
	peer       *roce.WireFollower // of what comes back to req, where the capture was taken at its end
	msnBase    uint32             // MSN of the device where the follower's is 0: captures start in the middle
	based      bool               // msnBase is known
	inGap      bool               // what came last was out of sequence
	nakSeen    bool               // the last response was a sequence NAK
	answeredTo psn.PSN
	missed     psn.PSN // of a response that was foreseen and not sent, the last
	step       *step   // of req or resp, where the capture was taken at its end
	pmtu       uint32  // that they were made with, where nobody told
	guessed    bool    // it was seen on another connection, or nowhere
	sums       [256]sentSum
	doubles    [16]double
	next       uint8
}

// maxEarly is how many requests are kept until the first response tells what the start PSN is.
const maxEarly = 64

// sentSum is what a request was the first time.
type sentSum struct {
	psn   psn.PSN
	sum   digest
	valid bool
	other digest // what it was another time, if fault is not 0
	fault int    // place of the finding about that in the list, from 1
}

// digest stands for what a request must carry each time. Of a frame that the snap length cut it is of what is left.
type digest struct {
	sum uint32
	cut uint32 // bytes that are left; 0: all
}

// differs reports whether the two are of different packets for certain: not where one was cut elsewhere.
func (d digest) differs(e digest) bool { return d.cut == e.cut && d.sum != e.sum }

// double stands for a frame by what a copy made on the way has too.
type double struct {
	id   uint16
	psn  psn.PSN
	icrc uint32
}

func (c *Checker) request(f *vectors.Frame, w *wire.Packet, h *half, sent bool) (v Verdict) {
	h.requests++
	if h.service == ib.UD {
		c.datagram(h)
	}
	c.renewed, h.begun = h.begun, false
	if c.renews(h, f, w) {
		c.table.release(h)
		h.hasFirst = false
		h.forgetPMTU()
	}
	h.requestNS = f.TimeNS
	c.opens(h, f, sent)
	if len(c.order.ahead) > 0 {
		c.order.takeIn(f.TimeNS, c.pkt.PSN, h)
	}
	if h.pair == nil && h.service == ib.RC {
		c.pairs.note(h, &c.pkt)
	}
	c.learns(h, w)
	if !c.follow(h, f, w) {
		return Verdict{Class: Expected}
	}
	switch m := h.m; {
	case m.wire != nil:
		return c.passed(f, w, h)
	case sent && m.req != nil:
		return c.sentRequest(f, w, h)
	case !sent && m.resp != nil:
		return c.arrived(f, w, h)
	}
	return Verdict{Class: Expected}
}

// sentSame reports whether a PSN was sent before with the same bytes.
func (m *machines) sentSame(p psn.PSN, now digest) bool {
	s := m.sumAt(p)
	return s != nil && !s.sum.differs(now)
}

// sentOther reports whether a PSN was sent before with other bytes.
func (m *machines) sentOther(p psn.PSN, now digest) bool {
	s := m.sumAt(p)
	return s != nil && s.sum.differs(now)
}

// sumAt is what is kept of a PSN that was sent; nil: nothing.
func (m *machines) sumAt(p psn.PSN) *sentSum {
	if s := &m.sums[uint32(p)%uint32(len(m.sums))]; s.valid && s.psn == p {
		return s
	}
	return nil
}

// arrived offers a request to the responder that it reached.
func (c *Checker) arrived(f *vectors.Frame, w *wire.Packet, h *half) (v Verdict) {
	if s := h.m.step; s != nil && len(s.held) > 0 {
		c.release(h, f.TimeNS, false) // what has waited too long is not the answer to this
	}
	m := h.m
	if m.start == startKnown && m.predict == nil && !c.described(h) && !h.midway && c.pkt.PSN == m.cfg.StartPSN &&
		!c.pkt.Op.Shape().First {
		h.midway = true // the capture began within this message: wait for the next
		c.table.release(h)
		return Verdict{Class: Expected}
	}
	t := m.step
	if t.lost && t.startsAnew(&c.pkt) {
		c.renew(h, c.pkt.PSN)
	}
	if t.lost {
		t.note(f.Number, f.TimeNS, &c.pkt, roce.Refusal{})
		return said(Expected, "not judged: out of step since the violation before")
	}
	if t.from == 0 {
		t.from = f.Number
	}
	if t.anew && c.pkt.PSN.Before(t.start) {
		t.fog = true
	}
	v.Class = classes[m.resp.Arrival(c.pkt.PSN)]
	t.note(f.Number, f.TimeNS, &c.pkt, m.resp.Refuses(&c.pkt)).taken = v.Class == Expected
	c.filed(t, f, w, v.Class)
	switch v.Class {
	case OutOfSequence:
		if !m.inGap {
			h.gaps++
		}
		m.inGap = true
	case Expected:
		m.inGap = false
		c.clocks(m, f.TimeNS)
		h.bytes += uint64(c.pkt.Len)
	}
	if h.service == ib.RC && !m.sameBytes(c.pkt.PSN, sumOf(w), v.Class == Duplicate) {
		c.odd(f, "REQ-5", sentOtherwise(c.pkt.PSN))
	}
	for len(m.recvs) > 0 && m.recvs[0].PostNS <= f.TimeNS && m.resp.PostReceive(roce.Receive{ID: m.posted,
		Len: m.recvs[0].Len}) {
		m.posted, m.recvs = m.posted+1, m.recvs[1:]
	}
	before := m.resp.State()
	m.resp.Now(f.TimeNS)
	m.resp.Received(&c.pkt)
	if m.start == startGuessed && len(m.early) < maxEarly {
		m.early = append(m.early, c.pkt)
	}
	if m.predict != nil {
		m.predict.replay = v.Class == Duplicate
		m.predict.take(f.Number, f.TimeNS, &c.pkt, w.Payload)
	}
	c.responderBug(f, m, before)
	c.release(h, f.TimeNS, false)
	return v
}

// classes names what a responder makes of a PSN.
var classes = [...]Class{psn.Expected: Expected, psn.Duplicate: Duplicate, psn.OutOfSequence: OutOfSequence}

// sentRequest judges a request by the requester that sent it.
func (c *Checker) sentRequest(f *vectors.Frame, w *wire.Packet, h *half) (v Verdict) {
	m := h.m
	if t := m.step; t != nil && c.atEnd {
		if folded, ok := c.sentBehindGap(f, h, t); ok {
			return folded
		}
	}
	_, high := m.req.PSNs()
	again := m.req.SentBefore(c.pkt.PSN)
	waiting := m.req.Waiting()
	armed, rnr := m.req.Armed()
	x := m.req.Sent(f.TimeNS, &c.pkt)
	if m.peer != nil {
		m.peer.Passed(&c.pkt)
	}
	v.Class = Expected
	if h.service == ib.RC && again {
		v.Class, v.Cause = Again, x.Cause
		c.countAgain(f, h, &x, armed)
		if waiting && !m.req.Waiting() {
			addGap(&h.rnr, f.TimeNS-rnr, m.least[1])
		}
	}
	if !again {
		h.bytes += uint64(c.pkt.Len)
		if m.step != nil {
			m.step.askedPast = m.step.askedNS != 0
		}
	}
	rule, text := x.Rule, x.Text
	if !c.atEnd && (rule == "PSN-7" || rule == "REQ-5") {
		// What was seen first was not the first, or what acknowledged it was lost on the way.
		m.upstream = m.upstream || rule == "PSN-7"
		rule = ""
	}
	same := h.service != ib.RC || m.sameBytes(c.pkt.PSN, sumOf(w), again)
	if !same && rule == "" {
		rule, text = "REQ-5", sentOtherwise(c.pkt.PSN)
	}
	c.clocks(m, f.TimeNS)
	if c.pkt.PSN == high && m.ops != nil {
		rule, text = m.ops.hold(&c.pkt, w.Payload, rule, text)
	}
	switch {
	case rule == "PSN-4" && m.saidSkipped(c.pkt.PSN):
		return Verdict{Class: OutOfSequence}
	case rule == "":
		return v
	case !same && c.saidOther(m, sumOf(w)):
		return v
	}
	broken := c.foldOr(m.step, same, func() Verdict {
		defer c.timerNeeds(m, rule, armed, rnr, f.TimeNS)
		return c.brokenRequest(f, h, same, rule, text, f.TimeNS-armed)
	})
	c.noteOther(m, same, sumOf(w))
	broken.Cause = v.Cause
	return broken
}

// noteOther keeps what a request is that was found at its end not to be what was sent first under its PSN.
func (c *Checker) noteOther(m *machines, same bool, now digest) {
	if n := len(c.violations.list); !same && c.atEnd && c.violations.total == uint64(n) {
		s := m.sumAt(c.pkt.PSN)
		s.other, s.fault = now, n
	}
}

// saidOther reports whether a request that is not what was sent first under its PSN is what a finding was about: a
// message that took the PSN of another is sent again. It is folded under that.
func (c *Checker) saidOther(m *machines, now digest) bool {
	s := m.sumAt(c.pkt.PSN)
	if s == nil || s.fault == 0 || s.other != now {
		return false
	}
	c.violations.list[s.fault-1].Folded++
	return true
}

// saidSkipped reports whether the packet before this one said already that PSNs were left out.
func (m *machines) saidSkipped(p psn.PSN) bool {
	said := m.skips && p == m.skipped
	m.skips, m.skipped = true, p.Add(1)
	return said
}

// foldOr folds a broken request where the capture has lost sight of its requester, and else says what it breaks.
func (c *Checker) foldOr(t *step, same bool, broken func() Verdict) Verdict {
	if c.atEnd && t.fog && same {
		return c.fold(t)
	}
	return broken()
}

// sentBehindGap looks at a request of a requester that the capture has lost sight of, or may have. It is folded, and ok
// is set, where nothing can be said of it.
func (c *Checker) sentBehindGap(f *vectors.Frame, h *half, t *step) (folded Verdict, ok bool) {
	m := h.m
	if t.ghost.sought && t.ghost.psn == c.pkt.PSN && f.TimeNS-t.ghostAt < holdNs {
		t.ghost.timer = true // it was filed before the request that it answers
	}
	c.filedBehind(t, f, h.dst)
	c.sentNow(t, f)
	t.isFresh = t.fresh(&c.pkt, m.reqCfg.PMTUBytes)
	switch {
	case t.lost && t.isFresh && t.startsAnew(&c.pkt):
		m.againAt(h, c.pkt.PSN)
	case t.lost:
		return c.fold(t), true
	case t.anew && c.pkt.PSN.Before(t.start):
		if c.leapt(t) {
			m.sums = [len(m.sums)]sentSum{}
		}
		t.fog, t.fogTo = true, t.high
		return c.fold(t), true
	}
	return folded, false
}

// leapt reports whether the last finding was PSNs that were left out. Where the requester goes on before them the one
// packet alone had a wrong PSN, and others come under it.
func (c *Checker) leapt(t *step) bool {
	return t.fault >= 0 && t.fault < len(c.violations.list) && c.violations.list[t.fault].Rule == "PSN-4"
}

// countAgain counts a request that was sent again by its cause, which x says. Its timer was armed at a time before it.
func (c *Checker) countAgain(f *vectors.Frame, h *half, x *roce.Verdict, armed int64) {
	m, cause := h.m, causeOf(x.Cause)
	if x.Allowed() && c.atEnd {
		m.step.askedNS = 0
		c.unexcuse(m.step, f.TimeNS, cause)
	}
	if !x.Allowed() && (x.Rule == "TMR-1" || x.Rule == "REQ-5" || x.Rule == "PSN-7") {
		cause = causeUnknown
	}
	if c.opt.Sidecar == nil && cause == causeUnknown && f.TimeNS-armed > leastPauseNs {
		cause = causeTimeout
	}
	h.again.count(cause)
	if now, _ := m.req.Armed(); x.Allowed() && cause == causeTimeout && now != armed && m.least[0] > 0 {
		addGap(&h.timer, f.TimeNS-armed, m.least[0])
	}
}

// notAsPosted stands where a rule would: what was sent is not what the sidecar says was posted.
const notAsPosted = "SIDECAR"

// leastPauseNs is a pause that can have been a timeout where nobody told how long that is.
const leastPauseNs = 8192

// brokenRequest notes what a requester did wrong. same: it was not sent before with other bytes. Without a sidecar
// nothing else is certain at an end.
func (c *Checker) brokenRequest(f *vectors.Frame, h *half, same bool, rule roce.Rule, text string,
	waited int64) Verdict {
	if _, high := h.m.req.PSNs(); c.atEnd && rule == "REQ-7" && h.m.step.high.Add(1).After(high) {
		defer c.giveUp(h.m, c.pkt.PSN) // the READ is longer than it was: new requests may follow behind it
	}
	if c.atEnd {
		alone := rule == "LEN-1" && !c.cut && roce.WrongAlone(&c.pkt)
		if alone && same {
			defer c.misshapen(h.m)
		}
		if alone || !same || c.pkt.Op.Shape().Request && selfEvident(rule, text) {
			return c.broken(f, c.opt.Sidecar != nil || alone || !same, rule, text)
		}
		t := h.m.step
		if rule == "REQ-4" && h.m.req.Pause() > 1 && c.pausedAgain(t) {
			return said(Expected, "one more behind the finding before")
		}
		seek := c.sought(h.m, rule, waited)
		v := c.rest(f.Number, f.TimeNS, h.dst, t.since, t.in && c.described(h), needOfRequest(rule), sim.Verdict{Rule: rule,
			Text: text}, seek)
		if l := c.ev.of(h.dst); l != nil && l.received.backAt > t.since { // the device may have had them in order
			c.mayBeOrder()
		}
		late := rule == "REQ-4" && h.m.req.Pause() > 0 // and in its place: nothing is out of step
		if late && h.m.req.Pause() == 1 {
			c.needsClock(clockNeed{kind: longPause})
			t.paused = len(c.violations.list) - 1
		}
		c.knownCause(t, f.TimeNS, rule, seek.timer)
		t.askedNS = 0
		if rule == "REQ-5" {
			oldest, _ := h.m.req.PSNs()
			c.requestOutOfOrder(t, f, h.dst, oldest)
		}
		if n := len(c.violations.list); rule == "REQ-5" && c.violations.total == uint64(n) {
			t.skip(f, c.pkt.PSN.Add(-1), t.ran, n-1)
		}
		if rule == "PSN-4" || rule == "RSP-1" || rule == "PSN-7" || rule == "REQ-9" || rule == "REQ-4" && !late {
			c.giveUp(h.m, c.pkt.PSN)
			if _, high := h.m.req.PSNs(); rule == "PSN-4" && !c.pkt.PSN.Before(high) {
				t.skip(f, high, high, t.fault)
			}
			if c.pkt.Op.Shape().First && t.isFresh {
				h.m.againAt(h, c.pkt.PSN)
				h.m.req.Sent(f.TimeNS, &c.pkt)
			}
		}
		return v
	}
	if rule == "RSP-1" {
		h.m.wire.NotWhole() // what is no message may be counted as one, or not
	}
	x := sim.Verdict{Rule: rule, Text: text, Certainty: sim.Possible}
	if rule == "RSP-1" || !same && h.m.wire.Unanswered(c.pkt.PSN) {
		x.Certainty = sim.Repeated
	}
	return c.brokenOnWire(f, h, x)
}

// misshapen forgets a request that is wrong by itself: it may be sent again as it should be. Behind a READ that is too
// long nobody knows which PSN is next.
func (c *Checker) misshapen(m *machines) {
	if s := m.sumAt(c.pkt.PSN); s != nil {
		s.valid = false
	}
	if c.pkt.Op.Shape().Verb == roce.Read {
		c.giveUp(m, c.pkt.PSN)
	}
}

// pausedAgain adds a second pause to the finding about the first: no one step of the clock explains both.
func (c *Checker) pausedAgain(t *step) bool {
	if t.paused < 0 || c.violations.total != uint64(len(c.violations.list)) {
		return false
	}
	x := &c.violations.list[t.paused]
	x.basis.clock = clockNeed{}
	x.Folded++
	return true
}

// giveUp puts a requester's machines out of step behind a PSN.
func (c *Checker) giveUp(m *machines, after psn.PSN) {
	if m.ops != nil {
		m.ops.over = true
	}
	c.outOfStep(m.step, after)
}

// againAt makes a requester's machines anew at a message. Where nothing is sent again, what came before has no
// consequences.
func (m *machines) againAt(h *half, start psn.PSN) {
	t := m.step
	t.lost, t.anew, t.start, t.fog = false, true, start, t.fog && h.service == ib.RC
	cfg := m.reqCfg
	cfg.StartPSN = start
	m.req.Restart(cfg)
}

// needOfRequest: what does not go on with what was sent before is explained by a request that the capture misses, what
// was sent too early or too much by a response too.
func needOfRequest(rule roce.Rule) needs {
	switch rule {
	case "PSN-4", "RSP-1", notAsPosted:
		return needSent
	}
	return needBoth
}

// selfEvident reports whether a violation needs nothing but the packet itself.
func selfEvident(rule roce.Rule, text string) bool {
	return rule == "OPC-1" || rule == "RSP-13" && strings.HasSuffix(text, "at the end of a message")
}

// sameBytes holds a resent request against what was sent the first time.
func (m *machines) sameBytes(p psn.PSN, now digest, again bool) bool {
	if s := m.sumAt(p); again && s != nil {
		return !s.sum.differs(now)
	}
	m.sums[uint32(p)%uint32(len(m.sums))] = sentSum{psn: p, sum: now, valid: true}
	return true
}

// sumOf stands for what a request must carry each time: opcode, pad count and everything behind the BTH. AckReq may
// change.
func sumOf(w *wire.Packet) digest {
	b := seen(w)
	d := digest{sum: sum(b[bthBytes:]) + uint32(b[0])<<8 + uint32(b[1]&padBits)}
	if w.End > len(w.Frame) {
		d.cut = uint32(len(b))
	}
	return d
}

const (
	bthBytes  = 12
	icrcBytes = 4
	padBits   = 0x30 // of BTH byte 1
)

func sentOtherwise(p psn.PSN) string {
	return fmt.Sprintf("PSN %06Xh is sent again and is not what it was the first time", uint32(p))
}
