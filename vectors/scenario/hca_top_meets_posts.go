package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
	"hcacosim/model/roce"
)

// What an episode of hca-top-meets has of values at their ends: what is joined has a width, and a value beyond it is
// another one. Of that are lists, fields of a post, lengths of responses, and retries without end.
const (
	hcaTopMeetsCode   = 5 // of the PMTU of 4,096: a response of so many bytes needs 13 bits
	hcaTopMeetsLists  = 4 // QPs that post a list each: of 2, 4, 8 and 16 pieces, and in one of two of one more
	hcaTopMeetsPosts  = 3 // of each QP whose fields are at their ends
	hcaTopMeetsSilent = 4 // QPs that nobody answers in the end
	hcaTopMeetsLong   = 5 // the place of one of these, whose timer is long
)

// hcaTopMeetsBytesOf is how many bytes the READ has that is one of the pairs: each power of two up to the PMTU, what
// lacks one byte or four of the PMTU, or any.
func hcaTopMeetsBytesOf(pair int, r *Rand) uint16 {
	const most, powers = 4096, 13
	switch pair {
	case powers:
		return most - 1
	case powers + 1:
		return most - 4
	}
	if pair < powers {
		return 1 << pair
	}
	return uint16(1 + r.Below(most))
}

// hcaTopMeetsRetries is the timer of a QP, and its retries: of two of those that nobody answers in the end seven, which
// may be for ever, and of the others any number, each in turn. One has a timer of 2^31 ticks.
func hcaTopMeetsRetries(i int, number uint64) hca.RetryRecord {
	c := hca.RetryRecord{Code: hcaTxCodes[0], RetryCnt: 7}
	switch {
	case i == hcaTopMeetsLong:
		c.Code = 29
	case i%2 == 1:
		c.RetryCnt = uint8((number + uint64(i)) % 7)
	}
	return c
}

// lists has QPs post a list each, of 2, 4, 8 and 16 pieces, or of one more: none of it leaves (REQ-15).
func (t *hcaTopSender) lists() {
	h := t.h
	for k := range hcaTopMeetsLists {
		i := len(hcaTxQPs) - 1 - k
		h.peers[i] = *h.lonerAt(hcaTxQPs[i], hca.ReqRecord{}, hca.RetryRecord{})
		h.rest()
		p, verb := &h.peers[i], [...]roce.Verb{roce.Send, roce.Read, roce.Write, roce.FetchAdd}[(int(h.e.Number)/2+k)%4]
		bytes := uint32(8)
		if verb == roce.FetchAdd {
			bytes = 0
		}
		p.postAs(h.next(hca.SendWQE{Verb: verb, Flags: hca.SQSignaled, VA: h.r.Uint64(), List: p.place(), Length: bytes,
			Entries: 2<<k + uint8(h.e.Number%2)}), "post with a list of a power of two")
		h.rest()
	}
}

// atEnds draws a value whose bits are alike but for one, or for a half.
func atEnds(r *Rand, bits int) uint64 {
	v := [...]uint64{0, 1 << r.Below(bits), 1<<(bits/2) - 1}[r.Below(3)]
	if r.OneIn(2) {
		v = ^v
	}
	return v & (1<<(bits-1)<<1 - 1)
}

// fieldsAtEnds has QPs post a bind, and SENDs and WRITEs without bytes, whose fields are at their ends or nearly. The
// bind is done, and an ACK of all comes.
func (t *hcaTopSender) fieldsAtEnds() {
	h := t.h
	for i := len(h.peers) - hcaTopMeetsSilent; i < len(h.peers); i++ {
		p := &h.peers[i]
		bind := t.atEnds(roce.Bind)
		bind.Length = uint32(atEnds(h.r, 32))
		p.postAs(bind, "post of a bind whose fields are at their ends")
		for range hcaTopMeetsPosts {
			w := t.atEnds([...]roce.Verb{roce.Send, roce.Write}[h.r.Below(2)])
			w.Flags |= hca.SQImmediate
			p.postAs(w, "post whose fields are at their ends")
		}
		h.rest()
		p.localDone("a bind whose fields are at their ends is done")
		h.rest()
		p.says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK of fields at their ends")
		h.rest()
	}
}

// atEnds is a post whose fields are at their ends or nearly.
func (t *hcaTopSender) atEnds(verb roce.Verb) *hca.SendWQE {
	r := t.h.r
	return t.h.next(hca.SendWQE{Verb: verb, Flags: hca.SQSignaled, VA: atEnds(r, 64), RKey: uint32(atEnds(r, 32)),
		Imm: uint32(atEnds(r, 32)), SwapAdd: atEnds(r, 64), Compare: atEnds(r, 64), QKey: uint32(atEnds(r, 32)),
		List: atEnds(r, 64), Entries: 1})
}

// unanswered has QPs post a READ of any power of two, an atomic or a SEND of nothing, which nobody answers: their timer
// expires more than seven times. Who has as many retries goes on where that is for ever (TMR-4), all others fail. Then
// 2^31 ticks pass at once, and the timer of the last one expires (TMR-1).
func (t *hcaTopSender) unanswered() {
	h := t.h
	for i := len(h.peers) - hcaTopMeetsSilent; i < len(h.peers); i++ {
		w := t.atEnds([...]roce.Verb{roce.Send, roce.CmpSwap, roce.FetchAdd, roce.Read}[h.r.Below(4)])
		if w.Verb == roce.Read {
			w.Length = 1 << h.r.Below(32)
		}
		h.peers[i].postAs(w, "post that nobody answers")
	}
	for range hcaTxUnending {
		h.rest()
		for _, ticks := range [...]uint32{hcaTxShortest + hcaTxSlack, 0} { // in the next clock none
			h.give(hca.HcaTxOps, hca.HcaTxLapse(ticks), "time passes, and nobody answers")
		}
	}
	h.rest()
	h.give(hca.HcaTxOps, hca.HcaTxLapse(1<<31+uint32(h.r.Below(1<<16))), "time passes, as much as a number holds")
	h.rest()
	h.peers[hcaTopMeetsLong].says(ib.AckSyndrome(ib.CreditsUnlimited), "an ACK after half an hour")
	h.rest()
}
