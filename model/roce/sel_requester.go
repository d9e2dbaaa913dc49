package roce

import "hcacosim/model/psn"

// Decides SEL-3, SEL-4, SEL-5 and SEL-6.

// SelRequester is the sending half of a selective pair. It numbers packets and says which goes out next; whose bytes
// they are the caller knows. A copy is a snapshot.
type SelRequester struct {
	window int32
	una    psn.PSN // the oldest that is not acknowledged
	next   psn.PSN // the first that was never sent

	arrived selWindow // behind a gap, as the peer said
	highest psn.PSN   // the last that arrived; una - 1 where nothing behind a gap did

	recovering bool
	recover    psn.PSN // the recovery ends when everything before it is acknowledged
	again      psn.PSN // packets before it were sent again in this recovery
}

// NewSelRequester makes a requester that sends from start on, at most window packets ahead of the oldest unacknowledged
// one.
func NewSelRequester(start psn.PSN, window int32) SelRequester {
	return SelRequester{window: min(window, MaxSelWindow), una: start, next: start, highest: start.Add(-1),
		arrived: selWindow{base: start}}
}

// PSNs returns the oldest unacknowledged PSN and the first that was never sent.
func (q *SelRequester) PSNs() (una, next psn.PSN) { return q.una, q.next }

// Outstanding returns how many packets are sent and not acknowledged.
func (q *SelRequester) Outstanding() int32 { return q.next.Diff(q.una) }

// Next chooses the packet that goes out now: first what is missing, then a new one where there is more and the window
// has room (SEL-3, SEL-4).
func (q *SelRequester) Next(more bool) (p psn.PSN, again, ok bool) {
	if p, ok = q.missing(); ok {
		q.again = p.Add(1)
		return p, true, true
	}
	if !more || q.Outstanding() >= q.window {
		return 0, false, false
	}
	p, q.next = q.next, q.next.Add(1)
	return p, false, true
}

// missing finds the next packet of the recovery: not sent again in it, not arrived, and before one that did. The oldest
// counts as missing whatever arrived.
func (q *SelRequester) missing() (p psn.PSN, ok bool) {
	if !q.recovering {
		return 0, false
	}
	for p = q.again; p.Diff(q.recover) < 0; p = p.Add(1) {
		switch {
		case p != q.una && p.Diff(q.highest) > 0:
			return 0, false
		case !q.arrived.has(p):
			return p, true
		}
	}
	return 0, false
}

// Step takes a response (SEL-4, SEL-5). progress reports whether it acknowledged something.
func (q *SelRequester) Step(r SelResponse) (progress bool) {
	if d := r.Next.Diff(q.una); d > 0 && d <= q.Outstanding() {
		progress = true
		q.acknowledge(r.Next)
	}
	if d := r.Got.Diff(q.una); r.Nak && d > 0 && d < q.Outstanding() {
		q.arrived.mark(r.Got)
		if r.Got.After(q.highest) {
			q.highest = r.Got
		}
		q.begin()
	}
	return progress
}

func (q *SelRequester) acknowledge(next psn.PSN) {
	q.una = next
	q.arrived.move(next)
	if q.highest.Before(next) {
		q.highest = next.Add(-1)
	}
	if q.again.Before(next) {
		q.again = next
	}
	if q.recovering && next.Diff(q.recover) >= 0 {
		q.recovering = false
	}
}

func (q *SelRequester) begin() {
	if !q.recovering {
		q.recovering, q.recover, q.again = true, q.next, q.una
	}
}

// Expire tells that the timer ran out (SEL-6): the oldest goes out again, and after it whatever is still missing.
func (q *SelRequester) Expire() {
	if q.Outstanding() > 0 {
		q.recovering, q.recover, q.again = true, q.next, q.una
	}
}
