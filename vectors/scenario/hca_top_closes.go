package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/sim"
)

// An episode of hca-top-closes closes one queue pair after the other while READs of another wait for memory, as
// hca-top does once or twice in an episode of as many records: what is told of the one that closes meets events of
// frames, and the accesses that hold them up, in one clock or another (RSP-14).
const (
	hcaTopClosesLength = 3600
	hcaTopClosesAnew   = 80  // accesses that set a queue pair anew, at most
	hcaTopClosesEach   = 330 // records of a close, at most
	hcaTopClosesMost   = 14  // of an episode
	hcaTopClosesReads  = 60  // registers read one behind the other
	hcaTopClosesBytes  = 110 // of a frame to nobody, at most
)

// hcaTopCloses has the queue pairs of hca-rx, and no writes.
var hcaTopCloses = hcaRxPlan{numbers: hcaRxFive.numbers, fixed: 4, spares: 2, shared: 50, windows: 17,
	numQPs: hcaRxNumQPs, length: hcaTopClosesLength, operation: 1, frames: 640, most: 640, bytes: 60_000, pieces: 64}

// hcaTopClosesTimes are the first clocks of what a close has: of the accesses that set a queue pair anew, of the READs
// that wait, of the accesses that close a queue pair, and of memory's answer.
func hcaTopClosesTimes(p Pace, round uint64, part int) (anew, reads, closes, answers uint64) {
	silence := 2 * hcaTopSilence(p)
	setUp := p.Cycles(hcaTopClocks*hcaTopSetUp/2+hcaRxSettling) + silence
	sets := p.Cycles(hcaTopClocks*hcaTopClosesAnew+hcaRxSettling) + silence
	waits := p.Cycles(p.Beats(hcaTopHeld*hcaTopClosesBytes, hcaRxWaits*hcaTopHeld)+hcaRxSettling) + silence
	closing := p.Cycles(hcaTopClocks*(hcaTopClosing+6)+hcaRxSettling) + silence
	busy := p.Cycles(p.Beats(hcaTopStrays*hcaTopClosesBytes, hcaRxWaits*hcaTopStrays)+hcaTopClocks*hcaTopBusy+
		hcaRxSettling) + silence
	last := p.Cycles(p.Beats(hcaTopCloses.pieces*hca.ReadPieceBytes, hcaTopClocks*hcaTopClosesLength/2)) + silence
	each := sets + waits + closing + busy
	first := uint64(p.Words) + hcaRxSettling + p.Cycles(p.Beats(p.Before, p.Before/20))
	anew = first + round*(setUp+hcaTopClosesMost*each+last) + setUp + uint64(part)*each
	return anew, anew + sets, anew + sets + waits, anew + sets + waits + closing
}

// makeHcaTopCloses makes what software does to registers, and frames that come meanwhile.
func makeHcaTopCloses(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaTopClosesLength, func(r *Rand, e *Episode) {
		d := newHcaRxPeer(g, r, e, &hcaTopCloses)
		d.model = hca.NewHcaRxBlocks(sim.Settings{"NumQps": hcaRxNumQPs})
		d.top = &hcaTopSoftware{closing: -1}
		d.served = map[uint32]int{}
		d.top.setUpToClose(&d)
		part := 0
		for ; part < hcaTopClosesMost && d.count()+hcaTopClosesEach+d.plan.pieces < hcaTopClosesLength; part++ {
			d.top.closeOne(&d, part)
		}
		d.top.at, d.start, _, _ = hcaTopClosesTimes(g.pace, e.Number, part)
		d.fillReads(&d.qps[d.plan.filler()])
		d.top.readBack(&d)
	})
	c.takeLink()
}

// setUpToClose sets all queue pairs up.
func (s *hcaTopSoftware) setUpToClose(d *hcaRxPeer) {
	s.at, _, _, _ = hcaTopClosesTimes(d.g.pace, d.e.Number, 0)
	s.at -= d.g.pace.Cycles(hcaTopClocks*hcaTopSetUp/2+hcaRxSettling) + 2*hcaTopSilence(d.g.pace)
	d.start = s.at
	s.setUp(d)
	d.flush()
}

// closeOne sets the queue pair anew that was closed last, and closes one while READs of another wait. When memory gives
// for these, frames come and registers are written.
func (s *hcaTopSoftware) closeOne(d *hcaRxPeer, part int) {
	anew, begins, closes, answers := hcaTopClosesTimes(d.g.pace, d.e.Number, part)
	s.at = anew
	if s.closing >= 0 {
		s.anew(d, s.closing)
	}
	d.start, d.now, d.late = begins, begins, answers
	d.memory.begin(d)
	for range d.r.Between(1, hcaTopHeld) {
		d.readLate(&d.qps[d.plan.filler()], "a READ that waits while a QP is closed")
	}
	d.late = 0
	s.at, s.closing = closes, d.r.Below(d.plan.fixed)
	s.close(d, s.closing)
	s.command(d, hca.QPCommandFree, "command: FREE, too early")
	s.read(d, 0x004, "read: STATUS")
	d.start, s.at = answers, answers
	s.crowd(d, hcaTopStrays)
	reads := d.r.Below(3) * hcaTopClosesReads / 2 // as fast as the device takes them
	for range reads {
		s.read(d, 0x000, "read: ID, while a QP closes")
		s.at = answers
	}
	for range hcaTopBusy * (1 - reads/hcaTopClosesReads) {
		s.write(d, 0x03C, uint32(d.r.Uint64()), "write: ARG7, while a QP closes")
	}
	d.moves, d.behind = append(d.moves, d.behind...), d.behind[:0]
	d.flush()
}
