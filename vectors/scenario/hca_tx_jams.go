package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// An episode of hca-tx-jams has QPs that fail while what is told of others has no room, RNR waits that end while
// answers wait, RNR waits of each code, and a READ that ends at a gap.
const (
	hcaTxJamsLength = 1540
	hcaTxJamsAll    = 5 // WQEs of each QP that are acknowledged before others fail: so that all that is told waits
	hcaTxJamsRest   = 3 // and those left
	hcaTxJamsEvery  = 2 // ACKs from one that fails to the next
	hcaTxJamsTardy  = 1500
	hcaTxJamsWaits  = 2
	hcaTxJamsCodes  = 4  // of an episode: eight episodes have them all
	hcaTxJamsCode   = 16 // of a transport timer that outlasts a step

	// A crowd: RNR waits, and ACKs again, of which so many fill what stands in front of tx_packetizer.
	hcaTxJamsLate   = 4
	hcaTxJamsFewest = 12
	hcaTxJamsMany   = 30
)

// hcaTxJamsMost is the time of an episode.
var hcaTxJamsMost = hcaTxMostOf{steps: 64, beats: 2*hcaTxJamsLength + 10*hcaTxTimes, bytes: 60_000}

// hcaTxJamsFail are QPs that fail, and hcaTxJamsGo those that do not: hcaTxOthers and others.
var (
	hcaTxJamsFail = [...]uint32{1, 2, 4, 7, 19, 24, 29, 17, 22, 25, 26, 30}
	hcaTxJamsGo   = [...]uint32{3, 5, 6, 8, 10, 11, 16, 18, 21, 23, 27, 28, 14, 15}
)

// makeHcaTxJams makes posts and responses for hca_tx.
func makeHcaTxJams(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaTxJamsLength, func(r *Rand, e *Episode) {
		h := hcaTxHost{g: g, r: r, e: e, length: hcaTxJamsLength, long: true,
			model: hca.NewHcaTxBlocks(sim.Settings{"NumQps": 32, "Reads": 2})}
		h.memory.filled = true // what comes is counted by hand
		h.most = hcaTxJamsMost
		h.memory.placed.first = int(e.Number) * hcaTxWrites % hca.DMATags
		h.stray()
		h.memory.setUp(&h)
		h.rest()
		h.failIntoFull()
		h.waitsEndInJam()
		h.eachWait()
		h.endsAtGap()
		h.waitsEndInCrowd()
		h.fillUp()
	})
}

// failIntoFull has a response wait to be written, and more ACKs behind it than find room to be told; among the last of
// them NAKs, which end QPs. Each of these is told of, whatever it had to wait for (REQ-4, RSP-15).
func (h *hcaTxHost) failIntoFull() {
	var fail, goOn []*hcaTxPeer
	for _, qpn := range hcaTxJamsFail {
		fail = append(fail, h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{}))
	}
	for _, qpn := range hcaTxJamsGo {
		goOn = append(goOn, h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{}))
	}
	h.localsOf(append(fail, goOn...))
	reader := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	h.postRead(reader, 2)
	for range hcaTxJamsAll + hcaTxJamsRest {
		for _, p := range append(fail, goOn...) {
			p.postBare(1, "post before what is told finds no room")
		}
		h.rest()
	}
	h.responses(reader, 1, "a response that waits to be written")
	for range hcaTxJamsAll {
		h.acknowledgeEach(append(fail, goOn...), "an ACK behind a response that waits")
	}
	for i := range hcaTxJamsRest * len(goOn) {
		h.acknowledgeEach(goOn[i%len(goOn):][:1], "an ACK that may find no room")
		if k := i / hcaTxJamsEvery; i%hcaTxJamsEvery == 0 && k < len(fail) {
			fail[k].says(ib.NAKRemoteOp, "a NAK that may find no room")
		}
	}
	h.memory.placed.held = true
	h.rest()
	h.behind = hcaTxTold
	h.rest()
	h.closes(append(append(fail, goOn...), reader))
	h.rest()
}

// localsOf has each QP bind a window, or invalidate a key: more than there is room for in front of m_local, where the
// host takes none for a while (REQ-14).
func (h *hcaTxHost) localsOf(all []*hcaTxPeer) {
	for _, p := range all {
		p.postAs(h.next(hca.SendWQE{Verb: [...]roce.Verb{roce.Bind, roce.LocalInvalidate}[h.r.Below(2)],
			Flags: hca.SQSignaled, Entries: 1, RKey: uint32(h.r.Uint64())}), "post of local work of all")
	}
	h.rest()
	for _, p := range all {
		q := hca.SQRecord{QPN: p.qpn, Op: hca.SQLocalDone}
		h.op(hca.ToSendQueues, q.Append(nil), "local work of all is done")
	}
	h.rest()
}

// waitsEndInJam has RNR waits of six QPs end while answers of others wait for a payload: each sends again, and is
// counted, until its retries are exceeded (TMR-5, REQ-4). Behind what leaves there another QP is closed: its ACK ends
// nothing (RSP-15).
func (h *hcaTxHost) waitsEndInJam() {
	var all []*hcaTxPeer
	shut := h.lonerAt(hcaTxSpare[0], hca.ReqRecord{}, hca.RetryRecord{})
	shut.postBare(1, "post to who is closed in a jam")
	for _, qpn := range hcaTxOthers {
		p := h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{RNRRetry: hcaTxJamsWaits})
		p.postBare(1, "post to who has no WQE, before a jam")
		all = append(all, p)
	}
	h.rest()
	for range hcaTxJamsWaits {
		h.says(all, ib.RNRSyndrome(hcaTxRNRCodes[0]), "no WQE, before a jam")
		h.rest()
		h.tardy = hcaTxJamsTardy
		for i := range hcaTxJam + hcaTxJamFrames {
			h.jamWith(i)
		}
		h.behind = hcaTxJamsTardy / 3
		h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxSoonest+hcaTxSlack), "time passes, and waits end in a jam")
		h.behind += hcaTxTold
		check := hca.ReqRecord{QPN: shut.qpn, Op: hca.ReqClose}
		h.op(hca.ToCheck, check.Append(nil), "close in a jam")
		h.rest()
	}
	shut.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a close in a jam")
	h.says(all, ib.RNRSyndrome(hcaTxRNRCodes[0]), "no WQE, once too often, behind a jam")
	h.rest()
	h.closes(append(all, shut))
	h.rest()
}

// waitsEndInCrowd has RNR waits end while what is told of others finds no room: among that are READs which have ended.
// Each of these lets the next READ of its queue pair leave (TMR-5, REQ-6).
func (h *hcaTxHost) waitsEndInCrowd() {
	var late, readers []*hcaTxPeer
	for _, qpn := range hcaTxOthers[:hcaTxJamsLate] {
		o := h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{RNRRetry: 1})
		o.postBare(1, "post to who has no WQE, before a crowd")
		late = append(late, o)
	}
	for _, qpn := range hcaTxJamsGo[len(hcaTxOthers):] {
		o := h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{})
		for range 2 {
			o.postAs(h.next(hca.SendWQE{Verb: roce.Read, Flags: hca.SQSignaled, List: o.place(), Entries: 1}),
				"post of a READ of no bytes, before a crowd")
		}
		readers = append(readers, o)
	}
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	p.postBare(1, "post before a crowd")
	h.rest()
	h.says(late, ib.RNRSyndrome(hcaTxRNRCodes[0]), "no WQE, before a crowd")
	h.rest()
	h.wakes(hcaTxShut / 4)
	h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxSoonest+hcaTxSlack), "time passes, waits end in a crowd")
	h.wakes(hcaTxShut)
	for range h.r.Between(hcaTxJamsFewest, hcaTxJamsMany) {
		p.repeat("an ACK again, in a crowd")
	}
	h.readsOfNothingEnd(readers)
	h.behind += hcaTxCrowd
	h.rest()
	h.readsOfNothingEnd(readers)
	h.says(append(late, p), ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a crowd")
	h.rest()
	h.closes(append(append(late, readers...), p))
	h.rest()
}

// readsOfNothingEnd is the only response of the oldest READ of each.
func (h *hcaTxHost) readsOfNothingEnd(all []*hcaTxPeer) {
	for _, o := range all {
		h.respond(hca.HcaTxResponse{QPN: o.qpn, Opcode: ib.Join(ib.RC, ib.ReadResponseOnly),
			PSN: h.model.State(o.qpn).Una, Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)}, "a READ of nothing ends")
	}
}

// endsAtGap has a READ end at a gap in its responses, as no retry is left: an implied NAK (REQ-3). Then what was
// missing comes, and what is behind it: nothing of that is written, as the READ has ended.
func (h *hcaTxHost) endsAtGap() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	h.postRead(p, 3)
	h.rest()
	at := h.model.State(p.qpn).Una
	for _, i := range []int{0, 2, 1, 2} {
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: at.Add(int32(i)), Payload: uint16(hcaTxPMTU[p.pmtu]),
			Syndrome: ib.AckSyndrome(ib.CreditsUnlimited), Opcode: ib.Join(ib.RC, readOperation(i == 0, i == 2))},
			"a response of a READ that ends at a gap")
		h.rest()
	}
	p.close()
	h.rest()
}

// eachWait has a QP wait for some of the codes of an RNR NAK: a little less than its time nothing leaves, and then it
// does (TMR-5).
func (h *hcaTxHost) eachWait() {
	for i := range hcaTxJamsCodes {
		h.waits(uint8((int(h.e.Number)*hcaTxJamsCodes + i) % 32))
	}
}

// waits has a QP wait for a code.
func (h *hcaTxHost) waits(code uint8) {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{Code: hcaTxJamsCode, RNRRetry: 3, RetryCnt: 3})
	p.postBare(1, "post to who has no WQE, for each time")
	h.rest()
	p.says(ib.RNRSyndrome(code), "no WQE, for each time")
	h.rest()
	if ticks := uint32(ib.RNRTimerTicks(code)); ticks > 2*hcaTxSlack {
		h.give(hca.HcaTxOps, hca.HcaTxLapse(ticks-2*hcaTxSlack), "time passes, and it is too early")
		h.rest()
	}
	h.give(hca.HcaTxOps, hca.HcaTxLapse(3*hcaTxSlack), "time passes, and it goes again")
	h.behind = hcaTxPause
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a wait")
	h.rest()
	p.close()
}
