package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// An episode of hca-tx-far is one READ of more than 16 MiB that goes again from each power of two on, from 1 MiB.
const (
	hcaTxFarFirst  = 256 // packets of 4,096 bytes to 1 MiB
	hcaTxFarTimes  = 5   // and to 2, 4, 8 and 16 MiB
	hcaTxFarWrites = hcaTxFarFirst<<(hcaTxFarTimes-1) + 2*hcaTxLongBeyond
	hcaTxFarLength = 3*hcaTxFarWrites + 80
	hcaTxFarSteps  = hcaTxFarWrites/hcaTxLongAtOnce + 50
	hcaTxFarStep   = hcaTxRest + 1000 // clocks of one at most: memory acknowledges 1,000 behind its writes
)

// hcaTxFarMostOf is the time of an episode.
var hcaTxFarMostOf = hcaTxMostOf{steps: hcaTxFarSteps, clocks: hcaTxFarSteps * hcaTxFarStep,
	beats: 2*hcaTxFarLength + 10*hcaTxTimes, bytes: 2*hcaTxFarWrites*4096 + 200_000}

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

// farthestRead has a READ go again from 1 MiB and a packet or two on, and from each power of two up to 16 MiB.
func (h *hcaTxHost) farthestRead() {
	p := h.loner(hca.ReqRecord{PMTU: hcaTxLongCode}, hca.RetryRecord{RetryCnt: 7})
	var from [hcaTxFarTimes]int
	for k := range from {
		from[k] = hcaTxFarFirst<<k + h.r.Below(hcaTxLongBeyond)
	}
	p.readsAgain(from[len(from)-1]+1+h.r.Below(hcaTxLongBeyond), from[:]...)
	h.rest()
}
