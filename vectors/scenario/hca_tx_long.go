package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// An episode of hca-tx-long has one of what an episode of hca-tx has no room for, in turn: a message of more than
// 128 KiB, a READ that goes again from there on, writes of READ responses that wait and fail by the dozen.
const (
	hcaTxLongLength    = 2240
	hcaTxLongWrites    = hca.DMATags // all tags that there are: an episode begins with tag 0
	hcaTxLongCode      = 5           // of the PMTU of what is long
	hcaTxLongFar       = 32          // packets of 4,096 bytes to 128 KiB
	hcaTxLongBeyond    = 3           // packets beyond these, at most, to where it goes again; and from there on
	hcaTxLongBeats     = 2*hcaTxLongLength + 10*hcaTxTimes
	hcaTxLongBytes     = 1_800_000 // in and out
	hcaTxLongUnderWay  = 64        // writes of READ responses: each has a verdict, and both are under way
	hcaTxLongWaiting   = 100       // writes before memory acknowledges the first: more than that
	hcaTxLongApart     = 64        // clocks between its acknowledgements
	hcaTxLongAtOnce    = 8         // responses of a step
	hcaTxLongOvertaken = 4
	hcaTxLongReaders   = 3 // QPs that read while others' waits end
	hcaTxLongReads     = 2 // and READs of each
	hcaTxLongRounds    = 7
	hcaTxLongFlags     = 8   // of signaled, solicited, immediate: each with each other
	hcaTxLongAgain     = 70  // ACKs beside posts
	hcaTxLongPosts     = 3   // of each of twelve QPs
	hcaTxLongTrial     = 160 // records of such a trial
	hcaTxLongSteps     = 70  // before the trials of hca-tx at its end
)

// makeHcaTxLong makes posts and responses for hca_tx.
func makeHcaTxLong(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaTxLongLength, func(r *Rand, e *Episode) {
		h := hcaTxHost{g: g, r: r, e: e, length: hcaTxLongLength, long: true,
			model: hca.NewHcaTxBlocks(sim.Settings{"NumQps": 32, "Reads": 2})}
		h.memory.filled = true // what comes is counted by hand
		h.most.beats, h.most.bytes = hcaTxLongBeats, hcaTxLongBytes
		h.memory.placed.more = hcaTxLongWrites - hcaTxWrites
		h.stray()
		h.memory.setUp(&h)
		h.rest()
		turn := int(e.Number / 3)
		switch e.Number % 3 {
		case 0:
			h.longMessage()
		case 1:
			h.longRead(hcaTxLongFar << (turn % 3))
		case 2:
			h.manyWait()
			h.manyFail()
		}
		if e.Number%3 != 0 { // there is room
			h.readsMeetOrders()
			h.fences()
			h.slowFull()
			h.postsCrowd()
			h.expireTogether()
		}
		h.eachList()
		h.fillLong()
		h.fillPieces()
		h.meetAgain()
		for e.Len() < hcaTxLongLength {
			h.stray()
		}
	})
}

// readsMeetOrders has READs leave while the RNR waits of others end: what read_place notes of a READ is its own,
// whatever waits for req_ack_check in that clock (REQ-1, DMA-1).
func (h *hcaTxHost) readsMeetOrders() {
	var others, readers []*hcaTxPeer
	for _, qpn := range hcaTxOthers {
		o := h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{RNRRetry: 7})
		o.postBare(1, "post to who has no WQE, beside READs")
		others = append(others, o)
	}
	for _, qpn := range hcaTxSpare[:hcaTxLongReaders] {
		readers = append(readers, h.lonerAt(qpn, hca.ReqRecord{MaxReads: hcaTxLongReads}, hca.RetryRecord{}))
	}
	for range hcaTxLongRounds {
		h.rest()
		h.says(others, ib.RNRSyndrome(hcaTxRNRCodes[0]), "no WQE, beside READs")
		h.rest()
		for range hcaTxLongReads {
			for _, p := range readers {
				p.postAs(h.next(hca.SendWQE{Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(),
					Entries: 1, Length: 8}), "post of a READ while six waits end")
			}
		}
		h.behind = h.r.Below(hcaTxMeets)
		h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxSoonest+hcaTxSlack), "time passes, and six waits end beside READs")
		h.rest()
		for _, p := range readers {
			for at, i := h.model.State(p.qpn).Una, 0; i < hcaTxLongReads; i++ {
				h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: at.Add(int32(i)), Payload: 8,
					Opcode: ib.Join(ib.RC, ib.ReadResponseOnly), Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)},
					"a response of what met orders")
			}
		}
	}
	h.rest()
	h.closes(append(others, readers...))
}

// fences has a SEND with a fence wait for a READ, beside each other flag: it leaves when the READ has ended (REQ-14).
func (h *hcaTxHost) fences() {
	var all []*hcaTxPeer
	for i, qpn := range hcaTxTwelve()[:hcaTxLongFlags] {
		p := h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{})
		p.postAs(h.next(hca.SendWQE{Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(),
			Entries: 1, Length: 8}), "post of a READ in front of a fence")
		p.postAs(h.next(hca.SendWQE{Verb: roce.Send, Flags: hca.SQFence | hca.SQFlags(i), List: p.place(), Entries: 1,
			Imm: uint32(h.r.Uint64())}), "post with a fence, and other flags")
		all = append(all, p)
	}
	h.rest()
	for _, p := range all {
		h.respond(hca.HcaTxResponse{QPN: p.qpn, Payload: 8, Opcode: ib.Join(ib.RC, ib.ReadResponseOnly),
			Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)}, "a response that a fence waits for")
	}
	h.rest()
	h.says(all, ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a fence")
	h.rest()
	h.closes(all)
}

// slowFull has a QP with a pace send a message of packets that are all full, of 4,096 bytes.
func (h *hcaTxHost) slowFull() {
	const packets, pace = 3, 1000
	p := h.loner(hca.ReqRecord{PMTU: hcaTxLongCode}, hca.RetryRecord{})
	rate := hca.RateQuery{QPN: p.qpn, Op: hca.RateSet, Pace: pace}
	h.op(hca.ToPace, rate.Append(nil), "a pace of full packets")
	h.settle()
	p.postAs(h.next(hca.SendWQE{Verb: roce.Write, Flags: hca.SQSignaled, VA: h.r.Uint64(), Entries: 1,
		List: h.r.Uint64() &^ (hca.ReadPieceBytes - 1), Length: packets * hcaTxPMTU[hcaTxLongCode]}),
		"post of full packets at a pace")
	h.behind += packets * (pace*11/10 + hcaTxPoll)
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK of full packets at a pace")
	h.removePaces([]*hcaTxPeer{p})
	h.rest()
	p.close()
}

// postsCrowd has twelve QPs post one a clock while ACKs again and software wake others: posts find no room for their
// wakes, and wait (docs/blocks/hca_tx.md, Queues).
func (h *hcaTxHost) postsCrowd() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	p.postBare(1, "post before a crowd of posts")
	var all []*hcaTxPeer
	for _, qpn := range hcaTxTwelve() {
		all = append(all, h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{}))
	}
	h.rest()
	for range hcaTxLongAgain {
		p.repeat("an ACK again, beside posts")
	}
	for range hcaTxLongPosts {
		for _, o := range all {
			o.postBare(1, "post in a crowd of posts")
			h.wakes(h.r.Below(2))
		}
	}
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a crowd of posts")
	h.says(all, ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a crowd of posts")
	h.rest()
	h.closes(append(all, p))
}

// expireTogether has the timers of QPs expire at once that may not retry: all of them fail, though nothing is sent
// again between (TMR-4).
func (h *hcaTxHost) expireTogether() {
	var all []*hcaTxPeer
	for _, qpn := range hcaTxOthers {
		p := h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{Code: hcaTxCodes[0]})
		p.postBare(1, "post before all expire")
		all = append(all, p)
	}
	h.rest()
	h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxShortest+hcaTxSlack), "time passes, and all expire")
	h.behind = hcaTxPause
	h.rest()
	h.closes(all)
}

// eachList has WQEs fail whose messages lie in 2, 4, 8 and 16 pieces, and in any number (DMA-7).
func (h *hcaTxHost) eachList() {
	for _, entries := range [...]int{2, 4, 8, 16, 2 + h.r.Below(30)} {
		p := &hcaTxPeer{h: h, r: h.r, qpn: hcaTxListed, pmtu: 1, service: hca.TxUC}
		p.opens(drawPSN(h.r), 0, false, false)
		before := len(h.memory.step)
		p.postAs(h.next(hca.SendWQE{Verb: roce.Write, VA: h.r.Uint64(), List: p.place(), Length: 100,
			Entries: uint8(entries)}), "post of a list of 2, 4, 8, 16 pieces")
		h.memory.leave(h, hcaTxListed, before)
		h.model.Fail(hcaTxListed)
		h.model.Clear()
		h.rest()
		p.close()
	}
}

// meetAgain has trials of hca-tx to the end of the episode, the rarest several times.
func (h *hcaTxHost) meetAgain() {
	h.step = hcaTxLongSteps
	for range hcaTxLongOvertaken {
		if h.len()+hcaTxLongTrial < h.length {
			h.overtaken()
			h.rest()
		}
	}
	if h.len()+hcaTxLongTrial < h.length {
		h.turnless()
		h.rest()
		h.closes([]*hcaTxPeer{{h: h, qpn: hcaTxAlone}})
	}
	h.alone()
}

// longMessage sends a SEND or a WRITE of more than 256 KiB; its last packets go again (REQ-11, DMA-7).
func (h *hcaTxHost) longMessage() {
	p := h.loner(hca.ReqRecord{PMTU: hcaTxLongCode}, hca.RetryRecord{RetryCnt: 7})
	bytes := int(hcaTxPMTU[hcaTxLongCode])
	packets, again := 2*hcaTxLongFar+1+h.r.Below(hcaTxLongBeyond), 1+h.r.Below(hcaTxLongBeyond)
	w := hca.SendWQE{Verb: [...]roce.Verb{roce.Send, roce.Write}[h.r.Below(2)], Flags: hca.SQSignaled, VA: h.r.Uint64(),
		RKey: uint32(h.r.Uint64()), List: h.r.Uint64() &^ (hca.ReadPieceBytes - 1), Entries: 1,
		Length: uint32(packets*bytes - h.r.Below(bytes))}
	h.memory.most = packets
	p.postAs(h.next(w), "post of a message of more than 256 KiB")
	h.rest()
	h.respond(hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: ib.NAKSequence,
		PSN: psn.New(uint32(packets - again))}, "a NAK far inside a message")
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK of a long message")
	h.rest()
	p.close()
}

// longRead has a READ go again from so many packets on, or a few more.
func (h *hcaTxHost) longRead(far int) {
	p := h.loner(hca.ReqRecord{PMTU: hcaTxLongCode}, hca.RetryRecord{RetryCnt: 7})
	far += h.r.Below(hcaTxLongBeyond)
	p.readsAgain(far+1+h.r.Below(hcaTxLongBeyond), far)
}

// readsAgain has a READ of so many packets go again from each of these on (REQ-7).
func (p *hcaTxPeer) readsAgain(packets int, from ...int) {
	h, bytes := p.h, int(hcaTxPMTU[hcaTxLongCode])
	w := hca.SendWQE{Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), RKey: uint32(h.r.Uint64()), List: p.place(),
		Entries: 1, Length: uint32(packets*bytes - h.r.Below(bytes))}
	p.postAs(h.next(w), "post of a READ that goes again from far inside")
	h.rest()
	for i := range packets {
		again := slices.Contains(from, i)
		if again {
			h.rest()
			p.says(ib.NAKSequence, "a NAK far inside a READ")
			h.rest()
		}
		n := min(bytes, int(w.Length)-i*bytes)
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: psn.New(uint32(i)), Payload: uint16(n), Pad: uint8(-n & 3),
			Syndrome: ib.AckSyndrome(ib.CreditsUnlimited),
			Opcode:   ib.Join(ib.RC, readOperation(i == 0 || again, i == packets-1))}, "response far inside a READ")
		if i%hcaTxLongAtOnce == hcaTxLongAtOnce-1 {
			h.rest()
		}
	}
	h.rest()
	p.close()
}

// fillUp fills an episode up: with a READ, pieces, and records of nobody.
func (h *hcaTxHost) fillUp() {
	h.fillLong()
	h.fillPieces()
	for h.e.Len() < h.length {
		h.stray()
	}
}

// manyWait has more writes than a device need have under way (docs/blocks/hca_tx.md, Queues) before memory acknowledges
// the first of them: how many leave by then is the device's choice.
func (h *hcaTxHost) manyWait() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{RetryCnt: 7})
	h.postRead(p, hcaTxLongWaiting+1)
	h.rest()
	h.responses(p, hcaTxLongWaiting, "a response among many whose writes wait")
	h.memory.placed.held = true
	h.rest()
	h.memory.placed.every = hcaTxLongApart
	h.rest()
	p.close()
}

// manyFail has as many writes wait as a device surely has under way, and memory fail all of them, one a clock (DMA-5):
// of a READ, and behind them one of another. Nothing more of either is written, and a third queue pair goes on.
func (h *hcaTxHost) manyFail() {
	const failing = hcaTxLongUnderWay - 1
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{RetryCnt: 7})
	o := h.lonerAt(hcaTxOthers[1], hca.ReqRecord{}, hca.RetryRecord{RetryCnt: 7})
	alive := h.lonerAt(0, hca.ReqRecord{}, hca.RetryRecord{RetryCnt: 7})
	h.postRead(p, failing+1)
	h.postRead(o, 2)
	alive.postBare(1, "post beside READs that fail")
	h.rest()
	h.responses(p, failing, "a response whose write fails, as many do")
	h.responses(o, 1, "a response whose write fails behind many")
	h.memory.placed.held = true
	h.rest()
	h.memory.placed.all, h.memory.placed.every = true, 1
	h.behind = hcaTxLongUnderWay * hcaTxPacket // each is told of
	h.rest()
	for q, at := range [...]int{1, failing} {
		a := hca.HcaTxResponse{QPN: [...]uint32{o.qpn, p.qpn}[q], PSN: psn.New(uint32(at)), Payload: uint16(hcaTxPMTU[1]),
			Syndrome: ib.AckSyndrome(ib.CreditsUnlimited), Opcode: ib.Join(ib.RC, ib.ReadResponseLast)}
		h.nothingOf(a, "the last response of a READ whose writes failed")
	}
	alive.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK beside READs that failed")
	h.rest()
	h.closes([]*hcaTxPeer{p, o, alive})
}

// responses are the first n responses of a READ of more.
func (h *hcaTxHost) responses(p *hcaTxPeer, n int, why string) {
	at := h.model.State(p.qpn).Una
	for i := range n {
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: at.Add(int32(i)), Payload: uint16(hcaTxPMTU[p.pmtu]),
			Syndrome: ib.AckSyndrome(ib.CreditsUnlimited), Opcode: ib.Join(ib.RC, readOperation(i == 0, false))}, why)
	}
}

// deepen has what waits for room in read_place go on: it does when memory answers.
func (h *hcaTxHost) deepen() {
	for h.long && h.model.Deepen() {
		continue
	}
}

// next gives a WQE its number.
func (h *hcaTxHost) next(w hca.SendWQE) *hca.SendWQE {
	h.wqes++
	w.WQE = h.wqes
	return &w
}

// postRead posts a READ of so many packets.
func (h *hcaTxHost) postRead(p *hcaTxPeer, packets int) {
	p.postAs(h.next(hca.SendWQE{Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(), Entries: 1,
		Length: uint32(packets) * hcaTxPMTU[p.pmtu]}), "post of a READ of many packets")
}

// fillLong reads as many packets as writes are missing.
func (h *hcaTxHost) fillLong() {
	missing := h.memory.placed.left()
	if missing == 0 {
		return
	}
	p := &hcaTxPeer{h: h, r: h.r, qpn: hcaTxFiller, pmtu: hcaTxFillerCode}
	at := h.model.State(p.qpn).Next
	h.postRead(p, missing)
	h.rest()
	for i := range missing {
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: at.Add(int32(i)), Payload: uint16(hcaTxPMTU[p.pmtu]),
			Syndrome: ib.AckSyndrome(ib.CreditsUnlimited),
			Opcode:   ib.Join(ib.RC, readOperation(i == 0, i == missing-1))}, "response of what is missing")
		if i%(4*hcaTxLongAtOnce) == 0 {
			h.rest()
		}
	}
	h.rest()
}
