package scenario

import (
	"cmp"

	"hcacosim/model/hca"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

const (
	// hcaTxReserve is what the rest of an episode may take in records: what memory gives in one step, and to fill up.
	hcaTxReserve = 330 + 3*hcaTxWrites
	hcaTxTrials  = 500 // records of its trials
	hcaTxMany    = 30  // packets of a step behind which nothing is added to it
	hcaTxFlood   = 60  // of a flood
	hcaTxPieces  = 5   // of a packet, at most
	// hcaTxFiller is a QP whose last message asks for the pieces that a whole turn of tags lacks.
	hcaTxFiller     = 9
	hcaTxLatest     = 300 // clocks until memory answers, at most
	hcaTxTide       = 8   // times as many in a flood
	hcaTxPoll       = 60  // clocks that QPs which wait for their pace take from a packet of another
	hcaTxSpan       = 12  // pieces among which memory changes places, with all packets of the step inside
	hcaTxInside     = 24
	hcaTxFillerCode = 1 // of its PMTU
)

// hcaTxPaces are paces, in clocks for 4096 bytes.
var (
	hcaTxPaces      = [...]uint16{64, 1000, 2500}
	hcaTopSendsPace = [...]uint16{64, 300, 1000}
)

// hcaTxMemory is host memory in hca-tx. Which tag a piece has is the device's choice: so memory gives every piece of a
// step as many bytes as any of them may need, and in an episode it is asked for a whole turn of tags or several.
type hcaTxMemory struct {
	pieces int               // of the steps before
	step   []hca.FrameRecord // packets of this step
	breaks *hcaTxPeer        // the last payload of this step is one of its, and cannot be read
	filled bool
	most   int // packets of this step behind which nothing is added to it
	first  int // clocks until it gives the first of this step
	placed hcaTxPlaced
}

// setUp sets what all QPs share: the port's MAC, the law of pacing, the QP that fills up.
func (m *hcaTxMemory) setUp(h *hcaTxHost) {
	own := frameNoise(h.r).Way
	h.give(hca.HcaTxOps, hca.HcaTxWayOp(hca.FrameOwn, 0, &own), "own MAC")
	law := hca.RateQuery{Op: hca.RateLaw, Period: 1 << 22, Forget: 1<<23 - 1, Cut: uint8(64 + h.r.Below(192)), Raise: 4}
	h.op(hca.ToPace, law.Append(nil), "law")
	p := hcaTxPeer{h: h, r: h.r, qpn: hcaTxFiller}
	p.setUpFiller()
}

// setUpFiller has the QP that fills up begin anew: nothing limits it, no timer runs.
func (p *hcaTxPeer) setUpFiller() {
	p.close()
	check := hca.ReqRecord{QPN: p.qpn, Op: hca.ReqConfigure, PMTU: hcaTxFillerCode, MaxReads: 1}
	p.h.op(hca.ToCheck, check.Append(nil), "set up")
	control := hca.RetryRecord{QPN: p.qpn, Op: hca.RetryConfigure, RetryCnt: 1}
	p.h.op(hca.ToRetry, control.Append(nil), "set up")
	packets := hca.TxRecord{QPN: p.qpn, Op: hca.TxConfigure, PMTU: hcaTxFillerCode, MaxReads: 1, Unlimited: true}
	p.h.op(hca.ToPackets, packets.Append(nil), "set up")
	queue := hca.SQRecord{QPN: p.qpn, Op: hca.SQClear, Slot: hcaTxFillerCode}
	p.h.op(hca.ToSendQueues, queue.Append(nil), "set up")
	turns := hca.SchedRecord{QPN: p.qpn, Op: hca.SchedSet, Weight: 8}
	p.h.op(hca.ToTurns, turns.Append(nil), "set up")
	p.way()
}

// way sets the way of the QP, and its pace or none.
func (p *hcaTxPeer) way() {
	r := p.r
	way := drawWay(r, p.qpn)
	p.h.give(hca.HcaTxOps, hca.HcaTxWayOp(hca.FrameSet, p.qpn, &way), "way")
	p.pace, p.marked = 0, false
	rate := hca.RateQuery{QPN: p.qpn, Op: hca.RateRemove}
	if p.qpn == hcaTxQPs[2] || p.qpn == hcaTxQPs[5] {
		paces := hcaTxPaces
		if p.h.top != nil {
			paces = hcaTopSendsPace
		}
		p.pace = paces[r.Below(len(paces))]
		rate.Op, rate.Pace = hca.RateSet, p.pace
	}
	p.h.op(hca.ToPace, rate.Append(nil), "pace")
}

// drawWay draws the way of a QP: no two have the same peer.
func drawWay(r *Rand, qpn uint32) hca.FrameWay {
	way := frameNoise(r).Way
	way.Encap = wire.Encap(1 + r.Below(5))
	for i, tpid := range [...]uint32{0x8100, 0x88A8} {
		way.VLAN[i] = way.VLAN[i]&0xFFFF | tpid<<16
	}
	way.PeerQPN = way.PeerQPN&^31 | qpn
	return way
}

// place draws where a message lies: from a multiple of a piece on, or from any byte.
func (p *hcaTxPeer) place() uint64 {
	at := p.r.Uint64()
	if !p.r.OneIn(4) {
		at &^= hca.ReadPieceBytes - 1
	}
	return at
}

// isFull reports whether the episode takes no more records.
func (m *hcaTxMemory) isFull(h *hcaTxHost) bool {
	if m.filled {
		return h.len() >= h.length
	}
	most := max(m.most, hcaTxMany)
	return h.len()+len(m.placed.step)+h.reserve()+(most-hcaTxMany)*hcaTxPieces >= h.length || len(m.step) > most
}

// reserve is how many records stay free for the end of an episode.
func (h *hcaTxHost) reserve() int {
	if h.top != nil {
		return hcaTxReserve
	}
	return hcaTxReserve + hcaTxTrials
}

// hcaTxMostOf is for how many steps, clocks, beats and bytes, in and out, an episode has time.
type hcaTxMostOf struct{ steps, clocks, beats, bytes int }

// times is for how many steps an episode has time.
func (h *hcaTxHost) times() uint64 { return uint64(cmp.Or(h.most.steps, hcaTxTimes)) }

// allClocks is how many clocks an episode may take, with the trials at its end.
func (h *hcaTxHost) allClocks() int {
	switch {
	case h.most.clocks > 0:
		return h.most.clocks
	case h.top != nil || h.long:
		return hcaTxAllClocks
	}
	return hcaTxAllClocks + hcaTxTrialSteps*hcaTxTrialClocks
}

// note takes a packet that the device is to send.
func (m *hcaTxMemory) note(s *hca.HcaTxSent) { m.step = append(m.step, s.Packet()) }

// refuse takes QPs to error whose WQE has a list: none of its packets leaves.
func (m *hcaTxMemory) refuse(h *hcaTxHost) {
	for i := range m.step {
		if q := &m.step[i]; q.Listed() {
			for k := range h.peers {
				if p := &h.peers[k]; p.qpn == q.QPN && p.sends() {
					m.leave(h, p.qpn, i)
					h.model.Fail(p.qpn)
					h.model.Clear()
					p.lose(func(f *hca.HcaTxSent) bool { return f.WQE.Entries > 1 })
				}
			}
		}
	}
}

// leave has packets of a QP leave in the model, those of the step before one.
func (m *hcaTxMemory) leave(h *hcaTxHost, qpn uint32, before int) {
	for i := range m.step[:before] {
		if q := &m.step[i]; q.QPN == qpn {
			h.model.Left(q.QPN, q.PSN)
		}
	}
	h.model.Clear()
}

// sends reports whether what is posted may be sent: the QP has not failed.
func (p *hcaTxPeer) sends() bool {
	s := p.h.model.State(p.qpn)
	return s.Open || p.silent() && !s.Failed
}

// lose has packets of a QP not reach its peer, from the first on of which that is true.
func (p *hcaTxPeer) lose(from func(f *hca.HcaTxSent) bool) {
	for i := range p.flights {
		if from(&p.flights[i]) {
			p.flights = p.flights[:i]
			return
		}
	}
}

// answer adds what memory gives for the packets of the step. It returns for how many clocks the step takes longer, and
// how many bytes go in and out.
func (m *hcaTxMemory) answer(h *hcaTxHost) (clocks, bytes int) {
	pieces, longest, needs, last := 0, 0, 0, -1 // needs: what the last piece does
	for i := range m.step {
		q := &m.step[i]
		bytes += 128
		for address, n := q.Gathers(); n > 0; pieces++ {
			lead, size := int(address%hca.ReadLineBytes), min(n, hca.ReadPieceBytes-int(address%hca.ReadPieceBytes))
			needs = lead + size
			longest = max(longest, needs)
			address, n = address+uint64(size), n-size
			bytes += size
			last = i
		}
	}
	late := h.r.Below(hcaTxLatest)
	if m.most > hcaTxMany {
		late *= hcaTxTide
	}
	tags := h.tags(pieces)
	for i, tag := range tags {
		user, n, why := hca.ReadUser(uint8((m.pieces+tag)%hca.ReadPieces), false), longest, "memory gives"
		if m.breaks != nil && tag == pieces-1 {
			why = "memory gives less"
			if n = needs - 1; h.r.OneIn(2) || n == 0 {
				user, n, why = user|hca.ReadPieces, longest, "memory gives: error"
			}
		}
		h.gathered(h.time()+uint64(m.first+late*i/max(1, pieces)), user, h.g.payload(h.r, n), why)
		bytes += n
	}
	m.pieces += pieces
	if m.breaks != nil && last >= 0 {
		m.leave(h, m.breaks.qpn, last)
		m.broken(h, &m.step[last])
	}
	for i := range h.peers {
		m.leave(h, h.peers[i].qpn, len(m.step))
	}
	clocks = m.first + late + h.paced()
	m.step, m.breaks, m.most, m.first = m.step[:0], nil, 0, 0
	return clocks, bytes
}

// tags are the numbers of a step's pieces in the order in which memory gives them. Places change where all packets of
// the step can be inside at once: else what comes early could wait for what cannot be asked for yet.
func (h *hcaTxHost) tags(pieces int) []int {
	tags := make([]int, pieces)
	for i := range tags {
		tags[i] = i
	}
	if len(h.memory.step) > hcaTxInside || pieces > hca.ReadPieces || h.r.OneIn(3) {
		return tags
	}
	for i := len(tags) - 1; i > 0; i-- {
		k := h.r.Between(max(0, i-hcaTxSpan), i)
		tags[i], tags[k] = tags[k], tags[i]
	}
	return tags
}

// broken is the end of the QP whose last payload could not be read.
func (m *hcaTxMemory) broken(h *hcaTxHost, q *hca.FrameRecord) {
	h.model.Fail(m.breaks.qpn)
	h.model.Clear()
	m.breaks.lose(func(f *hca.HcaTxSent) bool { return f.Packet() == *q })
}

// paced is how many clocks longer a step takes for the paces of its QPs.
func (h *hcaTxHost) paced() (clocks int) {
	for k := range h.peers {
		p := &h.peers[k]
		pace, took := int(p.pace), 0
		if p.marked {
			pace *= 3
		}
		for i := range h.memory.step {
			if q := &h.memory.step[i]; q.QPN == p.qpn && pace > 0 {
				took += (q.Payload()+127)/64*pace/64 + hcaTxPoll
			}
		}
		clocks = max(clocks, took)
	}
	if clocks > 0 {
		clocks += hcaTxPoll * len(h.memory.step)
	}
	return clocks
}

// mark gives CNPs.
func (h *hcaTxHost) mark() {
	for k := range h.peers {
		p, rare := &h.peers[k], 12
		if h.top != nil && p.pace > 0 {
			rare = 3
		}
		if h.r.OneIn(rare) {
			p.marked = p.marked || p.pace > 0
			h.give(hca.HcaTxCNPs, hca.HcaTxCNP(p.qpn), "CNP")
		}
	}
}

// breaks is a step in which one QP alone posts, and host memory cannot be read for the last of its payloads, or its
// last message lies in more than one piece. It is false where no QP is at rest.
func (h *hcaTxHost) breaks() bool {
	first := h.r.Below(len(h.peers))
	for k := range h.peers {
		p := &h.peers[(first+k)%len(h.peers)]
		if !p.sends() || h.model.State(p.qpn).Posted > 0 || p.drained || p.ends || len(p.answers) > 0 {
			continue
		}
		lists := h.r.OneIn(3)
		if !lists {
			h.memory.breaks = p
		}
		for range h.r.Below(3) {
			p.post()
		}
		if lists {
			p.postList()
			return true
		}
		p.post()
		if h.r.OneIn(2) {
			p.postEmpty()
		}
		return true
	}
	return false
}

// postList posts a WQE whose message lies in several pieces.
func (p *hcaTxPeer) postList() {
	p.h.wqes++
	w := hca.SendWQE{WQE: p.h.wqes, Verb: roce.Write, VA: p.r.Uint64(), List: p.place(), Entries: p.entries(),
		Length: uint32(1 + p.r.Below(600))}
	switch {
	case p.service == hca.TxUD:
		w.Verb, w.Length = roce.Send, min(w.Length, hcaTxPMTU[p.pmtu])
	case !p.silent() && p.r.OneIn(2):
		if w.Verb = roce.Read; p.r.OneIn(3) {
			w.Verb, w.Length = roce.FetchAdd, 0
		}
	}
	p.ends = true
	p.postAs(&w, "post with a list")
}

// failsFirst has a QP of RC fail before any other does, also behind a reset, and begin anew.
func (h *hcaTxHost) failsFirst() {
	for i := range h.peers {
		if p := &h.peers[i]; !p.silent() && !p.limited {
			p.postList()
			h.rest()
			p.flights = p.flights[:0]
			p.setUp()
			return
		}
	}
}

// entries draws how many pieces a list has: any number, or one bit beside none or one piece, which were no list.
func (p *hcaTxPeer) entries() uint8 {
	if p.r.OneIn(3) {
		return uint8(2 + p.r.Below(30))
	}
	return uint8(1<<p.r.Between(1, 4) | p.r.Below(2))
}

// postEmpty posts a WQE whose packets have no payload.
func (p *hcaTxPeer) postEmpty() {
	p.h.wqes++
	w := hca.SendWQE{WQE: p.h.wqes, Verb: [...]roce.Verb{roce.Send, roce.Read, roce.FetchAdd}[p.r.Below(3)],
		VA: p.r.Uint64(), List: p.place(), Entries: 1}
	if p.silent() {
		w.Verb = roce.Send
	}
	p.postAs(&w, "post behind what fails")
}

// fill has the last QP ask for as many pieces as are missing, and ends its message.
func (h *hcaTxHost) fill() {
	h.memory.filled = true
	h.fillWrites()
	h.failsBehind()
	h.fillPieces()
}

// fillPieces has the last QP ask for as many pieces as are missing to a turn of their tags.
func (h *hcaTxHost) fillPieces() {
	missing := (hca.ReadPieces - h.memory.pieces%hca.ReadPieces) % hca.ReadPieces
	if missing == 0 {
		return
	}
	h.wqes++
	p := hcaTxPeer{h: h, r: h.r, qpn: hcaTxFiller}
	w := hca.SendWQE{WQE: h.wqes, Verb: roce.Write, Flags: hca.SQSignaled, VA: h.r.Uint64(), Entries: 1,
		List: h.r.Uint64() &^ (hca.ReadPieceBytes - 1), Length: uint32(missing * hca.ReadPieceBytes)}
	p.postAs(&w, "post of what is missing")
	h.rest()
}
