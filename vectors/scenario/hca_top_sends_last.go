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

// first is the first QP that has nothing to do, may send, and is as ok says; nil if there is none.
func (t *hcaTopSender) first(ok func(p *hcaTxPeer, s *hca.HcaTxState) bool) *hcaTxPeer {
	for i := range t.h.peers {
		p := &t.h.peers[i]
		if s := t.h.model.State(p.qpn); s.Open && s.Posted == 0 && !p.drained && ok(p, &s) {
			return p
		}
	}
	return nil
}

// foreign posts for numbers that no device has: that of a QP that could send, with one bit more set, each in turn.
// Nothing comes of it.
func (t *hcaTopSender) foreign() {
	const from, numberBits = 16, 24 // above those of all devices
	h := t.h
	p := t.first(func(p *hcaTxPeer, s *hca.HcaTxState) bool { return !p.ends && !s.Failed })
	if p == nil {
		return
	}
	h.abroad = true
	for bit := from; bit < numberBits; bit++ {
		q := *p
		q.qpn |= 1 << bit
		q.postBare(1, "post")
	}
	h.abroad = false
	h.rest()
}

// bothFail has what a READ brings fail (DMA-5), and in that clock what a peer writes.
func (t *hcaTopSender) bothFail() {
	h := t.h
	p := t.first(func(p *hcaTxPeer, _ *hca.HcaTxState) bool {
		return !p.silent() && p.free && !p.dead && p.qpn != hcaTxFiller && len(p.local)+len(p.flights)+len(p.answers) == 0
	})
	if p == nil || h.memory.placed.left() == 0 {
		return
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
}

// listed has a QP post with a list, whose pieces are a power of two, or one more: none of it leaves (REQ-15).
func (t *hcaTopSender) listed() {
	h := t.h
	p := t.first(func(p *hcaTxPeer, s *hca.HcaTxState) bool { return !p.ends && !s.Failed && p.qpn != hcaTxFiller })
	if p == nil {
		return
	}
	h.wqes++
	p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Send, Flags: hca.SQSignaled, List: p.place(), Length: 8,
		Entries: 16>>(h.e.Number%4) | uint8(h.r.Below(2))}, "post with a list, in the end")
	h.rest()
}

// longRead has a QP read as much as a message may have, or nearly (LEN-1): nobody answers.
func (t *hcaTopSender) longRead() {
	h := t.h
	p := t.first(func(p *hcaTxPeer, _ *hca.HcaTxState) bool { return !p.silent() && p.free && p.qpn != hcaTxFiller })
	if p == nil {
		return
	}
	h.wqes++
	p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(),
		Entries: 1, Length: 1<<31 - uint32(h.r.Below(2)*h.r.Below(1<<20))}, "post of the longest READ")
	h.rest()
}

// failLocal has local work of a QP fail that has nothing else to do (REQ-14).
func (t *hcaTopSender) failLocal() {
	h := t.h
	p := t.first(func(p *hcaTxPeer, _ *hca.HcaTxState) bool { return !p.silent() && len(p.local) == 0 })
	if p == nil || h.len()+4 >= h.length-h.reserve() {
		return
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
}
