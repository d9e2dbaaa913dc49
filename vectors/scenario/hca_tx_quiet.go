package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// hcaTxLongest is the time of the longest transport timer, in ticks.
const hcaTxLongest = 262144

// quiets is a step in which no timer runs, and the time of the longest passes; behind the last of them everybody sends
// once more: a QP that rests is as it was. It is false where that has been.
func (h *hcaTxHost) quiets() bool {
	h.quiet++
	switch {
	case h.quiet <= hcaTxQuiet:
		h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxLongest+hcaTxSlack), "time passes, and nobody waits")
	case h.quiet == hcaTxQuiet+1:
		for i := range h.peers {
			if p := &h.peers[i]; h.left < hcaTxMost && p.sends() && !p.drained && !p.ends {
				p.post()
			}
		}
	default:
		return false
	}
	return true
}

// hurries is a step in which those with a pace send several packets at once, some of them behind a CNP. It is false
// where nobody has one, or all are busy.
func (h *hcaTxHost) hurries() (any bool) {
	h.mark()
	if h.top != nil {
		h.rest() // a frame takes its time: what is sent meanwhile may be slowed by it, or not
	}
	for i := range h.peers {
		p := &h.peers[i]
		s := h.model.State(p.qpn)
		if p.pace == 0 || h.left >= hcaTxMost || !p.sends() || p.drained || p.ends || len(p.answers) > 0 || s.Posted > 0 {
			continue
		}
		for any = true; s.Posted < 3; s.Posted++ {
			p.post()
		}
	}
	return any
}

// drawPMTU draws a code. The largest two take many bytes, so they are rare, and messages there have one packet.
func (h *hcaTxHost) drawPMTU() uint8 {
	switch {
	case h.top != nil && h.r.OneIn(6): // a full response of it needs 13 bits
		return 5
	case h.top == nil && h.r.OneIn(14):
		return uint8(4 + h.r.Below(2))
	}
	return uint8(1 + h.r.Below(3))
}

// drawCode draws a code of a transport timer.
func (h *hcaTxHost) drawCode() uint8 {
	if h.top != nil {
		return hcaTopSendsCodes[h.r.Below(len(hcaTopSendsCodes))]
	}
	return hcaTxCodes[h.r.Below(len(hcaTxCodes))]
}

// Of slowed: QPs, the pace of these, and clocks in which they ask for it.
const (
	hcaTxSlowed      = 4
	hcaTxSlowedTurn  = 8     // packets of a turn: the second one has to wait, and is asked for at once
	hcaTxSlowedPace  = 16000 // 250 clocks for a packet without payload
	hcaTxSlowedAsks  = 240
	hcaTxSlowedEnds  = 30 // clocks in which WQEs end
	hcaTxSlowedPosts = 4
	hcaTxSlowedCNPs  = 120 // in a row: what is asked waits for them
)

// hcaTxSettles is in how many clocks a pace that was set is surely that of the QP: sooner it may have another.
const hcaTxSettles = 4100

// slowed has QPs wait for their pace, so that one or another asks about it all the time, among many CNPs in a row, of
// nobody, or one of each of them too; turns of one that is closed come between. Else each gets a CNP then. Of what is
// posted behind that no packet leaves at the pace of before. One without a pace sends beside them, and its WQEs end.
func (h *hcaTxHost) slowed() {
	others := h.others()
	some := others[:hcaTxSlowed]
	shut, fast := others[hcaTxSlowed], others[hcaTxSlowed+1]
	shut.close()
	fast.postBare(hca.HcaTxQueueDepth-hcaTxSlowedPosts, "post of who has no pace")
	for _, o := range some {
		turns := hca.SchedRecord{QPN: o.qpn, Op: hca.SchedSet, Weight: hcaTxSlowedTurn}
		h.op(hca.ToTurns, turns.Append(nil), "long turns")
		h.setPace(o, "a pace that is cut")
	}
	h.pacesBeside(some, hca.RateSet)
	h.settle()
	for _, o := range some {
		o.postBare(3, "post at a pace")
	}
	early := h.r.OneIn(2)
	h.crowdPaces(some, shut, early)
	fast.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK of all while others wait for their pace")
	h.behind += h.r.Below(hcaTxSlowedEnds)
	fast.postBare(hcaTxSlowedPosts, "post while WQEs end, and others wait for their pace")
	h.restPaced(3)
	for i, o := range some {
		o.postBare(1, "post at a pace, behind crowds")
		h.behind += h.r.Below(hcaTxSlowedAsks/hcaTxSlowed) + i%2
		if !early { // a second one would hide that the first was lost
			h.give(hca.HcaTxCNPs, hca.HcaTxCNP(o.qpn), "CNP while paces are asked")
		}
	}
	h.restPaced(1)
	for _, o := range some {
		o.postBare(2, "post at a pace that was cut")
	}
	h.restPaced(2)
	h.says(some, ib.AckSyndrome(ib.CreditsUnlimited), "an ACK of what left at a pace")
	fast.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK of what left beside that")
	h.rest()
	h.removePaces(some)
	h.pacesBeside(some, hca.RateRemove)
	h.closes(others)
}

// pacesBeside gives or takes a pace of QPs that send nothing then, whose numbers differ from these in the highest bit
// of the smallest device's: that concerns none of these.
func (h *hcaTxHost) pacesBeside(some []*hcaTxPeer, op hca.RateOp) {
	for _, o := range some {
		rate := hca.RateQuery{QPN: o.qpn ^ 1<<(hcaTxSmallBits-1), Op: op, Pace: 1}
		h.op(hca.ToPace, rate.Append(nil), "pace of another, whose number differs in a bit")
	}
}

// setPace gives a QP a pace that packets wait for.
func (h *hcaTxHost) setPace(o *hcaTxPeer, why string) {
	rate := hca.RateQuery{QPN: o.qpn, Op: hca.RateSet, Pace: hcaTxSlowedPace}
	h.op(hca.ToPace, rate.Append(nil), why)
}

// settle ends a step in which paces were set.
func (h *hcaTxHost) settle() {
	h.behind += hcaTxSettles
	h.rest()
}

func (h *hcaTxHost) removePaces(some []*hcaTxPeer) {
	for _, o := range some {
		rate := hca.RateQuery{QPN: o.qpn, Op: hca.RateRemove}
		h.op(hca.ToPace, rate.Append(nil), "no pace any more")
	}
}

// crowdPaces gives CNPs one a clock where those QPs begin to send, with few gaps: a pace that is asked waits for one.
// All are of nobody or, own, but for one of each QP.
func (h *hcaTxHost) crowdPaces(some []*hcaTxPeer, shut *hcaTxPeer, own bool) {
	h.behind = h.r.Below(hcaTxSlowedAsks / hcaTxSlowed)
	of := map[int]uint32{}
	for k := 0; own && k < len(some); k++ {
		of[hcaTxSlowedCNPs/len(some)*k+h.r.Below(hcaTxSlowedCNPs/len(some))] = some[k].qpn
	}
	for i := range hcaTxSlowedCNPs {
		if i%8 == 0 {
			q := hca.SchedRecord{QPN: shut.qpn, Op: hca.SchedWake}
			h.op(hca.ToTurns, q.Append(nil), "a wake of one that is closed")
		}
		qpn, why := uint32(hcaTxNobody), "CNP beside others"
		if of[i] != 0 {
			qpn, why = of[i], "the one CNP of its QP, beside others"
		}
		h.give(hca.HcaTxCNPs, hca.HcaTxCNP(qpn), why)
		if h.behind++; h.r.OneIn(20) {
			h.behind += h.r.Below(6)
		}
	}
}

// restPaced ends a step in which each of those QPs sends so many packets: a CNP makes a pace three times as slow, or
// less.
func (h *hcaTxHost) restPaced(packets int) {
	h.behind += 3 * packets * (hcaTxSlowedPace/64 + hcaTxPoll)
	h.rest()
}

// localShare is in how many WQEs one is local work.
func (h *hcaTxHost) localShare() int {
	if h.top != nil {
		return 6
	}
	return 10
}

// bytes draws how many bytes a message of so many packets has. In hca-top-sends a READ of 4,096 is one of all of them.
func (p *hcaTxPeer) bytes(packets, pmtu int, verb roce.Verb) uint32 {
	if p.h.top != nil && p.pmtu == 5 && verb == roce.Read {
		return hcaTxPMTU[p.pmtu]
	}
	return uint32(max(0, packets*pmtu-[...]int{0, 0, 1, p.r.Below(pmtu)}[p.r.Below(4)]))
}

// readEnds has the last response of a READ end an RNR wait: its QP may have one READ outstanding, so the next one shows
// that it has ended (TMR-5, REQ-7).
func (h *hcaTxHost) readEnds() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{RNRRetry: 7})
	read := func(why string) {
		h.wqes++
		p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(),
			Entries: 1}, why)
	}
	ends := func(at psn.PSN) {
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: at, Opcode: ib.Join(ib.RC, ib.ReadResponseOnly),
			Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)}, "a READ of nothing ends a wait")
	}
	p.postBare(1, "post before a READ of nothing")
	read("post of a READ of nothing")
	h.rest()
	p.says(ib.RNRSyndrome(hcaTxRNRCodes[0]), "no WQE, in front of a READ")
	h.rest()
	ends(1)
	h.rest()
	read("post of a READ of nothing behind one that has ended")
	h.rest()
	ends(2)
	h.rest()
}

// waitsOn hears that there is no WQE for its second message: the NAK acknowledges the first one, and its wait has the
// time of its own code (TMR-5, TMR-6).
func (h *hcaTxHost) waitsOn() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{RNRRetry: 7})
	p.postBare(2, "post to who takes one of two")
	h.rest()
	h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: h.model.State(p.qpn).Una.Add(1), Opcode: ib.Join(ib.RC, ib.Ack),
		Syndrome: ib.RNRSyndrome(hcaTxRNRCodes[0])}, "no WQE, behind one that is acknowledged")
	h.rest()
	h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxSoonest+hcaTxSlack), "time passes, and a wait ends")
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a wait that ended")
}
