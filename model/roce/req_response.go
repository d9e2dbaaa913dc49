package roce

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// Step takes a response that reached the QP.
func (q *Requester) Step(p *Packet, out *Batch) {
	info := ib.Lookup(p.Op)
	switch {
	case q.State != RTS:
		out.drop("RSP-15")
	case info == nil || !info.Response || ib.Transport(p.Op&0xE0) != q.cfg.Service:
		out.drop("OPC-1")
	default:
		q.place(p, info.Operation, out)
	}
}

// place tells unacknowledged, stale and ghost apart (PSN-3).
func (q *Requester) place(p *Packet, op ib.Operation, out *Batch) {
	switch psn.Respond(p.PSN, q.una, q.high) {
	case psn.Unacked:
		q.respond(p, op, out)
	case psn.Stale:
		q.takeStaleCredits(p, op)
		out.drop("PSN-3")
	default:
		if q.cfg.Profile.FutureAckCompletes && q.Outstanding() {
			if q.release(q.high, out) != nil { // it ends all that waits for no response of its own
				q.implied(out)
			}
			return
		}
		out.drop("PSN-3")
	}
}

// respond takes a response to something unacknowledged.
func (q *Requester) respond(p *Packet, op ib.Operation, out *Batch) {
	switch op {
	case ib.Ack:
		q.acknowledge(p, out)
	case ib.AtomicAck:
		q.atomicAck(p, out)
	default:
		q.readResponse(p, op, out)
	}
}

func (q *Requester) acknowledge(p *Packet, out *Batch) {
	switch p.Syndrome.Kind() {
	case ib.KindAck:
		q.takeCredits(p)
		if w := q.release(q.cfg.Width.add(p.PSN, 1), out); w == nil {
			return
		} else if p.PSN.Diff(w.last) <= 0 {
			out.drop("CRD-4") // an unsolicited ACK inside a READ or atomic completes nothing
			return
		}
		q.implied(out)
	case ib.KindRNR:
		q.notReady(p, out)
	case ib.KindNAK:
		q.negative(p, out)
	default:
		q.bad("OPC-2", out)
	}
}

// release ends everything before PSN to: an acknowledgement covers all that came before (REQ-1, REQ-2). It stops at a READ
// or atomic whose own response is missing and returns it.
func (q *Requester) release(to psn.PSN, out *Batch) *sendWQE {
	before := q.una
	for q.count > 0 && q.una.Diff(to) < 0 {
		w := q.at(0)
		if w.Verb.Replayed() {
			q.progress(before, out)
			return w
		}
		if end := q.cfg.Width.add(w.last, 1); end.Diff(to) > 0 || w.more {
			q.una = to
		} else {
			q.una = end
			q.end(out)
		}
	}
	q.progress(before, out)
	return nil
}

// progress restores the counters and restarts the timer if una moved (TMR-2, TMR-3, TMR-4). What a retry had still to
// send may have been acknowledged meanwhile (REQ-6).
func (q *Requester) progress(before psn.PSN, out *Batch) {
	if q.una == before {
		return
	}
	q.retries, q.rnrRetries = q.cfg.RetryCount, q.cfg.RNRRetry
	q.retrying = false
	if q.next.Diff(q.una) < 0 {
		q.next = q.una
		q.cur = q.indexOf(q.una)
	}
	switch {
	case q.waiting:
	case q.Outstanding() && q.cfg.Timeout != 0:
		q.arm(out)
	default:
		q.stop(out)
	}
}

// indexOf returns which WQE a PSN belongs to, counted from the oldest; the first not started if none.
func (q *Requester) indexOf(p psn.PSN) uint16 {
	i := uint16(0)
	for i < q.count && q.at(i).started && q.at(i).last.Diff(p) < 0 {
		i++
	}
	return i
}

// holder returns the READ or atomic that a response of PSN p belongs to, with all that comes before it released; nil when
// there is none, or when something before it waits for its own response (REQ-3).
func (q *Requester) holder(p psn.PSN, verb Verb, out *Batch) *sendWQE {
	w := q.at(q.indexOf(p))
	if q.release(w.first, out) != nil {
		q.implied(out)
		return nil
	}
	w = q.at(0)
	if w.Verb.Atomic() != verb.Atomic() || !w.Verb.Replayed() {
		q.bad("OPC-2", out)
		return nil
	}
	return w
}

// readResponse takes the next response of a READ. One that comes too early means that others were lost (REQ-3).
func (q *Requester) readResponse(p *Packet, op ib.Operation, out *Batch) {
	if op != ib.ReadResponseMid && p.Syndrome.Kind() != ib.KindAck {
		q.bad("OPC-2", out)
		return
	}
	w := q.holder(p.PSN, Read, out)
	if w == nil {
		return
	}
	if p.PSN != q.una {
		if q.cfg.Profile.GapWaits {
			out.drop("REQ-3")
			return
		}
		q.implied(out)
		return
	}
	if w.Verb != Read && op != ib.ReadResponseOnly {
		q.bad("OPC-3", out)
		return
	}
	off := w.got * q.cfg.PMTUBytes
	if p.Op.Shape().Last != (p.PSN == w.last) || p.Len != min(w.returns()-off, q.cfg.PMTUBytes) {
		q.bad("LEN-1", out)
		return
	}
	if op != ib.ReadResponseMid {
		q.takeCredits(p)
	}
	if p.Len > 0 {
		out.add(Effect{Kind: ReadReturned, ID: w.ID, Off: off, Len: p.Len})
	}
	w.got++
	q.returned(w, p, out)
}

func (q *Requester) atomicAck(p *Packet, out *Batch) {
	if p.Syndrome.Kind() != ib.KindAck {
		q.bad("OPC-2", out)
		return
	}
	if w := q.holder(p.PSN, FetchAdd, out); w != nil {
		q.takeCredits(p)
		out.add(Effect{Kind: ReadReturned, ID: w.ID, Len: 8, Packet: *p})
		q.returned(w, p, out)
	}
}

// returned moves una behind a response that was taken and ends the WQE with its last.
func (q *Requester) returned(w *sendWQE, p *Packet, out *Batch) {
	before := q.una
	q.una = q.cfg.Width.add(p.PSN, 1)
	if p.PSN == w.last {
		q.end(out)
	}
	q.progress(before, out)
}

// bad takes a response that no rule lets a responder send.
func (q *Requester) bad(why Rule, out *Batch) {
	if q.cfg.Profile.BadResponseError && why != "OPC-2" {
		q.fail(LocalError, why, out)
		return
	}
	if !q.cfg.Profile.BadResponseFatal {
		out.drop(why)
		return
	}
	q.finish(Success, out) // the kernel's bug: success, and then the QP is in error
	q.fail(Flushed, why, out)
}
