package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// WireFollower judges responses as they are seen somewhere between two devices. What came past may have been lost behind
// the place, and what was lost before it was never seen, so that only what holds in either case is judged.
type WireFollower struct {
	pmtuBytes uint32
	started   bool
	high      psn.PSN // behind the highest request that came past
	whole     bool    // no request was missing so far
	count     uint32  // messages that ended below high
	base      uint32  // MSN of the device when count was 0
	based     bool
	nak       psn.PSN // of the last sequence NAK
	nakOut    bool    // and PSN nak has not been answered since
	ends      [512]wireEnd
	values    [64]wireValue
}

// wireEnd is the last packet of a request that came past.
type wireEnd struct {
	psn   psn.PSN
	count uint32 // of messages with it
	ends  bool   // it ends a message
	takes bool   // it may need a receive WQE
	valid bool
}

type wireValue struct {
	psn   psn.PSN
	value uint64
	valid bool
}

// FollowWire makes a follower. A pmtuBytes that is not known is the largest.
func FollowWire(pmtuBytes uint32) *WireFollower {
	return &WireFollower{pmtuBytes: pmtuBytes, whole: true}
}

// Restart makes f the follower that FollowWire returns, in the same memory.
func (f *WireFollower) Restart(pmtuBytes uint32) {
	*f = WireFollower{pmtuBytes: pmtuBytes, whole: true}
}

// Passed takes a request. missing counts the PSNs before it that did not come past; negative: it has come past before.
func (f *WireFollower) Passed(p *Packet) (missing int32) {
	if !f.started {
		f.started, f.high = true, p.PSN
	}
	missing = p.PSN.Diff(f.high)
	if missing < 0 {
		return missing
	}
	if missing > 0 {
		f.whole = false
	}
	s, n := shapeOf(p.Op), uint32(1)
	if s.verb == Read {
		n = psn.OfRead(p.DMALen, f.pmtuBytes)
	}
	f.high = p.PSN.Add(int32(n))
	if s.last {
		f.count = (f.count + 1) & 0xFFFFFF
	}
	last := f.high.Add(-1)
	f.ends[uint32(last)%uint32(len(f.ends))] = wireEnd{last, f.count, s.last, s.verb == Send || s.verb == Write && s.imm, true}
	return missing
}

// NotWhole tells that requests were lost before they came past.
func (f *WireFollower) NotWhole() { f.whole = false }

// Answered judges a response. certain: no loss, doubling or reordering on the way can excuse it.
func (f *WireFollower) Answered(p *Packet) (v Verdict, certain bool) {
	op := operation(p.Op)
	if !f.started {
		return v, false
	}
	if p.PSN.Diff(f.high) >= 0 {
		return broken("RSP-13", "answers %06Xh, and nothing from %06Xh on came past", uint32(p.PSN), uint32(f.high)), false
	}
	has := ib.Lookup(p.Op).Headers.Has(ib.AETH)
	if has && (p.Syndrome.Kind() == ib.KindReserved || p.Syndrome > ib.NAKInvalidRD) {
		return broken("OPC-2", "reserved syndrome %02Xh", uint8(p.Syndrome)), false
	}
	if op == ib.Ack && p.Syndrome == ib.NAKSequence {
		return f.sequenceNAK(p)
	}
	if f.nakOut && p.PSN.Diff(f.nak) >= 0 {
		f.nakOut = false
	}
	if op == ib.AtomicAck {
		a := &f.values[uint32(p.PSN)%uint32(len(f.values))]
		if a.valid && a.psn == p.PSN && a.value != p.Original {
			return broken("RSP-8", "the replay of an atomic returns %Xh, it returned %Xh", p.Original, a.value), true
		}
		*a = wireValue{p.PSN, p.Original, true}
	}
	if has {
		v = f.msn(p)
	}
	return v, false
}

// sequenceNAK: the device says once what it misses, until that comes (RSP-2). An RNR NAK in between may have been lost.
func (f *WireFollower) sequenceNAK(p *Packet) (v Verdict, certain bool) {
	if f.nakOut && f.nak == p.PSN {
		e := &f.ends[uint32(p.PSN)%uint32(len(f.ends))]
		return broken("RSP-2", "a second sequence NAK of %06Xh for the same gap", uint32(p.PSN)), e.valid && e.psn == p.PSN && !e.takes
	}
	f.nak, f.nakOut = p.PSN, true
	return v, false
}

// msn holds the count of messages between what the PSN says and what came past (RSP-11).
func (f *WireFollower) msn(p *Packet) Verdict {
	e := &f.ends[uint32(p.PSN)%uint32(len(f.ends))]
	known := e.valid && e.psn == p.PSN
	ack := p.Syndrome.Kind() == ib.KindAck
	if !f.whole || !known {
		return Verdict{}
	}
	if !f.based {
		if !ack {
			return Verdict{}
		}
		f.based = true
		if after24(e.count, p.MSN) || after24(p.MSN, f.count) {
			f.base = (p.MSN - e.count) & 0xFFFFFF
		}
	}
	got := (p.MSN - f.base) & 0xFFFFFF
	if after24(got, f.count) || ack && after24(e.count, got) {
		return broken("RSP-11", "MSN %d, expected %d to %d", p.MSN, (e.count+f.base)&0xFFFFFF, (f.count+f.base)&0xFFFFFF)
	}
	return Verdict{}
}
