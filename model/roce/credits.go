package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// after24 tells that a lies ahead of b, both modulo 2^24: SSN, LSN and MSN wrap as PSNs do.
func after24(a, b uint32) bool { return psn.New(a).Diff(psn.New(b)) > 0 }

// takeCredits moves LSN forward to what an acknowledgement allows (CRD-2).
func (q *Requester) takeCredits(p *Packet) {
	if q.cfg.Profile.CreditsIgnored || p.Syndrome.Kind() != ib.KindAck {
		return
	}
	n, limited := ib.Credits(p.Syndrome.Code())
	if !limited {
		q.unlimited = true
		return
	}
	if !q.cfg.Limited && !q.lsnKnown {
		q.lsn, q.lsnKnown = p.MSN, true // the first credits of a peer that was not known to use them
	}
	q.unlimited = false
	if lsn := (p.MSN + n) & 0xFFFFFF; after24(lsn, q.lsn) {
		q.lsn, q.probed = lsn, false
	}
}

// takeStaleCredits takes the credits of an ACK that acknowledges nothing new (CRD-3).
func (q *Requester) takeStaleCredits(p *Packet, op ib.Operation) {
	if op != ib.Ack || q.cfg.Profile.CreditsLastOnly && p.PSN != q.cfg.Width.prev(q.una) {
		return
	}
	q.takeCredits(p)
}

// credited tells that the peer has a receive WQE for this message.
func (q *Requester) credited(w *sendWQE) bool { return q.unlimited || !after24(w.ssn, q.lsn) }

// mayCredit lets a message go that needs no credit or has one, and one packet of the next as a probe (CRD-2).
func (q *Requester) mayCredit(w *sendWQE) bool {
	if !w.limited() || q.credited(w) {
		return true
	}
	if w.started {
		return !q.probed || q.cfg.Profile.ProbesWithMessage // it began before the peer spoke of credits
	}
	return w.ssn == (q.lsn+1)&0xFFFFFF && !q.probed
}
