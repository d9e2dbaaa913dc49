package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// spoil sends a request with one or two things wrong. RC goes to error for most of them, so that the peer takes it for
// gone.
func (p *respPeer) spoil() {
	r := p.r
	kind := [...]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}[r.Below(11)]
	if between := p.at == 0 || p.at == p.of; between {
		if p.set.Service == hca.RespRC && !r.OneIn(3) {
			kind = [...]int{11, 11, 11, 12, 12, kind, kind}[r.Below(7)]
		}
		p.openFor(kind)
	}
	q := p.make()
	why := p.damage(&q, kind)
	if r.OneIn(4) {
		p.damage(&q, r.Below(13))
		why = "spoiled twice"
	}
	p.give(q, why)
	if p.set.Service == hca.RespUC {
		p.done(&q)
		return
	}
	p.isBad = true
}

// openFor begins a message to which the damage matters.
func (p *respPeer) openFor(kind int) {
	p.open()
	switch kind {
	case 6, 7:
		p.verb = ib.WriteFirst
	case 8:
		p.verb = ib.SendFirst
	case 3, 10:
		if p.r.OneIn(2) {
			p.verb = ib.WriteFirst
		}
	}
}

// damage does one thing to a request that no request may have.
func (p *respPeer) damage(q *hca.RespQuery, kind int) (why string) {
	r := p.r
	isRC := p.set.Service == hca.RespRC
	switch kind {
	case 0:
		q.Opcode = p.transport() | ib.Opcode(r.Below(12)) // one of them fits
		return "spoiled: opcode sequence"
	case 1:
		q.Pad = uint8(r.Between(1, 3))
		return "spoiled: pad"
	case 2:
		if p.at == 0 && isRC {
			for range min(int(p.set.MaxReads), 4) - p.inFlight {
				full := p.only(ib.ReadRequest)
				p.give(full, "request: up to the agreed number")
				p.done(&full)
			}
			*q = p.only([...]ib.Operation{ib.Flush, ib.AtomicWrite, p.drawReplayed()}[r.Below(3)])
		}
		return "spoiled: operation not enabled, or one too many"
	case 3:
		if p.at == 0 && isRC && r.OneIn(3) {
			*q = p.only(ib.ReadRequest)
			q.DMALength *= uint32(r.Below(2)) // nothing to read: nobody looks
		}
		q.AccessOK = false
		return "spoiled: access"
	case 4:
		if p.at == 0 && isRC {
			*q = p.only([...]ib.Operation{ib.CmpSwap, ib.FetchAdd, ib.AtomicWrite}[r.Below(3)])
		}
		q.VALow = [...]uint8{4, 4, 2, 1, 7, uint8(r.Between(1, 7))}[r.Below(6)]
		return "spoiled: alignment"
	case 5, 6, 7, 8:
		return p.damageLength(q, kind)
	case 10:
		q.AccessOK, q.Payload = false, uint16(p.pmtu()+1)
		return "spoiled: access and length"
	case 11:
		return p.stray(q)
	case 12:
		return p.flushKind(q)
	}
	q.OwnError = true
	return "spoiled: own error"
}

// damageLength spoils a length: of the packet, of the whole request, of what is left of it.
func (p *respPeer) damageLength(q *hca.RespQuery, kind int) (why string) {
	r := p.r
	isRC := p.set.Service == hca.RespRC
	switch kind {
	case 5:
		q.Payload = [...]uint16{q.Payload - 1, q.Payload + 1, 0, uint16(p.pmtu()), uint16(p.pmtu() + 1),
			uint16(r.Between(p.pmtu(), 1<<13)), q.Payload | 1<<r.Between(13, 15), q.Payload | 1<<r.Between(13, 15)}[r.Below(8)]
		return "spoiled: length of the packet"
	case 6:
		if p.at == 0 && isRC && r.OneIn(2) {
			*q = p.only([...]ib.Operation{ib.Flush, ib.ReadRequest}[r.Below(2)])
		}
		q.DMALength = ib.MaxMessage + [...]uint32{uint32(r.Between(1, 3)), 1 << r.Below(31)}[r.Below(2)]
		return "spoiled: more than 2^31 bytes"
	case 7:
		if p.at == 0 && isRC && r.OneIn(3) {
			*q = p.only(ib.AtomicWrite)
		}
		q.DMALength += uint32(r.Between(-1, 1))
		if r.OneIn(2) {
			q.DMALength = near(r, q.DMALength, 32) &^ (1 << 31) // shows at the last packet, or before
		}
		return "spoiled: sum of a WRITE"
	}
	q.WQEBytes = uint32(max(0, p.bytes-1)) // shows at the last packet
	if p.at == 0 && p.of > 1 && isRC {
		for p.of-p.at > 1 {
			p.give(*q, "request: its receive WQE is a byte too small")
			p.done(q)
			*q = p.make()
		}
	}
	return "spoiled: SEND longer than its receive WQE"
}

// stray gives payload or pad to what has none.
func (p *respPeer) stray(q *hca.RespQuery) string {
	r := p.r
	if p.at == 0 && p.set.Service == hca.RespRC {
		*q = p.only([...]ib.Operation{ib.ReadRequest, ib.ReadRequest, ib.ReadRequest, ib.CmpSwap, ib.FetchAdd, ib.Flush,
			ib.Flush, ib.AtomicWrite, ib.AtomicWrite}[r.Below(9)])
		q.AccessOK = !r.OneIn(6)
	}
	if r.OneIn(3) {
		q.Pad = uint8(r.Between(1, 3))
		return "spoiled: pad where there is no payload"
	}
	q.Payload = [...]uint16{1, 4, uint16(p.pmtu()), 4093, 1 << r.Below(16)}[r.Below(5)]
	return "spoiled: payload where there is none"
}

// flushKind makes a FLUSH of a kind that there is not, or that is not enabled.
func (p *respPeer) flushKind(q *hca.RespQuery) string {
	r := p.r
	if p.at == 0 && p.set.Service == hca.RespRC {
		*q = p.only(ib.Flush)
	}
	beyond := 3 &^ p.set.FlushEnabled
	switch r.Below(6) {
	case 0:
		q.FlushPLT = 0
	case 1:
		q.FlushPLT = uint8(r.Between(4, 15))
	case 2:
		q.FlushPLT, q.FlushSel = max(1, p.set.FlushEnabled), uint8(r.Between(2, 3))
	case 3:
		q.FlushPLT = 3
	default:
		q.FlushPLT = beyond
	}
	return "spoiled: kind of a FLUSH"
}
