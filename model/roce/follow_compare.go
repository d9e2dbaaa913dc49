package roce

import "hcacosim/model/ib"

// carried is how many bytes of a message were sent up to a packet.
func (f *RequesterFollower) carried(w *sendWQE, p *Packet) uint32 {
	return f.cfg.Width.Between(p.PSN, w.first)*f.cfg.PMTUBytes + p.Len
}

// WrongAlone reports whether a request has a length or a pad that no message has, whatever the PMTU and whatever was
// sent before it (LEN-1).
func WrongAlone(p *Packet) bool { v := wrongLength(p); return !v.Allowed() }

// wrongLength finds what no message has whatever the PMTU: a Last without a payload, more than 2^31 bytes, a pad that
// is not that of the payload (LEN-1).
func wrongLength(p *Packet) Verdict {
	s, info := p.Op.Shape(), ib.Lookup(p.Op)
	switch {
	case p.Len == 0 && info.Length == ib.SomePMTU:
		return broken("LEN-1", "%s without a payload", info.Name)
	case p.DMALen > ib.MaxMessage && s.First && (s.Verb == Read || s.Verb == Write):
		return broken("LEN-1", "%s of %d bytes, a message has %d at most", info.Name, p.DMALen, uint32(ib.MaxMessage))
	case s.Verb == AtomicWrite && p.Len != 8:
		return broken("LEN-1", "%s of %d bytes, it has 8", info.Name, p.Len)
	case s.Request && (p.Len+uint32(p.Pad))%4 != 0:
		return broken("LEN-1", "%s of %d bytes with pad %d, which do not make a multiple of 4", info.Name, p.Len, p.Pad)
	case s.Request && p.Pad != 0 && info.Length == ib.WholePMTU:
		return broken("LEN-1", "%s with pad %d, only a Last or Only has one", info.Name, p.Pad)
	}
	return Verdict{}
}

// compare holds a packet against the message that it belongs to.
func (f *RequesterFollower) compare(w *sendWQE, p *Packet) Verdict {
	if w.torn {
		return Verdict{}
	}
	if v := wrongLength(p); !v.Allowed() {
		return v
	}
	want := f.q.packetAt(w, p.PSN).Packet
	want.AckReq, want.SrcQP = p.AckReq, p.SrcQP
	if p.Len > 0 && w.more && p.PSN == w.last {
		want.Len, want.Pad = f.cfg.PMTUBytes, 0
	}
	if want != *p {
		return broken(ruleOfDifference(&want, p), "%s", Difference(&want, p))
	}
	if n := f.carried(w, p); w.Verb == Write && !w.more && p.PSN == w.last && n != w.Len {
		return broken("LEN-1", "a WRITE of %d bytes, its RETH says %d", n, w.Len)
	}
	if !p.AckReq && f.mustAsk(w, p) {
		return broken("RSP-13", "AckReq is clear at the end of a message")
	}
	if f.cfg.Profile.AckReqEvery != 0 && reliable(f.cfg.Service) && p.AckReq != f.q.asks(w, p) {
		return broken("RSP-13", "AckReq is %v after %d packets without", p.AckReq, f.q.quiet)
	}
	if f.cfg.Profile.AckReqAtOffset != 0 && !p.AckReq && f.q.asks(w, p) {
		return broken("RSP-13", "AckReq is clear at packet %d of a message", f.cfg.Width.Between(p.PSN, w.first))
	}
	return Verdict{}
}

// mustAsk: the end of a message, and what has a response of its own, asks for it.
func (f *RequesterFollower) mustAsk(w *sendWQE, p *Packet) bool {
	return reliable(f.cfg.Service) && !w.more && p.PSN == w.last && w.Verb != Read
}

func ruleOfDifference(want, got *Packet) Rule {
	switch {
	case want.Op.Shape().Verb != got.Op.Shape().Verb: // another request under its PSN
		return "REQ-5"
	case want.Len != got.Len || want.Pad != got.Pad:
		return "LEN-1"
	case want.SE != got.SE:
		return "REQ-11"
	case got.Op.Shape().Verb == Read:
		return "REQ-7"
	default:
		return "REQ-5"
	}
}
