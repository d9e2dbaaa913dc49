package roce

// credited reports whether the peer has a receive WQE for this message.
func (q *Requester) credited(w *sendWQE) bool { return q.s.Credit(w.ssn) == ReqTaken }

// mayCredit lets a message go that needs no credit or has one, and one packet of the next as a probe (CRD-2).
func (q *Requester) mayCredit(w *sendWQE) bool {
	if !w.limited() {
		return true
	}
	switch q.s.Credit(w.ssn) {
	case ReqNoCredit: // a message that began goes on: before the peer spoke of credits, or when its probe brought none
		return w.started && (!q.s.Probed || q.cfg.Profile.ProbesWithMessage || q.s.Idle())
	default:
		return true
	}
}
