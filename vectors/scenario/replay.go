package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// replayLength is how many records an episode of replay-fifo has: READs and atomics of a few QPs, and their duplicates.
const replayLength = 400

// makeReplayFIFO makes what is kept, right up to what falls out, and duplicates with one thing wrong or none.
func makeReplayFIFO(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, replayLength, func(r *Rand, e *Episode) {
		p := replayPeers{r: r, e: e, draw: drawLowQPN}
		p.live()
	})
}

// live fills the episode.
func (p *replayPeers) live() {
	r := p.r
	for range 1 + r.Below(3) {
		qp := &replayPeer{qpn: p.draw(r), next: drawPSN(r)}
		if n := len(p.qps); n > 0 && p.before == nil && r.OneIn(3) {
			qp.qpn = beside(r, p.qps[n-1].qpn)
		}
		p.qps = append(p.qps, qp)
		for range r.Below(3) { // the first of them behind a reset: nothing is kept
			p.give(p.noise(qp.qpn, hca.ReplayOp(r.Below(3))), "before the set")
		}
		p.set(qp)
	}
	for p.e.Len() < replayLength {
		p.step()
	}
}

// replayPeers are the requesters of an episode's QPs.
type replayPeers struct {
	r   *Rand
	e   *Episode
	qps []*replayPeer

	draw   func(r *Rand) uint32 // the number of a QP
	before func(qpn uint32)     // where something may come in front of any record
}

// replayPeer is a requester that remembers what it sent.
type replayPeer struct {
	qpn  uint32
	next psn.PSN
	pmtu uint8
	sent []hca.ReplayQuery

	counter hca.ReplayQuery // all of its atomics are of one address, if it has bytes
}

func (p *replayPeers) give(q hca.ReplayQuery, why string) {
	if p.before != nil {
		p.before(q.QPN)
	}
	p.add(q, why)
}

func (p *replayPeers) add(q hca.ReplayQuery, why string) {
	if p.e.Len() < replayLength {
		p.e.scratch = q.Append(p.e.scratch[:0])
		p.e.Add(sim.Port(0), 0, p.e.scratch, why)
	}
}

// noise is a record of random fields: what an operation does not look at.
func (p *replayPeers) noise(qpn uint32, op hca.ReplayOp) hca.ReplayQuery {
	r := p.r
	return hca.ReplayQuery{Op: op, QPN: qpn, PSN: psn.PSN(r.Below(1 << 24)), Kind: hca.ReplayKind(r.Below(4)),
		Last: psn.PSN(r.Below(1 << 24)), VA: r.Uint64(), RKey: uint32(r.Uint64()), Bytes: uint32(r.Uint64()),
		Original: r.Uint64(), PMTU: uint8(r.Below(8)), Depth: uint8(r.Below(32))}
}

func (p *replayPeers) set(qp *replayPeer) {
	q := p.noise(qp.qpn, hca.ReplaySet)
	q.Depth = [...]uint8{0, 1, 2, 2, 3, 4, 4, 8, 16, 31}[p.r.Below(10)]
	if !p.r.OneIn(8) {
		q.PMTU = uint8(p.r.Between(1, 5))
	}
	if q.PMTU >= 1 && q.PMTU <= 5 {
		qp.pmtu, qp.counter = q.PMTU, hca.ReplayQuery{}
	}
	p.give(q, "set")
}

func (p *replayPeers) step() {
	r := p.r
	qp := p.qps[r.Below(len(p.qps))]
	switch {
	case r.OneIn(60):
		p.set(qp)
	case r.OneIn(60):
		p.give(p.noise(qp.qpn, hca.ReplayOp(r.Between(4, 7))), "no such operation")
	case len(qp.sent) > 0 && r.OneIn(60): // what it would find, if it looked
		q := p.old(qp)
		if q.Op = hca.ReplayOp(r.Between(3, 7)); q.Op == hca.ReplaySet {
			q.PMTU = [...]uint8{0, 6, 7}[r.Below(3)]
		}
		p.give(q, "no look-up, of what is kept")
	case r.OneIn(60):
		p.directed(qp)
	case r.OneIn(20):
		p.give(p.noise(near(r, qp.qpn, 24), hca.ReplayOp(r.Below(3))), "another number")
	case len(qp.sent) == 0 || r.OneIn(4):
		p.keep(qp)
	case r.OneIn(5):
		q := p.old(qp)
		q.Op, q.Original = hca.ReplayResult, replayResult(r)
		p.give(q, "result")
	default:
		p.duplicate(qp)
	}
}

// replayResult draws what an atomic found: anything, now and then nothing, or all ones.
func replayResult(r *Rand) uint64 {
	return [...]uint64{0, 1<<64 - 1, r.Uint64(), r.Uint64()}[r.Below(4)]
}

// old is something that was sent not long ago, so that it may be kept yet; what a duplicate does not repeat is random.
func (p *replayPeers) old(qp *replayPeer) hca.ReplayQuery {
	n := len(qp.sent)
	q := qp.sent[max(0, n-1-p.r.Below([...]int{2, 4, 6, 20}[p.r.Below(4)]))]
	noise := p.noise(0, 0)
	q.Original, q.PMTU, q.Depth = noise.Original, noise.PMTU, noise.Depth
	return q
}

// keep is a new request: its PSNs are those behind the last one's, and now and then any.
func (p *replayPeers) keep(qp *replayPeer) {
	r := p.r
	q := p.noise(qp.qpn, hca.ReplayKeep)
	if q.PSN = qp.next; r.OneIn(20) {
		q.PSN = drawPSN(r)
	}
	q.Last = q.PSN
	if r.OneIn(2) {
		q.Kind = hca.ReplayRead
	}
	if q.Kind == hca.ReplayRead {
		n := [...]int{1, 1, 2, 3, 16, 1 + r.Below(1000)}[r.Below(6)]
		q.Bytes = uint32(n)<<(7+max(1, qp.pmtu)) - uint32(r.Below(2)*r.Below(100))
		q.Last = q.PSN.Add(int32(n) - 1)
		if r.OneIn(40) {
			q.Bytes, q.Last = 0, q.PSN
		}
		if r.OneIn(3) {
			q.VA = -uint64(r.Below(1 << 16))
		}
		switch r.Below(16) {
		case 0:
			q.Last, q.Bytes = psn.PSN(r.Below(1<<24)), uint32(r.Uint64())
		case 1: // as long as its bytes, however many those are
			q.Bytes = uint32(r.Uint64())
			q.Last = q.PSN.Add(int32((q.Bytes - 1) >> (7 + max(1, qp.pmtu))))
		}
	} else if c := &qp.counter; c.Bytes != 0 {
		q.Kind, q.VA, q.RKey, q.Bytes = c.Kind, c.VA, c.RKey, c.Bytes
	} else if r.OneIn(8) {
		*c = q
	}
	qp.next = q.Last.Add(1)
	qp.sent = append(qp.sent, q)
	p.give(q, "keep")
}

// duplicate asks for a whole READ, what is left of it behind some packets, or a part; then one thing may be wrong.
func (p *replayPeers) duplicate(qp *replayPeer) {
	r := p.r
	q := p.old(qp)
	q.Op = hca.ReplayLookUp
	if q.Kind == hca.ReplayRead {
		behind := psn.Span{Low: q.PSN, High: q.Last, Any: true}
		n := r.Below(1 + [...]int{1, 2, 4, int(behind.Count() - 1)}[r.Below(4)])
		skipped := uint64(n) << (7 + max(1, qp.pmtu))
		q.PSN = q.PSN.Add(int32(n))
		q.VA += skipped
		q.Bytes -= uint32(min(skipped, uint64(q.Bytes)))
		if r.OneIn(4) {
			q.Bytes = uint32(r.Below(int(q.Bytes) + 1))
		} else if r.OneIn(6) {
			q.Bytes = 0
		}
		q.Last = psn.PSN(r.Below(1 << 24))
	}
	why := "duplicate"
	if r.OneIn(2) {
		why = "duplicate: something wrong"
		switch r.Below(7) {
		case 0:
			q.PSN = q.PSN.Add(1)
		case 1:
			q.PSN = q.PSN.Add(-1)
		case 2:
			q.Kind ^= hca.ReplayKind(1 + r.Below(3))
		case 3:
			q.VA = near(r, q.VA, 64)
		case 4:
			q.RKey = near(r, q.RKey, 32)
		case 5:
			q.Bytes++
		default:
			q.Bytes = near(r, q.Bytes, 32)
		}
	}
	p.give(q, why)
}
