package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// reqTourOps are the responses of a requester's service, ib.ReadResponseFirst to ib.AtomicAck.
const reqTourOps = 6

// reqTourPairs are pairs of bits in which the response that comes differs from the one that is due, in an episode.
const reqTourPairs = 8

// reqTour begins an episode with what chance is late to bring: each episode has the next of all syndromes, of all
// responses in every region of PSN-3, and of the bits that una may turn.
func reqTour(r *Rand, e *Episode) {
	l := reqLife{rand: r, out: e, qpn: uint32(r.Below(4))} // there under every NumQps
	n := int(e.Number)
	turn := psn.New(uint32(r.Uint64())&^(1<<(n%psn.Bits)) | (1<<(n%psn.Bits) - 1))
	l.tourOpen(turn)
	l.add(l.response(ib.Ack, turn, ib.Syndrome(n%64)), "tour: ACK or RNR NAK") // an ACK turns bit n of una
	rec := l.response(ib.ReadResponseFirst+ib.Operation(n%reqTourOps), turn.Add(1), ib.AckSyndrome(1))
	switch n / reqTourOps % 4 {
	case 0: // nowhere: no opcode of its service
		rec.Opcode ^= ib.Join(ib.UC, 0)
	case 1: // acknowledged
		rec.PSN = turn.Add(-1)
	case 2: // beyond what was sent
		rec.PSN = turn.Add(3)
	}
	l.add(rec, "tour: a response in a region")
	l.tourOpen(turn)
	l.add(l.response(ib.Ack, turn, ib.Syndrome(64+n%64)), "tour: NAK or reserved syndrome")
	l.op(hca.ReqLook, "tour: look")
	l.tourPad(n)
	l.tourNone(n)
	l.tourReserved(n)
	l.tourFar(2 * n)
	l.tourFar(2*n + 1)
	l.tourFold(n)
	for range reqTourPairs {
		l.tourPair(uint32(twoBits(l.rand, psn.Bits-1)))
	}
}

// tourFold has the response that comes be another than is due whose number has the same sum of its halves, or the same
// XOR.
func (l *reqLife) tourFold(n int) {
	const halfBits, steps = psn.Bits / 2, 10
	bit := n % steps
	due, far := psn.New(uint32(l.rand.Uint64())), uint32(1<<halfBits-1)<<bit
	if n/steps%2 == 1 {
		far = (1<<halfBits | 1) << bit
		due &^= psn.PSN(far)
	}
	l.tourFirst(due, far)
}

// tourPair has the response that comes differ from the one that is due in two bits: both become 1, or one becomes 0.
func (l *reqLife) tourPair(pair uint32) {
	due, low := uint32(l.rand.Uint64())&^pair, pair&-pair
	if l.rand.OneIn(2) {
		due, pair = due|low, pair-2*low
	}
	l.tourFirst(psn.New(due), pair)
}

// tourFirst has a First come that lies so far behind the one that is due.
func (l *reqLife) tourFirst(due psn.PSN, far uint32) {
	l.op(hca.ReqClose, "close: for the tour")
	l.add(hca.ReqRecord{Op: hca.ReqConfigure, PSN: due, PMTU: 1, MaxReads: 1}, "configure: for the tour")
	l.add(hca.ReqRecord{Op: hca.ReqSent, PSN: due, Count: far + 2, Number: 1, Kind: roce.ReqRead, Payload: 256},
		"sent: a READ for the tour")
	rec := l.response(ib.ReadResponseFirst, due.Add(int32(far)), ib.AckSyndrome(1))
	rec.Payload = 256
	l.add(rec, "tour: a First far from the one that is due")
}

// tourFar has numbers a power of two apart where they are asked whether they are the same: what was sent, una and a
// NAK or the READ behind it, the response that is due and the one that comes, SSN and LSN.
func (l *reqLife) tourFar(n int) {
	const powers = psn.Bits - 2
	start, far := psn.New(uint32(l.rand.Uint64())), uint32(1)<<(n%powers)
	second := n/powers%2 == 1
	if start &^= psn.PSN(far); !second { // so that what is far from due, or from una, differs in that bit alone
		start |= psn.PSN(far)
	}
	l.op(hca.ReqClose, "close: for the tour")
	l.add(hca.ReqRecord{Op: hca.ReqConfigure, PSN: start, PMTU: 1, MaxReads: 1, Profile: hca.ReqCreditsLimited},
		"configure: for the tour")
	l.add(hca.ReqRecord{Op: hca.ReqSent, PSN: start, Count: 1 + far, Number: 1, Kind: roce.ReqAtomic},
		"sent: an atomic of many PSNs")
	send := hca.ReqRecord{Op: hca.ReqSent, PSN: start, Count: far, Number: 1 + far, Kind: roce.ReqLimited}
	if second {
		send.Count, send.Number = far+1, far
		l.add(send, "sent: a SEND far beyond LSN, for the tour")
		l.op(hca.ReqRetry, "tour: it goes again") // a NAK counts then if una moves
		l.add(l.response(ib.Ack, start.Add(int32(far)), ib.NAKSequence), "tour: a NAK far from una")
		return
	}
	l.add(send, "sent: a SEND far beyond LSN, for the tour")
	l.op(hca.ReqRetry, "tour: transport timer")
	due := start.Add(int32(far))
	l.add(hca.ReqRecord{Op: hca.ReqSent, PSN: due, Count: far + 2, Number: 2, Kind: roce.ReqRead, Payload: 256},
		"sent: a READ for the tour")
	rec := l.response(ib.ReadResponseFirst, due.Add(int32(far)), ib.AckSyndrome(1))
	rec.Payload = 256
	l.add(rec, "tour: a First far from where it should be")
}

// tourReserved gives a NAK of a reserved code in a wait, to a QP whose profile passes over it and may end the wait by
// it; or a response in the wrong place, which acknowledges what was sent before its READ, of the QP's first READ or its
// second.
func (l *reqLife) tourReserved(n int) {
	start := psn.New(uint32(l.rand.Uint64()))
	open := hca.ReqRecord{Op: hca.ReqConfigure, PSN: start, PMTU: 1, MaxReads: 1, Profile: hca.ReqReservedIgnored}
	write := hca.ReqRecord{Op: hca.ReqSent, PSN: start, Count: 1, Number: 1, Kind: roce.ReqWrite}
	l.op(hca.ReqClose, "close: for the tour")
	switch n % 4 {
	case 0:
		if n%8 == 0 {
			open.Profile |= hca.ReqAnyAnswerEndsRNR
		}
		l.add(open, "configure: for the tour, reserved NAKs passed over")
		l.add(write, "sent: for the tour")
		l.add(l.response(ib.Ack, start, ib.RNRSyndrome(uint8(n%32))), "tour: RNR NAK")
		l.add(l.response(ib.Ack, start, nak(l.rand, ib.NAKInvalidRD+1)), "tour: NAK of a reserved code in a wait")
	case 1:
		l.add(open, "configure: for the tour")
		l.add(write, "sent: for the tour")
		l.add(hca.ReqRecord{Op: hca.ReqSent, PSN: start.Add(1), Count: 2, Number: 2, Kind: roce.ReqRead, Payload: 256},
			"sent: a READ for the tour")
		rec := l.response(ib.ReadResponseMid, start.Add(1), ib.AckSyndrome(1))
		rec.Payload = 256
		l.add(rec, "tour: a Middle in place of the First")
	default:
		l.add(open, "configure: for the tour")
		l.tourSecond(start, uint32(n%4)-1, n/4%reqTourBefore)
	}
}

// What is answered in front of a second READ: a READ of two responses, one that is asked for again in its middle, an
// atomic.
const (
	reqTourRead = iota
	reqTourAgain
	reqTourAtomic
	reqTourBefore
)

// tourSecond has what is before answered to its end, and the first response of a second READ, of one or two, in the
// place of a later one: nothing of what was before is left that would make it right.
func (l *reqLife) tourSecond(start psn.PSN, responses uint32, before int) {
	first := hca.ReqRecord{Op: hca.ReqSent, PSN: start, Count: 2, Number: 1, Kind: roce.ReqRead, Payload: 256}
	if before == reqTourAtomic {
		first.Kind, first.Payload, first.Count = roce.ReqAtomic, 8, 1
		l.add(first, "sent: an atomic for the tour")
		l.add(l.response(ib.AtomicAck, start, ib.AckSyndrome(1)), "tour: its answer")
	} else {
		l.add(first, "sent: a READ for the tour")
		for i := range 2 {
			op := readOperation(i == 0 || before == reqTourAgain && i == 1, i == 1)
			rec := l.response(op, start.Add(int32(i)), ib.AckSyndrome(1))
			rec.Payload = 256
			l.add(rec, "tour: a READ of two responses")
		}
	}
	second := start.Add(int32(first.Count))
	l.add(hca.ReqRecord{Op: hca.ReqSent, PSN: second, Count: responses, Number: 2, Kind: roce.ReqRead,
		Payload: 256}, "sent: a second READ for the tour")
	rec := l.response(readOperation(false, responses == 1), second, ib.AckSyndrome(1))
	rec.Payload = 256
	l.add(rec, "tour: a Middle or Last in place of the second READ's first response")
}

// tourNone sends a READ or an atomic to a peer that takes none of either.
func (l *reqLife) tourNone(n int) {
	l.op(hca.ReqClose, "close: for the tour")
	start := psn.New(uint32(l.rand.Uint64()))
	l.add(hca.ReqRecord{Op: hca.ReqConfigure, PSN: start, PMTU: 1, Profile: uint8(l.rand.Below(1 << hca.ReqProfileBits))},
		"configure: for the tour, no READ")
	l.add(hca.ReqRecord{Op: hca.ReqSent, PSN: start, Count: 1, Number: 1, Kind: roce.ReqRead + roce.ReqKind(n%2),
		Payload: 8}, "sent: a READ or an atomic to a peer that takes none")
	l.op(hca.ReqLook, "tour: look")
}

// tourPad asks for a READ and gives a response that has a wrong pad and nothing else: under each path MTU, with each
// length at an end of its range.
func (l *reqLife) tourPad(n int) {
	r := l.rand
	pmtu := uint8(1 + n%5)
	bytes := uint16(128 << pmtu)
	wrong := uint8(1 + n/5%3)
	l.op(hca.ReqClose, "close: for the tour")
	start := psn.New(uint32(r.Uint64()))
	l.add(hca.ReqRecord{Op: hca.ReqConfigure, PSN: start, PMTU: pmtu, MaxReads: 1}, "configure: for the tour")
	tail := [...]uint16{bytes, 0, 1, bytes - 1}[n/15%4]
	l.add(hca.ReqRecord{Op: hca.ReqSent, PSN: start, Count: 2, Number: 1, Kind: roce.ReqRead, Payload: tail},
		"sent: a READ for the tour")
	rec := l.response(ib.ReadResponseFirst, start, ib.AckSyndrome(1))
	if rec.Payload = bytes; n%2 == 0 {
		rec.Pad = wrong
		l.add(rec, "tour: a First with a pad")
		l.op(hca.ReqLook, "tour: look")
		return
	}
	l.add(rec, "tour: a First")
	rec = l.response(ib.ReadResponseLast, start.Add(1), ib.AckSyndrome(1))
	rec.Payload, rec.Pad = tail, uint8(-tail&3)^wrong
	l.add(rec, "tour: a Last with another pad")
	l.op(hca.ReqLook, "tour: look")
}

// tourOpen opens the QP anew, with three PSNs outstanding.
func (l *reqLife) tourOpen(start psn.PSN) {
	l.op(hca.ReqClose, "close: for the tour")
	open := hca.ReqRecord{Op: hca.ReqConfigure, PSN: start, PMTU: uint8(l.rand.Between(1, 5)), MaxReads: 1}
	l.add(open, "configure: for the tour")
	l.add(hca.ReqRecord{Op: hca.ReqSent, PSN: start, Count: 3, Number: 1, Kind: roce.ReqWrite}, "sent: for the tour")
}
