package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// An episode of hca-rx-meets is a round of two parts in which READs are answered, and one fails, while writes of other
// queue pairs fail; and of one in which memory gives, for a tag that it failed, before it is asked for it again, CNPs
// come beside operations on cnp_gen, and responses when rx_dma and what waits for it are full.
const (
	hcaRxMeetsLength   = 1900
	hcaRxMeetsReads    = 2   // of each QP that wait for memory: together no more than read_engine has
	hcaRxMeetsFlood    = 150 // operations on resp_psn_check, one a clock
	hcaRxMeetsAnswers  = 60  // in front of a READ for which memory has given
	hcaRxMeetsFailures = 8   // writes that fail, of as many as may wait to be told of
	hcaRxMeetsMarks    = 60  // and CNPs, beside operations on cnp_gen
	hcaRxMeetsPlaced   = 200 // writes: more than rx_dma has under way, and 64 whose payload waits
	hcaRxMeetsBehind   = 4   // responses behind them, each with a WRITE behind it
)

// hcaRxMeets has four QPs that read, and five of each of which one write fails.
var hcaRxMeets = hcaRxPlan{numbers: []uint32{0, 3, 17, 62, 44, 43, 24, 38, 27, 20}, fixed: 4, spares: 5, shared: 50,
	windows: 17, grants: 1, numQPs: hcaRxNumQPs, length: hcaRxMeetsLength, setUp: 260, operation: 1, frames: 450,
	most: 450, bytes: 40_000, writes: 228, pieces: 192, atomics: 4, serving: 1200}

// makeHcaRxMeets makes two parts in which outcomes meet, and one with what else meets.
func makeHcaRxMeets(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaRxMeetsLength, func(r *Rand, e *Episode) {
		d := newHcaRxPeer(g, r, e, &hcaRxMeets)
		d.full, d.model = true, hca.NewHcaRxBlocks(sim.Settings{"NumQps": d.plan.numQPs})
		for part := range hcaRxParts {
			until := d.beginMeets(part)
			if part < hcaRxParts-1 {
				d.outcomesMeet(until)
			} else {
				d.tagBehindError(d.used[0])
				d.tagBehindError(d.used[1])
				d.marksBesideOperations()
				d.usesWhatIsTaken()
				d.otherLengths()
				d.responsesBehindFull(until)
				d.fill()
			}
			d.end()
		}
		d.goOnToTheEnd()
	})
	c.takeLink()
}

// beginMeets sets all QPs, in the first part, or sets them anew, and says until when memory gives nothing.
func (d *hcaRxPeer) beginMeets(part int) (until uint64) {
	operations, frames, until := hcaRxFullTimes(d.plan, d.g.pace, d.e.Number, part)
	d.part, d.bytes, d.frames, d.start = part, 0, 0, operations
	d.served = map[uint32]int{}
	var all []hca.HcaRxOp
	if part == 0 {
		d.common = hcaRxCommon(d.g, d.r)
		all = append(slices.Clone(d.common), hcaRxQueue(hca.RQClear, d.plan.shared, "the shared queue is empty"))
		for i := range d.plan.filler() {
			all = append(all, d.setServing(i)...)
		}
		for i := range d.plan.fixed {
			d.used = append(d.used, &d.qps[i])
		}
		all = append(all, d.qps[d.plan.filler()].set(d.g, d.r, d.plan, d.plan.filler())...)
	} else {
		for i := range d.plan.filler() {
			all = append(append(all, d.qps[i].revive()...), d.qps[i].clear(d.r))
		}
		if part == hcaRxParts-1 {
			all = append(all, d.giveWindow()...)
		}
	}
	d.beginFrames(all, frames)
	return until
}

// outcomesMeet has READs wait for memory, which gives for all of them at once and fails the last one of a QP, while a
// write of each of five others fails: resp_psn_check is told of each (PSN-5, DMA-5), also where it is busy. Then every
// QP reads as often as it may at a time, and the one that failed writes: nothing comes of that (RSP-15).
func (d *hcaRxPeer) outcomesMeet(until uint64) {
	fails := d.used[d.r.Below(len(d.used))]
	d.late = until
	for i := range hcaRxMeetsReads * len(d.used) {
		p := d.used[i%len(d.used)]
		if before := d.served[p.spec.DestQP]; before < min(hcaRxMeetsReads, p.reads) {
			if p == fails && before+1 == min(hcaRxMeetsReads, p.reads) {
				d.failure = [...]hcaRxFailure{hcaRxReadFails, hcaRxReadIsShort}[d.r.Below(2)]
			}
			d.readsByte(p, "a READ that is answered while writes fail")
			d.failure = 0
		}
	}
	if d.r.OneIn(2) {
		d.writesFail(until)
	} else {
		d.failuresFill(until)
		o, _ := hcaRxAbout(hca.ToVerdict, hcaRxNobody, "of nobody, one of many")
		for range hcaRxMeetsFlood {
			d.op(until, o)
		}
	}
	d.hasFailed(fails)
	start := d.start
	d.start = until + d.plan.through(d.g.pace)/2
	d.late = d.start + d.g.pace.Cycles(hcaRxWaits*d.plan.pieces/hcaRxParts)
	for _, p := range d.used {
		if p == fails {
			s := d.small(p, ib.WriteOnly, 1+d.r.Below(4))
			d.add(s.Encap.Link(), s.Append(nil, d.g.random[:s.DMALen]), "a WRITE of a QP that memory failed")
			continue
		}
		for range p.reads {
			d.readsByte(p, "a READ, of as many as may be in flight")
		}
	}
	d.start, d.late = start, 0
}

// readsByte has a QP read a byte.
func (d *hcaRxPeer) readsByte(p *hcaRxQP, why string) wire.Spec {
	s, _ := d.read(p, 6)
	s.RKey, s.VA, s.DMALen, p.next = p.key, hcaRxVA+uint64(d.r.Below(1<<12)), 1, s.PSN.Add(1)
	d.add(s.Encap.Link(), s.Append(nil, nil), why)
	return s
}

// writesFail has each of the other QPs write, and memory fail that while READs are answered.
func (d *hcaRxPeer) writesFail(until uint64) {
	busy := hcaRxWaits * hcaRxMeetsReads * len(d.used)
	for i := range d.spares() {
		p, at := &d.spares()[i], int(float64(until-d.start)/d.memory.slow)+d.r.Below(busy)
		if d.writeFails(p, at, "a WRITE that fails while READs are answered") {
			d.model.Fail(p.spec.DestQP)
		}
	}
}

// failuresFill has the other QPs write, once and again, and memory fail as many as may wait to be told of while
// resp_psn_check is busy; behind them rx_dma forgets a QP, which the host is told of (DMA-2).
func (d *hcaRxPeer) failuresFill(until uint64) {
	at := int(float64(until-d.start)/d.memory.slow) + d.r.Below(8)
	for i := range hcaRxMeetsFailures {
		why := "a WRITE that fails while READs are answered"
		if i >= len(d.spares()) {
			why = "a WRITE that fails, of as many as may wait to be told of"
		}
		d.writeFails(&d.spares()[i%len(d.spares())], at+i/2, why)
	}
	for i := range d.spares() {
		d.model.Fail(d.spares()[i].spec.DestQP)
	}
	d.op(until-min(until, hcaRxMeetsFlood), d.used[0].clear(d.r))
}

// writeFails has a QP write, and memory fail that when it gives its verdict, if it is executed.
func (d *hcaRxPeer) writeFails(p *hcaRxQP, at int, why string) bool {
	m := &d.memory
	s, n := d.small(p, ib.WriteOnly, 1+d.r.Below(4)), 0
	s.AckReq, n = d.r.OneIn(2), int(s.DMALen)
	before := len(m.acks)
	d.add(s.Encap.Link(), s.Append(nil, d.g.random[:n]), why)
	if len(m.acks) == before {
		return false
	}
	m.acks[before].at, m.acks[before].Error = at, true
	return true
}

// tagBehindError has memory fail a READ of one piece, and give for the next READ whose piece has its tag before it is
// asked for that: it is to wait until then, as behind any other piece.
func (d *hcaRxPeer) tagBehindError(p *hcaRxQP) {
	filler := &d.qps[d.plan.filler()]
	d.late, d.failure = d.start, hcaRxReadFails
	d.readsByte(p, "a READ of one piece that memory fails")
	d.hasFailed(p)
	for left := hca.ReadPieces - 1; left > 0; {
		pieces := min(left, 16)
		s := filler.spec
		s.PSN, s.RKey, s.Opcode = filler.next, filler.key, ib.Join(ib.RC, ib.ReadRequest)
		s.VA, s.DMALen = hcaRxVA+-filler.base%hca.ReadPieceBytes, uint32(pieces*hca.ReadPieceBytes)
		filler.next = filler.next.Add(int32((int(s.DMALen) + filler.pmtu - 1) / filler.pmtu))
		d.add(s.Encap.Link(), s.Append(nil, nil), "a READ of the tags behind one that failed")
		left -= pieces
	}
	d.empty(filler, hcaRxMeetsAnswers)
	d.readsByte(filler, "a READ for which memory gives before it is asked, by a tag that it failed")
	d.late = 0
}

// marksBesideOperations sends CNPs and responses, marked or not, while cnp_gen has an operation in half of the clocks:
// each is asked about in its turn (CNP-1).
func (d *hcaRxPeer) marksBesideOperations() {
	o, _ := hcaRxAbout(hca.ToNotify, hcaRxNobody, "of nobody, one of many")
	at := d.now
	for range hcaRxMeetsMarks {
		d.op(at, o)
		at += uint64(d.r.Between(1, 3))
	}
	for range hcaRxMeetsMarks {
		d.noRequest(d.used[2+d.r.Below(2)], "a mark beside operations on cnp_gen")
	}
}

// shares is one of the last two QPs that has a shared receive queue; nil for none.
func (d *hcaRxPeer) shares() *hcaRxQP {
	for _, p := range d.used[2:] {
		if p.receive.Shared {
			return p
		}
	}
	return nil
}

// giveWindow has the host open the window of that QP for all that there is, and post a receive WQE for it.
func (d *hcaRxPeer) giveWindow() (all []hca.HcaRxOp) {
	p := d.shares()
	if p == nil {
		return nil
	}
	d.wqes++
	window := hca.MRQuery{Op: hca.MRSet, RKey: p.window, PD: p.receive.PD, VA: p.va, Length: p.length, Need: 31,
		Base: d.r.Uint64(), Window: true}
	post := hca.RQQuery{Op: hca.RQPost, Queue: d.plan.shared, ReceiveWQE: hca.ReceiveWQE{WQE: d.wqes, Bytes: 1 << 14}}
	return []hca.HcaRxOp{
		{To: hca.ToKeys, Record: (&hca.MRQuery{Op: hca.MRRemove, RKey: p.window}).Append(nil), Why: "remove the window"},
		{To: hca.ToKeys, Record: window.Append(nil), Why: "a window for all"},
		{To: hca.ToReceiveQueues, Record: post.Append(nil), Why: "a receive WQE, of the shared queue"},
	}
}

// usesWhatIsTaken has that QP's peer take its window away by a SEND of one packet and write through it right behind:
// that needs no WQE, so nothing but the invalidate holds it back, and it is refused (RSP-1). What follows has
// another QP in the place of that one.
func (d *hcaRxPeer) usesWhatIsTaken() {
	p := d.shares()
	if p == nil {
		return
	}
	s := p.spec
	s.PSN, s.AckReq, s.Opcode, s.InvRKey = p.next, true, ib.Join(ib.RC, ib.SendOnlyInv), p.window
	d.add(s.Encap.Link(), s.Append(nil, nil), "takes a window away, and nothing else waits")
	s.PSN, s.Opcode, s.RKey = s.PSN.Add(1), ib.Join(ib.RC, ib.WriteOnly), p.window
	s.VA, s.DMALen = p.va, 1
	d.add(s.Encap.Link(), s.Append(nil, d.g.random[:1]), "writes through the window that is taken away")
	if p == d.used[2] { // the other one goes on
		d.used[2], d.used[3] = d.used[3], p
	}
}

// otherLengths has ATOMIC WRITEs of which the length alone is another than 8, each bit in turn, or that lie right
// behind their region and have none: both are held against eight bytes first (RSP-1), and then their length counts.
func (d *hcaRxPeer) otherLengths() {
	for i := range d.spares() {
		p := &d.spares()[i]
		if !p.allows(0) || !d.serves(p) {
			continue
		}
		s, n := d.read(p, 0)
		s.RKey, s.VA, s.DMALen = p.key, hcaRxVA, 8^1<<d.turn(hcaRxTurnLength, 32)
		if d.r.OneIn(3) {
			s.VA, s.DMALen = hcaRxVA+p.length&^7, 0
		}
		d.add(s.Encap.Link(), s.Append(nil, d.g.random[:n]), "an ATOMIC WRITE of another length")
	}
}

// responsesBehindFull has memory acknowledge no write until rx_dma has as many under way as it can, and as many wait
// for it as can; then responses with a payload come, which is none to be written: each waits for its place too (DMA-3).
func (d *hcaRxPeer) responsesBehindFull(until uint64) {
	m, p := &d.memory, d.used[2]
	from := len(m.acks)
	for i := range hcaRxMeetsPlaced + hcaRxMeetsBehind {
		if i >= hcaRxMeetsPlaced {
			s := p.spec
			s.Opcode, s.PSN = ib.Join(ib.RC, ib.ReadResponseOnly), p.next
			d.add(s.Encap.Link(), s.Append(nil, d.g.random[:1+d.r.Below(4)]), "a response when all is full")
		}
		d.writeBehind(p)
	}
	for i := range m.acks[from:] {
		m.acks[from+i].at = int(float64(until-d.start)/m.slow) + i
	}
}
