package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// Two of five episodes walk through the checks of RSP-1: every request, each with one thing wrong, with two, and with
// none, on a QP that was just set up. So each pair of checks meets, in both orders. In half of them any number of
// checks fails behind the one that counts.

// checkOps are the requests that a check is made with.
var checkOps = [...]ib.Operation{
	ib.SendFirst, ib.SendMiddle, ib.SendLast, ib.SendLastImm, ib.SendOnly, ib.SendOnlyImm, ib.WriteFirst, ib.WriteMiddle,
	ib.WriteLast, ib.WriteLastImm,
	ib.WriteOnly, ib.WriteOnlyImm, ib.ReadRequest, ib.CmpSwap, ib.FetchAdd, ib.SendLastInv, ib.SendOnlyInv, ib.Flush,
	ib.AtomicWrite,
	ib.Flush, ib.AtomicWrite, ib.ReadRequest, ib.Flush, ib.CmpSwap, ib.FetchAdd,
}

// wrong is a thing that may be wrong with a request.
type wrong int

const (
	wrongOrder wrong = iota
	wrongEnabled
	wrongRoom
	wrongWQE
	wrongAccess
	wrongAlignment
	wrongPayload
	wrongLength
	wrongSum
	wrongReceive
	wrongOwn
	wrongPad
	wrongFlush
	wrongQKey
	wrongs // how many
)

// checks fills an episode with checks.
func (p *respPeer) checks() {
	r := p.r
	walk := p.e.Number * 64
	for ; p.e.Len() < respLength; walk++ {
		p.qpn = uint32(r.Below(4)) // there under every NumQps
		if r.OneIn(4) {
			p.qpn = uint32(r.Below(1 << 16))
		}
		service := [...]hca.RespService{hca.RespRC, hca.RespRC, hca.RespRC, hca.RespRC, hca.RespUC, hca.RespUD}[r.Below(6)]
		op := checkOps[scatter(walk, len(checkOps))]
		list := wrongWith[verbOf(op)]
		if service == hca.RespUD && !r.OneIn(6) {
			op, list = [...]ib.Operation{ib.SendOnly, ib.SendOnlyImm}[r.Below(2)], wrongDatagram
		}
		var bad [wrongs]bool
		n := [...]int{0, 1, 1, 1, 2, 2, 2, 3}[r.Below(8)]
		if r.OneIn(2) { // one is the first of many
			first := list[r.Below(len(list))]
			bad[first], n = true, 0
			for _, w := range list {
				bad[w] = bad[w] || w > first && !r.OneIn(3)
			}
		}
		for ; n > 0; n-- {
			bad[list[r.Below(len(list))]] = true
			if r.OneIn(12) {
				bad[r.Below(int(wrongs))] = true // what does not matter here
			}
		}
		p.check(service, op, &bad)
	}
}

// wrongWith are the things that matter to requests of a verb, wrongDatagram those to a datagram.
var (
	wrongWith = map[ib.Verb][]wrong{
		ib.VerbSend: {wrongOrder, wrongWQE, wrongAccess, wrongPayload, wrongPayload, wrongReceive, wrongReceive,
			wrongOwn, wrongPad},
		ib.VerbWrite: {wrongOrder, wrongEnabled, wrongWQE, wrongAccess, wrongPayload, wrongPayload, wrongLength,
			wrongSum, wrongSum, wrongOwn, wrongPad},
		ib.VerbRead: {wrongOrder, wrongEnabled, wrongRoom, wrongAccess, wrongPayload, wrongLength, wrongOwn, wrongPad},
		ib.VerbCmpSwap: {wrongOrder, wrongEnabled, wrongRoom, wrongAccess, wrongAlignment, wrongPayload, wrongOwn,
			wrongPad},
		ib.VerbFetchAdd: {wrongOrder, wrongEnabled, wrongRoom, wrongAccess, wrongAlignment, wrongPayload, wrongOwn,
			wrongPad},
		ib.VerbFlush: {wrongOrder, wrongEnabled, wrongRoom, wrongAccess, wrongPayload, wrongLength, wrongOwn, wrongPad,
			wrongFlush, wrongFlush},
		ib.VerbAtomicWrite: {wrongOrder, wrongEnabled, wrongRoom, wrongAccess, wrongAlignment, wrongPayload, wrongLength,
			wrongOwn, wrongPad},
	}
	wrongDatagram = []wrong{wrongQKey, wrongWQE, wrongPayload, wrongReceive, wrongReceive, wrongOwn}
)

// check sets a QP up and sends one request with what is wrong, and something behind it that shows what the request
// left.
func (p *respPeer) check(service hca.RespService, op ib.Operation, bad *[wrongs]bool) {
	r := p.r
	shape := ib.Join(ib.RC, op).Shape()
	p.op(hca.RespReset, "reset: for a check")
	p.drawSet()
	p.set.Service = service
	p.set.Enabled, p.set.FlushEnabled, p.set.MaxReads = 7, 3, uint8(r.Between(1, 3))
	p.set.Profile = hca.RespProfile(r.Below(2) << r.Below(8))
	if bad[wrongEnabled] {
		p.set.Enabled, p.set.FlushEnabled = uint8(r.Below(8)), uint8(r.Below(4))
	}
	if bad[wrongFlush] {
		p.set.FlushEnabled = uint8(r.Below(4))
	}
	p.give(p.set, "set: for a check")
	p.op(hca.RespReady, "ready: for a check")
	p.next, p.at, p.of, p.inFlight, p.sentN = p.set.PSN, 0, 0, 0, 0
	if bad[wrongRoom] && p.set.Service == hca.RespRC {
		for p.inFlight < int(p.set.MaxReads) {
			q := p.only(ib.ReadRequest)
			q.DMALength = uint32(r.Below(1000))
			p.give(q, "request: no room for another behind it")
			p.done(&q)
		}
	}
	if shape.First == bad[wrongOrder] { // a message is open
		verb := [...]ib.Operation{ib.SendFirst, ib.WriteFirst}[r.Below(2)]
		if verbOf(op) == ib.VerbSend && !bad[wrongOrder] {
			verb = ib.SendFirst
		} else if verbOf(op) == ib.VerbWrite && !bad[wrongOrder] {
			verb = ib.WriteFirst
		}
		p.openMessage(verb)
	}
	q := p.checked(op, shape)
	for w := range wrongs {
		if bad[w] {
			p.spoilBy(&q, w)
		}
	}
	p.give(q, "check: a request with up to two things wrong")
	p.follow()
}

// openMessage sends the First of a message of three packets.
func (p *respPeer) openMessage(verb ib.Operation) {
	q := p.packet()
	q.Opcode, q.Payload, q.Pad = p.transport()|ib.Opcode(verb), uint16(p.pmtu()), 0
	q.DMALength, q.WQEBytes = uint32(3*p.pmtu()), uint32(3*p.pmtu())
	p.bytes = 3 * p.pmtu()
	p.give(q, "request: First of a message")
	p.done(&q)
}

// checked is the request as it should be, with what look-ups of other requests would say as noise.
func (p *respPeer) checked(op ib.Operation, shape *ib.Shape) hca.RespQuery {
	r := p.r
	verb := verbOf(op)
	if verb != ib.VerbSend && verb != ib.VerbWrite {
		return p.only(op)
	}
	q := p.packet()
	q.Opcode = p.transport() | ib.Opcode(op)
	q.Payload = uint16(p.pmtu())
	q.DMALength, q.WQEBytes = uint32(p.bytes), uint32(p.bytes)
	switch {
	case shape.First && shape.Last:
		q.Payload = uint16(r.Below(p.pmtu() + 1))
		q.DMALength, q.WQEBytes = uint32(q.Payload), uint32(q.Payload)
	case shape.First:
		q.DMALength, q.WQEBytes, q.Pad = uint32(p.pmtu()+1), uint32(p.pmtu()+1), 0
	case shape.Last:
		q.DMALength = uint32(r.Below(2)) * q.DMALength // no RETH, nobody looks
		if verb == ib.VerbWrite || p.bytes == 0 || r.OneIn(2) {
			m := p.packet()
			m.Opcode, m.Payload, m.Pad = p.transport()|ib.Opcode(ib.SendMiddle), uint16(p.pmtu()), 0
			if verb == ib.VerbWrite {
				m.Opcode = p.transport() | ib.Opcode(ib.WriteMiddle)
			}
			if p.at > 0 {
				p.give(m, "request: Middle of a message")
				p.done(&m)
				q.PSN = p.next
			}
		}
	default:
		q.Pad, q.DMALength = 0, uint32(r.Below(2))*q.DMALength
	}
	return q
}

// spoilBy makes one thing wrong with a request. Order, room and what is enabled are the QP's.
func (p *respPeer) spoilBy(q *hca.RespQuery, w wrong) {
	r := p.r
	switch w {
	case wrongWQE:
		q.WQEPresent = false
	case wrongAccess:
		if q.AccessOK = false; verbOf(ib.Operation(q.Opcode&0x1F)) == ib.VerbFlush && r.OneIn(2) {
			q.DMALength = 0 // its key is looked at all the same
		}
	case wrongAlignment:
		q.VALow = uint8(r.Between(1, 7))
	case wrongPayload:
		q.Payload = [...]uint16{0, 1, q.Payload + 1, q.Payload - 1, near(r, q.Payload, 16), uint16(p.pmtu()),
			uint16(p.pmtu() + 1), uint16(r.Between(p.pmtu(), 1<<13)), q.Payload | 1<<r.Between(13, 15)}[r.Below(9)]
	case wrongLength:
		q.DMALength = [...]uint32{ib.MaxMessage + 1, ib.MaxMessage + 1<<r.Below(31), ib.MaxMessage, 7, 9,
			near(r, q.DMALength, 32), 1<<32 - 1, q.DMALength ^ uint32(twoBits(r, 32)), q.DMALength ^ uint32(twoBits(r, 32)),
		}[r.Below(9)]
	case wrongSum:
		q.DMALength += [...]uint32{1, 1<<32 - 1, 1 << r.Below(31)}[r.Below(3)]
	case wrongReceive:
		q.WQEBytes = [...]uint32{0, uint32(q.Payload) - 1, uint32(q.Payload) + 39, near(r, q.WQEBytes, 32)}[r.Below(4)]
	case wrongOwn:
		q.OwnError = true
	case wrongPad:
		q.Pad = uint8(r.Between(1, 3))
	case wrongFlush:
		if q.FlushPLT = uint8(r.Below(4)); r.OneIn(4) {
			q.FlushPLT, q.FlushSel = uint8(r.Below(16)), uint8(r.Below(4))
		}
	case wrongQKey:
		q.QKeyOK = false
	}
}

// follow shows the QP's state: by an operation that is ignored, and by a request.
func (p *respPeer) follow() {
	r := p.r
	if r.OneIn(2) {
		p.op(hca.RespReady, "ready: the QP may be")
		return
	}
	q := p.only([...]ib.Operation{ib.SendOnly, ib.SendMiddle, ib.WriteLast, ib.WriteOnly}[r.Below(4)])
	q.PSN = p.next.Add(int32(r.Below(3)))
	p.give(q, "behind a check")
}
