package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

const (
	hcaTxEndsPace    = 60_000 // 938 clocks for 64 bytes
	hcaTxEndsPackets = 4
	hcaTxEndsHalf    = 1 << 23 // of the PSNs, and of the numbers of messages
)

// paysForEachByte has a QP with a pace send payloads of a byte to three, and all of them again: they count 64 bytes
// more than none does, each time, so the last of them leaves that much later.
func (h *hcaTxHost) paysForEachByte() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{Code: hcaTxCodes[0], RetryCnt: 7})
	rate := hca.RateQuery{QPN: p.qpn, Op: hca.RateSet, Pace: hcaTxEndsPace}
	h.op(hca.ToPace, rate.Append(nil), "a pace of some bytes")
	h.settle()
	for i := range uint32(hcaTxEndsPackets) {
		p.postAs(h.next(hca.SendWQE{Verb: roce.Write, Flags: hca.SQSignaled, VA: h.r.Uint64(), Entries: 1,
			List: h.r.Uint64() &^ (hca.ReadPieceBytes - 1), Length: 1 + i%3}), "post of a byte or some at a pace")
	}
	const takes = (hcaTxEndsPackets + 1) * (2*hcaTxEndsPace/64 + hcaTxPoll)
	h.behind += takes
	h.rest()
	h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxShortest+hcaTxSlack), "time passes, and all goes again at a pace")
	h.behind += takes
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK of some bytes at a pace")
	h.removePaces([]*hcaTxPeer{p})
	h.rest()
	p.close()
	h.rest()
}

// halfOfThePSNs reads as many bytes as a message has at most in the smallest packets: the READ takes half of all PSNs,
// the most that are allowed, and its first responses are written (PSN-5).
func (h *hcaTxHost) halfOfThePSNs() {
	p := h.loner(hca.ReqRecord{PMTU: 1}, hca.RetryRecord{})
	p.postAs(h.next(hca.SendWQE{Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), RKey: uint32(h.r.Uint64()),
		List: p.place(), Entries: 1, Length: ib.MaxMessage}), "post of a READ of half of all PSNs")
	h.rest()
	for i := range 2 {
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: psn.New(uint32(i)), Payload: uint16(hcaTxPMTU[1]),
			Syndrome: ib.AckSyndrome(ib.CreditsUnlimited), Opcode: ib.Join(ib.RC, readOperation(i == 0, false))},
			"a response of half of all PSNs")
	}
	h.rest()
	p.close()
	h.rest()
}

// creditsForHalf brings credits up to the last number that still lies ahead: all that is posted leaves (CRD-2).
func (h *hcaTxHost) creditsForHalf(qpn uint32) {
	p := h.lonerAt(qpn, hca.ReqRecord{Profile: hca.ReqCreditsLimited}, hca.RetryRecord{})
	h.rest()
	for _, number := range [...]uint32{hcaTxEndsHalf / 2, hcaTxEndsHalf} {
		p.postBare(1, "post before credits for half of all numbers")
		h.rest()
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: h.model.State(p.qpn).High.Add(-1), Opcode: ib.Join(ib.RC, ib.Ack),
			Number: number}, "an ACK with credits for half of all numbers")
		h.rest()
	}
	p.postBare(hcaTxEndsPackets, "post behind credits for half of all numbers")
	h.rest()
	p.close()
	h.rest()
}
