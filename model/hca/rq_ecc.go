package hca

import "math/bits"

// What rq_head makes of wrong bits in its four memories: docs/ecc.md, docs/blocks/rq_head.md, Wrong bits.

// rqWordBits are the data bits of a word of each memory.
func rqWordBits(depth int) [rqMemories]int {
	slot := bits.Len(uint(depth - 1))
	return [rqMemories]int{RQOfQueue: 2*slot + 1, RQOfQP: 1, RQOfSlot: 64, RQOfHeld: 64}
}

// Lost reports whether a word that the record needed was lost (ECC-7).
func (r RQResult) Lost() bool { return r.Op < RQInject && !r.Present && r.Bytes == 1 }

// maintain orders an injection in one of the memories (ECC-4), or tells its counts (ECC-5).
func (s *ReceiveQueues) maintain(q *RQQuery) RQResult {
	r := RQResult{QPN: q.QPN, Op: q.Op}
	which := RQMemory(q.WQE & 3)
	m := s.ecc[which]
	if q.Op == RQCounts {
		r.Present, r.Bytes = true, uint32(m.corrected)|uint32(m.failed)<<16
		r.WQE = m.lastCorrected | m.lastFailed<<16
		return r
	}
	at := q.QPN
	if which == RQOfQueue || which == RQOfSlot {
		at = q.Queue
	}
	if at >= s.numQPs {
		return r
	}
	if which == RQOfSlot {
		at = s.slot(at, int(q.WQE>>2&63))
	}
	r.Present = m.inject(at, int(q.Bytes&0xFFFF), int(q.Bytes>>16))
	return r
}

// slot is the number of a slot of a queue among those of all.
func (s *ReceiveQueues) slot(queue uint32, i int) uint32 {
	return queue*uint32(s.depth) + uint32(i)&uint32(s.depth-1)
}

// first is where a queue begins.
func (s *ReceiveQueues) first(queue uint32) int {
	if at := s.heads.get(queue); at != nil {
		return *at
	}
	return 0
}

// stored has a post written to its slot.
func (s *ReceiveQueues) stored(q *RQQuery) {
	if s.ecc[RQOfSlot] != nil {
		s.ecc[RQOfSlot].anew(s.slot(q.Queue, s.first(q.Queue)+s.waiting(q.Queue)))
	}
}

// lost looks up what the record uses, and writes what it leaves. Where it reports that a word was lost, nothing is done
// but what lost itself does (ECC-7).
func (s *ReceiveQueues) lost(q *RQQuery, isQP, isQueue bool) bool {
	switch {
	case (q.Op == RQLookUp || q.Op == RQTake) && isQP && isQueue:
		queue, qp := s.ecc[RQOfQueue].stays(q.Queue), s.ecc[RQOfQP].stays(q.QPN)
		return queue || qp || s.lostWQE(q)
	case q.Op == RQPost && isQueue:
		return s.ecc[RQOfQueue].stays(q.Queue)
	case q.Op == RQClear && isQueue:
		if s.ecc[RQOfQueue].lost(q.Queue) {
			s.heads.delete(q.Queue) // it begins at 0 then
		}
	case q.Op == RQRelease && isQP:
		lost := s.ecc[RQOfQP].lost(q.QPN) || s.held.get(q.QPN) != nil && s.ecc[RQOfHeld].peek(q.QPN)
		if lost {
			s.held.delete(q.QPN)
		}
		return lost
	}
	return false
}

// lostWQE looks up the WQE that a look-up or take finds. A take takes one away that was lost, as any other: who binds
// it holds one that is lost.
func (s *ReceiveQueues) lostWQE(q *RQQuery) bool {
	_, any, held := s.next(q)
	if !any {
		return false
	}
	var lost bool
	if held {
		lost = s.ecc[RQOfHeld].peek(q.QPN)
	} else {
		lost = s.ecc[RQOfSlot].peek(s.slot(q.Queue, s.first(q.Queue)))
	}
	if q.Op == RQTake {
		if binds := !held && q.Shared && !q.Complete; binds && lost {
			s.ecc[RQOfHeld].lose(q.QPN)
		} else if binds {
			s.ecc[RQOfHeld].anew(q.QPN)
		}
		if lost {
			s.take(q)
		}
		if !held && (q.Shared || q.Complete) {
			s.heads.set(q.Queue, (s.first(q.Queue)+1)%s.depth)
		}
	}
	return lost
}
