package scenario

import "hcacosim/model/hca"

// The code words of replay_fifo with four slots, by docs/ecc.md: of a QP, and of a slot.
var replayCodeWords = [...]*codeWord{newCodeWord(4*51+13, 65535), newCodeWord(193, 65535)}

// makeReplayFIFOECC makes what replay-fifo does, of words of which bits are turned on purpose. QPs are set anew by and
// by, so that what was lost begins anew.
func makeReplayFIFOECC(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, replayLength, func(r *Rand, e *Episode) {
		p := replayPeers{r: r, e: e, draw: drawWornQPN}
		memory := 0
		w := wear{r: r, pace: wearPlain} // what is lost stays so for long
		w.inject = func(at uint32, a, b int, why string) {
			q := p.noise(at, hca.ReplayInject)
			q.VA, q.Kind = q.VA&^0xFFFFFFFF|uint64(a)|uint64(b)<<16, q.Kind&2|hca.ReplayKind(memory)
			p.add(q, why)
		}
		w.counts = func() { p.add(p.noise(uint32(r.Below(1<<24)), hca.ReplayCounts), "counts") }
		p.before = func(qpn uint32) {
			for range 2 {
				memory = r.Below(2)
				w.word = replayCodeWords[memory]
				w.before(qpn)
			}
			if r.OneIn(40) {
				q := p.noise(qpn, hca.ReplaySet)
				q.Depth, q.PMTU = [...]uint8{1, 2, 3, 4, 4, 9}[r.Below(6)], uint8(r.Between(1, 5))
				p.add(q, "set: again")
			}
		}
		p.live()
	})
}
