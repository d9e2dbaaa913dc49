package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// respECCNever is the first of four QPs that no record of resp-ecc looks up: an injection there waits until another
// takes its place (ECC-4).
const respECCNever = 60

// respCodeWord is the code word of a QP, by docs/ecc.md.
var respCodeWord = newCodeWord(119, 255)

// makeRespECC makes requests as resp-psn-check does, to a few QPs of which bits are turned on purpose, before any
// record: while a QP is set up, in the middle of a message, in error.
func makeRespECC(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, respLength, func(r *Rand, e *Episode) {
		w := respWear{r: r, e: e}
		peers := make([]respPeer, 1+r.Below(4))
		for i := range peers {
			peers[i] = respPeer{r: r, e: e, qpn: w.drawQPN(), between: w.between,
				loses: e.Number%4 == 3}
		}
		for e.Len() < respLength {
			p := &peers[r.Below(len(peers))]
			for range 1 + r.Below(6) {
				p.step()
			}
			if w.stopped[p.qpn] && !r.OneIn(3) {
				w.stopped[p.qpn], p.isSet = false, false // the QP is reset and set anew
			}
		}
	})
}

// respWear turns bits in the memory of QPs.
type respWear struct {
	r       *Rand
	e       *Episode
	stopped map[uint32]bool // two bits of a piece were turned
	last    uint32          // whose word was turned last
}

// drawQPN draws one that the smallest size with a code has, rarely one above it, none that is never looked up.
func (w *respWear) drawQPN() uint32 {
	if w.r.OneIn(20) {
		return uint32(64 + w.r.Below(1<<12))
	}
	return uint32([...]int{w.r.Below(4), w.r.Below(respECCNever)}[w.r.Below(2)])
}

// between may turn bits, or ask for the counts, before a record of a QP.
func (w *respWear) between(qpn uint32) (turned bool) {
	r := w.r
	switch r.Below(12) {
	case 0, 1:
		w.turn(qpn)
		return true
	case 2:
		if r.OneIn(2) {
			w.give(hca.RespQuery{Op: hca.RespCounts, QPN: uint32(r.Below(1 << 24))}, "counts")
		}
	}
	return false
}

// turn orders an injection, sometimes two, of which the second takes the place of the first.
func (w *respWear) turn(qpn uint32) {
	r := w.r
	if r.OneIn(6) {
		other := [...]uint32{uint32(respECCNever + r.Below(4)), w.last, qpn ^ 1<<r.Below(6)}[r.Below(3)]
		w.inject(other, "inject: another QP")
	}
	w.inject(qpn, "inject: ")
	if r.OneIn(12) {
		w.inject(uint32(respECCNever+r.Below(4)), "inject: a QP that is never looked up")
	}
	if r.OneIn(12) { // leaves the one that waits as it is
		w.inject(qpn^1<<r.Between(16, 23), "inject: no such QP")
	}
}

func (w *respWear) inject(qpn uint32, why string) {
	a, b, what, stops := respCodeWord.draw(w.r)
	if stops {
		if w.stopped == nil {
			w.stopped = map[uint32]bool{}
		}
		w.stopped[qpn] = true
	}
	w.last = qpn
	w.give(hca.RespQuery{Op: hca.RespInject, QPN: qpn, Payload: uint16(a | b<<8)}, why+what)
}

// give sends the record; what it does not use is noise.
func (w *respWear) give(q hca.RespQuery, why string) {
	if w.e.Len() >= respLength {
		return
	}
	noise := respPeer{r: w.r}
	all := noise.noise()
	all.Op, all.QPN = q.Op, q.QPN
	if q.Op == hca.RespInject {
		all.Payload = q.Payload
	}
	w.e.scratch = all.Append(w.e.scratch[:0])
	w.e.Add(sim.Port(0), 0, w.e.scratch, why)
}
