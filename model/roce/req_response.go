package roce

import "hcacosim/model/psn"

// Decides REQ-6 and REQ-15.

// responds reports whether the QP takes responses (RSP-15).
func (q *Requester) responds() bool { return q.State == RTS || q.State == SQD }

// Step takes a response that reached the QP.
func (q *Requester) Step(p *Packet, out *Batch) {
	if !q.responds() {
		out.drop("RSP-15")
		return
	}
	var d Decision
	q.decide(p, &d)
	q.apply(p, &d, out)
}

// decide asks the state what follows from a response.
func (q *Requester) decide(p *Packet, d *Decision) {
	if q.reads == 0 {
		q.s.decide(q.cfg, p, nil, d)
		return
	}
	head := q.oldest()
	q.s.decide(q.cfg, p, &head, d)
}

// oldest describes the oldest READ or atomic that waits for its responses. There must be one.
func (q *Requester) oldest() (h Outstanding) {
	w := q.at(0)
	for i := uint16(1); !w.Verb.Replayed(); i++ {
		w = q.at(i)
	}
	h = Outstanding{Due: q.cfg.Width.Add(w.first, w.got), Last: w.last, Atomic: w.Verb.Atomic(), Begun: w.got > 0}
	if w.Verb == Read {
		h.TailBytes = w.Len - q.cfg.Width.Between(w.last, w.first)*q.cfg.PMTUBytes
	}
	return h
}

// apply does what was decided: WQEs end, data is placed, timers start and stop, and the requester goes back.
func (q *Requester) apply(p *Packet, d *Decision, out *Batch) {
	if d.Progress() {
		q.acknowledged(p, d, out)
	}
	if d.WaitEnded {
		out.add(Effect{Kind: Disarm, Timer: RNR})
	}
	if q.State == Error { // local work that could not be done had its turn
		return
	}
	if (d.Progress() || d.WaitEnded) && !d.Closes() && !d.Retries() {
		q.restart(out)
	}
	switch d.Action {
	case ReqSequenceNAK:
		q.again("REQ-4", out)
	case ReqImpliedNAK:
		q.again("REQ-3", out)
	case ReqRNR:
		q.notReady(d, out)
	case ReqFatal:
		q.fail(d.Failure(), "REQ-4", out)
	case ReqBadResponse:
		q.bad(d, out)
	default:
		if d.Why != ReqTaken {
			out.drop(d.Why.Rule())
		}
	}
}

// acknowledged ends what a response acknowledges (REQ-1, REQ-2) and places its data. Progress restores the counters
// (TMR-3, TMR-4).
func (q *Requester) acknowledged(p *Packet, d *Decision, out *Batch) {
	to := d.Una
	if d.Data {
		to = p.PSN
	}
	q.endBefore(to, d.UnaBefore, out)
	if d.Data {
		q.returned(p, d.Ended, out)
	}
	q.retries, q.rnrRetries = q.cfg.RetryCount, q.cfg.RNRRetry
	if q.next.From(d.UnaBefore) < d.Una.From(d.UnaBefore) { // the retry need not send it any more (REQ-6)
		q.next = d.Una
		q.cur = q.indexOf(d.Una)
	}
}

// endBefore ends the WQEs that lie before PSN to. Distances count from una as it was (PSN-7).
func (q *Requester) endBefore(to, una psn.PSN, out *Batch) {
	for ahead := to.From(una); q.count > 0; {
		if w := q.at(0); !w.started || w.more || w.waits || w.last.From(una) >= ahead {
			return
		}
		q.end(out)
	}
}

// indexOf returns which WQE an unacknowledged PSN belongs to, counted from the oldest; the first not started if none.
func (q *Requester) indexOf(p psn.PSN) uint16 {
	i, una := uint16(0), q.s.Una
	for i < q.count && q.at(i).started && q.at(i).last.From(una) < p.From(una) {
		i++
	}
	return i
}

// returned places the data of a response that the oldest WQE waited for (REQ-15), and ends it with its last.
func (q *Requester) returned(p *Packet, ended bool, out *Batch) {
	w := q.at(0)
	switch {
	case w.Verb.Atomic():
		out.add(Effect{Kind: ReadReturned, ID: w.ID, Len: 8, Packet: *p})
	case p.Len > 0:
		out.add(Effect{Kind: ReadReturned, ID: w.ID, Off: w.got * q.cfg.PMTUBytes, Len: p.Len})
	}
	if w.got++; ended {
		q.end(out)
	}
}

// bad ends the QP because of a response that no request has (REQ-12).
func (q *Requester) bad(d *Decision, out *Batch) {
	switch {
	case q.cfg.Profile.BadResponseFatal: // the kernel's bug: success, and then the QP is in error
		q.finish(Success, out)
		q.fail(Flushed, d.Why.Rule(), out)
	default:
		q.fail(d.Failure(), d.Why.Rule(), out)
	}
}
