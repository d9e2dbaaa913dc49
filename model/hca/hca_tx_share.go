// Decides RATE-5.

package hca

import "hcacosim/model/sim"

// hcaTxShares hold turns to the weight of their QP (RATE-5). Frames leave in the order in which packets were given.
type hcaTxShares struct {
	hears   uint64
	weights map[uint32]*hcaTxWeight
	other   uint64 // when something went in last that may wake a QP and is no post, or is for sq_scheduler
	posted  uint64 // when something was posted last
}

// hcaTxWeight is a QP's: until its packets have left that were owed when it was set, the one before counts too.
type hcaTxWeight struct{ now, most uint8 }

// hcaTxShare is what a packet has to do with those of other QPs.
type hcaTxShare struct {
	byPost bool
	ahead  []*hcaTxFlight // of others, that stood ready when it came to be owed
	behind map[uint32]int // by QP: packets that left while it stood ready
}

func newHcaTxShares(hears uint64) hcaTxShares {
	return hcaTxShares{hears: hears, weights: map[uint32]*hcaTxWeight{}}
}

// take hears an input.
func (s *hcaTxShares) take(r *sim.Record) {
	switch {
	case r.Port == HcaTxGathered || r.Port == HcaTxPayload || r.Port == HcaTxAcks || r.Port == HcaTxCNPs:
		return
	case r.Port == HcaTxOps && HcaTxTargetOf(r.Data) == ToSendQueues:
		if q := ParseSQRecord(HcaTxRecordOf(r.Data)); q.Op == SQPost {
			s.posted = r.End
			return
		}
	case r.Port == HcaTxOps && HcaTxTargetOf(r.Data) == ToTurns:
		if q := ParseSchedRecord(HcaTxRecordOf(r.Data)); q.Op == SchedSet {
			w := max(1, q.Weight&15)
			if s.weights[q.QPN] == nil {
				s.weights[q.QPN] = &hcaTxWeight{}
			}
			s.weights[q.QPN].now, s.weights[q.QPN].most = w, max(w, s.weights[q.QPN].most)
		}
	}
	s.other = r.End
}

// note takes a packet that comes to be owed, ahead of those of its QP's.
func (s *hcaTxShares) note(p *hcaTxFlight, f *hcaTxFlights) {
	cycle := p.cause.cycle
	p.share.byPost = p.cause.known && cycle == s.posted && s.other != cycle
	w := s.weights[p.QPN]
	if w == nil || !p.share.byPost {
		return
	}
	if f.next(p.QPN) == nil {
		w.most = w.now
	}
	if cycle < s.other+s.hears {
		return
	}
	for _, qpn := range sortedKeys(f.qps) {
		q := f.next(qpn)
		if q != nil && qpn != p.QPN && q.share.byPost && q.paced == nil && q.why == FrameGood &&
			cycle >= q.cause.cycle+s.hears {
			p.share.ahead = append(p.share.ahead, q)
		}
	}
}

// weight is how many packets a turn of a QP has at most.
func (s *hcaTxShares) weight(qpn uint32) int { return int(s.weights[qpn].most) }

// left has a packet leave. It returns one of another QP that should have had its turn before.
func (s *hcaTxShares) left(p *hcaTxFlight) (over *hcaTxFlight) {
	for _, q := range p.share.ahead {
		if q.dropped { // it has left, or never will
			continue
		}
		if q.share.behind == nil {
			q.share.behind = map[uint32]int{}
		}
		q.share.behind[p.QPN]++
		if q.share.behind[p.QPN] > s.weight(p.QPN) {
			over = q
		}
	}
	return over
}
