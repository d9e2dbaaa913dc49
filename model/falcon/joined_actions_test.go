package falcon_test

import (
	"fmt"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/txn"
	"hcacosim/model/falcon/wire"
)

// An action of a joined world is a kind, an end and a number.
const (
	joinPost    = iota // the next transaction
	joinSend           // what the scheduler gives
	joinResend         //
	joinAckNow         // the coalescing timer ends
	joinArrive         // by message in flight
	joinTake           // by RSN: the ULP of the target takes or answers it
	joinOver           // by RSN: the time that the ULP asked for is over
	joinTimeOut        // by window and place
	joinLose           // by message in flight
	joinDouble         // by message in flight
	joinRNR            // by RSN
	joinDecline        // by RSN
	joinKinds
)

var joinNames = [joinKinds]string{"hands in", "sends", "sends again", "acknowledges", "gets", "'s ULP takes",
	"'s ULP has waited for",
	"times out", "loses", "gets twice", "'s ULP is not ready for", "'s ULP refuses"}

const (
	joinPlaces  = 16
	joinActions = joinKinds * 2 * joinPlaces
)

func joinName(n int) string {
	return fmt.Sprintf("%s %s %d", []string{"A", "B"}[n/joinPlaces%2], joinNames[n/joinPlaces/2], n%joinPlaces)
}

// fair reports whether an action is one that happens in the end, in a state.
func (x *joiner) fair(w *joined, n int) bool {
	kind, e, at := n/joinPlaces/2, n/joinPlaces%2, n%joinPlaces
	return kind < joinTimeOut || kind == joinTimeOut && x.still(w) && x.due(w, e, windowOf(at), uint32(at%8))
}

// still reports whether nothing but a timer of a transmitter can happen.
func (x *joiner) still(w *joined) bool {
	for n := range w.end {
		if len(w.fly[n]) > 0 {
			return false
		}
		for i := range x.plan.asks[n] {
			if f := &w.fates[n][i]; f.atULP && !f.taken && x.mayTake(w, 1-n, uint32(i)) || f.waits {
				return false
			}
		}
		e := &w.end[n]
		if _, runs := e.rx.TimerNs(); runs {
			return false
		}
		if _, gate := e.tx.Clone().Resend(0); gate == falcon.Open {
			return false
		}
		if _, _, ok := e.turns.Clone().Next(func(_ int, it txn.Item) bool {
			return e.tx.MaySend(it.Kind,
				0) == falcon.Open
		}); ok {
			return false
		}
		if e.posted < len(x.plan.asks[n]) && x.mayPost(w, n) {
			return false
		}
	}
	return true
}

func (x *joiner) mayPost(w *joined, n int) bool {
	var out txn.Batch
	c := w.clone()
	a := x.plan.asks[n][w.end[n].posted]
	_, p := c.end[n].begins.Post(a.kind, a.length, &out)
	return p == txn.Accepted
}

// mayTake reports whether a target's ULP can take a request now, or answer one that it has taken: that needs room.
func (x *joiner) mayTake(w *joined, at int, rsn uint32) bool {
	a := x.plan.asks[1-at][rsn]
	if a.kind == push || !w.fates[1-at][rsn].begun {
		return true
	}
	e := &w.end[at]
	free := txn.Amount{Packets: e.pools.Size[txn.DataTx].Packets - e.pools.Used[txn.DataTx].Packets,
		Cells: e.pools.Size[txn.DataTx].Cells - e.pools.Used[txn.DataTx].Cells}
	return free.Packets >= 1 && free.Cells >= a.length
}

// due reports whether no timer ends before that of a packet: all run equally long, and so no packet times out twice
// before another does once.
func (x *joiner) due(w *joined, at int, win falcon.Window, bit uint32) bool {
	least := ^uint8(0)
	for n := range w.end {
		tx := w.end[n].tx
		for v := range falcon.Window(2) {
			h := tx.Window(v)
			for left := h.Outstanding().Without(tx.Due(v)); left.Any(); {
				b := left.First()
				left.Clear(b)
				least = min(least, *w.round(n, v, h.Base.Add(b)))
			}
		}
	}
	return *w.round(at, win, w.end[at].tx.Window(win).Base.Add(bit)) == least
}

// round is how often a packet has timed out; an RNR, which resets the transmitter's count, does not reset it.
func (w *joined) round(at int, win falcon.Window, p falcon.PSN) *uint8 {
	return &w.rounds[at][win][p%falcon.PSN(len(w.rounds[at][win]))]
}

// plausible leaves actions out that are never possible, to save a copy.
func (x *joiner) plausible(w *joined, n int) bool {
	kind, e, at := n/joinPlaces/2, n/joinPlaces%2, n%joinPlaces
	switch kind {
	case joinArrive, joinLose, joinDouble:
		return at < len(w.fly[1-e])
	case joinTake:
		return at < len(x.plan.asks[1-e]) && w.fates[1-e][at].atULP
	case joinRNR, joinDecline:
		return at < len(x.plan.asks[1-e]) && w.fates[1-e][at].atULP && !w.fates[1-e][at].begun
	case joinOver:
		return at < len(x.plan.asks[1-e]) && w.fates[1-e][at].waits
	case joinTimeOut:
		tx := w.end[e].tx
		h := tx.Window(windowOf(at))
		return h.Outstanding().Without(tx.Due(windowOf(at))).Has(uint32(at % 8))
	case joinPost:
		return at == 0 && w.end[e].posted < len(x.plan.asks[e])
	}
	return at == 0
}

// step does an action, and reports whether it was possible.
func (x *joiner) step(w *joined, n int) bool {
	kind, e, at := n/joinPlaces/2, n/joinPlaces%2, n%joinPlaces
	switch kind {
	case joinPost:
		return x.post(w, e)
	case joinSend:
		return x.sendNext(w, e)
	case joinResend:
		return x.sendAgain(w, e)
	case joinAckNow:
		return x.ackNow(w, e)
	case joinArrive:
		return x.get(w, e, at)
	case joinTake:
		return x.take(w, e, uint32(at))
	case joinOver:
		return x.over(w, e, uint32(at))
	case joinTimeOut:
		return x.timeOut(w, e, windowOf(at), uint32(at%8))
	case joinRNR:
		return x.notReady(w, e, uint32(at))
	case joinDecline:
		return x.decline(w, e, uint32(at))
	}
	return x.harm(w, kind, e, at)
}

func (x *joiner) harm(w *joined, kind, e, at int) bool {
	fly := &w.fly[1-e]
	switch {
	case kind == joinLose && int(w.lost) < x.plan.lose:
		*fly = append((*fly)[:at:at], (*fly)[at+1:]...)
		w.lost++
	case kind == joinDouble && int(w.doubled) < x.plan.double && len(*fly) < x.plan.fly:
		*fly = append(*fly, (*fly)[at])
		w.doubled++
	default:
		return false
	}
	return true
}

func (x *joiner) post(w *joined, at int) bool {
	var out txn.Batch
	e := &w.end[at]
	a := x.plan.asks[at][e.posted]
	rsn, p := e.begins.Post(a.kind, a.length, &out)
	if p != txn.Accepted {
		return false
	}
	if int(rsn) != e.posted {
		x.fail("transaction %d has RSN %d", e.posted, rsn)
	}
	e.posted++
	x.carryOut(w, at, out)
	return true
}

func (x *joiner) sendNext(w *joined, at int) bool {
	e := &w.end[at]
	if len(w.fly[at]) >= x.plan.fly {
		return false
	}
	_, it, ok := e.turns.Next(func(_ int, it txn.Item) bool { return e.tx.MaySend(it.Kind, 0) == falcon.Open })
	if !ok {
		return false
	}
	s, gate := e.tx.Send(it.Kind, it.RSN, 0)
	if gate != falcon.Open {
		x.fail("a packet that may leave cannot")
	}
	*w.round(at, it.Kind.Window(), s.PSN) = 0
	if it.Kind == falcon.PullData {
		e.serves.Sent(it.RSN)
	} else {
		e.begins.Sent(it.RSN)
	}
	w.fly[at] = append(w.fly[at], inFlight{reliable: true, p: s.Packet, length: it.Length})
	return true
}

func (x *joiner) sendAgain(w *joined, at int) bool {
	e := &w.end[at]
	if len(w.fly[at]) >= x.plan.fly {
		return false
	}
	s, gate := e.tx.Resend(0)
	if gate != falcon.Open {
		return false
	}
	if s.Kind == falcon.Resync && s.Code != wire.ResyncCIE {
		x.exhausted(w, at, &s)
	}
	initiator := at
	if s.Of == falcon.PullData {
		initiator = 1 - at
	}
	w.fly[at] = append(w.fly[at], inFlight{reliable: true, p: s.Packet, length: x.plan.asks[initiator][s.RSN].length})
	return true
}

// exhausted: where DuplicateByRx drops what comes again, the NACK of a refused push is said once. If it is lost, so is
// its code: retransmissions run out, and the transaction ends with local timeout (FAL-T18). Nothing else exhausts them.
func (x *joiner) exhausted(w *joined, at int, s *falcon.Sent) {
	f := x.fate(w, at, s.RSN)
	if s.Code != wire.ResyncRetransmit || !x.plan.mode.DuplicateByRx || s.Of != push || !f.declined {
		x.fail("a Resync with code %v", s.Code)
		return
	}
	f.codeLost = true
	var events txn.Batch
	w.end[at].begins.Fail(s.RSN, txn.Exhausted, &events)
	x.carryOut(w, at, events)
}

func (x *joiner) ackNow(w *joined, at int) bool {
	e := &w.end[at]
	end, runs := e.rx.TimerNs()
	if !runs || len(w.fly[at]) >= x.plan.fly {
		return false
	}
	var out falcon.RxResult
	e.rx.Expire(end, &out)
	x.launch(w, at, &out)
	return true
}

// get lets a message in flight reach an end.
func (x *joiner) get(w *joined, at, number int) bool {
	// it may have to answer; where both ways are full it has to get on
	if len(w.fly[at]) > x.plan.fly && len(w.fly[1-at]) <= x.plan.fly {
		return false
	}
	fly := &w.fly[1-at]
	f := (*fly)[number]
	*fly = append((*fly)[:number:number], (*fly)[number+1:]...)
	if f.reliable {
		x.getPacket(w, at, &f)
	} else {
		x.getAnswer(w, at, &f.m)
	}
	return true
}

func (x *joiner) getPacket(w *joined, at int, f *inFlight) {
	e := &w.end[at]
	var refuse wire.NackCode
	request := f.p.Of != falcon.PullData
	if request {
		refuse = e.serves.CanTake(wire.Type(f.p.Kind), f.p.RSN, f.length)
	}
	var out falcon.RxResult
	e.rx.Receive(&f.p, falcon.Facts{Refuse: refuse}, 0, &out)
	taken := out.Arrival.Taken()
	x.launch(w, at, &out)
	if !taken {
		return
	}
	var events txn.Batch
	switch {
	case f.p.Kind == falcon.Resync:
		e.serves.Resync(f.p.RSN, &events)
	case request:
		x.fate(w, 1-at, f.p.RSN).psn = f.p.PSN
		e.serves.Receive(f.p.Kind, f.p.RSN, f.length, &events)
	default:
		if v := e.begins.PullData(f.p.RSN, f.length, &events); v != txn.DataTaken {
			x.fail("Pull Data of RSN %d: verdict %d", f.p.RSN, v)
		}
	}
	x.carryOut(w, at, events)
}

func (x *joiner) getAnswer(w *joined, at int, m *message) {
	e := &w.end[at]
	var r falcon.TxResult
	e.tx.KnowRTT(-1000)
	if m.nack {
		e.tx.Nack(&m.no, falcon.Times{}, 0, &r)
	} else {
		e.tx.Ack(&m.ack, falcon.Times{}, 0, &r)
	}
	e.tx.Clear()
	var events txn.Batch
	if r.Nacked.Code != 0 {
		e.begins.Nacked(r.Nacked.RSN, r.Nacked.Code, r.Nacked.ULPCode, &events)
	}
	for win := range r.Acked {
		for left := r.Acked[win]; left.Any(); {
			bit := left.First()
			left.Clear(bit)
			if _, of, rsn := e.tx.Entry(falcon.Window(win), r.Base[win].Add(bit)); of == falcon.PullData {
				e.serves.Acked(rsn)
			} else {
				e.begins.Acked(rsn, &events)
			}
		}
	}
	x.carryOut(w, at, events)
}

// take lets the ULP of a target take a push, or answer a pull. A pull whose answer has no room is taken all the same,
// and answered later (FAL-T9).
func (x *joiner) take(w *joined, at int, rsn uint32) bool {
	f := &w.fates[1-at][rsn]
	var events txn.Batch
	a, serves := x.plan.asks[1-at][rsn], w.end[at].serves
	answer := txn.UlpWaits
	if a.kind == pull {
		answer = serves.Respond(rsn, a.length, &events)
	}
	switch {
	case answer == txn.UlpFailed:
		x.fail("RSN %d is with the ULP, which cannot answer it", rsn)
	case answer == txn.UlpWaits && f.begun:
		return false
	case answer == txn.UlpWaits && !serves.Accept(rsn, &events):
		x.fail("RSN %d is with the ULP, which cannot take it", rsn)
	}
	f.taken = a.kind == push || answer == txn.Accepted
	f.atULP, f.begun = !f.taken, true
	x.carryOut(w, at, events)
	return true
}

func (x *joiner) over(w *joined, at int, rsn uint32) bool {
	var events txn.Batch
	w.fates[1-at][rsn].waits = false
	w.end[at].serves.Expire(rsn, &events)
	x.carryOut(w, at, events)
	return true
}

func (x *joiner) notReady(w *joined, at int, rsn uint32) bool {
	if int(w.rnr) >= x.plan.rnr {
		return false
	}
	w.rnr++
	var events txn.Batch
	for n := range w.fates[1-at] { // what it has behind is taken back
		if f := &w.fates[1-at][n]; !f.begun && (n == int(rsn) || n > int(rsn) && !x.plan.unordered) {
			f.atULP = false
		}
	}
	if !w.end[at].serves.NotReady(rsn, 1000, &events) {
		x.fail("RSN %d is with the ULP, which cannot send it back", rsn)
	}
	x.carryOut(w, at, events)
	return true
}

func (x *joiner) decline(w *joined, at int, rsn uint32) bool {
	if int(w.declined) >= x.plan.decline || x.plan.asks[1-at][rsn].kind != push {
		return false
	}
	w.declined++
	f := &w.fates[1-at][rsn]
	f.atULP, f.declined = false, true
	var events txn.Batch
	if !w.end[at].serves.Decline(rsn, wire.NackCIE, 5, &events) {
		x.fail("RSN %d is with the ULP, which cannot refuse it", rsn)
	}
	x.carryOut(w, at, events)
	return true
}

// timeOut ends the timer of a packet, too soon or because nothing else can happen.
func (x *joiner) timeOut(w *joined, at int, win falcon.Window, bit uint32) bool {
	still := x.still(w) && x.due(w, at, win, bit)
	if !still && int(w.early) >= x.plan.early {
		return false
	}
	tx := w.end[at].tx
	var r falcon.TxResult
	tx.TimeOut(win, tx.Window(win).Base.Add(bit), &r)
	if r.Fatal {
		x.fail("a fatal error")
	}
	if !r.Chosen[win].Any() {
		return false
	}
	if !still {
		w.early++
	}
	*w.round(at, win, tx.Window(win).Base.Add(bit))++
	return true
}
