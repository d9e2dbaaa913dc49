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
	at := r.Below(placeDeepest)
	if r.OneIn(2) { // about the end of a list
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
