package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// bend gives the oldest answer of a QP as it must not be: data of another length, pad or place, an answer of another
// kind of request, a syndrome that means nothing (REQ-3, REQ-12), the opcode of a request.
func (p *hcaTxPeer) bend() {
	a, r := p.answers[0], p.r
	p.answers = p.answers[1:]
	why := "a response with another opcode"
	switch kind := r.Below(12); {
	case kind < 5 && a.HasFrame():
		a.Payload, why = p.mislong(a.Payload), "a response of another length"
		a.Pad = uint8(-a.Payload & 3)
	case kind == 5 && a.HasFrame():
		a.Pad, why = a.Pad^uint8(1+r.Below(3)), "a response with another pad"
	case kind < 7:
		a.Syndrome, why = badSyndrome(r), "a response with a bad syndrome"
	case kind < 9:
		a.Opcode, a.Payload, a.Pad = ib.Join(ib.RC, ib.Operation(r.Below(int(ib.ReadRequest)+1))), 0, 0
		why = "a response with the opcode of a request"
	default:
		a.Opcode = ib.Join(ib.RC, [...]ib.Operation{ib.ReadResponseFirst, ib.ReadResponseMid, ib.ReadResponseLast,
			ib.ReadResponseOnly, ib.Ack, ib.AtomicAck}[r.Below(6)])
	}
	p.h.respond(a, why)
	if !p.h.model.State(p.qpn).Open {
		p.answers = p.answers[:0]
	}
}

// mislong is another length than that: one bit of it is wrong, each in turn, or it is one byte more or less.
func (p *hcaTxPeer) mislong(n uint16) uint16 {
	p.h.wrong.lengths++
	switch k := (int(p.h.e.Number) + p.h.wrong.lengths) % 13; {
	case k < 11:
		return n ^ 1<<k
	case k == 11:
		return n - 1 // not below 0: n is a frame's
	}
	return n + 1
}

// badSyndrome is one that no answer has: of no kind, or a NAK of a reserved code.
func badSyndrome(r *Rand) ib.Syndrome {
	if r.OneIn(2) {
		return 0x40 | ib.Syndrome(r.Below(32))
	}
	return ib.NAKSequence + ib.Syndrome(5+r.Below(27))
}

// foreign gives what concerns a number that the device has not: that of the QP, with bits set above those of its own.
// Nothing comes of it. A block that looks at the low bits alone takes it for the QP. No way and no pace: tx_frame and
// rate_limiter have one word for all numbers of an index, and the last one set has it.
func (p *hcaTxPeer) foreign() { p.foreignAs(p.r.Below(hcaTxForeign)) }

// hcaTxForeign is how many kinds of it there are.
const hcaTxForeign = 9

func (p *hcaTxPeer) foreignAs(kind int) {
	h, r, s := p.h, p.r, p.h.model.State(p.qpn)
	q := *p
	q.qpn = h.abroadOf(q.qpn)
	h.abroad = true
	defer func() { h.abroad = false }()
	switch kind {
	case 0:
		q.close()
	case 1:
		check := hca.ReqRecord{QPN: q.qpn, Op: hca.ReqConfigure, PSN: drawPSN(r), PMTU: q.pmtu, MaxReads: 1}
		h.op(hca.ToCheck, check.Append(nil), "set up")
		control := hca.RetryRecord{QPN: q.qpn, Op: hca.RetryConfigure, Una: check.PSN, RetryCnt: uint8(r.Below(8))}
		h.op(hca.ToRetry, control.Append(nil), "set up")
		q.begins(check.PSN, 1, r.OneIn(2), r.OneIn(2))
	case 2:
		w := hca.SendWQE{WQE: uint32(r.Uint64()), Verb: roce.Send, Flags: hca.SQSignaled, List: q.place(), Entries: 1}
		q.postAs(&w, "post")
	case 3:
		queue := hca.SQRecord{QPN: q.qpn, Op: hca.SQVerdict, Fail: true, Status: roce.Flushed}
		h.op(hca.ToSendQueues, queue.Append(nil), "what is posted is flushed")
	case 4:
		q.say([...]hca.TxOp{hca.TxDrain, hca.TxResume}[r.Below(2)], "SQD or RTS")
	case 5:
		turns := hca.SchedRecord{QPN: q.qpn, Op: hca.SchedRemove}
		h.op(hca.ToTurns, turns.Append(nil), "remove")
	case 6:
		rate := hca.RateQuery{QPN: q.qpn, Op: hca.RateRemove}
		h.op(hca.ToPace, rate.Append(nil), "pace")
	case 7:
		h.give(hca.HcaTxCNPs, hca.HcaTxCNP(q.qpn), "CNP")
	default:
		a := hca.HcaTxResponse{QPN: q.qpn, Opcode: ib.Join(ib.RC, ib.Ack), PSN: s.High.Add(-1), Number: q.number,
			Syndrome: [...]ib.Syndrome{ib.AckSyndrome(31), ib.AckSyndrome(3), ib.NAKInvalidRequest}[r.Below(3)]}
		h.respond(a, "response")
	}
}

// stray gives a response of no QP. What says that it has bytes, and is no READ response of RC, has no frame for all
// that (OPC-2).
func (h *hcaTxHost) stray() {
	a := hca.HcaTxResponse{QPN: hcaTxNobody, PSN: psn.New(uint32(h.r.Uint64())), Number: uint32(h.r.Below(1 << 24)),
		Opcode: ib.Join(ib.RC, ib.Ack), Payload: uint16(h.r.Below(4) * h.r.Below(256))}
	switch h.r.Below(6) {
	case 0:
		a.Opcode = ib.Join(ib.RC, ib.AtomicAck)
	case 1:
		a.Opcode = ib.Opcode(1+h.r.Below(7))<<5 | ib.Join(ib.RC, ib.ReadResponseFirst+ib.Operation(h.r.Below(4)))
	}
	h.respond(a, "of no QP")
}

// hcaTxStrangers is how many posts for who is not there come while a QP is woken.
const hcaTxStrangers = 48

// waitsForCredits has the answer that ends an RNR wait bring credits (TMR-5, CRD-2), and one that wakes the QP come
// beside posts for numbers that differ from its own in high bits.
func (h *hcaTxHost) waitsForCredits() {
	p := h.loner(hca.ReqRecord{Profile: hca.ReqCreditsLimited}, hca.RetryRecord{RNRRetry: 7})
	p.postBare(1, "post for credits behind a wait")
	h.rest()
	p.says(ib.RNRSyndrome(hcaTxRNRCodes[0]), "no WQE, for credits")
	h.rest()
	a := hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: ib.AckSyndrome(2), Number: 1,
		PSN: h.model.State(p.qpn).High.Add(-1)}
	h.respond(a, "an ACK that ends a wait and brings credits")
	h.rest()
	p.postBare(5, "post for credits behind a wait")
	h.rest()
	h.abroad = true
	for range hcaTxStrangers {
		q := *p
		q.qpn = h.abroadOf(p.qpn)
		q.postBare(1, "post")
	}
	h.abroad = false
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK that ends credits, beside posts for nobody")
	h.rest()
}
