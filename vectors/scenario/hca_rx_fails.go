package scenario

import (
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/wire"
)

// hcaRxFailure is what memory fails of a READ or atomic.
type hcaRxFailure uint8

const (
	hcaRxReadFails hcaRxFailure = iota + 1
	hcaRxReadIsShort
	hcaRxWriteFails
)

// fail ends a part, now and then, with a READ or atomic that memory fails, and requests of its QP behind it, whose
// verdicts are there by then: memory gives when all frames of the part are through.
func (d *hcaRxPeer) fail() {
	r := d.r
	if r.OneIn(6) || d.g.noReads {
		return
	}
	d.late = d.start + d.plan.through(d.g.pace)
	if d.top != nil {
		d.late = d.start + hcaTopThrough(d.g.pace)
	}
	d.failure, d.held = hcaRxFailure(r.Between(1, 3)), false
	first := d.firstToFail()
	for i := range d.used {
		p := d.used[(first+i)%len(d.used)]
		if room := d.plan.pieces-d.memory.pieces > 20 && d.plan.writes-d.memory.writes > 8; !room || d.failure == 0 {
			break
		}
		if p.back != nil {
			*p = *p.back
		}
		if !d.mayFail(p) {
			continue
		}
		beside := d.keptBeside(p)
		executed, failed := d.failOne(p, beside != nil)
		if !failed {
			continue
		}
		if beside != nil {
			d.add(beside.Encap.Link(), beside.Append(nil, nil), "an atomic again, behind another's that memory fails")
		}
		if executed && !d.held {
			d.failTwice(p)
		}
		d.unanswered(p, executed)
		isAtomic := d.held
		for more := r.Below(4); executed && more > 0; more-- {
			if d.held && !isAtomic { // a READ that begins behind an atomic may be stopped by the one that fails, or not
				break
			}
			before := *p
			s, n, _ := d.ask(p)
			if !before.sends && p.reads > d.served[p.spec.DestQP] && r.OneIn(2) { // so that it is not answered
				*p = before
				s, n = d.read(p, d.kind(p, 14))
			}
			if r.OneIn(2) && (!d.held || more == 1) { // it fails too: nobody hears of it
				d.failure = hcaRxFailure(r.Between(1, 3))
			}
			if r.OneIn(4) { // refused, if it came in time
				s.RKey, s.VA = p.key^1<<9, s.VA|1<<63
			}
			d.send(s, n, "behind one that memory fails")
			d.failure = 0
		}
		d.hasFailed(p)
	}
	d.late, d.failure = 0, 0
	d.moves, d.behind = append(d.moves, d.behind...), d.behind[:0]
}

// firstToFail is the place in d.used of the QP that is tried first: one whose READ carries into the highest bit, and
// fails then.
func (d *hcaRxPeer) firstToFail() int {
	first := d.r.Below(len(d.used))
	if i := slices.IndexFunc(d.used, d.crosses); i >= 0 {
		first, d.failure = i, hcaRxFailure(d.r.Between(1, 2))
	}
	return first
}

// failOne sends a READ or atomic that memory fails, and says whether it is executed and whether memory is asked: one
// that is a duplicate, as its peer has gone back, takes the QP to error too. It is an atomic if it has to be.
func (d *hcaRxPeer) failOne(p *hcaRxQP, atomic bool) (executed, failed bool) {
	r, kind := d.r, 6
	if atomic || d.failure == hcaRxWriteFails || !p.nearHalf() && r.OneIn(3) || !p.allows(kind) {
		kind = 2
	}
	if kind == 6 {
		d.nearCarry(p)
	}
	s, n := d.read(p, kind)
	if s.RKey = p.key; kind == 6 {
		most := min(3*max(p.pmtu, 768), hcaRxMostRead)
		if s.DMALen = uint32(r.Between(1, most)); r.OneIn(2) || p.nearHalf() { // many responses before it fails
			s.DMALen = uint32(most)
		}
		p.next = s.PSN.Add(int32((int(s.DMALen) + p.pmtu - 1) / p.pmtu))
	}
	two := p.reads-d.served[s.DestQP] > 1
	if d.plan.harsh && kind == 6 && two && !r.OneIn(3) { // not the first time, but when it comes again
		failure := d.failure
		d.failure = 0
		d.send(s, n, "READ before the one that memory fails")
		d.failure = failure
	}
	executed = d.send(s, n, "READ or atomic that memory fails")
	return executed, d.failure == 0
}

// hcaRxNear is how many PSNs before a carry a QP's peer sends up to it.
const hcaRxNear = 40

// nearHalf reports whether a QP's PSNs are about to carry into the highest bit.
func (p *hcaRxQP) nearHalf() bool { return psn.Half-int(p.next)%psn.Half <= hcaRxNear }

// crosses reports whether a READ of a QP may fail whose PSNs carry into the highest bit.
func (d *hcaRxPeer) crosses(p *hcaRxQP) bool {
	return p.back == nil && p.nearHalf() && p.allows(6) && d.mayFail(p)
}

// mayFail reports whether memory may fail what a QP asks for next.
func (d *hcaRxPeer) mayFail(p *hcaRxQP) bool {
	asks := !p.sends && !p.unheard && p.reads > d.served[p.spec.DestQP]
	return asks && d.serves(p) && (p.allows(2) || p.allows(6))
}

// nearCarry has a QP whose PSNs are about to carry into bit 8 go on until the one before that: the NAK of a READ
// that fails then has a PSN behind it (DMA-7).
func (d *hcaRxPeer) nearCarry(p *hcaRxQP) {
	left := 256 - int(p.next&255)
	if left > hcaRxNear || d.full || d.top != nil || d.count()+d.reserve()+2*hcaRxNear > d.plan.length {
		return
	}
	for ; left > 1; left-- {
		s := d.small(p, ib.WriteOnly, 0)
		d.send(s, 0, "to where PSNs carry")
	}
}

// hasFailed takes note of a QP that memory fails: of what is sent from now on nothing is executed.
func (d *hcaRxPeer) hasFailed(p *hcaRxQP) {
	p.failed, p.dead = true, true
	d.model.Die(p.spec.DestQP)
}

// failTwice has memory fail another READ of a QP that it failed already: nobody hears of it (RSP-15).
func (d *hcaRxPeer) failTwice(p *hcaRxQP) {
	if !p.allows(6) || p.sends {
		return
	}
	s, _ := d.read(p, 6)
	s.RKey, s.VA, s.DMALen, p.next = p.key, hcaRxVA, uint32(d.r.Between(1, p.pmtu)), s.PSN.Add(1)
	d.failure = hcaRxReadFails
	d.send(s, 0, "a second READ that memory fails")
	d.failure = 0
}

// keptBeside sends an atomic of another QP, and returns it to be sent again: what becomes of an atomic of p in between
// is no business of it (RSP-8). nil where there is none.
func (d *hcaRxPeer) keptBeside(p *hcaRxQP) *wire.Spec {
	if p.nearHalf() || !p.allows(2) || d.memory.atomics >= d.plan.atomics-1 || d.r.OneIn(3) {
		return nil
	}
	other, failure := &d.qps[d.plan.filler()], d.failure
	s := other.spec
	s.PSN, s.RKey, s.Opcode = other.next, other.key, ib.Join(ib.RC, d.atomic(other, &s))
	s.VA, other.next, d.failure = s.VA&^7, other.next.Add(1), 0
	d.add(s.Encap.Link(), s.Append(nil, nil), "an atomic, sent again behind another's that memory fails")
	d.failure = failure
	return &s
}

// unanswered sends WRITEs of nothing behind what memory fails, in hca-top: their ACKs are thrown away, and who closes
// the QP waits until they are through.
func (d *hcaRxPeer) unanswered(p *hcaRxQP, executed bool) {
	if d.top == nil || !executed || p.sends {
		return
	}
	for range 1 + d.r.Below(3) {
		s := d.small(p, ib.WriteOnly, 0)
		s.AckReq = true
		d.send(s, 0, "behind one that memory fails, answered by nobody")
	}
}
