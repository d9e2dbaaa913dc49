package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
)

// An episode of hca-top-streams closes a queue pair that no frame is for, again and again, each time while answers of
// another leave one behind the other: what enters, leaves, is due and is through comes in the clock in which it is
// removed (RSP-14). Behind some of these a READ of another waits for memory, the last answer that is due: FREE is too
// early then, and who has counted wrongly does not know it.
const (
	hcaTopStreamsLength = 3600
	hcaTopStreamsMost   = 62 // streams and waits of an episode
	hcaTopStreamsFrames = 56 // of a stream, at most
	hcaTopStreamsLeast  = 12 // and at least
	hcaTopStreamsEvery  = 5  // of which the last is a READ that waits
	hcaTopStreamsApart  = 3  // clocks from one to the next, or so
	hcaTopStreamsFirst  = 30 // and from a frame to its answer, less what a CLOSE takes
	hcaTopStreamsCount  = hcaTopStreamsFrames + 12
	hcaTopStreamsRead   = 130 // records for registers, in the end
)

// hcaTopStreams has the queue pairs of hca-rx, and no writes.
var hcaTopStreams = hcaRxPlan{numbers: hcaRxFive.numbers, fixed: 4, spares: 2, shared: 50, windows: 17,
	numQPs: hcaRxNumQPs, length: hcaTopStreamsLength, operation: 1, frames: 3000, most: 3000, bytes: 300_000, pieces: 64}

// hcaTopStreamsTimes are the first clocks of an episode: of what sets it up, and of one of its streams.
func hcaTopStreamsTimes(p Pace, round uint64, part int) (setUp, stream uint64) {
	silence := 2 * hcaTopSilence(p)
	sets := p.Cycles(hcaTopClocks*hcaTopSetUp/2+hcaRxSettling) + silence
	last := p.Cycles(p.Beats(hcaTopStreams.pieces*hca.ReadPieceBytes, hcaTopClocks*hcaTopStreamsLength/2)) + silence
	setUp = uint64(p.Words) + hcaRxSettling + p.Cycles(p.Beats(p.Before, p.Before/20))
	setUp += round * (sets + (hcaTopStreamsMost+1)*hcaTopStreamsEach(p) + last)
	return setUp, setUp + sets + uint64(part)*hcaTopStreamsEach(p)
}

// hcaTopStreamsEach is how long a stream takes, or a READ that waits.
func hcaTopStreamsEach(p Pace) uint64 {
	frames := p.Beats(hcaTopStreamsFrames*hcaTopClosesBytes, hcaRxWaits*hcaTopStreamsFrames)
	return p.Cycles(frames+2*hcaTopClocks*hcaTopClosing+2*hcaRxSettling) + 2*hcaTopSilence(p)
}

// makeHcaTopStreams makes what software does to registers, and frames that come meanwhile.
func makeHcaTopStreams(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaTopStreamsLength, func(r *Rand, e *Episode) {
		d := newHcaRxPeer(g, r, e, &hcaTopStreams)
		d.model = hca.NewHcaRxBlocks(sim.Settings{"NumQps": hcaRxNumQPs})
		d.top = &hcaTopSoftware{closing: -1}
		d.served = map[uint32]int{}
		s := d.top
		s.at, _ = hcaTopStreamsTimes(g.pace, e.Number, 0)
		d.start = s.at
		s.setUp(&d)
		s.table(&d, hcaRxPeriod(0))
		d.flush()
		d.memory.begin(&d)
		part, room := 0, hcaTopStreamsLength-hcaTopStreamsCount-hcaTopStreamsRead-d.plan.pieces
		for ; part < hcaTopStreamsMost && d.count() < room; part++ {
			_, clock := hcaTopStreamsTimes(g.pace, e.Number, part)
			if part%hcaTopStreamsEvery == hcaTopStreamsEvery-1 {
				s.lastIsDue(&d, clock)
			} else {
				s.stream(&d, clock)
			}
			d.flush()
		}
		_, s.at = hcaTopStreamsTimes(g.pace, e.Number, part)
		d.start = s.at + hcaTopStreamsEach(g.pace) // FLOW was read: what it says of frames on their way is a matter of time
		d.fillReads(&d.qps[d.plan.filler()])
		s.readBack(&d)
	})
	c.takeLink()
}

// opens has one of the queue pairs that no frame is for begin, so that it can be closed.
func (s *hcaTopSoftware) opens(d *hcaRxPeer, clock uint64) {
	s.at = clock
	s.write(d, 0x00C, d.plan.numbers[d.plan.fixed+d.r.Below(2)], "write: SELECT")
	s.command(d, hca.QPCommandInit, "command: INIT")
}

// stream has a queue pair close while answers are due one behind the other, and be freed when all are through. One that
// is due is through two clocks later in this device, so both come in one clock where frames are of two beats, or where
// one frame has two answers: marked responses are, and marked WRITEs have an ACK and a CNP.
func (s *hcaTopSoftware) stream(d *hcaRxPeer, clock uint64) {
	r, pace := d.r, d.g.pace
	s.opens(d, clock)
	d.start = clock + pace.Cycles(4*hcaTopClocks)
	others := [...]int{0, 0, 3, 6}[r.Below(4)] // one in so many is another one
	marked := [...]int{0, 1, 2, 3}[r.Below(4)] // and one in so many a marked response
	x := s.notified(d)
	frames := r.Between(hcaTopStreamsLeast, hcaTopStreamsFrames)
	for range frames {
		switch {
		case others > 0 && r.OneIn(others):
			s.counted(d, hcaTopCrowd(r.Below(int(hcaTopKinds))))
		default:
			d.answered(x, marked)
		}
	}
	s.at = d.start + pace.Cycles(hcaTopStreamsFirst+r.Below(frames*hcaTopStreamsApart)) - pace.Cycles(0) // no silence
	s.command(d, hca.QPCommandClose, "command: CLOSE, in a stream")
	s.at = max(s.at, clock+hcaTopStreamsEach(pace)-pace.Cycles(3*hcaTopClocks))
	s.command(d, hca.QPCommandFree, "command: FREE, behind a stream")
	s.read(d, 0x004, "read: STATUS")
}

// answered sends what is answered at once: a WRITE without bytes, marked or not, or a marked response to x.
func (d *hcaRxPeer) answered(x *hcaRxQP, marked int) {
	p := &d.qps[d.plan.filler()]
	w, why := p.spec, "a WRITE of no bytes, in a stream"
	w.PSN, w.RKey, w.VA, w.AckReq, w.Opcode = p.next, p.key, hcaRxVA, true, ib.Join(ib.RC, ib.WriteOnly)
	if p.notifies() && d.r.OneIn(2) {
		w.TClass |= 3
	}
	if x != nil && marked > 0 && d.r.OneIn(marked) {
		w, why = x.spec, "a marked response, in a stream"
		w.Opcode, w.PSN, w.MSN = ib.Join(ib.RC, ib.Ack), x.next, uint32(d.r.Below(1<<24))
		w.TClass |= 3
	} else {
		p.next = p.next.Add(1)
	}
	d.add(w.Encap.Link(), w.Append(nil, nil), why)
}

// lastIsDue has a queue pair close while a READ of another waits for memory, behind all streams and beside nothing: it
// cannot be freed, and is when memory gives.
func (s *hcaTopSoftware) lastIsDue(d *hcaRxPeer, clock uint64) {
	pace := d.g.pace
	d.start = clock
	d.late = clock + hcaTopStreamsEach(pace) - pace.Cycles(hcaRxSettling) - hcaTopSilence(pace)
	d.readLate(&d.qps[d.plan.filler()], "a READ that waits behind streams")
	d.late = 0
	s.opens(d, clock+pace.Cycles(hcaRxSettling)+hcaTopSilence(pace))
	s.command(d, hca.QPCommandClose, "command: CLOSE, behind streams")
	for range hcaTopWaits {
		s.write(d, 0x03C, uint32(d.r.Uint64()), "write: ARG7, while the QP is removed")
	}
	s.command(d, hca.QPCommandFree, "command: FREE, too early")
	s.read(d, 0x004, "read: STATUS")
	s.at = clock + hcaTopStreamsEach(pace) - pace.Cycles(3*hcaTopClocks)
	s.command(d, hca.QPCommandFree, "command: FREE, behind a READ")
	s.read(d, 0x004, "read: STATUS")
	d.moves, d.behind = append(d.moves, d.behind...), d.behind[:0]
}
