package roce

import "hcacosim/model/psn"

// LeastMSN is what a response must count at least: what was said before, and the messages up to what it acknowledges.
func (f *ResponderFollower) LeastMSN(p *Packet) uint32 {
	upTo := p.PSN
	if p.Answer().NAK() {
		upTo = f.cfg.Width.Prev(upTo)
	}
	if c := &f.counted[uint32(upTo)%maxCounted]; c.valid && c.psn == upTo && after24(c.msn, f.ackedMSN) {
		return c.msn
	}
	return f.ackedMSN
}

// msn judges the count of messages: not below what was said or is acknowledged, not above what was completed (RSP-11).
// A count that stays off by as much was said once. It is over where one is right that could not be another.
func (f *ResponderFollower) msn(p *Packet) Verdict {
	said, least, most := f.ackedMSN, f.LeastMSN(p), f.r.msn
	off := int32(0)
	switch {
	case after24(said, most): // more was said before than has ended since
		off, f.ackedMSN = psn.New(most).Diff(psn.New(said)), most
		return f.off(off, "MSN %d, %d were counted before, and %d have ended", f.device(p.MSN), f.device(said),
			f.device(most))
	case after24(said, p.MSN):
		return f.off(psn.New(p.MSN).Diff(psn.New(least)), "MSN %d, %d were counted before", f.device(p.MSN),
			f.device(said))
	case after24(least, p.MSN):
		off = psn.New(p.MSN).Diff(psn.New(least))
	case after24(p.MSN, most):
		off = psn.New(p.MSN).Diff(psn.New(most))
	case least == most:
		f.miscount = 0
	}
	if least == most {
		return f.off(off, "MSN %d, expected %d", f.device(p.MSN), f.device(most))
	}
	return f.off(off, "MSN %d, expected %d to %d", f.device(p.MSN), f.device(least), f.device(most))
}

// CountsFrom says what the device's MSN is where the follower's is 0: what is said of it is in the device's numbers.
func (f *ResponderFollower) CountsFrom(msn uint32) { f.base = msn }

// device is an MSN as the device counts.
func (f *ResponderFollower) device(msn uint32) uint32 { return (msn + f.base) & 0xFFFFFF }

// off is the verdict on a count that is off by so much, where 0 is right.
func (f *ResponderFollower) off(by int32, format string, args ...any) Verdict {
	if by == 0 || by == f.miscount {
		return Verdict{}
	}
	f.miscount = by
	return broken("RSP-11", format, args...)
}

// advance notes how far the device has acknowledged, and what it counted, as far as that can be.
func (f *ResponderFollower) advance(p *Packet) {
	f.acked = maxPSN(f.acked, p.PSN)
	if after24(p.MSN, f.ackedMSN) && !after24(p.MSN, f.r.msn) {
		f.ackedMSN = p.MSN
	}
}
