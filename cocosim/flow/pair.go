package flow

import (
	"hash/maphash"

	"hcacosim/model/psn"
)

// pairSlots bounds what is remembered of requests whose peer queue pair is not known.
const pairSlots = 1 << 14

// pairing joins the two directions of a connection. The BTH names only the queue pair that a packet is for, so a
// response is matched by its PSN to a request of the other direction; a sidecar settles it.
type pairing struct {
	seed  maphash.Seed
	slots []pairSlot
}

type pairSlot struct {
	h   *half
	psn psn.PSN
}

type pairKey struct {
	requester, responder addr
	psn                  psn.PSN
}

func (p *pairing) slot(requester, responder addr, n psn.PSN) *pairSlot {
	if p.slots == nil {
		p.seed = maphash.MakeSeed()
		p.slots = make([]pairSlot, pairSlots)
	}
	return &p.slots[maphash.Comparable(p.seed, pairKey{requester, responder, n})%pairSlots]
}

// note remembers a request of a half without a pair.
func (p *pairing) note(h *half, n psn.PSN) { *p.slot(h.src, h.dst, n) = pairSlot{h, n} }

// match finds the half whose request a response in h answers.
func (p *pairing) match(h *half, n psn.PSN) *half {
	s := p.slot(h.dst, h.src, n)
	if q := s.h; q != nil && s.psn == n && q.pair == nil && q.src == h.dst && q.dst == h.src {
		return q
	}
	return nil
}

// pairUp looks for the half that h answers.
func (c *Checker) pairUp(h *half) {
	if s := c.opt.Sidecar; s != nil && c.atEnd {
		k := key{src: h.dst, dst: h.src, service: h.service, qpn: s.end(c.side).QPN}
		if h.dst == c.own {
			k.qpn = s.dest(c.side)
		}
		join(h, c.table.find(&k))
		return
	}
	if q := c.pairs.match(h, c.pkt.PSN); q != nil {
		join(h, q)
	}
}

func join(h, q *half) { h.pair, q.pair = q, h }
