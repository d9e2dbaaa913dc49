package vectors

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
	lives := make([]reqLife, 1<<r.Below(4))
	drawReqQPNs(r, lives)
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

// reqMessage is what was sent and waits for its own responses.
type reqRead struct {
	due, last psn.PSN
	atomic    bool
	begun     bool
	tail      uint16
}

// reqLife is a requester as its peer would see it: near enough to aim answers at the places that matter. What they mean,
// the model says.
type reqLife struct {
	rand *Rand
	out  *Episode

	qpn       uint32
	pmtu      uint8
	maxReads  int
	profile   uint8
	una, high psn.PSN
	reads     []reqRead
	ssn, lsn  uint32
	known     bool          // lsn means something
	last      hca.ReqRecord // the last response: it may come twice
}

func (l *reqLife) pmtuBytes() uint16 { return 128 << l.pmtu }

// add appends a record, unless the episode is full.
func (l *reqLife) add(rec hca.ReqRecord, why string) {
	if l.out.Len() == reqEpisodeRecords {
		return
	}
	rec.QPN = l.qpn
	if l.rand.OneIn(64) {
		rec.QPN ^= 1 << l.rand.Between(12, 23) // another QP, of the same low bits
		why = "other QP: " + why
	}
	l.out.Add(0, 0, rec.Append(nil), why)
}

func (l *reqLife) op(op hca.ReqOp, why string) { l.add(hca.ReqRecord{Op: op}, why) }

// begin opens the QP, whatever it was before.
func (l *reqLife) begin() {
	r := l.rand
	l.op(hca.ReqClose, "close")
	start := drawPSN(r)
	if r.OneIn(6) {
		start = 0 // una - 1 lies over the turn
	}
	l.una, l.high, l.reads = start, start, l.reads[:0]
	l.pmtu, l.maxReads = uint8(r.Between(1, 5)), r.Between(1, 4)
	l.ssn, l.lsn = 1, 0
	rec := hca.ReqRecord{Op: hca.ReqConfigure, PSN: start, PMTU: l.pmtu, MaxReads: uint8(l.maxReads)}
	if r.OneIn(2) {
		rec.Profile = uint8(r.Below(32))
	}
	l.profile = rec.Profile
	l.known = l.profile&hca.ReqCreditsLimited != 0
	if r.OneIn(16) {
		bad := rec
		bad.PMTU = []uint8{0, 6, 7}[r.Below(3)]
		l.add(bad, "configure: no such PMTU")
		bad = rec
		bad.MaxReads = uint8(r.Between(17, 31))
		l.add(bad, "configure: too many READs")
	}
	if r.OneIn(32) { // refused unless Reads allows for it: then the life of a requester that knows no better
		l.maxReads = min(16, r.Between(5, 26))
		rec.MaxReads = uint8(l.maxReads)
		l.add(rec, "configure: many READs")
		rec.MaxReads = 4
	}
	l.add(rec, "configure")
	if r.OneIn(4) {
		l.add(rec, "configure: open already")
	}
	if start == 0 || r.OneIn(2) {
		l.give(l.response(ib.Ack, start.Add(-1), l.ackSyndrome()), "response: initial credits")
	}
}

func (l *reqLife) step() {
	r := l.rand
	switch n := r.Below(100); {
	case n < 30:
		l.send()
	case n < 34:
		l.sendWrongly()
	case n < 58:
		l.answer()
	case n < 66:
		l.negative()
	case n < 76:
		l.lose()
	case n < 84:
		l.stale()
	case n < 91:
		l.broken()
	case n < 93:
		l.add(l.last, "response: the last one again")
	case n < 95:
		l.op(hca.ReqRetry, "transport timer")
	case n < 97:
		l.op(hca.ReqGoOn, "RNR timer")
	case n < 98:
		l.op(hca.ReqLook+hca.ReqOp(r.Below(2)), "look")
	case n < 99:
		l.begin()
	default:
		l.fatal()
	}
}

// send sends something new, when it may, and at times when it may not.
func (l *reqLife) send() {
	r := l.rand
	rec := hca.ReqRecord{Op: hca.ReqSent, PSN: l.high, Count: 1, Number: l.ssn, Kind: roce.ReqKind(r.Below(4))}
	if l.maxReads > 4 && !r.OneIn(3) {
		rec.Kind = roce.ReqRead + roce.ReqKind(r.Below(2)) // to fill the list
	}
	if rec.Kind != roce.ReqAtomic {
		rec.Count = l.drawCount()
	}
	if rec.Kind == roce.ReqLimited && l.known && r.OneIn(2) {
		l.sendMessage(l.lsn + uint32(r.Between(-1, 2)))
		return
	}
	full := false
	if rec.Kind == roce.ReqRead || rec.Kind == roce.ReqAtomic {
		rec.Payload = uint16(r.Between(0, int(l.pmtuBytes())))
		full = len(l.reads) >= l.maxReads
	}
	l.add(rec, "sent: new")
	if full || l.outstanding()+rec.Count > psn.Half {
		return
	}
	if rec.Kind == roce.ReqRead || rec.Kind == roce.ReqAtomic {
		l.reads = append(l.reads, reqRead{due: rec.PSN, last: rec.PSN.Add(int32(rec.Count) - 1),
			atomic: rec.Kind == roce.ReqAtomic, tail: rec.Payload})
	}
	l.high = l.high.Add(int32(rec.Count))
	l.ssn++
}

// sendMessage sends a SEND of one to three packets, with credits or without.
func (l *reqLife) sendMessage(ssn uint32) {
	for range l.rand.Between(1, 3) {
		l.add(hca.ReqRecord{Op: hca.ReqSent, PSN: l.high, Count: 1, Number: ssn, Kind: roce.ReqLimited}, "sent: packet of a SEND")
		if l.outstanding() < psn.Half {
			l.high = l.high.Add(1)
		}
	}
	l.ssn = ssn + 1
}

func (l *reqLife) outstanding() uint32 { return uint32(psn.New(uint32(l.high) - uint32(l.una))) }

// drawCount draws few PSNs mostly, else what fills the window, one more, or a power of two.
func (l *reqLife) drawCount() uint32 {
	r, room := l.rand, psn.Half-l.outstanding()
	switch n := r.Below(40); {
	case n == 0:
		return room + 1
	case n == 1 && room > 0:
		return room
	case n == 2:
		return 1 << r.Below(psn.Bits)
	default:
		return uint32(r.Between(1, 4))
	}
}

// sendWrongly says of PSNs that were sent before, or never.
func (l *reqLife) sendWrongly() {
	r := l.rand
	rec := hca.ReqRecord{Op: hca.ReqSent, Count: 1, Number: l.ssn, Kind: roce.ReqKind(r.Below(4))}
	switch r.Below(5) {
	case 0:
		rec.PSN = l.high.Add(int32(1) << r.Below(psn.Bits-1))
		l.add(rec, "sent: hole")
	case 1:
		rec.PSN, rec.Count = l.high, []uint32{0, psn.Half + 1, 1<<psn.Bits - 1}[r.Below(3)]
		l.add(rec, "sent: no such count")
	case 2:
		rec.PSN, rec.Count, rec.Kind = l.high, uint32(r.Between(2, 5)), roce.ReqAtomic
		l.add(rec, "sent: atomic of several PSNs")
	default:
		rec.PSN = l.una
		if n := l.outstanding(); n > 0 {
			rec.PSN = l.una.Add(int32(r.Below(int(n))))
		}
		l.add(rec, "sent: again")
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
	switch r.Below(8) {
	case 0:
		return l.lsn - credits + uint32(r.Between(-1, 1))
	case 1:
		return l.lsn - credits + psn.Half + uint32(r.Between(-1, 1))
	case 2:
		return l.lsn - credits - 1<<r.Below(psn.Bits)
	default:
		return l.lsn - credits + uint32(r.Below(3))
	}
}

func (l *reqLife) ackSyndrome() ib.Syndrome {
	if l.rand.OneIn(4) {
		return ib.AckSyndrome(ib.CreditsUnlimited)
	}
	return ib.AckSyndrome(uint8(l.rand.Below(31)))
}

// give adds a response. Credits of an ACK move lsn.
func (l *reqLife) give(rec hca.ReqRecord, why string) {
	l.add(rec, why)
	l.last = rec
	credits, counted := ib.Credits(rec.Syndrome.Code())
	isAck := rec.Opcode == ib.Join(ib.RC, ib.Ack) && rec.Syndrome.Kind() == ib.KindAck
	if !isAck || !counted || psn.Respond(rec.PSN, l.una, l.high) == psn.Ghost {
		return
	}
	if lsn := psn.New(rec.Number + credits); !l.known || lsn.Diff(psn.New(l.lsn)) > 0 {
		l.lsn, l.known = uint32(lsn), true
	}
}

// answer gives what is due: the head's next response, or an ACK of some of what comes before it.
func (l *reqLife) answer() {
	before := l.outstanding()
	if len(l.reads) > 0 {
		before = uint32(psn.New(uint32(l.reads[0].due) - uint32(l.una)))
	}
	switch {
	case before > 0 && (len(l.reads) == 0 || !l.rand.OneIn(3)):
		n := int(min(before, 8))
		if l.rand.OneIn(4) {
			n = int(before)
		}
		p := l.una.Add(int32(l.rand.Below(n)))
		if l.rand.OneIn(3) {
			p = l.una.Add(int32(n) - 1)
		}
		l.give(l.response(ib.Ack, p, l.ackSyndrome()), "response: ACK")
		l.una = p.Add(1)
	case len(l.reads) > 0:
		l.give(l.dueResponse(), "response: due")
		l.taken()
	default:
		l.send()
	}
}

// dueResponse is the response that the head waits for, as it should be.
func (l *reqLife) dueResponse() hca.ReqRecord {
	h := &l.reads[0]
	rec := l.response(ib.AtomicAck, h.due, l.ackSyndrome())
	if h.atomic {
		return rec
	}
	first, last := !h.begun || l.rand.OneIn(8), h.due == h.last
	rec.Payload = l.pmtuBytes()
	if last {
		rec.Payload = h.tail
	}
	rec.Pad = uint8(-rec.Payload & 3)
	rec.Opcode = ib.Join(ib.RC, readOperation(first, last))
	if !first && !last {
		rec.Syndrome = ib.Syndrome(l.rand.Below(256)) // a Middle has no AETH
	}
	return rec
}

func readOperation(first, last bool) ib.Operation {
	switch {
	case first && last:
		return ib.ReadResponseOnly
	case first:
		return ib.ReadResponseFirst
	case last:
		return ib.ReadResponseLast
	}
	return ib.ReadResponseMid
}

// taken moves behind the response that was due.
func (l *reqLife) taken() {
	h := &l.reads[0]
	l.una, h.begun = h.due.Add(1), true
	if h.due == h.last {
		l.reads = l.reads[1:]
		return
	}
	h.due = l.una
}

// pick draws a PSN of what is unacked: near una, near a READ's ends, or near high; una when there is none.
func (l *reqLife) pick() psn.PSN {
	r, n := l.rand, int(l.outstanding())
	if n == 0 {
		return l.una
	}
	p := l.una
	switch r.Below(5) {
	case 0:
		p = l.high.Add(-1)
	case 1:
		p = l.una.Add(int32(r.Below(min(n, 6))))
	case 2, 3:
		if len(l.reads) > 0 {
			h := l.reads[r.Below(len(l.reads))]
			p = []psn.PSN{h.due, h.last, h.due.Add(-1), h.last.Add(1), h.due.Add(1)}[r.Below(5)]
		}
	}
	return p
}

// release moves una as a NAK of PSN p would.
func (l *reqLife) release(p psn.PSN) {
	if len(l.reads) > 0 && p.Diff(l.reads[0].due) > 0 {
		p = l.reads[0].due
	}
	if uint32(psn.New(uint32(p)-uint32(l.una))) < l.outstanding() {
		l.una = p
	}
}

// negative gives NAKs and RNR NAKs, often the same one several times.
func (l *reqLife) negative() {
	r, p := l.rand, l.pick()
	s, why := ib.NAKSequence, "response: sequence NAK"
	switch r.Below(4) {
	case 0:
		s, why = ib.RNRSyndrome(uint8(r.Below(32))), "response: RNR NAK"
	case 1:
		s, why = ib.Syndrome(0x60+r.Below(2)*r.Between(5, 31)), "response: NAK"
	}
	for range r.Between(1, 3) {
		l.give(l.response(ib.Ack, p, s), why)
	}
	l.release(p)
	switch {
	case s > ib.NAKInvalidRD && l.profile&hca.ReqReservedIgnored == 0:
		l.begin() // it was fatal
	case s.Kind() == ib.KindRNR && r.OneIn(2):
		l.op(hca.ReqGoOn, "RNR timer")
	case r.OneIn(4):
		l.op(hca.ReqRetry, "transport timer")
	}
}

// lose answers as if earlier answers had been lost: from behind what is due.
func (l *reqLife) lose() {
	r, p := l.rand, l.pick()
	for range r.Between(1, 2) {
		switch {
		case r.OneIn(2):
			l.give(l.response(ib.Ack, p, l.ackSyndrome()), "response: ACK of a later one")
		default:
			rec := l.response(readOperation(r.OneIn(2), r.OneIn(2)), p, l.ackSyndrome())
			if r.OneIn(4) {
				rec.Opcode = ib.Join(ib.RC, ib.AtomicAck)
			}
			rec.Payload = l.pmtuBytes()
			l.give(rec, "response: later one")
		}
	}
	if len(l.reads) > 0 && p.Diff(l.reads[0].due) < 0 {
		l.una = p.Add(1)
	}
	l.release(p)
}

// stale answers what was answered before, or what was never asked: at the ends of the regions of PSN-3.
func (l *reqLife) stale() {
	r := l.rand
	p := []psn.PSN{
		l.una.Add(-1), l.una.Add(-1), l.una.Add(-2), l.una.Add(-1 - 1<<r.Below(psn.Bits-1)),
		l.high, l.high.Add(1 << r.Below(psn.Bits-1)), l.high.Add(-psn.Half), l.high.Add(-psn.Half - 1),
	}[r.Below(8)]
	op := ib.Ack
	if r.OneIn(4) {
		op = ib.Operation(r.Between(int(ib.ReadResponseFirst), int(ib.AtomicAck)))
	}
	s := l.ackSyndrome()
	if r.OneIn(4) {
		s = ib.Syndrome(r.Below(256))
	}
	l.give(l.response(op, p, s), "response: stale or ghost")
}

// broken gives what no responder should send.
func (l *reqLife) broken() {
	r := l.rand
	if len(l.reads) == 0 || r.OneIn(3) {
		rec := l.response(ib.Operation(r.Between(int(ib.ReadResponseFirst), int(ib.AtomicAck))), l.pick(),
			ib.Syndrome(0x80>>r.Below(2)|r.Below(32)))
		if r.OneIn(4) {
			rec.Opcode = ib.Opcode(r.Below(256))
			rec.Syndrome = ib.Syndrome(r.Below(32))
		}
		l.give(rec, "response: syndrome or opcode that is none")
		return
	}
	rec := l.dueResponse()
	h := &l.reads[0]
	switch r.Below(6) {
	case 0:
		rec.Opcode = ib.Join(ib.RC, ib.Operation(r.Between(int(ib.ReadResponseFirst), int(ib.AtomicAck))))
	case 1:
		rec.Opcode = ib.Join(ib.RC, readOperation(false, h.due == h.last))
	case 2:
		rec.Payload += uint16(r.Between(-1, 1))
	case 3:
		rec.Payload += uint16(r.Between(-4, 4))
		rec.Pad = uint8(-rec.Payload & 3)
	case 4:
		rec.Pad ^= uint8(r.Between(1, 3))
	case 5:
		rec.Payload ^= 1 << r.Below(13)
		rec.Pad = uint8(-rec.Payload & 3)
	}
	l.give(rec, "response: due, but not as it should be")
}

// fatal ends the life with a NAK, and begins another one.
func (l *reqLife) fatal() {
	l.give(l.response(ib.Ack, l.pick(), ib.Syndrome(l.rand.Between(0x61, 0x64))), "response: fatal NAK")
	if l.rand.OneIn(2) {
		l.give(l.response(ib.Ack, l.pick(), l.ackSyndrome()), "response: after the end")
	}
	l.begin()
}
