package flow

import (
	"hash/maphash"

	"hcacosim/model/ib"
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
	near                 bool
}

func (p *pairing) slot(k pairKey) *pairSlot {
	if p.slots == nil {
		p.seed = maphash.MakeSeed()
		p.slots = make([]pairSlot, pairSlots)
	}
	return &p.slots[maphash.Comparable(p.seed, k)%pairSlots]
}

// nearBits: two PSNs that differ in these bits at most may be of one connection.
const nearBits = 10

// note remembers a request of a half without a pair.
func (p *pairing) note(h *half, n psn.PSN) {
	*p.slot(pairKey{h.src, h.dst, n, false}) = pairSlot{h, n}
	*p.slot(pairKey{h.src, h.dst, n >> nearBits, true}) = pairSlot{h, n}
}

// match finds the half whose request a response in h answers: the one with its PSN, or else the last one near it. A sequence
// NAK names a PSN that did not arrive.
func (p *pairing) match(h *half, n psn.PSN, missing bool) *half {
	if s := p.slot(pairKey{h.dst, h.src, n, false}); s.psn == n && !missing && s.answers(h) {
		return s.h
	}
	for _, near := range []psn.PSN{n >> nearBits, n.Add(1<<nearBits) >> nearBits, n.Add(-1<<nearBits) >> nearBits} {
		if s := p.slot(pairKey{h.dst, h.src, near, true}); s.psn>>nearBits == near && s.answers(h) {
			return s.h
		}
	}
	return nil
}

func (s *pairSlot) answers(h *half) bool {
	return s.h != nil && !s.h.evicted && s.h.pair == nil && s.h.src == h.dst && s.h.dst == h.src
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
	if q := c.pairs.match(h, c.pkt.PSN, c.pkt.Syndrome == ib.NAKSequence); q != nil {
		join(h, q)
	}
}

func join(h, q *half) { h.pair, q.pair = q, h }
