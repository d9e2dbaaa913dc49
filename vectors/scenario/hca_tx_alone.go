package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// At the end of an episode a QP of its own has one trial or several. It has no payload, no timer runs beside it, and
// nothing comes behind it that hangs on what became of it.
const (
	hcaTxAlone       = 13     // its number
	hcaTxMostRetries = 6      // of all others: seven may be for ever, and what goes again then asks memory for ever
	hcaTxUnending    = 9      // times its timer expires: more than seven
	hcaTxShortest    = 16384  // ticks of the shortest transport timer, that of hcaTxCodes[0]
	hcaTxSoonest     = 10_000 // and of the shortest RNR timer, that of hcaTxRNRCodes[0]
	hcaTxAnswers     = 3      // that may be anything
	hcaTxResumes     = 33     // in a row: whatever the wakes are counted with, twice as many as have room
	hcaTxRounds      = 2      // in which ACKs meet an expiry
	hcaTxTrialClocks = 800    // of a step
	hcaTxTrialSteps  = 80     // that always have their time
	hcaTxTurnless    = 18     // ends of local work whose turn it is not: wakes have 16 places
	hcaTxOpening     = 15     // records that set it up, post, and close it
)

// hcaTxWayless are QPs that never have a way, or one that leads nowhere.
var hcaTxWayless = [...]uint32{14, 15, hcaTxNowhere}

// hcaTxNowhere is a QP whose way has no encapsulation.
const hcaTxNowhere = 20

// hcaTxOthers are QPs whose ACKs meet the expiry of another.
var hcaTxOthers = [...]uint32{3, 5, 6, 8, 10, 11}

// hcaTxTrial is a trial: how many steps and records it may take.
type hcaTxTrial struct {
	steps, records int
	play           func()
}

// alone has as many trials as there is room for: a long one first, then short ones, others first in each episode.
func (h *hcaTxHost) alone() {
	if h.top != nil || !h.idle() {
		return
	}
	retries := h.r.Below(8)
	refusals := min(retries+1, 7) // seven tell for ever from what lacks a bit of it
	others := len(hcaTxOthers)
	long := [...]hcaTxTrial{
		{2*hcaTxRounds + 3, (14*others + 20) * hcaTxRounds, h.crossed},
		{9 + hcaTxCrowd/hcaTxTrialClocks, 23*others + 2*hcaTxShut + hcaTxPacked, h.crowded},
		{3*hcaTxWaits + 5, (34+5*hcaTxWaits)*others + (hcaTxWaits+1)*(hcaTxBurst+2) + 6, h.ordered},
		{hcaTxResumes + 2, 3*hcaTxResumes + 1, h.resumed},
		{2*hcaTxAges + 3, 2*hcaTxAges*hca.HcaTxQueueDepth + 3, h.aged},
		{4, 22*others + hcaTxShut + hcaTxPacked, h.closedBehind},
	}
	slowed := hcaTxTrial{8 + hcaTxSettles/hcaTxTrialClocks, 9*others + 24*hcaTxSlowed + 9*hcaTxSlowedCNPs/8 + 14, h.slowed}
	short := [...]hcaTxTrial{
		{hcaTxUnending + 2, hcaTxUnending, h.unending}, {2*refusals + 2, 2*refusals + 1,
			func() { h.unready(uint8(retries), refusals) }},
		{5, 10, h.credited}, {4, 10, h.shut}, {hcaTxAnswers + 2, hcaTxAnswers, h.answered},
		{6, 5, h.woken},
		{3, 5 + len(hcaTxWayless), h.wayless}, {3, 4, h.refused}, {3, 6, h.granted}, {3, 4, h.misread},
		slowed,
		{8 + hcaTxSettles/hcaTxTrialClocks, 15*others + 15*others, h.mistaken},
		{4, 10*others + 2*hcaTxOvertakes*hcaTxOvertaken + 18, h.overtaken}, {2, 3, h.vast},
		{6, 8, h.readEnds}, {7, 12 + hcaTxStrangers, h.waitsForCredits},
		{4, 5, h.waitsOn}, {3, 3, h.longAgo}, {3, hcaTxTurnless + 3, h.turnless},
	}
	switch h.e.Number % 4 {
	case 1:
		h.try(&slowed)
	case 0, 2: // what only a host that takes nothing shows, which is rare
		h.try(&hcaTxTrial{2*hcaTxLocals + 2, (8+2*hcaTxLocals)*(others+hcaTxWaits) + 11*len(hcaTxEnding), h.locals})
	}
	for i := range long {
		if h.try(&long[(int(h.e.Number)+i)%len(long)]) {
			break
		}
	}
	for i := range short {
		h.try(&short[(int(h.e.Number)+i)%len(short)])
	}
}

// try plays a trial if there is room for it.
func (h *hcaTxHost) try(t *hcaTxTrial) bool {
	if h.step+t.steps > hcaTxAllSteps || h.clocks+t.steps*hcaTxTrialClocks > h.allClocks() ||
		h.len()+t.records+hcaTxOpening > h.length {
		return false
	}
	h.step += t.steps
	h.rest()
	t.play()
	h.rest()
	(&hcaTxPeer{h: h, qpn: hcaTxAlone}).close()
	return true
}

// loner sets the QP up anew: check and control are what is not as it is of most.
func (h *hcaTxHost) loner(check hca.ReqRecord, control hca.RetryRecord) *hcaTxPeer {
	return h.lonerAt(hcaTxAlone, check, control)
}

func (h *hcaTxHost) lonerAt(qpn uint32, check hca.ReqRecord, control hca.RetryRecord) *hcaTxPeer {
	p := h.lonerWithoutWay(qpn, check, control)
	p.way()
	return p
}

func (h *hcaTxHost) lonerWithoutWay(qpn uint32, check hca.ReqRecord, control hca.RetryRecord) *hcaTxPeer {
	p := &hcaTxPeer{h: h, r: h.r, qpn: qpn, pmtu: max(1, check.PMTU),
		limited: check.Profile&hca.ReqCreditsLimited != 0}
	check.QPN, check.Op, check.PMTU, check.MaxReads = p.qpn, hca.ReqConfigure, p.pmtu, max(1, check.MaxReads)
	h.op(hca.ToCheck, check.Append(nil), "set up")
	control.QPN, control.Op = p.qpn, hca.RetryConfigure
	h.op(hca.ToRetry, control.Append(nil), "set up")
	p.begins(0, check.MaxReads, false, false)
	return p
}

// postBare posts SENDs that bring nothing.
func (p *hcaTxPeer) postBare(n int, why string) {
	for range n {
		p.h.wqes++
		p.postAs(&hca.SendWQE{WQE: p.h.wqes, Verb: roce.Send, Flags: hca.SQSignaled, List: p.place(), Entries: 1}, why)
	}
}

// says is an ACK or NAK of the QP's peer: of all that was sent, or of the first that is not acknowledged.
func (p *hcaTxPeer) says(syndrome ib.Syndrome, why string) {
	s := p.h.model.State(p.qpn)
	a := hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: syndrome, PSN: s.Una}
	if !s.Open { // its checker knows no PSN any more
		s.High = s.Next
	}
	if syndrome.Kind() == ib.KindAck {
		a.PSN, a.Number = s.High.Add(-1), uint32(s.High)
	}
	p.h.respond(a, why)
}

// vast flushes, and asks for, as many bytes as a message has at most (LEN-1).
func (h *hcaTxHost) vast() {
	p := h.loner(hca.ReqRecord{PMTU: 5}, hca.RetryRecord{})
	p.postAs(h.next(hca.SendWQE{Verb: roce.Flush, Flags: hca.SQSignaled, VA: h.r.Uint64(), RKey: uint32(h.r.Uint64()),
		Entries: 1, Length: ib.MaxMessage}), "post of a FLUSH of 2 GiB")
	h.wqes++
	p.postAs(&hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(),
		RKey: uint32(h.r.Uint64()), List: p.place(), Entries: 1, Length: ib.MaxMessage}, "post of a READ of 2 GiB")
	h.rest()
}

// unending is never answered: it fails behind seven retries, or behind none, as retry7_forever_i has it (TMR-4).
func (h *hcaTxHost) unending() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{Code: hcaTxCodes[0], RetryCnt: 7})
	p.postBare(1, "post that nobody answers")
	for range hcaTxUnending {
		h.rest()
		h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxShortest+hcaTxSlack), "time passes, and nobody answers")
	}
}

// turnless says of local work that it is done whose turn it is not, more often than wakes have places: nothing comes of
// it (REQ-14), and what is posted behind leaves.
func (h *hcaTxHost) turnless() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	for range hcaTxTurnless {
		q := hca.SQRecord{QPN: p.qpn, Op: hca.SQLocalDone, Slot: uint8(1 + h.r.Below(hca.HcaTxQueueDepth-1))}
		h.op(hca.ToSendQueues, q.Append(nil), "local work is done, of no turn")
	}
	h.rest()
	p.postBare(1, "post behind what has no turn")
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind what has no turn")
}

// longAgo has a timer of 2^31 ticks expire, all of which pass at once (TMR-1).
func (h *hcaTxHost) longAgo() {
	const code, ticks = 29, 1 << 31
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{Code: code, RetryCnt: 7})
	p.postBare(1, "post that is answered after half an hour")
	h.rest()
	h.give(hca.HcaTxOps, hca.HcaTxLapse(ticks+uint32(h.r.Below(1<<16))), "time passes, as much as a number holds")
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK after half an hour")
}

// unready hears that there is no WQE, again and again: as often as its RNR retries allow, or for ever (TMR-5).
func (h *hcaTxHost) unready(retries uint8, refusals int) {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{RNRRetry: retries})
	p.postBare(1, "post to who is never ready")
	for range refusals {
		h.rest()
		p.says(ib.RNRSyndrome(hcaTxRNRCodes[0]), "no WQE, again")
		h.rest()
		h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxSoonest+hcaTxSlack), "time passes, and there is no WQE")
	}
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK, if there are retries left")
}

// credited has SENDs for more credits than an ACK brings; the next one says that they are not counted (CRD-2).
func (h *hcaTxHost) credited() {
	p := h.loner(hca.ReqRecord{Profile: hca.ReqCreditsLimited}, hca.RetryRecord{})
	p.postBare(1, "post for few credits")
	h.rest()
	code := uint8(h.r.Below(ib.CreditsUnlimited))
	if h.r.OneIn(2) {
		code = uint8(h.r.Below(6)) // up to 6: seven SENDs tell of them
	}
	few := hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: ib.AckSyndrome(code), Number: 1}
	if h.r.OneIn(2) { // of a peer that has counted more than there are
		few.Number |= 1 << (8 + h.r.Below(15))
		few.Syndrome = ib.AckSyndrome(uint8(h.r.Below(6)))
	}
	h.respond(few, "an ACK that brings few credits")
	h.rest()
	p.postBare(7, "post for few credits")
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK that ends credits")
}

// granted has SENDs wait for credits that come with an ACK which calls for a READ again (CRD-2, REQ-3): no other answer
// brings them.
func (h *hcaTxHost) granted() {
	p := h.loner(hca.ReqRecord{Profile: hca.ReqCreditsLimited}, hca.RetryRecord{RetryCnt: 7})
	for _, verb := range [...]roce.Verb{roce.Read, roce.Write} {
		h.wqes++
		w := hca.SendWQE{WQE: h.wqes, Verb: verb, Flags: hca.SQSignaled, List: p.place(), Entries: 1}
		if verb == roce.Read { // up to 2^22 packets: nobody answers them
			w.Length = 1<<h.r.Below(30) + uint32(h.r.Below(1<<8))
		}
		p.postAs(&w, "post before credits come")
	}
	p.postBare(3, "post for credits of a retry")
	h.rest()
	h.respond(hca.HcaTxResponse{QPN: p.qpn, PSN: h.model.State(p.qpn).High.Add(-1), Opcode: ib.Join(ib.RC, ib.Ack),
		Syndrome: ib.AckSyndrome(uint8(5 + h.r.Below(20)))}, "an ACK that calls for a READ again and brings credits")
	h.rest()
}

// misread has a READ end with its first response, or its only one, whose pad or length is wrong (REQ-12).
func (h *hcaTxHost) misread() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	pmtu := hcaTxPMTU[p.pmtu]
	h.wqes++
	w := hca.SendWQE{WQE: h.wqes, Verb: roce.Read, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(), Entries: 1,
		Length: uint32(1 + h.r.Below(2*int(pmtu)))}
	p.postAs(&w, "post of a READ that ends badly")
	h.rest()
	only := w.Length <= pmtu
	right := min(w.Length, pmtu)
	a := hca.HcaTxResponse{QPN: p.qpn, Payload: uint16(right), Pad: uint8(-right & 3), Syndrome: ib.AckSyndrome(31),
		Opcode: ib.Join(ib.RC, readOperation(true, only)), PSN: h.model.State(p.qpn).Una}
	if h.r.OneIn(2) {
		a.Pad ^= uint8(1 + h.r.Below(3))
	} else {
		a.Payload = p.mislong(a.Payload)
		a.Pad = uint8(-a.Payload & 3)
	}
	h.nothingOf(a, "a first response that is wrong")
}

// shut has its packets closed, and set up again as cannot be (no PMTU has such a code, no service such a number):
// nothing of what is posted leaves.
func (h *hcaTxHost) shut() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	p.postBare(1, "post before the end")
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK before the end")
	h.rest()
	p.say(hca.TxClose, "the end")
	again := hca.TxRecord{QPN: p.qpn, Op: hca.TxConfigure, Una: h.model.State(p.qpn).Next, PMTU: 1, MaxReads: 1,
		Unlimited: true}
	switch h.r.Below(3) {
	case 0:
		again.PMTU = [...]uint8{0, 6, 7}[h.r.Below(3)]
		h.op(hca.ToPackets, again.Append(nil), "a PMTU that is none")
	case 1:
		again.Service = 3
		h.op(hca.ToPackets, again.Append(nil), "a service that is none")
	}
	p.postBare(2, "post behind the end")
	h.rest()
	queue := hca.SQRecord{QPN: p.qpn, Op: hca.SQVerdict, Fail: true, Status: roce.Flushed}
	h.op(hca.ToSendQueues, queue.Append(nil), "what is posted is flushed")
}

// answered has one request, and hears what may be anything but what would be written: any opcode, any syndrome, of the
// packet or beside it (REQ-3, REQ-12).
func (h *hcaTxHost) answered() {
	r := h.r
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{RNRRetry: 7, RetryCnt: 7})
	h.wqes++
	w := hca.SendWQE{WQE: h.wqes, Flags: hca.SQSignaled, List: p.place(), Entries: 1, Verb: [...]roce.Verb{roce.Send,
		roce.Write, roce.Read, roce.CmpSwap, roce.FetchAdd, roce.Flush}[r.Below(6)]}
	p.postAs(&w, "post that anything answers")
	for range hcaTxAnswers {
		h.rest()
		a := hca.HcaTxResponse{QPN: p.qpn, Number: uint32(r.Below(3)), Opcode: ib.Join(ib.RC, ib.Ack),
			Syndrome: ib.Syndrome(r.Below(256)), PSN: h.model.State(p.qpn).Una.Add(int32(r.Below(4) - 1))}
		if any := ib.Join(ib.RC, ib.Operation(r.Below(32))); r.OneIn(3) {
			a.Opcode = any
		}
		if brings(&a) {
			a.Opcode = ib.Join(ib.RC, ib.Operation(0x15+r.Below(11)))
		}
		if r.OneIn(3) { // of none of these a frame comes (OPC-2)
			a.Opcode, a.Payload = a.Opcode|ib.Opcode(1+r.Below(7))<<5, uint16(r.Below(1<<9))
		}
		p.h.respond(a, "anything as an answer")
	}
}

// resumed goes to SQD and back, again and again, and sends a message each time.
func (h *hcaTxHost) resumed() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	for range hcaTxResumes {
		p.say(hca.TxDrain, "SQD, for a moment")
		p.postBare(1, "post in SQD, for a moment")
		p.say(hca.TxResume, "RTS, in a moment")
		h.rest()
	}
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK of all that left in between")
}

// woken hears that there is no WQE, then anything: that ends its wait and starts its transport timer, which expires
// (TMR-5, as the profile has it).
func (h *hcaTxHost) woken() {
	p := h.loner(hca.ReqRecord{Profile: hca.ReqAnyAnswerEndsRNR}, hca.RetryRecord{Code: hcaTxCodes[0], RetryCnt: 3,
		RNRRetry: 3, AnyAnswer: true})
	p.postBare(1, "post to who has no WQE yet")
	h.rest()
	p.says(ib.RNRSyndrome(hcaTxRNRCodes[3]), "no WQE yet")
	h.rest()
	switch h.r.Below(4) {
	case 0:
		p.repeat("an ACK again, which ends no wait")
	case 1:
		p.h.respond(hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.Ack), PSN: h.model.State(p.qpn).High.Add(3),
			Syndrome: ib.AckSyndrome(ib.CreditsUnlimited)}, "a ghost, which ends no wait")
	default:
		p.says(ib.NAKSequence, "a NAK that ends a wait")
	}
	h.rest()
	h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxShortest+hcaTxSlack), "time passes behind a wait that ended")
	h.rest()
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind a wait")
}

// setUpWayless sets up QPs of UC whose packets are refused for want of a way, and one whose way comes later.
func (h *hcaTxHost) setUpWayless() {
	h.lateWay().begins(0, 0, false, false)
	for _, qpn := range hcaTxWayless {
		p := &hcaTxPeer{h: h, r: h.r, qpn: qpn, pmtu: 1, service: hca.TxUC}
		p.begins(0, 0, false, false)
		if qpn == hcaTxNowhere {
			way := frameNoise(h.r).Way
			way.Encap = [...]wire.Encap{wire.EncapNone, wire.EncapRaw, wire.EncapRaw + 1}[h.r.Below(3)]
			h.give(hca.HcaTxOps, hca.HcaTxWayOp(hca.FrameSet, qpn, &way), "a way of no encapsulation")
		}
	}
}

// strand has them post, once an episode: all fail at once (DMA-7). Where it is a step in which READ responses come,
// their operations wait for memory.
func (h *hcaTxHost) strand() {
	h.stranded = true
	for _, qpn := range hcaTxWayless {
		p := &hcaTxPeer{h: h, r: h.r, qpn: qpn, pmtu: 1, service: hca.TxUC}
		p.postBare(1, "post of UC without a way")
		h.model.Fail(qpn)
	}
	h.model.Clear()
}

// strands reports whether this is the step for that.
func (h *hcaTxHost) strands() bool {
	if h.top != nil || h.stranded || h.left >= hcaTxMost {
		return false
	}
	for i := range h.peers {
		if p := &h.peers[i]; len(p.answers) > 0 && p.answers[0].HasFrame() {
			return h.r.OneIn(6)
		}
	}
	return false
}

// wayless has them fail while a QP that has a way sends: four packets, one of them with the last PSN that there is.
func (h *hcaTxHost) wayless() {
	p := &hcaTxPeer{h: h, r: h.r, qpn: hcaTxAlone, pmtu: 1, service: hca.TxUC}
	p.opens(psn.New(uint32(1<<psn.Bits-1-h.r.Below(4))), 0, false, false)
	h.rest()
	p.postBare(2, "post of UC")
	if !h.stranded {
		h.strand()
	}
	p.postBare(2, "post of UC")
	h.memory.leave(h, hcaTxAlone, len(h.memory.step))
	h.rest()
}

// refused has some of its messages acknowledged by the NAK that refuses the next one (REQ-1).
func (h *hcaTxHost) refused() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{})
	p.postBare(4, "post that is refused, some of it")
	h.rest()
	nak := ib.NAKInvalidRequest + ib.Syndrome(h.r.Below(3))
	p.h.respond(hca.HcaTxResponse{QPN: p.qpn, Opcode: ib.Join(ib.RC, ib.Ack), Syndrome: nak,
		PSN: h.model.State(p.qpn).Una.Add(int32(h.r.Below(4)))}, "a NAK that acknowledges")
}

// crossed has ACKs of others, one a clock, meet its expiries in one clock or another: none of them comes twice, and no
// other of its QP, so one that is lost is missed.
func (h *hcaTxHost) crossed() {
	p := h.loner(hca.ReqRecord{}, hca.RetryRecord{Code: hcaTxCodes[0], RetryCnt: 7})
	p.postBare(1, "post that nobody answers yet")
	for range hcaTxRounds {
		others := h.others()
		for _, o := range others {
			o.postBare(1, "post before an expiry")
		}
		h.rest()
		h.wakes(h.r.Below(hcaTxCrossing))
		h.give(hca.HcaTxOps, hca.HcaTxLapse(hcaTxShortest+hcaTxSlack), "time passes beside ACKs of others")
		for range h.r.Below(hcaTxCrossing / 2) {
			h.stray()
		}
		h.says(others, ib.AckSyndrome(ib.CreditsUnlimited), "an ACK beside another's expiry")
		h.rest()
		h.closes(others)
	}
	p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK behind expiries")
}

// others sets up those whose ACKs count.
func (h *hcaTxHost) others() []*hcaTxPeer { return h.othersBehind(hca.ReqRecord{}) }

// othersBehind sets them up, the first one as it says.
func (h *hcaTxHost) othersBehind(first hca.ReqRecord) (all []*hcaTxPeer) {
	for i, qpn := range hcaTxOthers {
		check := hca.ReqRecord{}
		if i == 0 {
			check = first
		}
		all = append(all, h.lonerAt(qpn, check, hca.RetryRecord{}))
	}
	return all
}
