package scenario

import (
	"encoding/binary"

	"hcacosim/model/hca"
)

// classifyCodeWord is the code word of a QP of rx_classify, by docs/ecc.md.
var classifyCodeWord = newCodeWord(211, 65535)

// makeRxClassifyECC makes packets and operations as rx-classify does, for QPs of which bits are turned on purpose. QPs
// that were lost are set again by and by.
func makeRxClassifyECC(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, classifyLength, func(r *Rand, e *Episode) {
		p := classifyPort{r: r, e: e}
		w := wear{r: r, word: classifyCodeWord}
		w.inject = func(at uint32, a, b int, why string) {
			q := p.noise()
			q.Op, q.DestQP = hca.ClassifyInject, at&0xFFFFFF
			binary.BigEndian.PutUint32(q.Src[12:], uint32(a)|uint32(b)<<16)
			p.add(q, why)
		}
		w.counts = func() {
			q := p.noise()
			q.Op = hca.ClassifyCounts
			p.add(q, "counts")
		}
		p.setUp()
		p.before = func(qpn uint32) {
			w.before(qpn)
			if r.OneIn(12) {
				p.add(p.qp(), "set: again")
			}
		}
		for e.Len() < classifyLength {
			p.step()
		}
	})
}
