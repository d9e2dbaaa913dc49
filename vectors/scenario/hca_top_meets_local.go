package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// hcaTopMeetsDone is how many records say of local work that it is done while a command is carried out.
const hcaTopMeetsDone = 60

// commandBesideDone has a QP be drained while the host says in each clock, of another one, that local work is done
// which has no turn, and that no time passes: of that nothing comes (REQ-14), and what the drained one is given to
// send waits until it goes on.
func (t *hcaTopSender) commandBesideDone() {
	h, p, o := t.h, &t.h.peers[0], &t.h.peers[1]
	p.say(hca.TxDrain, "SQD beside local work that is done")
	t.later = uint64(t.writes-1) * (hcaTopClocks / 2) // from the clock in which the command is written on
	for range hcaTopMeetsDone {
		q := hca.SQRecord{QPN: o.qpn, Op: hca.SQLocalDone, Slot: uint8(1 + h.r.Below(hca.HcaTxQueueDepth-1))}
		h.op(hca.ToSendQueues, q.Append(nil), "local work is done beside a command, of no turn")
	}
	at := h.time() + t.later
	for range hcaTopMeetsDone {
		t.add(hcaTopMove{hcaTopTime, at, -1, make([]byte, 4), "no time passes beside a command", 0})
	}
	t.later = 0
	h.rest()
	p.postBare(1, "post to a QP that was drained beside local work")
	h.rest()
	p.say(hca.TxResume, "RTS behind local work")
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind SQD")
	h.rest()
}

// fencedLocal has local work of either kind wait with a fence until a READ has ended (REQ-14).
func (t *hcaTopSender) fencedLocal() {
	h, p := t.h, &t.h.peers[1]
	for _, verb := range [...]roce.Verb{roce.LocalInvalidate, roce.Bind} {
		p.postAs(h.next(hca.SendWQE{Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(),
			Entries: 1}), "post of a READ of nothing in front of a fence")
		p.postAs(h.next(hca.SendWQE{Verb: verb, Flags: hca.SQSignaled | hca.SQFence, RKey: uint32(h.r.Uint64()), Entries: 1}),
			"post of local work with a fence")
		h.rest()
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: h.model.State(p.qpn).Una,
			Opcode: ib.Join(ib.RC, ib.ReadResponseOnly), Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)},
			"a response that a fence waits for")
		h.rest()
		p.localDone("local work behind a fence is done")
		h.rest()
	}
}

// localDone has the host say that all local work of a QP is done.
func (p *hcaTxPeer) localDone(why string) {
	for _, w := range p.local {
		q := hca.SQRecord{QPN: p.qpn, Op: hca.SQLocalDone, Slot: w.Slot}
		p.h.op(hca.ToSendQueues, q.Append(nil), why)
	}
	p.local = p.local[:0]
}
