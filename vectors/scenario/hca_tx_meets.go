package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// An episode of hca-tx-meets has trials of one of three kinds, in turn: numbers of which each bit counts, two or three
// things in one clock, and things of which sixteen come behind a reset.
const (
	hcaTxMeetsLength  = 1040
	hcaTxMeetsKinds   = 3
	hcaTxMeetsBits    = 7  // lengths of a WRITE in an episode
	hcaTxMeetsLowest  = 12 // the first bit of these that counts
	hcaTxMeetsApart   = 120
	hcaTxMeetsSoonest = 20 // clocks from a post to the CNP of its QP, at least
	hcaTxMeetsDelays  = 60 // and up to so many more: each in turn
	hcaTxMeetsWords   = 3  // READ responses behind those of other transports
	hcaTxMeetsOwnCode = 1  // of an RNR NAK: 10 ticks
	hcaTxMeetsOwn     = 2  // ticks that pass by themselves: of 65,535 clocks by default
	hcaTxMeetsTick    = 65535
	hcaTxMeetsQuick   = 55_000 // clocks: no tick by default, and two where one of 30,000 clocks counts twice
)

// hcaTxMeetsMost is the time of an episode.
var hcaTxMeetsMost = hcaTxMostOf{steps: 96, clocks: 260_000, beats: 2*hcaTxMeetsLength + 10*hcaTxTimes, bytes: 90_000}

// hcaTxMany are QPs without a pace that live together.
var hcaTxManyQPs = [...]uint32{1, 2, 3, 4, 5, 6, 8, 10, 11, 16, 18, 21, 22, 23, 24, 25, 26, 27, 28, 29}

// makeHcaTxMeets makes posts and responses for hca_tx.
func makeHcaTxMeets(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaTxMeetsLength, func(r *Rand, e *Episode) {
		h := hcaTxHost{g: g, r: r, e: e, length: hcaTxMeetsLength, long: true, twins: true,
			model: hca.NewHcaTxBlocks(sim.Settings{"NumQps": 32, "Reads": 2})}
		h.memory.filled = true // what comes is counted by hand
		h.most = hcaTxMeetsMost
		h.memory.placed.first = int(e.Number) * hcaTxWrites % hca.DMATags
		h.stray()
		h.memory.setUp(&h)
		h.rest()
		play := int(e.Number) / hcaTxMeetsKinds
		switch e.Number % hcaTxMeetsKinds {
		case 0:
			h.eachLength(play)
			h.marksMeetPackets(play)
			h.otherTransports()
			h.twinsWake()
			h.ownTime(hcaTxMeetsOwn*hcaTxMeetsTick + hcaTxPause)
		case 1:
			h.answersMeetTurns()
			h.twinsBreak()
			h.operatesBehindFailure(2 * play)
			h.operatesBehindFailure(2*play + 1)
			h.setsMeetWakes(play)
			h.ownTime(hcaTxMeetsQuick)
			h.paysForEachByte()
			h.halfOfThePSNs()
			h.creditsForHalf(hcaTxAlone)
		case 2:
			h.expiresBesideEnds()
			h.creditsBehindExpiry()
			h.waitsEndBesideACKs()
			for i := range hcaTxMeetsSixteens {
				h.sixteen(hcaTxMeetsSixteens*play + i)
			}
		}
		h.fillUp()
	})
}

// eachLength has WRITEs, FLUSHes and READs of lengths of which each bit counts, in turn: all of that is in the header
// of the first packet (LEN-1). The window lets one packet of a WRITE leave, and then its QP is closed.
func (h *hcaTxHost) eachLength(play int) {
	const bits = 32 - hcaTxMeetsLowest
	for i := range hcaTxMeetsBits {
		length := uint32(1) << (hcaTxMeetsLowest + (play*hcaTxMeetsBits+i)%bits)
		if length < ib.MaxMessage {
			length += uint32(h.r.Below(1 << hcaTxMeetsLowest))
		}
		p := h.windowed(hcaTxAlone, 1)
		w := hca.SendWQE{Verb: roce.Write, Flags: hca.SQSignaled, VA: h.r.Uint64(), RKey: uint32(h.r.Uint64()),
			List: h.r.Uint64() &^ (hca.ReadPieceBytes - 1), Entries: 1, Length: length}
		p.postAs(h.next(w), "post of a WRITE of one length or another")
		o := h.lonerAt(hcaTxOthers[1], hca.ReqRecord{PMTU: 5}, hca.RetryRecord{})
		for _, verb := range [...]roce.Verb{roce.Flush, roce.Read} {
			w.Verb = verb
			o.postAs(h.next(w), "post of a FLUSH and a READ of that length")
		}
		h.rest()
		h.closes([]*hcaTxPeer{p, o})
	}
	h.rest()
}

// windowed sets up a QP with a window.
func (h *hcaTxHost) windowed(qpn, window uint32) *hcaTxPeer {
	p := &hcaTxPeer{h: h, r: h.r, qpn: qpn, pmtu: 1, window: window}
	check := hca.ReqRecord{QPN: qpn, Op: hca.ReqConfigure, PMTU: p.pmtu, MaxReads: 1}
	h.op(hca.ToCheck, check.Append(nil), "set up")
	control := hca.RetryRecord{QPN: qpn, Op: hca.RetryConfigure}
	h.op(hca.ToRetry, control.Append(nil), "set up")
	p.begins(0, 1, false, false)
	p.way()
	return p
}

// marksMeetPackets has a CNP of each of twenty QPs come so many clocks behind a post of it, another number for each, so
// that one of them comes in the clock in which the packet is counted: what the QP sends behind that is slower.
func (h *hcaTxHost) marksMeetPackets(play int) {
	var all []*hcaTxPeer
	for _, qpn := range hcaTxManyQPs {
		p := &hcaTxPeer{h: h, r: h.r, qpn: qpn, pmtu: 1, service: hca.TxUC}
		p.opens(drawPSN(h.r), 0, false, false)
		h.setPace(p, "a pace that one CNP cuts")
		all = append(all, p)
	}
	h.settle()
	const apart = 3*hcaTxSlowedPace/64 + hcaTxPoll // it asks behind its last packet too, and holds up others
	for i, p := range all {
		p.postLeaving(1, "post that a CNP meets")
		delay := hcaTxMeetsSoonest + (play*len(all)+i)%hcaTxMeetsDelays
		h.behind += delay
		h.give(hca.HcaTxCNPs, hca.HcaTxCNP(p.qpn), "the one CNP of its QP, a packet of which leaves")
		h.behind += apart - delay
	}
	h.rest()
	for _, p := range all {
		p.postLeaving(2, "post behind a CNP that met a packet")
		h.behind += apart
	}
	h.restPaced(2)
	h.removePaces(all)
	for _, p := range all {
		p.say(hca.TxClose, "close")
	}
	h.rest()
}

// postLeaving posts SENDs of UC, which end when they leave.
func (p *hcaTxPeer) postLeaving(n int, why string) {
	p.postBare(n, why)
	p.h.memory.leave(p.h, p.qpn, len(p.h.memory.step))
}

// otherTransports gives responses with the opcode of a READ response, of each transport but RC: they have bytes, and no
// frame (OPC-2). Behind them a READ has its own.
func (h *hcaTxHost) otherTransports() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	h.postRead(p, hcaTxMeetsWords)
	h.rest()
	h.responses(p, 1, "a response in front of other transports")
	for transport := range ib.Opcode(7) {
		for i := range ib.Operation(4) {
			a := hca.HcaTxResponse{QPN: p.qpn, PSN: psn.New(1), Payload: uint16(1 + h.r.Below(1<<12)),
				Opcode: (transport+1)<<5 | ib.Join(ib.RC, ib.ReadResponseFirst+i), Syndrome: ib.AckSyndrome(31)}
			h.respond(a, "a READ response of another transport")
		}
	}
	for i := 1; i < hcaTxMeetsWords; i++ {
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: psn.New(uint32(i)), Payload: uint16(hcaTxPMTU[1]),
			Syndrome: ib.AckSyndrome(31), Opcode: ib.Join(ib.RC, readOperation(false, i == hcaTxMeetsWords-1))},
			"a response behind other transports")
	}
	h.behind = hcaTxPause
	h.rest()
	p.close()
	h.rest()
}

// ownTime has an RNR wait end by ticks that pass by themselves in some clocks (TMR-5, TMR-6): in those of some ticks,
// or in fewer, in which as many ticks pass where tick_step_i says so. A lapse in front of it sets the ticks of the
// device in step with those of the model, and another takes it near its end.
func (h *hcaTxHost) ownTime(clocks int) {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{RNRRetry: 7})
	p.postBare(1, "post to who has no WQE for some ticks")
	h.rest()
	h.give(hca.HcaTxOps, hca.HcaTxLapse(1), "time passes, and a tick begins")
	h.rest()
	p.says(ib.RNRSyndrome(hcaTxMeetsOwnCode), "no WQE for some ticks")
	h.rest()
	ticks := uint32(ib.RNRTimerTicks(hcaTxMeetsOwnCode))
	h.give(hca.HcaTxOps, hca.HcaTxLapse(ticks+1-hcaTxMeetsOwn), "time passes, all but some ticks")
	h.behind = clocks
	h.rest()
	h.stray() // whoever judges hears that time has passed
	h.behind = hcaTxPause
	h.rest()
	h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxMeetsOwn), "time passes behind what its own ticks ended")
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind some ticks")
	h.rest()
	p.close()
	h.rest()
}
