package scenario

import (
	"cmp"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// drawMSN draws an MSN that carries into a high bit soon, or any.
func (p *respPeer) drawMSN() uint32 {
	r := p.r
	if r.OneIn(4) {
		return uint32(r.Below(1 << 24))
	}
	k := r.Between(1, 24)
	return (uint32(r.Uint64())<<k | (1<<k-uint32(r.Between(1, 4)))&(1<<k-1)) & 0xFFFFFF
}

// aroundPower draws a length that is a power of two away from what is needed, or a multiple of 64 KiB plus little: at
// least n - 1.
func (p *respPeer) aroundPower(n int) uint32 {
	r := p.r
	switch r.Below(6) {
	case 0, 1, 2: // a bit that is lost leaves a byte too few, or just enough
		return uint32(n + 1<<r.Below(32) - min(1, r.Below(3)))
	case 3:
		return uint32(r.Between(1, 1<<16-1))<<16 | uint32(r.Below(max(1, min(n, 1<<16))))
	}
	return uint32(max(n, 1<<r.Below(32)))
}

// fail makes what is looked up and what a header says wrong, each by itself: which of several things counts is the
// order of RSP-1.
func (p *respPeer) fail(q *hca.RespQuery) {
	r := p.r
	likely := r.Between(2, 5)
	q.QKeyOK, q.WQEPresent, q.AccessOK, q.OwnError = !r.OneIn(likely), !r.OneIn(likely), !r.OneIn(likely), r.OneIn(likely)
	if r.OneIn(likely) {
		q.WQEBytes = uint32(r.Below(int(q.Payload) + 42))
	}
	if r.OneIn(likely) {
		q.Pad = uint8(r.Below(4))
	}
	if r.OneIn(likely) {
		q.VALow = uint8(r.Below(8))
	}
	if r.OneIn(likely) {
		q.Payload = [...]uint16{0, 1, q.Payload + 1, near(r, q.Payload, 16), uint16(p.pmtu()), uint16(p.pmtu() + 1),
			8}[r.Below(7)]
	}
	if r.OneIn(likely) {
		q.DMALength = [...]uint32{0, q.DMALength + 1, near(r, q.DMALength, 32), ib.MaxMessage, ib.MaxMessage + 1,
			8}[r.Below(6)]
	}
	if r.OneIn(likely) {
		q.FlushPLT, q.FlushSel = uint8(r.Below(16)), uint8(r.Below(4))
	}
}

// anything sends any request of the service that has the PSN that is due, with several things wrong. An RC QP may be in
// error then: the peer takes it for gone.
func (p *respPeer) anything() {
	r := p.r
	q := p.make()
	switch {
	case p.set.Service == hca.RespUD:
	case r.OneIn(3):
		q.Opcode = p.transport() | ib.Opcode(r.Below(32))
	case (p.at == 0 || p.at == p.of) && p.set.Service == hca.RespRC && r.OneIn(2):
		ops := [...]ib.Operation{ib.ReadRequest, ib.CmpSwap, ib.FetchAdd, ib.AtomicWrite, ib.Flush, ib.SendOnlyInv}
		q = p.only(ops[r.Below(len(ops))])
	}
	if p.set.Service == hca.RespUD {
		q.Opcode = p.transport() | ib.Opcode(r.Between(4, 5))
	}
	p.fail(&q)
	q.Lost = p.set.Service == hca.RespRC && r.OneIn(4) // without Ecc nobody looks at it
	p.give(q, "several things wrong")
	switch p.set.Service {
	case hca.RespRC:
		p.isBad = true
	case hca.RespUC:
		p.next, p.at, p.of = p.next.Add(1), 0, 0
	}
}

// fill has as many READs and atomics in flight as were agreed, then one too many, or none any more.
func (p *respPeer) fill() {
	r := p.r
	if p.set.Service != hca.RespRC || p.at != p.of || !p.enables(ib.ReadRequest) {
		return
	}
	for p.inFlight < min(int(p.set.MaxReads), 31) {
		q := p.only(ib.ReadRequest)
		q.DMALength = uint32(r.Below(3 * p.pmtu()))
		p.give(q, "request: until the agreed number is in flight")
		p.done(&q)
	}
	if r.OneIn(4) {
		q := p.only(p.drawReplayed())
		p.give(q, "request: one READ or atomic too many")
		p.isBad = true
		return
	}
	for left := r.Below(2); p.inFlight > left; p.inFlight-- {
		p.op(hca.RespFreed, "freed: one of many")
	}
}

// grandPackets is how many packets of 4,096 bytes a message has that borrows from bit 20 behind its First.
const grandPackets = 258

// longMessage sends a message of more than 64 KiB to its end: what is left of it borrows from bit 16 with its First.
// Where there is room for one of more than 1 MiB, it often is one, and then borrows from bits 17 to 20 on its way.
func (p *respPeer) longMessage() {
	p.open()
	p.of = 17
	if cmp.Or(p.length, respLength)-p.e.Len() > grandPackets && p.r.OneIn(2) {
		p.of = grandPackets
	}
	p.bytes = (p.of-1)*p.pmtu() + p.r.Between(1, p.pmtu())
	for range p.of {
		q := p.make()
		p.give(q, "request: of a message of more than 64 KiB")
		p.done(&q)
	}
}

// inInit speaks to a QP that was set up and is not ready: a packet, what is freed of nothing, or a set that is refused.
func (p *respPeer) inInit() {
	q := p.noise()
	switch p.r.Below(4) {
	case 0:
		q.Op = hca.RespFreed
	case 1:
		q.Op, q.PMTU = hca.RespSet, [...]uint8{0, 6, 7}[p.r.Below(3)]
	default:
		q.Op, q.Opcode, q.PSN = hca.RespPacket, p.transport(), p.set.PSN
	}
	p.give(q, "stray: the QP is in init")
}

// flood sends more atomics and ATOMIC WRITEs than the count of those in flight holds, to a QP that does not mind.
func (p *respPeer) flood() {
	if p.set.Service != hca.RespRC || p.set.MaxReads == 0 || p.at != p.of || !p.enables(ib.FetchAdd) {
		return
	}
	for i := range respMostInFlight + 4 {
		op := ib.FetchAdd
		if i >= respMostInFlight && p.enables(ib.AtomicWrite) && p.r.OneIn(2) {
			op = ib.AtomicWrite
		}
		q := p.only(op)
		p.give(q, "request: one of many that are not answered yet")
		p.done(&q)
	}
	p.inFlight = respMostInFlight
}

// breaks sends, inside a message of UC, a packet of another kind with a PSN that is not the next one: the message is
// lost for one as for the other (RSP-3), and what of it comes next is dropped.
func (p *respPeer) breaks() {
	q := p.packet()
	q.Opcode = p.transport() | ib.Opcode(verbFirst(verbOf(p.verb) == ib.VerbSend)+ib.Operation(p.r.Between(1, 2)))
	q.PSN = p.next.Add(int32([...]int{-1, 1, p.r.Between(2, 9)}[p.r.Below(3)]))
	p.give(q, "broken: of another kind, and not the next one")
}

// verbFirst is the First of a WRITE, or of a SEND.
func verbFirst(write bool) ib.Operation {
	if write {
		return ib.WriteFirst
	}
	return ib.SendFirst
}
