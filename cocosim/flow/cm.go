package flow

import (
	"fmt"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// told is what the connection manager's exchange says of one direction of a connection.
type told struct {
	requester, responder uint32 // communication IDs: another exchange is another connection
	start                psn.PSN
	pmtu                 uint32
	timeout, retries     uint8 // that a REQ proposes for both; a host may set others
}

// offers are REQs that no REP has answered, by who asks, who is asked, and the communication ID.
type offers map[offerKey]cmMessage

type offerKey struct {
	asker, asked addr
	id           uint32
}

// maxOffers bounds the REQs that are remembered.
const maxOffers = 1 << 12

// exchange takes what a message of the connection manager says: from a REQ and its REP on, two directions are one
// connection, and a new one if the queue pairs had another before.
func (c *Checker) exchange(w *wire.Packet) {
	m, ok := readCM(w)
	if !ok {
		return
	}
	switch m.kind {
	case cmREQ:
		if c.offers == nil || len(c.offers) >= maxOffers {
			c.offers = offers{}
		}
		c.offers[offerKey{c.src, c.dst, m.local}] = m
	case cmREP:
		if req, ok := c.offers[offerKey{c.dst, c.src, m.remote}]; ok && (req.service == ib.RC || req.service == ib.UC) {
			c.connect(&req, &m)
		}
	case cmREJ:
		delete(c.offers, offerKey{c.dst, c.src, m.remote})
	case cmDREQ:
		c.disconnect(&m)
	}
}

// connect makes one connection of what the asker (c.dst) and the asked (c.src) said.
func (c *Checker) connect(req, rep *cmMessage) {
	to := key{src: c.dst, dst: c.src, qpn: rep.qpn, service: req.service}
	back := key{src: c.src, dst: c.dst, qpn: req.qpn, service: req.service}
	h := c.table.find(&to, &c.pairs)
	x := told{requester: req.local, responder: rep.local, start: rep.start, pmtu: req.pmtu, timeout: req.ackTimeout,
		retries: req.retries}
	y := x
	y.requester, y.responder, y.start = x.responder, x.requester, req.start
	q := c.table.find(&back, &c.pairs)
	if h.told != nil && *h.told == x && (q.told == nil || *q.told == y) {
		return // the REP came again
	}
	if h.over && h != q {
		c.outlive(h)
	}
	if h == q || c.described(h) || c.described(q) {
		return
	}
	c.begin(h, &x)
	c.begin(q, &y)
	c.join(h, q)
	h.sure, q.sure = true, true
	c.connected++
}

// begin makes a half one of a new connection. What was counted stays.
func (c *Checker) begin(h *half, x *told) {
	c.part(h)
	c.table.release(h)
	h.told, h.start, h.top, h.reach, h.begun = x, x.start, x.start, 0, h.requests > 0
	h.mixed, h.acked, h.midway, h.hasFirst, h.over, h.fatal, h.opened = false, false, false, false, false, false, false
	h.ownStart = false
}

// opens judges the first request of a connection that the connection manager told of: it has the start PSN that was
// agreed (PSN-5).
func (c *Checker) opens(h *half, f *vectors.Frame, sent bool) {
	if h.told == nil || h.opened {
		return
	}
	h.opened = true
	if c.pkt.PSN == h.told.start {
		return
	}
	look := c.opt.Scan.begunAt(&c.key, f.TimeNS, c.pkt.PSN)
	if h.ownStart = look == begunFirst || look == begunAnew; !sent {
		return
	}
	if h.ownStart {
		c.excuse = takenText
		defer func() { c.excuse = "" }()
	}
	c.rest(f.Number, f.TimeNS, h.dst, f.Number, false, needSent, sim.Verdict{Rule: "PSN-5",
		Text: fmt.Sprintf("the first request has PSN %06Xh, and the start PSN %06Xh was agreed", uint32(c.pkt.PSN),
			uint32(h.told.start))}, causeSought{})
}

// part takes a half out of its pair.
func (c *Checker) part(h *half) {
	c.pairs.forget(h)
	if q := h.pair; q != nil {
		h.pair, q.pair = nil, nil
		h.sure, q.sure = false, false
	}
}

// disconnect notes that a connection ends: the next first packet is of another.
func (c *Checker) disconnect(m *cmMessage) {
	for _, service := range [...]ib.Transport{ib.RC, ib.UC} {
		k := key{src: c.src, dst: c.dst, qpn: m.remoteQPN, service: service}
		if h := c.table.halves[k]; h != nil {
			h.over = true
			if h.pair != nil {
				h.pair.over = true
			}
		}
	}
}
