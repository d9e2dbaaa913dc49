package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/wire"
)

// A jam of hca-top: a READ waits for memory, and behind it as many answers as there is room for, or some more, so that
// the commit waits too. Then a QP closes: it is not free before a second READ, which came behind the answers, is
// answered, and memory gives for that one last. Who counts wrongly what enters, leaves, is due or is through has it
// free while the second READ waits, or never (RSP-14).
const (
	hcaTopJamLeast  = 126 // answers: 129 wait in queues
	hcaTopJamMost   = 165
	hcaTopJamCrowd  = 140  // frames more, the smallest: as all wait, more than 128 have not left
	hcaTopJamBegins = 300  // clocks until the packets come, behind a command
	hcaTopJamLast   = 1000 // until the second READ
	hcaTopJamCloses = 1500 // and until the QP closes
	hcaTopJamFills  = 2600 // clocks in which frames come and software closes the QP
	hcaTopJamBeats  = 1200 // and beats of what comes
	hcaTopJamEnds   = 1000 // clocks in which what waited is answered, and software sees that the QP is not free
	hcaTopJamCount  = hcaTopJamMost + 2*(hcaTopClosing+12) + hcaTopMeeting
)

// hcaTopJamRoom is how long a jam fills up.
func hcaTopJamRoom(p Pace) uint64 {
	return p.Cycles(hcaTopJamFills+hcaTopJamBeats) + 3*hcaTopSilence(p)
}

// hcaTopJamEnd is how long the second READ waits behind the first.
func hcaTopJamEnd(p Pace) uint64 { return p.Cycles(hcaTopJamEnds+hcaTopJamBeats) + 2*hcaTopSilence(p) }

// hcaTopSilence is how long an input may be silent beyond its pace: what comes at two ports has an order behind it.
func hcaTopSilence(p Pace) uint64 {
	if p.Idle == 0 && p.Backpressure == 0 {
		return 0
	}
	return hcaTxSilence
}

// jams closes a QP in a jam, every other time and if the round has room for that.
func (s *hcaTopSoftware) jams(d *hcaRxPeer) bool {
	if s.jammed = !s.jammed; !s.jammed || d.roomOfTop() < hcaTopJamCount {
		return false
	}
	p, start, pace := &d.qps[d.plan.filler()], d.start, d.g.pace
	first := start + hcaTopThrough(pace)
	second := first + hcaTopJamEnd(pace)
	d.start = start + d.plan.through(pace)
	s.at = d.start
	d.late = first
	d.readLate(p, "a READ that waits in front of a jam")
	d.moves, d.behind = append(d.moves, d.behind...), d.behind[:0] // here, so that the run may be cut anywhere
	x := s.notified(d)
	s.jam(d, p, x)
	if d.r.OneIn(2) {
		s.write(d, 0x00C, d.plan.numbers[s.spare.of(d, 0)], "write: SELECT")
		s.command(d, hca.QPCommandInit, "command: INIT")
		s.command(d, hca.QPCommandRTR, "command: RTR, in a jam")
	} else { // as it is
		s.command(d, hca.QPCommandPKey, "P_Key, in a jam", 0, uint32(d.g.world().pkeys[0]))
	}
	d.start = start + d.plan.through(pace) + pace.Cycles(hcaTopJamLast) + hcaTopSilence(pace)
	d.late = second
	d.readLate(p, "a READ that waits behind a jam")
	s.at = max(s.at, start+d.plan.through(pace)+pace.Cycles(hcaTopJamCloses)+2*hcaTopSilence(pace)) // it has come
	s.closing = d.r.Below(d.plan.fixed)
	if &d.qps[s.closing] == x { // its packets may wait still
		s.closing = (s.closing + 1) % d.plan.fixed
	}
	s.close(d, s.closing)
	s.command(d, hca.QPCommandFree, "command: FREE, in a jam")
	s.read(d, 0x004, "read: STATUS")
	s.at = second - pace.Cycles(8*hcaTopClocks) - hcaTopSilence(pace)
	s.command(d, hca.QPCommandFree, "command: FREE, behind a jam")
	s.read(d, 0x004, "read: STATUS")
	d.start, d.late = start, 0
	s.meet(d, second)
	d.moves, d.behind = append(d.moves, d.behind...), d.behind[:0]
	return true
}

// readLate sends a READ of a byte for which memory gives late, behind all frames of the part and beside nothing.
func (d *hcaRxPeer) readLate(p *hcaRxQP, why string) {
	read := p.spec
	read.PSN, read.RKey, read.VA, read.DMALen = p.next, p.key, hcaRxVA, 1
	read.Opcode = ib.Join(ib.RC, ib.ReadRequest)
	p.next = p.next.Add(1)
	d.add(read.Encap.Link(), read.Append(nil, nil), why)
}

// jam sends what is answered and needs no memory: WRITEs without bytes to QP p, and marked responses to x, if there is
// one that is notified, of which each has a CNP leave. So what finds no room is an ACK, or a CNP.
func (s *hcaTopSoftware) jam(d *hcaRxPeer, p, x *hcaRxQP) {
	if x != nil { // the period is there before the packets are
		s.table(d, hcaRxPeriod(0))
		d.start += d.g.pace.Cycles(hcaTopJamBegins) + hcaTopSilence(d.g.pace)
	}
	answers := d.r.Between(hcaTopJamLeast, hcaTopJamMost)
	for range answers {
		w, why := p.spec, "a WRITE of no bytes, in a jam"
		w.PSN, w.RKey, w.VA, w.AckReq = p.next, p.key, hcaRxVA, true
		w.Opcode = ib.Join(ib.RC, ib.WriteOnly)
		if x != nil && d.r.OneIn(2) {
			w, why = x.spec, "a marked response, in a jam"
			w.Opcode, w.PSN, w.MSN = ib.Join(ib.RC, ib.Ack), x.next, uint32(d.r.Below(1<<24))
			w.TClass |= 3
		} else {
			p.next = p.next.Add(1)
		}
		d.add(w.Encap.Link(), w.Append(nil, nil), why)
	}
	// where there is no room for both, what else comes when the QP closes does not
	if room := d.roomOfTop() - hcaTopJamCount; room > hcaTopJamCrowd-hcaTopMeeting && !d.r.OneIn(4) {
		for range hcaTopJamCrowd {
			w := p.spec
			w.Encap, w.DestQP, w.Opcode = wire.EncapIBLocal, w.DestQP^1<<20, ib.Join(ib.RC, ib.SendOnly)
			d.add(w.Encap.Link(), w.Append(nil, nil), "to nobody, in a jam")
		}
	}
}

// notified is a QP of RC whose CNPs go to somebody, nil if there is none.
func (s *hcaTopSoftware) notified(d *hcaRxPeer) *hcaRxQP {
	for i := range d.plan.fixed {
		if p := &d.qps[i]; s.live[i] && p.notifies() {
			return p
		}
	}
	if p := &d.qps[d.plan.filler()]; p.notifies() {
		return p
	}
	return nil
}

// unasked sends duplicate WRITEs that ask for no ACK to QPs that drop such ones (RSP-5): a reason of its own.
func (s *hcaTopSoftware) unasked(d *hcaRxPeer) {
	for i := range d.plan.fixed {
		p := &d.qps[i]
		if !hcaTopUnasked(i) || p.uc || p.ud || !s.live[i] || d.roomOfTop() <= 0 {
			continue
		}
		w := p.spec
		w.Opcode, w.PSN, w.RKey, w.VA, w.AckReq = ib.Join(ib.RC, ib.WriteOnly), p.next.Add(-1), p.key, hcaRxVA, false
		d.add(w.Encap.Link(), w.Append(nil, nil), "duplicate that asks for nothing")
	}
}

// strangers send to each QP of UC, from an address that is not its peer's: it is dropped (ADM-4).
func (s *hcaTopSoftware) strangers(d *hcaRxPeer) {
	for i := range d.plan.fixed {
		p := &d.qps[i]
		if !p.uc || !s.live[i] || d.roomOfTop() <= 0 {
			continue
		}
		w := p.spec
		w.Opcode, w.PSN, w.RKey, w.VA = ib.Join(ib.UC, ib.WriteOnly), p.next, p.key, hcaRxVA
		d.elsewhere(&w.Src, &w.SLID, w.Encap)
		d.add(w.Encap.Link(), w.Append(nil, nil), "from an address that is not the peer's")
	}
}
