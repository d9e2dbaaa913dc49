package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// A round of hca-rx-vast has what is too long for one of hca-rx: a SEND and a WRITE with immediate data of 1 MiB and
// more, a READ of 64 KiB that comes again when its key allows none, and one that memory fails behind 256 responses.
const (
	hcaRxVastLength  = 2600
	hcaRxVastMessage = 1 << 20
	hcaRxVastPackets = 2 * (hcaRxVastMessage/4096 + 1)
	hcaRxVastRead    = 1 << 16
	hcaRxVastPMTU    = hca.ReadPieceBytes // of who reads: a response for each piece
)

// hcaRxVastly has one QP that writes, of a path MTU of 4,096, and two that read.
var hcaRxVastly = hcaRxPlan{numbers: hcaRxFive.numbers[:4], fixed: 3, shared: 50, windows: 17, vast: true,
	numQPs: hcaRxNumQPs, length: hcaRxVastLength, setUp: 200, operation: 1, frames: 640, most: 640, bytes: 60_000,
	writes: hcaRxVastPackets + 16, overtakes: 32, pieces: 9 * hca.ReadPieces, atomics: 4, serving: 1200, grants: 1}

// makeHcaRxVast makes a part with the messages and a READ, one in which that comes again, and one with the other READ.
func makeHcaRxVast(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, hcaRxVastLength, func(r *Rand, e *Episode) {
		d := newHcaRxPeer(g, r, e, &hcaRxVastly)
		d.full, d.model = true, hca.NewHcaRxBlocks(sim.Settings{"NumQps": d.plan.numQPs})
		for part := range hcaRxParts {
			until := d.beginVast(part)
			switch part {
			case 0:
				d.vastMessage(ib.SendFirst, ib.SendMiddle, ib.SendLast)
				d.vastMessage(ib.WriteFirst, ib.WriteMiddle, ib.WriteLastImm)
				d.vastRead(&d.qps[1], "a READ of 64 KiB, of a PSN for each piece")
			case 1:
				d.vastReadAgain(&d.qps[1])
			default:
				d.vastReadFails(&d.qps[2], until)
				d.fill()
			}
			d.end()
		}
		d.goOnToTheEnd()
	})
	c.takeLink()
}

// beginVast sets all QPs, or closes a key, and says until when memory gives nothing for the READ that it fails.
func (d *hcaRxPeer) beginVast(part int) (until uint64) {
	p := d.g.pace
	operations, frames, until := hcaRxFullTimes(d.plan, p, d.e.Number, part)
	long := p.Cycles(p.Beats(hcaRxVastPackets*4096, hcaRxWaits*hcaRxVastPackets)) // of the first part, besides
	later := d.e.Number * long
	if part > 0 {
		later += long
	}
	d.part, d.bytes, d.frames, d.start = part, 0, 0, operations+later
	d.served = map[uint32]int{}
	var all []hca.HcaRxOp
	switch part {
	case 0:
		d.common = hcaRxCommon(d.g, d.r)
		all = append(slices.Clone(d.common), hcaRxQueue(hca.RQClear, d.plan.shared, "the shared queue is empty"))
		for i := range d.plan.fixed {
			all = append(all, d.setServing(i)...)
			d.used = append(d.used, &d.qps[i])
		}
		all = append(all, d.qps[d.plan.filler()].set(d.g, d.r, d.plan, d.plan.filler())...)
		for range 2 {
			d.wqes++
			o := hca.RQQuery{Op: hca.RQPost, Queue: d.qps[0].receive.Queue,
				ReceiveWQE: hca.ReceiveWQE{WQE: d.wqes * 0x9E3779B1, Bytes: ib.MaxMessage}}
			all = append(all, hca.HcaRxOp{To: hca.ToReceiveQueues, Record: o.Append(nil), Why: "a receive WQE"})
		}
	case 1:
		q := &d.qps[1]
		shut := hca.MRQuery{Op: hca.MRSet, RKey: q.key, PD: q.receive.PD, VA: hcaRxVA, Length: q.length, Need: 1,
			Base: q.base}
		all = append(all, hca.HcaRxOp{To: hca.ToKeys, Record: shut.Append(nil), Why: "key: no READ any more"})
	}
	d.beginFrames(all, frames+later)
	return until + later
}

// vastMessage sends a message of 1 MiB, or of up to a packet more, which completes a receive WQE (RSP-10).
func (d *hcaRxPeer) vastMessage(first, middle, last ib.Operation) {
	p, length := &d.qps[0], hcaRxVastMessage+d.r.Below(2)*d.r.Between(1, 4096)
	s := p.spec
	s.VA, s.RKey, s.DMALen, s.Immediate = p.va+uint64(d.r.Below(4096)), p.key, uint32(length), uint32(d.r.Uint64())
	for at := 0; at < length; at += p.pmtu {
		n, op, ends := min(p.pmtu, length-at), middle, at+p.pmtu >= length
		switch {
		case at == 0:
			op = first
		case ends:
			op = last
		}
		s.PSN, s.AckReq, s.Opcode = p.next, ends || d.r.OneIn(16), ib.Join(ib.RC, op)
		p.next = p.next.Add(1)
		d.add(s.Encap.Link(), s.Append(nil, d.g.random[d.r.Below(1000):][:n]), "a message of 1 MiB and more")
	}
}

// vastRead sends a READ of whole pieces, with a response for each.
func (d *hcaRxPeer) vastRead(p *hcaRxQP, why string) wire.Spec {
	s, _ := d.read(p, 6)
	s.RKey, s.VA, s.DMALen = p.key, hcaRxVA+-p.base%hca.ReadPieceBytes, hcaRxVastRead
	p.next = s.PSN.Add(hcaRxVastRead / hcaRxVastPMTU)
	p.kept[0] = s
	d.add(s.Encap.Link(), s.Append(nil, nil), why)
	return s
}

// vastReadAgain sends the READ again, whose key allows none by now: it is silent (RSP-6), and its QP goes on.
func (d *hcaRxPeer) vastReadAgain(p *hcaRxQP) {
	s := p.kept[0]
	d.add(s.Encap.Link(), s.Append(nil, nil), "a READ of 64 KiB again, its key is closed")
	n := d.r.Between(1, p.pmtu)
	s = d.small(p, ib.WriteOnly, n)
	s.AckReq = true
	d.add(s.Encap.Link(), s.Append(nil, d.g.random[:n]), "behind a READ of 64 KiB that came again")
}

// vastReadFails sends a READ of a piece more, of which memory fails the last one: the PSN of its NAK is 256 behind that
// of the READ.
func (d *hcaRxPeer) vastReadFails(p *hcaRxQP, until uint64) {
	d.fails, d.late, d.failure = true, until, [...]hcaRxFailure{hcaRxReadFails, hcaRxReadIsShort}[d.r.Below(2)]
	s, _ := d.read(p, 6)
	s.RKey, s.VA, s.DMALen = p.key, hcaRxVA+-p.base%hca.ReadPieceBytes, hcaRxVastRead+uint32(d.r.Between(2, hcaRxVastPMTU))
	p.next = s.PSN.Add(hcaRxVastRead/hcaRxVastPMTU + 1)
	d.add(s.Encap.Link(), s.Append(nil, nil), "a READ that memory fails behind 256 responses")
	d.late, d.failure, d.fails = 0, 0, false
	d.hasFailed(p)
	d.moves, d.behind = append(d.moves, d.behind...), d.behind[:0]
}
