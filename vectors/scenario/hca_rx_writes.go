package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// An episode of hca-rx-writes is one part: an atomic waits for memory, and thousands of packets are written behind it,
// READs between them.
const (
	hcaRxWritesLength = 18_000
	hcaRxWritesBehind = 1<<13 + 1<<7 // the atomic
	hcaRxWritesFirst  = 6            // of the bits of how far acknowledgements are ahead of a READ, the lowest one
)

// hcaRxWrites has the QPs of hca-rx-long.
var hcaRxWrites = hcaRxPlan{numbers: hcaRxLong.numbers, fixed: 4, spares: 1, shared: 50, windows: 17,
	numQPs: hcaRxNumQPs, length: hcaRxWritesLength, setUp: 200, operation: 1, frames: 8500, most: 8500, bytes: 600_000,
	writes: hcaRxWritesBehind + 16, overtakes: 32, pieces: 64, atomics: 4, serving: 1200, grants: 1}

// makeHcaRxWrites makes an episode.
func makeHcaRxWrites(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaRxWritesLength, func(r *Rand, e *Episode) {
		d := newHcaRxPeer(g, r, e, &hcaRxWrites)
		d.full, d.model = true, hca.NewHcaRxBlocks(sim.Settings{"NumQps": d.plan.numQPs})
		d.late = d.beginWrites()
		d.overtakenAtomic()
		d.thousandsOvertake()
		d.late = 0
		d.fill()
		d.end()
		d.goOnToTheEnd()
	})
	c.takeLink()
}

// beginWrites sets all QPs, and says until when memory gives nothing for READs and atomics.
func (d *hcaRxPeer) beginWrites() (until uint64) {
	operations, frames, until := hcaRxFullTimes(d.plan, d.g.pace, d.e.Number/hcaRxParts, int(d.e.Number%hcaRxParts))
	d.part, d.start, d.served = hcaRxParts-1, operations, map[uint32]int{}
	d.common = hcaRxCommon(d.g, d.r)
	all := slices.Clone(d.common)
	for i := range d.plan.fixed {
		all = append(all, d.setServing(i)...)
		d.used = append(d.used, &d.qps[i])
	}
	d.beginFrames(append(all, d.qps[d.plan.filler()].set(d.g, d.r, d.plan, d.plan.filler())...), frames)
	return until
}

// thousandsOvertake has more written behind an atomic that waits than a count of 13 bits holds, and READs between that,
// so that when the atomic is answered acknowledgements are ahead of one of them by a number of each length in bits up
// to that: each is asked for all the same (DMA-1).
func (d *hcaRxPeer) thousandsOvertake() {
	filler := &d.qps[d.plan.filler()]
	for left := hcaRxWritesBehind; left > 0; left-- {
		for bit := hcaRxWritesFirst; bit < 14; bit++ {
			if left == 1<<bit+1<<(bit-1) || left == hcaRxWritesBehind && bit == 13 {
				d.readFew(filler, uint32(1+d.r.Below(filler.pmtu)))
			}
		}
		d.writeBehind(d.used[d.r.Below(len(d.used))])
	}
}
