package scenario

import "hcacosim/model/hca"

// Lists of read_place are as long as the device says, 1 to 16; the scenario does not know, and memory answers a fixed
// number of writes. placeFill is more than the longest holds, placeDeepest about as many.
const (
	placeFill    = 20
	placeDeepest = 18
)

// deep fills the list of a QP to its end, empties it to any place with responses that bring no byte, and has one more
// READ go out. Then bytes come: of what stands at that place, or of the last READ where the list ended before. So it
// is one write, whatever the list holds, and its address says which.
func (h *placeHost) deep(q *placeQP) placeMove {
	r := h.r
	first := h.clear(q)
	at := (int(h.e.Number) + h.deeps/2) % placeDeepest // each place in turn
	if h.deeps++; h.deeps%2 == 0 {                     // about the end of a list
		at = [...]int{4, 5, 8, 16}[r.Below(4)] - r.Below(2)
	}
	for i := range placeFill {
		kind := hca.PlaceRead
		if i != at && r.OneIn(4) {
			kind = hca.PlaceNothing
		}
		h.planned = append(h.planned, h.send(q, kind))
	}
	list := q.list
	for i := range at {
		p := hca.PlaceRecord{Op: hca.PlaceTold, QPN: q.qpn, PSN: list[i].first, Data: true, Ended: true, Value: r.Uint64()}
		h.planned = append(h.planned, placeMove{rec: h.noise(p), why: "told: a READ ends without a byte"})
	}
	h.planned = append(h.planned, h.send(q, hca.PlaceRead))
	w := &q.list[len(q.list)-1]
	p := hca.PlaceRecord{Op: hca.PlaceTold, QPN: q.qpn, PSN: w.first, Data: true, Ended: true, Value: r.Uint64()}
	p.Bytes = h.length(w, q.pmtu, true)
	h.left--
	h.planned = append(h.planned, placeMove{rec: h.noise(p), writes: p.Bytes, why: "told: data, from far down a list"})
	q.closed, q.list = true, nil
	return first
}

// full begins an episode of a turn of which all writes are under way at once, if the device has places for as many. A
// clear takes a place: so there is one QP, cleared before the first write of the turn only, and its list is empty
// where an episode ends.
func (h *placeHost) full(first bool) {
	h.qps = h.qps[:1]
	q := &h.qps[0]
	q.qpn = 0 // the same in both
	m := h.clear(q)
	if m.rec.PMTU, q.pmtu = 1, 1; first {
		h.planned = append(h.planned, m)
	}
}

// writesOnly has a READ of a few packets or an atomic go out and be answered; what is not taken comes between.
func (h *placeHost) writesOnly(q *placeQP, room int) placeMove {
	r := h.r
	spare := room - 4*h.left
	switch {
	case h.left == 0 || spare > 1 && r.OneIn(3):
		m := h.stray(q)
		if spare < 2 {
			m.rec.Bytes = 0
		}
		return m
	case len(q.list) > 0:
		h.tight = true // no payload but a write's
		return h.respond(q)
	}
	m := h.send(q, hca.PlaceKind(r.Below(2)))
	w := &q.list[0]
	w.due, w.count = 0, int32(min(1+r.Below(3), h.left))
	if w.kind == hca.PlaceAtomic {
		w.count = 1
	}
	q.next = w.first.Add(w.count)
	return m
}
