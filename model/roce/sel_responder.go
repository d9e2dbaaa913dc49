package roce

import "hcacosim/model/psn"

// Decides SEL-1 and SEL-2.

// SelResponse answers a packet of a selective pair.
type SelResponse struct {
	Next psn.PSN // everything before it has arrived
	Got  psn.PSN // the packet that is answered
	Nak  bool    // Got lies behind a gap
}

// SelResponder is the receiving half of a selective pair: it keeps what comes behind a gap (SEL-1). A copy is a
// snapshot.
type SelResponder struct {
	window int32
	kept   selWindow
}

// NewSelResponder makes a responder that expects start; window is at most MaxSelWindow packets.
func NewSelResponder(start psn.PSN, window int32) SelResponder {
	return SelResponder{window: min(window, MaxSelWindow), kept: selWindow{base: start}}
}

// Next returns the first PSN that has not arrived.
func (r *SelResponder) Next() psn.PSN { return r.kept.base }

// Kept returns how many packets wait behind a gap.
func (r *SelResponder) Kept() int { return r.kept.count() }

// Step takes a packet (SEL-2). fresh reports whether it is the first of its PSN, answered whether the response is to be
// sent: what lies beyond the window is dropped in silence.
func (r *SelResponder) Step(p psn.PSN) (resp SelResponse, fresh, answered bool) {
	d := p.Diff(r.kept.base)
	if d >= r.window {
		return resp, false, false
	}
	if fresh = d >= 0 && !r.kept.has(p); fresh {
		r.kept.mark(p)
		r.kept.move(r.kept.first())
	}
	return SelResponse{Next: r.kept.base, Got: p, Nak: p.Diff(r.kept.base) > 0}, fresh, true
}
