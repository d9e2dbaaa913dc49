package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// An episode of hca-tx-far is one READ of more than 2 MiB that goes again from 1 MiB on, and from 2 MiB on.
const (
	hcaTxFarLength = 1680
	hcaTxFarFirst  = 256 // packets of 4,096 bytes to 1 MiB
	hcaTxFarWrites = 2*hcaTxFarFirst + 3*hcaTxLongBeyond
)

// hcaTxFarMostOf is the time of an episode.
var hcaTxFarMostOf = hcaTxMostOf{steps: 110, beats: 2*hcaTxFarLength + 10*hcaTxTimes, bytes: 4_500_000}

// makeHcaTxFar makes posts and responses for hca_tx.
func makeHcaTxFar(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaTxFarLength, func(r *Rand, e *Episode) {
		h := hcaTxHost{g: g, r: r, e: e, length: hcaTxFarLength, long: true,
			model: hca.NewHcaTxBlocks(sim.Settings{"NumQps": 32, "Reads": 2})}
		h.memory.filled = true // what comes is counted by hand
		h.most = hcaTxFarMostOf
		h.memory.placed.first = int(e.Number) * hcaTxFarWrites % hca.DMATags
		h.memory.placed.more = hcaTxFarWrites - hcaTxWrites
		h.stray()
		h.memory.setUp(&h)
		h.rest()
		h.farthestRead()
		h.fillLong()
		h.fillPieces()
		for e.Len() < hcaTxFarLength {
			h.stray()
		}
	})
}

// farthestRead has a READ go again from 1 MiB and a packet or two on, and then from 2 MiB on (REQ-7).
func (h *hcaTxHost) farthestRead() {
	p := h.loner(hca.ReqRecord{PMTU: hcaTxLongCode}, hca.RetryRecord{RetryCnt: 7})
	bytes := int(hcaTxPMTU[hcaTxLongCode])
	first := hcaTxFarFirst + h.r.Below(hcaTxLongBeyond)
	second := 2*hcaTxFarFirst + h.r.Below(hcaTxLongBeyond)
	packets := second + 1 + h.r.Below(hcaTxLongBeyond)
	w := hca.SendWQE{Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), RKey: uint32(h.r.Uint64()), List: p.place(),
		Entries: 1, Length: uint32(packets*bytes - h.r.Below(bytes))}
	p.postAs(h.next(w), "post of a READ that goes again from the farthest")
	h.rest()
	for i := range packets {
		again := i == first || i == second
		if again {
			h.rest()
			p.says(ib.NAKSequence, "a NAK at the farthest inside a READ")
			h.rest()
		}
		n := min(bytes, int(w.Length)-i*bytes)
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: psn.New(uint32(i)), Payload: uint16(n), Pad: uint8(-n & 3),
			Syndrome: ib.AckSyndrome(ib.CreditsUnlimited),
			Opcode:   ib.Join(ib.RC, readOperation(i == 0 || again, i == packets-1))}, "response at the farthest of a READ")
		if i%hcaTxLongAtOnce == hcaTxLongAtOnce-1 {
			h.rest()
		}
	}
	h.rest()
	p.close()
	h.rest()
}
