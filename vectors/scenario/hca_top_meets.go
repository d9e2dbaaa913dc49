package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// An episode of hca-top-meets has what software tells of local work come in the clocks in which time passes, what two
// memories say of one tag in one clock, and writes of some bytes of a register.
const (
	hcaTopMeetsLength = 3000
	hcaTopMeetsRounds = 4                     // of local work of each QP
	hcaTopMeetsTicks  = 10                    // times that a tick passes beside
	hcaTopMeetsPairs  = hcaTopSendsStored - 1 // writes of a peer, each beside one of a READ response
	hcaTopMeetsEvery  = 4                     // pairs of which the last one's READ fails
	hcaTopMeetsBytes  = 15                    // strobes: each but none
)

// hcaTopMeetsMost is the time of an episode.
var hcaTopMeetsMost = hcaTxMostOf{steps: 210, clocks: 110_000, beats: 110_000, bytes: 70_000}

// makeHcaTopMeets makes what software does with registers and posts, and what peers answer and ask.
func makeHcaTopMeets(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaTopMeetsLength, func(r *Rand, e *Episode) {
		h := hcaTxHost{g: g, r: r, e: e, length: hcaTopMeetsLength, top: &hcaTopSender{},
			model: hca.NewHcaTxBlocks(sim.Settings{"NumQps": 32, "Reads": 2})}
		h.memory.filled = true // what comes is counted by hand
		h.most = hcaTopMeetsMost
		h.memory.placed.first = int(e.Number) * hcaTopSendsStored % hca.DMATags
		h.memory.placed.more = hcaTopSendsStored - hcaTxWrites // one more for commandsInJam
		h.top.h = &h
		h.top.common()
		h.memory.setUp(&h)
		h.top.syndromes()
		h.top.lists()
		h.creditsForHalf(hcaTxQPs[0])
		for i := range h.peers {
			h.peers[i] = hcaTxPeer{h: &h, r: r, qpn: hcaTxQPs[i]}
			h.lonerAt(hcaTxQPs[i], hca.ReqRecord{PMTU: hcaTopMeetsCode}, hcaTopMeetsRetries(i, e.Number))
			h.rest()
		}
		h.top.someBytes()
		h.top.localBesideTime()
		h.top.commandBesideDone()
		h.top.fencedLocal()
		h.top.tagsMeet()
		h.top.commandsInJam()
		h.top.fieldsAtEnds()
		h.top.unanswered()
		h.fillPieces()
		h.top.fill()
	})
	c.Link = wire.LinkEthernet
}

// someBytes writes some bytes of a register, each choice of them, and reads it.
func (t *hcaTopSender) someBytes() {
	for strobe := 1; strobe <= hcaTopMeetsBytes; strobe++ {
		at := t.h.time() + uint64(t.writes)*(hcaTopClocks/2)
		w := hca.AxilWrite{Data: uint32(t.h.r.Uint64()), Strobe: uint8(strobe)}
		t.add(hcaTopMove{hcaTopAW, at, -1, hca.AppendAxilAddress(nil, 0x03C), "write: ARG7, some bytes", 0})
		t.add(hcaTopMove{hcaTopW, at + uint64(t.h.r.Below(3)), -1, w.Append(nil), "write: ARG7, some bytes", 0})
		t.add(hcaTopMove{hcaTopAR, at + hcaTopClocks/2, -1, hca.AppendAxilAddress(nil, 0x03C), "read: ARG7", 0})
		t.writes += 2
	}
	t.h.rest()
}

// syndromes has NAKs of no kind there is come, with each of the upper bits of a syndrome, of which QPs fail (REQ-12).
func (t *hcaTopSender) syndromes() {
	h := t.h
	for i, syndrome := range [...]ib.Syndrome{0x80, 0xA0, 0xC0, 0xE0} {
		p := h.lonerAt(hcaTxQPs[i], hca.ReqRecord{}, hca.RetryRecord{})
		h.rest()
		p.postBare(1, "post that a syndrome of no kind ends")
		h.rest()
		p.says(syndrome|ib.Syndrome(h.r.Below(32)), "a syndrome of no kind")
		h.rest()
	}
}

// localBesideTime has local work of all QPs be done in the clocks in which time passes, posts among it: none of it is
// lost (REQ-14).
func (t *hcaTopSender) localBesideTime() {
	h := t.h
	for range hcaTopMeetsRounds {
		for i := range h.peers {
			h.peers[i].postAs(h.next(hca.SendWQE{Verb: roce.LocalInvalidate, Flags: hca.SQSignaled, RKey: uint32(h.r.Uint64()),
				Entries: 1}), "post of local work that is done beside time")
		}
		h.rest()
		for range hcaTopMeetsTicks {
			h.give(hca.HcaTxOps, hca.HcaTxLapse(1), "time passes beside local work")
		}
		for i := range h.peers {
			p := &h.peers[i]
			if p.localDone("local work is done beside time"); h.r.OneIn(2) {
				p.postBare(1, "post beside time, and local work that is done")
			}
		}
		h.rest()
		for i := range h.peers {
			h.peers[i].says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind local work")
		}
		h.rest()
	}
}

// tagsMeet has a READ response of ours, and a WRITE of a peer, written by the same tag, and both memories say so in one
// clock. Now and then the first of them fails, and that is heard; at last the second one, and both (DMA-5).
func (t *hcaTopSender) tagsMeet() {
	h, m := t.h, &t.h.memory.placed
	for i := range hcaTopMeetsPairs {
		p, fails := &h.peers[i/hcaTopMeetsEvery], i%hcaTopMeetsEvery == hcaTopMeetsEvery-1
		bytes := hcaTopMeetsBytesOf(i, h.r)
		p.postAs(h.next(hca.SendWQE{Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(), Entries: 1,
			Length: uint32(bytes)}), "post of a READ whose tag meets another's")
		h.rest()
		at := h.model.State(p.qpn).Una
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: at, Payload: bytes, Pad: uint8(-bytes & 3),
			Opcode: ib.Join(ib.RC, ib.ReadResponseOnly), Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)},
			"a response whose tag meets another's")
		if fails {
			m.spoilt = len(m.step)
		}
		t.beside = h.peers[len(h.peers)-1-i%2].qpn
		t.spoils = i >= hcaTopMeetsPairs-2 // once for each of them: no other WRITE of it is executed
		h.rest()
	}
}

// storeBeside has a peer write in the step, and memory say so in the clock of what it says of a response.
func (t *hcaTopSender) storeBeside(late int) {
	spec := wire.Spec{Opcode: ib.Join(ib.RC, ib.WriteOnly), PSN: t.due[t.beside], AckReq: true, VA: hcaTopVA,
		RKey: hcaTopKey, DMALen: 1}
	t.due[t.beside] = t.due[t.beside].Add(1)
	t.stores(t.beside, &spec, 1, hca.DMAAck{Error: t.spoils}, uint64(late), "acknowledged, beside another's")
}
