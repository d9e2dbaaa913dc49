package flow

import (
	"fmt"

	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/sim"
)

// Class is what a packet was, seen from the queue pair that it concerns.
type Class uint8

const (
	Other         Class = iota // not RoCE, or of no flow that is followed
	Expected                   // new and in its place
	Duplicate                  // came before
	Again                      // sent again; Verdict.Cause says why
	OutOfSequence              // something before it is missing
	Ghost                      // of nothing that could be outstanding
	BadICRC
	Malformed
	NotTaken // reached the endpoint and is for none of its queue pairs
	Broken   // a violation; Verdict.Rule says of what
)

func (c Class) String() string {
	return [...]string{"other", "expected", "duplicate", "retransmission", "out of sequence", "ghost", "bad ICRC",
		"malformed",
		"not taken", "violation"}[c]
}

// Verdict is what was found about one packet. Of Broken the sim.Verdict is the violation, of Again its Cause says why
// the packet was sent again, and of the others its Text may say more.
type Verdict struct {
	Class Class
	// Renewed: it is the first request of another connection between the same queue pairs. Of one that only lies far away
	// it is not said: its PSN may be damaged.
	Renewed bool
	sim.Verdict
}

// said is a verdict with a remark.
func said(c Class, text string) Verdict { return Verdict{Class: c, Verdict: sim.Verdict{Text: text}} }

// Comment is the verdict as a packet comment: the words before the colon are the same for all packets of a kind, so
// that a filter finds them.
func (v *Verdict) Comment() string {
	switch {
	case v.Class == Broken && v.Certainty == sim.Certain:
		return fmt.Sprintf("violation %s: %s", v.Rule, v.Text)
	case v.Class == Broken:
		return fmt.Sprintf("possible violation %s: %s", v.Rule, v.Text)
	case v.Class == Again && v.Cause != "":
		return fmt.Sprintf("retransmission: %s", causeWords[causeOf(v.Cause)])
	case v.Text != "":
		return v.Class.String() + ": " + v.Text
	default:
		return v.Class.String()
	}
}

// OfAnotherPartition reports whether the P_Key kept a packet from the endpoint's queue pairs.
func (v *Verdict) OfAnotherPartition() bool {
	return v.Class == NotTaken && v.Text == notAdmitted["ADM-5"]
}

// Finding is a violation in a capture.
type Finding struct {
	Packet uint64 `json:"packet"` // from 1
	sim.Verdict
	// Evidence is what the finding's certainty rests on, or why it is possible only; "" where it rests on the packet
	// alone.
	Evidence string `json:"evidence,omitempty"`
	// Folded counts packets behind it that were not judged because of it, until the device was in step again.
	Folded uint64 `json:"folded,omitempty"`
	// Flow names the way of a Falcon packet: source, destination, connection. Of RoCE it is "".
	Flow string `json:"flow,omitempty"`

	basis basis
}

// Certain reports whether no explanation remains but that the sender did it.
func (f *Finding) Certain() bool { return f.Certainty == sim.Certain }

// found is a finding about a packet.
func found(packet uint64, certain bool, rule roce.Rule, text string) Finding {
	v := sim.Verdict{Rule: rule, Text: text}
	if !certain {
		v.Certainty = sim.Possible
	}
	return Finding{Packet: packet, Verdict: v}
}

// Retransmissions counts packets by why they were sent again.
type Retransmissions struct {
	NAK         uint64 `json:"nak"`
	Timeout     uint64 `json:"timeout"`
	RNR         uint64 `json:"rnr"`
	Implied     uint64 `json:"implied"`
	Unexplained uint64 `json:"unexplained"`
}

// Total is the number of packets sent again.
func (r *Retransmissions) Total() uint64 {
	return r.NAK + r.Timeout + r.RNR + r.Implied + r.Unexplained
}

type cause uint8

const (
	causeUnknown cause = iota
	causeNAK
	causeTimeout
	causeRNR
	causeImplied
)

var causeWords = [...]string{"no cause seen", "sequence NAK", "timeout", "RNR NAK", "implied NAK"}

func causeOf(rule roce.Rule) cause {
	switch rule {
	case "REQ-4":
		return causeNAK
	case "TMR-1":
		return causeTimeout
	case "TMR-4":
		return causeRNR
	case "REQ-3":
		return causeImplied
	default:
		return causeUnknown
	}
}

func (r *Retransmissions) count(c cause) {
	switch c {
	case causeNAK:
		r.NAK++
	case causeTimeout:
		r.Timeout++
	case causeRNR:
		r.RNR++
	case causeImplied:
		r.Implied++
	default:
		r.Unexplained++
	}
}

// describe is a response in a few words.
func describe(p *roce.Packet) string {
	info := ib.Lookup(p.Op)
	if info == nil {
		return fmt.Sprintf("opcode %02Xh", uint8(p.Op))
	}
	s := fmt.Sprintf("%s PSN %06Xh", info.Name, uint32(p.PSN))
	if info.Headers.Has(ib.AETH) {
		s += fmt.Sprintf(" %v MSN %d", p.Syndrome, p.MSN)
	}
	if info.Headers.Has(ib.AtomicAckETH) {
		s += fmt.Sprintf(" value %Xh", p.Original)
	}
	if p.Len > 0 {
		s += fmt.Sprintf(" %d bytes", p.Len)
	}
	return s
}
