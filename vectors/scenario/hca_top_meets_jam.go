package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// A jam of hca-top-meets: a queue pair goes to error while memory owes a word about what it read, so that all
// operations on the transmit side wait, and posts fill the room in front of them.
const (
	hcaTopMeetsJamPosts = 6   // of each of three queue pairs: SqDepth has room for them
	hcaTopMeetsJamLate  = 900 // clocks until memory says its word
)

// commandsInJam has the host post a receive WQE in such a jam, and free a queue pair that is closed: the receive side
// is told of each once (RSP-2, DMA-2). Of two SENDs behind that the first completes the WQE, and the second finds none.
func (t *hcaTopSender) commandsInJam() {
	h := t.h
	for i, p := range h.peers[:3] {
		h.peers[i] = *h.lonerAt(p.qpn, hca.ReqRecord{PMTU: hcaTopMeetsCode}, hcaTopMeetsRetries(i, h.e.Number))
		h.rest()
	}
	fails, receives, freed := &h.peers[0], &h.peers[1], &h.peers[2]
	fails.postAs(h.next(hca.SendWQE{Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: fails.place(),
		Entries: 1, Length: 8}), "post of a READ in front of a jam")
	fails.postBare(1, "post that is flushed in a jam")
	t.write(0x00C, freed.qpn, "write: SELECT")
	t.command(hca.QPCommandClose, "command: CLOSE, in front of a jam")
	h.rest()
	h.respond(hca.HcaTxResponse{QPN: fails.qpn, PSN: h.model.State(fails.qpn).Una, Payload: 8,
		Opcode: ib.Join(ib.RC, ib.ReadResponseOnly), Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)},
		"a response that memory owes a word about")
	h.memory.placed.held = true
	h.rest()
	fails.sqe()
	t.later = uint64(t.writes) * (hcaTopClocks / 2)
	posters := h.peers[4:7]
	for i := range posters {
		posters[i].postBare(hcaTopMeetsJamPosts, "post in a jam")
	}
	t.later = 0
	h.wqes++
	t.command(hca.QPCommandPost, "a receive WQE, in a jam", receives.qpn, 1<<10, h.wqes)
	t.write(0x00C, freed.qpn, "write: SELECT")
	t.command(hca.QPCommandFree, "command: FREE, in a jam")
	h.tardy = hcaTopMeetsJamLate
	h.rest()
	for i := range int32(2) {
		t.frame(receives.qpn, &wire.Spec{Opcode: ib.Join(ib.RC, ib.SendOnly), PSN: t.due[receives.qpn].Add(i),
			AckReq: true}, nil, "a request: SEND, behind a jam")
		h.rest()
	}
	t.due[receives.qpn] = t.due[receives.qpn].Add(1) // the second one is not executed
	for i := range posters {
		posters[i].says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a jam")
	}
	h.rest()
}
