package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// What hca-rx-full has beside full queues: operations that meet what a packet before them leads to, in one clock.
const (
	hcaRxMeetsClears  = 24
	hcaRxMeetsSets    = 10   // operations one behind the other
	hcaRxMeetsFloods  = 6    // so often
	hcaRxMeetsWithin  = 450  // clocks
	hcaRxMeetsFrom    = 150  // clocks: from here on two of them
	hcaRxMeetsEach    = 5    // clocks apart, at least
	hcaRxMeetsPairs   = 60   // and two of them so often
	hcaRxMeetsLonger  = 1000 // clocks, behind those
	hcaRxMeetsFailed  = 2    // QPs that memory fails in a part
	hcaRxMeetsDead    = 10   // answers of each behind what it fails
	hcaRxMeetsDense   = 120  // clocks in which requests come, one behind the other
	hcaRxMeetsApart   = 400  // clocks, from clears to what completes
	hcaRxMeetsRepeats = 8    // duplicates of atomics
	hcaRxMeetsPieces  = 3    // that memory is asked for where places come back
	hcaRxMeetsBeside  = 8    // bytes from what a READ asked for
	hcaRxMeetsOthers  = 8    // READs again of which one bit is another
)

// clearsBeside has rx_dma clear a QP in every clock while decisions come that complete nothing: the records of clears
// leave before all others of the part.
func (d *hcaRxPeer) clearsBeside() {
	c := hca.DMACommand{Clear: true, DMACompletion: hca.DMACompletion{QPN: hcaRxNobody}}
	clear := hca.HcaRxOp{To: hca.ToMemory, Record: c.Append(nil), Why: "of nobody, one of many"}
	late := d.g.pace.Cycles(d.r.Below(hcaRxMeetsClears))
	for range hcaRxMeetsClears {
		d.stray(1)
		d.op(d.start+late, clear)
	}
	d.start += d.g.pace.Cycles(hcaRxMeetsApart)
	d.now = d.start
}

// stray sends a SEND of n bytes to nobody.
func (d *hcaRxPeer) stray(n int) {
	s := d.qps[d.plan.filler()].spec
	s.DestQP, s.Opcode = s.DestQP^1<<20, ib.Join(ib.RC, ib.SendOnly)
	d.add(s.Encap.Link(), s.Append(nil, d.g.random[:n]), "to nobody")
}

// failsLate has two QPs read as often as they may, and memory fail one of these late: a READ or an atomic. Behind it as
// many READs of several responses as there is room for, up to so many, and WRITEs: none of their answers leaves.
func (d *hcaRxPeer) failsLate(behind int) {
	first, left := d.r.Below(len(d.used)), hcaRxMeetsFailed
	for i := range d.used {
		p := d.used[(first+i)%len(d.used)]
		if p.back != nil {
			*p = *p.back
		}
		room := p.reads - d.served[p.spec.DestQP]
		if p.uc || p.sends || p.failed || p.unheard || room < 1 || behind > 0 && !p.allows(2) {
			continue
		}
		d.fails = true
		for ; room > behind+1; room-- { // they are answered
			d.readOne(p, 1)
		}
		d.failure = [...]hcaRxFailure{hcaRxReadFails, hcaRxReadIsShort, hcaRxWriteFails, hcaRxWriteFails}[d.r.Below(4)]
		// A READ that fails stops those of its QP that have begun: here they begin when memory gives at once.
		if _, failed := d.failOne(p, behind > 0); failed {
			for n := min(behind, room-1); n > 0; n-- {
				d.readOne(p, p.pmtu+1)
			}
			if behind > 0 {
				d.empty(p, hcaRxMeetsDead)
			}
			d.hasFailed(p)
		}
		d.fails, d.failure = false, 0
		d.moves, d.behind = append(d.moves, d.behind...), d.behind[:0]
		if p.failed {
			if left--; left == 0 {
				return
			}
		}
	}
}

// readOne sends a READ of so many bytes.
func (d *hcaRxPeer) readOne(p *hcaRxQP, bytes int) {
	s, _ := d.read(p, 6)
	s.RKey, s.VA, s.DMALen = p.key, hcaRxVA, uint32(bytes)
	p.next = s.PSN.Add(int32((bytes + p.pmtu - 1) / p.pmtu))
	d.send(s, 0, "a READ, of as many as may be in flight")
}

// readNothing sends a READ of 0 bytes, of which no key is looked at, and returns it.
func (d *hcaRxPeer) readNothing(p *hcaRxQP) wire.Spec {
	s, _ := d.read(p, 6)
	s.RKey, s.DMALen, p.next = p.key^1<<9, 0, s.PSN.Add(1)
	d.add(s.Encap.Link(), s.Append(nil, nil), "a READ of nothing")
	return s
}

// meets has replay_fifo set a QP, in many clocks of those in which answers leave that waited.
func (d *hcaRxPeer) meets(until uint64) {
	const apart = hcaRxMeetsWithin / hcaRxMeetsFloods
	for i := range hcaRxMeetsFloods {
		d.flood(until+d.g.pace.Cycles(i*apart+d.r.Below(apart)), hca.ToReplay, hcaRxMeetsSets)
	}
	for at := hcaRxMeetsFrom; at < hcaRxMeetsWithin; at += hcaRxMeetsEach + d.r.Below(3) {
		d.flood(until+d.g.pace.Cycles(at), hca.ToReplay, 2)
	}
	for i := range hcaRxMeetsPairs {
		d.flood(until+d.g.pace.Cycles(hcaRxMeetsWithin+i*hcaRxMeetsLonger/hcaRxMeetsPairs), hca.ToReplay, 2)
	}
}

// comeAgain has atomics sent again when all answers have left, of which was kept what memory gave, and the READ of
// nothing.
func (d *hcaRxPeer) comeAgain(until uint64, nothing wire.Spec) {
	start := d.start
	d.start = until + d.plan.through(d.g.pace)/2
	for range hcaRxMeetsRepeats {
		d.again(&d.qps[d.plan.filler()])
	}
	d.add(nothing.Encap.Link(), nothing.Append(nil, nil), "a READ of nothing again")
	d.placesComeBack(&d.qps[d.plan.filler()])
	d.start = start
}

// placesComeBack has a QP use up its places for READs, the first of which comes twice, with what takes no place, and an
// atomic again in front of them: it is answered when they have theirs, and gives none back. Memory gives for the first
// two alone: one place is free then, as the READ was one (PSN-5). So the next READ is executed, and the one behind it
// refused.
func (d *hcaRxPeer) placesComeBack(p *hcaRxQP) {
	if d.plan.pieces-d.memory.pieces < hcaRxMeetsPieces {
		return
	}
	settles := d.g.pace.Cycles(2 * hcaRxSettling)
	places := int(p.verdict.MaxReads)
	d.start += settles // all that was sent before is answered
	first := d.start + settles + d.g.pace.Cycles(hcaRxWaits*places)
	d.late = first
	d.atomicAgain(p)
	twice := d.readFew(p, 1)
	d.add(twice.Encap.Link(), twice.Append(nil, nil), "a READ again, while it waits")
	asked := twice.VA
	twice.VA += [...]uint64{hcaRxMeetsBeside, 1 << 32}[d.r.Below(2)] // of a region that is vast
	d.add(twice.Encap.Link(), twice.Append(nil, nil), "a READ again, of other bytes: silent")
	twice.VA = asked
	for range hcaRxMeetsOthers {
		other := twice
		d.otherBit(&other)
	}
	write := d.small(p, ib.WriteOnly, 0)
	write.AckReq = true
	d.add(write.Encap.Link(), write.Append(nil, nil), "a WRITE, whose ACK takes no place")
	d.late = first + 2*settles
	d.readFew(p, 1) // it holds those behind it
	for range places - 2 {
		d.readFew(p, 0)
	}
	d.livesAgain([...]uint64{d.start + d.g.pace.Cycles(d.r.Below(hcaRxMeetsDense)), first - settles/4}[d.r.Below(2)])
	d.start, d.late = first+settles, 0
	d.readFew(p, 0)
	d.readFew(p, 0)
	d.model.Fail(p.spec.DestQP)
}

// atomicAgain sends the newest atomic that is kept again, as it was.
func (d *hcaRxPeer) atomicAgain(p *hcaRxQP) {
	for _, s := range p.kept[:p.keptN] {
		switch s.Opcode.Shape().Verb {
		case roce.CmpSwap, roce.FetchAdd:
			d.add(s.Encap.Link(), s.Append(nil, nil), "an atomic again, in front of READs: it takes no place")
			return
		}
	}
}

// readFew sends a READ of so few bytes that it has one response and asks for one piece at most.
func (d *hcaRxPeer) readFew(p *hcaRxQP, bytes uint32) wire.Spec {
	s := p.spec
	s.PSN, s.AckReq, s.RKey, s.Opcode = p.next, d.r.OneIn(2), p.key, ib.Join(ib.RC, ib.ReadRequest)
	s.VA, s.DMALen, p.next = hcaRxVA+uint64(d.r.Below(1<<14)), bytes, p.next.Add(1)
	d.add(s.Encap.Link(), s.Append(nil, nil), "a READ, of as many as there are places for")
	return s
}

// livesAgain has replay_fifo set each QP that memory failed, once, while requests of another one come or an answer of
// that waits: it is dead no more. The other blocks set it before the next part.
func (d *hcaRxPeer) livesAgain(clock uint64) {
	for _, p := range d.used {
		if p.failed && p.dead {
			d.op(clock, p.keepsNothing())
			p.alive = true
		}
	}
}
