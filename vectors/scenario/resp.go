package scenario

import (
	"cmp"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// respLength is how many records an episode of resp-psn-check has: a few QPs from being set up to whatever becomes of
// them.
const respLength = 400

// makeRespPSNCheck makes requests to resp_psn_check as peers send them that keep to the rules most of the time. A peer
// knows what the responder expects, so that what goes wrong goes wrong on purpose.
func makeRespPSNCheck(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, respLength, func(r *Rand, e *Episode) {
		if isTour(e.Number) {
			tour := respPeer{r: r, e: e}
			tour.tour()
			return
		}
		if isDirected(e.Number) {
			d := respPeer{r: r, e: e}
			d.directed()
			return
		}
		if isReads(e.Number) {
			reads := respPeer{r: r, e: e}
			reads.reads()
			return
		}
		if e.Number%16 == 0 {
			respSweep(r, e)
		}
		if e.Number%5 == 1 || e.Number%5 == 3 {
			checks := respPeer{r: r, e: e}
			checks.checks()
			return
		}
		peers := make([]respPeer, [...]int{1, 2, 3, 8}[g.pick(r, respPeers)])
		for i := range peers {
			peers[i] = respPeer{r: r, e: e, qpn: drawLowQPN(r)}
			if i > 0 && !r.OneIn(3) {
				// one bit apart
				peers[i].qpn = peers[i-1].qpn ^ 1<<[...]int{0, 5, 11, 12, r.Below(12), r.Below(12), r.Below(12), 12 + r.Below(4),
					12 + r.Below(12), 16 + r.Below(8), 23}[r.Below(11)]
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

// respSweep speaks to each of 64 QPs before anybody sets it up: what a reset left of it shows, and what lives before
// it.
func respSweep(r *Rand, e *Episode) {
	p := respPeer{r: r, e: e}
	for i := range uint64(64) {
		p.qpn = uint32(scatter(i, 64))
		q := p.noise()
		q.Op = [...]hca.RespOp{hca.RespPacket, hca.RespPacket, hca.RespReady, hca.RespFreed}[r.Below(4)]
		q.Opcode = ib.Join([...]ib.Transport{ib.RC, ib.UC, ib.UD}[r.Below(3)], ib.SendOnly)
		p.give(q, "stray: the first that is heard of a QP")
	}
}

// drawQPN draws a QPN that every size of the block has, that larger ones have, or that none has.
func drawQPN(r *Rand) uint32 {
	bits := [...]int{2, 6, 6, 6, 6, 6, 12, 12, 12, 12}[r.Below(10)]
	if r.OneIn(12) {
		bits = [...]int{16, 24}[r.Below(2)]
	}
	return uint32(r.Below(1 << bits))
}

// drawLowQPN is drawQPN for what has no QP of a number beyond its size: half of them are of the smallest size.
func drawLowQPN(r *Rand) uint32 {
	if r.OneIn(2) {
		return uint32(r.Below(4))
	}
	return drawQPN(r)
}

// respPeer is the requester of a QP.
type respPeer struct {
	r      *Rand
	e      *Episode
	length int // records that the episode takes of it; 0 is respLength
	qpn    uint32
	// between is there where something may come in front of any record: it says whether it turned bits.
	between func(qpn uint32) bool
	loses   bool // now and then another memory has lost its word

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
	turned := p.between != nil && p.between(q.QPN)
	q.Lost = q.Lost || p.loses && (p.r.OneIn(60) || turned && p.r.OneIn(16))
	p.isBad = p.isBad || q.Lost && q.Op == hca.RespPacket
	if p.e.Len() < cmp.Or(p.length, respLength) {
		p.e.scratch = q.Append(p.e.scratch[:0])
		p.e.Add(sim.Port(0), 0, p.e.scratch, why)
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
		QPN: p.qpn, PSN: drawPSN(r), Opcode: ib.Opcode(r.Below(256)), Payload: uint16(r.Below(1 << 13)),
		DMALength: uint32(r.Uint64()),
		Pad:       uint8(r.Below(4)), VALow: uint8(r.Below(8)), AckReq: r.OneIn(2), Solicited: r.OneIn(2),
		WQEBytes: uint32(r.Uint64()),
		Credits:  uint8(r.Below(32)), QKeyOK: true, WQEPresent: true, AccessOK: true, Service: hca.RespService(r.Below(4)),
		PMTU: uint8(r.Below(8)), MaxReads: uint8(r.Below(32)), Enabled: uint8(r.Below(8)), RNRTimer: uint8(r.Below(32)),
		FlushPLT: uint8(r.Below(16)), FlushSel: uint8(r.Below(4)), FlushEnabled: uint8(r.Below(4)),
		Profile: hca.RespProfile(r.Below(256)),
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
	case p.e.of.oneIn(r, respMeddle):
		p.meddle()
	case r.OneIn(20):
		p.anything()
	case p.set.Service != hca.RespRC && r.OneIn(50):
		p.isSet = false // a new life; RC has its errors
	case p.set.Service == hca.RespUD:
		p.datagram()
	case p.set.Profile&hca.RespRoomUnchecked != 0 && r.OneIn(20):
		p.flood()
	case p.set.MaxReads > 0 && r.OneIn(150):
		p.fill()
	case p.set.PMTU == 5 && p.at == p.of && r.OneIn(30):
		p.longMessage()
	case p.set.PMTU == 1 && r.OneIn(20):
		p.longest()
	case p.inFlight > 0 && r.OneIn(4):
		p.inFlight--
		p.op(hca.RespFreed, "freed: a READ or atomic was answered")
	case p.e.of.oneIn(r, respRepeat):
		p.repeat()
	case p.e.of.oneIn(r, respLose):
		p.lose()
	case p.e.of.oneIn(r, respSpoil):
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
		early := [...]hca.RespOp{hca.RespPacket, hca.RespReady, hca.RespError, hca.RespFreed, hca.RespCounts}
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
	if r.OneIn(6) {
		p.inInit()
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
	p.set.Service = hca.RespService(p.e.of.pick(r, respService))
	p.set.PMTU = uint8(1 + p.e.of.pick(r, respPMTU))
	if first, ok := p.e.of.between(r, respStart); ok {
		p.set.PSN = psn.New(uint32(first))
	}
	p.set.DMALength = p.drawMSN()
	p.set.MaxReads = [...]uint8{0, 0, 1, 2, 4, 16, 16, 31}[r.Below(8)]
	p.set.Enabled, p.set.FlushEnabled = 7, [...]uint8{3, 3, 0, 1, 2}[r.Below(5)]
	if r.OneIn(3) {
		p.set.Enabled = uint8(r.Below(8))
	}
	if r.OneIn(3) {
		p.set.Profile = 0
	}
	if p.set.Profile&hca.RespRoomUnchecked != 0 && r.OneIn(3) { // as many as the count of those in flight holds
		p.set.MaxReads = respMostInFlight
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
	switch r.Below(14) {
	case 0, 1:
		q := p.set
		q.PSN = drawPSN(r)
		p.give(q, "set: the QP is ready")
	case 2:
		p.op(hca.RespReady, "ready: the QP is ready")
	case 3:
		p.op(hca.RespError, "error: from outside")
		p.isBad = true
	case 4, 7:
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
	switch r.Below(11) {
	case 10:
		q.Opcode ^= ib.Opcode(r.Below(8) << 5)
		why = "datagram: the opcode of a SEND of any service"
	case 8:
		q.WQEBytes, why = p.aroundPower(int(q.Payload)+ib.GRHBytes), "datagram: the receive WQE is long"
	case 9:
		p.fail(&q)
		why = "datagram: several things wrong"
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

// aroundPMTU draws a length up to the path MTU, once in a while a byte more, or one that has high bits too.
func (p *respPeer) aroundPMTU() uint16 {
	r := p.r
	return uint16([...]int{0, 1, p.pmtu() - 1, p.pmtu(), p.pmtu(), p.pmtu() + 1, r.Below(p.pmtu()),
		r.Below(p.pmtu()), 1<<r.Between(13, 15) | p.pmtu()}[r.Below(9)])
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

// longest asks for 2^31 bytes, which take 2^23 PSNs, and sends again what lies 2^23 behind: the READ, and others with
// its PSN.
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

// withoutWQE sends the request in vain. RC: what is behind it was on its way, then the request comes again, now or
// later.
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
	for n := r.Below(3); n > 0; n-- {
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

// takesWQE reports whether a request looks for a receive WQE.
func takesWQE(op ib.Opcode) bool { return op.Shape().SeeksReceive() }

// verbOf is what an operation does.
func verbOf(op ib.Operation) ib.Verb { return ib.Join(ib.RC, op).Shape().Verb }

// repeat sends again what was executed, or something with an old PSN. UC: the PSN jumps.
func (p *respPeer) repeat() {
	r := p.r
	if p.set.Service == hca.RespUC {
		if p.at > 0 && p.at < p.of && r.OneIn(2) {
			p.breaks()
			return
		}
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
	q.PSN = p.next.Add(int32([...]int{-1, -2, 1 - psn.Half, -psn.Half, -psn.Half,
		-r.Between(1, psn.Half-1)}[r.Below(6)]))
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
		q.Opcode = p.transport() | ib.Opcode([...]ib.Operation{ib.SendMiddle, ib.SendOnly, ib.WriteLast,
			ib.ReadRequest}[r.Below(4)])
		if r.OneIn(2) {
			q.Opcode = p.transport() | ib.Opcode(r.Below(32))
			p.fail(&q) // no check of RSP-1 comes before the PSN
		}
		q.PSN = p.next.Add(int32([...]int{1, 2, 3, psn.Half - 1, r.Between(1, psn.Half-1)}[r.Below(5)]))
		p.give(q, "out of sequence")
		switch r.Below(10) {
		case 8, 9: // what does not concern the gap
			p.inFlight = max(0, p.inFlight-1)
			p.op([...]hca.RespOp{hca.RespFreed, hca.RespFreed, hca.RespReady, hca.RespSet}[r.Below(4)], "in a gap: an operation")
		case 0, 1:
			p.repeat() // and what comes behind it may be NAKed again
		case 2, 3:
			p.askNothing() // it may stay unanswered: then the silence about the gap goes on
		}
	}
}

// askNothing repeats a packet of a message without AckReq: whether it is answered, the profile decides (RSP-5).
func (p *respPeer) askNothing() {
	q := p.packet()
	q.Opcode, q.AckReq = p.transport()|ib.Opcode([...]ib.Operation{ib.SendOnly, ib.SendMiddle,
		ib.WriteLast}[p.r.Below(3)]), false
	q.PSN = p.next.Add(-int32(1 + p.r.Below(4)))
	p.give(q, "a duplicate that asks for nothing")
	q.PSN = p.next.Add(int32(1 + p.r.Below(3)))
	p.give(q, "out of sequence again")
}
