package falcon_test

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"

	"hcacosim/model/falcon"
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/txn"
	"hcacosim/model/falcon/wire"
)

// ask is a transaction that a ULP hands in, of so many bytes; a cell has one byte.
type ask struct {
	kind   falcon.Kind
	length uint32
}

// joinPlan is a world of two ends with both sublayers, and what the link and the ULPs may do to it.
type joinPlan struct {
	name      string
	small     bool // explored also to find faults
	long      bool // explored only with -explore
	mode      mode.Mode
	unordered bool
	asks      [2][]ask // by end that initiates
	pools     txn.Pools
	window    uint8 // PSNs of each window
	fcwnd     uint32
	fly       int // messages in flight in a direction
	lose      int
	double    int
	early     int // timers that nothing called for
	rnr       int // requests that a target's ULP sends back
	decline   int // pushes that it refuses: CIE
}

// sublayers is one end.
type sublayers struct {
	tx     *falcon.Transmitter
	rx     falcon.Receiver
	pools  txn.Pools
	credit txn.Credits
	begins *txn.Initiator
	serves *txn.Target
	turns  *txn.Scheduler
	posted int
}

// txnFate is what has truly happened to a transaction.
type txnFate struct {
	atULP, taken, declined, completed, waits, codeLost bool
	begun                                              bool       // the ULP took it; the answer of a pull may be to come
	psn                                                falcon.PSN // of its request, at the target
}

// inFlight is on its way from an end to the other.
type inFlight struct {
	reliable bool
	p        falcon.Packet
	length   uint32
	m        message
}

const maxAsks = 6

// joined is two ends, the link between them and what has happened.
type joined struct {
	end    [2]sublayers
	fly    [2][]inFlight       // by the end that sent it
	fates  [2][maxAsks]txnFate // by initiator and RSN
	rounds [2][2][8]uint8      // timeouts, by end, window and PSN
	next   [2]uint32           // RSN that an ordered initiator completes next

	lost, doubled, early, rnr, declined uint8
}

// joiner knows a plan and what its worlds are made of.
type joiner struct {
	plan  joinPlan
	txCfg *falcon.TransmitterConfig
	rxCfg *falcon.ReceiverConfig
	cfg   *txn.Config
	seeds [2]maphash.Seed
	explorer
	trace func(w *joined, what string)
}

// plenty is room for everything.
var plenty = txn.Pools{Size: [4]txn.Amount{{Packets: 99, Cells: 99}, {Packets: 99, Cells: 99}, {Packets: 99, Cells: 99},
	{Packets: 99, Cells: 99}},
	Green: txn.Amount{Packets: 90, Cells: 90}}

func newJoiner(p joinPlan) *joiner {
	x := &joiner{plan: p, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	m := &x.plan.mode
	x.txCfg = &falcon.TransmitterConfig{Mode: m, RequestBase: near[0], DataBase: near[1], RequestWindow: p.window,
		DataWindow: p.window,
		Fcwnd:      cmp.Or(p.fcwnd, 100) * falcon.CwndOne, Ncwnd: 100, OOOThreshold: 1, MaxRetransmits: 7, RTONs: 1000,
		ULPTimeoutNs: 1000}
	x.rxCfg = &falcon.ReceiverConfig{Mode: m, RequestBase: near[0], DataBase: near[1], RequestWindow: p.window,
		DataWindow: p.window,
		AckCount:   1, AckTimeoutNs: 1000}
	x.cfg = &txn.Config{Mode: m, Ordered: !p.unordered, Flow: true, CellBytes: 1, Outstanding: 8}
	return x
}

func (x *joiner) begin() *joined {
	w := &joined{}
	for n := range w.end {
		e := &w.end[n]
		e.tx, e.rx, e.pools = falcon.NewTransmitter(x.txCfg), falcon.NewReceiver(x.rxCfg), x.plan.pools
		for r := range e.credit.Limit {
			e.credit.Limit[r] = txn.Amount{Packets: 1000, Cells: 1000}
		}
		e.begins, e.serves = txn.NewInitiator(x.cfg, &e.pools, &e.credit), txn.NewTarget(x.cfg, &e.pools, &e.credit)
		e.turns = txn.NewScheduler(x.cfg, 1)
	}
	return w
}

// clone is a world that shares nothing with another.
func (w *joined) clone() *joined {
	c := *w
	for n := range c.end {
		e := &c.end[n]
		e.tx, e.turns = w.end[n].tx.Clone(), w.end[n].turns.Clone()
		e.begins, e.serves = w.end[n].begins.Clone(&e.pools, &e.credit), w.end[n].serves.Clone(&e.pools, &e.credit)
		c.fly[n] = slices.Clone(w.fly[n])
	}
	return &c
}

// key tells worlds apart. What is in flight has no order.
func (x *joiner) key(w *joined) (k [2]uint64) {
	b := x.spaced[:0]
	for n := range w.end {
		e := &w.end[n]
		b = e.tx.AppendState(b)
		for win := range falcon.Window(2) {
			h := e.tx.Window(win)
			for left := h.Outstanding(); left.Any(); {
				bit := left.First()
				left.Clear(bit)
				b = append(b, byte(e.tx.RSN(win, h.Base.Add(bit))), *w.round(n, win, h.Base.Add(bit)))
			}
		}
		b = e.rx.AppendState(b)
		b = e.begins.AppendState(b)
		b = e.serves.AppendState(b)
		b = e.turns.AppendState(b)
		b = append(b, byte(e.posted), byte(len(w.fly[n])))
		b = appendInFlight(b, w.fly[n])
		for i := range x.plan.asks[n] {
			b = append(b, fmt.Appendf(nil, "%v", w.fates[n][i])...)
		}
	}
	b = append(b, byte(w.next[0]), byte(w.next[1]), w.lost, w.doubled, w.early, w.rnr, w.declined)
	x.spaced = b
	return [2]uint64{maphash.Bytes(x.seeds[0], b), maphash.Bytes(x.seeds[1], b)}
}

// appendInFlight appends what is in flight, sorted.
func appendInFlight(b []byte, fly []inFlight) []byte {
	slices.SortFunc(fly, func(a, b inFlight) int {
		var p, q [96]byte
		return slices.Compare(appendOne(p[:0], &a), appendOne(q[:0], &b))
	})
	for i := range fly {
		b = appendOne(b, &fly[i])
	}
	return b
}

func appendOne(b []byte, f *inFlight) []byte {
	if !f.reliable {
		return appendMessage(append(b, 0), &f.m)
	}
	b = appendPacket(append(b, 1), &f.p)
	return append(b, byte(f.p.RSN), byte(f.length))
}

// fate is that of a transaction, which exists.
func (x *joiner) fate(w *joined, initiator int, rsn uint32) *txnFate {
	if int(rsn) >= len(x.plan.asks[initiator]) {
		x.fail("RSN %d was never asked for", rsn)
		return &txnFate{}
	}
	return &w.fates[initiator][rsn]
}

// carryOut does what the machines of an end asked for.
func (x *joiner) carryOut(w *joined, at int, events txn.Batch) {
	e := &w.end[at]
	var out falcon.RxResult
	for _, ev := range events {
		if x.trace != nil {
			x.trace(w, fmt.Sprintf("%d: %v", at, ev))
		}
		switch ev.What {
		case txn.Queue:
			e.turns.Add(0, txn.Item{Kind: ev.Kind, RSN: ev.RSN, Length: ev.Length})
		case txn.Deliver:
			x.delivered(w, at, &ev)
		case txn.Complete:
			x.completed(w, at, &ev)
		case txn.Acknowledge:
			e.rx.Acknowledge(w.fates[1-at][ev.RSN].psn, 0, &out)
			x.launch(w, at, &out)
		case txn.Refuse:
			f := &w.fates[1-at][ev.RSN]
			if ev.Nack == wire.NackRNR && f.begun {
				x.fail("RNR of RSN %d, which the ULP has taken", ev.RSN)
			}
			f.atULP = false
			e.rx.Refuse(falcon.Data, f.psn, ev.Nack, ev.ULPCode, ev.TimeoutNs, &out)
			x.launch(w, at, &out)
		case txn.Wait:
			w.fates[1-at][ev.RSN].waits = true
		case txn.Replace:
			x.fail("nothing asked for a Resync")
		}
	}
}

// delivered judges what the ULP of a target gets (FAL-T3, FAL-T4, FAL-T13, FAL-T14).
func (x *joiner) delivered(w *joined, at int, ev *txn.Event) {
	from := 1 - at
	f := x.fate(w, from, ev.RSN)
	if want := x.plan.asks[from][ev.RSN]; want.kind != ev.Kind || want.length != ev.Length {
		x.fail("%v: it was another request", ev)
	}
	if f.atULP || f.begun || f.declined {
		x.fail("%v: it was handed over before", ev)
	}
	f.atULP, f.waits = true, false
	for n := range ev.RSN {
		if b := &w.fates[from][n]; !x.plan.unordered && !b.atULP && !b.begun && !b.declined {
			x.fail("%v: the ULP does not have RSN %d", ev, n)
		}
	}
}

// completed judges what the ULP of an initiator gets (FAL-T4, FAL-T15).
func (x *joiner) completed(w *joined, at int, ev *txn.Event) {
	f := x.fate(w, at, ev.RSN)
	switch {
	case f.completed:
		x.fail("%v: it has completed", ev)
	case !x.plan.unordered && ev.RSN != w.next[at]:
		x.fail("%v: RSN %d comes first", ev, w.next[at])
	case ev.Code == wire.CompletionAck && !f.taken:
		x.fail("%v: its target did not take it", ev)
	case ev.Code == wire.CompletionTargetCIE && !f.declined, ev.Code == wire.CompletionLocalTimeout && !f.codeLost:
		x.fail("%v: code %d, without reason", ev, ev.Code)
	case ev.Code != wire.CompletionAck && ev.Code != wire.CompletionTargetCIE && ev.Code != wire.CompletionLocalTimeout:
		x.fail("%v: it completes with code %d", ev, ev.Code)
	case ev.Kind == pull && ev.Length != x.plan.asks[at][ev.RSN].length:
		x.fail("%v: %d bytes", ev, ev.Length)
	}
	f.completed = true
	w.next[at]++
}

// launch brings what a receiver says onto the link.
func (x *joiner) launch(w *joined, at int, out *falcon.RxResult) {
	if out.HasAck {
		w.fly[at] = append(w.fly[at], inFlight{m: message{ack: out.Ack}})
	}
	if out.HasNack {
		w.fly[at] = append(w.fly[at], inFlight{m: message{nack: true, no: out.Nack}})
	}
	out.HasAck, out.HasNack = false, false
}

// done reports whether everything has completed and nothing is held.
func (x *joiner) done(w *joined) bool {
	for n := range w.end {
		if w.end[n].pools.Used != x.plan.pools.Used || w.end[n].turns.Waiting(0) != 0 {
			return false
		}
		for i := range x.plan.asks[n] {
			if f := &w.fates[n][i]; !f.completed || f.atULP || f.waits {
				return false
			}
		}
	}
	return true
}
