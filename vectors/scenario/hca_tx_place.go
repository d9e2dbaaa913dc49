package scenario

import (
	"slices"

	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// hcaTxWrites is how many writes an episode has: their tags are numbers, and so each episode knows its own.
const hcaTxWrites = 32

// hcaTxSpoilt is how many clocks an error comes behind all that its response leads to.
const hcaTxSpoilt = 600

// hcaTxPlaced is host memory as far as it is written in hca-tx: what READs and atomics bring.
type hcaTxPlaced struct {
	first  int     // writes of the episodes before, modulo the tags that there are
	done   int     // writes of this episode that were acknowledged
	step   []uint8 // tags of this step's writes, in their order
	bytes  int     // of payloads in this step
	spoilt int     // one more than the place in step of the write that fails; 0 none
	both   bool    // this step's fail, the last one's word comes first, the others' right behind it
	apart  bool    // this step's are acknowledged in order, late, and one long behind the other
	more   int     // writes of this episode, beside hcaTxWrites
	held   bool    // memory says nothing of this step's before the next one
	all    bool    // all that it has to say is that they failed
	fails  int     // so many of this step's fail, the first ones; where every says how far apart
	every  int     // clocks between what it says, in order; 0 as it comes
}

// note takes what the model gave: its tags count from 0.
func (m *hcaTxPlaced) note(model *hca.HcaTxBlocks) {
	for i := range model.Moved {
		if r := &model.Moved[i]; r.Port == hca.HcaTxWrites {
			m.step = append(m.step, hca.ParseDMAWrite(r.Data).Tag)
		}
	}
}

// left is how many writes the episode has still.
func (m *hcaTxPlaced) left() int { return hcaTxWrites + m.more - m.done - len(m.step) }

// brings reports whether a response may lead to a write.
func brings(r *hca.HcaTxResponse) bool {
	return r.HasFrame() || r.Opcode.Shape().Verb.Atomic()
}

// respond gives the device a response, and its payload. One that there is no tag for is lost.
func (h *hcaTxHost) respond(r hca.HcaTxResponse, why string) {
	m := &h.memory.placed
	if h.memory.isFull(h) || brings(&r) && m.left() == 0 {
		return
	}
	r.Original = h.r.Uint64()
	h.record(hca.HcaTxResponses, r.Append(nil), why)
	if r.HasFrame() {
		h.record(hca.HcaTxPayload, h.g.payload(h.r, int(r.Payload)), "payload")
		m.bytes += 2 * int(r.Payload)
	}
}

// acknowledge adds what memory says of a step's writes: late, in any order. It returns for how many clocks the step
// takes longer, and how many bytes come and go.
func (h *hcaTxHost) acknowledge() (clocks, bytes int) {
	m, r := &h.memory.placed, h.r
	bytes, m.bytes = m.bytes, 0
	if len(m.step) == 0 || m.held {
		m.held = false
		return 0, bytes
	}
	tags, bad := slices.Clone(m.step), -1
	if m.spoilt > 0 { // it comes last
		bad = len(tags) - 1
		tags = append(slices.Delete(tags, m.spoilt-1, m.spoilt), m.step[m.spoilt-1])
	}
	if !r.OneIn(3) {
		for i := range tags {
			if k := r.Below(i + 1); i != bad {
				tags[i], tags[k] = tags[k], tags[i]
			}
		}
	}
	least, spread := [...]int{0, 60, 200, 700}[r.Below(4)], [...]int{1, 30, 300}[r.Below(3)]
	if m.apart {
		tags, least, spread = slices.Clone(m.step), hcaTxApart, 2*hcaTxApart
	}
	if m.both {
		tags, spread = slices.Clone(m.step), 1
		slices.Reverse(tags)
	}
	if m.every > 0 {
		tags, spread = slices.Clone(m.step), m.every*len(tags)
	}
	for i, tag := range tags {
		a, why, late := hca.DMAAck{Tag: tag}, "written", least+spread*i/len(tags)
		if i == bad || m.both || m.all {
			a.Error, why, late = true, "written: error", late+hcaTxSpoilt
		}
		if i < m.fails {
			a.Error, why = true, "written: error"
		}
		clocks = late
		h.model.Take(&sim.Record{Port: hca.HcaTxAcks, Data: a.Append(nil)})
		h.heed()
		a.Tag += uint8(m.first)
		h.written(h.time()+uint64(h.tardy+late), a.Append(nil), why) // behind a payload that is late
		if h.top != nil {
			h.top.storesMeet(late, a.Error)
		}
	}
	m.done, m.step, m.spoilt, m.apart, m.both, m.all, m.every = m.done+len(tags), m.step[:0], 0, false, false, false, 0
	m.fails = 0
	return clocks, bytes
}

// spoils is how rare a write that fails is, of what may bring one.
func (h *hcaTxHost) spoils() int {
	if h.top != nil {
		return 5
	}
	return 4
}

// spoil gives the oldest answer of a QP that brings something, whose write fails (DMA-5): where nothing leaves by it,
// and nothing else is done with the QP in this step.
func (p *hcaTxPeer) spoil() {
	h, m := p.h, &p.h.memory.placed
	a := p.answers[0]
	p.answers = p.answers[1:]
	before, writes := h.left, len(m.step)
	h.respond(a, "response, its write fails")
	if h.left == before && len(m.step) == writes+1 && m.spoilt == 0 && h.model.State(p.qpn).Open {
		m.spoilt = writes + 1
	}
}

// fillWrites has the QP that fills up read as many packets as writes are missing.
func (h *hcaTxHost) fillWrites() {
	h.farRead()
	h.readBehind()
	missing := h.memory.placed.left()
	if h.top == nil {
		missing -= hcaTxLastWrites
		if missing >= hcaTxWaited {
			missing -= hcaTxWaited // those of failsBehind, which does without fewer
		}
	}
	if missing <= 0 {
		return
	}
	h.wqes++
	p := hcaTxPeer{h: h, r: h.r, qpn: hcaTxFiller}
	at, pmtu := h.model.State(p.qpn).Next, int(hcaTxPMTU[hcaTxFillerCode])
	bad := 0
	if h.top == nil {
		bad = 1 + h.r.Below(2) // packets of which none comes as it may: the last one, or one before it
	}
	w := hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), Entries: 1,
		List: p.place(), Length: uint32((missing + bad) * pmtu)}
	p.postAs(&w, "post of a READ of what is missing")
	var others []*hcaTxPeer
	if h.top == nil {
		others = h.others()
	}
	for _, o := range others {
		o.postBare(1, "post beside a READ of what is missing")
	}
	h.rest()
	answer := func(i int) hca.HcaTxResponse {
		return hca.HcaTxResponse{QPN: p.qpn, PSN: at.Add(int32(i)), Payload: uint16(pmtu), Syndrome: ib.AckSyndrome(31),
			Opcode: ib.Join(ib.RC, readOperation(i == 0, i == missing+bad-1))}
	}
	for i := range missing {
		h.respond(answer(i), "response of what is missing")
	}
	for _, o := range others { // what is told of a response is as slow as its bytes: verdicts wait behind them
		o.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind responses")
	}
	h.rest()
	for _, o := range others {
		o.close()
	}
	if bad > 0 {
		p.endsBadly(answer(missing), [...]string{1: "a last response", 2: "a response in the middle"}[bad])
	}
}

// Packets of 4,096 bytes of a READ that goes again from 64 KiB on, with one packet or several to its end.
const (
	hcaTxFar     = 16
	hcaTxFarMost = 3
)

// farRead has a READ go again from 64 KiB on (REQ-7), where an episode has as many writes and bytes left.
func (h *hcaTxHost) farRead() {
	const code, records = 5, 2*(hcaTxFar+hcaTxFarMost) + 20
	bytes := int(hcaTxPMTU[code])
	if h.top != nil || h.memory.placed.left() <= hcaTxFar+hcaTxFarMost || h.len()+records+hcaTxBeside >= h.length ||
		h.bytes+2*(hcaTxFar+hcaTxFarMost)*bytes > hcaTxAllBytes {
		return
	}
	p := h.loner(hca.ReqRecord{PMTU: code}, hca.RetryRecord{RetryCnt: 7})
	packets := hcaTxFar + 1 + h.r.Below(hcaTxFarMost)
	h.wqes++
	w := hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), RKey: uint32(h.r.Uint64()),
		List: p.place(), Entries: 1, Length: uint32(packets*bytes - h.r.Below(bytes)&^3)}
	p.postAs(&w, "post of a READ of more than 64 KiB")
	h.rest()
	for i := range packets {
		if i == hcaTxFar {
			p.says(ib.NAKSequence, "a NAK inside a READ of more than 64 KiB")
			h.rest()
		}
		if i == 2 { // all of it is thrown away, and what follows brings its own
			h.nothingOf(hca.HcaTxResponse{QPN: p.qpn, Payload: uint16(bytes), Syndrome: ib.AckSyndrome(31),
				Opcode: ib.Join(ib.RC, ib.ReadResponseFirst)}, "response of a long READ again")
		}
		n := min(bytes, int(w.Length)-i*bytes)
		h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: psn.New(uint32(i)), Payload: uint16(n), Syndrome: ib.AckSyndrome(31),
			Opcode: ib.Join(ib.RC, readOperation(i == 0 || i == hcaTxFar, i == packets-1))}, "response of a long READ")
		if i%8 == 7 {
			h.rest()
		}
	}
	h.rest()
	p.close()
}

// readBehind has a response acknowledge what was sent before its READ: its place is that of its own PSN (REQ-2,
// REQ-15). Then its QP is taken to error, before memory has acknowledged what the response brings: the READ ends well,
// and what is posted behind it is flushed when that is in memory (DMA-1).
func (h *hcaTxHost) readBehind() {
	const records = 30
	if h.top != nil || h.memory.placed.left() < hcaTxWaited+3 || h.len()+records+hcaTxBeside >= h.length {
		return
	}
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{RetryCnt: 7})
	p.postBare(2, "post before a READ")
	h.wqes++
	p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(),
		Entries: 1, Length: 8}, "post of a READ behind what nobody acknowledges")
	p.postBare(1, "post behind a READ that ends")
	h.rest()
	h.memory.placed.apart = true
	h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: 2, Payload: 8, Syndrome: ib.AckSyndrome(ib.CreditsUnlimited),
		Opcode: ib.Join(ib.RC, ib.ReadResponseOnly)}, "a response that acknowledges what is before its READ")
	if h.behind = 5 * hcaTxHeld; h.pause() == 0 { // where an input may be silent, which of the two comes first is open
		h.rest()
	}
	p.say(hca.TxClose, "the end behind a READ")
	queue := hca.SQRecord{QPN: p.qpn, Op: hca.SQVerdict, Fail: true, Status: roce.Flushed}
	h.op(hca.ToSendQueues, queue.Append(nil), "flushed behind a READ that ended")
	h.rest()
	p.close()
}

// endsBadly gives a response of a READ whose length or pad is wrong (REQ-12): nothing is written. The QP begins anew.
func (p *hcaTxPeer) endsBadly(a hca.HcaTxResponse, what string) {
	why := what + " with a pad"
	if a.Pad = uint8(1 + p.r.Below(3)); p.r.OneIn(3) {
		why = what + " of another length"
		a.Payload = p.mislong(a.Payload)
		a.Pad = uint8(-a.Payload & 3)
	}
	p.h.nothingOf(a, why)
	p.h.rest()
	p.setUpFiller()
	p.h.rest()
}

// hcaTxLastWrites are the writes that lastWrite has, each of a QP of its own.
const hcaTxLastWrites = 2

// lastWrite has writes fail (DMA-5) beside QPs that fail: who tells of all of them has no room by then. Of a QP that is
// not closed the next response would be written.
func (h *hcaTxHost) lastWrite() {
	if h.top != nil || h.memory.placed.left() == 0 {
		return
	}
	pmtu := hcaTxPMTU[1]
	reads := h.lastReads(2 * pmtu)
	var alive []*hcaTxPeer // none of what fails concerns them
	for _, qpn := range [...]uint32{0, hcaTxOthers[0]} {
		o := h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{})
		o.postBare(1, "post beside QPs that fail")
		alive = append(alive, o)
	}
	beside := h.r.Below(3) // 0: QPs without a way; else one that fails in front of a WQE of its own
	if h.len()+hcaTxBeside >= h.length {
		beside = 0
	}
	if beside > 0 {
		h.listed()
	}
	if beside == 2 {
		h.setUpWayless() // they may have failed before
	}
	ending := h.ending()
	h.rest()
	h.memory.placed.both = true
	a := hca.HcaTxResponse{Opcode: ib.Join(ib.RC, ib.ReadResponseFirst), Payload: uint16(pmtu),
		Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)}
	for _, p := range reads {
		a.QPN = p.qpn
		h.respond(a, "the first response of a READ, its write fails")
	}
	if beside > 0 {
		h.failsBeside(beside == 2)
	} else if !h.stranded {
		h.strand()
	}
	for _, o := range ending { // none comes behind its end that says the same
		o.postBare(1, "post of UC beside QPs that fail")
		h.memory.leave(h, o.qpn, len(h.memory.step))
	}
	h.rest()
	a.PSN, a.Opcode = psn.New(1), ib.Join(ib.RC, ib.ReadResponseLast)
	for _, p := range reads {
		a.QPN = p.qpn
		h.nothingOf(a, "the last response of a READ whose write failed")
	}
	if h.idle() {
		h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxLongest+hcaTxSlack), "time passes behind a write that failed")
	}
	for _, o := range alive {
		o.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK beside QPs that failed")
	}
	h.rest()
	h.closes(append(append(alive, ending...), reads...))
}

// lastReads posts a READ of so many bytes for each of the writes that are left.
func (h *hcaTxHost) lastReads(bytes uint32) (all []*hcaTxPeer) {
	for _, qpn := range []uint32{hcaTxAlone, hcaTxOthers[1]}[:min(hcaTxLastWrites, h.memory.placed.left())] {
		p := h.lonerAt(qpn, hca.ReqRecord{}, hca.RetryRecord{Code: hcaTxCodes[0], RetryCnt: 7})
		h.wqes++
		p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(),
			Entries: 1, Length: bytes}, "post of a READ whose write fails")
		all = append(all, p)
	}
	return all
}

// ending sets up QPs of UC of which each ends one WQE while others fail: it waits for that (REQ-13).
func (h *hcaTxHost) ending() (all []*hcaTxPeer) {
	for _, qpn := range hcaTxEnding {
		p := &hcaTxPeer{h: h, r: h.r, qpn: qpn, pmtu: 1, service: hca.TxUC}
		p.opens(drawPSN(h.r), 0, false, false)
		all = append(all, p)
	}
	return all
}

// nothingOf gives a response of which nothing is written, and its payload.
func (h *hcaTxHost) nothingOf(a hca.HcaTxResponse, why string) {
	h.record(hca.HcaTxResponses, a.Append(nil), why)
	if a.HasFrame() {
		h.record(hca.HcaTxPayload, h.g.payload(h.r, int(a.Payload)), "payload")
		h.memory.placed.bytes += 2 * int(a.Payload)
	}
}

// idle reports whether no timer runs.
func (h *hcaTxHost) idle() bool {
	return !slices.ContainsFunc(hcaTxQPs[:], func(qpn uint32) bool { return h.model.State(qpn).Armed })
}
