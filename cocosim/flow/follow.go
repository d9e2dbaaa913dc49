package flow

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// follow gives a half its machines; false while it has none. Without a sidecar the first packet of a half waits for a
// second: most halves of a hostile capture have one.
func (c *Checker) follow(h *half, timeNS int64) bool {
	if h.m != nil {
		c.table.touch(h)
		return true
	}
	if c.described(h) {
		c.table.hold(h, c.configured(h))
		h.judged = true
		return true
	}
	request := !ib.Lookup(c.pkt.Op).Response
	if !h.hasFirst && !h.judged && request {
		h.first, h.firstAt, h.hasFirst = c.pkt, timeNS, true
		h.hold(&c.pkt)
		return false
	}
	start, again := c.pkt.PSN, false
	if h.hasFirst {
		start, again = h.first.PSN, true
	} else if !request {
		return false
	}
	c.table.hold(h, c.inferred(h, start))
	h.judged = true
	if again {
		c.replayFirst(h)
	}
	return true
}

// requests0 counts what a request that waits brings.
func (h *half) hold(p *roce.Packet) { h.bytes += uint64(p.Len) }

// replayFirst gives the machines the request that had waited for them. Nothing can be wrong with the first but its form.
func (c *Checker) replayFirst(h *half) {
	m := h.m
	if m.resp != nil {
		m.resp.Received(&h.first)
	}
	if m.req != nil {
		m.req.Sent(h.firstAt, &h.first)
	}
	h.hasFirst = false
}

// described tells that the sidecar describes this half.
func (c *Checker) described(h *half) bool {
	s := c.opt.Sidecar
	return s != nil && c.atEnd && (h.dst == c.own && h.qpn == s.end(c.side).QPN || h.src == c.own && h.qpn == s.dest(c.side))
}

// configured makes the machines of the endpoint's own end from the sidecar.
func (c *Checker) configured(h *half) *machines {
	s, m := c.opt.Sidecar, new(machines)
	if h.src == c.own {
		cfg := s.requester(c.side, &c.opt.Profile)
		m.req = roce.FollowRequester(cfg)
		m.setLeast(&c.opt.Profile, cfg.Timeout)
		h.timeout = cfg.Timeout
		return m
	}
	cfg := s.responder(c.side, &c.opt.Profile)
	cfg.Open = s.Recvs == nil
	m.resp = roce.FollowResponder(cfg)
	m.resp.SetState(s.end(c.side).state())
	m.based = true
	if !cfg.Open {
		m.predict = newPredictor(s, c.side, &c.opt.Profile)
		m.recvs = m.predict.recvs
	}
	return m
}

func (m *machines) setLeast(p *roce.Profile, timeout uint8) {
	if timeout != 0 {
		transport, _ := p.LeastNs(timeout, 0)
		m.least[0] = int64(transport)
	}
}

// inferred makes machines from what can be told: the start PSN is that of the first request, the PMTU what the first look
// at the capture found. Timeouts are not known, nor is anything about memory and receive WQEs.
func (c *Checker) inferred(h *half, start psn.PSN) *machines {
	m := new(machines)
	pmtu := uint32(ib.MaxPMTU)
	if c.opt.Scan != nil && h.service != ib.UD {
		pmtu = c.opt.Scan.pmtu(&h.key)
	}
	if !c.atEnd || h.src == c.own {
		m.req = roce.FollowRequester(roce.RequesterConfig{Service: h.service, Profile: c.wireful, PMTUBytes: pmtu, StartPSN: start,
			Timeout: 1, RetryCount: 7, RNRRetry: 7})
	}
	if (!c.atEnd || h.dst == c.own) && h.service == ib.RC {
		m.resp = roce.FollowResponder(roce.ResponderConfig{Service: h.service, Profile: c.wireful, PMTUBytes: pmtu, StartPSN: start,
			Open: true})
	}
	return m
}

// rebase turns the MSN of a device into the follower's, which counts from the first request that was seen.
func (m *machines) rebase(p *roce.Packet) {
	info := ib.Lookup(p.Op)
	if !info.Headers.Has(ib.AETH) {
		return
	}
	if !m.based {
		m.based = true
		if p.PSN == m.resp.EPSN().Add(-1) && p.MSN != m.resp.MSN() || psn.New(p.MSN).Diff(psn.New(m.resp.MSN())) > 0 {
			m.msnBase = p.MSN - m.resp.MSN()
		}
	}
	p.MSN = (p.MSN - m.msnBase) & 0xFFFFFF
}

// explainGap: on the wire a sequence NAK of something that came past says that it was lost behind the capture point.
func (c *Checker) explainGap(m *machines) {
	if c.pkt.Syndrome == ib.NAKSequence && c.pkt.Op == ib.Join(ib.RC, ib.Ack) && c.pkt.PSN.Diff(m.resp.EPSN()) < 0 {
		m.resp.Lost(c.pkt.PSN)
	}
}

// downstream judges a request where some are lost before the capture point: whether it was sent before cannot be known,
// only whether it came past before.
func (c *Checker) downstream(f *vectors.Frame, h *half, behind int32) Verdict {
	m := h.m
	m.upstream = true
	v := Verdict{Class: Expected}
	switch {
	case behind > 0:
		v.Class = OutOfSequence
		m.req = roce.FollowRequester(roce.RequesterConfig{Service: h.service, Profile: c.wireful, PMTUBytes: ib.MaxPMTU,
			StartPSN: c.pkt.PSN, Timeout: 1, RetryCount: 7, RNRRetry: 7})
		h.gaps++
	}
	return v
}

// copied tells that a frame is a copy of a recent one made on the way: the same IPv4 identification and the same bytes.
func (m *machines) copied(w *wire.Packet) bool {
	ip := w.IPv4()
	if ip == nil || ip.ID() == 0 {
		return false
	}
	d := double{id: ip.ID(), psn: w.BTH().PSN(), sum: sum(w.Frame[w.Transport:w.End])}
	for i := range m.doubles {
		if m.doubles[i] == d {
			return true
		}
	}
	m.doubles[m.next%uint8(len(m.doubles))] = d
	m.next++
	return false
}
