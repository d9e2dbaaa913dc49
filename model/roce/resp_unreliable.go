package roce

import "hcacosim/model/ib"

// Decides RSP-3 and RSP-4.

// decideUC: nothing is ever answered, a gap costs the message (RSP-3).
func (s *ResponderState) decideUC(cfg *ResponderConfig, p *Packet, sh *ib.Shape, f *RespFacts, d *RespDecision) {
	broken := s.dropping || p.PSN != s.ePSN
	if cfg.Profile.UCDropsRestart {
		if !s.restartRxe(sh, broken) {
			d.Why = RespBroken
			return
		}
	} else if (broken || !s.fits(sh)) && !sh.First {
		s.open, s.dropping = openMessage{}, true
		d.Why = RespBroken
		return
	}
	if sh.First {
		s.open = openMessage{} // the receive WQE stays and is filled from its start
	}
	s.ePSN = cfg.Width.Add(p.PSN, 1)
	if d.Why = s.check(cfg, p, sh, f); d.Why != RespGood {
		s.open, s.dropping = openMessage{}, !sh.Last // an Only leaves nothing behind to drop
		return
	}
	s.dropping = false
	s.execute(cfg, p, sh, f, d)
}

// restartRxe is what the kernel makes of a broken message. A First or Only in mid-message is dropped with it, and the
// state is reset only if a receive WQE is held: a WRITE that lost its middle wedges the QP.
func (s *ResponderState) restartRxe(sh *ib.Shape, broken bool) bool {
	switch {
	case broken && !sh.First, !sh.First && !s.fits(sh):
		s.dropping = true
		return false
	case sh.First && s.open.verb != NoVerb:
		s.dropping = false
		if s.open.verb == Send {
			s.open = openMessage{}
		}
		return false
	}
	return true
}

// decideUD takes a datagram: no PSN, but a Q_Key (RSP-4). The receive WQE has room for the 40 bytes of a GRH in front.
func (s *ResponderState) decideUD(cfg *ResponderConfig, p *Packet, sh *ib.Shape, f *RespFacts, d *RespDecision) {
	switch {
	case !f.QKeyOK:
		d.Why = RespBadQKey
	case !f.ReceivePosted:
		d.Why = RespNoReceive
	case p.Len > cfg.PMTUBytes:
		d.Why = RespBadLength
	case uint64(p.Len)+ib.GRHBytes > uint64(f.ReceiveBytes):
		d.Why = RespTooLong
	case f.OwnError:
		d.Why = RespOwnError
	default:
		d.Outcome, d.First, d.Last, d.Complete = RespExecute, sh.First, sh.Last, sh.Completes()
	}
}
