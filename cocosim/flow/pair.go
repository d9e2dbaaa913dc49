package flow

import (
	"encoding/binary"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// pairSlots bounds what is remembered of requests whose peer queue pair is not known.
const pairSlots = 1 << 17

// pairing joins the two directions of a connection. The BTH names only the queue pair that a packet is for, so a
// response is matched by its PSN to a request of the other direction; a sidecar settles it.
type pairing struct {
	slots []pairSlot
	open  map[[2]addr]int // halves with requests and without a pair, by their ends
}

type pairSlot struct {
	h          *half
	psn        psn.PSN
	generation uint32 // of h
}

// holds tells that the half is still the one that was noted.
func (s *pairSlot) holds() bool { return s.h != nil && s.h.generation == s.generation }

type pairKey struct {
	requester, responder addr
	psn                  psn.PSN
	near                 bool
}

// count keeps how many halves with the same ends are without a pair.
func (p *pairing) count(h *half, n int) {
	if p.open == nil {
		p.open = map[[2]addr]int{}
	}
	ends := [2]addr{h.src, h.dst}
	if p.open[ends] += n; p.open[ends] == 0 {
		delete(p.open, ends)
	}
}

// forget takes a half out of the count.
func (p *pairing) forget(h *half) {
	if h.noted {
		h.noted = false
		p.count(h, -1)
	}
}

func (p *pairing) slot(k pairKey) *pairSlot {
	if p.slots == nil {
		p.slots = make([]pairSlot, pairSlots)
	}
	return &p.slots[k.hash()%pairSlots]
}

// hash is the same in every run: a report must be too.
func (k *pairKey) hash() uint32 {
	var b [37]byte
	copy(b[:], k.requester[:])
	copy(b[16:], k.responder[:])
	binary.BigEndian.PutUint32(b[32:], uint32(k.psn))
	if k.near {
		b[36] = 1
	}
	return sum(b[:])
}

// nearBits: two PSNs that differ in these bits at most may be of one connection.
const nearBits = 10

// note remembers a request of a half without a pair.
func (p *pairing) note(h *half, r *roce.Packet) {
	n, end := r.PSN, r.PSN
	if r.Op.Shape().Verb == roce.Read {
		end = n.Add(int32(min(psn.OfRead(r.DMALen, 256)-1, 1<<20)))
	}
	if !h.noted {
		h.noted, h.asked = true, psn.Span{}
		p.count(h, 1)
	}
	h.asked.Take(n)
	h.asked.Take(end)
	s := p.slot(pairKey{h.src, h.dst, n, false})
	if o := s.h; s.holds() && o != h && s.psn == n && o.src == h.src && o.dst == h.dst && o.pair == nil && h.requestNS-o.requestNS < endNs {
		o.mixed, h.mixed = true, true
	}
	*s = pairSlot{h, n, h.generation}
	*p.slot(pairKey{h.src, h.dst, n >> nearBits, true}) = pairSlot{h, n, h.generation}
}

// match finds the half whose request a response in h answers: the one with its PSN, or else the last one near it. A sequence
// NAK names a PSN that did not arrive.
func (p *pairing) match(h *half, n psn.PSN, missing bool) *half {
	if s := p.slot(pairKey{h.dst, h.src, n, false}); s.psn == n && !missing && s.answers(h) {
		return s.h
	}
	for _, near := range []psn.PSN{n >> nearBits, n.Add(1<<nearBits) >> nearBits, n.Add(-1<<nearBits) >> nearBits} {
		s := p.slot(pairKey{h.dst, h.src, near, true})
		if s.psn>>nearBits == near && s.answers(h) && (s.h.asked.Holds(n, pairSlack, pairSlack) || p.open[[2]addr{h.dst, h.src}] == 1) {
			return s.h
		}
	}
	return nil
}

// pairSlack is how far from the PSNs that were asked for a response may lie: the first requests may not have been seen.
const pairSlack = 64

func (s *pairSlot) answers(h *half) bool {
	return s.holds() && s.h.pair == nil && s.h.src == h.dst && s.h.dst == h.src
}

// pairUp looks for the half that h answers.
func (c *Checker) pairUp(h *half) {
	if s := c.opt.Sidecar; s != nil && c.atEnd {
		k := key{src: h.dst, dst: h.src, service: h.service, qpn: s.end(c.side).QPN}
		if h.dst == c.own {
			k.qpn = s.dest(c.side)
		}
		c.join(h, c.table.find(&k, &c.pairs))
		return
	}
	if q := c.pairs.match(h, c.pkt.PSN, c.pkt.Answer() == roce.SequenceAnswer); q != nil {
		c.join(h, q)
	}
}

// join makes two halves a connection. Responses that came before their requests were found are theirs too.
func (c *Checker) join(h, q *half) {
	c.pairs.forget(h)
	c.pairs.forget(q)
	h.pair, q.pair = q, h
	q.responses += h.responses
	h.responses = 0
}
