package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// MaxKept is the deepest FIFO of READs and atomics.
const MaxKept = 16

// kept is a READ or atomic that was executed, for a replay.
type kept struct {
	verb        Verb
	done        bool // of an atomic: original is known
	first, last psn.PSN
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
func (r *Responder) keep(p *Packet, s *ib.Shape, last psn.PSN) uint8 {
	k := &r.kept
	slot := k.next
	k.ring[slot] = kept{verb: s.Verb, first: p.PSN, last: last, va: p.VA, rkey: p.RKey, len: p.DMALen}
	if k.next++; k.next >= min(max(1, r.cfg.MaxReads), MaxKept) {
		k.next = 0
	}
	return slot
}

// find returns the entry whose PSNs p is among, or nil.
func (k *keeper) find(p psn.PSN) *kept {
	for i := range k.ring {
		if e := &k.ring[i]; e.verb != NoVerb && p.Diff(e.first) >= 0 && p.Diff(e.last) <= 0 {
			return e
		}
	}
	return nil
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

// duplicate answers a request that was executed before. What is wrong with it is nobody's business (RSP-6).
func (r *Responder) duplicate(p *Packet, s *ib.Shape, out *Batch) {
	before := r.replies.count
	if r.again(p, s, out); r.cfg.Profile.DupForgetsNAK && r.replies.count > before {
		r.nakSent, r.rnrSent = false, false
	}
}

// again answers a duplicate by its kind.
func (r *Responder) again(p *Packet, s *ib.Shape, out *Batch) {
	switch {
	case r.replies.full():
		out.drop("RSP-13")
	case s.Verb == Read:
		r.duplicateRead(p, out)
	case s.Verb.Replayed():
		r.duplicateAtomic(p, s, out)
	case s.Verb == NoVerb:
		out.drop("RSP-6")
	case r.cfg.Profile.DupAckByAckReq && !p.AckReq:
		out.drop("RSP-5")
	default:
		out.drop("RSP-5") // not executed
		r.ack(r.acked)
	}
}

// duplicateRead reads memory again for a request within the original (RSP-7).
func (r *Responder) duplicateRead(p *Packet, out *Batch) {
	e := r.kept.find(p.PSN)
	if e == nil || e.verb != Read || !r.within(p, e) ||
		p.DMALen != 0 && !r.allows(p.RKey, p.VA, uint64(p.DMALen), RemoteRead) {
		out.drop("RSP-7")
		return
	}
	answer := reply{kind: readReply, psn: p.PSN, va: p.VA, left: p.DMALen, msn: r.msn, again: true}
	answer.resumed = r.cfg.Profile.PartialReplayMiddle && p.PSN != e.first
	if r.cfg.Profile.ReplayMovesStart {
		e.va = p.VA
	}
	if r.cfg.Profile.ReplayShrinks {
		e.first, e.va, e.len = p.PSN, p.VA, p.DMALen
	}
	if !r.cfg.follows {
		r.replies.interrupt(p.PSN)
	}
	r.replies.push(answer)
}

// within tells that a duplicate READ asks for a part of the original, at the PSN that this part had.
func (r *Responder) within(p *Packet, e *kept) bool {
	if r.cfg.Profile.ReplayMovesStart {
		// The kernel keeps the length when it moves the start, and does not hold address and PSN against each other.
		return p.RKey == e.rkey && p.VA >= e.va && p.DMALen <= e.len && p.VA-e.va <= uint64(e.len-p.DMALen)
	}
	skipped := r.cfg.Width.between(p.PSN, e.first) * r.cfg.PMTUBytes
	if skipped > e.len || p.RKey != e.rkey || p.VA != e.va+uint64(skipped) || p.DMALen > e.len-skipped {
		return false
	}
	return !r.cfg.Profile.ReplayToEnd || p.DMALen == e.len-skipped
}

// duplicateAtomic returns what the first execution returned. Neither R_Key nor address is looked at (RSP-8).
func (r *Responder) duplicateAtomic(p *Packet, s *ib.Shape, out *Batch) {
	for i := range r.kept.ring {
		if e := &r.kept.ring[i]; e.verb == s.Verb && e.first == p.PSN {
			if !s.Verb.Atomic() {
				r.replies.push(reply{kind: readReply, psn: p.PSN, msn: r.msn, again: true})
				return
			}
			r.replies.push(reply{kind: atomicReply, psn: p.PSN, slot: uint8(i), waits: !e.done, original: e.original, msn: r.msn,
				again: true})
			return
		}
	}
	out.drop("RSP-8")
}

// ack owes a positive acknowledgement of everything up to p. An ACK that waits behind nothing but an ACK is one with it,
// unless the profile answers every request by itself (RSP-13).
func (r *Responder) ack(p psn.PSN) {
	q := &r.replies
	if q.count > 0 && !r.cfg.Profile.AckPerRequest {
		if last := q.at(q.count - 1); last.kind == ackReply {
			last.psn, last.msn = p, r.msn
			return
		}
	}
	q.push(reply{kind: ackReply, psn: p, msn: r.msn})
}

// credits is the syndrome of an ACK: how many receive WQEs there are (CRD-1). The one that the current message uses is
// among them: MSN does not count that message yet, and LSN is their sum (CRD-2).
func (r *Responder) credits() ib.Syndrome {
	if r.cfg.Profile.NoCredits {
		return ib.AckSyndrome(ib.CreditsUnlimited)
	}
	return ib.AckSyndrome(ib.CreditCode(uint32(r.recv.count)))
}
