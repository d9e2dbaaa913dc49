package roce

import "hcacosim/model/ib"

// stepUC takes a request of the unreliable connection: nothing is ever answered, a gap costs the message (RSP-3).
func (r *Responder) stepUC(p *Packet, s *ib.Shape, out *Batch) {
	broken := r.dropping || p.PSN != r.ePSN
	if r.cfg.Profile.UCDropsRestart {
		if !r.restartRxe(s, broken, out) {
			return
		}
	} else {
		broken = broken || r.checkSequence(s).rule != ""
		if broken && !s.First {
			r.abandon()
			out.drop("RSP-3")
			return
		}
		if broken {
			r.msg = message{} // the receive WQE stays and is filled from its start
		}
	}
	r.dropping = false
	f := r.check(p, s)
	r.ePSN = r.cfg.Width.add(p.PSN, 1)
	if f.rule != "" {
		r.abandon()
		r.dropping = !s.Last // an Only leaves nothing behind to drop
		out.drop("RSP-3")
		return
	}
	r.place(p, s, out)
	r.advance(p, s.Last)
	r.goOn(p, s)
	if s.Last {
		r.complete(p, s, out)
	}
}

// abandon gives the message up: no completion, and bytes already placed stay.
func (r *Responder) abandon() {
	r.msg = message{}
	r.dropping = true
}

// restartRxe is what the kernel makes of a broken message. A First or Only in mid-message is dropped with it, and the
// state is reset only if a receive WQE is held: a WRITE that lost its middle wedges the QP.
func (r *Responder) restartRxe(s *ib.Shape, broken bool, out *Batch) bool {
	switch {
	case broken && !s.First:
		r.dropping = true
		out.drop("RSP-3")
		return false
	case s.First && r.msg.verb != NoVerb:
		r.dropping = false
		if r.msg.verb == Send {
			r.msg = message{}
		}
		out.drop("RSP-3")
		return false
	case r.checkSequence(s).rule != "":
		r.dropping = true
		out.drop("RSP-3")
		return false
	}
	return true
}

// stepUD takes a datagram: no PSN, but a Q_Key (RSP-4). The receive WQE has room for the 40 bytes of a GRH in front.
func (r *Responder) stepUD(p *Packet, s *ib.Shape, out *Batch) {
	switch {
	case p.QKey != r.cfg.QKey:
		out.drop("RSP-4")
	case r.recv.count == 0:
		out.drop("RSP-4")
	case p.Len > r.cfg.PMTUBytes, p.Len+ib.GRHBytes > r.recv.first().Len:
		out.drop("LEN-1")
	default:
		w := r.recv.pop()
		if p.Len > 0 {
			out.add(Effect{Kind: Deliver, ID: w.ID, Off: ib.GRHBytes, Len: p.Len})
		}
		out.add(Effect{Kind: Complete, ID: w.ID, Len: p.Len + ib.GRHBytes, Packet: *p})
	}
}
