package flow

import (
	"encoding/binary"
	"slices"

	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// pairSlots bounds what is remembered of requests whose peer queue pair is not known. They come in pages, since most
// captures need few.
const pairSlots, pairPage = 1 << 17, 1 << 4

// pairing joins the two directions of a connection. The BTH names only the queue pair that a packet is for, so a
// response is matched by its PSN to a request of the other direction; a sidecar settles it.
type pairing struct {
	slots *[pairSlots / pairPage]*[pairPage]pairSlot
	open  map[[2]addr]*opened // halves with requests and without a pair, by their ends
}

// opened are the halves between two hosts that have requests and no pair. all is more than the list where that is full.
type opened struct {
	all  int
	list []*half
}

// maxOpened bounds the halves that a response is compared with.
const maxOpened = 512

type pairSlot struct {
	h          *half
	psn        psn.PSN
	generation uint32 // of h
}

// holds reports whether the half is still the one that was noted.
func (s *pairSlot) holds() bool { return s.h != nil && s.h.generation == s.generation }

type pairKey struct {
	requester, responder addr
	psn                  psn.PSN
	near                 bool
}

// add notes a half without a pair.
func (p *pairing) add(h *half) {
	if p.open == nil {
		p.open = map[[2]addr]*opened{}
	}
	ends := [2]addr{h.src, h.dst}
	o := p.open[ends]
	if o == nil {
		o = new(opened)
		p.open[ends] = o
	}
	if o.all++; len(o.list) < maxOpened {
		o.list = append(o.list, h)
	}
}

// forget takes a half out of those without a pair.
func (p *pairing) forget(h *half) {
	if !h.noted {
		return
	}
	h.noted = false
	ends := [2]addr{h.src, h.dst}
	o := p.open[ends]
	if o.all--; o.all == 0 {
		delete(p.open, ends)
		return
	}
	if i := slices.Index(o.list, h); i >= 0 {
		o.list = slices.Delete(o.list, i, i+1)
	}
}

func (p *pairing) slot(k pairKey) *pairSlot {
	i := k.hash() % pairSlots
	if p.slots == nil {
		p.slots = new([pairSlots / pairPage]*[pairPage]pairSlot)
	}
	page := &p.slots[i/pairPage]
	if *page == nil {
		*page = new([pairPage]pairSlot)
	}
	return &(*page)[i%pairPage]
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
		h.noted, h.asked, h.verbs = true, psn.Span{}, 0
		p.add(h)
	}
	h.verbs.Add(r)
	h.asked.Take(n)
	h.asked.Take(end)
	s := p.slot(pairKey{h.src, h.dst, n, false})
	if o := s.h; s.holds() && o != h && s.psn == n && o.src == h.src && o.dst == h.dst && o.pair == nil &&
		h.requestNS-o.requestNS < endNs {
		o.mixed, h.mixed = true, true
	}
	*s = pairSlot{h, n, h.generation}
	*p.slot(pairKey{h.src, h.dst, n >> nearBits, true}) = pairSlot{h, n, h.generation}
}

// match finds the half whose request a response in h answers: the one with its PSN, or else the last one near it. A
// sequence NAK names a PSN that did not arrive. Where several have the PSN, each response rules some out.
func (p *pairing) match(h *half, r *roce.Packet) (q *half, sure bool) {
	n := r.PSN
	if s := p.slot(pairKey{h.dst, h.src, n, false}); s.psn == n && r.Answer() != roce.SequenceAnswer {
		if s.answers(h) {
			return p.only(h, s.h, r)
		}
		if q := s.h; s.holds() && q.pair != nil && q.src == h.dst && q.dst == h.src && h.pair == nil {
			q.sure = false // two answer it: which of them its pair is was a guess
		}
	}
	for _, near := range []psn.PSN{n >> nearBits, n.Add(1<<nearBits) >> nearBits, n.Add(-1<<nearBits) >> nearBits} {
		s := p.slot(pairKey{h.dst, h.src, near, true})
		if s.psn>>nearBits == near && s.answers(h) && (s.h.asked.Holds(n, pairSlack, pairSlack) ||
			p.open[[2]addr{h.dst, h.src}].all == 1) {
			return p.only(h, s.h, r)
		}
	}
	return nil, false
}

// only returns the half that a response in h answers, one of which was found. Where others have the same PSNs, it is
// the only one that may have asked for everything that was answered. sure: no other could be it.
func (p *pairing) only(h, found *half, r *roce.Packet) (q *half, sure bool) {
	o := p.open[[2]addr{h.dst, h.src}]
	if o.all == 1 {
		return found, !found.mixed
	}
	if !found.mixed {
		return found, !o.others(found, r.PSN)
	}
	if o.all > len(o.list) || r.Answer().NAK() {
		return nil, false
	}
	if h.tries++; h.tries > 64 && h.tries%32 != 0 {
		return nil, false // hundreds that go in step must not cost time with every packet
	}
	if h.not == nil {
		h.not = map[*half]uint32{}
	}
	left := 0
	for _, x := range o.list {
		if g, ruled := h.not[x]; ruled && g == x.generation {
			continue
		}
		if !x.mayBeAsked(r) {
			h.not[x] = x.generation
			continue
		}
		if left++; left == 1 || x == found {
			q = x
		}
	}
	h.mixed = left > 1
	if left != 1 {
		return nil, false
	}
	return q, false
}

// others reports whether another half may have asked for a PSN.
func (o *opened) others(h *half, n psn.PSN) bool {
	if o.all > len(o.list) {
		return true
	}
	return slices.ContainsFunc(o.list, func(x *half) bool { return x != h && x.asked.Holds(n, pairSlack, pairSlack) })
}

// mayBeAsked reports whether a half may have asked for a response: for its PSN, and for one of its kind.
func (h *half) mayBeAsked(r *roce.Packet) bool {
	return h.asked.Holds(r.PSN, pairSlack, 0) && h.verbs.MayAnswer(r)
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
	q, sure := c.pairs.match(h, &c.pkt)
	if q == nil {
		return
	}
	late := q.mixed
	c.join(h, q)
	h.sure, q.sure = sure, sure
	if late { // the responses before this one are missing
		c.restart(h)
		c.restart(q)
	}
}

// restart makes an endpoint's half wait for the next message, as where the capture begins in the middle. On the wire
// it goes on, as where the capture misses responses.
func (c *Checker) restart(h *half) {
	h.mixed, h.not, h.tries = false, nil, 0
	switch {
	case c.atEnd:
		c.table.release(h)
		h.hasFirst, h.midway = false, true
	case h.m != nil:
		h.m.sums = [len(h.m.sums)]sentSum{} // it may have been connected anew since
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
