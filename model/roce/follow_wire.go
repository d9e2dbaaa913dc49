package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
)

// WireFollower judges responses as they are seen somewhere between two devices. What came past may have been lost
// behind the place, and what was lost before it was never seen, so that only what holds in either case is judged.
// Whatever reached the responder came past before.
type WireFollower struct {
	pmtuBytes uint32
	pmtuSure  bool
	started   bool
	first     psn.PSN // the first request that came past
	high      psn.PSN // behind the highest
	most      psn.PSN // the same, were the PMTU the least that there is
	whole     bool    // no request was missing so far
	again     bool    // the queue pairs may have been connected anew, with the PSNs of the last time
	acked     psn.PSN // the highest PSN that was answered, if answered
	answered  bool
	count     uint32 // messages that ended below high
	// What the device's MSN was when count was 0 lies between these.
	atLeast, atMost bound
	over            int32   // how many messages too many the device was said to count, as long as that may be so still
	said            bound   // the count of the last response
	saidAt          uint32  // the messages that had come past by then
	nak             psn.PSN // of the last sequence NAK
	nakOut          bool    // and PSN nak has not been answered since
	ends            [512]wireEnd
	values          [64]wireValue
	reads           [64]wireRead
	newest          int // of reads
}

// wireEnd is the last packet of a request that came past.
type wireEnd struct {
	psn   psn.PSN
	count uint32 // of messages with it
	verb  Verb
	valid bool
	// counted: it came in its place, so count is right.
	counted bool
}

type wireValue struct {
	psn   psn.PSN
	value uint64
	valid bool
}

// wireRead is a READ that was asked for.
type wireRead struct {
	first, last psn.PSN
	len         uint32
	valid       bool
}

// FollowWire makes a follower. sure tells that the PMTU was seen and not guessed.
func FollowWire(pmtuBytes uint32, sure bool) *WireFollower {
	return &WireFollower{pmtuBytes: pmtuBytes, pmtuSure: sure, whole: true}
}

// Restart makes f the follower that FollowWire returns, in the same memory.
func (f *WireFollower) Restart(pmtuBytes uint32, sure bool) {
	*f = WireFollower{pmtuBytes: pmtuBytes, pmtuSure: sure, whole: true}
}

// Passed takes a request. missing counts the PSNs before it that did not come past; negative: it has come past before.
func (f *WireFollower) Passed(p *Packet) (missing int32) {
	if !f.started {
		f.started, f.first, f.high, f.most = true, p.PSN, p.PSN, p.PSN
	}
	s, n, most := p.Op.Shape(), uint32(1), uint32(1)
	if s.Verb == Read {
		n, most = psn.OfRead(p.DMALen, f.pmtuBytes), psn.OfRead(p.DMALen, ib.MinPMTU)
		if f.pmtuSure {
			most = n
		}
		f.newest = (f.newest + 1) % len(f.reads)
		f.reads[f.newest] = wireRead{p.PSN, p.PSN.Add(int32(n - 1)), p.DMALen, true}
	}
	if behind := p.PSN.Add(int32(most)); behind.After(f.most) {
		f.most = behind
	}
	missing = p.PSN.Diff(f.high)
	if missing < 0 {
		if last := p.PSN.Add(int32(n - 1)); f.end(last) == nil {
			f.note(last, s, 0)
		}
		// An answered first request, or something before it: a retry, or the first of a new connection.
		f.again = f.again || f.answered && p.PSN.Diff(f.first) <= 0
		return missing
	}
	if missing > 0 {
		f.whole = false
	}
	if missing > farPSNs {
		f.again = true
	}
	f.high = p.PSN.Add(int32(n))
	if s.Last {
		f.count = (f.count + 1) & 0xFFFFFF
	}
	last := f.high.Add(-1)
	f.note(last, s, f.count)
	f.end(last).counted = true
	return missing
}

// note remembers a request by its last PSN.
func (f *WireFollower) note(last psn.PSN, s *ib.Shape, count uint32) {
	f.ends[uint32(last)%uint32(len(f.ends))] = wireEnd{psn: last, count: count, verb: s.Verb, valid: true}
}

// farPSNs: more than that are not lost on the way without a word.
const farPSNs = 1 << 16

// SurePMTU tells that the PMTU is no guess.
func (f *WireFollower) SurePMTU() { f.pmtuSure = true }

// NotWhole tells that requests were lost before they came past.
func (f *WireFollower) NotWhole() { f.whole = false }

// Unanswered reports whether no response acknowledged a PSN that came past, and that the PSN is of this connection.
func (f *WireFollower) Unanswered(p psn.PSN) bool {
	return !f.again && (!f.answered || p.From(f.acked) > 0)
}

// Answered judges a response.
func (f *WireFollower) Answered(p *Packet) Verdict {
	if !f.started {
		return Verdict{}
	}
	v := f.judge(p)
	if f.again {
		v.Certainty = sim.Possible
	}
	if up := p.PSN; p.PSN.Diff(f.high) < 0 {
		if operation(p.Op) == ib.Ack && p.Syndrome.Kind() != ib.KindAck {
			up = up.Add(-1)
		}
		if !f.answered || up.From(f.acked) > 0 {
			f.answered, f.acked = true, up
		}
	}
	return v
}

func (f *WireFollower) judge(p *Packet) Verdict {
	op := operation(p.Op)
	has := ib.Lookup(p.Op).Headers.Has(ib.AETH)
	switch {
	case has && (p.Syndrome.Kind() == ib.KindReserved || p.Syndrome > ib.NAKInvalidRD):
		return repeated("OPC-2", "reserved syndrome %02Xh", uint8(p.Syndrome))
	case has && op != ib.Ack && p.Syndrome.Kind() != ib.KindAck:
		return repeated("OPC-2", "%s with syndrome %02Xh, which is no ACK", ib.Lookup(p.Op).Name, uint8(p.Syndrome))
	case p.PSN.Diff(f.high) >= 0 && p.PSN.Diff(f.most) >= 0:
		return possible("RSP-13", "answers %06Xh, and nothing from %06Xh on came past", uint32(p.PSN), uint32(f.high))
	}
	if op == ib.Ack && p.Syndrome == ib.NAKSequence {
		return f.sequenceNAK(p)
	}
	if f.nakOut && p.PSN.Diff(f.nak) >= 0 {
		f.nakOut = false
	}
	var v Verdict
	switch op {
	case ib.Ack:
	case ib.AtomicAck:
		v = f.atomic(p)
	default:
		v = f.read(p, op)
	}
	if v.Allowed() && has {
		return f.msn(p)
	}
	return v
}

// sequenceNAK: the device says once what it misses, until that comes or a duplicate that it answers (RSP-2). A second
// NAK is no more than possible: a request that the link doubled behind the place is a duplicate that nobody saw, and an
// RNR NAK in between may have been lost.
func (f *WireFollower) sequenceNAK(p *Packet) Verdict {
	if f.nakOut && f.nak == p.PSN {
		return possible("RSP-2", "a second sequence NAK of %06Xh for the same gap", uint32(p.PSN))
	}
	f.nak, f.nakOut = p.PSN, true
	return Verdict{}
}

// end returns what came past with its last packet at a PSN, nil if that is not known.
func (f *WireFollower) end(p psn.PSN) *wireEnd {
	if e := &f.ends[uint32(p)%uint32(len(f.ends))]; e.valid && e.psn == p {
		return e
	}
	return nil
}

// atomic: what was returned once is returned again (RSP-8), and to atomics only.
func (f *WireFollower) atomic(p *Packet) Verdict {
	if e := f.end(p.PSN); e != nil && e.verb != CmpSwap && e.verb != FetchAdd {
		return repeated("RSP-8", "an atomic response of %06Xh, which is no atomic", uint32(p.PSN))
	}
	a := &f.values[uint32(p.PSN)%uint32(len(f.values))]
	if a.valid && a.psn == p.PSN && a.value != p.Original {
		return broken("RSP-8", "the replay of an atomic returns %Xh, it returned %Xh", p.Original, a.value)
	}
	*a = wireValue{p.PSN, p.Original, true}
	return Verdict{}
}

// read: the PSN says which part of which READ a response is, and so its opcode and length (PSN-4, RSP-7).
func (f *WireFollower) read(p *Packet, op ib.Operation) Verdict {
	var r *wireRead
	first := op == ib.ReadResponseFirst || op == ib.ReadResponseOnly
	starts := false // a READ that was asked for starts here
	for i := 0; i < len(f.reads) && (r == nil || first && !starts); i++ {
		x := &f.reads[(f.newest+len(f.reads)-i)%len(f.reads)]
		if !x.valid {
			break
		}
		if p.PSN.Diff(x.first) < 0 || p.PSN.Diff(x.last) > 0 {
			continue
		}
		if r == nil {
			r = x
		}
		starts = starts || x.first == p.PSN
	}
	if r == nil {
		if e := f.end(p.PSN); e != nil && (e.verb == Send || e.verb == Write || e.verb == CmpSwap || e.verb == FetchAdd) {
			return repeated("RSP-7", "a READ response of %06Xh, which is no READ", uint32(p.PSN))
		}
		return Verdict{}
	}
	if !f.pmtuSure {
		return Verdict{}
	}
	last := p.PSN == r.last
	want := f.pmtuBytes
	if last {
		want = r.len - uint32(r.last.Diff(r.first))*f.pmtuBytes
	}
	switch {
	case p.Len != want:
		return repeated("LEN-1", "a READ response of %d bytes, %d are its place's", p.Len, want)
	case last != (op == ib.ReadResponseLast || op == ib.ReadResponseOnly):
		return repeated("RSP-7", "%s at %06Xh, the READ ends at %06Xh", ib.Lookup(p.Op).Name, uint32(p.PSN), uint32(r.last))
	case first && !starts:
		return possible("RSP-7", "%s at %06Xh, where no READ starts", ib.Lookup(p.Op).Name, uint32(p.PSN))
	}
	return Verdict{}
}

// msn holds the count of messages between what the PSN says and what came past (RSP-11). base is what the count was
// before the first request that came past: each response narrows it down, and none may be left out.
func (f *WireFollower) msn(p *Packet) Verdict {
	if !f.whole {
		return Verdict{}
	}
	// It may have begun anew with a message that came past since the response before.
	anew := f.said.known && after24(uint32(f.said.base), p.MSN) && p.MSN <= f.count-f.saidAt
	f.said, f.saidAt = bound{psn.New(p.MSN), true}, f.count
	least := p.MSN - f.count // base is no less: nothing is counted that did not come past
	many, few := f.atMost.known && f.atMost.base.Diff(psn.New(least)) < 0, false
	e := f.end(p.PSN)
	upTo := e != nil && e.counted && p.Syndrome.Kind() == ib.KindAck
	most := psn.New(0)
	if upTo {
		most = psn.New(p.MSN - e.count) // and no more: everything up to the PSN is counted
		few = f.atLeast.known && most.Diff(f.atLeast.base) < 0
	}
	if upTo && most.Diff(f.atMost.base) < f.over {
		f.over = 0 // it counts right again
	}
	switch {
	case many && f.atMost.base.Diff(psn.New(least))+f.over >= 0: // as was said before
		return Verdict{}
	case many: // more messages are counted than base, which is at most so much, and those that came past
		f.over = psn.New(least).Diff(f.atMost.base)
		return possible("RSP-11", "MSN %d, at most %d are ended", p.MSN, uint32(f.atMost.base+psn.New(f.count))&0xFFFFFF)
	case few:
		// Too few can be excused by nothing where the count began at 0. Else there were too many before: a request may have
		// been captured late.
		v := possible("RSP-11", "MSN %d, at least %d are ended", p.MSN, uint32(f.atLeast.base+psn.New(e.count))&0xFFFFFF)
		switch {
		case anew: // said once: what is counted may begin there, with queue pairs that were connected anew
			f.atLeast, f.atMost = bound{}, bound{most, true}
		case f.atMost.base == 0 && f.atMost.known && most.Diff(0) < 0:
			v.Certainty = sim.Repeated
		}
		return v
	}
	f.atLeast.raise(psn.New(least))
	if upTo {
		f.atMost.lower(most)
	}
	if f.atMost.known && f.atMost.base == 0 {
		f.atLeast.raise(0) // the connection began with the capture
	}
	return Verdict{}
}

// bound is a bound on base.
type bound struct {
	base  psn.PSN // as a number of 24 bits
	known bool
}

func (b *bound) raise(n psn.PSN) {
	if !b.known || n.Diff(b.base) > 0 {
		*b = bound{n, true}
	}
}

func (b *bound) lower(n psn.PSN) {
	if !b.known || n.Diff(b.base) < 0 {
		*b = bound{n, true}
	}
}
