package swift

// Decides FAL-C13.

// PLB counts the congestion that a connection met on its path.
type PLB struct {
	Congested uint16 // packets acknowledged with a delay above the target, 10 bits
	Acked     uint16 // packets acknowledged, 10 bits
	Attempts  uint8  // congested round trips in a row, 4 bits
}

const plbMask = 1<<10 - 1

// Pack returns the counters as the peer keeps them: congested 0-9, acked 10-19, attempts 20-23.
func (p PLB) Pack() uint32 {
	return uint32(p.Congested&plbMask) | uint32(p.Acked&plbMask)<<10 | uint32(p.Attempts&15)<<20
}

// UnpackPLB reads what Pack wrote.
func UnpackPLB(v uint32) PLB {
	return PLB{Congested: uint16(v & plbMask), Acked: uint16(v >> 10 & plbMask), Attempts: uint8(v >> 20 & 15)}
}

// acknowledged counts an ACK and reports whether another path is to be tried (FAL-C13). A round trip is over when as
// many packets as the window's size are acknowledged.
func (p *PLB) acknowledged(c *Config, acked uint16, congested bool, size float64) (reroute bool) {
	total, bad := p.Acked+acked, p.Congested
	if congested {
		bad += acked
	}
	if float64(total) < size {
		p.Acked, p.Congested = total&plbMask, bad&plbMask
		return false
	}
	p.Acked, p.Congested = 0, 0
	if float64(bad) < c.PLBCongestionThreshold*float64(total) {
		p.Attempts = 0
		return false
	}
	p.Attempts++
	if p.Attempts >= c.PLBAttemptThreshold {
		p.Attempts = 0
		return true
	}
	return false
}
