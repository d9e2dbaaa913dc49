package scenario

import "hcacosim/model/hca"

// msgCodeWord is the code word of a QP of msg_tracker, by docs/ecc.md.
var msgCodeWord = newCodeWord(162, 65535)

// makeMsgTrackerECC makes packets as msg-tracker does, to few QPs of which bits are turned on purpose. QPs that stop
// are cleared now and then.
func makeMsgTrackerECC(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, msgLength, func(r *Rand, e *Episode) {
		p := msgPeers{r: r, e: e, draw: drawWornQPN}
		w := wear{r: r, word: msgCodeWord}
		w.inject = func(at uint32, a, b int, why string) {
			q := p.noise(at)
			q.Op, q.VA = hca.MsgInject, q.VA&^0xFFFFFFFF|uint64(a)|uint64(b)<<16
			p.add(q, why)
		}
		w.counts = func() {
			q := p.noise(uint32(r.Below(1 << 24)))
			q.Op = hca.MsgCounts
			p.add(q, "counts")
		}
		p.before = func(qpn uint32) {
			w.before(qpn)
			if r.OneIn(16) {
				q := p.noise(qpn)
				q.Op = hca.MsgOp(r.Between(3, 5))
				p.add(q, "no such operation")
			}
			if r.OneIn(25) {
				q := p.noise(qpn)
				q.Op = hca.MsgClear
				p.add(q, "clear")
			}
		}
		p.live()
	})
}

// drawWornQPN draws a QP that the size with a code has, rarely one above it.
func drawWornQPN(r *Rand) uint32 {
	if r.OneIn(20) {
		return uint32(64 + r.Below(1<<12))
	}
	return uint32([...]int{r.Below(4), r.Below(64)}[r.Below(2)])
}
