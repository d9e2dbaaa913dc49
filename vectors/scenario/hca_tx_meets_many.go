package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// Trials of hca-tx-meets: expiries beside answers, and what comes more often behind a reset than wakes have places.
const (
	hcaTxMeetsReads     = 2
	hcaTxMeetsEnders    = 8
	hcaTxMeetsMostAgain = 30
	hcaTxMeetsWaits     = 3  // rounds of waits that end beside ACKs
	hcaTxMeetsAgain     = 48 // of these
	hcaTxMeetsMany      = 18 // of one thing: wakes have 16 places
	hcaTxMeetsSixteens  = 3  // things of an episode
)

// expiresBesideEnds has transport timers expire while READs of others end, and what is told of these waits. Of those
// that expire some have a READ outstanding and another that has no place, others SENDs that wait for credits: what the
// answer of another says is not for them (REQ-9, CRD-2).
func (h *hcaTxHost) expiresBesideEnds() {
	var late, readers []*hcaTxPeer
	for i, qpn := range hcaTxOthers {
		check := hca.ReqRecord{}
		if i%2 == 1 {
			check.Profile = hca.ReqCreditsLimited
		}
		o := h.lonerAt(qpn, check, hca.RetryRecord{Code: hcaTxCodes[0], RetryCnt: 7})
		o.readsOfNothing(2-i%2, "post of a READ of nothing before it expires")
		if i%2 == 1 {
			o.postBare(3, "post for credits before it expires")
		}
		late = append(late, o)
	}
	for _, qpn := range hcaTxJamsGo[len(hcaTxOthers):] {
		o := h.lonerAt(qpn, hca.ReqRecord{MaxReads: hcaTxMeetsReads}, hca.RetryRecord{})
		o.readsOfNothing(hcaTxMeetsReads+1, "post of a READ of nothing beside who expires")
		readers = append(readers, o)
	}
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	p.postBare(1, "post before a crowd")
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK before a crowd")
	h.rest()
	h.wakes(hcaTxShut / 4)
	h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxShortest+hcaTxSlack), "time passes, timers expire beside ends")
	h.wakes(hcaTxShut)
	for range h.r.Below(hcaTxMeetsMostAgain) {
		p.repeat("an ACK again, in a crowd")
	}
	for range hcaTxMeetsReads {
		h.readsOfNothingEnd(readers)
	}
	h.behind += hcaTxPause
	h.rest()
	h.closes(append(append(late, readers...), p))
	h.rest()
}

// readsOfNothing posts READs of no bytes.
func (p *hcaTxPeer) readsOfNothing(n int, why string) {
	for range n {
		p.postAs(p.h.next(hca.SendWQE{Verb: roce.Read, Flags: hca.SQSignaled, List: p.place(), Entries: 1}), why)
	}
}

// creditsBehindExpiry has SENDs wait for credits, and a READ and a WRITE go again by a timer. An ACK of the WRITE shows
// the loss of the READ, for which nothing is begun a second time, and brings credits all the same (CRD-2, TMR-3).
func (h *hcaTxHost) creditsBehindExpiry() {
	p := h.loner(hca.ReqRecord{Profile: hca.ReqCreditsLimited}, hca.RetryRecord{Code: hcaTxCodes[0], RetryCnt: 7})
	p.readsOfNothing(1, "post before a timer and credits")
	p.postAs(h.next(hca.SendWQE{Verb: roce.Write, Flags: hca.SQSignaled, List: p.place(), Entries: 1}),
		"post of a WRITE of nothing before a timer and credits")
	p.postBare(5, "post for credits behind a timer")
	h.rest()
	h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxShortest+hcaTxSlack), "time passes in front of credits")
	h.rest()
	h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: h.model.State(p.qpn).High.Add(-1), Opcode: ib.Join(ib.RC, ib.Ack),
		Syndrome: ib.AckSyndrome(uint8(1 + h.r.Below(20))), Number: 1}, "an ACK that brings credits behind a timer")
	h.behind = hcaTxPause
	h.rest()
	p.close()
	h.rest()
}

// waitsEndBesideACKs has the RNR waits of six QPs end at once while ACKs of theirs come that came before, one a clock:
// these end no wait, and no end is lost (TMR-5).
func (h *hcaTxHost) waitsEndBesideACKs() {
	var all []*hcaTxPeer
	for _, qpn := range hcaTxOthers {
		o := h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{RNRRetry: 7})
		o.postBare(1, "post before ACKs come again")
		all = append(all, o)
	}
	h.rest()
	h.says(all, ib.AckSyndrome(ib.CreditsUnlimited), "an ACK that comes again")
	h.rest()
	for _, o := range all {
		o.postBare(1, "post to who has no WQE, beside ACKs again")
	}
	for round := range hcaTxMeetsWaits {
		h.rest()
		h.says(all, ib.RNRSyndrome(hcaTxRNRCodes[0]), "no WQE, beside ACKs again")
		h.rest()
		if round > 0 {
			h.wakes(hcaTxCrossing + h.r.Below(hcaTxCrossing))
		}
		h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxSoonest+hcaTxSlack), "time passes, and waits end beside ACKs again")
		if round > 1 {
			h.wakes(hcaTxShut)
		}
		for i := range hcaTxMeetsAgain {
			all[(i+i/hcaTxMeetsAgain)%len(all)].repeat("an ACK again, of who waits")
		}
		h.behind += hcaTxPause
	}
	h.rest()
	h.says(all, ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind waits and ACKs again")
	h.rest()
	h.closes(all)
	h.rest()
}

// hcaTxSixteens is how many things there are of which many come.
const hcaTxSixteens = 8

// sixteen has one thing come more often than wakes have places, each time without an effect. Then a post, a verdict and
// a way back from SQD of another QP do what they should.
func (h *hcaTxHost) sixteen(kind int) {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	h.many(p, kind%hcaTxSixteens)
	h.rest()
	o := h.lonerAt(hcaTxOthers[0], hca.ReqRecord{}, hca.RetryRecord{})
	o.readsOfNothing(2, "post behind what came often")
	h.rest()
	h.readsOfNothingEnd([]*hcaTxPeer{o})
	h.behind = hcaTxPause
	h.rest()
	h.readsOfNothingEnd([]*hcaTxPeer{o})
	h.rest()
	o.say(hca.TxDrain, "SQD behind what came often")
	o.postBare(1, "post in SQD behind what came often")
	o.say(hca.TxResume, "RTS behind what came often")
	h.behind = hcaTxPause
	h.rest()
	o.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind what came often")
	h.rest()
	h.closes([]*hcaTxPeer{o, p})
	h.rest()
}

// many gives one thing that often.
func (h *hcaTxHost) many(p *hcaTxPeer, kind int) {
	switch kind {
	case 0:
		h.closedHears(p)
	case 1:
		p.say(hca.TxClose, "the end before RTS")
		h.often(func() { p.say(hca.TxResume, "RTS of who is closed") })
	case 2:
		h.often(func() { p.say(hca.TxResume, "RTS of who was not in SQD") })
	case 3:
		h.often(func() { p.foreignAs(4) })
	case 4:
		p.say(hca.TxDrain, "SQD before too many posts")
		p.postBare(hca.HcaTxQueueDepth, "post before too many")
		h.often(func() { p.postBare(1, "post where there is no room") })
	case 5:
		p.say(hca.TxClose, "the end before posts")
		queue := hca.SQRecord{QPN: p.qpn, Op: hca.SQVerdict, Fail: true, Status: roce.Flushed}
		h.op(hca.ToSendQueues, queue.Append(nil), "what is posted is flushed")
		h.often(func() { p.postBare(1, "post where the queue has failed") })
	case 6:
		h.often(func() { p.foreignAs(2) })
	case 7:
		p.postBare(1, "post in front of local work")
		p.postAs(h.next(hca.SendWQE{Verb: roce.LocalInvalidate, Flags: hca.SQSignaled, Entries: 1,
			RKey: uint32(h.r.Uint64())}), "post of local work that waits")
		h.often(func() {
			q := hca.SQRecord{QPN: p.qpn, Op: hca.SQLocalDone, Slot: uint8(2 + h.r.Below(hca.HcaTxQueueDepth-2))}
			h.op(hca.ToSendQueues, q.Append(nil), "local work is done, not in its turn")
		})
	}
}

// often does something more often than wakes have places.
func (h *hcaTxHost) often(do func()) {
	for range hcaTxMeetsMany {
		do()
	}
}

// closedHears has the packets of a QP closed, and ACKs come that its checker takes: new ones, and then one again.
func (h *hcaTxHost) closedHears(p *hcaTxPeer) {
	p.postBare(hca.HcaTxQueueDepth/2, "post before the end")
	h.rest()
	p.say(hca.TxClose, "the end before ACKs")
	h.rest()
	for range hca.HcaTxQueueDepth / 2 {
		h.acknowledgeEach([]*hcaTxPeer{p}, "an ACK of who is closed")
	}
	h.often(func() { p.repeat("an ACK again, of who is closed") })
}
