package flow

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// passed judges a request that was seen on the wire.
func (c *Checker) passed(f *vectors.Frame, w *wire.Packet, h *half) Verdict {
	m := h.m
	if m.copied(copyOf(w)) {
		return said(Duplicate, "doubled on the way")
	}
	missing := m.wire.Passed(&c.pkt)
	if missing > 0 {
		m.upstream = true
		h.gaps++
		m.sameBytes(c.pkt.PSN, sumOf(w), false)
		h.bytes += uint64(c.pkt.Len)
		return said(OutOfSequence, "something before it was lost before the capture point")
	}
	if !m.upstream {
		v := c.sentRequest(f, w, h)
		if m.upstream {
			m.wire.NotWhole()
		}
		return v
	}
	if missing == 0 {
		m.sameBytes(c.pkt.PSN, sumOf(w), false)
		h.bytes += uint64(c.pkt.Len)
		return Verdict{Class: Expected}
	}
	return c.cameBefore(f, w, h)
}

// cameBefore judges a request below the highest, where some are lost before the capture point: it is sent again if it
// was seen, and fills a gap if not. Why, only the responses that were seen can tell.
func (c *Checker) cameBefore(f *vectors.Frame, w *wire.Packet, h *half) Verdict {
	m := h.m
	if h.service != ib.RC {
		return said(Duplicate, "sent before, or late")
	}
	why := causeTimeout
	if m.nakSeen {
		why = causeNAK
	}
	v := Verdict{Class: Again, Verdict: sim.Verdict{Cause: ruleOf(why)}}
	h.again.count(why)
	if !m.sameBytes(c.pkt.PSN, sumOf(w), true) {
		return c.brokenOnWire(f, h, sim.Verdict{Rule: "REQ-5", Text: sentOtherwise(c.pkt.PSN), Certainty: sim.Possible})
	}
	return v
}

// brokenOnWire notes what somebody did wrong. What a frame that was changed on the way would excuse is sure from the
// third time on. Where connections cannot be told apart nobody is blamed.
func (c *Checker) brokenOnWire(f *vectors.Frame, h *half, x sim.Verdict) Verdict {
	if h.mixed {
		return said(Expected, "another connection has the same PSNs")
	}
	certain := x.Certainty == sim.Certain || x.Certainty == sim.Repeated && h.repeats(x.Rule) >= 3
	return c.broken(f, certain && !c.unsure(h) && c.tallied.headers == 0, x.Rule, x.Text)
}

// repeat counts the findings of a rule.
type repeat struct {
	rule  roce.Rule
	count uint8
}

// repeats counts one more finding of a rule and returns how many there were. A half keeps the first few rules.
func (h *half) repeats(rule roce.Rule) uint8 {
	for i := range h.repeated {
		r := &h.repeated[i]
		if r.rule == "" || r.rule == rule {
			r.rule, r.count = rule, min(r.count+1, 200)
			return r.count
		}
	}
	return 0
}

func ruleOf(why cause) roce.Rule {
	if why == causeNAK {
		return "REQ-4"
	}
	return "TMR-1"
}

// answered judges a response that was seen on the wire.
func (c *Checker) answered(f *vectors.Frame, w *wire.Packet, q *half) Verdict {
	m := q.m
	copied := copyOf(w)
	if m.copied(copied) {
		return said(Duplicate, "doubled on the way")
	}
	m.nakSeen = c.pkt.Answer() == roce.SequenceAnswer
	x := m.wire.Answered(&c.pkt)
	v := c.returned(f, w, q)
	if v.Class == Expected && c.pkt.PSN.Before(m.answeredTo) {
		v.Class = Duplicate
	} else {
		m.answeredTo = c.pkt.PSN
	}
	if noPayload(w) {
		x = sim.Verdict{Rule: "OPC-2", Text: payloadText(w), Certainty: sim.Repeated}
	}
	if !x.Allowed() {
		if copied == (double{}) {
			x.Certainty = sim.Possible // copies made on the way cannot be told
		}
		return c.brokenOnWire(f, q, x)
	}
	return v
}
