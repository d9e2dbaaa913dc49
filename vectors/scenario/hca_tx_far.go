package scenario

import (
	"hcacosim/model/hca"
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
		h.fillUp()
	})
}

// farthestRead has a READ go again from 1 MiB and a packet or two on, and then from 2 MiB on.
func (h *hcaTxHost) farthestRead() {
	p := h.loner(hca.ReqRecord{PMTU: hcaTxLongCode}, hca.RetryRecord{RetryCnt: 7})
	first := hcaTxFarFirst + h.r.Below(hcaTxLongBeyond)
	second := 2*hcaTxFarFirst + h.r.Below(hcaTxLongBeyond)
	p.readsAgain(second+1+h.r.Below(hcaTxLongBeyond), first, second)
	h.rest()
}
