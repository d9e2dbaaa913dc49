package scenario

import (
	"cmp"
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// An episode of hca-rx-full is a round as hca-rx has it whose parts fill queues on purpose: memory stands still until
// all frames of the part could have come, or one block has operations in every clock (docs/blocks/hca_rx.md, Queues).
const (
	hcaRxFullLength  = 2600
	hcaRxFullReads   = 12  // side by side: more than read_engine has
	hcaRxFullAtomics = 6   // behind them, sent again when all are answered: fewer than replay_fifo keeps
	hcaRxFullAnswers = 140 // behind them: with those more than wait for the engines and for their turn
	hcaRxFullBehind  = 130 // behind what is full: more than any queue holds
	hcaRxFullPlaced  = 140 // writes: more than rx_dma has under way
	hcaRxFullUnheard = 4   // requests behind those that fail
	hcaRxFullOrder   = 16  // acknowledgements are exchanged within so many
	hcaRxFullFailed  = 12  // writes that fail one behind the other: more than wait to be told
	hcaRxFullTakes   = 120 // operations on keys, beside what takes windows away
	hcaRxFullTargets = int(hca.ToReplay) + 1
)

// hcaRxNobody is a QP that is never set, and whose numbers no wrong bit makes of another's.
const hcaRxNobody = 37

// hcaRxFullTimes are the first clocks of a part of a round: of its operations, of its frames, and the one until which
// memory stands still.
func hcaRxFullTimes(n *hcaRxPlan, p Pace, round uint64, part int) (operations, frames, late uint64) {
	fills := p.Cycles(p.Beats(n.bytes, hcaRxWaits*n.most))
	through := fills + n.through(p) + n.failing(p)
	posts := p.Cycles(n.setUp + hcaRxSettling)
	first := uint64(p.Words) + hcaRxSettling + p.Cycles(p.Beats(p.Before, p.Before/20))
	operations = first + (round*hcaRxParts+uint64(part))*(posts+through)
	return operations, operations + posts, operations + posts + fills
}

// makeHcaRxFull makes a part in which answers wait for memory, one in which memory takes no write, and one in which
// operations come in every clock.
func makeHcaRxFull(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaRxFullLength, func(r *Rand, e *Episode) {
		d := newHcaRxPeer(g, r, e, &hcaRxFull)
		d.full, d.model = true, hca.NewHcaRxBlocks(sim.Settings{"NumQps": d.plan.numQPs})
		for part := range hcaRxParts {
			until := d.beginFull(part)
			d.afterFailure()
			d.readOn()
			switch part {
			case 0:
				d.answersWait(until)
			case 1:
				d.writesWait(until)
			default:
				d.operationsCome()
				d.fill()
			}
			d.end()
		}
		d.goOnToTheEnd()
	})
	c.takeLink()
}

// takeLink takes the link of a frame, which is its last byte.
func (c *Case) takeLink() {
	c.Link = wire.LinkEthernet
	if c.Port == 0 {
		last := len(c.Frame) - 1
		if c.Frame[last] == 1 {
			c.Link = wire.LinkIB
		}
		c.Frame = c.Frame[:last]
	}
}

// beginFull has the operations of a part come, and says until when memory stands still in it.
func (d *hcaRxPeer) beginFull(part int) (until uint64) {
	operations, frames, until := hcaRxFullTimes(d.plan, d.g.pace, d.e.Number, part)
	if part == 0 && d.e.Number == 0 { // while memories are made zero
		operations = 0
		d.flood(0, [...]hca.HcaRxTarget{hca.ToReplay, hca.ToReceiveQueues}[d.g.seed%2], 8)
	}
	d.part, d.bytes, d.frames, d.start = part, 0, 0, operations
	d.served = map[uint32]int{}
	filler := &d.qps[d.plan.filler()]
	if part == 0 {
		d.common = hcaRxCommon(d.g, d.r)
		all := append(slices.Clone(d.common), hcaRxQueue(hca.RQClear, d.plan.shared, "the shared queue is empty"),
			hcaRxPeriod(0)) // each mark gives a CNP
		for i := range d.plan.fixed {
			all = append(all, d.qps[i].set(d.g, d.r, d.plan, i)...)
			d.used = append(d.used, &d.qps[i])
		}
		all = append(all, d.setSpares()...)
		for _, o := range append(all, filler.set(d.g, d.r, d.plan, d.plan.filler())...) {
			d.op(d.start, o)
		}
	} else { // its writes failed in the part before
		for _, o := range append(filler.revive(), filler.clear(d.r)) {
			d.op(d.start, o)
		}
		for filler.posted = 0; part == 1 && filler.posted < hcaRxDepth; filler.posted++ {
			d.wqes++
			o := hca.RQQuery{Op: hca.RQPost, Queue: filler.spec.DestQP, ReceiveWQE: hca.ReceiveWQE{WQE: d.wqes, Bytes: 1 << 14}}
			d.op(d.start, hca.HcaRxOp{To: hca.ToReceiveQueues, Record: o.Append(nil), Why: "a receive WQE"})
		}
	}
	d.post()
	d.flush()
	d.start, d.now = frames, frames
	d.memory.begin(d)
	d.clearsBeside()
	return until
}

// answersWait has READs ask memory, which gives nothing for them until all frames of the part could have come: answers
// wait behind them, then requests, and behind those what is none.
func (d *hcaRxPeer) answersWait(until uint64) {
	r, filler := d.r, &d.qps[d.plan.filler()]
	d.late = until
	for range hcaRxFullReads {
		s := filler.spec
		s.PSN, s.RKey, s.Opcode = filler.next, filler.key, ib.Join(ib.RC, ib.ReadRequest)
		s.VA, s.DMALen = hcaRxVA+-filler.base%hca.ReadPieceBytes, uint32(r.Between(1, filler.pmtu))
		filler.next = filler.next.Add(1)
		d.add(s.Encap.Link(), s.Append(nil, nil), "a READ that memory leaves waiting")
	}
	for range hcaRxFullAtomics {
		s, n := d.read(filler, 2)
		s.RKey, s.VA = filler.key, s.VA&^7
		d.add(s.Encap.Link(), s.Append(nil, d.g.random[:n]), "an atomic that memory leaves waiting")
	}
	none := d.readNothing(filler)
	d.failsLate(2)
	d.late = 0
	d.empty(filler, hcaRxFullAnswers)
	switch kind := r.Below(hcaRxPayloads); kind {
	case hcaRxEmpty:
		d.empty(filler, hcaRxFullBehind)
		d.behindFull(kind, hcaRxFullBehind/4)
	default:
		d.behindFull(hcaRxEmpty, 4)
		d.behindFull(kind, hcaRxFullBehind)
	}
	from := len(d.moves)
	d.flood(until, hca.ToReplay, 40)
	d.flood(until, hca.ToVerdict, 90)
	d.waysBeside(until)
	d.meets(until)
	slices.SortStableFunc(d.moves[from:], func(a, b hcaRxMove) int { return cmp.Compare(a.at, b.at) })
	d.comeAgain(until, none)
}

// empty sends WRITEs without bytes, none of which waits for another's verdict.
func (d *hcaRxPeer) empty(p *hcaRxQP, n int) {
	for range n {
		s := d.small(p, ib.WriteOnly, 0)
		if s.AckReq = true; d.r.OneIn(8) {
			s.TClass |= 3 // and its CNP
		}
		d.add(s.Encap.Link(), s.Append(nil, nil), "its answer waits")
		if d.r.OneIn(8) {
			d.noRequest(d.used[d.r.Below(len(d.used))], "a mark among answers that wait")
		}
	}
}

// behindFull sends smallest frames of a kind of burst.
func (d *hcaRxPeer) behindFull(kind, n int) {
	for range n {
		d.tiny(d.used[d.r.Below(len(d.used))], kind)
	}
}

// writesWait has memory take more writes than rx_dma has under way, and acknowledge none until all frames of the part
// could have come. Then the first ones fail, while resp_psn_check has an operation in every clock.
func (d *hcaRxPeer) writesWait(until uint64) {
	r, filler, m := d.r, &d.qps[d.plan.filler()], &d.memory
	d.answersSpares()
	d.late = until
	d.failsLate(0)
	d.late = 0
	d.flood(d.start+hcaRxSettling/4, hca.ToVerdict, 160) // while the first of them come
	for range hcaRxFullPlaced {
		s, n := filler.spec, 1+r.Below(4)
		s.PSN, s.AckReq, s.Opcode = filler.next, r.OneIn(8), ib.Join(ib.RC, ib.WriteOnly)
		s.VA, s.RKey, s.DMALen = hcaRxVA+uint64(r.Below(64)), filler.key, uint32(n)
		filler.next = filler.next.Add(1)
		d.add(s.Encap.Link(), s.Append(nil, d.g.random[r.Below(1000):][:n]), "a write that memory leaves waiting")
	}
	for all := r.OneIn(2); all && filler.posted > 0; { // each a record without payload
		s := d.small(filler, ib.SendOnly, 0)
		d.add(s.Encap.Link(), s.Append(nil, nil), "its completion waits")
	}
	for range hcaRxFullBehind { // each a decision about a byte
		s := filler.spec
		s.DestQP, s.Opcode = s.DestQP^1<<20, ib.Join(ib.RC, ib.SendOnly)
		d.add(s.Encap.Link(), s.Append(nil, d.g.random[:1]), "to nobody, a byte")
	}
	d.behindFull(r.Below(hcaRxPayloads), hcaRxFullBehind)
	for i := range m.acks {
		m.acks[i].at = int(float64(until-d.start)/m.slow) + i + r.Below(hcaRxFullOrder)
		m.acks[i].Error = i < hcaRxFullFailed
	}
	d.model.Fail(filler.spec.DestQP)
	d.flood(until, hca.ToVerdict, 120)
	start := d.start
	d.start = until + d.plan.through(d.g.pace)/2
	d.empty(filler, hcaRxFullUnheard)
	d.start = start
}

// operationsCome has peers send while each block in turn has an operation in every clock, none of which is about a QP
// that they send to.
func (d *hcaRxPeer) operationsCome() {
	d.takeAway()
	first := d.r.Below(hcaRxFullTargets)
	for i := range hcaRxFullTargets {
		p := d.used[d.r.Below(len(d.used))]
		d.flood(d.now+uint64(d.r.Below(200)), hca.HcaRxTarget((first+i)%hcaRxFullTargets), 60)
		if d.bytes < d.plan.bytes/2 {
			d.goesOn(p, 12)
		}
		for range 5 {
			d.step()
		}
	}
	for _, p := range d.used {
		if p.receive.WholeWrite {
			d.leaves(p)
		}
	}
}

// takeAway has each QP's peer take its window away by a SEND, half of them of two packets, while operations on keys
// come, and write through it then: that is refused (RSP-1).
func (d *hcaRxPeer) takeAway() {
	for at, i := d.now, 0; i < hcaRxFullTakes; i++ { // not in every clock: look-ups go between them
		d.flood(at, hca.ToKeys, 1)
		at += uint64(d.r.Between(1, 3))
	}
	for _, p := range d.used {
		if p.back != nil {
			*p = *p.back
		}
		if p.uc || p.ud || p.sends || !p.open || !d.serves(p) || !d.hasWQE(p) {
			continue
		}
		s := p.spec
		s.PSN, s.AckReq, s.Opcode, s.InvRKey = p.next, true, ib.Join(ib.RC, ib.SendOnlyInv), p.window
		if room, ok := d.room(p); ok && room >= p.pmtu && p.pmtu <= 512 && d.r.OneIn(2) {
			first := s
			first.Opcode = ib.Join(ib.RC, ib.SendFirst)
			if d.send(first, p.pmtu, "begins to take a window away"); d.took(p) {
				continue
			}
			s.PSN, s.Opcode = s.PSN.Add(1), ib.Join(ib.RC, ib.SendLastInv)
		}
		p.next, p.open, p.gave = s.PSN.Add(1), false, true
		if d.send(s, 0, "takes a window away, beside operations on keys"); d.took(p) {
			d.useWhatIsGone(p)
		}
	}
}

// goesOn sends so many requests of a QP, as long as they are granted.
func (d *hcaRxPeer) goesOn(p *hcaRxQP, n int) {
	if p.back != nil {
		*p = *p.back
	}
	for range n {
		before := *p
		if s, n, granted := d.request(p); !d.send(s, n, "a request, beside operations") || !granted {
			p.lose(&before)
			return
		}
	}
}

// leaves sends the first packet of a WRITE to the end of its region: what is left of it lies behind.
func (d *hcaRxPeer) leaves(p *hcaRxQP) {
	for p.sends && p.back == nil {
		d.goesOn(p, 1)
	}
	if p.back != nil {
		*p = *p.back
	}
	if p.sends {
		return
	}
	s := p.spec
	s.PSN, s.AckReq, s.Opcode = p.next, true, ib.Join(p.service(), ib.WriteFirst)
	s.VA, s.RKey, s.DMALen = hcaRxVA+p.length-uint64(p.pmtu), p.key, uint32(p.pmtu+1)
	d.frame(s.Encap.Link(), s.Append(nil, d.g.random[:p.pmtu]), "a WRITE whose second packet would leave its region")
}

// flood gives a block an operation in every clock from one on: each says what is so.
func (d *hcaRxPeer) flood(clock uint64, to hca.HcaRxTarget, n int) {
	o, ok := hcaRxAbout(to, hcaRxNobody, "of nobody, one of many")
	if !ok { // the record of a clear would leave between any two of frames
		return
	}
	for range n {
		if d.more() {
			d.op(clock, o)
		}
	}
}
