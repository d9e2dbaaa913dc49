package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// hcaTxPeer is a QP of hca-tx and its peer: a plain responder that loses its patience now and then.
type hcaTxPeer struct {
	h       *hcaTxHost
	r       *Rand
	qpn     uint32
	known   bool  // it was set up in this episode
	service uint8 // TxRC and so on
	drained bool
	pmtu    uint8
	window  uint32
	limited bool
	free    bool   // nothing limits it: when an ACK comes changes nothing but what ends
	number  uint32 // MSN

	due     psn.PSN // what the peer expects
	naked   bool    // it has told of a gap, or of no WQE
	dead    bool    // it has given a fatal NAK
	flights []hca.HcaTxSent
	answers []hca.HcaTxResponse
	local   []hca.HcaTxLocal // that is to be done
	pace    uint16           // clocks for 4096 bytes; 0 no limit
	marked  bool             // it was slowed by a CNP
	ends    bool             // a WQE was posted that fails: none is posted behind it
	expired bool             // its timer did in the last lapse, and it has done nothing since
}

// silent: of UC and UD nobody answers.
func (p *hcaTxPeer) silent() bool { return p.service != hca.TxRC }

// lost draws what becomes of a packet or an answer.
func (p *hcaTxPeer) lost() bool { return p.h.loss > 0 && p.r.OneIn(p.h.loss) }

// receive has what left reach the peer.
func (p *hcaTxPeer) receive() {
	for i := range p.flights {
		if !p.dead && !p.silent() && !p.lost() {
			p.arrives(&p.flights[i])
		}
	}
	p.flights = p.flights[:0]
}

// arrives is a packet at the peer.
func (p *hcaTxPeer) arrives(f *hca.HcaTxSent) {
	arrival := psn.Arrive(f.PSN, p.due)
	rough := p.h.loss > 0
	switch {
	case arrival == psn.OutOfSequence:
		if !p.naked {
			p.naked = true
			p.answer(ib.Ack, p.due, ib.NAKSequence)
		}
		return
	case arrival == psn.Duplicate:
	case rough && f.Kind == roce.ReqLimited && p.r.OneIn(3):
		p.naked = true
		p.answer(ib.Ack, p.due, ib.RNRSyndrome(hcaTxRNRCodes[p.r.Below(len(hcaTxRNRCodes))]))
		return
	case rough && p.r.OneIn(30):
		p.dead = true
		p.answer(ib.Ack, p.due, ib.NAKInvalidRequest+ib.Syndrome(p.r.Below(4)))
		return
	default:
		p.naked = false
		p.due = p.due.Add(int32(f.Count))
		if p.due == f.Last.Add(1) {
			p.number++
		}
	}
	p.respond(f)
}

// credits are what an ACK says of them.
func (p *hcaTxPeer) credits() ib.Syndrome {
	if p.limited {
		return ib.AckSyndrome(uint8(p.r.Below(4)))
	}
	return ib.AckSyndrome(31)
}

func (p *hcaTxPeer) answer(op ib.Operation, at psn.PSN, syndrome ib.Syndrome) {
	p.answers = append(p.answers, hca.HcaTxResponse{QPN: p.qpn, PSN: at, Opcode: ib.Join(ib.RC, op), Syndrome: syndrome,
		Number: p.number})
}

// respond answers a packet that was executed, now or before.
func (p *hcaTxPeer) respond(f *hca.HcaTxSent) {
	switch f.Kind {
	case roce.ReqAtomic:
		p.answer(ib.AtomicAck, f.PSN, p.credits())
	case roce.ReqRead:
		for i := range f.Count {
			first, last := i == 0, i == f.Count-1
			p.answer(readOperation(first, last), f.PSN.Add(int32(i)), p.credits())
			a := &p.answers[len(p.answers)-1]
			if a.Payload = uint16(hcaTxPMTU[p.pmtu]); last {
				a.Payload = f.Payload
			}
			a.Pad = uint8(-a.Payload & 3)
		}
	default:
		if f.AckReq || p.r.OneIn(8) {
			p.answer(ib.Ack, p.due.Add(-1), p.credits())
		}
	}
}

// live is what the QP and its peer do in a step.
func (p *hcaTxPeer) live() {
	r, s, expired := p.r, p.h.model.State(p.qpn), p.expired
	p.expired = false
	switch {
	case expired && s.Open && !s.Waiting && s.Una != s.High && r.OneIn(5):
		p.again(&s)
	case p.h.top == nil && p.silent() && s.Failed && r.OneIn(3):
		p.opens(s.Next, 0, false, false)
	case p.h.top == nil && ((!s.Open && !p.silent() || s.Failed) && r.OneIn(2) || r.OneIn(150)):
		p.setUp()
	case len(p.local) > 0 && r.OneIn(2):
		p.done(true)
	case p.silent() && !p.drained && r.OneIn(30):
		p.sqe()
	case p.drained && s.Posted == 0 && r.OneIn(2):
		p.post()
	case p.drained && r.OneIn(2):
		p.say(hca.TxResume, "RTS")
	case !p.drained && r.OneIn(10) && len(p.answers) == 0:
		p.say(hca.TxDrain, "SQD")
	case p.limited && s.Open && s.Una != s.High && s.Next == s.High && s.Posted > 1 && !s.Waiting && !r.OneIn(4):
		p.grant(&s)
	case r.OneIn(10):
		p.odd(&s)
	case p.mixes(&s):
		p.mix(s.Posted, 1)
	case len(p.answers) > 0 && brings(&p.answers[0]) && r.OneIn(p.h.spoils()):
		p.spoil()
	case p.h.top == nil && len(p.answers) > 0 && (r.OneIn(14) || p.answers[0].HasFrame() && r.OneIn(2)):
		p.bend()
	case len(p.answers) > 0 && !r.OneIn(6):
		p.deliver(true)
	case p.limited && s.Posted <= 2 && len(p.answers) == 0 && !p.drained && !p.ends && s.Open:
		p.postForCredits()
	case r.OneIn(2) && (s.Posted < 6 || r.OneIn(6)) && !p.ends:
		for range 1 + r.Below(5) {
			p.post()
		}
	}
}

// done tells that the oldest local work was done, or could not be.
func (p *hcaTxPeer) done(rough bool) {
	q := hca.SQRecord{QPN: p.qpn, Op: hca.SQLocalDone, Slot: p.local[0].Slot}
	p.local = p.local[1:]
	why := "local work is done"
	rare := 6
	if p.h.top != nil { // fewer records than hca-tx has
		rare = 2
	}
	if rough && p.r.OneIn(rare) {
		q.Fail, q.Status, why = true, p.localStatus(), "local work could not be done"
	}
	p.h.op(hca.ToSendQueues, q.Append(nil), why)
}

// localStatus is how local work ends that could not be done; in hca-top-sends as the host says, whatever that means.
func (p *hcaTxPeer) localStatus() roce.Status {
	if p.h.top == nil {
		return roce.LocalError
	}
	return [...]roce.Status{roce.LocalError, 8}[p.r.Below(2)]
}

// op gives the device an operation.
func (h *hcaTxHost) op(to hca.HcaTxTarget, record []byte, why string) {
	h.give(hca.HcaTxOps, hca.AppendHcaTxOp(nil, to, record), why)
}

// sqe puts the send queue in error: nothing more leaves, and what is posted is flushed (RSP-15).
func (p *hcaTxPeer) sqe() {
	packets := hca.TxRecord{QPN: p.qpn, Op: hca.TxClose}
	p.h.op(hca.ToPackets, packets.Append(nil), "SQE")
	queue := hca.SQRecord{QPN: p.qpn, Op: hca.SQVerdict, Fail: true, Status: roce.Flushed}
	p.h.op(hca.ToSendQueues, queue.Append(nil), "SQE: what is posted is flushed")
}

// say gives tx_packetizer an operation.
func (p *hcaTxPeer) say(op hca.TxOp, why string) {
	p.drained = op == hca.TxDrain
	q := hca.TxRecord{QPN: p.qpn, Op: op}
	p.h.op(hca.ToPackets, q.Append(nil), why)
}

// deliver gives answers, up to the first that lets the QP send, or that closes it.
func (p *hcaTxPeer) deliver(rough bool) {
	before := p.h.left
	if rough && p.limited && p.h.loss > 0 && p.r.OneIn(2) {
		p.loseRead()
	}
	for len(p.answers) > 0 && p.h.left == before && p.h.model.State(p.qpn).Open {
		a := p.answers[0]
		p.answers = p.answers[1:]
		if p.lost() {
			continue
		}
		p.h.respond(a, "response")
		if rough && p.r.OneIn(12) && p.h.left == before {
			p.h.respond(a, "response, doubled")
		}
		if rough && p.r.OneIn(10) {
			return
		}
	}
	if !p.h.model.State(p.qpn).Open {
		p.answers = p.answers[:0]
	}
}

// postForCredits posts a READ and, behind it, more SENDs than there may be credits for.
func (p *hcaTxPeer) postForCredits() {
	for i := range 6 {
		p.h.wqes++
		w := hca.SendWQE{WQE: p.h.wqes, Verb: roce.Send, Flags: hca.SQSignaled, VA: p.r.Uint64(), RKey: uint32(p.r.Uint64()),
			List: p.place(), Entries: 1, Length: uint32(p.r.Below(int(hcaTxPMTU[p.pmtu])))}
		if i == 0 {
			w.Verb = roce.Read
		}
		p.postAs(&w, "post for credits")
	}
}

// loseRead loses all that a READ brings: what is answered behind it shows that, and may bring credits beside (REQ-3).
func (p *hcaTxPeer) loseRead() {
	for len(p.answers) > 0 && brings(&p.answers[0]) {
		p.answers = p.answers[1:]
	}
}

// grant is an ACK that brings credits to a QP that may wait for some: nothing but these (CRD-3, CRD-4), or beside what
// it acknowledges, or calls for: of all that was sent, it shows the loss of a READ that has not ended (REQ-3).
func (p *hcaTxPeer) grant(s *hca.HcaTxState) {
	a := hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: ib.AckSyndrome(uint8(p.r.Below(6))),
		Number: p.number, PSN: s.Una.Add(-1)}
	if p.r.OneIn(2) {
		a.PSN = s.High.Add(-1)
	}
	p.h.respond(a, "an ACK that brings credits")
}

// odd is a response that the peer should not give: a ghost, a stale one, one for what was not asked.
func (p *hcaTxPeer) odd(s *hca.HcaTxState) {
	r := p.r
	a := hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: ib.AckSyndrome(31), Number: p.number,
		PSN: s.High.Add(int32(r.Below(20)))}
	why := "a ghost"
	switch r.Below(6) {
	case 0:
		a.PSN, why = s.Una.Add(-1-int32(r.Below(3))), "an ACK again"
	case 1:
		a.PSN, a.Syndrome, why = s.Una.Add(-1), ib.NAKSequence, "a stale NAK"
	case 2:
		a.PSN, a.Syndrome, why = s.Una, ib.NAKSequence, "a NAK without cause"
	case 3:
		a.PSN, why = s.High.Add(-1), "an ACK of all"
	case 4:
		a.PSN, a.Opcode, why = s.Una, ib.Join(ib.RC, ib.AtomicAck), "an answer of an atomic"
	}
	p.h.respond(a, why)
}

// again is a NAK behind an expiry, of the PSN from which on all has just gone again: that retry is not begun a second
// time before something new is acknowledged (TMR-3).
func (p *hcaTxPeer) again(s *hca.HcaTxState) {
	p.h.respond(hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: ib.NAKSequence, Number: p.number,
		PSN: s.Una}, "a NAK behind an expiry")
}

// acknowledged reports whether all that the peer has to say is that packets came.
func (p *hcaTxPeer) acknowledged() bool {
	for i := range p.answers {
		if p.answers[i].Syndrome.Kind() != ib.KindAck {
			return false
		}
	}
	return len(p.answers) > 0
}

// mixes reports whether ACKs and posts may come in any order.
func (p *hcaTxPeer) mixes(s *hca.HcaTxState) bool {
	return p.free && s.Open && !p.drained && !s.Waiting && !p.ends && s.Next == s.High && p.acknowledged()
}

// mix gives ACKs while posts come: what leaves and what ends is the same in every order of the two. So turns, verdicts
// and posts meet in the device at any time. Each ACK comes so many times.
func (p *hcaTxPeer) mix(posted, times int) {
	posts := min(p.r.Below(5), hca.HcaTxQueueDepth-posted)
	for posts > 0 || len(p.answers) > 0 {
		if posts > 0 && (len(p.answers) == 0 || p.r.OneIn(2)) {
			posts--
			p.post()
			continue
		}
		a := p.answers[0]
		p.answers = p.answers[1:]
		if !p.lost() {
			for range times {
				p.h.respond(a, "response beside posts")
			}
		}
	}
}
