package hca

// What replay_fifo makes of wrong bits in its two memories: docs/ecc.md, docs/blocks/replay_fifo.md, Wrong bits.

// Data bits: of what a QP's word has of each of its slots, and of the rest of that word; of a slot.
const (
	replayEntryBits = 51
	replayQPBits    = 13
	replaySlotBits  = 193
)

// Lost reports whether a word that the record needed was lost (ECC-7).
func (r ReplayAnswer) Lost() bool { return r.Op < ReplayInject && !r.Found && r.Known }

// maintain orders an injection in the QP's word, or with an odd kind in a slot (ECC-4), or tells the counts (ECC-5).
func (s *Replays) maintain(q *ReplayQuery) ReplayAnswer {
	r := ReplayAnswer{QPN: q.QPN, Op: q.Op}
	m, at := s.words, q.QPN
	if q.Kind&1 == 1 {
		m, at = s.kept, s.slot(q.QPN, int(q.Depth))
	}
	if q.Op == ReplayCounts {
		r.Found, r.Original = true, uint64(m.corrected)|uint64(m.failed)<<16|uint64(m.lastCorrected)<<32|
			uint64(m.lastFailed)<<48
		return r
	}
	r.Found = q.QPN < s.numQPs && m.inject(at, int(q.VA&0xFFFF), int(q.VA>>16&0xFFFF))
	return r
}

// slot is the number of a slot of a QP among those of all.
func (s *Replays) slot(qpn uint32, i int) uint32 {
	return qpn*uint32(s.slots) + uint32(i)&uint32(s.slots-1)
}

// lost looks the QP's word up, and writes what the record leaves. Where it reports that it was lost, nothing is done; a
// set makes it anew (ECC-7).
func (s *Replays) lost(q *ReplayQuery) bool {
	switch {
	case q.QPN >= s.numQPs || q.Op > ReplaySet:
		return false
	case s.sets(q):
		s.words.lost(q.QPN)
		return false
	}
	return s.words.stays(q.QPN)
}
