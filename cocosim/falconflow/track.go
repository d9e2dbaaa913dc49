package falconflow

import (
	falconwire "hcacosim/model/falcon/wire"

	"hcacosim/model/falcon"
)

// track is what is known of one direction of a connection. Beside its source stand the windows of model/falcon: tx of
// what it sends, rx of what comes to it.
type track struct {
	sent [numWindows]sentPSNs
	tx   [numWindows]falcon.TxWindow
	rx   [numWindows]rxBeside
	base [numWindows]falconwire.PSN // of what the other way sent, as this one says
	// firstBase is what it said first.
	firstBase [numWindows]falconwire.PSN
	baseAt    [numWindows]uint64 // the packet that brought the base
	hasBase   bool
	rsns      [keptRSNs]sentRSN // Pull Requests and Push Data, by RSN
	answers   [keptRSNs]sentRSN // Pull Data, by RSN
	last      requestOrder
	beyond    [numWindows]uint32 // packets beyond the other end's window of which no EACK has told
	packets   uint64
	first     uint64 // packet
	firstNs   int64
}

// A PSN or base far from those of its connection is of another one with the same identifier, or strays: it is wrong, or
// it was damaged. Only what comes behind tells. So both are kept, what was and what may have begun, and each packet
// counts for the one that it is near to. Nothing is certain of either.

// farPSNs is more than any window, or what may be lost without a word.
const farPSNs = 1 << 16

// holds reports whether a packet's PSN or bases lie far from those of a track. Where it has said no base yet, those of
// the packet are held against what the other way sent, if that is given. known: there was something to hold against.
func (t *track) holds(k *falconwire.Packet, back *track) (known, far bool) {
	check := func(a, b falconwire.PSN) {
		known = true
		far = far || a.Diff(b) > farPSNs || b.Diff(a) > farPSNs
	}
	for i, base := range [numWindows]falconwire.PSN{k.DataBase, k.RequestBase} {
		switch {
		case t.hasBase:
			check(base, t.base[i])
		case back != nil && back.sent[i].any:
			check(base, back.sent[i].high)
		}
	}
	if s := &t.sent[windowOf(k)]; k.Type.Reliable() && s.any {
		check(k.PSN, s.high)
	}
	return known, far
}

// place finds the connection that the packet is of, of those with its identifier.
func (h *hearing) place() {
	w, k := h.w, h.k
	_, far := w.holds(k, nil)
	fits := w.fitsOther(k, h.back)
	if !far && !fits {
		return
	}
	w.pair.mixed.set(h.number, "its PSN or bases are far from those before: it strays, or is of a new connection")
	if k.Type.Reliable() {
		w.beyond[windowOf(k)]++ // for the one that it is not of
	}
	if fits {
		h.exchange()
		h.strayed()
		return
	}
	keep := w.other != nil && w.other.packets > w.packets
	h.begin(w, keep)
	if h.back != nil {
		h.begin(h.back, keep)
	}
}

// fitsOther reports whether a packet is of the other connection and not of this one.
func (w *way) fitsOther(k *falconwire.Packet, back *way) bool {
	var now, then *track // of the other way
	if back != nil {
		now, then = back.track, back.other
	}
	mine := w.other
	if mine == nil && then == nil {
		return false
	} else if mine == nil {
		mine = &track{} // it has said nothing yet
	}
	known, far := mine.holds(k, then)
	_, astray := w.holds(k, now)
	return known && !far && astray
}

// maxOthers bounds the ways of which two connections are kept.
const maxOthers = 1 << 9

// begin starts a new connection beside what was, or beside the one before that.
func (h *hearing) begin(w *way, keep bool) {
	switch f := h.f; {
	case w.other == nil && f.others < maxOthers:
		f.others++
		w.other = w.track
	case w.other != nil && !keep:
		w.other = w.track
	}
	w.track = &track{first: h.number, firstNs: h.nowNs}
}

// exchange goes on with the other connection.
func (h *hearing) exchange() {
	for _, w := range []*way{h.w, h.back} {
		if w == nil {
			continue
		}
		if w.other == nil {
			h.f.others++
			w.other = &track{first: h.number}
		}
		w.track, w.other = w.other, w.track
	}
}

// strayed tells of a packet that lay far away, alone: the ones before and behind it are of one connection.
func (h *hearing) strayed() {
	t := h.w.other
	if t.packets != 1 || t.first < h.w.first || h.w.packets == 0 {
		return
	}
	for i := range t.sent {
		if s := &t.sent[i]; s.any {
			h.strayedFrom(t, "FAL-D11", "PSN %d of the %s window is far from those of the packets before and behind",
				uint32(s.high), windowNames[i])
			return
		}
	}
	h.strayedFrom(t, "FAL-D2", "the bases %d and %d are far from those of the packets before and behind",
		uint32(t.base[dataWindow]), uint32(t.base[requestWindow]))
}
