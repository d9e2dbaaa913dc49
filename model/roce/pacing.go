package roce

// Decides no rule: what a sender does with a CNP is docs/blocks/rate_limiter.md's.

// PacingLaw is how CNPs slow a queue pair and time restores it. Times have one unit, the clock. The zero law slows none.
type PacingLaw struct {
	Period uint64 // between two cuts, or a change and the step that follows
	Forget uint64 // so long behind its last change a queue pair has its static pace
	Cut    uint8  // in parts of 128 of the pace
	Raise  uint8  // in parts of 256 of the target
}

// Pacer is a queue pair that sends at a pace: the clocks that 4096 bytes take. 0 is no limit.
type Pacer struct {
	Static       uint16
	pace, target uint16 // while it is slow
	changed      bool
	fell         bool   // the last change was a CNP's
	change       uint64 // when that was
	next         uint64 // when it may send
}

// Pace is the pace of a queue pair at a time. The time never turns over.
func (p *Pacer) Pace(now uint64, law *PacingLaw) uint16 {
	if p.slow(now, law) {
		return p.pace
	}
	return p.Static
}

func (p *Pacer) slow(now uint64, law *PacingLaw) bool { return p.changed && now-p.change < law.Forget }

// MaySend takes the step that is due, and reports whether the queue pair may send.
func (p *Pacer) MaySend(now uint64, law *PacingLaw) bool {
	if p.slow(now, law) && now-p.change >= law.Period {
		if p.pace == p.target {
			fall := uint32(p.target)*uint32(law.Raise)/256 + 1
			p.target = uint16(max(int32(p.target)-int32(fall), int32(p.Static)))
		}
		p.pace = uint16((uint32(p.pace) + uint32(p.target)) / 2)
		p.fell, p.change = false, now
	}
	return now >= p.next
}

// Slow cuts the pace for a CNP, and reports whether it did: not sooner than the period behind another cut.
func (p *Pacer) Slow(now uint64, law *PacingLaw) bool {
	if p.slow(now, law) && p.fell && now-p.change < law.Period {
		return false
	}
	old := p.Pace(now, law)
	p.pace = uint16(min(uint32(old)+uint32(old)*uint32(law.Cut)/128, 0xFFFF))
	p.target, p.changed, p.fell, p.change = old, true, true, now
	return true
}

// Sent counts the bytes of a packet, and reports whether the queue pair's time is no further ahead than furthest; if it
// were, it is that far ahead.
func (p *Pacer) Sent(now uint64, law *PacingLaw, bytes int, furthest uint64) bool {
	pieces := (uint64(bytes) + 63) / 64
	gap := (pieces*uint64(p.Pace(now, law)) + 63) / 64
	p.next = max(p.next, now) + gap
	if p.next-now <= furthest {
		return true
	}
	p.next = now + furthest
	return false
}
