package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
)

// Ports of hca_rx by which memory gives what READs and atomics ask for.
const (
	hcaRxPortRead   sim.Port = 9
	hcaRxPortAtomic sim.Port = 11
	hcaRxPortWrote  sim.Port = 13
)

// LeaveOutReads has hca-rx set its queue pairs without READs and atomics: they are refused, and memory is read for
// none.
func (g *Generator) LeaveOutReads() { g.noReads = true }

// hcaRxKept is how many READs and atomics of a QP its peer may send again.
const hcaRxKept = 10

// hcaRxMostRead is how many bytes a READ asks for at most, of many.
const hcaRxMostRead = 2500

// ask makes the next request: a READ or atomic, or a packet of a SEND or WRITE.
func (d *hcaRxPeer) ask(p *hcaRxQP) (s wire.Spec, n int, granted bool) {
	if p.uc || p.sends || p.reads == 0 || !d.mayRead(p) || !d.r.OneIn(3) {
		return d.request(p)
	}
	s, n = d.read(p, d.kind(p, 14))
	return s, n, true
}

// kind draws one of the first n kinds of READs and atomics, seldom one that the QP or its region does not allow: that
// ends the QP.
func (d *hcaRxPeer) kind(p *hcaRxQP, n int) int {
	kind := d.r.Below(n)
	for tries := 0; !p.allows(kind) && (!d.errs(p) || tries < 9 && !d.r.OneIn(20)); tries++ {
		kind = d.r.Below(n)
	}
	return kind
}

// mayRead reports whether a careful peer has a READ or atomic that is allowed; others do not ask.
func (d *hcaRxPeer) mayRead(p *hcaRxQP) bool {
	return d.errs(p) || p.allows(0) || p.allows(2) || p.allows(6)
}

// allows reports whether a QP and its region allow a kind of READ or atomic.
func (p *hcaRxQP) allows(kind int) bool {
	enabled := func(bits uint8) bool { return p.verdict.Enabled&p.rights&bits == bits }
	switch kind {
	case 0:
		return enabled(1)
	case 1, 12, 13:
		return p.rights>>3&p.verdict.FlushEnabled == 3
	case 2, 3, 4, 5:
		return enabled(4)
	}
	return enabled(2)
}

// read makes a READ or atomic, or what is answered like them.
func (d *hcaRxPeer) read(p *hcaRxQP, kind int) (s wire.Spec, n int) {
	r, op, packets := d.r, ib.ReadRequest, 1
	s = p.spec
	s.PSN, s.AckReq, s.RKey, s.VA = p.next, r.OneIn(2), p.key, hcaRxVA+uint64(r.Below(1<<14))
	if p.open && d.errs(p) && r.OneIn(16) {
		s.RKey = p.window
	}
	switch kind {
	case 0:
		op, n, s.DMALen = ib.AtomicWrite, 8, 8
		s.VA &^= 7
	case 1, 12, 13:
		op, s.DMALen = ib.Flush, uint32(r.Below(4096))
		s.FlushPLT, s.FlushSEL = uint8(r.Between(1, 3)), uint8(r.Below(2))
		if s.FlushSEL == 1 && r.OneIn(2) { // the whole region: the rest does not count
			s.VA, s.DMALen = r.Uint64(), uint32(r.Uint64())
		}
	case 2, 3, 4, 5:
		op = d.atomic(p, &s)
	default:
		bytes := [...]int{0, 1, r.Below(300), p.pmtu, p.pmtu + 1, r.Below(3 * p.pmtu)}[r.Below(6)]
		s.DMALen = uint32(min(bytes, hcaRxMostRead))
		if packets = (int(s.DMALen) + p.pmtu - 1) / p.pmtu; r.OneIn(12) {
			s.VA = hcaRxVA + p.length - uint64(s.DMALen)
			if d.errs(p) {
				s.VA += uint64(r.Below(2))
			}
		}
	}
	s.Opcode = ib.Join(ib.RC, op)
	p.next = p.next.Add(int32(max(1, packets)))
	copy(p.kept[1:], p.kept[:])
	p.kept[0], p.keptN = s, min(p.keptN+1, hcaRxKept)
	return s, n
}

// atomic makes an atomic on one of few words, of a comparison half of which hold.
func (d *hcaRxPeer) atomic(p *hcaRxQP, s *wire.Spec) ib.Operation {
	r := d.r
	s.VA = hcaRxVA + uint64(8*r.Below(4))
	if d.errs(p) && r.OneIn(40) {
		s.VA += uint64(r.Below(8))
	}
	if !p.filler && r.OneIn(4) { // the last one of its region, or one behind it
		if s.VA = hcaRxVA + p.length - 8; d.errs(p) {
			s.VA += uint64(8 * r.Below(2))
		}
	}
	s.SwapAdd, s.Compare = r.Uint64(), d.memory.words[p.base+s.VA-hcaRxVA]
	if r.OneIn(3) {
		s.Compare = near(r, s.Compare, 64)
	}
	if r.OneIn(2) {
		return ib.FetchAdd
	}
	return ib.CmpSwap
}

// readOn has queue pairs that go on from the part before send as many READs as they may have in flight: each place that
// an answer gave back is needed again.
func (d *hcaRxPeer) readOn() {
	for _, p := range d.used {
		for n := 0; n < 2 && p.shut > 0 && d.more(); n++ { // while nothing else can have ended it
			p.shut--
			d.again(p)
		}
		if !p.readsOn {
			continue
		}
		delete(d.careful, p.spec.DestQP) // it takes all places
		if p.readsOn = false; p.back != nil {
			*p = *p.back
		}
		for n := p.reads; n > 0 && !p.sends && d.more(); n-- {
			s, _ := d.read(p, 6)
			s.RKey, s.VA, s.DMALen, p.next = p.key, hcaRxVA, 1, s.PSN.Add(1)
			d.send(s, 0, "a READ, of as many as may be in flight")
		}
	}
}

// afterFailure sends what a QP would execute and answer that had not failed in the part before.
func (d *hcaRxPeer) afterFailure() {
	for _, p := range d.used {
		if !p.failed || !d.more() {
			continue
		}
		if p.back != nil {
			*p = *p.back
		}
		n := 1 + d.r.Below(4)
		p.sends, p.failed = false, false
		s := d.small(p, ib.WriteOnly, n)
		s.AckReq = true
		d.marksDead(p, &s)
		d.send(s, n, "to a QP that has failed")
	}
}

// again sends a READ or atomic again, one that is kept or one that is no more: a part of the READ, or what is none.
func (d *hcaRxPeer) again(p *hcaRxQP) {
	r := d.r
	s, n := p.kept[min(r.Below(p.keptN), r.Below(p.keptN))], 0
	if p.shut > 0 { // whose key is closed: as it was, one of the last
		if s = p.kept[r.Below(min(p.keptN, 3))]; p.shuts {
			s, p.shuts = p.kept[0], false
		}
		if s.Opcode.Shape().Verb == roce.Read {
			d.send(s, 0, "a READ again, its key may be closed")
			return
		}
	}
	switch s.Opcode.Shape().Verb {
	case roce.Read:
		skip := r.Below(max(1, (int(s.DMALen)+p.pmtu-1)/p.pmtu))
		s.PSN, s.VA, s.DMALen = s.PSN.Add(int32(skip)), s.VA+uint64(skip*p.pmtu), s.DMALen-uint32(skip*p.pmtu)
		if d.part > 0 && r.OneIn(3) && d.isDuplicate(&s) {
			d.otherBit(&s)
			return
		}
		if r.OneIn(2) {
			d.bend(p, &s)
		}
	case roce.AtomicWrite:
		if n = 8; r.OneIn(4) { // what was none
			s.Opcode, s.FlushPLT, n = ib.Join(ib.RC, ib.Flush), 1, 0
		}
	default:
		if r.OneIn(8) {
			s.PSN = s.PSN.Add(-1)
		}
	}
	d.send(s, n, "a READ or atomic again")
}

// bend has a READ that comes again ask for something else, most times.
func (d *hcaRxPeer) bend(p *hcaRxQP, s *wire.Spec) {
	r := d.r
	switch r.Below(12) {
	case 0:
		s.VA += uint64(r.Between(1, 8))
	case 1:
		s.DMALen++
	case 2:
		s.RKey = p.window
	case 3, 4:
		s.DMALen = uint32(r.Below(int(s.DMALen) + 1))
	case 5, 6, 7, 8:
		if p.length == hcaRxVast { // elsewhere by the high bits alone
			s.VA += 1 << (32 + r.Below(2))
		}
	}
}

// isDuplicate reports whether a QP has executed what is sent to it: memory is asked for what it kept of it, or nothing.
func (d *hcaRxPeer) isDuplicate(s *wire.Spec) bool {
	expects, ok := d.model.Expects(s.DestQP)
	return ok && psn.Arrive(s.PSN, expects) == psn.Duplicate
}

// otherBit sends a READ again of which one bit is another, of its key or of how many bytes it asks for: it is silent.
func (d *hcaRxPeer) otherBit(s *wire.Spec) {
	if d.r.OneIn(2) {
		s.RKey ^= 1 << (31 - d.turn(hcaRxTurnKeptKey, 32))
	} else {
		s.DMALen |= 1 << (31 - d.turn(hcaRxTurnKeptLength, 20))
	}
	d.frame(s.Encap.Link(), s.Append(nil, nil), "a READ again, one bit another: silent")
}

// hcaRxFailing is how many pieces a part has for what memory fails behind its frames.
const hcaRxFailing = 22

// piecesLeft is how many pieces READs may ask for now: what memory is to fail in this part and the next ones has its
// own.
func (d *hcaRxPeer) piecesLeft() int {
	left, parts := d.plan.pieces-d.memory.pieces, hcaRxParts-1-d.part
	switch {
	case d.full || parts == 0:
		return left
	case d.late != 0:
		parts--
	}
	return left - parts*hcaRxFailing
}

// affords reports whether what a request may ask memory for belongs to this round: a READ beyond its region is refused
// without.
func (d *hcaRxPeer) affords(s *wire.Spec) bool {
	limit, length, m := 0, uint64(hcaRxRegion), &d.memory
	for _, p := range d.used {
		if p.spec.DestQP == s.DestQP {
			limit, length = p.reads, p.length
		}
	}
	if s.DestQP == d.plan.numbers[d.plan.filler()] {
		limit = 31
	}
	if d.careful[s.DestQP] && !d.ending && d.late == 0 { // what the part ends with has places
		limit -= min(3, limit/2)
	}
	switch verb := s.Opcode.Shape().Verb; {
	case verb == roce.Read:
		fits := int(s.DMALen)/hca.ReadPieceBytes+2 <= d.piecesLeft()
		return limit == 0 || d.served[s.DestQP] < limit && (fits || uint64(s.DMALen) > length)
	case verb.Atomic():
		return limit == 0 || d.served[s.DestQP] < limit && m.atomics < d.plan.atomics
	case verb == roce.AtomicWrite || verb == roce.Flush:
		return limit == 0 || d.served[s.DestQP] < limit
	}
	return true
}

// serve has memory give what the frame that was played last asks for.
func (d *hcaRxPeer) serve() {
	f := &d.told
	if !f.IsRequest() || !f.Asks() {
		return
	}
	if f.Executed() {
		d.served[f.Class.QPN]++
	}
	switch a := &f.Asked; {
	case a.IsRead:
		d.giveRead(a)
	case a.Does:
		d.doAtomic(a)
	}
}

// memoryAt is the clock from which memory gives what is asked for now.
func (d *hcaRxPeer) memoryAt() uint64 {
	if d.late != 0 {
		return d.late
	}
	if d.r.OneIn(3) {
		return d.start
	}
	return d.now + uint64(float64(d.r.Below(1+d.memory.late+d.memory.jitter))*d.memory.slow)
}

// memoryGives adds what memory gives: behind all frames where it gives it when they are through. Where more wait for it
// than a device has room for, it stands behind what asks for it, so that the run may be cut anywhere.
func (d *hcaRxPeer) memoryGives(m hcaRxMove) {
	if d.top != nil {
		m.port = hcaTopOf[m.port]
	}
	if d.late != 0 && (!d.full || d.fails) {
		d.behind = append(d.behind, m)
		return
	}
	d.moves = append(d.moves, m)
}

// giveRead gives the pieces of a READ: a few of them in any order. Those of a READ of more pieces than there are tags
// come in order, and each is a response of its own: wherever the run is cut, a device has given its place back.
func (d *hcaRxPeer) giveRead(a *hca.HcaRxAsked) {
	const window = 8
	r, at, failure := d.r, max(d.memoryAt(), d.memory.gave), d.failure
	d.memory.gave = at // a port has one order
	pieces := a.Read.Pieces(uint64(d.memory.pieces))
	d.memory.pieces += len(pieces)
	bad := max(r.Below(max(1, len(pieces))), r.Below(max(1, len(pieces))))
	if d.full || d.held { // what is not asked for when it fails never is: others leave room for it one by one
		bad = len(pieces) - 1
	}
	if len(pieces) > 0 {
		d.failure = 0
	}
	for from := 0; from < len(pieces); from += window {
		some := pieces[from:min(from+window, len(pieces))]
		for i := len(some) - 1; i > 0 && len(pieces) <= hca.ReadPieces && !r.OneIn(3); i-- {
			k := r.Below(i + 1)
			some[i], some[k] = some[k], some[i]
		}
		for i := range some {
			needs := int(some[i].Address%hca.ReadLineBytes) + int(some[i].Bytes)
			n := needs
			if r.OneIn(4) {
				n += r.Below(64)
			}
			fails, why := failure != 0 && from+i == bad, "memory gives"
			if fails {
				why = "memory gives: error"
			}
			if fails && failure == hcaRxReadIsShort && needs > 1 {
				n, fails = r.Between(1, needs-1), false
			}
			user := int(hca.ReadUser(some[i].Tag, fails))
			d.memoryGives(hcaRxMove{hcaRxPortRead, at, d.g.random[r.Below(500):][:n], why, user})
		}
	}
}

// doAtomic gives what lies at the address of an atomic, and acknowledges what it writes.
func (d *hcaRxPeer) doAtomic(a *hca.HcaRxAsked) {
	m, at := &d.memory, d.memoryAt()
	d.held = d.late != 0
	tag := uint8((int(d.e.Number)*d.plan.atomics + m.atomics) % hca.AtomicTags)
	m.atomics++
	old, known := m.words[a.Address]
	if !known {
		old = d.r.Uint64()
	}
	value, writes := a.Atomic.Value(old)
	m.words[a.Address] = value
	read := hca.AtomicAnswer{Tag: tag, Data: old}
	if failure := d.failure; failure == hcaRxReadFails || failure == hcaRxReadIsShort {
		read.Error, writes, m.words[a.Address], d.failure = true, false, old, 0
	}
	d.memoryGives(hcaRxMove{hcaRxPortAtomic, at, read.AppendRead(nil), "memory gives for an atomic", -1})
	if writes {
		ack := hca.AtomicAnswer{Tag: tag, Error: d.failure == hcaRxWriteFails}
		d.failure = 0
		d.memoryGives(hcaRxMove{hcaRxPortWrote, at, ack.AppendWritten(nil), "memory has written an atomic", -1})
	}
}

// fillReads makes up for pieces and atomics that are missing.
func (d *hcaRxPeer) fillReads(p *hcaRxQP) {
	if d.g.noReads {
		return
	}
	for d.memory.atomics < d.plan.atomics {
		s := p.spec
		s.PSN, s.RKey, s.VA = p.next, p.key, hcaRxVA
		s.Opcode = ib.Join(ib.RC, d.atomic(p, &s))
		s.VA, p.next = s.VA&^7, p.next.Add(1)
		d.add(s.Encap.Link(), s.Append(nil, nil), "makes up for an atomic")
	}
	for d.memory.pieces < d.plan.asks() {
		missing := d.plan.asks() - d.memory.pieces
		if missing < d.plan.far { // all of them at once, and then some of each kind
			missing = min(missing, 16)
		}
		s := p.spec
		s.PSN, s.RKey, s.Opcode = p.next, p.key, ib.Join(ib.RC, ib.ReadRequest)
		s.VA = hcaRxVA + -p.base%hca.ReadPieceBytes
		s.DMALen = uint32(missing*hca.ReadPieceBytes - d.r.Below(hca.ReadPieceBytes-1))
		p.next = p.next.Add(int32((int(s.DMALen) + p.pmtu - 1) / p.pmtu))
		d.add(s.Encap.Link(), s.Append(nil, nil), "makes up for what READs ask for")
	}
}
