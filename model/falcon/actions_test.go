package falcon_test

import (
	"fmt"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/wire"
)

// An action is a kind and a number: of a packet, or of a place in a window.
const (
	doSend        = iota // by window
	doResend             // one
	doTimer              // of the receiver
	doArrive             // by packet in flight
	doAnswer             // by message in flight; everything left more than an RTT ago
	doAnswerSoon         // the same, within an RTT
	doULP                // by place in the data window
	doTimeOut            // by window and place
	doLose               // by packet in flight
	doLoseBack           // by message in flight
	doDouble             // by packet in flight
	doDoubleBack         // by message in flight
	doUnasked            // an ACK that nothing called for
	doRNR                // by place in the data window
	doCIE                // likewise
	doNoResources        // by packet in flight
	doXLR                // likewise
	kinds
)

const (
	places  = 16
	actions = kinds * places
)

var kindNames = [kinds]string{"a packet leaves", "a packet leaves again", "the coalescing timer ends", "arrives",
	"is answered",
	"is answered soon", "the ULP acknowledges", "times out", "is lost", "an answer is lost", "is doubled",
	"an answer is doubled",
	"an ACK that nothing called for", "RNR", "CIE", "no resources", "xLR"}

func nameOf(n int) string { return fmt.Sprintf("%s %d", kindNames[n/places], n%places) }

// step does an action, and reports whether it was possible.
func (x *explorer) step(w *world, n int) bool {
	kind, at := n/places, n%places
	p := &x.plan
	ok := false
	switch kind {
	case doSend:
		ok = at < 2 && x.send(w, falcon.Window(at))
	case doResend:
		ok = at == 0 && x.resend(w)
	case doTimer:
		ok = at == 0 && x.timer(w)
	case doArrive:
		ok = x.arrive(w, at, 0)
	case doAnswer, doAnswerSoon:
		ok = x.answer(w, at, kind == doAnswerSoon)
	case doULP:
		ok = x.ulp(w, at)
	case doTimeOut:
		ok = x.timeOut(w, falcon.Window(at/8), uint32(at%8))
	case doUnasked:
		ok = at == 0 && x.unasked(w)
	case doRNR:
		ok = int(w.rnr) < p.rnr && x.sendBack(w, at, wire.NackRNR)
	case doCIE:
		ok = int(w.broken) < p.broken && x.sendBack(w, at, wire.NackCIE)
	case doNoResources:
		ok = int(w.refused) < p.refuse && x.arrive(w, at, wire.NackResources)
	case doXLR:
		ok = int(w.broken) < p.broken && x.arrive(w, at, wire.NackXlr)
	default:
		ok = x.harmLink(w, kind, at)
	}
	if ok {
		x.check(w)
	}
	return ok
}

// fair reports whether an action is one that happens in the end, in a state.
func (x *explorer) fair(w *world, n int) bool {
	at := n % places
	return n/places < doTimeOut || n/places == doTimeOut && x.still(w) && x.next(w, falcon.Window(at/8), uint32(at%8))
}

// next reports whether no timer ends before that of a packet: all run equally long, and so no packet times out twice
// before another does once.
func (x *explorer) next(w *world, win falcon.Window, bit uint32) bool {
	least := ^uint8(0)
	retries := func(v falcon.Window, n uint32) uint8 { return w.tx.Retries(v, w.tx.Window(v).Base.Add(n)) }
	for v := range falcon.Window(2) {
		h := w.tx.Window(v)
		for left := h.Outstanding().Without(w.tx.Due(v)); left.Any(); {
			n := left.First()
			left.Clear(n)
			least = min(least, retries(v, n))
		}
	}
	return retries(win, bit) == least
}

// still reports whether nothing but a timer of the transmitter can happen.
func (x *explorer) still(w *world) bool {
	if _, runs := w.rx.TimerNs(); runs || len(w.forward) > 0 || len(w.back) > 0 || w.tx.Dead() {
		return false
	}
	for win := range w.items {
		if w.tx.Due(falcon.Window(win)).Any() && x.mayResend(w) {
			return false
		}
		if int(w.sent[win]) < len(x.plan.work[win]) && w.tx.MaySend(x.plan.work[win][w.sent[win]], 0) == falcon.Open {
			return false
		}
		for i := range w.items[win] {
			if w.items[win][i].waits {
				return false
			}
		}
	}
	return true
}

func (x *explorer) mayResend(w *world) bool {
	_, gate := w.tx.Clone().Resend(0)
	return gate == falcon.Open
}

func (x *explorer) send(w *world, win falcon.Window) bool {
	i := w.sent[win]
	if int(i) == len(x.plan.work[win]) || len(w.forward) == x.plan.forward {
		return false
	}
	base := w.tx.Window(win).Base
	s, gate := w.tx.Send(x.plan.work[win][i], uint32(i), 0)
	if gate != falcon.Open {
		return false
	}
	if s.PSN != x.plan.start[win].Add(uint32(i)) {
		x.fail("packet %d of the %v has PSN %d", i, win, s.PSN)
	}
	x.inFcwnd(s.PSN, base)
	w.sent[win]++
	w.forward = append(w.forward, s.Packet)
	return true
}

// inFcwnd: FAL-D11.
func (x *explorer) inFcwnd(p, base falcon.PSN) {
	if x.plan.fcwnd != 0 && p.From(base) >= x.plan.fcwnd {
		x.fail("PSN %d leaves beyond the congestion window, the base is %d", p, base)
	}
}

func (x *explorer) resend(w *world) bool {
	if len(w.forward) == x.plan.forward {
		return false
	}
	bases := [2]falcon.PSN{w.tx.Window(0).Base, w.tx.Window(1).Base}
	s, gate := w.tx.Resend(0)
	if gate != falcon.Open {
		return false
	}
	win := s.Window()
	x.inFcwnd(s.PSN, bases[win])
	it := x.item(w, win, s.PSN)
	if s.Kind == falcon.Resync && !it.broken && s.Code != wire.ResyncRetransmit {
		x.fail("a Resync for PSN %d of the %v, which was not refused", s.PSN, win)
	}
	it.broken = it.broken || s.Kind == falcon.Resync
	if s.Of != x.plan.work[win][s.PSN.From(x.plan.start[win])] || s.RSN != s.PSN.From(x.plan.start[win]) {
		x.fail("PSN %d of the %v is sent again as another packet", s.PSN, win)
	}
	w.forward = append(w.forward, s.Packet)
	return true
}

func (x *explorer) timer(w *world) bool {
	at, runs := w.rx.TimerNs()
	if !runs || len(w.back) >= x.plan.back {
		return false
	}
	var out falcon.RxResult
	w.rx.Expire(at, &out)
	if !out.HasAck {
		x.fail("the coalescing timer ends without an ACK")
	}
	x.launch(w, &out)
	return true
}

// launch brings what a receiver says onto the link.
func (x *explorer) launch(w *world, out *falcon.RxResult) {
	if out.HasAck {
		a := out.Ack
		if a.EACK && (w.rx.Window(0).OWN || w.rx.Window(1).OWN) {
			x.fail("an OWN outlives its EACK")
		}
		if !a.EACK && (w.rx.Window(0).OWN || w.rx.Window(1).OWN) {
			x.fail("a BACK with an OWN")
		}
		w.back = append(w.back, message{ack: a})
	}
	if out.HasNack {
		w.back = append(w.back, message{nack: true, no: out.Nack})
	}
}

// arrive lets a packet in flight reach the receiver, which refuses it with a code other than 0.
func (x *explorer) arrive(w *world, at int, refuse wire.NackCode) bool {
	if at >= len(w.forward) || len(w.back) >= x.plan.back {
		return false
	}
	p := w.forward[at]
	win := p.Window()
	it := x.item(w, win, p.PSN)
	if refuse != 0 && (it.delivered || p.Kind == falcon.Resync) {
		return false
	}
	w.forward = append(w.forward[:at:at], w.forward[at+1:]...)
	was := w.rx.Window(win)
	var out falcon.RxResult
	w.rx.Receive(&p, falcon.Facts{Refuse: refuse}, 0, &out)
	x.arrived(w, &p, it, &out, &was)
	switch out.Arrival {
	case falcon.Refused:
		if refuse == wire.NackXlr {
			it.broken = true
			w.broken++
		} else {
			w.refused++
		}
	default:
		if refuse != 0 && out.Arrival.Taken() {
			x.fail("PSN %d is taken though it is refused", p.PSN)
		}
		if refuse != 0 {
			return false
		}
	}
	x.launch(w, &out)
	return true
}

// arrived judges what the receiver made of a packet (FAL-D3, FAL-D4).
func (x *explorer) arrived(w *world, p *falcon.Packet, it *item, out *falcon.RxResult, was *falcon.RxWindow) {
	switch out.Arrival {
	case falcon.Received:
		if it.delivered || it.acked {
			x.fail("PSN %d is delivered twice", p.PSN)
		}
		it.delivered = it.delivered || p.Kind != falcon.Resync
		it.waits = p.Kind == falcon.PushData
		it.acked = !it.waits
	case falcon.Again:
		if !it.delivered || it.acked {
			x.fail("PSN %d arrives again, and it never came or is acknowledged", p.PSN)
		}
		if p.Kind == falcon.Resync {
			it.waits, it.acked = false, true
		} else if it.broken && !it.waits { // the NACK may be lost: it is said again
			w.rx.Refuse(falcon.Data, p.PSN, wire.NackCIE, 0, 0, out)
		}
	case falcon.Old:
		if !it.acked || !p.PSN.Before(was.Base) {
			x.fail("PSN %d is old and was never acknowledged", p.PSN)
		}
	case falcon.Duplicate:
		if !it.acked && (!it.delivered || p.Kind == falcon.Resync) {
			x.fail("PSN %d is a duplicate of nothing", p.PSN)
		}
	case falcon.Beyond:
		if p.PSN.From(was.Base) < uint32(was.Size) {
			x.fail("PSN %d is beyond a window from %d", p.PSN, was.Base)
		}
		if now := w.rx.Window(p.Window()); !out.HasAck && !now.OWN {
			x.fail("PSN %d is dropped without an OWN", p.PSN)
		}
	}
}

// answer lets an ACK or NACK reach the transmitter.
func (x *explorer) answer(w *world, at int, soon bool) bool {
	if at >= len(w.back) || soon && (w.back[at].nack || !w.back[at].ack.EACK) {
		return false
	}
	m := w.back[at]
	w.back = append(w.back[:at:at], w.back[at+1:]...)
	var r falcon.TxResult
	times := falcon.Times{}
	w.tx.KnowRTT(-1000)
	if soon {
		times.T1Ns = -1
		w.tx.KnowRTT(1000)
	}
	if m.nack {
		w.tx.Nack(&m.no, times, 0, &r)
	} else {
		w.tx.Ack(&m.ack, times, 0, &r)
	}
	w.tx.Clear()
	if r.Verdict == falcon.AckGhost {
		x.fail("an ACK of what was not sent")
	}
	for win := range r.Acked {
		for left := r.Acked[win]; left.Any(); {
			bit := left.First()
			left.Clear(bit)
			p := r.Base[win].Add(bit)
			it := x.item(w, falcon.Window(win), p)
			if !it.acked || it.completed {
				x.fail("PSN %d of the %v ends, and it is not acknowledged, or it ended before", p, falcon.Window(win))
			}
			it.completed = true
		}
		if soon && r.Chosen[win].Any() && !x.plan.rack {
			x.fail("sent again within an RTT")
		}
	}
	return true
}

// ulp lets the receiver's ULP acknowledge a Push Data.
func (x *explorer) ulp(w *world, at int) bool {
	it := x.waiting(w, at)
	if it == nil { // whatever is in flight: it is possible until it happens
		return false
	}
	it.waits, it.acked = false, true
	var out falcon.RxResult
	w.rx.Acknowledge(x.plan.start[1].Add(uint32(at)), 0, &out)
	x.launch(w, &out)
	return true
}

func (x *explorer) waiting(w *world, at int) *item {
	if at >= len(x.plan.work[1]) || !w.items[1][at].waits {
		return nil
	}
	return &w.items[1][at]
}

// sendBack lets the ULP refuse a Push Data that waits for it. After RNR it takes the packet when that comes again, or
// by itself.
func (x *explorer) sendBack(w *world, at int, code wire.NackCode) bool {
	it := x.waiting(w, at)
	if it == nil || it.broken || len(w.back) >= x.plan.back {
		return false
	}
	if code == wire.NackRNR {
		w.rnr++
	} else {
		it.broken, it.waits = true, false
		w.broken++
	}
	var out falcon.RxResult
	w.rx.Refuse(falcon.Data, x.plan.start[1].Add(uint32(at)), code, 0, 1000, &out)
	x.launch(w, &out)
	return true
}

// timeOut ends the timer of a packet, too soon or because nothing else can happen.
func (x *explorer) timeOut(w *world, win falcon.Window, bit uint32) bool {
	still := x.still(w) && x.next(w, win, bit)
	if !still && int(w.early) == x.plan.early {
		return false
	}
	h := w.tx.Window(win)
	var r falcon.TxResult
	w.tx.TimeOut(win, h.Base.Add(bit), &r)
	if r.Fatal && !x.plan.fatal {
		x.fail("a fatal error")
	}
	if !r.Chosen[win].Any() && !r.Fatal {
		return false
	}
	if !still {
		w.early++
	}
	return true
}

func (x *explorer) unasked(w *world) bool {
	if int(w.unasked) == x.plan.unasked || len(w.back) >= x.plan.back {
		return false
	}
	w.unasked++
	var out falcon.RxResult
	w.rx.TakeAck(&out)
	x.launch(w, &out)
	return true
}

// harmLink loses or doubles what is in flight.
func (x *explorer) harmLink(w *world, kind, at int) bool {
	p := &x.plan
	switch {
	case kind == doLose && at < len(w.forward) && int(w.lost) < p.lose:
		w.forward = append(w.forward[:at:at], w.forward[at+1:]...)
		w.lost++
	case kind == doLoseBack && at < len(w.back) && int(w.lost) < p.lose:
		w.back = append(w.back[:at:at], w.back[at+1:]...)
		w.lost++
	case kind == doDouble && at < len(w.forward) && int(w.doubled) < p.double && len(w.forward) < p.forward:
		w.forward = append(w.forward, w.forward[at])
		w.doubled++
	case kind == doDoubleBack && at < len(w.back) && int(w.doubled) < p.double && len(w.back) < p.back:
		w.back = append(w.back, w.back[at])
		w.doubled++
	default:
		return false
	}
	return true
}
