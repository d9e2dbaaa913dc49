package falconflow

import (
	"hash/crc32"

	falconwire "hcacosim/model/falcon/wire"

	"hcacosim/model/falcon"
)

// The transmitter's windows of an end stand beside what it sends. An ACK that came past may have been lost behind the
// capture point: so the windows reach at least as far as the end's own do, and a PSN that is sent again although an ACK
// of it came is no certain violation, unless a later packet shows that the end had taken one.

const (
	// reactNs is what an end may take until it acts on what came.
	reactNs = 20_000
	// soonNs is sooner than a timer or a probe has a packet sent again (FAL-D19, FAL-D20).
	soonNs = 50_000
)

// requestOrder is which requests left last for the first time.
type requestOrder struct {
	any    bool
	first  falconwire.RSN
	newest falconwire.RSN
	at     uint64 // the packet of the newest
	last   uint64 // the packet that left last for the first time
	kind   map[falconwire.Type]requestOfKind
	// lag is the last RSN before one that skipped some, if those may follow.
	lag     falconwire.RSN
	lagging bool
}

// requestOfKind is the newest request of a kind.
type requestOfKind struct {
	rsn falconwire.RSN
	at  uint64
}

// isRequest reports whether a packet is a Pull Request or Push Data.
func isRequest(k *falconwire.Packet) bool {
	return k.Type == falconwire.PullRequest || k.Type == falconwire.PushData
}

// windowOf is the window that a packet with a PSN is in.
func windowOf(k *falconwire.Packet) int {
	if k.Type.RequestWindow() || k.Type == falconwire.Resync && k.ResyncType.RequestWindow() {
		return requestWindow
	}
	return dataWindow
}

// freed moves the windows of the transmitter at the other end, which gets the packet (FAL-D15).
func (h *hearing) freed(good [numWindows]bool) {
	for i, base := range [numWindows]falconwire.PSN{h.k.DataBase, h.k.RequestBase} {
		t := &h.back.tx[i]
		if !good[i] || t.Size == 0 {
			continue
		}
		if to := falcon.PSN(base); t.Base.Before(to) && !t.Next.Before(to) {
			t.Advance(to)
		}
		if t.Base != falcon.PSN(base) {
			continue
		}
		rx, ack := bitmapsOf(h.k, i)
		t.Report(h.m, ack, rx)
		for left := t.Missing(h.m, rx, true, 0); left.Any(); {
			bit := left.First()
			left.Clear(bit)
			if e := h.back.sent[i].entry(falconwire.PSN(t.Base.Add(bit))); e != nil {
				e.said.called = true
			}
		}
	}
}

// reliable follows a packet with a PSN.
func (h *hearing) reliable() {
	k, w := h.k, h.w
	i := windowOf(k)
	s := &w.sent[i]
	if !s.any {
		s.kept = make([]sentPacket, keptWindows*windowPSNs[i])
		s.first, s.high = k.PSN, k.PSN-1
		w.tx[i] = falcon.NewTxWindow(falcon.PSN(k.PSN), uint8(windowPSNs[i]))
	}
	fresh := k.PSN.Diff(s.high) > 0
	filling := h.fills(i)
	if filling {
		h.fill = s.lagAt
	}
	h.inWindow(i, fresh)
	if e := s.entry(k.PSN); e != nil && !fresh {
		h.again(i, e)
	} else if k.Type == falconwire.Resync && fresh && s.any && !k.Flaws.Has(falconwire.BadResync) {
		if !h.gap() {
			h.maybe("FAL-D22", "a Resync of PSN %d, which was not sent before", uint32(k.PSN))
		}
	}
	if fresh {
		if n := k.PSN.Diff(s.high) - 1; n > 0 {
			g := h
			if n == 1 && s.wrongAt != 0 { // that one may have had its place
				g, s.wrongAt = h.after(s.wrongAt, itsPSN), 0
			}
			g.unlessGap("FAL-D10", "PSN %d of the %s window follows %d: %d skipped", uint32(k.PSN), windowNames[i],
				uint32(s.high), n)
			if !s.lagging {
				s.lag, s.lagAt, s.lagging, s.before = s.high, h.number, true, w.tx[i].Base
			}
		}
		s.high, s.highAt, s.any = k.PSN, h.number, true
		w.tx[i].Next = falcon.PSN(k.PSN) + 1
	}
	h.arrives(i)
	h.note(s)
	h.transaction(fresh || filling)
}

// fills reports whether the packet is the next of those before one that skipped some, or the one behind that, whose
// place the other had: then the other was wrong, and what follows goes on from here.
func (h *hearing) fills(i int) bool {
	s, t := &h.w.sent[i], &h.w.tx[i]
	ahead := h.k.PSN.Diff(s.lag)
	if !s.lagging || ahead != 1 && (ahead != 2 || h.k.PSN.Diff(s.high) >= 0) {
		return false
	}
	e := s.entry(h.k.PSN)
	if e != nil && e.packet == s.lagAt && h.k.Type != falconwire.Resync {
		e.valid, e = false, nil
	}
	next := h.k.PSN + 1
	if s.lag = h.k.PSN; s.lag == s.high || next == s.high {
		s.lagging, next = false, s.high+1
	}
	if b := h.back; b != nil && b.hasBase && s.before.Before(falcon.PSN(b.base[i])) {
		s.before = falcon.PSN(b.base[i])
	}
	*t = falcon.NewTxWindow(s.before, uint8(windowPSNs[i]))
	t.Next = falcon.PSN(next)
	return e == nil
}

// inWindow holds a PSN against the transmit window (FAL-D11).
func (h *hearing) inWindow(i int, fresh bool) {
	t := &h.w.tx[i]
	if !fresh {
		return
	}
	if h.back != nil && h.back.hasBase || h.complete() && (h.back != nil || h.w.unanswered()) {
		if d := falcon.PSN(h.k.PSN).From(t.Base); int32(d) >= windowPSNs[i] {
			h.after(h.w.sent[i].highAt, itsPSN).unlessGap("FAL-D11", "PSN %d lies %d beyond the %s base %d: the window has %d",
				uint32(h.k.PSN), d, windowNames[i], uint32(t.Base), windowPSNs[i])
		}
	}
	if falcon.PSN(h.k.PSN).From(t.Base) >= uint32(windowPSNs[i]) {
		*t = falcon.NewTxWindow(falcon.PSN(h.k.PSN-falconwire.PSN(windowPSNs[i])+1), uint8(windowPSNs[i]))
	}
}

// arrives counts what comes beyond the other end's window: its base is what it said last, or lies beyond that (FAL-D5).
// Before it has said one nothing is counted: window does that then.
func (h *hearing) arrives(i int) {
	if h.back == nil {
		return
	}
	if r := &h.back.rx[i]; r.known && h.k.PSN.Diff(falconwire.PSN(r.Base)) >= windowPSNs[i] {
		h.w.beyond[i]++
	}
}

// again judges a packet whose PSN left before (FAL-D15, FAL-D20, FAL-D21, FAL-D22).
func (h *hearing) again(i int, e *sentPacket) {
	k, s, x := h.k, &h.w.sent[i], &e.said
	last, top := h.nowNs-e.lastNs, s.high
	if s.lagging {
		top = s.lag
	}
	switch {
	case k.Type == falconwire.Resync:
		h.replaces(e)
	case e.resync != 0:
		h.after(e.resyncAt, itsResync).say("FAL-D22", "PSN %d is sent again as a %v, and a Resync took its place in a "+
			"packet before", uint32(k.PSN), k.Type)
	case e.differs(k, h.cut):
		if s.wrongAt = h.number; isRequest(k) && k.RSN == h.w.last.newest+1 {
			h.w.last.leaves(k, h.number)
		}
		h.after(e.packet, itsPSN|itsRSN).say("FAL-D20", "PSN %d is sent again and is not what it was in packet %d: %v, "+
			"RSN %d", uint32(k.PSN), e.packet, e.kind, uint32(e.rsn))
	case k.PSN.Diff(top) <= -windowPSNs[i]:
		h.after(s.highAt, itsPSN).say("FAL-D15", "PSN %d of the %s window is sent again, and was acknowledged: %d could "+
			"leave behind it",
			uint32(k.PSN), windowNames[i], uint32(top))
	case x.acked != 0 && h.nowNs-x.ackedNs >= reactNs:
		h.after(x.acked, itsACK).maybe("FAL-D15", "PSN %d of the %s window is sent again, and packet %d acknowledged it",
			uint32(k.PSN), windowNames[i], x.acked)
	case h.nowNs < x.rnrEndNs && h.nowNs-x.rnrNs >= reactNs:
		h.maybe("FAL-D21", "PSN %d of the %s window is sent again %d ns after an RNR NACK that asked for %d", uint32(k.PSN),
			windowNames[i], h.nowNs-x.rnrNs, x.rnrEndNs-x.rnrNs)
	case h.own() && s.lagAt == 0 && !x.called && x.nacks == 0 && x.acked == 0 && last > 0 && last < soonNs:
		h.maybe("FAL-D20", "PSN %d of the %s window is sent again after %d ns, and no EACK called for it", uint32(k.PSN),
			windowNames[i], last)
	}
}

// nackOf is the NACK that a Resync's code follows from (FAL-D22).
var nackOf = map[falconwire.ResyncCode]falconwire.NackCode{falconwire.ResyncCIE: falconwire.NackCIE,
	falconwire.ResyncRemoteXlr: falconwire.NackXlr, falconwire.ResyncNRE: falconwire.NackNRE,
	falconwire.ResyncInvalidCID: falconwire.NackInvalidCID}

// replaces judges a Resync of what left before (FAL-D22).
func (h *hearing) replaces(e *sentPacket) {
	k, h := h.k, h.after(e.resyncAt, itsResync)
	code, byNack := nackOf[k.ResyncCode]
	switch {
	case k.Flaws.Has(falconwire.BadResync): // told by itself
	case e.rsn != k.RSN || e.kind != k.ResyncType:
		g := h.after(e.packet, itsPSN|itsRSN)
		g.say("FAL-D22", "a Resync in place of a %v with RSN %d, and PSN %d was a %v with RSN %d in packet %d", k.ResyncType,
			uint32(k.RSN), uint32(k.PSN), e.kind, uint32(e.rsn), e.packet)
	case e.resync != 0 && e.resync != k.ResyncCode:
		h.say("FAL-D22", "a Resync of PSN %d with code %d, and there was one with code %d", uint32(k.PSN),
			uint8(k.ResyncCode), uint8(e.resync))
	case byNack && h.complete() && e.said.nacks>>code&1 == 0:
		h.say("FAL-D22", "a Resync of PSN %d with code %d, and no NACK with code %d came", uint32(k.PSN), uint8(k.ResyncCode),
			uint8(code))
	}
}

// differs reports whether a packet is not the one that left before.
func (e *sentPacket) differs(k *falconwire.Packet, cut bool) bool {
	return e.rsn != k.RSN || e.kind != k.Type || e.whole && !cut && e.sum != crc32.ChecksumIEEE(k.Payload)
}

// note keeps what left.
func (h *hearing) note(s *sentPSNs) {
	k := h.k
	e := s.at(k.PSN)
	if !e.valid || e.psn != k.PSN {
		if e.valid && e.psn.Diff(k.PSN) > 0 {
			return
		}
		*e = sentPacket{psn: k.PSN, rsn: k.RSN, kind: k.Type, sum: crc32.ChecksumIEEE(k.Payload), packet: h.number,
			valid: true, whole: !h.cut && k.Type != falconwire.Resync}
	}
	e.mixed = e.mixed || k.Type != falconwire.Resync && k.Type != e.kind
	if k.Type == falconwire.Resync {
		if e.kind == falconwire.Resync {
			e.kind = k.ResyncType
		}
		if e.resync == 0 {
			e.resync, e.resyncAt = k.ResyncCode, h.number
		}
	}
	e.copies++
	e.lastNs, e.said.called = h.nowNs, false
}

// transaction follows RSNs (FAL-T1, FAL-T10, FAL-T11).
func (h *hearing) transaction(fresh bool) {
	switch k := h.k; k.Type {
	case falconwire.PullRequest, falconwire.PushData:
		h.request(fresh)
	case falconwire.PullData:
		h.answer()
	case falconwire.Resync:
		if fresh && k.ResyncType != falconwire.PullData {
			h.w.last.leaves(k, h.number)
		}
	}
}

// request follows the RSN of a Pull Request or Push Data.
func (h *hearing) request(fresh bool) {
	k := h.k
	o := &h.w.rsns[uint32(k.RSN)%keptRSNs]
	now := sentRSN{h.number, k.RSN, k.PSN, uint32(k.RequestLength), k.Type, true}
	if o.valid && o.rsn == k.RSN && (o.kind != k.Type || o.psn != k.PSN) && (o.kind == k.Type || !h.m.PushDataRSNOfPull) {
		h.after(o.packet, itsRSN|itsPSN).say("FAL-T1", "RSN %d is of the %v with PSN %d in packet %d too", uint32(k.RSN),
			o.kind, uint32(o.psn), o.packet)
		h.w.last.last = h.number
	} else if fresh {
		h.inOrder()
	}
	if !o.valid || o.rsn.Diff(k.RSN) <= 0 {
		*o = now
	}
}

// inOrder: requests leave for the first time in the order of their RSNs, which count up by one (FAL-T1, FAL-T10).
func (h *hearing) inOrder() {
	k, l := h.k, &h.w.last
	last, any := l.kind[k.Type]
	at := l.at
	if h.fill != 0 {
		last.at, at = h.fill, h.fill
	}
	switch {
	case !h.own():
	case any && k.RSN.Diff(last.rsn) < 0:
		h.after(last.at, itsRSN|itsPSN).say("FAL-T10", "%v of RSN %d leaves after that of RSN %d", k.Type, uint32(k.RSN),
			uint32(last.rsn))
	case l.any && k.RSN.Diff(l.newest) < 0 && !h.m.ThreeQueues:
		h.after(at, itsRSN|itsPSN).maybe("FAL-T10", "%v of RSN %d leaves after the request of RSN %d", k.Type, uint32(k.RSN),
			uint32(l.newest))
	case l.any && k.RSN.Diff(l.newest) > 1 && !h.m.ThreeQueues && h.complete():
		h.after(l.last, itsRSN).maybe("FAL-T1", "RSN %d follows %d: %d skipped", uint32(k.RSN), uint32(l.newest),
			k.RSN.Diff(l.newest)-1)
	}
	l.leaves(k, h.number)
}

// leaves notes a request that leaves for the first time. The next RSN of those before one that skipped some goes on
// from there: that one was wrong.
func (l *requestOrder) leaves(k *falconwire.Packet, number uint64) {
	if l.kind == nil {
		l.kind = map[falconwire.Type]requestOfKind{}
	}
	ahead, filled := k.RSN.Diff(l.newest), k.RSN.Diff(l.lag)
	fills := l.lagging && ahead < 0 && (filled == 1 || filled == 2)
	switch {
	case !l.any:
		l.first = k.RSN
	case fills:
		l.lag = k.RSN
		l.lagging = l.lag+1 != l.newest
	case ahead > 1 && !l.lagging:
		l.lag, l.lagging = l.newest, true
	}
	if last, any := l.kind[kindOf(k)]; !any || fills || k.RSN.Diff(last.rsn) > 0 {
		l.kind[kindOf(k)] = requestOfKind{k.RSN, number}
	}
	if l.last = number; !l.any || ahead > 0 {
		l.newest, l.at, l.any = k.RSN, number, true
	}
}

// answer pairs Pull Data with its Pull Request by the RSN (FAL-T1, FAL-T11).
func (h *hearing) answer() {
	k, at := h.k, uint32(h.k.RSN)%keptRSNs
	if h.back != nil {
		o := &h.back.rsns[at]
		switch n := uint32(len(k.Payload)); {
		case o.valid && o.rsn.Diff(k.RSN) > 0: // its request is forgotten
		case !o.valid || o.rsn != k.RSN || o.kind != falconwire.PullRequest:
			h.after(h.back.last.last, itsRSN).unlessGap("FAL-T1", "Pull Data of RSN %d: no Pull Request has it", uint32(k.RSN))
		case h.cut || n == o.length || n == 0:
		case n > o.length:
			h.say("FAL-T11", "Pull Data of RSN %d has %d bytes, and packet %d asked for %d", uint32(k.RSN), n, o.packet,
				o.length)
		case !h.m.ShortPullData:
			h.maybe("FAL-T11", "Pull Data of RSN %d has %d bytes, and packet %d asked for %d", uint32(k.RSN), n, o.packet,
				o.length)
		}
	}
	if o := &h.w.answers[at]; o.valid && o.rsn == k.RSN && o.psn != k.PSN {
		h.after(o.packet, itsRSN|itsPSN).say("FAL-T1", "Pull Data of RSN %d again, in packet %d it had another PSN",
			uint32(k.RSN), o.packet)
	}
	h.w.answers[at] = sentRSN{h.number, k.RSN, k.PSN, uint32(len(k.Payload)), k.Type, true}
}
