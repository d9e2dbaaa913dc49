package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// An episode of hca-rx-long is a round of two kinds of parts that a round of hca-rx has no room for: READs that memory
// fails where their PSNs carry, each carry in turn, and their QPs set anew while answers of others leave; and an atomic
// that waits for memory while more is written than memory has tags.
const (
	hcaRxLongLength  = 1800
	hcaRxLongWrites  = hca.DMATags + 64 // behind the atomic
	hcaRxLongCarry   = 8                // the lowest bit that PSNs carry into
	hcaRxLongAnswers = 130              // that wait, and leave one behind the other
	hcaRxLongLeaving = 700              // clocks in which they do
	hcaRxLongAhead   = 40               // answers in front of READs for which memory has given
	hcaRxLongPieces  = 16               // of each of these READs
)

// hcaRxLong has four QPs in every part, all of which write, read and do atomics, and one whose writes fail.
var hcaRxLong = hcaRxPlan{numbers: hcaRxFive.numbers[:6], fixed: 4, spares: 1, shared: 50, windows: 17,
	numQPs: hcaRxNumQPs, length: hcaRxLongLength, setUp: 200, operation: 1, frames: 640, most: 640, bytes: 60_000,
	writes: 384, overtakes: 32, pieces: 192, atomics: 16, serving: 1200, grants: 1}

// makeHcaRxLong makes two parts in which READs fail, and one in which writes overtake an atomic.
func makeHcaRxLong(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaRxLongLength, func(r *Rand, e *Episode) {
		d := newHcaRxPeer(g, r, e, &hcaRxLong)
		d.full, d.model = true, hca.NewHcaRxBlocks(sim.Settings{"NumQps": d.plan.numQPs})
		for part := range hcaRxParts {
			until := d.beginLong(part)
			d.failAgain()
			if part < hcaRxParts-1 {
				d.failWherePSNsCarry(until)
				d.liveAgain(until)
			} else {
				d.readsAcross()
				d.writesOvertake(until)
				d.flushBeyond()
				d.fill()
			}
			d.end()
		}
		d.goOnToTheEnd()
	})
	c.takeLink()
}

// beginLong sets all QPs anew, and says until when memory gives nothing for READs and atomics.
func (d *hcaRxPeer) beginLong(part int) (until uint64) {
	operations, frames, until := hcaRxFullTimes(d.plan, d.g.pace, d.e.Number, part)
	d.part, d.bytes, d.frames, d.start = part, 0, 0, operations
	d.served = map[uint32]int{}
	var all []hca.HcaRxOp
	if part == 0 {
		d.common = hcaRxCommon(d.g, d.r)
		all = append(slices.Clone(d.common), hcaRxQueue(hca.RQClear, d.plan.shared, "the shared queue is empty"))
		for i := range d.plan.fixed {
			all = append(all, d.setServing(i)...)
			d.used = append(d.used, &d.qps[i])
		}
		all = append(all, d.qps[d.plan.filler()].set(d.g, d.r, d.plan, d.plan.filler())...)
	}
	all = append(all, d.beginFailing()...)
	for i, p := range d.used {
		carry := hcaRxLongCarry + (int(d.e.Number)*len(d.used)*hcaRxParts+part*len(d.used)+i)%(psn.Bits-hcaRxLongCarry+1)
		p.next = psn.New(1<<carry + uint32(d.r.Uint64())<<carry).Add(-1)
		p.verdict.Profile |= hca.RespFlushUnchecked
		list := p.revive()
		if p.alive { // replay_fifo has it
			list = slices.DeleteFunc(list, func(o hca.HcaRxOp) bool { return o.To == hca.ToReplay })
		}
		p.alive = false
		all = append(append(all, list...), p.clear(d.r))
	}
	d.beginFrames(all, frames)
	return until
}

// beginFrames has operations come, and the frames of a part when they are through.
func (d *hcaRxPeer) beginFrames(all []hca.HcaRxOp, frames uint64) {
	for _, o := range all {
		d.op(d.start, o)
	}
	d.flush()
	d.start, d.now = frames, frames
	d.memory.begin(d)
}

// setServing sets a QP of RC that may do all, also READs.
func (d *hcaRxPeer) setServing(i int) []hca.HcaRxOp {
	for {
		p := &d.qps[i]
		list := p.set(d.g, d.r, d.plan, i)
		if !p.uc && !p.ud && !p.idle && p.reads > 0 && p.allows(2) && p.allows(6) {
			return list
		}
	}
}

// beginFailing sets the QP whose writes fail, in the first part, and in the second one again, where rx_dma knows of its
// failure still (DMA-5).
func (d *hcaRxPeer) beginFailing() (all []hca.HcaRxOp) {
	w := &d.spares()[0]
	switch d.part {
	case 0:
		all = append(d.setServing(d.plan.fixed), w.clear(d.r))
		for range hcaRxDepth {
			d.wqes++
			o := hca.RQQuery{Op: hca.RQPost, Queue: w.spec.DestQP,
				ReceiveWQE: hca.ReceiveWQE{WQE: d.wqes, Bytes: 1 << 14}}
			all = append(all, hca.HcaRxOp{To: hca.ToReceiveQueues, Record: o.Append(nil), Why: "a receive WQE"})
		}
	case 1:
		all = w.revive()
	}
	return all
}

// failAgain has memory fail the write of its SEND, in the first part and in the second; in the third nobody hears of
// what it sends.
func (d *hcaRxPeer) failAgain() {
	w, m := &d.spares()[0], &d.memory
	s := w.spec
	s.PSN, s.AckReq, s.Opcode = w.next, true, ib.Join(ib.RC, ib.SendOnly)
	w.next = w.next.Add(1)
	before := len(m.acks)
	d.add(s.Encap.Link(), s.Append(nil, d.g.random[:1+d.r.Below(4)]), "a SEND whose write fails, twice")
	if len(m.acks) > before {
		m.acks[before].Error = true
		d.model.Fail(w.spec.DestQP)
	}
}

// failWherePSNsCarry has each QP read two responses, or three, of which memory fails the last one: its NAK has the PSN
// of that, which carries (DMA-7). Nobody hears of what is sent behind it.
func (d *hcaRxPeer) failWherePSNsCarry(until uint64) {
	d.fails = true
	for _, p := range d.used {
		responses := 2
		if p.pmtu < 1024 {
			responses += d.r.Below(2)
		}
		s, _ := d.read(p, 6)
		s.RKey, s.VA, s.DMALen = p.key, hcaRxVA, uint32((responses-1)*p.pmtu+d.r.Between(1, p.pmtu))
		p.next = s.PSN.Add(int32(responses))
		d.late, d.failure = until, [...]hcaRxFailure{hcaRxReadFails, hcaRxReadIsShort}[d.r.Below(2)]
		d.add(s.Encap.Link(), s.Append(nil, nil), "a READ that memory fails where PSNs carry")
		d.late, d.failure = 0, 0
		d.empty(p, d.r.Below(3))
		d.hasFailed(p)
	}
	d.fails = false
	d.moves, d.behind = append(d.moves, d.behind...), d.behind[:0]
}

// liveAgain has replay_fifo set each QP that memory failed, once, while answers of another leave one behind the other:
// it is dead no more (RSP-15). The other blocks set it before the next part.
func (d *hcaRxPeer) liveAgain(until uint64) {
	start, filler := d.start, &d.qps[d.plan.filler()]
	d.start = until + d.plan.through(d.g.pace)/2
	leave := d.start + d.g.pace.Cycles(hcaRxWaits*hcaRxLongAnswers)
	d.late = leave
	d.readFew(filler, 1)
	d.late = 0
	d.empty(filler, hcaRxLongAnswers)
	var clocks []int
	for range d.used {
		clocks = append(clocks, d.r.Below(hcaRxLongLeaving))
	}
	slices.Sort(clocks)
	for i, p := range d.used {
		d.op(leave+d.g.pace.Cycles(clocks[i]), p.keepsNothing())
		p.alive = true
	}
	d.start = start
}

// readsAhead has memory give for READs before it is asked, for a turn of tags and more: what is given waits until then,
// also of a tag that memory failed before.
func (d *hcaRxPeer) readsAhead(p *hcaRxQP) {
	d.late = d.start
	d.empty(p, hcaRxLongAhead)
	for range hca.ReadPieces/hcaRxLongPieces + 1 {
		s := p.spec
		s.PSN, s.RKey, s.Opcode = p.next, p.key, ib.Join(ib.RC, ib.ReadRequest)
		s.VA, s.DMALen = hcaRxVA+-p.base%hca.ReadPieceBytes, hcaRxLongPieces*hca.ReadPieceBytes
		p.next = p.next.Add(int32(int(s.DMALen) / p.pmtu))
		d.add(s.Encap.Link(), s.Append(nil, nil), "a READ for which memory gives before it is asked")
	}
	d.late = 0
}

// readsAcross has each QP that may have some in flight read on both sides of where PSNs carry, and the second READ come
// again: what the first has is not the second's (PSN-3).
func (d *hcaRxPeer) readsAcross() {
	for _, p := range d.used {
		if p.reads < 3 {
			continue
		}
		const why = "a READ, beside where PSNs carry"
		d.readsByte(p, why)
		s := d.readsByte(p, why)
		d.add(s.Encap.Link(), s.Append(nil, nil), "a READ again, behind one that ends where PSNs carry")
		if p.reads > 3 && p.allows(0) && p.allows(1) {
			d.otherKind(p, d.r.Below(2))
		}
	}
}

// otherKind has a QP do an ATOMIC WRITE, or a FLUSH, and then the other of the two come with its PSN: that is none that
// was done, and silent (RSP-8).
func (d *hcaRxPeer) otherKind(p *hcaRxQP, kind int) {
	s, n := d.read(p, kind)
	s.RKey, s.VA, s.DMALen, s.FlushPLT, s.FlushSEL = p.key, hcaRxVA, 8, 1, 0
	d.add(s.Encap.Link(), s.Append(nil, d.g.random[:n]), "an ATOMIC WRITE or a FLUSH")
	op := [...]ib.Operation{ib.Flush, ib.AtomicWrite}[kind]
	s.Opcode = ib.Join(ib.RC, op)
	d.add(s.Encap.Link(), s.Append(nil, d.g.random[:8*kind]), "the other of the two, of the same PSN")
}

// flushBeyond has each QP flush what lies beyond its region: with SEL 1 all of the region is meant; any other is
// refused, also a SEL that there is none of, which the profile lets pass (RSP-16). In place of that half of those that
// look at the whole of a WRITE have the longest that there is, of which the first packet lies in the region.
func (d *hcaRxPeer) flushBeyond() {
	for i, p := range d.used {
		s := p.spec
		if p.receive.WholeWrite && d.r.OneIn(2) {
			s.PSN, s.AckReq, s.RKey, s.Opcode = p.next, true, p.key, ib.Join(ib.RC, ib.WriteFirst)
			s.VA, s.DMALen = hcaRxVA, ib.MaxMessage
			d.add(s.Encap.Link(), s.Append(nil, d.g.random[:p.pmtu]), "a WRITE that begins in its region, the longest")
			continue
		}
		s.PSN, s.AckReq, s.RKey, s.Opcode = p.next, true, p.key, ib.Join(ib.RC, ib.Flush)
		s.FlushPLT, s.FlushSEL = uint8(d.r.Between(1, 3)), [...]uint8{3, 0, 2, 1}[i]
		s.VA, s.DMALen = hcaRxVA+p.length-uint64(d.r.Below(2)), 2
		d.add(s.Encap.Link(), s.Append(nil, nil), "a FLUSH beyond its region")
	}
}

// writesOvertake has an atomic wait for memory, a READ behind it, and more packets written meanwhile than memory has
// tags: what waits is asked for when the atomic is answered, however far acknowledgements are by then (DMA-1).
func (d *hcaRxPeer) writesOvertake(until uint64) {
	filler := &d.qps[d.plan.filler()]
	d.readsAhead(filler)
	d.late = until
	d.overtakenAtomic()
	d.readFew(filler, uint32(1+d.r.Below(filler.pmtu)))
	d.late = 0
	for range hcaRxLongWrites {
		d.writeBehind(d.used[d.r.Below(len(d.used))])
	}
}

// overtakenAtomic sends an atomic that memory leaves waiting.
func (d *hcaRxPeer) overtakenAtomic() {
	filler := &d.qps[d.plan.filler()]
	s, n := d.read(filler, 2)
	s.RKey, s.VA = filler.key, s.VA&^7
	d.add(s.Encap.Link(), s.Append(nil, d.g.random[:n]), "an atomic that writes overtake")
}

// writeBehind sends a WRITE of some bytes that asks for no ACK.
func (d *hcaRxPeer) writeBehind(p *hcaRxQP) {
	s, n := d.small(p, ib.WriteOnly, 1+d.r.Below(4)), 0
	s.AckReq, n = false, int(s.DMALen)
	d.add(s.Encap.Link(), s.Append(nil, d.g.random[d.r.Below(1000):][:n]), "a write that overtakes an atomic")
}

// goOnToTheEnd has operations that say what is so come to the end of the round.
func (d *hcaRxPeer) goOnToTheEnd() {
	for rest := 0; d.e.Len() < d.plan.length; rest++ {
		d.op(d.now, d.common[rest%len(d.common)])
		d.flush()
	}
}
