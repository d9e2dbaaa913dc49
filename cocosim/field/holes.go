package field

import (
	"hcacosim/model/ib"
	"hcacosim/model/psn"
)

// holes counts requests that never came to the capture point whole. A requester sends PSNs one after the other, from
// wherever it went back to; so one that is skipped was lost, or damaged, before the capture point, or missed by the
// capture. What the way delivered late is told by its IPv4 identification, which grows. The last packets before the
// requester goes back leave no hole: there were at least as many losses as holes.
type holes struct {
	Missing uint64
	Late    uint64 // came behind one that was sent after it

	last    psn.PSN
	id      uint16
	hasID   bool
	started bool
	// unsure is how many PSNs more the READ that is taken may have, because the PMTU is not known; last, that before it.
	unsure, lastUnsure int32
}

// mostHole is how many packets are taken for lost in a row.
const mostHole = 128

// take takes a request that names or asks for the PSNs up to end, and reports whether it came late. una is the oldest
// PSN that was not acknowledged: what was is not sent again.
func (h *holes) take(c *Conn, p, end psn.PSN, id ident) (late bool) {
	known := id.has && id.id != 0
	if h.started && known && h.hasID && int16(id.id-h.id) < 0 {
		h.Late++
		if h.Missing > 0 {
			h.Missing--
		}
		return true
	}
	if h.started {
		from := h.last.Add(1)
		if c.acked && from.Before(c.una) {
			from = c.una
		}
		if n := p.Diff(from); n > h.lastUnsure && n < farPSNs {
			if c.Verbs[ib.VerbRead] > 0 || n > mostHole {
				n = 1 // one READ that was lost skips many PSNs, and so does a PSN that was damaged
			}
			h.Missing += uint64(n)
		}
	}
	h.last, h.id, h.hasID, h.started, h.lastUnsure = end, id.id, known, true, h.unsure
	return false
}
