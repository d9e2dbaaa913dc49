package flow

import (
	"fmt"
	"strings"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// sentResponse judges a response by the responder that sent it.
func (c *Checker) sentResponse(f *vectors.Frame, w *wire.Packet, q *half) (v Verdict) {
	m := q.m
	t := m.step
	unnumbered := w.IPv4() == nil || w.IPv4().ID() == 0
	t.gapSaid = t.gapSaid || c.pkt.Answer() == roce.SequenceAnswer ||
		unnumbered && c.pkt.Answer().NAK() && (c.pkt.Answer() != roce.FatalAnswer || c.pkt.PSN.Before(t.gapTo))
	c.order.answers(f.TimeNS, &c.pkt, q)
	c.sentNow(t, f)
	c.sentBehindHeld(m, f, q.src)
	// for what was lost before the first that was seen
	asks := m.start == startGuessed && c.pkt.Answer() == roce.SequenceAnswer
	if m.predict == nil && !asks && !c.described(q) && c.pkt.PSN.Before(q.start) {
		return Verdict{Class: Expected} // to what came before the capture began
	}
	if t.lost || t.anew && c.pkt.PSN.Before(t.start) {
		return c.fold(t)
	}
	if !roce.MayCarry(w.Op, c.pkt.Syndrome) {
		return c.neither(q)
	}
	if m.start == startKnown && !c.opt.Complete && (len(t.held) > 0 || c.early(m)) {
		v = c.hold(f, q, w.Payload)
		c.release(q, f.TimeNS, false)
		return v
	}
	return c.settleResponse(f, w.Payload, q, false)
}

// neither passes over a READ or atomic response with a refusal, which wellMade has told: whether its request was done
// or refused is not known, nor what the device does next.
func (c *Checker) neither(q *half) Verdict {
	t := q.m.step
	c.outOfStep(t, c.pkt.PSN)
	if c.form.syndrome > 0 {
		t.fault = c.form.syndrome - 1
	}
	c.again(q)
	return Verdict{Class: Expected}
}

// settleResponse gives the verdict on a response. moved: the device's place moved while it was held.
func (c *Checker) settleResponse(f *vectors.Frame, payload []byte, q *half, moved bool) Verdict {
	m := q.m
	t := m.step
	if t.lost || t.anew && c.pkt.PSN.Before(t.start) {
		return c.fold(t)
	}
	offered := c.pkt
	foreseen := m.resp.Foreseen(&c.pkt)
	blamed, guilty := refused{}, false
	if !foreseen && !m.resp.Dead() {
		blamed, guilty = c.blame(q, &c.pkt)
	}
	m.rebase(&offered)
	m.resp.Now(f.TimeNS)
	expected := m.resp.EPSN()
	x := m.resp.Sent(&offered)
	if x.Allowed() && m.resp.EPSN().Before(expected) && c.pkt.Answer() == roce.RNRAnswer && m.predict == nil {
		c.fellBack(m)
	}
	if m.start != startKnown {
		if x = m.settleStart(q, &c.pkt, x); m.start == startWrong && !q.midway {
			q.midway = true // the first request that was seen was no first: wait for one
			c.table.release(q)
			return Verdict{Class: Expected}
		}
	}
	if x.Allowed() && m.predict != nil {
		x = c.predicted(q, payload)
	} else if x.Allowed() {
		q.predicted++
	} else if m.predict != nil {
		m.predict.sent(&c.pkt, payload)
	}
	if x.Allowed() {
		c.inStep(f, q)
		return c.paging(f, q)
	}
	if t.fog {
		return c.foldAnew(q)
	}
	asked := c.pkt.PSN
	if guilty {
		x.Rule, x.Text, asked = blamed.rule, wrongly(&blamed), blamed.psn
	}
	return c.brokenResponse(f, q, x, asked, foreseen, moved)
}

// paging judges an RNR NAK that may be right of a request that takes no receive WQE: only memory that is paged on
// demand makes one (RSP-9). It is said once of a half, and certain where the sidecar lists the WQEs and so tells of
// the memory.
func (c *Checker) paging(f *vectors.Frame, q *half) Verdict {
	a := q.m.step.last(c.pkt.PSN)
	if c.pkt.Answer() != roce.RNRAnswer || a == nil || a.pkt.Op.Shape().Verb == roce.Send || a.pkt.Op.Shape().Imm {
		return Verdict{Class: Expected}
	}
	told := c.described(q) && c.opt.Sidecar.Recvs != nil
	switch {
	case told && c.opt.Sidecar.end(c.side).pages():
		return Verdict{Class: Expected}
	case !told && q.paged:
		return said(Expected, "not judged: "+pagingText)
	case !told:
		c.excuse, q.paged = pagingText, true
		defer func() { c.excuse = "" }()
	}
	t := q.m.step
	return c.rest(f.Number, f.TimeNS, q.src, t.since, t.in && told, needBoth, sim.Verdict{Rule: "RSP-9",
		Text: fmt.Sprintf("%v of %06Xh, a request that takes no receive WQE", c.pkt.Syndrome, uint32(c.pkt.PSN))},
		causeSought{})
}

// ruleOfRNR is the rule that an RNR NAK breaks for which another stands: RSP-9 says when there is one, with which PSN
// and which timer.
func ruleOfRNR(p *roce.Packet, x *sim.Verdict) roce.Rule {
	if p.Answer() == roce.RNRAnswer && (x.Rule == "RSP-10" || strings.Contains(x.Text, "in place of RNR NAK")) {
		return "RSP-9"
	}
	return x.Rule
}

// foldAnew folds a response that does not fit while what was before the restart may have consequences, and starts
// again.
func (c *Checker) foldAnew(q *half) Verdict {
	t := q.m.step
	v := c.fold(t)
	t.lost, t.after = true, psnMax(t.after, c.pkt.PSN)
	c.again(q)
	return v
}

func psnMax(a, b psn.PSN) psn.PSN {
	if b.After(a) {
		return b
	}
	return a
}

func psnMin(a, b psn.PSN) psn.PSN {
	if b.Before(a) {
		return b
	}
	return a
}

// inStep notes that the device did what was foreseen: with the answer to the last request everything up to it is known.
// An answer that was sent before its request came shows that the device knew more than the capture.
func (c *Checker) inStep(f *vectors.Frame, q *half) {
	t := q.m.step
	if c.pkt.PSN.Add(1) != q.m.resp.EPSN() {
		return
	}
	if a := t.last(c.pkt.PSN); a != nil && a.number > f.Number {
		t.in = false
	} else if a != nil {
		t.in, t.since, t.fog = true, a.number, false
		t.shaky = t.shaky && !c.pkt.PSN.After(t.shakyTo)
		t.mingled = t.mingled && !c.pkt.PSN.After(t.mingledTo)
	}
}

// brokenResponse notes what a responder did wrong, in answer to the request with PSN asked. What it did to something
// that it had not got puts the machines out of step.
func (c *Checker) brokenResponse(f *vectors.Frame, q *half, x sim.Verdict, asked psn.PSN, foreseen,
	moved bool) Verdict {
	m := q.m
	t := m.step
	if x.Rule == "OPC-2" {
		return c.broken(f, m.start == startKnown, x.Rule, x.Text)
	}
	since, rule := t.since, x.Rule
	x.Rule = ruleOfRNR(&c.pkt, &x)
	switch rule {
	case "RSP-7", "RSP-12": // what memory holds depends on everything since the beginning
		if m.predict != nil && foreseen {
			since = t.from
		}
	}
	in := t.in && c.certainOfResponse(m, rule)
	v := c.rest(f.Number, f.TimeNS, q.src, since, in, needOfResponse(x.Text), x, causeSought{})
	c.nearOrder(m, rule, asked)
	c.responseOutOfOrder(t, f, q, &x, foreseen)
	if n := len(c.violations.list); strings.Contains(x.Text, "was not sent") && c.violations.total == uint64(n) {
		t.skip(f, m.missed, m.missed, n-1)
	} else if c.filedBehind(t, f, q.src) {
		moved = true
	}
	if l := c.ev.of(q.src); l != nil && !l.received.has && t.gapNS != 0 && !t.gapSaid && !foreseen {
		moved = true // no identification tells whether what is missing was filed late
	}
	if l := c.ev.of(q.src); moved || t.shaky || l != nil && l.received.backAt > t.since {
		c.mayBeOrder()
	}
	if !foreseen || rule == "RSP-10" || rule == "RSP-15" || m.resp.RunsOver() {
		c.outOfStep(t, c.pkt.PSN)
		if c.pkt.Answer() == roce.SequenceAnswer {
			t.after = c.pkt.PSN.Add(-1)
		}
		c.again(q)
	}
	return v
}

// needOfResponse: a response too many is explained by a request that the capture misses, anything else by a response
// too.
func needOfResponse(text string) needs {
	switch {
	case strings.HasSuffix(text, "nothing asks for it"), strings.HasPrefix(text, "a second sequence NAK"):
		return needReceived
	}
	return needBoth
}

// predicted holds a response against the one that was foreseen.
func (c *Checker) predicted(q *half, payload []byte) (x sim.Verdict) {
	m := q.m
	wrong := func(rule roce.Rule, format string, args ...any) sim.Verdict {
		return sim.Verdict{Rule: rule, Text: fmt.Sprintf(format, args...)}
	}
	miss, good := m.predict.sent(&c.pkt, payload)
	if good {
		q.predicted++
	}
	switch {
	case miss.differs && miss.at >= 0:
		return wrong("RSP-7", "%s: byte %d of the payload is not what memory holds", describe(&c.pkt), miss.at)
	case miss.differs && miss.expected.known && c.pkt.Op.Shape().Verb.Atomic() &&
		c.pkt.Original != miss.expected.packet.Original:
		if miss.expected.replay {
			return wrong("RSP-8", "%s: the first time it was %Xh", describe(&c.pkt), miss.expected.packet.Original)
		}
		return wrong("RSP-12", "%s: memory held %Xh", describe(&c.pkt), miss.expected.packet.Original)
	}
	if !c.opt.Profile.AckPerRequest { // the device may coalesce: the follower has judged
		return x
	}
	switch {
	case miss.extra:
		return wrong("RSP-13", "%s: nothing asks for it", describe(&c.pkt))
	case miss.skipped > 0:
		o := &miss.first
		m.missed = o.packet.PSN
		return wrong(roce.RuleOfMissing(&o.packet), "%s was not sent (request in packet %d)", describe(&o.packet), o.number)
	case miss.differs:
		want := &miss.expected.packet
		return wrong(roce.RuleOfDifference(want, &c.pkt), "%s", roce.Difference(want, &c.pkt))
	}
	return x
}

// certainOfResponse tells that a finding about what a responder sent needs nothing that was inferred, or nothing but
// that the capture began with the connection: the count of messages began at 0.
func (c *Checker) certainOfResponse(m *machines, rule roce.Rule) bool {
	if rule == "OPC-2" || c.opt.Sidecar != nil {
		return m.start == startKnown
	}
	switch rule {
	case "RSP-7", "RSP-8", "RSP-13":
		return m.start == startKnown && m.based && m.msnBase == 0
	}
	return false
}
