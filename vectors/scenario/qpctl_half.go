package scenario

import "hcacosim/model/hca"

const (
	// qpcHalves are the episodes of which each begins with half a write that waits, from qpcHalfFirst on.
	qpcHalves    = 2
	qpcHalfFirst = 3
	// qpcPatience is how many cycles the other half comes behind it. A device that makes a master wait for that hangs:
	// the bridge waits for 100,000 cycles.
	qpcPatience = 110_000
)

// qpcBegins is the cycle in which an episode begins.
func qpcBegins(number uint64, longer int) uint64 {
	begins := qpcBegin + number*uint64(longer*qpcCycles)
	if longer == qpcAxil && number > qpcHalfFirst {
		begins += min(number-qpcHalfFirst, qpcHalves) * qpcPatience
	}
	return begins
}

// half gives half of a write, then reads, and the other half as if by a master that waits for the half to be accepted
// and for what it reads: a device in which one of them waits for the other half stops for ever.
func (s *qpcSoftware) half() {
	if s.e.Number < qpcHalfFirst || s.e.Number >= qpcHalfFirst+qpcHalves {
		return
	}
	var b [hca.QPCtlAccessBytes]byte
	address, data := s.at, s.at+qpcPatience
	if s.e.Number%2 == 0 {
		address, data = data, address
	}
	s.e.Add(axilAW, address, hca.AppendAxilAddress(b[:0], 0x00C), "half a write: SELECT")
	w := hca.AxilWrite{Data: s.qps[0], Strobe: 15}
	s.e.Add(axilW, data, w.Append(b[:0]), "half a write: SELECT")
	for range 3 {
		s.at += 20
		s.give(&hca.QPCtlAccess{Address: [...]uint16{0x000, 0x00C, 0x020}[s.r.Below(3)]}, "read: while half a write waits")
	}
	s.at = max(address, data) + 12
}
