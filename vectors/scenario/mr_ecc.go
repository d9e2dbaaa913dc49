package scenario

import "hcacosim/model/hca"

// mrCodeWord is the code word of a key, by docs/ecc.md.
var mrCodeWord = newCodeWord(256, 65535)

// makeMRLookupECC makes look-ups and operations as mr-lookup does, of keys of which bits are turned on purpose. Keys
// that were lost are set again by and by.
func makeMRLookupECC(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, mrLength, func(r *Rand, e *Episode) {
		h := mrHost{r: r, e: e}
		w := wear{r: r, word: mrCodeWord}
		w.inject = func(at uint32, a, b int, why string) {
			q := h.noise()
			q.Op, q.RKey, q.VA = hca.MRInject, at<<8|q.RKey&0xFF, q.VA&^0xFFFFFFFF|uint64(a)|uint64(b)<<16
			h.add(q, why)
		}
		w.counts = func() {
			q := h.noise()
			q.Op = hca.MRCounts
			h.add(q, "counts")
		}
		h.before = func(rkey uint32) {
			w.before(rkey >> 8)
			if len(h.keys) > 0 && r.OneIn(8) {
				q := h.key()
				h.add(q, "set: again")
			}
		}
		h.live()
	})
}
