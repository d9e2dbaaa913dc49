package roce

// Decides REQ-14.

// begin asks the caller to do local work whose turn has come. It takes no PSN, so that a retry passes it by, and
// nothing behind it begins before Done (REQ-14).
func (q *Requester) begin(w *sendWQE, out *Batch) {
	w.started, w.waits = true, true
	w.first, w.last = q.next, q.cfg.Width.Prev(q.next)
	q.cur++
	kind := BindWindow
	if w.Verb == LocalInvalidate {
		kind = InvalidateKey
	}
	out.add(Effect{Kind: kind, ID: w.ID, VA: w.VA, Len: w.Len, LKey: w.LKey, Access: w.Access,
		Packet: Packet{RKey: w.RKey}})
}

// Done reports whether the work of the last BindWindow or InvalidateKey effect was done. What was not done ends the QP
// when everything before it has ended (REQ-11).
func (q *Requester) Done(good bool, out *Batch) {
	for i := range q.count {
		if w := q.at(i); w.waits { // at most one does
			w.waits, w.failed = false, !good
		}
	}
	q.endLocal(out)
}

// endLocal ends local work that is done and that nothing before it holds up.
func (q *Requester) endLocal(out *Batch) {
	for q.count > 0 && q.at(0).started && q.at(0).Verb.Local() && !q.at(0).waits {
		if q.at(0).failed {
			q.fail(LocalError, "RSP-1", out)
			return
		}
		q.finish(Success, out)
	}
}
