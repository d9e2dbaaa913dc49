package scenario

import "hcacosim/model/hca"

// hcaTopSpare are the two QPs of hca-top that no frame is for. While frames of others come, one that was closed before
// is freed, and then the other one may be closed: what FREE does meets packets, and a QP closes while answers of others
// leave. When all frames of the part are through, it is freed too.
type hcaTopSpare struct {
	first   int  // which of the two is freed while frames come: 0 or 1
	waiting int  // frames until then; -1: it is done
	closes  bool // the other one is closed behind that
	closing bool // it was
}

// hcaTopSpareWait is before which frame of a part one is freed, at most.
const hcaTopSpareWait = 60

// hcaTopSpares is how many accesses they take in a part, but in front of the first.
const hcaTopSpares = 2*3 + hcaTopWaits + 10

// of is the place of one of the two.
func (s *hcaTopSpare) of(d *hcaRxPeer, k int) int { return d.plan.fixed + (s.first+k)%2 }

// setSpares sets the two up, where the round begins.
func (s *hcaTopSoftware) setSpares(d *hcaRxPeer) {
	for k := range 2 {
		i := d.plan.fixed + k
		p := &d.qps[i]
		p.set(d.g, d.r, d.plan, i)
		p.receive.Shared, p.receive.Queue = false, d.plan.numbers[i]
		s.destroy(d, i)
		s.set(d, i)
	}
}

// beginSpares closes one, and has the other live, before frames come.
func (s *hcaTopSoftware) beginSpares(d *hcaRxPeer, part int) {
	if part > 0 {
		for k := range 2 { // one that was never closed refuses both
			s.write(d, 0x00C, d.plan.numbers[d.plan.fixed+k], "write: SELECT")
			s.command(d, hca.QPCommandInit, "command: INIT")
			s.command(d, hca.QPCommandRTR, "command: RTR")
		}
	}
	s.spare.first, s.spare.waiting = d.r.Below(2), d.r.Below(hcaTopSpareWait)
	s.spare.closes = part == hcaRxParts-1 || d.r.OneIn(6)
	s.close(d, s.spare.of(d, 0))
}

// besideFrame frees the one and closes the other when it is time.
func (s *hcaTopSoftware) besideFrame(d *hcaRxPeer) {
	if s.spare.waiting < 0 {
		return
	}
	if s.spare.waiting--; s.spare.waiting < 0 {
		s.freeFirst(d)
		if s.spare.closing = s.spare.closes; s.spare.closing {
			s.write(d, 0x00C, d.plan.numbers[s.spare.of(d, 1)], "write: SELECT")
			s.command(d, hca.QPCommandClose, "command: CLOSE, while frames come")
		}
	}
}

// freeFirst frees the one that was closed before.
func (s *hcaTopSoftware) freeFirst(d *hcaRxPeer) {
	s.spare.waiting = -1
	s.write(d, 0x00C, d.plan.numbers[s.spare.of(d, 0)], "write: SELECT")
	s.command(d, hca.QPCommandFree, "command: FREE, while frames come")
	s.at += hcaTopClocks
	s.read(d, 0x004, "read: STATUS")
}

// endSpares frees what is closed, when all frames of a part are through: one QP closes at a time.
func (s *hcaTopSoftware) endSpares(d *hcaRxPeer) {
	if s.spare.waiting >= 0 { // few frames came
		s.freeFirst(d)
	}
	if s.spare.closing {
		s.spare.closing = false
		s.write(d, 0x00C, d.plan.numbers[s.spare.of(d, 1)], "write: SELECT")
		s.command(d, hca.QPCommandFree, "command: FREE, behind frames")
		s.read(d, 0x004, "read: STATUS")
	}
}
