package endpoint

import (
	"hcacosim/model/ib"
	"hcacosim/model/roce"
	"hcacosim/model/wire"
)

// ecnBits of TOS or TClass tell of the way that a packet came, and do not go back.
const ecnBits = 3

// cnpPayload follows the BTH of a CNP (CNP-3).
var cnpPayload [ib.CNPBytes]byte

// notice gives a packet that was admitted its CNP, where it carries a mark (CNP-1, CNP-2).
func (e *Endpoint) notice(nowNs uint64, q *queuePair) {
	m := roce.Marked{Op: e.frame.BTH().Opcode(), Service: q.Responder.Service}
	switch w := &e.frame; {
	case w.IPv4() != nil:
		m.TClass, m.RoCEv2 = w.IPv4().TOS(), w.UDP() != nil
	case w.IPv6() != nil:
		m.TClass, m.RoCEv2 = w.IPv6().TClass(), w.UDP() != nil
	}
	if !e.cfg.OthersNotify && q.notifier.Notify(&m, nowNs, e.cfg.CNPPeriodNs) == roce.NotifySends {
		_, peer := q.notifier.CNP(&m)
		e.notices = append(e.notices, notice{q, peer})
	}
}

// notice is a CNP that is due.
type notice struct {
	q    *queuePair
	peer uint32
}

// nextNotice appends the CNP that leaves next to dst (CNP-3).
func (e *Endpoint) nextNotice(dst []byte) ([]byte, bool) {
	if len(e.notices) == 0 {
		return dst, false
	}
	n := e.notices[0]
	e.notices = e.notices[1:]
	s := n.q.request()
	s.Opcode, s.BECN, s.DestQP, s.PSN = ib.OpcodeCNP, true, n.peer, 0
	e.address(&s)
	return s.Append(dst, cnpPayload[:]), true
}

// address fills in what every frame of the port has.
func (e *Endpoint) address(s *wire.Spec) {
	s.SrcMAC, s.Src = e.cfg.MAC, e.cfg.Address
	if s.PKey == 0 {
		s.PKey = e.cfg.PKeys[0]
	}
	if s.Encap == wire.EncapRoCEv2IPv4 {
		e.ipID++
		s.IPID, s.IPFrag = e.ipID, 0x4000
	}
}
