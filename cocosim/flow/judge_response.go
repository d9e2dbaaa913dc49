package flow

import (
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// response judges a response. It runs in h and answers requests of the pair.
func (c *Checker) response(f *vectors.Frame, w *wire.Packet, h *half, sent bool) Verdict {
	q := h.pair
	if q == nil {
		h.responses++ // of nobody that was seen
		return said(Ghost, "a response to no request that was seen")
	}
	q.responses++
	q.lastNS = f.TimeNS
	q.noteAnswer(&c.pkt)
	if sent {
		q.sent++
	}
	c.learns(q, w)
	if !c.follow(q, f, w) {
		return Verdict{Class: Expected}
	}
	c.clocksAnswered(q.m, f.TimeNS)
	switch m := q.m; {
	case m.wire != nil:
		return c.answered(f, w, q)
	case !sent && m.req != nil:
		return c.returned(f, w, q)
	case sent && m.resp != nil:
		return c.sentResponse(f, w, q)
	}
	return Verdict{Class: Expected}
}

// noteAnswer counts what a response says, and notes how far requests were answered.
func (h *half) noteAnswer(p *roce.Packet) {
	kind := p.Answer()
	refused := kind > roce.AckAnswer
	if p.PSN.After(h.start) || p.PSN == h.start && !refused {
		if !h.acked || p.PSN.After(h.answered) && !refused {
			h.answered = p.PSN
		}
		h.acked = true
	}
	if code, has := p.CreditCode(); has {
		h.credit, h.credits = code, true
	}
	h.fatal = h.fatal || kind == roce.FatalAnswer
	switch {
	case kind == roce.RNRAnswer:
		h.rnrs++
	case kind.NAK():
		h.naks++
	}
}

// mayBeIn reports whether machines whose requests are all answered are in step. An error of machines that were out of
// step need not be the device's, and while the device sends again what was before their start, it has more to wait for.
func (t *step) mayBeIn(state roce.QPState) bool {
	return !t.lost && (t.in || state != roce.Error) && (!t.fog || t.high.After(t.fogTo))
}

// returned offers a response to the requester that it reached.
func (c *Checker) returned(f *vectors.Frame, w *wire.Packet, q *half) (v Verdict) {
	m := q.m
	una, _ := m.req.PSNs()
	if c.atEnd {
		c.order.answers(f.TimeNS, &c.pkt, q)
	}
	switch m.req.Arrival(c.pkt.PSN) {
	case psn.Unacked:
		v.Class = Expected
		c.clockWaits(m, f.TimeNS)
		if c.pkt.PSN != una && c.pkt.Len > 0 {
			q.gaps++
		}
	case psn.Stale:
		v.Class = Duplicate
	default:
		v.Class = Ghost
	}
	if v.Class == Expected {
		q.bytes += uint64(c.pkt.Len)
	}
	if c.pkt.Answer() == roce.RNRAnswer {
		_, rnr := c.opt.Profile.LeastNs(0, c.pkt.Syndrome.Code())
		m.least[1] = int64(rnr)
	}
	if m.peer != nil && !m.copied(copyOf(w)) {
		if x := m.peer.Answered(&c.pkt); !x.Allowed() {
			c.odd(f, x.Rule, x.Text)
		}
	}
	before, waiting := m.req.State(), m.req.Waiting()
	m.req.Received(f.TimeNS, &c.pkt)
	if t := m.step; t != nil {
		if t.hasty >= 0 { // an answer to what was sent too early: it was
			if b := &c.violations.list[t.hasty].basis; f.TimeNS-b.timeNS < holdNs {
				b.order = false
			}
			t.hasty = -1
		}
		if v.Class == Ghost || waiting && c.pkt.Answer() == roce.RNRAnswer {
			t.ghost, t.ghostAt = causeSought{sought: true, psn: c.pkt.PSN}, f.TimeNS
		}
		c.asksForSkipped(t)
		c.gotNow(t, f, q.dst, v.Class == Expected)
		gap := v.Class == Expected && c.pkt.PSN != una && c.pkt.Len > 0
		if gap || c.pkt.Answer() == roce.SequenceAnswer {
			t.askedNS = f.TimeNS
		}
		c.explain(t, f.TimeNS, gap)
		if now, high := m.req.PSNs(); now != una && now == high && high.After(q.top) && t.mayBeIn(m.req.State()) {
			t.in, t.since, t.fog = true, f.Number, false // everything that it ever sent is answered
		}
	}
	c.requesterBug(f, m, before, v.Class)
	return v
}
