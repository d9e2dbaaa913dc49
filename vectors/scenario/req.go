package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// reqEpisodeRecords is how long an episode of req-ack-check is.
const reqEpisodeRecords = 256

// makeReqAckCheck makes lives of requesters: what they send, and answers of every kind to it.
func makeReqAckCheck(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, reqEpisodeRecords, fillReqEpisode)
}

// fillReqEpisode lets one to eight QPs live, in turns of one record or of several.
func fillReqEpisode(r *Rand, e *Episode) {
	if e.Number%16 == 0 {
		reqSweep(r, e)
	}
	lives := make([]reqLife, 1<<e.of.pick(r, reqPeers))
	reqTour(r, e)
	drawReqQPNs(r, lives)
	liveReqs(r, e, lives)
}

func liveReqs(r *Rand, e *Episode, lives []reqLife) {
	for i := range lives {
		lives[i].rand, lives[i].out = r, e
		lives[i].begin()
	}
	l := &lives[0]
	for e.Len() < reqEpisodeRecords {
		if r.OneIn(2) {
			l = &lives[r.Below(len(lives))]
		}
		l.step()
	}
}

// drawReqQPNs draws numbers of which any two may differ in one bit only.
func drawReqQPNs(r *Rand, lives []reqLife) {
	bits := 6
	switch n := r.Below(16); {
	case n == 0:
		bits = 16 // there with NumQps 65,536 only
	case n < 8:
		bits = 12
	}
	base, first := uint32(r.Below(1<<bits)), r.Below(bits)
	for i := range lives {
		lives[i].qpn = base
		if i > 0 {
			lives[i].qpn ^= 1<<((first+i)%bits) | uint32(i>>2)
		}
	}
}

// reqLife is a requester as its device should see it, to aim answers at the places that matter. What they mean, the
// model says.
type reqLife struct {
	rand *Rand
	out  *Episode

	qpn     uint32
	pmtu    uint8
	profile uint8
	cfg     roce.RequesterConfig
	state   roce.RequesterState
	reads   []roce.Outstanding
	ssn     uint32
	last    hca.ReqRecord // the last response: it may come twice
	calm    bool          // nothing ends it before its time
	over    bool          // an answer closed the QP

	before func() // where something may come in front of any record
}

// add appends a record, unless the episode is full.
func (l *reqLife) add(rec hca.ReqRecord, why string) {
	if l.before != nil {
		l.before()
	}
	if l.out.Len() == reqEpisodeRecords {
		return
	}
	rec.QPN = l.qpn
	if l.rand.OneIn(64) {
		rec.QPN ^= 1 << l.rand.Between(12, 23) // another QP, of the same low bits
		why = "other QP: " + why
	}
	l.fillUnused(&rec)
	l.out.scratch = rec.Append(l.out.scratch[:0])
	l.out.Add(0, 0, l.out.scratch, why)
}

// fillUnused puts noise into the fields that an operation does not look at.
func (l *reqLife) fillUnused(rec *hca.ReqRecord) {
	r := l.rand
	is, n := rec.Op, *rec
	*rec = hca.ReqRecord{QPN: n.QPN, Op: is, PSN: psn.New(uint32(r.Uint64())), Count: uint32(r.Below(4)),
		Number:  uint32(r.Below(1 << 24)),
		Payload: uint16(r.Below(1 << 13)), Opcode: ib.Opcode(r.Below(256)), Syndrome: ib.Syndrome(r.Below(256)),
		Pad:  uint8(r.Below(4)),
		Kind: roce.ReqKind(r.Below(4)), PMTU: uint8(r.Below(8)), MaxReads: uint8(r.Below(32)),
		Profile: uint8(r.Below(1 << hca.ReqProfileBits))}
	if r.OneIn(2) {
		rec.Number = l.state.LSN + uint32(r.Below(3))
	}
	if r.OneIn(2) {
		rec.PSN = [...]psn.PSN{l.state.Una, l.state.High, l.state.High.Add(-1)}[r.Below(3)]
	}
	switch is {
	case hca.ReqResponse:
		rec.PSN, rec.Number, rec.Opcode, rec.Syndrome = n.PSN, n.Number, n.Opcode, n.Syndrome
		if n.Opcode != ib.Join(ib.RC, ib.Ack) && n.Opcode != ib.Join(ib.RC, ib.AtomicAck) {
			rec.Payload, rec.Pad = n.Payload, n.Pad // those two have none that is looked at
		}
	case hca.ReqSent:
		rec.PSN, rec.Count, rec.Number, rec.Kind = n.PSN, n.Count, n.Number, n.Kind
		if n.Kind == roce.ReqRead {
			rec.Payload = n.Payload
		}
	case hca.ReqConfigure:
		rec.PSN, rec.PMTU, rec.MaxReads, rec.Profile = n.PSN, n.PMTU, n.MaxReads, n.Profile
	}
}

func (l *reqLife) op(op hca.ReqOp, why string) { l.add(hca.ReqRecord{Op: op}, why) }

// begin opens the QP, whatever it was before.
func (l *reqLife) begin() {
	r := l.rand
	l.op(hca.ReqClose, "close")
	if r.OneIn(8) {
		l.toClosed()
	}
	start := drawPSN(r)
	switch r.Below(8) {
	case 0:
		start = 0 // una - 1 lies over the turn
	case 1:
		start = psn.New(uint32(-r.Between(1, 8)))
	}
	l.pmtu, l.ssn, l.calm, l.over = uint8(r.Between(1, 5)), 1, r.OneIn(2), false
	rec := hca.ReqRecord{Op: hca.ReqConfigure, PSN: start, PMTU: l.pmtu, MaxReads: uint8(r.Between(1, 4))}
	if r.OneIn(2) {
		rec.Profile = uint8(r.Below(1 << hca.ReqProfileBits))
	}
	l.profile = rec.Profile
	if r.OneIn(16) {
		bad := rec
		bad.PMTU = []uint8{0, 6, 7}[r.Below(3)]
		l.add(bad, "configure: no such PMTU")
		bad = rec
		bad.MaxReads = uint8(r.Between(17, 31))
		l.add(bad, "configure: too many READs")
	}
	l.cfg = rec.Config()
	if r.OneIn(20) { // refused unless Reads allows for it: then the life of a requester that knows no better
		rec.MaxReads, l.calm = uint8(min(16, r.Between(5, 40))), true
		l.cfg = rec.Config()
		l.add(rec, "configure: many READs")
		rec.MaxReads = 4
	}
	l.state, l.reads = roce.NewRequesterState(&l.cfg), l.reads[:0]
	l.add(rec, "configure")
	if r.OneIn(4) {
		l.add(rec, "configure: open already")
	}
	if start == 0 || r.OneIn(2) {
		l.give(l.response(ib.Ack, start.Add(-1), l.ackSyndrome()), "response: initial credits")
	}
}

// toClosed speaks to a QP that is closed, of the PSNs that its zeros would stand for.
func (l *reqLife) toClosed() {
	r := l.rand
	for range r.Between(1, 3) {
		p := psn.New(uint32(r.Between(-1, 1)) & (1<<psn.Bits - 1))
		switch r.Below(4) {
		case 0:
			l.op([...]hca.ReqOp{hca.ReqRetry, hca.ReqGoOn, hca.ReqLook, hca.ReqClose}[r.Below(4)], "closed: an operation")
		case 1:
			l.add(l.response(ib.Ack, p, l.ackSyndrome()), "closed: a response")
		default:
			l.add(hca.ReqRecord{Op: hca.ReqSent, PSN: p, Count: 1, Number: uint32(r.Below(3)), Kind: roce.ReqKind(r.Below(4)),
				Payload: 8}, "closed: sent")
		}
	}
}

func (l *reqLife) step() {
	r := l.rand
	if l.over && !r.OneIn(8) {
		l.begin()
		return
	}
	n := r.Below(100)
	if i, ok := l.out.of.picked(r, reqNext); ok {
		n = reqNext.before(i)
	}
	if l.cfg.MaxReads > 4 && r.OneIn(2) {
		n = 0 // to fill the list
		if r.OneIn(12) {
			n = 90 // fillReads, which drains it too
		}
	}
	switch {
	case n < 28:
		l.send()
	case n < 32:
		l.sendWrongly()
	case n < 53:
		l.answer()
	case n < 60:
		l.negative()
	case n < 66:
		l.wait()
	case n < 74:
		l.lose()
	case n < 82:
		l.stale()
	case n < 87:
		l.broken()
	case n < 90:
		l.seldom()
	case n < 91:
		l.fillReads()
	case n < 92:
		l.give(l.last, "response: the last one again")
	case n < 94:
		l.timer()
	case n < 96:
		l.goOn()
	case n < 97:
		l.op(hca.ReqLook+hca.ReqOp(r.Below(2)), "look")
	case n < 98:
		l.begin()
	default:
		l.fatal()
	}
}

func (l *reqLife) timer() {
	l.op(hca.ReqRetry, "transport timer")
	l.state.Retry()
}

func (l *reqLife) goOn() {
	l.op(hca.ReqGoOn, "RNR timer")
	l.state.GoOn()
}

// sent appends a record of what went out, and notes it.
func (l *reqLife) sent(rec hca.ReqRecord, why string) {
	l.add(rec, why)
	high := l.state.High
	l.state.Sent(&l.cfg, rec.Kind, rec.PSN, rec.Count, rec.Number, uint8(len(l.reads)))
	if l.state.High != high && rec.Kind.Replayed() {
		l.reads = append(l.reads, rec.Outstanding())
	}
}

// send sends something new, when it may, and at times when it may not.
func (l *reqLife) send() {
	r := l.rand
	rec := hca.ReqRecord{Op: hca.ReqSent, PSN: l.state.High, Count: 1, Number: l.ssn, Kind: roce.ReqKind(r.Below(4))}
	if l.cfg.MaxReads > 4 && !r.OneIn(3) {
		rec.Kind = roce.ReqRead + roce.ReqKind(r.Below(2)) // to fill the list
	}
	if rec.Kind != roce.ReqAtomic {
		rec.Count = l.drawCount()
	}
	if rec.Kind == roce.ReqLimited && l.state.Known && r.OneIn(2) {
		l.sendMessage(l.state.LSN + uint32(r.Between(-1, 2)))
		return
	}
	if rec.Kind.Replayed() {
		rec.Payload = l.drawTail()
	}
	l.sent(rec, "sent: new")
	l.ssn++
	if rec.Count > 64 && rec.Kind == roce.ReqRead && len(l.reads) == 1 && !l.over {
		l.beginLong()
	}
}

// beginLong gives the first response of a READ of many PSNs.
func (l *reqLife) beginLong() {
	if l.reads[0].Due != l.state.Una {
		l.give(l.response(ib.Ack, l.reads[0].Due.Add(-1), l.ackSyndrome()), "response: ACK of what comes before")
	}
	if len(l.reads) == 1 && !l.over {
		l.give(l.dueResponse(), "response: due, of a long READ")
	}
}

// sendMessage sends a SEND of one to three packets, with credits or without.
func (l *reqLife) sendMessage(ssn uint32) {
	for range l.rand.Between(1, 3) {
		l.sent(hca.ReqRecord{Op: hca.ReqSent, PSN: l.state.High, Count: 1, Number: ssn, Kind: roce.ReqLimited},
			"sent: packet of a SEND")
	}
	l.ssn = ssn + 1
}

func (l *reqLife) outstanding() uint32 { return uint32(l.state.High.From(l.state.Una)) }

// drawCount draws few PSNs mostly, else what fills the window, one more, or a power of two
// and its neighbours.
func (l *reqLife) drawCount() uint32 {
	r, room := l.rand, psn.Half-l.outstanding()
	switch n := r.Below(40); {
	case n == 0:
		return room + 1
	case n == 1 && room > 0:
		return room
	case n <= 3:
		return uint32(max(1, 1<<r.Below(psn.Bits)+r.Between(-1, 1)))
	default:
		return uint32(r.Between(1, 4))
	}
}

// half sends a message of half the PSNs (PSN-7) and answers at both of its ends.
func (l *reqLife) half() {
	r := l.rand
	if l.outstanding() > 0 && len(l.reads) == 0 {
		l.give(l.response(ib.Ack, l.state.High.Add(-1), l.ackSyndrome()), "response: ACK of everything")
	}
	if l.outstanding() > 0 || l.over {
		return
	}
	rec := hca.ReqRecord{Op: hca.ReqSent, PSN: l.state.High, Count: psn.Half, Number: l.ssn,
		Kind:    roce.ReqKind(r.Below(3)),
		Payload: uint16(r.Between(1, int(l.cfg.PMTUBytes)))}
	l.sent(rec, "sent: half the PSNs")
	l.ssn++
	for range r.Between(1, 4) {
		p := []psn.PSN{l.state.Una, l.state.Una.Add(1), l.state.High.Add(-1), l.state.High.Add(-2),
			l.state.Una.Add(-1)}[r.Below(5)]
		s := l.ackSyndrome()
		switch r.Below(4) {
		case 0:
			s = ib.NAKSequence
		case 1:
			s = ib.RNRSyndrome(uint8(r.Below(32)))
		}
		if len(l.reads) > 0 && r.OneIn(2) {
			l.give(l.dueResponse(), "response: due, of half the PSNs")
		} else {
			l.give(l.response(ib.Ack, p, s), "response: to half the PSNs")
		}
	}
}

// drawTail draws how long the last response of a READ is: often as long as it can be.
func (l *reqLife) drawTail() uint16 {
	if l.rand.OneIn(3) {
		return uint16(l.cfg.PMTUBytes)
	}
	return uint16(l.rand.Between(0, int(l.cfg.PMTUBytes)))
}

// sendWrongly says of PSNs that were sent before, or never.
func (l *reqLife) sendWrongly() {
	r := l.rand
	rec := hca.ReqRecord{Op: hca.ReqSent, Count: 1, Number: l.ssn, Kind: roce.ReqKind(r.Below(4))}
	switch r.Below(5) {
	case 0:
		rec.PSN = l.state.High.Add(int32(1) << r.Below(psn.Bits-1))
		l.sent(rec, "sent: hole")
	case 1:
		rec.PSN, rec.Count = l.state.High, []uint32{0, psn.Half + 1, 1<<psn.Bits - 1}[r.Below(3)]
		l.sent(rec, "sent: no such count")
	case 2:
		rec.PSN, rec.Count, rec.Kind = l.state.High, uint32(r.Between(2, 5)), roce.ReqAtomic
		l.sent(rec, "sent: atomic of several PSNs")
	default:
		rec.PSN = l.state.Una
		if n := l.outstanding(); n > 0 {
			rec.PSN = l.state.Una.Add(int32(r.Below(int(n))))
		}
		l.sent(rec, "sent: again")
	}
}

// response is an answer with PSN p and credits that may or may not be new.
func (l *reqLife) response(op ib.Operation, p psn.PSN, s ib.Syndrome) hca.ReqRecord {
	return hca.ReqRecord{Op: hca.ReqResponse, Opcode: ib.Join(ib.RC, op), PSN: p, Syndrome: s, Number: l.drawMSN(s)}
}

// drawMSN aims MSN + credits at lsn, at the places around it and at the turn of its sign.
func (l *reqLife) drawMSN(s ib.Syndrome) uint32 {
	r := l.rand
	credits, _ := ib.Credits(s.Code())
	lsn := l.state.LSN
	switch r.Below(8) {
	case 0:
		return lsn - credits + uint32(r.Between(-1, 1))
	case 1:
		return lsn - credits + psn.Half + uint32(r.Between(-1, 1))
	case 2:
		return lsn - credits - 1<<r.Below(psn.Bits)
	default:
		return lsn - credits + uint32(r.Below(3))
	}
}

func (l *reqLife) ackSyndrome() ib.Syndrome {
	if l.rand.OneIn(4) {
		return ib.AckSyndrome(ib.CreditsUnlimited)
	}
	return ib.AckSyndrome(uint8(l.rand.Below(31)))
}

// reserved draws a syndrome that is none.
func reserved(r *Rand) ib.Syndrome {
	return []ib.Syndrome{0x40, 0x80, 0xA0, 0xC0, 0xE0}[r.Below(5)] + ib.Syndrome(r.Below(32))
}

// nak draws a NAK from a code on.
func nak(r *Rand, from ib.Syndrome) ib.Syndrome {
	return from + ib.Syndrome(r.Below(32-int(from.Code())))
}

// give adds a response and notes what it does.
func (l *reqLife) give(rec hca.ReqRecord, why string) {
	l.add(rec, why)
	if l.last = rec; l.over {
		return
	}
	p := rec.Packet()
	var head *roce.Outstanding
	if len(l.reads) > 0 {
		head = &l.reads[0]
	}
	d := l.state.Respond(&l.cfg, &p, head)
	if d.Ended {
		l.reads = l.reads[:copy(l.reads, l.reads[1:])]
	}
	l.over = d.Closes()
}
