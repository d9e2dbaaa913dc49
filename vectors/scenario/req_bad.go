package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// negative gives NAKs and RNR NAKs, often the same one several times.
func (l *reqLife) negative() {
	r, p := l.rand, l.pick()
	s, why := ib.NAKSequence, "response: sequence NAK"
	switch n := r.Below(8); {
	case n < 2:
		s, why = ib.RNRSyndrome(uint8(r.Below(32))), "response: RNR NAK"
	case n == 2 && (!l.calm || l.cfg.Profile.ReservedNAKIgnored):
		s, why = nak(r, ib.NAKInvalidRD+1), "response: NAK of a reserved code"
	}
	for range r.Between(1, 3) {
		l.give(l.response(ib.Ack, p, s), why)
	}
	switch {
	case l.state.Waiting && r.OneIn(2):
		l.goOn()
	case r.OneIn(4):
		l.timer()
	}
}

// wait lets a wait for the RNR timer begin, and be met by what ends it and what does not (TMR-5).
func (l *reqLife) wait() {
	r := l.rand
	for n := r.Below(3); n > 0; n-- {
		l.send()
	}
	l.give(l.response(ib.Ack, l.pick(), ib.RNRSyndrome(uint8(r.Below(32)))), "response: RNR NAK")
	for range r.Between(1, 4) {
		una := l.state.Una
		switch r.Below(10) {
		case 0:
			l.give(l.response(ib.Ack, una, l.ackSyndrome()), "response: ACK in a wait")
		case 1:
			l.give(l.response(ib.Ack, una.Add(1), ib.NAKSequence), "response: sequence NAK in a wait")
		case 2:
			l.give(l.response(ib.Ack, una.Add(1), ib.RNRSyndrome(uint8(r.Below(32)))), "response: RNR NAK in a wait")
		case 3:
			l.give(l.response(ib.Ack, l.state.High.Add(-1), l.ackSyndrome()), "response: ACK of the last in a wait")
		case 4:
			l.give(l.response(ib.Ack, una, []ib.Syndrome{ib.NAKSequence, ib.RNRSyndrome(1)}[r.Below(2)]),
				"response: NAK of una in a wait")
		case 5:
			if len(l.reads) > 0 {
				l.give(l.dueResponse(), "response: due in a wait")
			}
		case 6:
			if !l.calm {
				l.give(l.response(ib.Ack, una.Add(int32(min(1, r.Below(4)))), nak(r, ib.NAKInvalidRequest)),
					"response: fatal NAK in a wait")
			}
		case 7:
			if !l.calm || l.cfg.Profile.ReservedNAKIgnored {
				l.give(l.response(ib.Ack, una.Add(int32(min(1, r.Below(4)))), reserved(r)), "response: reserved syndrome in a wait")
			}
		case 8:
			l.timer()
		default:
			l.goOn()
		}
	}
}

// lose answers as if earlier answers had been lost: from behind what is due.
func (l *reqLife) lose() {
	r, p := l.rand, l.pick()
	for range r.Between(1, 2) {
		switch {
		case l.calm || r.OneIn(2):
			l.give(l.response(ib.Ack, p, l.ackSyndrome()), "response: ACK of a later one")
		default:
			rec := l.response(readOperation(r.OneIn(2), r.OneIn(2)), p, l.ackSyndrome())
			if r.OneIn(4) {
				rec.Opcode = ib.Join(ib.RC, ib.AtomicAck)
			}
			rec.Payload = uint16(l.cfg.PMTUBytes)
			l.give(rec, "response: later one")
		}
	}
}

// stale answers what was answered before, or what was never asked: at the ends of the regions of PSN-3.
func (l *reqLife) stale() {
	r, una, high := l.rand, l.state.Una, l.state.High
	p := []psn.PSN{
		una.Add(-1), una.Add(-1), una.Add(-2), una.Add(-1 - 1<<r.Below(psn.Bits-1)),
		high, high.Add(1 << r.Below(psn.Bits-1)), high.Add(-psn.Half), high.Add(-psn.Half - 1),
	}[r.Below(8)]
	op := ib.Ack
	if r.OneIn(4) {
		op = dataOperation(r)
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
	if l.calm && !l.cfg.Profile.ReservedNAKIgnored {
		l.answer()
		return
	}
	if l.calm || len(l.reads) == 0 || r.OneIn(3) {
		rec := l.response(dataOperation(r), l.pick(), reserved(r))
		switch n := r.Below(8); {
		case n < 3:
			rec.Opcode = ib.Join(ib.RC, ib.Ack)
		case l.calm:
		case n < 5:
			rec.Opcode, rec.Syndrome = ib.Opcode(r.Below(256)), l.ackSyndrome()
		case n < 7:
			rec.PSN, rec.Syndrome = l.state.Una, l.ackSyndrome()
		}
		l.give(rec, "response: syndrome or opcode that is none")
		return
	}
	rec := l.dueResponse()
	h := &l.reads[0]
	switch r.Below(6) {
	case 0:
		rec.Opcode = ib.Join(ib.RC, dataOperation(r))
	case 1:
		rec.Opcode = ib.Join(ib.RC, readOperation(false, h.Due == h.Last))
	case 2:
		rec.Payload += uint16(r.Between(-1, 1))
	case 3:
		rec.Payload += uint16(r.Between(-4, 4))
		rec.Pad = uint8(-rec.Payload & 3)
	case 4:
		rec.Pad ^= uint8(r.Between(1, 3))
	case 5:
		rec.Payload ^= 1 << [...]int{12, r.Below(13)}[r.Below(2)]
		rec.Pad = uint8(-rec.Payload & 3)
	}
	l.give(rec, "response: due, but not as it should be")
}

// fatal ends the life with a NAK, and begins another one.
func (l *reqLife) fatal() {
	s := ib.NAKInvalidRequest + ib.Syndrome(l.rand.Below(4))
	l.give(l.response(ib.Ack, l.pick(), s), "response: fatal NAK")
	if l.rand.OneIn(2) {
		l.give(l.response(ib.Ack, l.pick(), l.ackSyndrome()), "response: after the end")
	}
	l.begin()
}

// wrongLength is the response that is due with another pad, or with bytes too few or too many, the pad then being
// theirs.
func (l *reqLife) wrongLength() hca.ReqRecord {
	r, rec := l.rand, l.dueResponse()
	switch r.Below(4) {
	case 0:
		rec.Pad ^= uint8(r.Between(1, 3))
		return rec
	case 3:
		rec.Payload ^= 1 << [...]int{12, r.Between(2, 12)}[r.Below(2)] // one bit of the length, the pad as it was
		return rec
	case 1:
		rec.Payload -= uint16(r.Between(1, 8)) // a length below 0 is one of many bytes
	default:
		rec.Payload += uint16(r.Between(1, 8))
	}
	rec.Payload &= 1<<13 - 1
	rec.Pad = uint8(-rec.Payload & 3)
	return rec
}

// fillReads has as many READs and atomics out as there may be, tries one more, and is answered, one after the other,
// until none is left or something else happens.
func (l *reqLife) fillReads() {
	r := l.rand
	for n := l.cfg.MaxReads + 2; n > 0 && len(l.reads) <= int(l.cfg.MaxReads); n-- {
		rec := hca.ReqRecord{Op: hca.ReqSent, PSN: l.state.High, Count: 1, Number: l.ssn, Kind: roce.ReqRead +
			roce.ReqKind(r.Below(2)),
			Payload: l.drawTail()}
		l.sent(rec, "sent: to fill the list")
		l.ssn++
	}
	toTheEnd := r.OneIn(2)
	for n := 40; n > 0 && len(l.reads) > r.Below(2) && !l.over && (toTheEnd || !r.OneIn(40)); n-- {
		before := l.reads[0].Due.From(l.state.Una)
		if before > 0 {
			l.give(l.response(ib.Ack, l.reads[0].Due.Add(-1), l.ackSyndrome()), "response: ACK of what comes before")
		}
		if !toTheEnd && r.OneIn(8) {
			l.give(l.wrongLength(), "response: due, but for its length or pad")
			continue
		}
		l.give(l.dueResponse(), "response: due, of a full list")
	}
}
