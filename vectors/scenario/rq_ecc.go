package scenario

import "hcacosim/model/hca"

// The code words of rq_head with Depth 8, by docs/ecc.md, in the order of hca.RQMemory.
var rqCodeWords = [...]*codeWord{newCodeWord(7, 65535), newCodeWord(1, 65535), newCodeWord(64, 65535),
	newCodeWord(64, 65535)}

// makeRQHeadECC makes what rq-head does, of words of which bits are turned on purpose. Queues are cleared and QPs
// release what they hold by and by, so that what was lost begins anew.
func makeRQHeadECC(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, rqLength, func(r *Rand, e *Episode) {
		h := rqHost{r: r, e: e, posts: 2 + r.Below(3), draw: drawWornQPN}
		memory, slot := hca.RQOfQueue, 0
		var at hca.RQQuery
		w := wear{r: r, pace: wearPlain} // what is lost stays so for long
		w.inject = func(_ uint32, a, b int, why string) {
			q := h.query(&rqUser{qpn: at.QPN, queue: at.Queue, shared: r.OneIn(2)}, hca.RQInject)
			if r.OneIn(16) {
				q.QPN, q.Queue = q.QPN^1<<r.Below(8), q.Queue^1<<r.Below(8)
			}
			q.Bytes, q.WQE = uint32(a)|uint32(b)<<16, q.WQE&^0xFF|uint32(slot)<<2|uint32(memory)
			h.add(q, why)
		}
		w.counts = func() {
			h.add(h.query(&rqUser{qpn: uint32(r.Below(1 << 24)), queue: uint32(r.Below(1 << 24))}, hca.RQCounts), "counts")
		}
		h.before = func(q hca.RQQuery) {
			at = q
			for range 2 {
				memory, slot = [...]hca.RQMemory{hca.RQOfQueue, hca.RQOfQP, hca.RQOfHeld, hca.RQOfSlot, hca.RQOfSlot,
					hca.RQOfSlot}[r.Below(6)], r.Below(64)
				w.word = rqCodeWords[memory]
				w.before(0)
			}
			if qp := (rqUser{qpn: q.QPN, queue: q.Queue}); r.OneIn(30) {
				h.add(h.query(&qp, hca.RQClear), "clear")
			} else if r.OneIn(30) {
				h.add(h.query(&qp, hca.RQRelease), "release")
			}
		}
		h.live()
	})
}
