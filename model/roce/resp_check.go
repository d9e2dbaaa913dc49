package roce

import "hcacosim/model/ib"

// Decides RSP-1, RSP-12 and RSP-16.

// checkNew holds a new request against everything that could be wrong with it, in the order of RSP-1.
func (s *ResponderState) checkNew(cfg *ResponderConfig, p *Packet, sh *ib.Shape, f *RespFacts) RespReason {
	if !s.fits(sh) {
		return RespBadSequence
	}
	return s.check(cfg, p, sh, f)
}

// fits reports whether an opcode has its place: First and Only start a message, Middle and Last go on with one of their
// kind.
func (s *ResponderState) fits(sh *ib.Shape) bool {
	if sh.First {
		return s.open.verb == NoVerb
	}
	return s.open.verb == sh.Verb
}

// check is RSP-1 behind the opcode sequence.
func (s *ResponderState) check(cfg *ResponderConfig, p *Packet, sh *ib.Shape, f *RespFacts) RespReason {
	switch {
	case !cfg.supports(p, sh):
		return RespUnsupported
	case sh.Verb.Replayed() && !s.hasRoom(cfg):
		return RespNoRoom
	case sh.NeedsReceive() && f.ForeignSRQ:
		return RespUnsupported // no such queue (our reading)
	case sh.SeeksReceive() && !f.ReceivePosted:
		return RespNoReceive
	}
	why := RespGood
	if cfg.Profile.LengthBeforeRKey {
		if why = checkLength(cfg, p, sh); why == RespGood {
			why = checkAccess(cfg, p, sh, f)
		}
	} else if why = checkAccess(cfg, p, sh, f); why == RespGood {
		why = checkLength(cfg, p, sh)
	}
	if why == RespGood {
		why = s.checkFit(p, sh, f)
	}
	if why == RespGood && f.OwnError {
		why = RespOwnError
	}
	return why
}

// supports reports whether an operation is enabled, a FLUSH is of a kind that there is, and no pad is where none may
// be.
func (c *ResponderConfig) supports(p *Packet, sh *ib.Shape) bool {
	if need := accessOf(p, sh.Verb); c.Access&need != need && !c.Open {
		return false
	}
	switch {
	case sh.Verb == Flush && !p.flushKind() && !c.Profile.FlushUnchecked: // RSP-16
		return false
	case p.Pad == 0:
		return true
	case sh.Verb.Replayed():
		return c.Profile.StrayPayloadTaken // OPC-2
	default:
		return sh.Last || c.Profile.LengthBeforeRKey // there it is a wrong length
	}
}

// accessOf is the permission that a request needs. A FLUSH needs one for each bit of PLT (RSP-16).
func accessOf(p *Packet, v Verb) (need Access) {
	switch v {
	case Send:
		return 0
	case Write, AtomicWrite:
		return RemoteWrite
	case Read:
		return RemoteRead
	case Flush:
		if p.FETH&flushGlobal != 0 {
			need = FlushGlobal
		}
		if p.FETH&flushPersistent != 0 {
			need |= FlushPersistent
		}
		return need
	default:
		return RemoteAtomic
	}
}

// PLT of a FETH.
const (
	flushGlobal     = 1
	flushPersistent = 2
)

// flushKind reports whether there is a FLUSH of this PLT and SEL (RSP-16; our reading).
func (p *Packet) flushKind() bool {
	plt := p.FETH & 15
	return plt != 0 && plt <= flushGlobal|flushPersistent && p.FETH>>4&3 <= 1
}

// hasRoom: a READ or atomic beyond the agreed number is the peer's fault (PSN-5).
func (s *ResponderState) hasRoom(cfg *ResponderConfig) bool {
	return cfg.Open || cfg.MaxReads != 0 && (s.inFlight < cfg.MaxReads || cfg.Profile.RoomUnchecked)
}

// checkAccess: a key is looked at by every packet of a WRITE, by the RETH of a READ, and nowhere for length 0.
func checkAccess(cfg *ResponderConfig, p *Packet, sh *ib.Shape, f *RespFacts) RespReason {
	switch {
	case sh.Verb == Send:
		if sh.Inv && !f.AccessOK && !cfg.Profile.BadInvalidateAcked {
			return RespNoAccess
		}
	case (sh.Verb == Read || sh.Verb == Write && sh.First) && p.DMALen == 0:
		if p.Len != 0 && sh.Verb == Write && cfg.Profile.PayloadBeyondZero {
			return RespNoAccess
		}
	case !f.AccessOK:
		return RespNoAccess
	case p.VA%8 != 0 && (sh.Verb.Atomic() || sh.Verb == AtomicWrite):
		return RespMisaligned // RSP-12
	}
	return RespGood
}

// checkLength is LEN-1 for one packet and for the length that its RETH states. What has no payload carries none
// (OPC-2).
func checkLength(cfg *ResponderConfig, p *Packet, sh *ib.Shape) RespReason {
	limit := ib.Lookup(p.Op).Length
	stated := sh.Verb == Read || sh.Verb == Flush || sh.Verb == Write && sh.First
	switch {
	case !limit.Allows(int(p.Len), int(cfg.PMTUBytes)) && !(limit == ib.NoPayload && cfg.Profile.StrayPayloadTaken),
		stated && p.DMALen > ib.MaxMessage,
		sh.Verb == AtomicWrite && p.DMALen != 8:
		return RespBadLength
	}
	return RespGood
}

// checkFit: the bytes of a WRITE add up to its RETH length, a SEND fits its receive WQE.
func (s *ResponderState) checkFit(p *Packet, sh *ib.Shape, f *RespFacts) RespReason {
	switch sh.Verb {
	case Write:
		if left := s.room(p, sh, f); p.Len > left || sh.Last && p.Len != left {
			return RespBadSum
		}
	case Send:
		if p.Len > s.room(p, sh, f) {
			return RespTooLong
		}
	}
	return RespGood
}

// room is how many bytes a SEND or WRITE may have from this packet on.
func (s *ResponderState) room(p *Packet, sh *ib.Shape, f *RespFacts) uint32 {
	switch {
	case !sh.First:
		return s.open.left
	case sh.Verb == Write:
		return p.DMALen
	default:
		return f.ReceiveBytes
	}
}
