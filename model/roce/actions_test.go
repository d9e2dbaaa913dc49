package roce_test

import (
	"fmt"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/roce"
)

// The actions of a channel and, behind them, those on a packet in flight. The first six and deliver are the ones that
// fairness is about.
const (
	doSend = iota
	doRespond
	doTimeout
	doRNR
	doReceive
	doUnsolicited
	doKillRequester
	doKillResponder
	doReconnect
	channelKinds

	firstOfLink = 2 * channelKinds
	doDeliver   = 0
	doLose      = 1
	doDouble    = 2
	doDelay     = 3
	doSpoil     = 4
	linkKinds   = 5
	actions     = firstOfLink + 4*linkKinds
)

// action numbers what is done to a channel, and onLink what is done to a packet.
func action(kind, c int) int { return 2*kind + c }
func onLink(kind, i int) int { return firstOfLink + 4*kind + i }

// step does action n, of actions, and returns false where it is not possible.
func (x *explorer) step(w *world, n int) (ok bool) {
	if n >= firstOfLink {
		ok = x.linkStep(w, (n-firstOfLink)/4, (n-firstOfLink)%4)
	} else {
		ok = n%2 < x.channels && x.channelStep(w, n/2, n%2)
	}
	if ok {
		x.settle(w)
	}
	return ok
}

func (x *explorer) channelStep(w *world, kind, c int) bool {
	switch kind {
	case doSend:
		return x.send(w, c)
	case doRespond:
		return x.respond(w, c)
	case doTimeout:
		return x.timeout(w, c)
	case doRNR:
		if !x.q.of(w.ch[c].q).waiting || x.plan.patient && (x.busy(w, c) || x.r.of(w.ch[c].r).owes) {
			return false
		}
		x.toRequester(w, c, inRNR, 0, nil)
		return true
	case doReceive:
		return w.ch[c].posted < x.receives(w, c) && !x.r.of(w.ch[c].r).failed && x.postReceive(w, c)
	case doUnsolicited:
		return x.acknowledgeUnasked(w, c)
	case doReconnect:
		return c == 0 && x.reconnect(w)
	default:
		return x.kill(w, kind, c)
	}
}

func (x *explorer) linkStep(w *world, kind, i int) bool {
	f := &w.link[i]
	if !f.used {
		return false
	}
	first := !f.late && (i == 0 || x.group(&w.link[i-1]) != x.group(f))
	switch kind {
	case doDeliver:
		if f.late && i > 0 && w.link[i-1] == *f || !f.late && !first {
			return false
		}
		x.deliver(w, i)
	case doLose:
		if int(w.lost) >= x.plan.lose {
			return false
		}
		w.lost++
		*f = flight{}
	case doDouble: // arrives now and a second time whenever
		if !first || int(w.doubled) >= x.plan.double {
			return false
		}
		w.doubled++
		again := *f
		x.deliver(w, i)
		again.late = true
		w.put(again)
	case doDelay:
		if f.late || int(w.delayed) >= x.plan.delay {
			return false
		}
		w.delayed++
		f.late = true
	case doSpoil:
		m := x.packets[f.message]
		if !m.answer || int(w.spoiled) >= x.plan.spoil {
			return false
		}
		w.spoiled++
		spoil(&m.packet)
		f.message = x.number(m)
	}
	return true
}

// spoil makes a response one that its request cannot have (REQ-12).
func spoil(p *roce.Packet) {
	switch {
	case p.Len > 0:
		p.Len -= 4
	case ib.Lookup(p.Op).Operation == ib.Ack:
		p.Syndrome = 0x80 // reserved
	default:
		p.Syndrome = ib.NAKSequence
	}
}

func (x *explorer) send(w *world, c int) bool {
	ch := &w.ch[c]
	before := x.q.of(ch.q)
	if !before.ready || w.flying() >= x.plan.inFlight {
		return false
	}
	o := x.q.do(ch.q, inNext, 0)
	ch.q = o.id
	after := x.q.of(ch.q)
	ch.high += x.between(after.high, before.high)
	if open := x.between(after.high, after.una); x.plan.window != 0 && open > int32(x.plan.window) &&
		x.plan.service == ib.RC {
		x.fail("PSN-5: %d packets unacknowledged", open)
	}
	e := o.out[0]
	if e.Kind == roce.BindWindow {
		if ch.bound++; ch.bound != uint8(e.LKey) {
			x.fail("REQ-11: local work %d was done as number %d", e.LKey, ch.bound)
		}
		x.toRequester(w, c, inDone, 0, nil)
		return true
	}
	x.launch(w, ch.high-x.between(after.high, e.Packet.PSN), message{ch: uint8(c), packet: e.Packet, id: e.ID, off: e.Off})
	if x.plan.service == ib.UC {
		x.requesterDid(w, c, o.out, 0)
	}
	return true
}

func (x *explorer) respond(w *world, c int) bool {
	ch := &w.ch[c]
	if !x.r.of(ch.r).owes || w.flying() >= x.plan.inFlight {
		return false
	}
	o := x.r.do(ch.r, inNext, 0)
	if !o.ok {
		return false
	}
	ch.r = o.id
	e := &o.out[0]
	number := ch.expected - x.between(x.r.of(ch.r).ePSN, e.Packet.PSN)
	if number == ch.expected && !refuses(&e.Packet) { // it waited while ePSN came round
		number -= 1 << x.plan.bits
	}
	x.launch(w, number, message{answer: true, ch: uint8(c), packet: e.Packet, address: e.VA})
	x.responded(w, c, &e.Packet, number)
	return true
}

// refuses reports whether a response is a NAK or an RNR NAK. No other has the expected PSN.
func refuses(p *roce.Packet) bool {
	return ib.Lookup(p.Op).Operation == ib.Ack && p.Syndrome.Kind() != ib.KindAck
}

// acknowledgeUnasked sends what no request asked for: an ACK of the last acknowledged PSN, with the credits of now
// (CRD-4).
func (x *explorer) acknowledgeUnasked(w *world, c int) bool {
	ch := &w.ch[c]
	r := x.r.of(ch.r)
	if int(w.unsolicited) >= x.plan.unsolicited || r.failed || w.flying() >= x.plan.inFlight {
		return false
	}
	w.unsolicited++
	credits := uint8(ib.CreditsUnlimited)
	if !x.plan.spec.NoCredits {
		credits = ib.CreditCode(uint32(ch.posted - ch.received))
	}
	p := roce.Packet{Op: ib.Join(ib.RC, ib.Ack), Syndrome: ib.AckSyndrome(credits), MSN: r.msn,
		PSN: psn.New(uint32(r.ePSN) - uint32(ch.expected-ch.told)*uint32(x.width))}
	x.launch(w, ch.told, message{answer: true, ch: uint8(c), packet: p})
	return true
}

// timeout lets the transport timer run out: when nothing else can happen, or early.
func (x *explorer) timeout(w *world, c int) bool {
	q := x.q.of(w.ch[c].q)
	if !q.outstanding || q.waiting {
		return false
	}
	if x.early(w, c) {
		if int(w.early) >= x.plan.early {
			return false
		}
		w.early++
	}
	x.toRequester(w, c, inTimeout, 0, nil)
	return true
}

// kill moves a QP to error from outside (RSP-15).
func (x *explorer) kill(w *world, kind, c int) bool {
	q, r := x.q.of(w.ch[c].q), x.r.of(w.ch[c].r)
	if int(w.killed) >= x.plan.kill || kind == doKillRequester && q.failed || kind == doKillResponder && r.failed {
		return false
	}
	w.killed++
	if kind == doKillRequester {
		x.toRequester(w, c, inSetError, 0, nil)
	} else {
		x.toResponder(w, c, inSetError, 0, nil)
	}
	return true
}

// reconnect resets both QPs and connects them anew, while packets of the first connection still travel.
func (x *explorer) reconnect(w *world) bool {
	if x.plan.again == nil || w.epoch > 0 || x.plan.timeWait && w.flying() > 0 {
		return false
	}
	w.epoch++
	high := x.q.of(w.ch[0].q).high
	start := roce.SafeStart(high, x.width)
	if x.plan.anyStart {
		start = psn.New(x.plan.start * uint32(x.width))
	}
	x.connect(w, 0, start, w.ch[0].high)
	return true
}

// deliver takes packet i off the link and gives it to its machine.
func (x *explorer) deliver(w *world, i int) {
	f := w.link[i]
	w.link[i] = flight{}
	m := &x.packets[f.message]
	if m.answer {
		x.toRequester(w, int(m.ch), inStep, f.message, m)
	} else {
		x.toResponder(w, int(m.ch), inStep, f.message, m)
	}
}

var actionNames = [channelKinds]string{"send", "respond", "timeout", "RNR timer", "receive WQE", "unsolicited ACK",
	"requester to error",
	"responder to error", "reconnect"}

func (x *explorer) nameOf(w *world, n int) string {
	if n < firstOfLink {
		return fmt.Sprintf("%s %d", actionNames[n/2], n%2)
	}
	n -= firstOfLink
	f := &w.link[n%4]
	m := &x.packets[f.message]
	return fmt.Sprintf("%s %s PSN %d (connection %d of channel %d)", [linkKinds]string{"deliver", "lose", "double",
		"delay", "spoil"}[n/4],
		ib.Lookup(m.packet.Op).Name, f.number, m.epoch, m.ch)
}
