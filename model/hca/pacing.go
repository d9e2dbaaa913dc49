package hca

import "cmp"

// pacingLaw is how CNPs slow a queue pair and time restores it: docs/blocks/rate_limiter.md. Times have one unit, the
// clock. The zero law slows none.
type pacingLaw struct {
	period uint64 // between two cuts, or a change and the step that follows
	forget uint64 // so long behind its last change a queue pair has its static pace
	cut    uint8  // in parts of 128 of the pace
	raise  uint8  // in parts of 256 of the target
	// slowest bounds what a cut makes of a pace; 0: nothing does.
	slowest uint16
}

// pacer is a queue pair that sends at a pace: the clocks that 4096 bytes take. 0 is no limit.
type pacer struct {
	static       uint16
	pace, target uint16 // while it is slow
	changed      bool
	fell         bool   // the last change was a CNP's
	change       uint64 // when that was
	next         uint64 // when it may send
}

// paceAt is the pace of a queue pair at a time. The time never turns over.
func (p *pacer) paceAt(now uint64, law *pacingLaw) uint16 {
	if p.slow(now, law) {
		return p.pace
	}
	return p.static
}

func (p *pacer) slow(now uint64, law *pacingLaw) bool { return p.changed && now-p.change < law.forget }

// maySend takes the step that is due, and reports whether the queue pair may send.
func (p *pacer) maySend(now uint64, law *pacingLaw) bool {
	if p.slow(now, law) && now-p.change >= law.period {
		if p.pace == p.target {
			fall := uint32(p.target)*uint32(law.raise)/256 + 1
			p.target = uint16(max(int32(p.target)-int32(fall), int32(p.static)))
		}
		p.pace = uint16((uint32(p.pace) + uint32(p.target)) / 2)
		p.fell, p.change = false, now
	}
	return now >= p.next
}

// cut cuts the pace for a CNP, and reports whether it did: not sooner than the period behind another cut.
func (p *pacer) cut(now uint64, law *pacingLaw) bool {
	if p.slow(now, law) && p.fell && now-p.change < law.period {
		return false
	}
	old := p.paceAt(now, law)
	p.pace = law.cutOf(old)
	p.target, p.changed, p.fell, p.change = old, true, true, now
	return true
}

// cutOf is what a cut makes of a pace: never a shorter one.
func (l *pacingLaw) cutOf(pace uint16) uint16 {
	most := uint32(cmp.Or(l.slowest, 0xFFFF))
	return max(pace, uint16(min(uint32(pace)+uint32(pace)*uint32(l.cut)/128, most)))
}

// lawOf is the law that an operation sets.
func lawOf(q *RateQuery) pacingLaw {
	return pacingLaw{period: uint64(q.Period), forget: uint64(q.Forget), cut: q.Cut, raise: q.Raise, slowest: q.Pace}
}

// sent counts the bytes of a packet, and reports whether the queue pair's time is no further ahead than furthest; if it
// were, it is that far ahead.
func (p *pacer) sent(now uint64, law *pacingLaw, bytes int, furthest uint64) bool {
	pieces := (uint64(bytes) + 63) / 64
	gap := (pieces*uint64(p.paceAt(now, law)) + 63) / 64
	p.next = max(p.next, now) + gap
	if p.next-now <= furthest {
		return true
	}
	p.next = now + furthest
	return false
}
