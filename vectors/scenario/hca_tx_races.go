package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// Trials of hca-tx in which two things come in one clock, or one finds no room, or one waits behind another.
const (
	hcaTxListed   = 17   // a QP of UC that fails in front of a WQE of its own
	hcaTxCleared  = 26   // a QP that is cleared, and nothing else
	hcaTxHeld     = 40   // clocks until memory is asked to write what a response brought
	hcaTxTold     = 300  // and until all that fails has been told of
	hcaTxPacked   = 48   // ACKs again, which fill the wakes and all that waits for one
	hcaTxCrowd    = 4800 // clocks until a crowd is through
	hcaTxShutAcks = 3    // of each who closes: more, of six, than wakes have places
	hcaTxShut     = 90   // operations of sq_scheduler: until they end no QP is woken
	hcaTxBurst    = 6    // messages of a QP at once
	hcaTxWaited   = 2    // writes for which a clear waits, and what fails behind it
	hcaTxApart    = 300  // clocks between these
	hcaTxMeets    = 200  // clocks in which packets leave that these ends may meet
	hcaTxWaits    = 6    // RNR waits whose ends meet packets
	hcaTxLocals   = 3    // rounds of local work of twelve QPs: more than any count of wakes that have room holds
	hcaTxAges     = 16   // rounds of ACKs, each of as many as a queue holds
	hcaTxOrders   = 50   // clocks behind a lapse in which they come
	hcaTxBeside   = 140  // records of what fails beside the last write, and of what is left of the episode then
)

// hcaTxSpare are QPs that are closed while orders come, as many as waits end.
var hcaTxSpare = [hcaTxWaits]uint32{16, 18, 21, 23, 27, 28}

// hcaTxTwelve are these, behind those whose ACKs meet the expiry of another.
func hcaTxTwelve() []uint32 { return append(append([]uint32{}, hcaTxOthers[:]...), hcaTxSpare[:]...) }

// hcaTxEnding are QPs of UC that end a WQE beside others that fail.
var hcaTxEnding = [...]uint32{22, 25}

// ordered has six QPs hear that there is no WQE, all at once, and their waits end at once, while another one sends:
// each order to go on, and at last each to close, may meet a packet (TMR-5, REQ-11), or the closes of six more, whose
// answers are none then (RSP-15): they begin anew for each wait.
func (h *hcaTxHost) ordered() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	var others []*hcaTxPeer
	for _, qpn := range hcaTxOthers {
		o := h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{RNRRetry: hcaTxWaits})
		o.postBare(1, "post to who has no WQE")
		others = append(others, o)
	}
	var shut []*hcaTxPeer
	for _, qpn := range hcaTxSpare {
		o := h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{})
		o.postBare(1, "post to who is closed before it answers")
		shut = append(shut, o)
	}
	for i := range hcaTxWaits {
		h.rest()
		for _, o := range shut[:len(shut)*min(i, 1)] {
			check := hca.ReqRecord{QPN: o.qpn, Op: hca.ReqConfigure, PMTU: o.pmtu, MaxReads: 1, PSN: h.model.State(o.qpn).Next}
			h.op(hca.ToCheck, check.Append(nil), "it begins anew")
			o.postBare(1, "post to who is closed before it answers")
		}
		h.says(others, ib.RNRSyndrome(hcaTxRNRCodes[0]), "no WQE, for six")
		h.rest()
		p.postBare(hcaTxBurst, "post while six waits end")
		h.behind = h.r.Below(hcaTxMeets)
		h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxSoonest+hcaTxSlack), "time passes, and six waits end")
		h.behind += h.r.Below(hcaTxOrders)
		for _, o := range shut {
			check := hca.ReqRecord{QPN: o.qpn, Op: hca.ReqClose}
			h.op(hca.ToCheck, check.Append(nil), "close while six waits end")
			h.behind += h.r.Below(3)
		}
		h.rest()
		h.says(shut, ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a close")
		p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK of what six waits met")
	}
	h.rest()
	p.postBare(hcaTxBurst, "post while six QPs fail")
	h.behind = h.r.Below(hcaTxMeets)
	h.says(others, ib.RNRSyndrome(hcaTxRNRCodes[0]), "no WQE, once too often")
	h.rest()
	for _, o := range h.others() { // none of them was closed by the host
		o.postBare(1, "post behind a failure")
	}
	h.rest()
	h.says(others, ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a failure")
	h.rest()
	h.closes(append(others, shut...))
}

// says has each peer say the same, one a clock.
func (h *hcaTxHost) says(all []*hcaTxPeer, syndrome ib.Syndrome, why string) {
	for _, o := range all {
		o.says(syndrome, why)
	}
}

// acknowledgeEach has each peer acknowledge a packet more.
func (h *hcaTxHost) acknowledgeEach(all []*hcaTxPeer, why string) {
	for _, o := range all {
		h.respond(hca.HcaTxResponse{QPN: o.qpn, Opcode: ib.Join(ib.RC, ib.Ack), PSN: h.model.State(o.qpn).Una,
			Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)}, why)
	}
}

func (h *hcaTxHost) closes(all []*hcaTxPeer) {
	for _, o := range all {
		o.close()
	}
}

// crowded fills the wakes of verdicts with ACKs again while sq_scheduler hears of nobody. Then come ACKs of three
// others, or RNR NAKs that acknowledge something, of which their timers are told two things; then three others go from
// SQD to RTS, and sq_scheduler hears of nobody again; then posts, and time until the RNR NAKs are over (TMR-5).
func (h *hcaTxHost) crowded() {
	p, others := h.loner(hca.ReqRecord{}, hca.RetryRecord{}), h.others()
	heard, drained := others[:3], others[3:]
	for i := range heard {
		heard[i] = h.lonerAt(heard[i].qpn, hca.ReqRecord{}, hca.RetryRecord{Code: hcaTxCodes[0], RetryCnt: 7, RNRRetry: 7})
	}
	p.postBare(1, "post before a crowd")
	for _, o := range drained {
		o.say(hca.TxDrain, "SQD before a crowd")
	}
	for _, o := range others {
		o.postBare(1, "post before a crowd")
	}
	for _, o := range heard {
		o.postBare(hcaTxShutAcks, "post before a crowd")
	}
	h.rest()
	h.wakes(hcaTxShut)
	for range hcaTxPacked / [...]int{1, 2, 2, 2}[h.r.Below(4)] { // with half of them what is told waits too
		p.repeat("an ACK again, in a crowd")
	}
	for range hcaTxShutAcks - 1 {
		h.acknowledgeEach(heard, "an ACK of each, in a crowd")
	}
	h.says(heard[:1], ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a crowd")
	h.notReady(heard[1:], "no WQE for the second, behind a crowd")
	for _, o := range drained {
		o.say(hca.TxResume, "RTS in a crowd")
		h.wakes(hcaTxShut / len(drained))
	}
	// The others wait, or not yet: behind this all that came is through, also of a device that is late.
	heard[0].postBare(hca.HcaTxQueueDepth-hcaTxShutAcks-1, "post in a crowd")
	h.behind += hcaTxCrowd
	h.rest()
	h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxSoonest+hcaTxSlack), "time passes, and there is a WQE behind a crowd")
	h.rest()
	h.closes(others)
}

// notReady has peers say that there is no WQE for the second packet of those that are not acknowledged: the first is.
func (h *hcaTxHost) notReady(all []*hcaTxPeer, why string) {
	for _, o := range all {
		h.respond(hca.HcaTxResponse{QPN: o.qpn, Opcode: ib.Join(ib.RC, ib.Ack), PSN: h.model.State(o.qpn).Una.Add(1),
			Syndrome: ib.RNRSyndrome(hcaTxRNRCodes[0])}, why)
	}
}

// closedBehind has tx_packetizer close QPs whose ACKs wait in front of it, as all wakes do that others' ACKs led to: a
// verdict on who is closed gives its place back.
func (h *hcaTxHost) closedBehind() {
	p, others := h.loner(hca.ReqRecord{}, hca.RetryRecord{}), h.others()
	p.postBare(1, "post before a crowd")
	for _, o := range others {
		o.postBare(hcaTxShutAcks, "post before a crowd")
	}
	h.rest()
	h.wakes(hcaTxShut / 2)
	for range hcaTxPacked / 2 {
		p.repeat("an ACK again, in a crowd")
	}
	for range hcaTxShutAcks {
		h.acknowledgeEach(others, "an ACK behind a crowd, of who closes")
	}
	for _, o := range others {
		h.wakes(2)
		o.say(hca.TxClose, "close behind an ACK that waits")
	}
	h.wakes(hcaTxShut / 2)
	h.rest()
	h.closes(others)
}

// listed has a QP of UC fail with a WQE whose message lies in several pieces, in front of one that may leave: no WQE
// ends well by that (DMA-7). It returns when both are posted.
func (h *hcaTxHost) listed() {
	p := &hcaTxPeer{h: h, r: h.r, qpn: hcaTxListed, pmtu: 1, service: hca.TxUC}
	p.opens(drawPSN(h.r), 0, false, false)
	p.say(hca.TxDrain, "SQD before what fails")
	p.postBare(h.r.Below(2), "post before what fails")
	h.wqes++
	p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Write, VA: h.r.Uint64(), List: p.place(), Length: 100,
		Entries: p.entries()}, "post of what fails")
	p.postBare(1, "post behind what fails, of UC")
}

// failsListed has all of that leave, what of it may.
func (h *hcaTxHost) failsListed() {
	p := &hcaTxPeer{h: h, r: h.r, qpn: hcaTxListed}
	before := len(h.memory.step)
	p.say(hca.TxResume, "RTS, and a WQE fails")
	for i := range h.memory.step[before:] {
		if at := before + i; h.memory.step[at].Listed() {
			h.memory.leave(h, hcaTxListed, at)
			break
		}
	}
	h.model.Fail(hcaTxListed)
	h.model.Clear()
}

// failsBeside has that QP fail beside a write that memory has not acknowledged: its end waits for that, or, held, all
// of its failure does, behind the clear of another. There QPs without a way fail too, so that who tells of them has no
// room when the write fails.
func (h *hcaTxHost) failsBeside(held bool) {
	h.failsListed()
	if !held {
		return
	}
	h.strand()
	h.tardy = max(h.tardy, hcaTxTold)
	h.wakes(hcaTxHeld)
	queue := hca.SQRecord{QPN: hcaTxCleared, Op: hca.SQClear, Slot: 1}
	h.op(hca.ToSendQueues, queue.Append(nil), "clear that waits for memory")
}

// failsBehind has a QP fail while the clear of another waits for memory: the end of that failure waits for what came to
// the QP behind the clear, and for nothing less (DMA-1). Its READ ends well, and the WQE behind that has a list.
func (h *hcaTxHost) failsBehind() {
	if h.top != nil || h.memory.placed.left() < hcaTxWaited+1 {
		return
	}
	p, f := h.loner(hca.ReqRecord{}, hca.RetryRecord{}), h.lonerAt(hcaTxOthers[1], hca.ReqRecord{}, hca.RetryRecord{})
	for i, o := range [...]*hcaTxPeer{p, f, f} {
		h.wqes++
		o.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: o.place(),
			Entries: uint8(1 + i/2), Length: 8}, "post of a READ that is waited for")
	}
	h.rest()
	a := hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.ReadResponseOnly), Payload: 8,
		Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)}
	h.memory.placed.apart = true
	h.respond(a, "a response that a clear waits for")
	h.wakes(hcaTxHeld)
	queue := hca.SQRecord{QPN: hcaTxCleared, Op: hca.SQClear, Slot: 1}
	h.op(hca.ToSendQueues, queue.Append(nil), "clear that waits for memory")
	h.behind = 2 * hcaTxHeld
	a.QPN = f.qpn
	h.respond(a, "a response that a failure waits for")
	h.model.Fail(f.qpn)
	h.model.Clear()
	h.rest()
	h.closes([]*hcaTxPeer{p, f})
}

// Of overtaken: QPs of RC, and messages of each.
const (
	hcaTxOvertakes = 4
	hcaTxOvertaken = 6
)

// overtaken has WQEs of RC end one a clock while two of UC do: an end of these waits for a verdict, and comes once.
func (h *hcaTxHost) overtaken() {
	others, ending := h.others(), h.ending()
	for _, o := range others[:hcaTxOvertakes] {
		o.postBare(hcaTxOvertaken, "post that ends beside one of UC")
	}
	h.rest()
	for _, o := range ending {
		o.postBare(1, "post of UC beside verdicts")
		h.memory.leave(h, o.qpn, len(h.memory.step))
	}
	h.behind = hcaTxOrders/2 + h.r.Below(hcaTxOrders)
	for range hcaTxOvertaken {
		h.acknowledgeEach(others[:hcaTxOvertakes], "an ACK of one of several")
	}
	h.rest()
	h.closes(append(others, ending...))
}

// aged has a timer expire that over 128 ACKs with progress have changed: its generation needs all its bits (TMR-3).
func (h *hcaTxHost) aged() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{Code: hcaTxCodes[0], RetryCnt: 7})
	for range hcaTxAges {
		p.postBare(hca.HcaTxQueueDepth, "post before ACKs one by one")
		h.rest()
		for range hca.HcaTxQueueDepth {
			h.respond(hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.Ack), PSN: h.model.State(p.qpn).Una,
				Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)}, "an ACK of one of eight")
		}
		h.rest()
	}
	p.postBare(1, "post that an old timer awaits")
	h.rest()
	h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxShortest+hcaTxSlack), "time passes, and an old timer expires")
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind an old timer")
}

// locals has more QPs with local work at once than there is room for in front of m_local, again and again: where the
// host takes none for a while, the next one has to wait (REQ-14). All of it is done when all was shown, and beside that
// a WQE of UC ends, of another QP each time: where the host takes no completion, its end has to wait too (REQ-13).
func (h *hcaTxHost) locals() {
	var all []*hcaTxPeer
	for _, qpn := range hcaTxTwelve() {
		all = append(all, h.lonerWithoutWay(qpn, hca.ReqRecord{}, hca.RetryRecord{}))
	}
	ending := h.ending()
	for slot := range hcaTxLocals {
		h.rest()
		for _, p := range all {
			h.wqes++
			p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.LocalInvalidate, Flags: hca.SQSignaled, Entries: 1,
				RKey: uint32(h.r.Uint64())}, "post of local work")
		}
		h.rest()
		for _, p := range all {
			q := hca.SQRecord{QPN: p.qpn, Op: hca.SQLocalDone, Slot: uint8(slot)}
			h.op(hca.ToSendQueues, q.Append(nil), "local work is done, of many")
		}
		if slot < len(ending) {
			ending[slot].postBare(1, "post of UC beside local work that is done")
			h.memory.leave(h, ending[slot].qpn, len(h.memory.step))
		}
	}
	h.rest()
	h.closes(append(all, ending...))
}
