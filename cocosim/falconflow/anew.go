package falconflow

import (
	falconwire "hcacosim/model/falcon/wire"
)

// A connection identifier may be used again, by a connection whose PSNs are near to the old ones. No packet tells. Both
// ends have then been silent for a while, and every counter begins anew: PSNs, RSNs and bases, in both directions. So
// behind a silence a connection is in doubt until a packet settles it: the connection goes on if no counter jumps and
// the RSN, which every connection begins anew, goes on from where it was. It is a new one if counters jump and none
// goes on. What is found in between is certain only if the connection goes on.

// anewNs is less than an end takes to give up a connection and begin one with the same identifier (our reading).
const anewNs = 1_000_000

// doubt is whether a connection goes on behind a silence.
type doubt struct {
	packet  uint64   // the first behind the silence
	before  [2]known // of each way, by side
	sent    int32    // packets with a PSN behind the silence, before the one that is looked at
	settled bool
	same    bool // it goes on; set only where settled
	vague   bool // what came behind the silence may be of either: nothing will show that it goes on
}

// known is what is known of a way before a silence.
type known struct {
	hasBase bool
	base    [numWindows]falconwire.PSN
	sent    [numWindows]bool // something in the window
	asked   bool             // a request
}

// open reports whether it is not known yet.
func (d *doubt) open() bool { return d != nil && !d.settled }

// inDoubt is the doubt in which a way is; nil where there is none.
func (w *way) inDoubt() *doubt {
	if w.doubt.open() {
		return w.doubt
	}
	return nil
}

// inDoubt is the doubt in which the only connection of two hosts is; nil where there is none.
func (p *pair) inDoubt() *doubt {
	for _, list := range p.ways {
		if len(list) == 1 && list[0].back() != nil {
			return list[0].inDoubt()
		}
	}
	return nil
}

// resumes settles whether the connection of the packet goes on, if it is in doubt.
func (h *hearing) resumes() {
	w, back := h.w, h.back
	last, heard := w.lastNs, w.packets > 0
	if back != nil {
		if w.packets == 0 && w.doubt == nil {
			w.doubt = back.doubt
		}
		last, heard = max(last, back.lastNs), heard || back.packets > 0
	}
	w.lastNs = h.nowNs
	if heard && h.nowNs-last >= anewNs && !w.doubt.open() {
		h.doubts()
	}
	if d := w.doubt; d.open() {
		h.settleDoubt(d)
		if h.k.Type.Reliable() {
			d.sent++
		}
	}
}

// doubts begins a doubt.
func (h *hearing) doubts() {
	d := &doubt{packet: h.number}
	for _, w := range []*way{h.w, h.back} {
		if w == nil {
			continue
		}
		w.doubt = d
		d.before[w.side] = known{w.hasBase, w.base, [numWindows]bool{w.sent[0].any, w.sent[1].any}, w.last.any}
	}
}

// settleDoubt looks at the counters of the packet.
func (h *hearing) settleDoubt(d *doubt) {
	jumps, near, exact := false, false, false
	all := h.counters(d)
	for _, c := range all {
		exact = exact || c.known && c.ahead == 0 && c.moved > d.sent
		near = near || c.known && c.ahead > 0
		jumps = jumps || c.known && c.ahead < 0
	}
	psn, rsn, missed := &all[2], &all[3], d.sent
	if !h.own() {
		missed += lostPSNs
	}
	goesOn := rsn.known && rsn.moved > missed && (rsn.ahead == 0 || psn.known && psn.ahead == rsn.ahead)
	switch {
	case jumps && !exact:
		d.settled = true
		h.w.pair.unsure.set(h.number, "behind a silence all its counters jump: it is of a new connection")
		h.begin(h.w, false)
		if h.back != nil {
			h.begin(h.back, false)
		}
	case d.vague:
	case goesOn && !jumps || !near && h.repeats():
		d.settled, d.same = true, true
	case jumps || rsn.known && rsn.ahead > 0:
		d.vague = true
	}
}

// repeats reports whether this packet is all that is known of the connection: then it does not matter whether it is
// new.
func (h *hearing) repeats() bool {
	if !h.k.Type.Reliable() || h.back != nil && h.back.packets > 0 {
		return false
	}
	e := h.w.sent[windowOf(h.k)].entry(h.k.PSN)
	return e != nil && uint64(e.copies) == h.w.packets && e.resync == 0 && !e.differs(h.k, h.cut)
}

// counter is a counter of a way as a packet has it; known where there is something to hold it against.
type counter struct {
	known bool
	// ahead is 0 where it goes on from where it was, and how many packets are missing where it may; -1: it jumps.
	ahead int32
	moved int32 // how far it has come from where it began
}

// nearPSNs is how many packets may be missing where a connection seems to go on.
const nearPSNs = 64

// lostPSNs are as many as the first packets of a connection may be that are lost before the capture point.
const lostPSNs = 8

// ahead is by how much a counter is ahead, -1 where it is not near.
func ahead(n, limit int32) int32 {
	if n < 0 || n >= limit {
		return -1
	}
	return n
}

// counters are both bases, PSN and RSN.
func (h *hearing) counters(d *doubt) (all [4]counter) {
	k, w, was := h.k, h.w, &d.before[h.w.side]
	if was.hasBase {
		all[dataWindow] = h.baseCounter(dataWindow, k.DataBase, was.base[dataWindow])
		all[requestWindow] = h.baseCounter(requestWindow, k.RequestBase, was.base[requestWindow])
	}
	if !k.Type.Reliable() {
		return all
	}
	late := h.late()
	if i := windowOf(k); was.sent[i] {
		s := &w.sent[i]
		all[2] = counter{true, ahead(k.PSN.Diff(s.high)-1, nearPSNs), k.PSN.Diff(s.first)}
		if late {
			all[2].ahead = 0
		}
	}
	if l := &w.last; was.asked && kindOf(k) != falconwire.PullData {
		all[3] = counter{true, ahead(k.RSN.Diff(l.newest)-1, nearPSNs), k.RSN.Diff(l.first)}
		if late || h.unseenRSN() {
			all[3].ahead = 0
		}
	}
	return all
}

// late reports whether the packet was sent before those that were seen: it is the one of its PSN, or takes its place.
// Or it was missed, as neither its PSN nor its RSN was seen and the other end lacks it.
func (h *hearing) late() bool {
	k, i := h.k, windowOf(h.k)
	s := &h.w.sent[i]
	if !s.any {
		return false
	}
	if e := s.entry(k.PSN); e != nil {
		return e.rsn == k.RSN && e.kind == kindOf(k)
	}
	lacks := h.back != nil && h.back.hasBase && k.PSN.Diff(h.back.base[i]) >= 0
	return k.PSN.Diff(s.high) < 0 && lacks && !s.forgotten(k.PSN) && (kindOf(k) == falconwire.PullData || h.unseenRSN())
}

// kindOf is the type of a packet, of a Resync that of the packet whose place it takes.
func kindOf(k *falconwire.Packet) falconwire.Type {
	if k.Type == falconwire.Resync {
		return k.ResyncType
	}
	return k.Type
}

// unseenRSN reports whether the request was missed, as far as its RSN tells.
func (h *hearing) unseenRSN() bool {
	o := &h.w.rsns[uint32(h.k.RSN)%keptRSNs]
	l := &h.w.last
	return h.k.RSN.Diff(l.newest) < 0 && h.k.RSN.Diff(l.first) > -nearPSNs && !(o.valid && o.rsn.Diff(h.k.RSN) >= 0)
}

// baseCounter is a base: it stays, or passes everything that was sent; or lies between.
func (h *hearing) baseCounter(i int, base, was falconwire.PSN) counter {
	start := h.w.firstBase[i]
	c := counter{known: true, ahead: ahead(base.Diff(was), 2*windowPSNs[i])}
	if h.back != nil && h.back.sent[i].any {
		s := &h.back.sent[i]
		if s.first.Diff(start) < 0 {
			start = s.first
		}
		switch past := base.Diff(s.high) - 1; {
		case past > 0:
			c.ahead = -1
		case past == 0 && c.ahead > 0:
			c.ahead = 0
		}
	}
	c.moved = base.Diff(start)
	return c
}
