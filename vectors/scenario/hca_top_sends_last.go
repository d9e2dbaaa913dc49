package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/roce"
)

// last is what an episode of hca-top-sends ends with: what would be in the way of all else.
func (t *hcaTopSender) last() {
	t.foreign()
	t.bothFail()
	t.listed()
	t.longRead()
	t.failLocal()
}

// foreign posts for numbers that no device has: that of a QP that could send, with one bit more set, each in turn.
// Nothing comes of it.
func (t *hcaTopSender) foreign() {
	const from, numberBits = 16, 24 // above those of all devices
	h := t.h
	for i := range h.peers {
		p := h.peers[i]
		if s := h.model.State(p.qpn); p.ends || !s.Open || s.Failed || s.Posted > 0 || p.drained {
			continue
		}
		own := p.qpn
		for bit := from; bit < numberBits; bit++ {
			p.qpn = own | 1<<bit
			h.abroad = true
			p.postBare(1, "post")
			h.abroad = false
		}
		h.rest()
		return
	}
}

// bothFail has what a READ brings fail (DMA-5), and in that clock what a peer writes.
func (t *hcaTopSender) bothFail() {
	h := t.h
	for i := range h.peers {
		p := &h.peers[i]
		state := h.model.State(p.qpn)
		if p.silent() || !p.free || p.dead || !state.Open || state.Posted > 0 || p.drained || p.qpn == hcaTxFiller ||
			len(p.local)+len(p.flights)+len(p.answers) > 0 || h.memory.placed.left() == 0 {
			continue
		}
		h.wqes++
		p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(),
			Entries: 1, Length: 8}, "post of a READ whose write fails")
		h.rest()
		p.receive()
		if len(p.answers) > 0 {
			p.spoil()
		}
		h.rest()
		return
	}
}

// listed has a QP post with a list, whose pieces are a power of two, or one more: none of it leaves (REQ-15).
func (t *hcaTopSender) listed() {
	h := t.h
	for i := range h.peers {
		p := &h.peers[i]
		s := h.model.State(p.qpn)
		if p.ends || !s.Open || s.Failed || s.Posted > 0 || p.drained || p.qpn == hcaTxFiller {
			continue
		}
		h.wqes++
		p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Send, Flags: hca.SQSignaled, List: p.place(), Length: 8,
			Entries: 16>>(h.e.Number%4) | uint8(h.r.Below(2))}, "post with a list, in the end")
		h.rest()
		return
	}
}

// longRead has a QP read as much as a message may have, or nearly (LEN-1): nobody answers.
func (t *hcaTopSender) longRead() {
	h := t.h
	for i := range h.peers {
		p := &h.peers[i]
		s := h.model.State(p.qpn)
		if p.silent() || !p.free || !s.Open || s.Posted > 0 || p.drained || p.qpn == hcaTxFiller {
			continue
		}
		h.wqes++
		p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(),
			Entries: 1, Length: 1<<31 - uint32(h.r.Below(2)*h.r.Below(1<<20))}, "post of the longest READ")
		h.rest()
		return
	}
}

// failLocal has local work of a QP fail that has nothing else to do (REQ-14).
func (t *hcaTopSender) failLocal() {
	h := t.h
	for i := range h.peers {
		p := &h.peers[i]
		s := h.model.State(p.qpn)
		if p.silent() || !s.Open || s.Posted > 0 || p.drained || len(p.local) > 0 || h.len()+4 >= h.length-h.reserve() {
			continue
		}
		h.wqes++
		p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.LocalInvalidate, Flags: hca.SQSignaled, RKey: uint32(h.r.Uint64()),
			Entries: 1}, "post of local work that cannot be done")
		h.rest()
		if len(p.local) > 0 {
			q := hca.SQRecord{QPN: p.qpn, Op: hca.SQLocalDone, Slot: p.local[0].Slot, Fail: true, Status: p.localStatus()}
			p.local = p.local[1:]
			h.op(hca.ToSendQueues, q.Append(nil), "local work could not be done, in the end")
			h.rest()
		}
		return
	}
}
