package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// A jam of hca-top-sends: a READ of a peer waits for memory, and behind it as many answers as there is room for. So the
// payloads of responses behind these do not reach the transmit side, and all that it is told of responses waits for
// them: verdicts, then responses, more than there is room for between the two halves, then a CNP; commands for the
// transmit side, and posts behind them. An episode has one at most.
const (
	hcaTopSendsJamFirst   = 12   // steps in one of which it comes, of half of the episodes
	hcaTopSendsJamLate    = 1600 // clocks until memory gives
	hcaTopSendsJamAnswers = 132  // 129 wait
	hcaTopSendsJamWrites  = 110  // accesses for which there is time until all waits
	hcaTopSendsJamPost    = 1100 // and clocks until a post comes
	hcaTopSendsJamPosts   = 4    // of each that has answers at most
	hcaTopSendsJamBrings  = 22   // responses with a payload that nobody asked for
	hcaTopSendsJamStores  = 6    // WRITEs of some bytes ahead of these: host memory may be busy with them
	hcaTopSendsJamBefore  = 52   // and so many responses before the last ones: some say nothing new
	hcaTopSendsJamBehind  = 6    // and some more behind a CNP
	hcaTopSendsJamDrains  = 5    // times that one goes to SQD and back
	hcaTopSendsJamCount   = 400  // records at most
)

// hcaTopInJam are who takes part: who reads, whose answers wait, who is paced, who goes to error, who to SQD, and who
// posts.
type hcaTopInJam struct {
	reads, ends, drains, posts *hcaTxPeer
	waits, slow                []*hcaTxPeer
}

// jams is a jam, where the episode has room for one and somebody who may read.
func (s *hcaTopSender) jams() bool {
	h := s.h
	if h.step < h.jam || h.len()+hcaTopSendsJamCount+h.reserve() >= h.length || h.memory.placed.left() == 0 {
		return false
	}
	d := s.inJam()
	if d.reads == nil || !s.ways[d.reads.qpn].live || s.pieces >= hcaRxFive.pieces || len(d.waits) < 2 {
		return false
	}
	h.jam = hcaTxSteps
	h.wqes++
	d.reads.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(),
		List: d.reads.place(), Entries: 1, Length: 8}, "post of a READ before a jam")
	for _, p := range d.waits {
		p.postBare(hcaTopSendsJamPosts, "post before a jam")
	}
	h.rest()
	loss := h.loss
	h.loss = 0
	s.jam(&d)
	h.loss = loss
	h.rest()
	for _, p := range d.slow {
		for range 3 {
			p.post()
		}
	}
	if d.drains != nil { // in SQD nothing leaves, else it does
		d.drains.post()
	}
	return true
}

// jam is the jam itself.
func (s *hcaTopSender) jam(d *hcaTopInJam) {
	h := s.h
	h.tardy = hcaTopSendsJamLate
	s.blocks(d.reads.qpn)
	for range min(hcaTopSendsJamStores, hcaTopSendsStored-s.stored) {
		s.store(d.reads.qpn, &wire.Spec{Opcode: ib.Join(ib.RC, ib.WriteOnly), PSN: s.due[d.reads.qpn], AckReq: true,
			VA: hcaTopVA, RKey: hcaTopKey})
	}
	for i := range hcaTopSendsJamBrings {
		p := d.waits[i%len(d.waits)]
		h.nothingOf(hca.HcaTxResponse{QPN: p.qpn, Payload: 8, Syndrome: ib.AckSyndrome(ib.CreditsUnlimited),
			PSN: h.model.State(p.qpn).High.Add(int32(1 + h.r.Below(1000))), Opcode: ib.Join(ib.RC, ib.ReadResponseOnly)},
			"a response to nothing, in a jam")
	}
	var last []hca.HcaTxResponse
	said := 0
	for _, p := range d.waits {
		said += max(0, len(p.flights)-1)
		last = append(last, p.saysEach()...)
	}
	d.reads.receive()
	d.reads.deliver(false)
	again := func(n int) {
		for i := range n {
			d.waits[i%len(d.waits)].repeat("an ACK again, in a jam")
		}
	}
	again(hcaTopSendsJamBefore - hcaTopSendsJamBrings - said - 1)
	for _, a := range last {
		h.respond(a, "an ACK behind a jam")
	}
	for _, p := range d.slow {
		p.marked = true
		h.give(hca.HcaTxCNPs, hca.HcaTxCNP(p.qpn), "CNP, in a jam")
	}
	again(hcaTopSendsJamBehind)
	s.later = 0
	s.writes += hcaTopSendsJamWrites
	if d.ends != nil {
		d.ends.sqe()
	}
	if d.drains != nil { // more than wait in hca_tx
		for range hcaTopSendsJamDrains {
			d.drains.say(hca.TxDrain, "SQD, in a jam")
			d.drains.say(hca.TxResume, "RTS, in a jam")
		}
		if h.r.OneIn(2) {
			d.drains.say(hca.TxDrain, "SQD, the last in a jam")
		}
	}
	if d.posts != nil {
		s.later = hcaTopSendsJamPost
		d.posts.postBare(2, "post in a jam")
		s.later = 0
	}
}

// blocks has a peer read a byte that memory gives late, and ask for answers that wait for it.
func (s *hcaTopSender) blocks(qpn uint32) {
	read := wire.Spec{PSN: s.due[qpn], VA: hcaTopVA, RKey: hcaTopKey, DMALen: 1, Opcode: ib.Join(ib.RC, ib.ReadRequest)}
	s.due[qpn] = s.due[qpn].Add(1)
	s.later = hcaTopReadLate + 1 // behind what memory gives for other READs of the step
	s.frame(qpn, &read, nil, "a request: READ, in front of a jam")
	s.add(hcaTopMove{hcaTopRead, s.h.time() + s.later + hcaTopSendsJamLate, int(hca.ReadUser(uint8(s.pieces), false)),
		[]byte{1}, "memory gives, late", hcaTopSendsJamLate}) // its place is here: the run may be cut anywhere
	s.later++
	s.pieces++
	for range hcaTopSendsJamAnswers {
		write := wire.Spec{PSN: s.due[qpn], AckReq: true, VA: hcaTopVA, RKey: hcaTopKey,
			Opcode: ib.Join(ib.RC, ib.WriteOnly)}
		s.due[qpn] = s.due[qpn].Add(1)
		s.frame(qpn, &write, nil, "a request: WRITE, in a jam")
	}
}

// saysEach acknowledges each message that has left by itself, but for the last: that answer is returned.
func (p *hcaTxPeer) saysEach() (last []hca.HcaTxResponse) {
	flights := slices.Clone(p.flights)
	number := p.number
	p.receive()
	p.answers = p.answers[:0]
	for i := range flights {
		number++
		a := hca.HcaTxResponse{QPN: p.qpn, PSN: flights[i].Last, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: p.credits(),
			Number: number}
		if i == len(flights)-1 {
			return append(last, a)
		}
		p.h.respond(a, "an ACK of each, in a jam")
	}
	return last
}

// inJam chooses who takes part: of those that are at rest.
func (s *hcaTopSender) inJam() (d hcaTopInJam) {
	h := s.h
	first := h.r.Below(len(h.peers))
	for i := range h.peers {
		p := &h.peers[(first+i)%len(h.peers)]
		state := h.model.State(p.qpn)
		rests := p.sends() && !p.drained && !p.ends && !p.dead && !p.naked && state.Posted == 0 && !state.Waiting &&
			len(p.answers) == 0 && len(p.flights) == 0 && len(p.local) == 0
		switch {
		case !rests:
		case p.silent() && d.ends == nil:
			d.ends = p
		case p.silent() && d.drains == nil:
			d.drains = p
		case p.silent():
			d.posts = p
		case d.reads == nil && p.pace == 0:
			d.reads = p
		default:
			if p.pace > 0 {
				d.slow = append(d.slow, p)
			}
			if p.pace == 0 || p.free { // an ACK that lets it send would meet its CNP
				d.waits = append(d.waits, p)
			}
		}
	}
	for _, p := range d.waits {
		switch {
		case p.pace > 0 || !p.free: // others may still have something to send
		case d.drains == nil:
			d.drains = p
		case d.posts == nil:
			d.posts = p
		}
	}
	return d
}
