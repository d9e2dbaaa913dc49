package flow

import (
	"encoding/binary"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// follow gives a half its machines; false while it has none. Without a sidecar the first packet of a half waits for a
// second: most halves of a hostile capture have one.
func (c *Checker) follow(h *half, f *vectors.Frame, w *wire.Packet) bool {
	if h.m != nil {
		c.table.touch(h)
		return true
	}
	if c.described(h) {
		c.table.hold(h, c.configured(h))
		h.judged = true
		return true
	}
	shape := c.pkt.Op.Shape()
	request := shape.Request
	if receives := c.atEnd && h.dst == c.own && !h.midway; request && !receives && !h.hasFirst && !shape.First {
		return false // nobody knows what it goes on with
	}
	if !h.hasFirst && !h.judged && request {
		h.first, h.firstAt, h.hasFirst = c.pkt, f.TimeNS, true
		h.firstCopy, h.firstSum, h.firstNumber = copyOf(w), sumOf(w), f.Number
		h.hold(&c.pkt)
		return false
	}
	start, again := c.pkt.PSN, false
	if h.hasFirst {
		start, again = h.first.PSN, true
	} else if !request {
		return false
	}
	if !c.table.room() {
		h.hasFirst = false // it starts again where there is room
		return false
	}
	c.table.hold(h, c.inferred(h, start))
	h.judged = true
	if again {
		c.replayFirst(h)
	}
	return true
}

// hold counts what a request that waits brings.
func (h *half) hold(p *roce.Packet) { h.bytes += uint64(p.Len) }

// replayFirst gives the machines the request that had waited for them. Nothing can be wrong with the first but its
// form.
func (c *Checker) replayFirst(h *half) {
	m := h.m
	m.sameBytes(h.first.PSN, h.firstSum, false)
	if t := &c.tallied; !h.mixed && t.single > 0 {
		t.single, t.judged = t.single-1, t.judged+1
	}
	if m.resp != nil {
		m.step.note(h.firstNumber, h.firstAt, &h.first, m.resp.Refuses(&h.first)).taken = true
		m.resp.Received(&h.first)
		m.early = append(m.early, h.first)
	}
	if m.wire != nil {
		m.wire.Passed(&h.first)
		m.doubles[0], m.next = h.firstCopy, 1
	}
	if m.req != nil {
		x := m.req.Sent(h.firstAt, &h.first)
		if m.peer != nil {
			m.peer.Passed(&h.first)
		}
		if rule := x.Rule; rule == "LEN-1" || rule == "RSP-13" || rule == "REQ-11" {
			c.brokenRequest(&vectors.Frame{Number: h.firstNumber, TimeNS: h.firstAt}, h, true, rule, x.Text, 0)
		}
	}
	h.hasFirst = false
}

// described reports whether the sidecar describes this half.
func (c *Checker) described(h *half) bool {
	s := c.opt.Sidecar
	return s != nil && c.atEnd && !h.outlived && (h.dst == c.own && h.qpn == s.end(c.side).QPN || h.src == c.own &&
		h.qpn == s.dest(c.side))
}

// configured makes the machines of the endpoint's own end from the sidecar.
func (c *Checker) configured(h *half) *machines {
	s, m := c.opt.Sidecar, &machines{step: newStep()}
	if h.src == c.own {
		cfg := s.requester(c.side, &c.opt.Profile)
		cfg.StampNs = uint64(c.opt.Scan.StampGrainNS())
		cfg.BehindNs = c.opt.BehindNs + cfg.StampNs
		m.req, m.reqCfg = roce.FollowRequester(cfg), cfg
		if s.end(c.side).Timeout != nil {
			m.setLeast(&c.opt.Profile, cfg.Timeout)
		}
		h.timeout = cfg.Timeout
		m.ops, m.times = s.operations(c.side), s.bracketOf(c.side)
		m.peer = roce.FollowWire(cfg.PMTUBytes, true)
		return m
	}
	cfg := s.responder(c.side, &c.opt.Profile)
	// a device that keeps more than the machine knows more, and so does one that pages on demand
	cfg.Open = s.Recvs == nil || cfg.MaxReads > roce.MaxKept || s.end(c.side).pages()
	m.resp, m.cfg = roce.FollowResponder(cfg), cfg
	m.resp.SetState(s.end(c.side).state())
	m.based, m.start, m.times = true, startKnown, s.bracketOf(otherSide(c.side))
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

// inferred makes machines from what can be told: the start PSN is that of the first request, the PMTU what the first
// look at the capture found. Timeouts are not known, nor is anything about memory and receive WQEs.
func (c *Checker) inferred(h *half, start psn.PSN) *machines {
	pmtu, sure := c.pathMTU(h)
	req := roce.RequesterConfig{Service: h.service, Profile: c.wireful, PMTUBytes: pmtu, StartPSN: start, Timeout: 1,
		RetryCount: 7, RNRRetry: 7, StampNs: uint64(c.opt.Scan.StampGrainNS())}
	if !c.atEnd {
		m := c.table.blank()
		m.req.Restart(req)
		m.wire.Restart(pmtu, sure)
		m.pmtu, m.guessed = pmtu, !sure
		return m
	}
	m := &machines{step: newStep(), pmtu: pmtu, guessed: !sure}
	m.step.anew, m.step.start, h.late = h.late, start, false
	if h.src == c.own {
		req.BehindNs = c.opt.BehindNs + req.StampNs
		m.req, m.reqCfg = roce.FollowRequester(req), req
		m.peer = roce.FollowWire(pmtu, sure)
	}
	if h.dst == c.own {
		m.cfg = roce.ResponderConfig{Service: h.service, Profile: c.wireful, PMTUBytes: pmtu, StartPSN: start, Open: true}
		if h.told != nil && !h.ownStart {
			m.cfg.StartPSN, m.start = h.told.start, startKnown
		}
		m.resp = roce.FollowResponder(m.cfg)
	}
	return m
}

// start is how sure the start PSN of a responder is. The first request that was seen need not be the first.
type start uint8

const (
	startGuessed start = iota
	startKnown         // the sidecar or the first response says so
	startWrong         // the first response fits no guess
)

// settleStart takes the first response for what it says of the PSN that the device expects.
func (m *machines) settleStart(h *half, p *roce.Packet, x roce.Verdict) roce.Verdict {
	switch {
	case m.start == startWrong:
	case x.Allowed():
		m.start = startKnown
	case p.Answer() == roce.SequenceAnswer && !p.PSN.After(h.start):
		m.start, m.cfg.StartPSN, h.start = startKnown, p.PSN, p.PSN
		m.resp = roce.FollowResponder(m.cfg)
		for i := range m.early {
			m.resp.Received(&m.early[i])
		}
		within := len(m.early) > 0 && !m.early[0].Op.Shape().First
		m.msnBase, m.based, m.early = p.MSN, true, nil
		m.resp.CountsFrom(m.msnBase)
		x = m.resp.Sent(&roce.Packet{Op: p.Op, PSN: p.PSN, Syndrome: p.Syndrome})
		if within && !x.Allowed() { // it knew more of this message than was seen
			m.start = startWrong
		}
		return x
	default:
		m.start = startWrong
	}
	m.early = nil
	return x
}

// rebase turns the MSN of a device into the follower's, which counts from the first request that was seen.
func (m *machines) rebase(p *roce.Packet) {
	info := ib.Lookup(p.Op)
	if !info.Headers.Has(ib.AETH) {
		return
	}
	if !m.based && (p.PSN != m.resp.EPSN().Add(-1) || p.Answer().NAK()) { // a NAK may be older than what came since
		p.MSN = m.resp.LeastMSN(p) // how many of those that are under way it counts is not known
		return
	}
	if !m.based {
		m.based, m.msnBase = true, p.MSN-m.resp.MSN()
		m.resp.CountsFrom(m.msnBase)
	}
	p.MSN = (p.MSN - m.msnBase) & 0xFFFFFF
}

// copyOf is what a copy of a frame made on the way has too; zero if copies cannot be told. The ICRC, found good, stands
// for the bytes.
func copyOf(w *wire.Packet) double {
	ip := w.IPv4()
	if ip == nil || ip.ID() == 0 || w.End-icrcBytes < w.Transport+bthBytes {
		return double{}
	}
	if w.End > len(w.Frame) {
		return double{id: ip.ID(), psn: w.BTH().PSN(), icrc: sum(seen(w))}
	}
	return double{id: ip.ID(), psn: w.BTH().PSN(), icrc: binary.LittleEndian.Uint32(w.Frame[w.End-icrcBytes:])}
}

// copied tells that a frame is a copy of a recent one made on the way: the same IPv4 identification and the same bytes.
func (m *machines) copied(d double) bool {
	if d == (double{}) {
		return false
	}
	for i := range m.doubles {
		if m.doubles[i] == d {
			return true
		}
	}
	m.doubles[m.next%uint8(len(m.doubles))] = d
	m.next++
	return false
}
