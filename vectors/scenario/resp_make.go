package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// make makes the next request. done says that it was executed.
func (p *respPeer) make() hca.RespQuery {
	r := p.r
	if p.at == p.of {
		if p.set.Service == hca.RespRC && p.inFlight < int(p.set.MaxReads) && r.OneIn(3) {
			if op := p.drawReplayed(); p.enables(op) {
				return p.only(op)
			}
		}
		p.open()
	}
	q := p.packet()
	isFirst, isLast := p.at == 0, p.at == p.of-1
	operation := p.verb + 1 // Middle
	switch {
	case isFirst && isLast:
		operation = p.verb + 4
	case isFirst:
		operation = p.verb
	case isLast:
		operation = p.verb + 2
	}
	if isLast && r.OneIn(3) {
		operation++ // with immediate
	}
	if verbOf(p.verb) == ib.VerbSend && isLast && p.set.Service == hca.RespRC && r.OneIn(6) {
		operation = ib.SendLastInv
		if isFirst {
			operation = ib.SendOnlyInv
		}
	}
	if !isLast {
		q.Pad = 0
	}
	if !isFirst && r.OneIn(3) {
		q.DMALength = 0 // no RETH, nobody looks
	}
	if isFirst {
		q.DMALength = uint32(p.bytes)
		q.WQEBytes = uint32(p.bytes + [...]int{0, 0, 1, 1000, 1 << r.Between(10, 30)}[r.Below(5)])
		if r.OneIn(4) {
			q.WQEBytes = max(q.WQEBytes, p.aroundPower(p.bytes))
		}
	}
	q.Opcode, q.Payload = p.transport()|ib.Opcode(operation), uint16(min(p.bytes, p.pmtu()))
	return q
}

// drawReplayed draws a READ or what is answered and kept like one.
func (p *respPeer) drawReplayed() ib.Operation {
	ops := [...]ib.Operation{ib.ReadRequest, ib.ReadRequest, ib.ReadRequest, ib.CmpSwap, ib.FetchAdd, ib.AtomicWrite,
		ib.Flush, ib.Flush}
	return ops[p.r.Below(len(ops))]
}

// enables reports whether the QP was set up for an operation.
func (p *respPeer) enables(op ib.Operation) bool {
	need := uint8(hca.RespEnableWrite)
	switch verbOf(op) {
	case ib.VerbFlush:
		return p.set.FlushEnabled != 0
	case ib.VerbRead:
		need = hca.RespEnableRead
	case ib.VerbCmpSwap, ib.VerbFetchAdd:
		need = hca.RespEnableAtomic
	}
	return p.set.Enabled&need != 0
}

// open begins a message.
func (p *respPeer) open() {
	r := p.r
	p.verb = ib.SendFirst
	if p.enables(ib.WriteFirst) && r.OneIn(2) {
		p.verb = ib.WriteFirst
	}
	p.at, p.of = 0, [...]int{1, 1, 2, 3, 5}[r.Below(5)]
	if r.OneIn(40) {
		p.of = r.Between(6, 40) // beyond 64 KiB
	}
	last := [...]int{p.pmtu(), 1, r.Between(1, p.pmtu()), r.Between(1, p.pmtu())}[r.Below(4)]
	if p.of == 1 && r.OneIn(4) {
		last = 0
	}
	p.bytes = (p.of-1)*p.pmtu() + last
}

// packet is a request with the next PSN.
func (p *respPeer) packet() hca.RespQuery {
	q := p.noise()
	q.Op, q.PSN = hca.RespPacket, p.next
	return q
}

// only makes a request of one packet, whatever message is open.
func (p *respPeer) only(op ib.Operation) hca.RespQuery {
	q := p.packet()
	q.Opcode = p.transport() | ib.Opcode(op)
	stray := q
	q.Payload, q.Pad = 0, 0
	if p.set.Profile&hca.RespStrayPayloadTaken != 0 && p.r.OneIn(3) {
		q.Payload, q.Pad = stray.Payload, stray.Pad
	}
	switch verbOf(op) {
	case ib.VerbRead:
		q.DMALength = p.drawReadLength()
	case ib.VerbCmpSwap, ib.VerbFetchAdd:
		q.VALow = 0
	case ib.VerbAtomicWrite:
		q.VALow, q.Payload, q.DMALength = 0, 8, 8
	case ib.VerbFlush:
		q.DMALength = p.drawReadLength()
		p.drawFlush(&q)
	default:
		q.Pad = stray.Pad
		q.Payload = uint16(p.r.Below(p.pmtu() + 1))
		q.DMALength, q.WQEBytes = uint32(q.Payload), uint32(q.Payload)
	}
	return q
}

// drawFlush draws a FLUSH that the QP was set up for, where there is one.
func (p *respPeer) drawFlush(q *hca.RespQuery) {
	r := p.r
	enabled := p.set.FlushEnabled
	if p.set.Profile&hca.RespFlushUnchecked != 0 && !r.OneIn(3) {
		q.FlushPLT &^= 3 &^ enabled
		if r.OneIn(2) {
			q.FlushPLT = 0
		}
		return
	}
	q.FlushPLT, q.FlushSel = enabled, uint8(r.Below(2))
	if enabled == 3 {
		q.FlushPLT = uint8(r.Between(1, 3))
	}
}

func (p *respPeer) drawReadLength() uint32 {
	r := p.r
	whole := p.pmtu() * r.Between(1, 1<<r.Below(10))
	lengths := [...]int{0, 1, p.pmtu(), whole - 1, whole, whole + 1, ib.MaxMessage, ib.MaxMessage, ib.MaxMessage,
		ib.MaxMessage - r.Below(5000), r.Below(ib.MaxMessage)}
	return uint32(lengths[r.Below(len(lengths))])
}

// done moves the peer on behind a request that was executed; of UC, that was sent.
func (p *respPeer) done(q *hca.RespQuery) {
	takes := uint32(1)
	switch verb := q.Opcode.Shape().Verb; {
	case verb == ib.VerbRead:
		takes = psn.OfRead(q.DMALength, uint32(p.pmtu()))
		fallthrough
	case verb.Replayed():
		p.inFlight++
	default:
		p.at++
		p.bytes -= int(q.Payload)
	}
	p.next = p.next.Add(int32(takes))
	p.sent[p.sentN%len(p.sent)] = *q
	p.sentN++
}
