package flow

import (
	"fmt"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// passed judges a request that was seen on the wire.
func (c *Checker) passed(f *vectors.Frame, w *wire.Packet, h *half) Verdict {
	m := h.m
	if m.copied(copyOf(w)) {
		return Verdict{Class: Duplicate, Text: "doubled on the way"}
	}
	missing := m.wire.Passed(&c.pkt)
	if missing > 0 {
		m.upstream = true
		h.gaps++
		m.sameBytes(&c.pkt, w.Payload, false)
		h.bytes += uint64(c.pkt.Len)
		return Verdict{Class: OutOfSequence, Text: "something before it was lost before the capture point"}
	}
	if !m.upstream {
		v := c.sentRequest(f, w, h)
		if m.upstream {
			m.wire.NotWhole()
		}
		return v
	}
	if missing == 0 {
		m.sameBytes(&c.pkt, w.Payload, false)
		h.bytes += uint64(c.pkt.Len)
		return Verdict{Class: Expected}
	}
	return c.cameBefore(f, w, h)
}

// cameBefore judges a request below the highest, where some are lost before the capture point: it is sent again if it was
// seen, and fills a gap if not. Why, only the responses that were seen can tell.
func (c *Checker) cameBefore(f *vectors.Frame, w *wire.Packet, h *half) Verdict {
	m := h.m
	why := causeTimeout
	if m.nakSeen {
		why = causeNAK
	}
	v := Verdict{Class: Again, Cause: ruleOf(why)}
	h.again.count(why)
	if !m.sameBytes(&c.pkt, w.Payload, true) {
		return c.broken(f, false, "REQ-5", fmt.Sprintf("PSN %06Xh is sent again with another payload", uint32(c.pkt.PSN)))
	}
	return v
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
		return Verdict{Class: Duplicate, Text: "doubled on the way"}
	}
	m.nakSeen = c.pkt.Syndrome == ib.NAKSequence && c.pkt.Op == ib.Join(ib.RC, ib.Ack)
	x, certain := m.wire.Answered(&c.pkt)
	v := c.returned(f, w, q)
	if v.Class == Expected && c.pkt.PSN.Diff(m.answeredTo) < 0 {
		v.Class = Duplicate
	} else {
		m.answeredTo = c.pkt.PSN
	}
	if !x.Allowed() {
		return c.broken(f, certain && copied != (double{}), x.Rule, x.Text)
	}
	return v
}
