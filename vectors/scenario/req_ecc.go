package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/roce"
)

// reqCodeWord is the code word of a QP of req_ack_check with 4 READs and atomics, by docs/ecc.md.
var reqCodeWord = newCodeWord(98+4*62, 65535)

// makeReqAckCheckECC makes lives of requesters as req-ack-check does, of a few QPs of which bits are turned on purpose.
// A QP whose word was lost begins anew some records later.
func makeReqAckCheckECC(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, reqEpisodeRecords, func(r *Rand, e *Episode) {
		lives := make([]reqLife, 1<<r.Below(3))
		for i := range lives {
			l := &lives[i]
			l.qpn = drawWornQPN(r)
			l.before = newReqWear(r, e, l)
		}
		liveReqs(r, e, lives)
	})
}

// newReqWear is what comes in front of a record of a life.
func newReqWear(r *Rand, e *Episode, l *reqLife) func() {
	w := wear{r: r, word: reqCodeWord}
	left := 0 // records until the life notices that it was lost; 0 if it was not
	give := func(kind roce.ReqKind, at, a, b uint32, why string) {
		if e.Len() == reqEpisodeRecords {
			return
		}
		rec := hca.ReqRecord{Op: hca.ReqMaintain}
		l.fillUnused(&rec)
		rec.QPN, rec.Kind, rec.Count, rec.Number = at, kind, rec.Count&0xFF0000|a, rec.Number&0xFF0000|b
		e.scratch = rec.Append(e.scratch[:0])
		e.Add(0, 0, e.scratch, why)
	}
	w.inject = func(at uint32, a, b int, why string) { give(hca.ReqInject, at, uint32(a), uint32(b), why) }
	w.counts = func() { give(hca.ReqCounts, uint32(r.Below(1<<24)), 0, 0, "counts") }
	return func() {
		if w.before(l.qpn) && left == 0 {
			left = r.Between(2, 8)
		}
		if left > 0 {
			if left--; left == 0 {
				l.over = true
			}
		}
	}
}
