package vectors

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// respLength is how many records an episode of resp-psn-check has: a few QPs from being set up to whatever becomes of them.
const respLength = 400

// makeRespPSNCheck makes requests to resp_psn_check as peers send them that keep to the rules most of the time. A peer knows
// what the responder expects, so that what goes wrong goes wrong on purpose.
func makeRespPSNCheck(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, respLength, func(r *Rand, e *Episode) {
		peers := make([]respPeer, [...]int{1, 1, 2, 3, 8}[r.Below(5)])
		for i := range peers {
			peers[i] = respPeer{r: r, e: e, qpn: drawQPN(r)}
			if i > 0 && r.OneIn(2) {
				peers[i].qpn = peers[i-1].qpn ^ 1<<[...]int{0, 5, 11, 12, r.Below(12)}[r.Below(5)] // one bit apart
			}
		}
		for e.Len() < respLength {
			p := &peers[r.Below(len(peers))]
			for range 1 + r.Below(6) {
				p.step()
			}
		}
	})
}

// drawQPN draws a QPN that every size of the block has, that larger ones have, or that none has.
func drawQPN(r *Rand) uint32 {
	bits := [...]int{2, 6, 6, 6, 6, 6, 12, 12, 12, 12}[r.Below(10)]
	if r.OneIn(12) {
		bits = [...]int{16, 24}[r.Below(2)]
	}
	return uint32(r.Below(1 << bits))
}

// respPeer is the requester of a QP.
type respPeer struct {
	r   *Rand
	e   *Episode
	qpn uint32

	set   hca.RespQuery // how the QP was set up last
	isSet bool
	isBad bool // the QP is in error
	next  psn.PSN
	// The message that is being sent: SEND or WRITE First as its verb, packets executed and in all, bytes not sent.
	verb     ib.Operation
	at, of   int
	bytes    int
	inFlight int
	sent     [16]hca.RespQuery // a ring of requests that were executed
	sentN    int
}

func (p *respPeer) pmtu() int { return 128 << p.set.PMTU }

// give sends a record. An episode that is full takes no more.
func (p *respPeer) give(q hca.RespQuery, why string) {
	if p.e.Len() < respLength {
		var b [hca.RespQueryBytes]byte
		p.e.Add(sim.Port(0), 0, q.Append(b[:0]), why)
	}
}

// op sends an operation; what it does not look at is noise.
func (p *respPeer) op(op hca.RespOp, why string) {
	q := p.noise()
	q.Op = op
	p.give(q, why)
}

// noise is a record of random fields to the QP. Look-ups have good answers.
func (p *respPeer) noise() hca.RespQuery {
	r := p.r
	return hca.RespQuery{
		QPN: p.qpn, PSN: drawPSN(r), Opcode: ib.Opcode(r.Below(256)), Payload: uint16(r.Below(1 << 13)), DMALength: uint32(r.Uint64()),
		Pad: uint8(r.Below(4)), VALow: uint8(r.Below(8)), AckReq: r.OneIn(2), Solicited: r.OneIn(2), WQEBytes: uint32(r.Uint64()),
		Credits: uint8(r.Below(32)), QKeyOK: true, WQEPresent: true, AccessOK: true, Service: hca.RespService(r.Below(4)),
		PMTU: uint8(r.Below(8)), MaxReads: uint8(r.Below(32)), Enabled: uint8(r.Below(8)), RNRTimer: uint8(r.Below(32)),
		FlushPLT: uint8(r.Below(16)), FlushSel: uint8(r.Below(4)), FlushEnabled: uint8(r.Below(4)), Profile: hca.RespProfile(r.Below(256)),
	}
}

// step sends one thing, or a few that belong together.
func (p *respPeer) step() {
	r := p.r
	switch {
	case !p.isSet:
		p.setUp()
	case p.isBad:
		p.afterError()
	case r.OneIn(40):
		p.meddle()
	case p.set.Service != hca.RespRC && r.OneIn(50):
		p.isSet = false // a new life; RC has its errors
	case p.set.Service == hca.RespUD:
		p.datagram()
	case p.set.Profile&hca.RespRoomUnchecked != 0 && r.OneIn(100):
		p.flood()
	case p.set.PMTU == 1 && r.OneIn(20):
		p.longest()
	case p.inFlight > 0 && r.OneIn(4):
		p.inFlight--
		p.op(hca.RespFreed, "freed: a READ or atomic was answered")
	case r.OneIn(10):
		p.repeat()
	case r.OneIn(20):
		p.lose()
	case r.OneIn(9):
		p.spoil()
	default:
		p.request()
	}
}

func (p *respPeer) setUp() {
	r := p.r
	if r.OneIn(8) {
		p.give(p.noise(), "stray: before the QP is set up, or to what an earlier peer left")
	}
	p.op(hca.RespReset, "reset: a new life")
	if r.OneIn(8) {
		early := [...]hca.RespOp{hca.RespPacket, hca.RespReady, hca.RespError, hca.RespFreed}
		p.op(early[r.Below(len(early))], "stray: the QP is in reset")
	}
	if r.OneIn(8) {
		p.drawSet()
		p.set.Service, p.set.PMTU = 3, [...]uint8{0, 6, 7, 3}[r.Below(4)]
		if r.OneIn(2) && p.set.PMTU != 3 {
			p.set.Service = hca.RespRC
		}
		p.give(p.set, "set: no such service or path MTU")
	}
	for again := true; again; again = r.OneIn(8) {
		p.drawSet()
		p.give(p.set, "set")
	}
	if r.OneIn(8) {
		q := p.noise()
		q.Op, q.Opcode, q.PSN = hca.RespPacket, p.transport(), p.set.PSN
		p.give(q, "stray: the QP is in init")
	}
	p.isSet, p.isBad, p.next = true, r.OneIn(12), p.set.PSN
	if p.isBad {
		p.op(hca.RespError, "error: the QP is in init")
	} else {
		p.op(hca.RespReady, "ready")
	}
	p.at, p.of, p.inFlight, p.sentN = 0, 0, 0, 0
}

func (p *respPeer) drawSet() {
	r := p.r
	p.set = p.noise()
	p.set.Op = hca.RespSet
	p.set.Service = hca.RespService([...]hca.RespService{0, 0, 0, 0, 0, 0, 1, 1, 2}[r.Below(9)])
	p.set.PMTU = uint8(r.Between(1, 5))
	p.set.MaxReads = [...]uint8{0, 0, 1, 2, 4, 16, 16, 31}[r.Below(8)]
	p.set.Enabled, p.set.FlushEnabled = 7, [...]uint8{3, 3, 3, 0, 1, 2}[r.Below(6)]
	if r.OneIn(3) {
		p.set.Enabled = uint8(r.Below(8))
	}
	if r.OneIn(3) {
		p.set.Profile = 0
	}
}

func (p *respPeer) transport() ib.Opcode {
	return ib.Opcode([...]ib.Transport{ib.RC, ib.UC, ib.UD}[p.set.Service])
}

// afterError talks to a QP that is in error, then starts anew.
func (p *respPeer) afterError() {
	switch p.r.Below(5) {
	case 0:
		p.isSet = false
	case 1:
		p.op(hca.RespReady, "ready: the QP is in error")
	case 2:
		q := p.set
		q.PSN = p.next.Add(int32(p.r.Between(-2, 2)))
		p.give(q, "set: the QP is in error")
	default:
		q := p.only(ib.SendOnly)
		q.PSN = p.next.Add(int32(p.r.Between(-1, 1)))
		p.give(q, "stray: the QP is in error")
	}
}

// meddle does what nobody should do to a QP that is ready, or what ends its life.
func (p *respPeer) meddle() {
	r := p.r
	switch r.Below(9) {
	case 0, 1:
		q := p.set
		q.PSN = drawPSN(r)
		p.give(q, "set: the QP is ready")
	case 2:
		p.op(hca.RespReady, "ready: the QP is ready")
	case 3:
		p.op(hca.RespError, "error: from outside")
		p.isBad = true
	case 4:
		p.op(hca.RespOp(r.Between(6, 7)), "no such operation")
	case 5:
		p.isSet = false
	case 6:
		if p.inFlight == 0 {
			p.op(hca.RespFreed, "freed: nothing in flight")
		}
	default:
		q := p.make()
		q.Opcode ^= ib.Opcode(r.Between(1, 7) << 5) // of another service
		if r.OneIn(2) {
			q.Opcode = ib.Opcode(r.Below(256))
		}
		if info := ib.Lookup(q.Opcode); info != nil && info.Transport == ib.Transport(p.transport()) && !info.Response {
			q.Opcode = p.transport() | 0x1F
		}
		p.give(q, "opcode: unknown, of another service, or a response")
	}
}

// datagram sends to a UD QP.
func (p *respPeer) datagram() {
	r := p.r
	q := p.noise()
	q.Op, q.Opcode = hca.RespPacket, p.transport()|ib.Opcode(r.Between(4, 5))
	q.Payload = p.aroundPMTU()
	q.WQEBytes = uint32(q.Payload) + ib.GRHBytes + uint32(r.Below(3))
	why := "datagram"
	switch r.Below(8) {
	case 0:
		q.QKeyOK, why = false, "datagram: wrong Q_Key"
	case 1:
		q.WQEPresent, why = false, "datagram: no receive WQE"
	case 2:
		q.WQEBytes, why = uint32(q.Payload)+ib.GRHBytes-1, "datagram: no room for the GRH"
	case 3:
		q.OwnError, why = true, "datagram: own error"
	}
	p.give(q, why)
}

// aroundPMTU draws a length up to the path MTU, once in a while a byte more.
func (p *respPeer) aroundPMTU() uint16 {
	r := p.r
	return uint16([...]int{0, 1, p.pmtu() - 1, p.pmtu(), p.pmtu(), p.pmtu() + 1, r.Below(p.pmtu()), r.Below(p.pmtu())}[r.Below(8)])
}

// request sends the next request as it should be. Where it looks for a receive WQE there may be none.
func (p *respPeer) request() {
	r := p.r
	q := p.make()
	switch takes := takesWQE(q.Opcode); {
	case takes && r.OneIn(12):
		p.withoutWQE(&q)
	case !takes && r.OneIn(3):
		q.WQEPresent = false // does not matter
		fallthrough
	default:
		p.give(q, "request")
		p.done(&q)
	}
}

// flood sends more atomics than the count of those in flight holds, to a QP that does not mind.
func (p *respPeer) flood() {
	if p.set.Service != hca.RespRC || p.set.MaxReads == 0 || p.at != p.of || !p.enables(ib.FetchAdd) {
		return
	}
	for range 34 {
		q := p.only(ib.FetchAdd)
		p.give(q, "request: one of many that are not answered yet")
		p.done(&q)
	}
	p.inFlight = 31
}

// longest asks for 2^31 bytes, which take 2^23 PSNs, and sends again what lies 2^23 behind: the READ, and others with its PSN.
func (p *respPeer) longest() {
	r := p.r
	if p.set.Service != hca.RespRC || p.at != p.of || !p.enables(ib.ReadRequest) || p.inFlight >= int(p.set.MaxReads) {
		return
	}
	first := p.only(ib.ReadRequest)
	first.DMALength = ib.MaxMessage
	p.give(first, "request: a READ of 2^23 PSNs")
	p.done(&first)
	if r.OneIn(3) {
		p.behindGap(1)
	}
	p.give(first, "duplicate: the READ of 2^23 PSNs")
	if r.OneIn(2) {
		q := p.only([...]ib.Operation{ib.SendOnly, ib.FetchAdd, ib.ReadRequest}[r.Below(3)])
		q.PSN = first.PSN
		p.give(q, "duplicate: 2^23 behind")
	}
	if r.OneIn(3) {
		p.behindGap(2)
	}
}

// behindGap sends requests that lie a little ahead of the next one.
func (p *respPeer) behindGap(n int) {
	for range n {
		q := p.packet()
		q.Opcode = p.transport() | ib.Opcode(ib.SendOnly)
		q.PSN = p.next.Add(int32(p.r.Between(1, 3)))
		p.give(q, "out of sequence")
	}
}

// withoutWQE sends the request in vain. RC: what is behind it was on its way, then the request comes again, now or later.
func (p *respPeer) withoutWQE(q *hca.RespQuery) {
	r := p.r
	q.WQEPresent = false
	p.give(*q, "request: no receive WQE")
	if p.set.Service == hca.RespUC {
		p.done(q)
		return
	}
	for range r.Below(4) {
		late := p.only(ib.SendOnly)
		late.PSN = p.next.Add(int32(r.Between(1, 3)))
		p.give(late, "behind a request without a receive WQE")
	}
	if r.OneIn(2) {
		p.repeat()
		p.behindGap(1 + r.Below(2))
	}
	if r.OneIn(4) {
		return
	}
	q.WQEPresent = true
	p.give(*q, "request: there is a receive WQE now")
	p.done(q)
}

// takesWQE tells whether a request looks for a receive WQE.
func takesWQE(op ib.Opcode) bool {
	return op.Shape().SeeksReceive()
}

// verbOf is what an operation does.
func verbOf(op ib.Operation) ib.Verb { return ib.Join(ib.RC, op).Shape().Verb }

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
	if isFirst {
		q.DMALength = uint32(p.bytes)
		q.WQEBytes = uint32(p.bytes + [...]int{0, 0, 1, 1000}[r.Below(4)])
	}
	q.Opcode, q.Payload = p.transport()|ib.Opcode(operation), uint16(min(p.bytes, p.pmtu()))
	return q
}

// drawReplayed draws a READ or what is answered and kept like one.
func (p *respPeer) drawReplayed() ib.Operation {
	ops := [...]ib.Operation{ib.ReadRequest, ib.ReadRequest, ib.ReadRequest, ib.CmpSwap, ib.FetchAdd, ib.AtomicWrite, ib.Flush}
	return ops[p.r.Below(len(ops))]
}

// enables tells whether the QP was set up for an operation.
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
		if r.OneIn(4) {
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
	lengths := [...]int{0, 1, p.pmtu(), whole - 1, whole, whole + 1, ib.MaxMessage, ib.MaxMessage, ib.MaxMessage - r.Below(5000), r.Below(ib.MaxMessage)}
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

// repeat sends again what was executed, or something with an old PSN. UC: the PSN jumps.
func (p *respPeer) repeat() {
	r := p.r
	if p.set.Service == hca.RespUC {
		p.next = p.next.Add(int32(r.Between(-3, 3)))
		return
	}
	if p.sentN > 0 && !r.OneIn(4) {
		q := p.sent[r.Below(min(p.sentN, len(p.sent)))]
		q.AckReq, q.WQEPresent, q.AccessOK, q.OwnError = r.OneIn(2), r.OneIn(2), r.OneIn(2), r.OneIn(8)
		p.give(q, "duplicate")
		return
	}
	q := p.packet()
	ops := [...]ib.Operation{ib.SendMiddle, ib.SendOnly, ib.WriteLast, ib.ReadRequest, ib.FetchAdd, ib.Flush}
	q.Opcode = p.transport() | ib.Opcode(ops[r.Below(len(ops))])
	q.PSN = p.next.Add(int32([...]int{-1, -2, 1 - psn.Half, -psn.Half, -r.Between(1, psn.Half-1)}[r.Below(5)]))
	p.give(q, "duplicate: an old PSN")
}

// lose sends what is behind a request that was lost. UC: the packet is never seen.
func (p *respPeer) lose() {
	r := p.r
	if p.set.Service == hca.RespUC {
		q := p.make()
		p.done(&q)
		return
	}
	for range r.Between(1, 4) {
		q := p.packet()
		q.Opcode = p.transport() | ib.Opcode([...]ib.Operation{ib.SendMiddle, ib.SendOnly, ib.WriteLast, ib.ReadRequest}[r.Below(4)])
		q.PSN = p.next.Add(int32([...]int{1, 2, 3, psn.Half - 1, r.Between(1, psn.Half-1)}[r.Below(5)]))
		p.give(q, "out of sequence")
		if r.OneIn(4) {
			p.repeat() // and what comes behind it may be NAKed again
		}
	}
}

// spoil sends a request with one or two things wrong. RC goes to error for most of them, so that the peer takes it for gone.
func (p *respPeer) spoil() {
	r := p.r
	kind := [...]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}[r.Below(11)]
	if between := p.at == 0 || p.at == p.of; between {
		if p.set.Service == hca.RespRC && !r.OneIn(3) {
			kind = [...]int{11, 11, 12, 12, kind, kind}[r.Below(6)]
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
	case 5:
		q.Payload = [...]uint16{q.Payload - 1, q.Payload + 1, 0, uint16(p.pmtu()), uint16(p.pmtu() + 1)}[r.Below(5)]
		return "spoiled: length of the packet"
	case 6:
		if p.at == 0 && isRC && r.OneIn(3) {
			*q = p.only(ib.Flush)
		}
		q.DMALength = ib.MaxMessage + uint32(r.Between(1, 3))
		return "spoiled: more than 2^31 bytes"
	case 7:
		if p.at == 0 && isRC && r.OneIn(3) {
			*q = p.only(ib.AtomicWrite)
		}
		q.DMALength += uint32(r.Between(-1, 1))
		return "spoiled: sum of a WRITE"
	case 8:
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
	switch kind {
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

// stray gives payload or pad to what has none.
func (p *respPeer) stray(q *hca.RespQuery) string {
	r := p.r
	if p.at == 0 && p.set.Service == hca.RespRC {
		*q = p.only([...]ib.Operation{ib.ReadRequest, ib.ReadRequest, ib.CmpSwap, ib.FetchAdd, ib.Flush, ib.Flush, ib.AtomicWrite}[r.Below(7)])
		q.AccessOK = !r.OneIn(6)
	}
	if r.OneIn(3) {
		q.Pad = uint8(r.Between(1, 3))
		return "spoiled: pad where there is no payload"
	}
	q.Payload = [...]uint16{1, 4, uint16(p.pmtu()), 4093}[r.Below(4)]
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
