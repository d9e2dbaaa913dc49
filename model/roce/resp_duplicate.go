package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Decides RSP-7 and RSP-8.

// MaxKept is the deepest FIFO of READs and atomics.
const MaxKept = 16

// kept is a READ or atomic that was executed, for a replay.
type kept struct {
	verb        Verb
	done        bool    // of an atomic: original is known
	open        bool    // its last response has not left
	givenUp     bool    // only where a follower judges: the device was interrupted in its answer
	start       psn.PSN // the first of the request's
	first, last psn.PSN // what a duplicate may ask for
	va          uint64
	rkey        uint32
	len         uint32
	original    uint64
}

// keeper is the FIFO of RSP-8, as deep as the agreed number; a new entry takes the place of the oldest.
type keeper struct {
	ring [MaxKept]kept
	next uint8
}

// keep stores a new READ or atomic. Duplicates are never stored again.
func (r *Responder) keep(p *Packet, s *ib.Shape) uint8 {
	k := &r.kept
	slot := k.next
	if r.cfg.follows {
		r.replies.forget(slot)
	}
	k.ring[slot] = kept{verb: s.Verb, open: true, start: p.PSN, first: p.PSN, last: r.cfg.Width.Prev(r.ePSN),
		va: p.VA, rkey: p.RKey, len: p.DMALen}
	if k.next++; k.next >= min(max(1, r.cfg.MaxReads), MaxKept) {
		k.next = 0
	}
	return slot
}

// find returns the place of the entry whose PSNs p is among, -1 if there is none.
func (k *keeper) find(p psn.PSN) int {
	for i := range k.ring {
		if e := &k.ring[i]; e.verb != NoVerb && p.Diff(e.first) >= 0 && p.Diff(e.last) <= 0 {
			return i
		}
	}
	return -1
}

// Result gives the machine what memory held before the atomic of an AtomicMemory effect.
func (r *Responder) Result(slot uint8, original uint64) {
	r.kept.ring[slot].original, r.kept.ring[slot].done = original, true
	for i := range r.replies.count {
		if a := r.replies.at(i); a.waits && a.slot == slot {
			a.waits, a.original = false, original
		}
	}
}

// older reports whether a PSN lies before all that is kept of as many as there are places: what was there is not known.
func (k *keeper) older(w Width, p, ePSN psn.PSN) bool {
	for i := range k.ring {
		if e := &k.ring[i]; e.verb == NoVerb || w.Between(ePSN, p) <= w.Between(ePSN, e.start) {
			return false
		}
	}
	return p.Diff(ePSN) < 0
}

// answered notes that the last response to a READ or atomic leaves, if it is kept yet.
func (r *Responder) answered(a *reply) {
	if e := &r.kept.ring[a.slot]; e.verb != NoVerb && a.psn == e.last {
		e.open = false
	}
}

// unanswered returns the oldest READ or atomic before or around p that is not answered to its end, nil if there is
// none. What is older lies further behind ePSN: half of the PSNs may lie between two, which a signed difference cannot
// put in order (PSN-7).
func (r *Responder) unanswered(p psn.PSN) (oldest *kept) {
	w := r.cfg.Width
	least := w.Between(r.ePSN, p)
	for i := range r.kept.ring {
		if e := &r.kept.ring[i]; e.open && w.Between(r.ePSN, e.start) >= least {
			oldest, least = e, w.Between(r.ePSN, e.start)
		}
	}
	return oldest
}

// around reports whether a PSN lies in a READ or atomic that is not answered to its end.
func (k *keeper) around(p psn.PSN) bool {
	for i := range k.ring {
		if e := &k.ring[i]; e.open && p.Diff(e.start) >= 0 && p.Diff(e.last) <= 0 {
			return true
		}
	}
	return false
}

// ackPSN is the PSN of an ACK whose turn has come. What is before it was answered; but for a READ that was interrupted,
// and then the ACK of a duplicate stays before that (RSP-5, RSP-7).
func (r *Responder) ackPSN(a *reply) psn.PSN {
	if a.again && !r.cfg.Profile.DupAckSkipsRead {
		if e := r.unanswered(a.psn); e != nil {
			return r.cfg.Width.Prev(e.start)
		}
	}
	return a.psn
}

// replays reports whether a duplicate READ or atomic is answered: it repeats what is kept (RSP-7, RSP-8).
func (r *Responder) replays(p *Packet, s *ib.Shape) bool {
	if s.Verb != Read {
		return r.kept.same(p, s.Verb) >= 0
	}
	slot := r.kept.find(p.PSN)
	if slot < 0 || r.kept.ring[slot].verb != Read || !r.within(p, &r.kept.ring[slot]) {
		return false
	}
	return p.DMALen == 0 || r.allows(p.RKey, p.VA, uint64(p.DMALen), RemoteRead)
}

// same returns the place of an atomic, ATOMIC WRITE or FLUSH by PSN and kind, -1 if it is not kept. Neither R_Key nor
// address is looked at (RSP-8).
func (k *keeper) same(p *Packet, v Verb) int {
	for i := range k.ring {
		if e := &k.ring[i]; e.verb == v && e.start == p.PSN {
			return i
		}
	}
	return -1
}

// again answers a duplicate by its kind.
func (r *Responder) again(p *Packet, d *RespDecision, out *Batch) {
	switch d.Answer {
	case RespReadResponses:
		r.readAgain(p, d)
	case RespAck:
		out.drop("RSP-5") // not executed
		r.ack(d, true)
	default: // what the first execution returned (RSP-8)
		slot := r.kept.same(p, p.Op.Shape().Verb)
		e := &r.kept.ring[slot]
		answer := reply{kind: readReply, psn: d.PSN, slot: uint8(slot), msn: d.MSN, again: true}
		if d.Answer == RespAtomicAck {
			answer.kind, answer.waits, answer.original = atomicReply, !e.done, e.original
		}
		r.replies.push(answer)
	}
}

// readAgain reads memory again for a request within the original (RSP-7).
func (r *Responder) readAgain(p *Packet, d *RespDecision) {
	slot := r.kept.find(p.PSN)
	e := &r.kept.ring[slot]
	answer := reply{kind: readReply, psn: d.PSN, slot: uint8(slot), va: p.VA, left: p.DMALen, msn: d.MSN, again: true}
	answer.resumed = r.cfg.Profile.PartialReplayMiddle && p.PSN != e.first
	if r.cfg.Profile.ReplayMovesStart {
		e.va = p.VA
	}
	if r.cfg.Profile.ReplayShrinks {
		e.first, e.va, e.len = p.PSN, p.VA, p.DMALen
	}
	if r.cfg.follows {
		r.replies.push(answer)
		return
	}
	r.interrupt(&answer)
}

// within reports whether a duplicate READ asks for a part of the original, at the PSN that this part had.
func (r *Responder) within(p *Packet, e *kept) bool {
	if r.cfg.Profile.ReplayMovesStart {
		// The kernel keeps the length when it moves the start, and does not hold address and PSN against each other.
		return p.RKey == e.rkey && p.VA >= e.va && p.DMALen <= e.len && p.VA-e.va <= uint64(e.len-p.DMALen)
	}
	skipped := uint64(r.cfg.Width.Between(p.PSN, e.first)) * uint64(r.cfg.PMTUBytes)
	original, part := ReadRange{e.va, e.rkey, e.len}, ReadRange{p.VA, p.RKey, p.DMALen}
	return original.Holds(part, skipped) && (!r.cfg.Profile.ReplayToEnd || skipped+uint64(p.DMALen) == uint64(e.len))
}

// ReadRange is what a READ request asks for.
type ReadRange struct {
	VA    uint64
	RKey  uint32
	Bytes uint32
}

// Holds reports whether part asks for a part of this READ at the place that this part had: so many bytes behind its
// start (RSP-7). An address that runs over 2^64 goes on at 0.
func (o ReadRange) Holds(part ReadRange, skippedBytes uint64) bool {
	return part.RKey == o.RKey && part.VA == o.VA+skippedBytes && skippedBytes+uint64(part.Bytes) <= uint64(o.Bytes)
}

// ack owes a positive acknowledgement of everything up to a PSN. An ACK that waits behind nothing but an ACK is one
// with it, unless the profile answers every request by itself (RSP-13).
func (r *Responder) ack(d *RespDecision, again bool) {
	q := &r.replies
	if q.count > 0 && !r.cfg.Profile.AckPerRequest {
		if last := q.at(q.count - 1); last.kind == ackReply {
			last.psn, last.msn, last.again = d.PSN, d.MSN, last.again && again
			return
		}
	}
	a := q.add(ackReply)
	a.psn, a.msn, a.again = d.PSN, d.MSN, again
}

// credits is the syndrome of an ACK: how many receive WQEs there are (CRD-1). The one that the current message uses is
// among them: MSN does not count that message yet, and LSN is their sum (CRD-2).
func (r *Responder) credits() ib.Syndrome {
	if r.cfg.Profile.NoCredits {
		return ib.AckSyndrome(ib.CreditsUnlimited)
	}
	return ib.AckSyndrome(ib.CreditCode(uint32(r.recv.count)))
}
