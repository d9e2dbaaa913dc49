package scenario

import "hcacosim/model/hca"

// An episode of read-place-full fills lists beyond their end with what brings nothing, empties them to any place, and
// has bytes come: nothing is written, whatever a device keeps.
const placeFullLength = 500

// placeEnds are how many READs and atomics a device keeps, as the manifest has them: a list ends there.
var placeEnds = [...]int{4, 5, 16}

// makeReadPlaceFull makes what a requester tells read_place, and payload.
func makeReadPlaceFull(g *Generator, index uint64, _ *Rand, c *Case) {
	c.episode(g, index, placeFullLength, func(r *Rand, e *Episode) {
		const per = 1 << 20
		h := placeHost{g: g, r: r, e: e, slow: float64(g.pace.Cycles(per)) / per, gap: 1, small: true,
			start: uint64(g.pace.Words) + 64 + e.Number*g.pace.Cycles(g.pace.Beats(placeBytes, placeFullLength))}
		h.now = float64(h.start)
		for e.Len() < placeFullLength {
			h.overfull(&placeQP{qpn: uint32(r.Below(4))})
		}
	})
}

// overfull sends more than any list holds, ends as many as one list holds, and has bytes come. What is left of a longer
// list brings nothing, and what did not join a shorter one is not there (REQ-9, REQ-15).
func (h *placeHost) overfull(q *placeQP) {
	moves := []placeMove{h.clear(q)}
	for range placeFill {
		moves = append(moves, h.send(q, hca.PlaceNothing))
	}
	ends := placeEnds[h.r.Below(len(placeEnds))]
	for i := range ends + 1 {
		p := hca.PlaceRecord{Op: hca.PlaceTold, QPN: q.qpn, PSN: q.list[i].first, Data: true, Ended: i < ends,
			Value: h.r.Uint64()}
		if i == ends {
			p.Bytes = h.length(&q.list[i], 1, true)
		}
		moves = append(moves, placeMove{rec: h.noise(p), why: "told: it ends, and brings nothing"})
	}
	for i := range moves {
		if m := &moves[i]; h.e.Len()+m.cases() <= placeFullLength {
			h.give(m)
			continue
		}
		for h.e.Len() < placeFullLength {
			m := h.clear(q)
			h.give(&m)
		}
	}
}

// give adds a record and its frame.
func (h *placeHost) give(m *placeMove) {
	h.e.scratch = h.e.scratch[:0]
	for _, due := range h.time(nil, m) {
		h.e.Add(due.port, due.at, due.bytes, due.why)
	}
}
