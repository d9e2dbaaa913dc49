package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// pick is a QP to send to: where all fits, seldom one of which nothing would be executed.
func (d *hcaRxPeer) pick() *hcaRxQP {
	p := d.used[d.r.Below(len(d.used))]
	for tries := 0; d.plan.fits && tries < 9 && !d.serves(p) && !d.r.OneIn(6); tries++ {
		p = d.used[d.r.Below(len(d.used))]
	}
	return p
}

// serves reports whether a QP may execute what comes next, as far as the model knows.
func (d *hcaRxPeer) serves(p *hcaRxQP) bool {
	if p.ud && !d.room(p) {
		return false
	}
	qpn := p.spec.DestQP
	return !p.idle && !d.gone[qpn] && !d.dead[qpn] && !d.broken[qpn]
}

// room reports whether there is a receive WQE for the next message of a QP.
func (d *hcaRxPeer) room(p *hcaRxQP) bool {
	_, ok := d.model.NextWQE(p.spec.DestQP, &p.receive)
	return ok
}

// roomy reports whether any message of a QP fits into its receive WQE.
func (d *hcaRxPeer) roomy(p *hcaRxQP) bool {
	room, ok := d.model.NextWQE(p.spec.DestQP, &p.receive)
	return ok && (p.uc || int(room) > 4*p.pmtu)
}

// idles reports whether nothing that peers send in this part would be executed any more: then it ends, mostly.
func (d *hcaRxPeer) idles() bool {
	return d.plan.ends > 0 && !slices.ContainsFunc(d.used, d.serves) && !d.r.OneIn(20)
}

// isLate reports whether a round is near its end: what comes now may take its QP to error.
func (d *hcaRxPeer) isLate() bool { return d.part == hcaRxParts-1 && 5*d.frames > 2*d.plan.frames }

// burstsIn is before which of so many frames a burst comes.
func (d *hcaRxPeer) burstsIn() int {
	if d.plan.ends > 0 {
		return 500
	}
	return 120
}

// isSpoiled draws whether a request has something wrong.
func (d *hcaRxPeer) isSpoiled() bool {
	if is, ok := d.g.happens(d.r, rxSpoil); ok {
		return is
	}
	return d.r.OneIn(d.spoiled())
}

// spoiled is in how many requests one has something wrong.
func (d *hcaRxPeer) spoiled() int {
	switch {
	case !d.plan.fits:
		return 16
	case d.isLate():
		return 5
	}
	return 40
}

// fillsUp begins a part, mostly, with messages each of which fills a receive WQE, or does not quite, as long as there
// are any.
func (d *hcaRxPeer) fillsUp() {
	if d.plan.ends == 0 || d.r.OneIn(3) {
		return
	}
	for range 3 * hcaRxDepth {
		for _, p := range d.used {
			if p.back != nil && d.serves(p) {
				*p = *p.back
			}
			switch {
			case !d.more() || d.frames >= d.plan.ends || !d.serves(p) || !p.sends && !d.room(p):
			case p.ud:
				d.datagram(p)
			default:
				d.fillOne(p)
			}
		}
	}
}

// fillOne sends the next packet of a QP's message, of one that fills its receive WQE where there is one that it can.
func (d *hcaRxPeer) fillOne(p *hcaRxQP) {
	before, n := *p, 0
	if !p.sends {
		n = d.fitting(p)
	}
	s, bytes, granted := d.requestOf(p, n)
	if !d.send(s, bytes, "a request, to fill a receive WQE") || !granted {
		p.lose(&before)
	}
}

// roomFor draws how many bytes a receive WQE of a queue has, where all fits: a datagram fills it, or a few packets, or
// not.
func (d *hcaRxPeer) roomFor(of *hcaRxQP, otherwise uint32) uint32 {
	r := d.r
	switch {
	case !d.plan.fits:
	case of != nil && of.ud && !r.OneIn(4): // a datagram fills it
		return uint32(40 + r.Below(of.pmtu+2))
	case of != nil && !r.OneIn(3): // any few packets
		return uint32([...]int{r.Between(1, 3*of.pmtu), r.Between(1, 3) * of.pmtu}[r.Below(2)])
	case r.OneIn(3): // some packets, or all but a byte, or one more
		return uint32((256<<r.Below(3))*r.Between(1, 3) + [...]int{-1, 0, 0, 1, 40}[r.Below(5)])
	}
	return otherwise
}

// fitting is how many bytes a SEND has that fills the receive WQE which it would use: by its only packet, its last or
// one before it, or all but a byte, or by a byte too many; 0 where there is none that a message fills.
func (d *hcaRxPeer) fitting(p *hcaRxQP) int {
	r := d.r
	room, ok := d.model.NextWQE(p.spec.DestQP, &p.receive)
	if !ok || room < 2 || int(room) > 4*p.pmtu {
		return 0
	}
	n := int(room)
	if n%p.pmtu == 0 && r.OneIn(5) { // the First or a Middle fills it
		return n + r.Between(1, p.pmtu)
	}
	if (p.uc || d.isLate() || r.OneIn(12)) && r.OneIn(3) { // one byte more, or the First or a Middle fills it
		if n%p.pmtu == 0 && n > 0 {
			return n + r.Between(1, p.pmtu)
		}
		return n + 1
	}
	return n - r.Below(4)/3
}

// fittingDatagram is n, or how many bytes a datagram has that fills its receive WQE, or all but a byte, or one more.
func (d *hcaRxPeer) fittingDatagram(p *hcaRxQP, n int) int {
	room, ok := d.model.NextWQE(p.spec.DestQP, &p.receive)
	switch {
	case !ok || d.r.OneIn(6):
		return n
	case d.r.OneIn(2):
		return max(0, min(n, int(min(room, 1<<16))-40))
	}
	if fills := int(min(room, 1<<16)) - 40 + [...]int{-1, 0, 0, 1}[d.r.Below(4)]; fills >= 0 && fills <= p.pmtu {
		return fills
	}
	return n
}

// takesAway has rx_classify remove a QP for a part, now and then, and set it again before the next one.
func (d *hcaRxPeer) takesAway(p *hcaRxQP) []hca.HcaRxOp {
	switch {
	case d.gone[p.spec.DestQP]:
		delete(d.gone, p.spec.DestQP)
		return []hca.HcaRxOp{p.classified}
	case !d.wears && !d.full && d.r.OneIn(12):
		d.gone[p.spec.DestQP] = true
		none := hca.ClassifyQuery{Op: hca.ClassifyRemove, DestQP: p.spec.DestQP}
		return []hca.HcaRxOp{{To: hca.ToClassify, Record: none.Append(nil), Why: "the QP is removed"}}
	}
	return nil
}

// unfit are operations for which a QP is not in the state: nothing may come of them.
func (d *hcaRxPeer) unfit(p *hcaRxQP) []hca.HcaRxOp {
	set, ready := p.verdict, p.verdict
	set.PSN, ready.Op = drawPSN(d.r), hca.RespReady
	switch d.r.Below(8) {
	case 0:
		return []hca.HcaRxOp{{To: hca.ToVerdict, Record: set.Append(nil), Why: "set, what is set"}}
	case 1:
		return []hca.HcaRxOp{{To: hca.ToVerdict, Record: ready.Append(nil), Why: "ready, what is or has failed"}}
	}
	return nil
}

// besideLeft gives what is left of the operations beside frames: all of them are given in their round.
func (d *hcaRxPeer) besideLeft() {
	for ; d.plan.fits && len(d.beside) > 0; d.beside = d.beside[1:] {
		d.op(max(d.now, d.came), d.beside[0])
	}
}

// What each part but the last leaves for the next ones, and for what memory fails at its end.
const (
	hcaRxSparedWrites = 70
	hcaRxSparedPieces = 22
)

// spared is how much of what a round has this part leaves, of so much for each part behind it.
func (d *hcaRxPeer) spared(each int) int {
	if d.plan.ends == 0 || d.late != 0 {
		return 0
	}
	return each * (hcaRxParts - 1 - d.part)
}

// closeMessages has QPs whose message is open end it.
func (d *hcaRxPeer) closeMessages() {
	for _, p := range d.used {
		if p.back != nil {
			*p = *p.back
		}
		if p.sends && d.serves(p) {
			d.goesOn(p, 1+p.left/p.pmtu)
		}
	}
}

// oneTooMany has a QP send a READ more than it may have in flight, while memory gives nothing for any of them.
func (d *hcaRxPeer) oneTooMany(p *hcaRxQP) {
	if p.back != nil {
		*p = *p.back
	}
	spare := d.plan.pieces-d.memory.pieces > 20+p.reads && d.count()+d.reserve()+2*p.reads < d.plan.length
	if !d.serves(p) || d.r.OneIn(2) || !spare {
		return
	}
	if p.uc || p.sends || p.failed || p.reads == 0 || d.served[p.spec.DestQP] > 0 {
		return
	}
	failure := d.failure
	d.failure = 0
	d.atomicAgain(p)
	d.model.KeepPlaces(true)
	for range p.reads + 1 {
		s, _ := d.read(p, 6)
		s.RKey, s.VA, s.DMALen, p.next = p.key, p.va, 1, s.PSN.Add(1)
		p.kept[0] = s
		d.add(s.Encap.Link(), s.Append(nil, nil), "a READ, at last one more than may be in flight")
	}
	d.model.KeepPlaces(false)
	d.failure = failure
	p.failed = p.failed || d.broken[p.spec.DestQP]
}

// readsOnIn is in how many cases a QP goes on with READs, and its key stays open.
func (d *hcaRxPeer) readsOnIn() int {
	if d.plan.ends > 0 {
		return 4
	}
	return 2
}

// atomicAgain sends an atomic of a QP again, if it has one: what is answered behind it was not given back twice.
func (d *hcaRxPeer) atomicAgain(p *hcaRxQP) {
	for i := range p.kept[:p.keptN] {
		if s := p.kept[i]; s.Opcode.Shape().Verb.Atomic() {
			d.add(s.Encap.Link(), s.Append(nil, nil), "an atomic again, in front of as many READs as there may be")
			return
		}
	}
}

// failAgain sends a READ of a QP again, and memory fails it: it reports whether memory was asked.
func (d *hcaRxPeer) failAgain(p *hcaRxQP) bool {
	for i := range p.kept[:min(p.keptN, 4)] {
		if s := p.kept[i]; s.Opcode.Shape().Verb == roce.Read && s.DMALen > 0 {
			d.add(s.Encap.Link(), s.Append(nil, nil), "a READ again, that memory fails")
			return d.failure == 0
		}
	}
	return false
}

// longOne has a QP send a WRITE of more than 64 KiB.
func (d *hcaRxPeer) longOne() {
	if d.plan.long == 0 {
		return
	}
	p := &d.qps[d.plan.long]
	if p.back != nil {
		*p = *p.back
	}
	if p.sends || p.failed {
		return
	}
	s := p.spec
	s.PSN, s.RKey, s.VA, s.DMALen = p.next, p.key, p.va+uint64(d.r.Below(64)), uint32(17*p.pmtu+d.r.Between(1, p.pmtu))
	s.Opcode = ib.Join(p.service(), ib.WriteFirst)
	p.next, p.sends, p.verb, p.left = p.next.Add(1), true, ib.WriteFirst, int(s.DMALen)-p.pmtu
	d.frame(s.Encap.Link(), s.Append(nil, d.g.random[:p.pmtu]), "a message of more than 64 KiB")
	for p.sends && d.more() {
		s, n, _ := d.request(p)
		d.frame(s.Encap.Link(), s.Append(nil, d.g.random[d.r.Below(100):][:n]), "goes on")
	}
}
