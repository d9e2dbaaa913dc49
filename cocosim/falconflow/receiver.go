package falconflow

import (
	falconwire "hcacosim/model/falcon/wire"

	"hcacosim/model/falcon"
	"hcacosim/model/sim"
)

// The receiver of an end, as model/falcon has it, stands beside what the end says: bases, ACKs, NACKs. What reached it
// and when its ULP acknowledged it no capture tells, so the windows take what the end names, if it came past before:
// then they must be as the end says. A packet that came and is not named was lost behind the capture point, or is on
// its way.

// rxBeside is a window of the receiver of an end.
type rxBeside struct {
	falcon.RxWindow
	known bool
}

// window is the receiver's window for what came by the other way. It begins at what the end says first; where the
// capture is whole at a PSN that came, if that is before it.
func (h *hearing) window(i int) *rxBeside {
	r := &h.w.rx[i]
	if !r.known {
		base := [numWindows]falconwire.PSN{h.k.DataBase, h.k.RequestBase}[i]
		if s := &h.back.sent[i]; s.any && h.complete() && s.first.Diff(base) < 0 {
			base = s.first
		}
		r.restart(i, base)
		r.known = true
		h.back.beyond[i] += h.back.sent[i].beyond(base, windowPSNs[i])
	}
	return r
}

// beyond counts the packets that left and lie beyond the window at a base.
func (s *sentPSNs) beyond(base falconwire.PSN, size int32) (n uint32) {
	for i := range s.kept {
		if e := &s.kept[i]; e.valid && e.psn.Diff(base) >= size {
			n += e.copies
		}
	}
	return n
}

// restart empties a window, at a base.
func (r *rxBeside) restart(i int, base falconwire.PSN) {
	r.RxWindow = falcon.NewRxWindow(falcon.PSN(base), uint8(windowPSNs[i]))
}

// at is the place of a PSN.
func (s *sentPSNs) at(p falconwire.PSN) *sentPacket { return &s.kept[int(p)&(len(s.kept)-1)] }

// entry is what is known of a PSN; nil where nothing is.
func (s *sentPSNs) entry(p falconwire.PSN) *sentPacket {
	if !s.any {
		return nil
	}
	if e := s.at(p); e.valid && e.psn == p {
		return e
	}
	return nil
}

// forgotten reports whether what was known of a PSN has given place to a later one.
func (s *sentPSNs) forgotten(p falconwire.PSN) bool {
	e := s.at(p)
	return e.valid && e.psn.Diff(p) > 0
}

// bases holds what a packet says of what came against what it said before, and against what was sent.
func (h *hearing) bases() {
	now, w := [numWindows]falconwire.PSN{h.k.DataBase, h.k.RequestBase}, h.w
	good := [numWindows]bool{}
	for i := range now {
		good[i] = true
		if w.hasBase && now[i].Diff(w.base[i]) < 0 {
			h.after(w.baseAt[i], itsACK).say("FAL-D2", "the %s base goes back from %d to %d", windowNames[i],
				uint32(w.base[i]), uint32(now[i]))
			good[i], w.rx[i].known = false, false // either may be the wrong one: what comes next tells
		}
		if h.back == nil || !h.back.sent[i].any {
			good[i] = false
		} else if high := h.back.sent[i].high; now[i].Diff(high) > 1 {
			h.unlessGap("FAL-D2", "the %s base is %d, and nothing beyond %d was sent", windowNames[i], uint32(now[i]),
				uint32(high))
			now[i], good[i] = high, false // the other end drops it (FAL-D15)
			if w.hasBase {
				now[i] = w.base[i]
			}
		}
	}
	if !w.hasBase {
		w.firstBase, w.baseAt = now, [numWindows]uint64{h.number, h.number}
	}
	for i := range now {
		if now[i] != w.base[i] {
			w.baseAt[i] = h.number
		}
	}
	w.base, w.hasBase = now, true
	if h.back == nil {
		return
	}
	if h.k.Type == falconwire.EACK {
		h.ownTold()
		good = h.named(good)
	}
	for i := range good {
		if good[i] {
			h.taken(i)
		}
	}
	h.predicted(good)
	h.freed(good)
}

// named holds the PSNs that an EACK names as received against the highest that was sent.
func (h *hearing) named(good [numWindows]bool) [numWindows]bool {
	for i, base := range [numWindows]falconwire.PSN{h.k.DataBase, h.k.RequestBase} {
		rx, _ := bitmapsOf(h.k, i)
		s := &h.back.sent[i]
		if top := rx.Highest(); top >= 0 && s.any {
			if last := base + falconwire.PSN(top); last.Diff(s.high) > 0 {
				h.unlessGap("FAL-D4", "names PSN %d of the %s window as received, and nothing beyond %d was sent", uint32(last),
					windowNames[i], uint32(s.high))
				good[i] = false
			}
		}
	}
	return good
}

// bitmapsOf are the bitmaps of an EACK, of others empty ones; those of requests are one.
func bitmapsOf(k *falconwire.Packet, i int) (rx, ack falcon.Bitmap) {
	if i == requestWindow {
		b := falcon.Bitmap{Lo: k.Request}
		return b, b
	}
	return falcon.Bitmap{Hi: k.DataRx.Hi, Lo: k.DataRx.Lo}, falcon.Bitmap{Hi: k.DataAck.Hi, Lo: k.DataAck.Lo}
}

// taken lets the receiver take what the packet names in a window: what lies before its base, and the bits of its
// bitmaps.
func (h *hearing) taken(i int) {
	r := h.window(i)
	base := falcon.PSN([numWindows]falconwire.PSN{h.k.DataBase, h.k.RequestBase}[i])
	if !base.Before(r.Base) && base.From(r.Base) > 2*uint32(windowPSNs[i]) {
		r.restart(i, falconwire.PSN(base))
	}
	for p := r.Base; p.Before(base); p++ {
		h.took(i, p, !h.m.BaseOverReceived || i == requestWindow, "passes")
	}
	rx, ack := bitmapsOf(h.k, i)
	for left := rx.Or(ack); left.Any(); {
		bit := left.First()
		left.Clear(bit)
		h.took(i, base.Add(bit), ack.Has(bit), "names")
	}
}

// took lets the receiver take one PSN that the packet passes or names.
func (h *hearing) took(i int, p falcon.PSN, acked bool, how string) {
	r, s := h.window(i), &h.back.sent[i]
	e := s.entry(falconwire.PSN(p))
	if !r.Rx.Has(p.From(r.Base)) && !p.Before(r.Base) {
		switch {
		case e == nil && h.complete() && !s.forgotten(falconwire.PSN(p)):
			h.say(map[string]sim.Rule{"passes": "FAL-D2", "names": "FAL-D4"}[how],
				"%s PSN %d of the %s window, which never came", how, uint32(p), windowNames[i])
		case e != nil && e.said.refused >= e.copies && h.complete():
			h.say("FAL-D3", "%s PSN %d of the %s window, which was refused and did not come again", how, uint32(p),
				windowNames[i])
		}
		r.Receive(h.m, p, i == dataWindow && (e == nil || e.mixed || e.kind != falconwire.PullData), false)
		r.OWN = false
	}
	if acked {
		r.RxWindow.Acknowledge(h.m, p)
	}
	if e == nil {
		return
	}
	if x := &e.said; acked && x.acked == 0 {
		if x.declined != 0 && e.resync == 0 && !h.m.DuplicateByRx && h.complete() {
			h.say("FAL-T15", "acknowledges PSN %d, which packet %d refused with a code that a Resync answers: none came",
				uint32(p), x.declined)
		}
		x.acked, x.ackedNs = h.number, h.nowNs
	}
	if e.said.named == 0 {
		e.said.named = h.number
	}
}

// predicted holds what the packet says against what the receiver would say now (FAL-D2, FAL-D4, FAL-D7).
func (h *hearing) predicted(good [numWindows]bool) {
	for i := range good {
		if good[i] {
			h.predictedWindow(i)
		} else if h.back.sent[i].any {
			return
		}
	}
	if h.k.Type != falconwire.BACK || !h.wantsEACK() {
		return
	}
	i := dataWindow
	if h.w.rx[requestWindow].NeedsEACK(false) {
		i = requestWindow
	}
	r := &h.w.rx[i]
	p := falconwire.PSN(r.Base) + falconwire.PSN(r.Rx.Highest())
	h.say("FAL-D7", "a BACK, and PSN %d of the %s window was received behind the base %d: an EACK was due", uint32(p),
		windowNames[i], uint32(r.Base))
}

// wantsEACK reports whether the receiver would send an EACK. Everything that came may have closed a hole of what was
// named.
func (h *hearing) wantsEACK() bool {
	request, data := h.w.rx[requestWindow].RxWindow, h.w.rx[dataWindow].RxWindow
	s := &h.back.sent[dataWindow]
	data.Rx = data.Rx.Without(h.refusedByULP(dataWindow))
	for bit := range uint32(max(data.Rx.Highest(), 0)) {
		if p := falconwire.PSN(data.Base.Add(bit)); !h.complete() || s.entry(p) != nil || s.forgotten(p) {
			data.Rx.Set(bit)
		}
	}
	return falcon.Snapshot(&request, &data, h.m.EACKOnAnyRx).EACK
}

// predictedWindow is predicted for a window, which then is as the packet says.
func (h *hearing) predictedWindow(i int) {
	r, s := h.window(i), &h.back.sent[i]
	said := falcon.PSN([numWindows]falconwire.PSN{h.k.DataBase, h.k.RequestBase}[i])
	rx, ack := bitmapsOf(h.k, i)
	if r.Base != said {
		if e := s.entry(falconwire.PSN(said)); !ack.Has(0) && e != nil {
			since := max(e.said.acked, e.said.named)
			h.after(since, itsACK).say("FAL-D2", "the %s base stays at %d, which is acknowledged since packet %d",
				windowNames[i], uint32(said), since)
		}
		r.restart(i, falconwire.PSN(said))
		r.Rx, r.Ack = rx, ack
		return
	}
	if h.k.Type != falconwire.EACK {
		return
	}
	if lost := r.Rx.Without(rx); lost.Any() && lost.Without(h.refusedByULP(i)).Any() {
		lost = lost.Without(h.refusedByULP(i))
		e := s.entry(falconwire.PSN(said.Add(lost.First())))
		if e != nil && e.said.named != 0 {
			h.after(e.said.named, itsACK).say("FAL-D2", "does not name PSN %d of the %s window, which packet %d named as "+
				"received", uint32(e.psn), windowNames[i], e.said.named)
		}
	} else if lost := r.Ack.Without(ack); lost.Any() {
		h.unacknowledged(i, said.Add(lost.First()))
	}
	r.Rx, r.Ack = rx, ack
}

// unacknowledged tells of a PSN that is received, and acknowledged if all were right.
func (h *hearing) unacknowledged(i int, p falcon.PSN) {
	e := h.back.sent[i].entry(falconwire.PSN(p))
	switch {
	case e == nil:
	case e.said.acked != 0:
		h.after(e.said.acked, itsACK).say("FAL-D2", "does not acknowledge PSN %d of the %s window, which packet %d did",
			uint32(p), windowNames[i], e.said.acked)
	case !e.mixed:
		h.say("FAL-D4", "names PSN %d of the %s window, a %v, as received and not as acknowledged", uint32(p), windowNames[i],
			e.kind)
	}
}

// ownTold holds the OWNs of an EACK against what came beyond the window (FAL-D5).
func (h *hearing) ownTold() {
	for i, own := range [numWindows]bool{h.k.OWNData, h.k.OWNRequest} {
		if own && h.back.sent[i].any {
			h.window(i)
		}
		if n := &h.back.beyond[i]; own && *n > 0 {
			*n--
		} else if own && h.complete() {
			h.say("FAL-D5", "OWN of the %s window, and nothing came beyond it since the last", windowNames[i])
		}
	}
}

// pulled: Pull Data answers a Pull Request, which was received for that (FAL-D4).
func (h *hearing) pulled() {
	o := &h.back.rsns[uint32(h.k.RSN)%keptRSNs]
	if !o.valid || o.rsn != h.k.RSN || o.kind != falconwire.PullRequest {
		return
	}
	r := h.window(requestWindow)
	if e := h.back.sent[requestWindow].entry(o.psn); e != nil && !falcon.PSN(o.psn).Before(r.Base) {
		if e.said.named == 0 {
			e.said.named = h.number
		}
		r.Receive(h.m, falcon.PSN(o.psn), false, false)
	}
}

// nacked holds a NACK against what came (FAL-D9).
func (h *hearing) nacked() {
	k, i := h.k, nackWindow(h.k)
	s := &h.back.sent[i]
	if !s.any {
		return
	}
	if k.NackPSN.Diff(s.high) > 0 {
		h.unlessGap("FAL-D9", "NACK of PSN %d of the %s window, and nothing beyond %d was sent", uint32(k.NackPSN),
			windowNames[i], uint32(s.high))
		return
	}
	e := s.entry(k.NackPSN)
	if e == nil {
		if h.complete() && !s.forgotten(k.NackPSN) {
			h.say("FAL-D9", "NACK of PSN %d of the %s window, which never came", uint32(k.NackPSN), windowNames[i])
		}
		return
	}
	x := &e.said
	switch {
	case x.acked != 0 && k.NackPSN.Diff(h.w.base[i]) >= 0:
		h.after(x.acked, itsACK).say("FAL-D9", "NACK of PSN %d of the %s window, which packet %d acknowledged",
			uint32(k.NackPSN), windowNames[i], x.acked)
	case ofULP(k.NackCode) && e.kind == falconwire.PullData && !e.mixed:
		h.say("FAL-D9", "NACK of Pull Data with the code %v: that is for Push Data", k.NackCode)
	case !ofULP(k.NackCode) && k.NackCode != falconwire.NackPeerWindow:
		if x.refused++; x.refused > e.copies && h.complete() {
			h.say("FAL-D9", "NACK %d of PSN %d of the %s window, which came %d times", x.refused, uint32(k.NackPSN),
				windowNames[i], e.copies)
		}
	}
	h.noteNack(e)
}

// noteNack keeps what follows from a NACK.
func (h *hearing) noteNack(e *sentPacket) {
	x, k := &e.said, h.k
	x.nacks |= 1 << (k.NackCode & 31)
	if !ofULP(k.NackCode) {
		return
	}
	if k.NackCode == falconwire.NackRNR {
		x.rnrNs, x.rnrEndNs = h.nowNs, h.nowNs+int64(falconwire.RNRTimeoutNs(k.RNRTimeout))
	} else if x.declined == 0 {
		x.declined = h.number
	}
}

// ulpNacks are the codes of NACKs by which a ULP refuses, bit by bit.
const ulpNacks = 1<<falconwire.NackRNR | 1<<falconwire.NackCIE | 1<<falconwire.NackNRE | 1<<falconwire.NackInvalidCID

// refusedByULP are the PSNs of a receiver's window that its ULP refused: whether they count as received from then on
// the text does not tell.
func (h *hearing) refusedByULP(i int) (b falcon.Bitmap) {
	r := h.window(i)
	for bit := range uint32(r.Size) {
		if e := h.back.sent[i].entry(falconwire.PSN(r.Base.Add(bit))); e != nil && e.said.nacks&ulpNacks != 0 {
			b.Set(bit)
		}
	}
	return b
}
