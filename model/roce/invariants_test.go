package roce_test

import (
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// span is the PSNs of a READ or atomic that is not answered yet, without wrap and counted from 1, so that 0 is none.
type span struct{ first, last int32 }

// watch is what the rules about answers and retries are held against.
type watch struct {
	silent  bool    // RSP-2, RSP-9: about a gap
	unsure  bool    // a duplicate came that may have been answered or not
	mayNAK  uint8   // sequence NAKs that may still leave
	mustNAK bool    // one has to
	open    [3]span // executed and not answered (RSP-5)
	retried bool    // TMR-3: a retry started, and neither progress nor an RNR wait has come since
}

// toResponder gives a responder a packet or an error from outside.
func (x *explorer) toResponder(w *world, c int, in input, arg uint32, m *message) {
	ch := &w.ch[c]
	before := x.r.of(ch.r)
	o := x.r.do(ch.r, in, arg)
	ch.r = o.id
	after := x.r.of(ch.r)
	if m != nil && m.epoch != w.epoch {
		x.untouched(o.out, before.ePSN != after.ePSN)
		x.arrived(ch, m, before.ePSN, 0)
		return
	}
	if x.plan.service == ib.UC {
		x.unreliableDid(w, c, m, o.out)
		return
	}
	moved := x.between(after.ePSN, before.ePSN)
	ch.expected += moved
	if m != nil && !before.failed {
		x.arrived(ch, m, before.ePSN, moved)
	}
	x.responderDid(w, c, m, o.out)
	if in == inSetError {
		ch.watch.mayNAK, ch.watch.mustNAK = 0, false
	}
	if after.failed && !before.failed && x.plan.both { // the other half of the QP
		x.toRequester(w, 1-c, inSetError, 0, nil)
	}
}

// untouched: what a packet of an earlier connection may do is nothing (PSN-6).
func (x *explorer) untouched(out roce.Batch, moved bool) {
	for i := range out {
		if out[i].Kind != roce.Drop {
			x.fail("PSN-6: a packet of an earlier connection led to %v", out[i].Kind)
		}
	}
	if moved {
		x.fail("PSN-6: a packet of an earlier connection was taken")
	}
}

// arrived notes what a request means for the NAKs that may follow and for the ACKs that may not.
func (x *explorer) arrived(ch *channel, m *message, ePSN psn.PSN, moved int32) {
	t := &ch.watch
	verb := m.packet.Op.Shape().Verb
	switch d := m.packet.PSN.Diff(ePSN); {
	case d == 0:
		t.unsure = false
		t.silent = moved == 0 && !x.plan.spec.NakWhileRNR // RNR NAK, or error
		if moved > 0 && verb.Replayed() {
			x.opened(t, ch.expected-moved, ch.expected-1)
		}
	case d > 0:
		if !t.silent {
			t.mayNAK++
			t.mustNAK = t.mustNAK || !t.unsure && x.plan.spec.Name == ""
			t.silent = true
		}
	default: // a duplicate: SEND and WRITE are always answered
		t.silent = false
		t.unsure = verb.Replayed()
	}
}

func (x *explorer) opened(t *watch, first, last int32) {
	for i := range t.open {
		if t.open[i].first == 0 {
			t.open[i] = span{first + 1, last + 1}
			return
		}
	}
	x.fail("REQ-9: more READs and atomics are not answered than were agreed")
}

// responded holds a response that leaves against what was asked.
func (x *explorer) responded(w *world, c int, p *roce.Packet, number int32) {
	ch := &w.ch[c]
	t := &ch.watch
	ack := ib.Lookup(p.Op).Operation == ib.Ack
	positive := !refuses(p)
	for i := range t.open {
		switch s := &t.open[i]; {
		case s.first == 0:
		case !ack && number+1 == s.last:
			copy(t.open[i:], t.open[i+1:])
			t.open[len(t.open)-1] = span{}
		case ack && positive && !x.plan.spec.DupAckSkipsRead && s.first <= number+1 && number+1 <= s.last:
			x.fail("RSP-5: an ACK of PSN %d inside what is not answered, %d to %d", number, s.first-1, s.last-1)
		}
	}
	if positive {
		ch.told = max(ch.told, number)
	}
	if ack && p.Syndrome == ib.NAKSequence {
		if t.mustNAK = false; t.mayNAK == 0 {
			x.fail("RSP-2: a second sequence NAK for PSN %d", number)
		} else {
			t.mayNAK--
		}
	}
	if t.mustNAK && !x.r.of(ch.r).owes {
		x.fail("RSP-2: no sequence NAK for PSN %d", ch.expected)
	}
}

// allowed notes that a rule ended a QP.
func (x *explorer) allowed(why roce.Rule) {
	x.happened[why] = true
	if !slices.Contains(x.plan.errors, why) {
		x.fail("a QP went to error: %s", why)
	}
}

// unreliableDid: whatever the link did, a message arrives whole or not at all, and no message twice that the link did
// not double. The receive WQE of a message that broke is filled again from its start (RSP-3).
func (x *explorer) unreliableDid(w *world, c int, m *message, out roce.Batch) {
	ch := &w.ch[c]
	for i := range out {
		switch e := &out[i]; e.Kind {
		case roce.Deliver, roce.WriteMemory:
			if m.off == 0 {
				ch.bytesAt, ch.filling = 0, uint8(m.id)
			}
			if uint8(m.id) != ch.filling || m.off != ch.bytesAt || e.Kind == roce.Deliver && (e.Off != m.off ||
				e.ID != uint64(ch.received)+1) {
				x.fail("RSP-3: message %d from byte %d was put behind %d bytes of message %d", m.id, m.off, ch.bytesAt, ch.filling)
			}
			if ch.bytesAt += e.Len; e.Kind == roce.WriteMemory && ch.bytesAt == x.plan.work[m.id-1].Len {
				x.arrivedWhole(ch, m)
			}
		case roce.Complete:
			if ch.received++; e.ID != uint64(ch.received) || e.Len != x.plan.work[m.id-1].Len {
				x.fail("RSP-3: receive %d ended with %d bytes of message %d", e.ID, e.Len, m.id)
			}
			x.arrivedWhole(ch, m)
		case roce.EnterError:
			x.allowed(e.Why)
		}
	}
}

func (x *explorer) arrivedWhole(ch *channel, m *message) {
	if bit := uint8(1) << m.id; ch.whole&bit != 0 {
		x.fail("RSP-3: message %d arrived twice", m.id)
	} else {
		ch.whole |= bit
	}
}

// responderDid holds what was executed against what was asked for: everything once, and in order.
func (x *explorer) responderDid(w *world, c int, m *message, out roce.Batch) {
	ch := &w.ch[c]
	failed := false
	for i := range out {
		switch e := &out[i]; e.Kind {
		case roce.Deliver:
			if e.ID != x.receiveOf(w, c, m.id) || e.Off != m.off || e.Off != ch.bytesAt || ch.received+1 != uint8(e.ID) {
				x.fail("message %d from byte %d was put to receive %d from byte %d, after %d bytes and %d messages", m.id, m.off,
					e.ID, e.Off, ch.bytesAt, ch.received)
			}
			ch.bytesAt += e.Len
		case roce.WriteMemory:
			x.wrote(w, c, m, e)
		case roce.FlushMemory:
			x.executedOnce(w, c, m)
		case roce.Complete:
			x.receiveEnded(w, c, m, e)
		case roce.AtomicMemory:
			before := uint32(ch.atomics) * uint32(x.work[c][w.epoch][m.id-1].SwapAdd)
			ch.r = x.r.do(ch.r, inResult, before<<8|uint32(e.Slot)).id
			x.executedOnce(w, c, m)
			if ch.atomics++; uint64(ch.atomics) != x.count(w, c, m.id, atomic) {
				x.fail("RSP-8: an atomic was executed twice or early")
			}
		case roce.EnterError:
			x.allowed(e.Why)
			failed = true
		}
	}
	if failed && ch.received+ch.ended != ch.posted {
		x.fail("RSP-15: %d of %d receive WQEs were not flushed", ch.posted-ch.received-ch.ended, ch.posted)
	}
}

func (x *explorer) wrote(w *world, c int, m *message, e *roce.Effect) {
	ch := &w.ch[c]
	k := &x.work[c][w.epoch][m.id-1]
	if e.VA != k.VA+uint64(m.off) || m.off != ch.bytesAt {
		x.fail("WRITE %d from byte %d went to byte %d, after %d bytes", m.id, m.off, e.VA-k.VA, ch.bytesAt)
	}
	if ch.bytesAt += e.Len; ch.bytesAt == k.Len && !k.WithImm {
		ch.bytesAt = 0
		x.executedOnce(w, c, m)
	}
}

// receiveEnded: a receive WQE ends in its turn, with its message or when its QP goes to error.
func (x *explorer) receiveEnded(w *world, c int, m *message, e *roce.Effect) {
	ch := &w.ch[c]
	if e.ID != uint64(ch.received+ch.ended)+1 {
		x.fail("REQ-11: receive %d ended after %d others", e.ID, ch.received+ch.ended)
	}
	if e.Status != roce.Success {
		if ch.ended++; !x.r.of(ch.r).failed {
			x.fail("receive %d ended with %v", e.ID, e.Status)
		}
		return
	}
	if ch.bytesAt != e.Len || e.ID != x.receiveOf(w, c, m.id) {
		x.fail("receive %d ended after %d bytes of message %d", e.ID, ch.bytesAt, m.id)
	}
	ch.bytesAt = 0
	ch.received++
	x.executedOnce(w, c, m)
}

func receives(k *roce.Work) bool { return k.Verb == roce.Send || k.Verb == roce.Write && k.WithImm }
func atomic(k *roce.Work) bool   { return k.Verb.Atomic() }
func changes(k *roce.Work) bool {
	return k.Verb != roce.Read && !k.Verb.Local() && (k.Verb != roce.Write || k.Len > 0 || k.WithImm)
}

// count is how many messages up to one are of a kind.
func (x *explorer) count(w *world, c int, id uint64, kind func(*roce.Work) bool) (n uint64) {
	for i := range x.work[c][w.epoch][:id] {
		if kind(&x.work[c][w.epoch][i]) {
			n++
		}
	}
	return n
}

// receiveOf is the receive WQE that a message takes.
func (x *explorer) receiveOf(w *world, c int, id uint64) uint64 { return x.count(w, c, id, receives) }

// bad reports whether a message is the one that the responder has to refuse.
func (x *explorer) bad(c int, id uint64) bool { return c == 0 && id == x.plan.bad }

// executedOnce: of the messages that change something, all before this one were executed, and this one was not.
func (x *explorer) executedOnce(w *world, c int, m *message) {
	ch := &w.ch[c]
	if ch.executed++; uint64(ch.executed) != x.count(w, c, m.id, changes) {
		x.fail("RSP-5: message %d was executed as number %d", m.id, ch.executed)
	}
	if x.bad(c, m.id) {
		x.fail("RSP-1: message %d was executed", m.id)
	}
}

// toRequester gives a requester a packet, the end of a timer or an error from outside.
func (x *explorer) toRequester(w *world, c int, in input, arg uint32, m *message) {
	ch := &w.ch[c]
	before := x.q.of(ch.q)
	o := x.q.do(ch.q, in, arg)
	ch.q = o.id
	after := x.q.of(ch.q)
	moved := before.una != after.una
	if m != nil && m.epoch != w.epoch {
		x.untouched(o.out, moved)
		return
	}
	x.retries(&ch.watch, o.out, moved)
	rnr := m != nil && refuses(&m.packet) && m.packet.Syndrome.Kind() == ib.KindRNR
	switch {
	case !after.waiting:
	case !after.outstanding:
		x.fail("TMR-5: it waits for the RNR timer, and everything is acknowledged")
	case before.waiting && moved && !rnr:
		x.fail("TMR-5: progress did not end the RNR wait")
	}
	var address uint64
	if m != nil {
		address = m.address
	}
	x.requesterDid(w, c, o.out, address)
	if after.failed && !before.failed && x.plan.both {
		x.toResponder(w, 1-c, inSetError, 0, nil)
	}
}

// retries: a retry for a gap is counted once (TMR-3).
func (x *explorer) retries(t *watch, out roce.Batch, moved bool) {
	if moved {
		t.retried = false
	}
	for i := range out {
		switch e := &out[i]; {
		case e.Kind == roce.EnterError:
			t.retried = false
		case e.Kind != roce.GoBack:
		case e.Why == "TMR-4":
			t.retried = false
		default:
			if t.retried && e.Why != "TMR-1" {
				x.fail("TMR-3: a second retry for one gap, %s", e.Why)
			}
			t.retried = true
		}
	}
}

// requesterDid holds completions and returned data against what was posted.
func (x *explorer) requesterDid(w *world, c int, out roce.Batch, address uint64) {
	ch := &w.ch[c]
	for i := range out {
		switch e := &out[i]; e.Kind {
		case roce.ReadReturned:
			x.returned(w, c, e, address)
		case roce.Complete:
			if ch.completed++; e.ID != uint64(ch.completed) {
				x.fail("message %d ended in place of message %d", e.ID, ch.completed)
				return
			}
			x.messageEnded(w, c, e)
			ch.returned = 0
		case roce.EnterError:
			x.allowed(e.Why)
		}
	}
	if x.q.of(ch.q).failed && int(ch.completed) != len(x.work[c][w.epoch]) {
		x.fail("RSP-15: %d messages of %d ended in a QP in error", ch.completed, len(x.work[c][w.epoch]))
	}
}

func (x *explorer) returned(w *world, c int, e *roce.Effect, address uint64) {
	ch := &w.ch[c]
	if int(e.ID) != int(ch.completed)+1 {
		x.fail("data of message %d while message %d is the oldest", e.ID, ch.completed+1)
		return
	}
	k := x.work[c][w.epoch][ch.completed]
	if k.Verb.Atomic() {
		if want := x.count(w, c, e.ID, atomic) - 1; e.Packet.Original != want*k.SwapAdd {
			x.fail("RSP-8: the atomic returned %d", e.Packet.Original)
		}
		ch.returned = 8
		return
	}
	if e.Off != ch.returned || address != k.VA+uint64(e.Off) {
		x.fail("READ data from byte %d came as byte %d, after %d bytes", address-k.VA, e.Off, ch.returned)
	}
	ch.returned += e.Len
}

// messageEnded: those before a failure with success, the one that failed with its status, those behind it flushed
// (REQ-4, REQ-11).
func (x *explorer) messageEnded(w *world, c int, e *roce.Effect) {
	ch := &w.ch[c]
	k := &x.work[c][w.epoch][e.ID-1]
	switch {
	case ch.failed && e.Status != roce.Flushed:
		x.fail("REQ-4: message %d ended with %v behind one that failed", e.ID, e.Status)
	case e.Status == roce.Success:
		x.succeeded(w, c, k)
	default:
		if !ch.failed && !x.mayEndWith(w, c, e) {
			x.fail("REQ-4: message %d ended with %v", e.ID, e.Status)
		}
		ch.failed = true
	}
}

// mayEndWith: the statuses of retries that run out and of a QP that ends are held against the rules that end it.
func (x *explorer) mayEndWith(w *world, c int, e *roce.Effect) bool {
	switch e.Status {
	case roce.RetryExceeded, roce.RNRRetryExceeded, roce.Flushed:
		return true
	case roce.RemoteInvalidRequest, roce.RemoteAccess, roce.RemoteOperation:
		return x.bad(c, e.ID) && e.Status == x.plan.badStatus
	default:
		return w.spoiled > 0
	}
}

// succeeded: what ended with success has been executed, and all of its data has come.
func (x *explorer) succeeded(w *world, c int, k *roce.Work) {
	ch := &w.ch[c]
	switch {
	case x.bad(c, k.ID):
		x.fail("REQ-4: message %d ended with success", k.ID)
	case (k.Verb == roce.Read || k.Verb.Atomic()) && ch.returned != k.Len:
		x.fail("REQ-3: message %d ended with %d bytes", k.ID, ch.returned)
	case x.plan.service == ib.RC && uint64(ch.executed) < x.count(w, c, k.ID, changes):
		x.fail("REQ-1: message %d ended before it was executed", k.ID)
	}
}
