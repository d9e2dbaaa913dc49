package flow

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// renews tells that a request is of a new connection between the same queue pairs: its PSN is the first one's again,
// and that was answered; or it lies where no packet of the connection can be; or it was sent before, everything was
// answered, and it cannot be a retry.
func (c *Checker) renews(h *half, f *vectors.Frame, w *wire.Packet) bool {
	p, before := c.pkt.PSN, h.reach
	shape := c.pkt.Op.Shape()
	if shape.Verb == roce.Read {
		h.reach = max(h.reach, int32(min(c.pkt.DMALen/256, psn.Half)))
	}
	skips := p != h.next && h.requests > 1
	h.jumps = false
	if h.requests == 1 || p.After(h.top) {
		h.next = c.behind(h)
	}
	if h.requests == 1 {
		h.start, h.top = p, p
		return false
	}
	far, old, quiet := !p.Within(h.top, before+farPSNs), !p.After(h.top), h.acked && !h.answered.Before(h.top)
	if !old {
		h.top = p
	}
	if h.over && shape.First && !(h.m != nil && h.m.sentSame(p, sumOf(w))) || c.outlived(h, f, far, quiet) {
		h.start, h.top, h.acked, h.over, h.told, h.fatal = p, p, false, false, nil, false
		c.outlive(h)
		c.renewed = true
		return true
	}
	if h.service == ib.UD || c.described(h) || !far && !shape.First {
		return false
	}
	paused := f.TimeNS-h.requestNS > endNs
	look := c.opt.Scan.begunAt(&c.key, f.TimeNS, p)
	anew := far || look == begunAnew && h.told == nil
	earlier := p.Before(h.start) && c.atEnd && h.src == c.own // the capture began within a retry: this is an earlier first
	switch {
	case anew, look == begunNot && !old:
	case h.service == ib.UC:
		anew = old && paused
	case p == h.start && h.acked:
		anew = paused && quiet || h.m != nil && !h.m.sentSame(p, sumOf(w))
	case earlier:
		anew = true
	case old && quiet:
		anew = paused && (h.m != nil && !h.m.sentSame(p, sumOf(w)) || c.atEnd && h.src == c.own)
		h.maybeAnew = h.maybeAnew || paused || h.m != nil && h.m.sentOther(p, sumOf(w))
	}
	h.jumps = h.service == ib.UC && !old && skips && shape.First && h.told == nil && !c.described(h)
	// Nothing tells whether a connection begins here, or goes on with what was left out.
	maybe := !old && (quiet || h.fatal) && (skips || paused) || h.fatal && p == h.start
	h.maybeAnew = h.maybeAnew || maybe && look == begunUntold && h.told == nil
	if anew {
		c.renewed = c.renewed || !far && (!earlier || look == begunAnew)
		h.start, h.top, h.acked, h.maybeAnew, h.fatal = p, p, false, false, false
		h.next = c.behind(h)
	}
	return anew
}

// outlived tells that a first packet is of another connection than the one that the sidecar describes: it lies far from
// that; all of that was answered, or an error ended it; there was the time to connect anew; and the peer takes it for
// the first.
func (c *Checker) outlived(h *half, f *vectors.Frame, far, quiet bool) bool {
	return far && (quiet || h.fatal) && c.described(h) && c.pkt.Op.Shape().First && f.TimeNS-h.requestNS > connectNs &&
		c.opt.Scan.begunAt(&c.key, f.TimeNS, c.pkt.PSN) == begunAnew
}

// outlive leaves the sidecar behind, for both directions of a connection: it says nothing about what follows.
func (c *Checker) outlive(h *half) {
	if !c.described(h) {
		return
	}
	h.outlived = true
	c.outlives++
	if q := h.pair; q != nil && c.described(q) {
		q.outlived, q.over = true, true
		c.table.release(q)
	}
}

// connectNs is less than it takes to connect queue pairs anew: an exchange with the other host, and six changes of
// state.
const connectNs = 1_000_000

// behind is the PSN behind the request that is judged.
func (c *Checker) behind(h *half) psn.PSN {
	if c.pkt.Op.Shape().Verb != roce.Read {
		return c.pkt.PSN.Add(1)
	}
	pmtu, _ := c.pathMTU(h)
	return c.pkt.PSN.Add(int32(psn.OfRead(c.pkt.DMALen, pmtu)))
}

// farPSNs is more than can be on its way, or lost without a word.
const farPSNs = 1 << 16
