package roce

import (
	"fmt"

	"hcacosim/model/ib"
)

// Refusal is what a responder had to make of a request that it must not execute.
type Refusal struct {
	Rule Rule        // that refuses it; "" where the request is good
	Text string      // what is wrong with it, to follow "whose" or "which"
	With ib.Syndrome // what it is answered with; 0 where it is dropped
}

// refuses tells what a machine has to make of a request that it has not taken yet. It reads only.
func (r *Responder) refuses(p *Packet) (x Refusal) {
	s := p.Op.Shape()
	var f RespFacts
	var d RespDecision
	r.lookUp(p, s, &f)
	state := r.ResponderState
	state.decide(r.cfg, p, s, &f, &d)
	if d.Outcome == RespExecute || d.Outcome == RespDuplicate {
		return x
	}
	x.Rule, x.Text = d.Why.Rule(r.cfg.Service), r.words(d.Why, p)
	if d.Answer == RespNak {
		x.With = d.Syndrome
	}
	return x
}

// Refuses tells what the device has to make of a request, before Received is told of it.
func (f *ResponderFollower) Refuses(p *Packet) Refusal { return f.r.refuses(p) }

// words say what is wrong with a request.
func (r *Responder) words(why RespReason, p *Packet) string {
	switch why {
	case RespNoQP, RespNotReady:
		return "which came to a QP that does not receive"
	case RespBadOpcode:
		return fmt.Sprintf("whose opcode %02Xh is of another service", uint8(p.Op))
	case RespGap:
		return fmt.Sprintf("which is out of sequence: %06Xh is missing", uint32(r.ePSN))
	case RespRNRPending:
		return "which came while an RNR NAK was out"
	case RespBadSequence:
		return "whose opcode does not go on with the packet before it"
	case RespUnsupported:
		return "which the QP does not allow"
	case RespNoRoom:
		return "which is a READ or atomic too many"
	case RespNoReceive:
		return "for which no receive WQE was posted"
	case RespNoAccess:
		return r.accessWords(p)
	case RespMisaligned:
		return fmt.Sprintf("whose address %Xh is not a multiple of 8", p.VA)
	case RespBadLength:
		return fmt.Sprintf("whose length is wrong: %d bytes of payload, PMTU %d, DMA length %d", p.Len, r.cfg.PMTUBytes,
			p.DMALen)
	case RespBadSum:
		return "whose bytes do not add up to the length that its RETH states"
	case RespTooLong:
		return "which is longer than its receive WQE"
	case RespBadQKey:
		return fmt.Sprintf("whose Q_Key %08Xh is not the QP's", p.QKey)
	}
	return "which is not good"
}

// accessWords say what of a key is wrong.
func (r *Responder) accessWords(p *Packet) string {
	key, va := p.RKey, p.VA
	if s := p.Op.Shape(); s.Verb == Write && !s.First {
		key, va = r.write.rkey, r.write.va
	}
	for i := range r.cfg.Regions {
		m := &r.cfg.Regions[i]
		switch {
		case m.Len == 0 || m.RKey != key:
		case va < m.VA || va-m.VA+uint64(max(p.Len, p.DMALen)) > m.Len:
			return fmt.Sprintf("whose address %Xh is outside the region of R_Key %Xh", va, key)
		default:
			return fmt.Sprintf("which the region of R_Key %Xh does not allow", key)
		}
	}
	return fmt.Sprintf("whose R_Key %Xh is unknown", key)
}

// Foreseen reports whether a response may leave now, as far as its kind and PSN tell: what it answers has come.
func (f *ResponderFollower) Foreseen(p *Packet) bool {
	kind, q := p.Answer(), &f.r.replies
	want := noReply
	switch {
	case kind == AckAnswer:
		return p.PSN.Diff(f.r.ePSN) < 0
	case kind == DataAnswer && operation(p.Op) == ib.AtomicAck:
		want = atomicReply
	case kind == DataAnswer:
		want = readReply
	case kind == ReservedAnswer, kind == SequenceAnswer && p.PSN == f.r.ePSN && (f.r.nakSent || f.r.rnrSent):
		return true
	case f.cfg.Open && kind != SequenceAnswer && p.PSN.Diff(f.r.ePSN) < 0:
		return true
	default:
		want = nakReply
	}
	for i := range q.count {
		if a := q.at(i); a.kind == want && (a.psn == p.PSN || want == nakReply) {
			return true
		}
	}
	return false
}

// Due says what a request that must be refused should have been answered with.
func (x *Refusal) Due() string {
	if x.With == 0 {
		return "it must be dropped"
	}
	return x.With.String() + " was due"
}
