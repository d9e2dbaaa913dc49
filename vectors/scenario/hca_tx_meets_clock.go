package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// Trials of hca-tx-meets in which two or three things come in one clock.
const (
	hcaTxMeetsHeld     = 28 // CNPs in a row behind which a QP asks for its pace
	hcaTxMeetsNearest  = 4  // CNPs between two clocks without one
	hcaTxMeetsFarthest = 28
	hcaTxMeetsStep     = 3
	hcaTxMeetsWakes    = 16 // clocks from one wake to the next
	hcaTxTwinHold      = 30
	hcaTxTwinPairs     = 3
	hcaTxTwinLate      = 200 // clocks between what memory says of twins
	hcaTxMeetsFailed   = 160 // clocks from a post to where its failure waits for memory
	hcaTxMeetsRounds   = 6   // QPs of each kind that are woken where they are set
)

// hcaTxTwins are QPs whose numbers differ from those that follow them in one bit, which is a high one where the device
// has such.
var hcaTxTwins = [...]uint32{2, 4, 10, 16, 22, 24, 26, 28}

// twinned is the number of a QP whose bit 0 stands where the smallest device has none: a QP and its twin have the same
// low bits. Its bit 0 is its bit 1.
func (h *hcaTxHost) twinned(small uint32, extra int) uint32 {
	return small&^1 | small>>1&1 | small&1<<(hcaTxSmallBits+h.g.seed%uint64(extra))
}

// answersMeetTurns has a QP wait for its pace, and one that is closed has turns beside it, among CNPs one a clock: in
// the few clocks without one either asks. What rate_limiter says of the one is not for the other.
func (h *hcaTxHost) answersMeetTurns() {
	shut := h.lonerAt(hcaTxOthers[0], hca.ReqRecord{}, hca.RetryRecord{})
	slow := h.lonerAt(hcaTxOthers[1], hca.ReqRecord{}, hca.RetryRecord{})
	shut.close()
	rate := hca.RateQuery{QPN: slow.qpn, Op: hca.RateSet, Pace: 0xFFFF}
	h.op(hca.ToPace, rate.Append(nil), "the slowest pace")
	h.settle()
	slow.postBare(3, "post at the slowest pace")
	h.behind = hcaTxMeetsApart
	gap := func(cnps int) {
		for i := range cnps {
			if i%hcaTxMeetsWakes == 0 {
				q := hca.SchedRecord{QPN: shut.qpn, Op: hca.SchedWake}
				h.op(hca.ToTurns, q.Append(nil), "a wake of one that is closed, among CNPs")
			}
			h.give(hca.HcaTxCNPs, hca.HcaTxCNP(hcaTxNobody), "CNP while turns end")
			h.behind++
		}
		h.behind++
	}
	for near := hcaTxMeetsNearest + h.r.Below(hcaTxMeetsStep); near < hcaTxMeetsFarthest; near += hcaTxMeetsStep {
		gap(hcaTxMeetsHeld)
		gap(near)
	}
	h.behind += 3 * (0xFFFF/64 + hcaTxPoll)
	h.rest()
	slow.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK of what left at the slowest pace")
	h.removePaces([]*hcaTxPeer{slow})
	h.rest()
	h.closes([]*hcaTxPeer{slow, shut})
}

// twinsWake has a QP be woken by a post in the clock in which its twin is by a verdict: sq_scheduler hears nothing of
// either before.
func (h *hcaTxHost) twinsWake() {
	var heard, posts []*hcaTxPeer
	first := h.r.Below(len(hcaTxTwins))
	for i := range hcaTxTwinPairs {
		qpn := hcaTxTwins[(first+i)%len(hcaTxTwins)]
		turned := uint32(i) & 1
		a, b := h.lonerAt(qpn|turned, hca.ReqRecord{}, hca.RetryRecord{}), h.lonerAt(qpn|1&^turned, hca.ReqRecord{},
			hca.RetryRecord{})
		a.postBare(1, "post before twins are woken")
		heard, posts = append(heard, a), append(posts, b)
	}
	h.rest()
	for i, p := range posts {
		h.says(heard[i:i+1], ib.AckSyndrome(ib.CreditsUnlimited), "an ACK beside a post of a twin")
		h.wakes(hcaTxTwinHold)
		p.postBare(1, "post beside an ACK of a twin")
		h.wakes(hcaTxTwinHold)
		h.behind += 3 * hcaTxTwinHold
	}
	h.behind += hcaTxPause
	h.rest()
	h.says(posts, ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind twins that were woken")
	h.rest()
	h.closes(append(heard, posts...))
}

// twinsBreak has a write of a QP fail, and then one of its twin, while the first failure waits for a third write: both
// are closed (DMA-5), and nothing more of either is written.
func (h *hcaTxHost) twinsBreak() {
	qpn := hcaTxTwins[h.r.Below(len(hcaTxTwins))]
	turned := uint32(h.r.Below(2))
	all := []*hcaTxPeer{h.lonerAt(qpn|turned, hca.ReqRecord{}, hca.RetryRecord{}),
		h.lonerAt(qpn|1&^turned, hca.ReqRecord{}, hca.RetryRecord{}), h.loner(hca.ReqRecord{}, hca.RetryRecord{})}
	for _, p := range all {
		h.postRead(p, 2)
	}
	h.rest()
	for _, p := range all {
		h.responses(p, 1, "the first response of twins whose writes fail")
	}
	h.memory.placed.fails, h.memory.placed.every = 2, hcaTxTwinLate
	h.rest()
	h.behind = hcaTxTold
	h.rest()
	a := hca.HcaTxResponse{PSN: 1, Payload: uint16(hcaTxPMTU[1]), Syndrome: ib.AckSyndrome(ib.CreditsUnlimited),
		Opcode: ib.Join(ib.RC, ib.ReadResponseLast)}
	for _, p := range all[:2] {
		a.QPN = p.qpn
		h.nothingOf(a, "the last response of twins whose writes failed")
	}
	a.QPN = all[2].qpn
	h.respond(a, "the last response beside twins whose writes failed")
	h.rest()
	h.closes(all)
	h.rest()
}

// operatesBehindFailure has a QP be set up while another fails, which waits for memory: no operation is lost there,
// whose ever it is. Another one comes first in each turn.
func (h *hcaTxHost) operatesBehindFailure(turn int) {
	reader := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	f := &hcaTxPeer{h: h, r: h.r, qpn: hcaTxListed, pmtu: 1, service: hca.TxUC}
	f.opens(drawPSN(h.r), 0, false, false)
	h.postRead(reader, 2)
	h.rest()
	h.memory.placed.apart = true
	h.responses(reader, 1, "a response that a failure waits for, and operations")
	h.behind = hcaTxHeld
	before := len(h.memory.step)
	f.postAs(h.next(hca.SendWQE{Verb: roce.Write, VA: h.r.Uint64(), List: f.place(), Length: 100, Entries: f.entries()}),
		"post of what fails before operations")
	h.memory.leave(h, f.qpn, before)
	h.model.Fail(f.qpn)
	h.model.Clear()
	h.behind += hcaTxMeetsFailed
	p := &hcaTxPeer{h: h, r: h.r, qpn: hcaTxOthers[2], pmtu: 1}
	sets := p.settings()
	for i := range sets {
		sets[(turn+i)%len(sets)]()
	}
	h.settle()
	p.postBare(3, "post behind operations beside a failure")
	h.restPaced(3)
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind operations beside a failure")
	h.behind = hcaTxPause
	h.rest()
	h.removePaces([]*hcaTxPeer{p})
	h.closes([]*hcaTxPeer{p, f, reader})
	h.rest()
}

// settings are the operations that set up a QP, one of each block: their order does not matter.
func (p *hcaTxPeer) settings() []func() {
	const why = "set up beside a failure"
	h, qpn := p.h, p.qpn
	return []func(){
		func() { h.setPace(p, why) },
		func() {
			q := hca.ReqRecord{QPN: qpn, Op: hca.ReqConfigure, PMTU: p.pmtu, MaxReads: 1}
			h.op(hca.ToCheck, q.Append(nil), why)
		},
		func() {
			q := hca.RetryRecord{QPN: qpn, Op: hca.RetryConfigure}
			h.op(hca.ToRetry, q.Append(nil), why)
		},
		func() {
			q := hca.TxRecord{QPN: qpn, Op: hca.TxConfigure, PMTU: p.pmtu, MaxReads: 1, Unlimited: true}
			h.op(hca.ToPackets, q.Append(nil), why)
		},
		func() {
			q := hca.SQRecord{QPN: qpn, Op: hca.SQClear, Slot: p.pmtu}
			h.op(hca.ToSendQueues, q.Append(nil), why)
		},
		func() {
			q := hca.SchedRecord{QPN: qpn, Op: hca.SchedSet, Weight: uint8(h.r.Below(6))}
			h.op(hca.ToTurns, q.Append(nil), why)
		},
		func() {
			way := drawWay(h.r, qpn)
			h.give(hca.HcaTxOps, hca.HcaTxWayOp(hca.FrameSet, qpn, &way), why)
		},
	}
}

// setsMeetWakes has QPs be set in sq_scheduler with another weight so many clocks behind a post, an ACK that opens a
// window, or a way back from SQD: each still is woken.
func (h *hcaTxHost) setsMeetWakes(play int) {
	const kinds = 3
	var all []*hcaTxPeer
	for i, qpn := range hcaTxManyQPs[:kinds*hcaTxMeetsRounds] {
		p := h.windowed(qpn, 1)
		switch i % kinds {
		case 1:
			p.postBare(2, "post of who has a window of one")
		case 2:
			p.say(hca.TxDrain, "SQD before it is set")
			p.postBare(1, "post in SQD before it is set")
		}
		all = append(all, p)
	}
	h.rest()
	for i, p := range all {
		delay := play*hcaTxMeetsRounds + i/kinds
		switch i % kinds {
		case 0:
			p.postBare(1, "post before it is set")
			delay = 2 + delay%14
		case 1:
			p.h.acknowledgeEach(all[i:i+1], "an ACK of one of two before it is set")
			delay = 14 + delay%28
		case 2:
			p.say(hca.TxResume, "RTS before it is set")
			delay = 1 + delay%14
		}
		h.behind += delay
		q := hca.SchedRecord{QPN: p.qpn, Op: hca.SchedSet, Weight: uint8(1 + h.r.Below(15))}
		h.op(hca.ToTurns, q.Append(nil), "set while it is woken")
		h.behind += hcaTxMeetsApart - delay
	}
	h.behind += hcaTxPause
	h.rest()
	h.says(all, ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a set")
	h.rest()
	h.closes(all)
	h.rest()
}
