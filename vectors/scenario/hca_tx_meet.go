package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// Steps of hca-tx in which something has to wait for room, or two things come in one clock.
const (
	hcaTxJamFrames = 22 // responses that fill all that stands between req_ack_check and their payloads
	hcaTxJam       = 24 // and those behind them that fill what req_ack_check tells
	hcaTxJamReads  = 5  // of a QP that may have two outstanding: an end that is heard twice frees both places
	hcaTxJamLate   = 200
	hcaTxJamFirst  = 24 // steps in one of which it comes
	hcaTxWayLate   = 500
	hcaTxDammed    = 3000 // clocks in which memory gives nothing, of half of the floods
	hcaTxDrains    = 8
	hcaTxRemind    = 40 // answers that fill the wakes of verdicts
)

// flood is a step in which queues run full: everybody posts what fits, and memory is late.
func (h *hcaTxHost) flood() {
	h.flooded, h.memory.most = true, hcaTxFlood
	first := h.r.Below(len(h.peers))
	for i := range h.peers {
		p := &h.peers[(first+i)%len(h.peers)]
		for h.left < hcaTxFlood && p.sends() && !p.drained && !p.ends && len(p.answers) == 0 &&
			h.model.State(p.qpn).Posted < hca.HcaTxQueueDepth && !h.memory.isFull(h) {
			p.post()
		}
	}
	if h.top == nil { // an operation of tx_frame while that one has no room
		h.drainsAside()
		if h.r.OneIn(2) {
			h.memory.first = hcaTxDammed
			h.behind = max(h.behind, hcaTxDammed/2+h.r.Below(hcaTxDammed/2))
		}
		h.behind += h.r.Below(hcaTxWayLate)
		h.lateWay().way()
	}
}

// hcaTxLateWay is a QP of UC whose way is set while packets of others wait for memory, and nowhere else.
const hcaTxLateWay = 9

func (h *hcaTxHost) lateWay() *hcaTxPeer {
	return &hcaTxPeer{h: h, r: h.r, qpn: hcaTxLateWay, pmtu: 1, service: hca.TxUC}
}

// drainsAside has a QP that sends nothing go to SQD and back while others send.
func (h *hcaTxHost) drainsAside() {
	for range hcaTxDrains {
		h.behind += h.r.Below(2 * hcaTxPacket)
		h.lateWay().say(hca.TxDrain, "SQD while others send")
		h.lateWay().say(hca.TxResume, "RTS while others send")
	}
}

// hcaTxWakes is how many operations sq_scheduler gets, one a clock, while all answers come: until they end no QP is
// woken, and all that waits for a wake fills.
const hcaTxWakes = 120

// ebb is the step behind a flood: all answers at once, as a rule while sq_scheduler hears nothing else.
func (h *hcaTxHost) ebb() {
	h.flooded = false
	if h.top == nil {
		h.lateWay().postBare(1, "post of UC by a way that was set late")
		h.memory.leave(h, hcaTxLateWay, len(h.memory.step))
	}
	if !h.r.OneIn(4) {
		h.wakes(hcaTxWakes)
		h.remind()
	}
	first := h.r.Below(len(h.peers))
	for i := range h.peers {
		p := &h.peers[(first+i)%len(h.peers)]
		switch s := h.model.State(p.qpn); {
		case h.left >= hcaTxMost:
		case p.mixes(&s):
			p.mix(hca.HcaTxQueueDepth, 3)
		default:
			p.deliver(true)
		}
	}
}

// jams is a step in which what req_ack_check tells finds no room: responses of nobody bring payloads that come late,
// and everything told behind them waits for these. One of the last of them ends a READ; behind them come ACKs of
// others. Everybody posts meanwhile, and nobody else is answered. An episode has one at most.
func (h *hcaTxHost) jams() bool {
	if h.top != nil {
		return h.top.jams()
	}
	if h.step < h.jam || h.len()+hcaTxJam+2*hcaTxJamFrames+13*len(hcaTxOthers)+h.reserve() >= h.length {
		return false
	}
	h.jam = hcaTxSteps
	h.jammed = h.othersBehind(hca.ReqRecord{MaxReads: 2})
	for _, o := range h.jammed[1:] {
		o.postBare(1, "post before a jam")
	}
	limited := h.jammed[0]
	for range hcaTxJamReads {
		h.wqes++
		limited.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(),
			List: limited.place(), Entries: 1, Length: 8}, "post before a jam")
	}
	h.rest()
	h.tardy = hcaTxJamLate + h.r.Below(600)
	for i := range hcaTxJam + hcaTxJamFrames {
		if i == hcaTxJamFrames-2 && h.memory.placed.left() > 0 { // of its READs one more may leave when that is heard
			a := hca.HcaTxResponse{QPN: limited.qpn, Opcode: ib.Join(ib.RC, ib.ReadResponseOnly), Payload: 8,
				Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)}
			h.record(hca.HcaTxResponses, a.Append(nil), "response in a jam")
			h.late(h.g.payload(h.r, int(a.Payload)))
		}
		h.jamWith(i)
	}
	h.says(h.jammed[1:], ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a jam") // none comes twice
	first := h.r.Below(len(h.peers))
	for i := range h.peers {
		p := &h.peers[(first+i)%len(h.peers)]
		for range 2 {
			if h.left < hcaTxMost && p.sends() && !p.drained && !p.ends && h.model.State(p.qpn).Posted < 6 {
				p.post()
			}
		}
	}
	return true
}

// jamWith gives answer i of a jam, of nobody: of the first ones the payload is late, and the others wait behind these.
func (h *hcaTxHost) jamWith(i int) {
	a := hca.HcaTxResponse{QPN: hcaTxNobody, PSN: psn.New(uint32(h.r.Uint64())), Opcode: ib.Join(ib.RC, ib.Ack),
		Syndrome: ib.AckSyndrome(31)}
	if i < hcaTxJamFrames {
		a.Opcode, a.Payload = ib.Join(ib.RC, ib.ReadResponseOnly), uint16(1+h.r.Below(8))
		a.Pad = uint8(-a.Payload & 3)
	}
	h.record(hca.HcaTxResponses, a.Append(nil), "of no QP, and what is behind it waits")
	if a.Payload > 0 {
		h.late(h.g.payload(h.r, int(a.Payload)))
	}
}

// endJam closes those whose ACKs came behind a jam.
func (h *hcaTxHost) endJam() {
	for _, o := range h.jammed {
		o.close()
	}
	h.jammed = nil
}

// late gives a payload that is late.
func (h *hcaTxHost) late(data []byte) {
	h.e.Add(hca.HcaTxPayload, h.time()+uint64(h.tardy), data, "payload, late")
	h.model.Take(&sim.Record{Port: hca.HcaTxPayload, Data: data})
	h.heed()
	h.memory.placed.bytes += 2 * len(data)
}

// crosses is a step before a lapse: QPs whose ACKs may come at any time of it send something, and others whose timers
// may expire in it.
func (h *hcaTxHost) crosses() {
	h.crossing = true
	for i := range h.peers {
		p := &h.peers[i]
		s := h.model.State(p.qpn)
		switch {
		case p.silent() || !p.sends() || p.drained || p.ends || len(p.answers) > 0 || h.left >= hcaTxMost:
		case p.free && s.Posted < 6:
			h.wqes++
			p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Send, Flags: hca.SQSignaled, List: p.place(), Entries: 1,
				Length: uint32(h.r.Below(64))}, "post before time passes")
		case s.Posted < 3:
			p.post()
		}
	}
}

// remind gives ACKs again, of QPs of RC that do not wait: nothing comes of them but a wake each.
func (h *hcaTxHost) remind() {
	var open []*hcaTxPeer
	for i := range h.peers {
		if s := h.model.State(h.peers[i].qpn); s.Open && !s.Waiting {
			open = append(open, &h.peers[i])
		}
	}
	for i := 0; i < hcaTxRemind && len(open) > 0; i++ {
		open[i%len(open)].repeat("an ACK again, while wakes wait")
	}
}

// repeat gives an ACK that was given before: credits stay as they are.
func (p *hcaTxPeer) repeat(why string) {
	s := p.h.model.State(p.qpn)
	a := hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: ib.AckSyndrome(0), PSN: s.Una.Add(-1)}
	if s.Unlimited {
		a.Syndrome = ib.AckSyndrome(31)
	}
	p.h.respond(a, why)
}

// besideTime gives responses beside a lapse, in which timers of others expire.
func (p *hcaTxPeer) besideTime() {
	p.all()
	for range p.r.Below(5) {
		p.repeat("an ACK again, beside time")
	}
}

// all is an ACK of all that was sent, where that is what the peer has to say and when it comes changes nothing: it
// stops its timer whether time has passed or not.
func (p *hcaTxPeer) all() {
	s, n := p.h.model.State(p.qpn), len(p.answers)
	if !p.free || n == 0 || s.Next != s.High || s.Una == s.High || !p.acknowledged() {
		return
	}
	if a := p.answers[n-1]; a.PSN.Add(1) == s.High {
		p.answers = p.answers[:0]
		p.h.respond(a, "an ACK of all, beside time")
	}
}
