package flow

import (
	"fmt"
	"slices"

	"hcacosim/model/ib"
	"hcacosim/model/psn"
	"hcacosim/model/sim"
	"hcacosim/model/wire"
	"hcacosim/vectors"
)

// A finding about what a device said or did in answer to something rests on the capture: on there being no frame that
// the device saw and the capture did not, and on their order. Such a finding waits until the evidence is in;
// docs/check.md, "What a certain finding rests on".

// ledger follows the IPv4 identifications of the frames from one host to another.
type ledger struct {
	id       uint16
	has      bool
	unbroken uint64 // number of the frame from which on no identification is missing
	back     bool   // one came behind a higher one: the frames are not filed in the order of their sending
	backAt   uint64
	twinAt   uint64 // the same, or another request came with the identification of the one before it
	psn      psn.PSN
	copies   uint64 // frames with the identification of one shortly before: made on the way, or by the capture
	frames   uint64
	leaps    uint64 // identifications far from the one before: drawn at random, most are
}

// leap is a step between identifications that no counter makes: one that all traffic of a host shares goes on by a few.
const leap = 1 << 12

// counts reports whether the identifications are those of a counter, so that they tell in which order frames were sent.
func (l *ledger) counts() bool { return l.has && (l.leaps == 0 || 2*l.leaps < l.frames) }

// take counts a frame and reports whether it follows on the one before.
func (l *ledger) take(id uint16, now psn.PSN, number uint64) bool {
	step := id - l.id
	if l.has && (step == 0 && now != l.psn || step > 0xFF00) {
		l.twinAt = number
	}
	l.psn = now
	follows := l.has && step == 1
	l.frames++
	if l.has && step >= leap && -step >= leap {
		l.leaps++
	}
	if l.has && (step == 0 || step > 0xFF00) {
		l.copies++
		if step != 0 {
			l.back, l.backAt = true, number
		}
		return false
	}
	if l.id, l.has = id, id != 0; !follows {
		l.unbroken = number
	}
	return follows
}

// ledgers are those of the endpoint and one peer.
type ledgers struct{ received, sent ledger }

// shows reports whether no identification is missing since a frame.
func (l *ledger) shows(since uint64) bool { return l.has && l.unbroken <= since }

// maxLedgers bounds the peers that identifications are followed of.
const maxLedgers = 1 << 12

// evidence is what tells whether a capture at an endpoint is whole.
type evidence struct {
	peers    map[addr]*ledgers
	last     *ledgers
	lastPeer addr
	copies   [256]double
	next     uint8
	twins    bool // a frame without identification that was sent follows on itself: the capture may have it twice
	lastSent digest
	lastAt   uint64
	mirrored uint64 // frames that the endpoint sent once and the capture has twice
	// Frames that the endpoint sent and received, by its MAC, as sidecars count them.
	sent, received uint64
	waiting        []int // findings, by their place in the list, that wait for the next frame
}

// basis is what a finding that rests on the capture waits for.
type basis struct {
	rests    bool // on the capture
	needs    needs
	open     bool // a frame may be missing that explains it
	received bool // the next frame that is received must follow on the last
	sent     bool // and the next that is sent
	unsure   bool // which connection the responses are of is not sure
	guess    bool // the PMTU is a guess, and where the PSNs of a READ end with it
	order    bool // a cause came right behind it: the order of the two may be the capture's
	peers    *ledgers
	asked    bool // the peer asked for what it says was left out
	beside   bool // a neighbour may lie in its place
	shadowed bool // one before it is explained so
	noWQE    bool // it is about what needs no receive WQE
	close    bool // two frames that lie close together in the other order would explain it
	timeNS   int64
	cause    causeSought
	clock    clockNeed
	excuse   string // what only the device knows and would explain it; "" where nothing would
}

// needs are the frames that a finding needs to be there: a response too many needs those that were received, a response
// that is missing those that were sent.
type needs uint8

const (
	needReceived needs = 1 << iota
	needSent
	needBoth = needReceived | needSent
)

// of returns the ledgers of a peer.
func (e *evidence) of(peer addr) *ledgers {
	if e.last != nil && e.lastPeer == peer {
		return e.last
	}
	l := e.peers[peer]
	if l == nil && len(e.peers) < maxLedgers {
		if e.peers == nil {
			e.peers = map[addr]*ledgers{}
		}
		l = new(ledgers)
		e.peers[peer] = l
	}
	e.last, e.lastPeer = l, peer
	return l
}

// witness takes note of a frame that the endpoint sent or received; true for one that it sent once and the capture has
// twice.
func (c *Checker) witness(f *vectors.Frame, w *wire.Packet, sent bool) (mirrored bool) {
	e := &c.ev
	if c.src != c.own && c.dst != c.own || w.BTH() == nil {
		return false
	}
	peer := c.src
	if sent {
		peer = c.dst
	}
	if sent {
		if d := copyOf(w); d != (double{}) {
			if e.has(d) {
				e.mirrored++
				return true
			}
			e.copies[e.next], e.next = d, e.next+1
		} else if len(seen(w)) >= bthBytes {
			now := sumOf(w)
			now.sum += uint32(w.BTH().PSN())
			e.twins = e.twins || now == e.lastSent && f.Number == e.lastAt+1
			e.lastSent, e.lastAt = now, f.Number
		}
	}
	l := e.of(peer)
	if l == nil {
		return false
	}
	way := &l.received
	if sent {
		way = &l.sent
	}
	follows := false
	if ip := w.IPv4(); ip != nil {
		follows = way.take(ip.ID(), w.BTH().PSN(), f.Number)
		if !sent && way.twinAt == f.Number {
			c.gotLate(f)
		}
	}
	if len(e.waiting) > 0 {
		c.settleNext(l, sent, follows)
	}
	return false
}

func (e *evidence) has(d double) bool {
	for back := range uint8(64) {
		if e.copies[e.next-1-back] == d {
			return true
		}
	}
	return false
}

// countFrame counts a frame as the sidecars of captures do: by the MAC of the endpoint.
func (c *Checker) countFrame(w *wire.Packet) {
	e, mac := w.Ethernet(), c.ownMAC
	if e == nil {
		return
	}
	if [6]byte(e.Src()) == mac && [6]byte(e.Dst()) != mac {
		c.ev.sent++
	} else {
		c.ev.received++
	}
}

// settleNext tells the findings that wait whether the next frame follows on.
func (c *Checker) settleNext(l *ledgers, sent, follows bool) {
	kept := c.ev.waiting[:0]
	for _, i := range c.ev.waiting {
		b := &c.violations.list[i].basis
		switch {
		case b.peers != l:
		case sent && b.sent:
			b.sent, b.open = false, b.open || !follows
		case !sent && b.received:
			b.received, b.open = false, b.open || !follows
		}
		if !b.open && (b.received || b.sent) || b.cause.sought {
			kept = append(kept, i)
		}
	}
	c.ev.waiting = kept
}

// rest notes a finding that rests on the capture. since is the frame up to which the device is known to have had what
// the capture has, in either way; in is false where that is not known.
func (c *Checker) rest(number uint64, timeNS int64, peer addr, since uint64, in bool, need needs, x sim.Verdict,
	sought causeSought) Verdict {
	x.Certainty = sim.Possible
	b := basis{rests: true, excuse: c.excuse, needs: need, open: !in, timeNS: timeNS, cause: sought,
		unsure: c.now != nil && c.unsure(c.now),
		guess:  c.now != nil && (c.now.onGuess() || c.now.pair != nil && c.now.pair.onGuess()) || c.unsurePMTU()}
	if l := c.ev.of(peer); l == nil {
		b.open = true
	} else {
		b.peers = l
		b.open = b.open || need&needReceived != 0 && !l.received.shows(since) || need&needSent != 0 && !l.sent.shows(since)
		b.received, b.sent = !b.open && need&needReceived != 0, !b.open && need&needSent != 0
		b.close = number < l.received.twinAt && l.received.twinAt <= number+holdArrivals // as gotLate
	}
	c.violations.add(Finding{Packet: number, Verdict: x, basis: b})
	if n := len(c.violations.list); (!b.open || sought.sought) && c.violations.total == uint64(n) {
		c.ev.waiting = append(c.ev.waiting, n-1)
	}
	if c.opt.Complete && c.tallied.headers == 0 && !b.unsure && !b.guess && b.excuse == "" { // as settle will find
		x.Certainty = sim.Certain
	}
	return Verdict{Class: Broken, Verdict: x}
}

// Completeness that is told from outside.
const (
	wholeByFlag    = "the capture is whole: --complete"
	wholeByDrops   = "the capture is whole: its drop counters are 0"
	wholeBySidecar = "the capture is whole: the sidecar counts %d frames sent and %d received, and none dropped"
	wholeByIDs     = "no frame is missing here: the IPv4 identifications are gapless"
	notWhole       = "the capture may miss a frame here, or have it late"
	notInOrder     = "the capture may have the frames in another order: what explains it comes right behind"
	notTold        = "another connection has the same PSNs, or the queue pairs had them before: it may be of either"
	guessText      = "the PMTU is a guess: no First or Middle of this connection was seen"
	pagingText     = "a device that pages on demand answers so while a page is not there"
	takenText      = "the peer takes it: the two may have agreed on another start PSN since"
	cutText        = "the snap length cut frames: one with a bad ICRC does not show"
	mirroredText   = "the capture has frames twice"
	backText       = "the stamps go back: the frames may be in another order"
	clockText      = "the clocks of capture and sidecar differ, or one was set"
	setText        = "the clock of the capture may have been set: nothing else tells how much time passed"
	clockHeld      = "; the clock was not set: times of operations before and behind it, or a third timer like it"
)

// Drops tells how many frames the capture file says that it misses. It may be told any time before Finish.
func (c *Checker) Drops(frames uint64) { c.drops, c.hasDrops = frames, true }

// whole says why the capture has all frames that are needed; "" if that is not known.
func (c *Checker) whole(need needs) string {
	e := &c.ev
	switch s := c.opt.Sidecar; {
	case c.opt.Complete:
		return wholeByFlag
	case e.mirrored > 0 || c.cutAt != 0 || c.tallied.headers > 0 || c.hasDrops && c.drops > 0:
		return ""
	case c.hasDrops:
		return wholeByDrops
	case s != nil && c.side != "" && !e.twins && s.counts(c.side, e, need):
		return fmt.Sprintf(wholeBySidecar, e.sent, e.received)
	}
	return ""
}

// counts reports whether the sidecar counts as many frames, and no drops. A few more than it counts need not be frames
// that the capture has twice: copies of what was sent are told by their identifications, if there are any.
func (s *Sidecar) counts(side string, e *evidence, need needs) bool {
	told, dropped := s.Stats.A, s.Env.DroppedA
	if side == "B" {
		told, dropped = s.Stats.B, s.Env.DroppedB
	}
	if told == nil || dropped == nil || *dropped != 0 || e.sent+e.received == 0 {
		return false
	}
	one := e.last != nil && len(e.peers) == 1 && e.last.sent.has
	few := told.Tx < e.sent && e.sent <= told.Tx+2+told.Tx/16
	return (need&needReceived == 0 || told.Rx == e.received) &&
		(told.Tx == e.sent || one && (need&needSent == 0 || few))
}

// anewMaybe reports whether the queue pairs of a half may have been connected anew.
func (h *half) anewMaybe() bool { return h.maybeAnew || h.pair != nil && h.pair.maybeAnew }

// unsure reports whether it is not sure which connection the responses to a half, or in it, are of.
func (c *Checker) unsure(h *half) bool {
	return h.jumps || h.service == ib.RC && (h.mixed || h.anewMaybe() || h.pair != nil && !h.sure) && !c.described(h) &&
		(h.pair == nil || !c.described(h.pair))
}

// mayBeOrder: what was just found may be the order of the capture.
func (c *Checker) mayBeOrder() {
	if n := len(c.violations.list); c.violations.total == uint64(n) {
		c.violations.list[n-1].basis.order, c.violations.list[n-1].basis.cause = true, causeSought{}
	}
}

// unsurePMTU reports whether the packets show that the sidecar's PMTU is wrong, and not which it is.
func (c *Checker) unsurePMTU() bool { return c.opt.Sidecar != nil && c.opt.Sidecar.unsurePMTU }

// unexcuse takes an excuse back: the response that was to explain a request has had its effect behind it.
func (c *Checker) unexcuse(t *step, timeNS int64, why cause) {
	if t.excused >= 0 && (why == causeNAK || why == causeRNR || why == causeImplied) {
		if b := &c.violations.list[t.excused].basis; b.cause.psn == c.pkt.PSN && t.excuses == 0 && !b.cause.credit &&
			timeNS-t.excusedNS < 4*holdNs {
			b.order = false
		}
		t.excused = -1
	}
}

// copied: where the way makes copies, one may be missing though no identification is.
// A response too many may be the answer to a copy too, which no identification tells.
func (b *basis) copied() bool {
	return b.needs == needReceived || b.needs&needReceived != 0 && b.peers.received.copies > 0
}

// settle gives the findings that rest on the capture their certainty.
func (c *Checker) settle() {
	disorder := slices.ContainsFunc(c.violations.list, func(x Finding) bool { return x.basis.order }) || c.order.offset()
	elsewhere := !c.opt.Complete && c.moreThanCame() && c.atOtherEnd()
	c.skew.quiet = c.ev.received == 0
	c.inShadow()
	var again thrice
	for i := range c.violations.list {
		x := &c.violations.list[i]
		b := &x.basis
		if !b.rests {
			continue
		}
		shown := c.skew.shows(&b.clock)
		shown = again.shows(&b.clock) || shown
		whole := c.whole(b.needs)
		out := b.peers != nil && b.peers.sent.back && !c.opt.Complete
		switch {
		case c.tallied.headers > 0:
			x.Evidence = cutText
		case elsewhere:
			x.Evidence = otherEnd
		case b.unsure:
			x.Evidence = notTold
		case b.excuse != "":
			x.Evidence = b.excuse
		case b.guess:
			x.Evidence = guessText
		case (disorder || b.close || b.beside || b.shadowed) && !c.opt.Complete:
			// where it has two in the wrong order it may have more
			x.Evidence = notInOrder
		case b.cause.credit && c.timeNS-b.timeNS < lateNs && !c.opt.Complete: // the capture ends before its cause may come
			x.Evidence = notWhole
		case c.ev.mirrored > 0 && !c.opt.Complete:
			x.Evidence = mirroredText
		case c.back > 0 && !c.opt.Complete:
			x.Evidence = backText
		case c.clockOff && (byClock(x) && !b.noWQE || x.Rule == "RSP-10") && !c.opt.Complete:
			// a request that is good may be one behind a request that found no receive WQE
			x.Evidence = clockText
		case !shown && !c.opt.Complete:
			x.Evidence = setText
		case whole != "" && !out:
			x.Evidence, x.Certainty = whole, sim.Certain
		case !b.open && !b.received && !b.sent && !out && !b.copied():
			x.Evidence, x.Certainty = wholeByIDs, sim.Certain
		default:
			x.Evidence = notWhole
		}
		if x.Certain() {
			c.violations.certain++
			if b.clock.kind != noClock && !c.opt.Complete {
				x.Evidence += clockHeld
			}
		}
	}
}
