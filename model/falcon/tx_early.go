package falcon

// Decides FAL-D16 and FAL-D17.

// early sends again what an EACK shows to be missing in a window. named is its received bitmap.
func (t *Transmitter) early(w Window, named Bitmap, own bool, rttNs, nowNs int64, r *TxResult) {
	h := &t.w[w]
	missing := h.Missing(t.cfg.Mode, named, own, t.cfg.OOOThreshold).Without(h.due)
	limit := h.Next
	first := true
	for left := missing; left.Any(); first = false {
		bit := left.First()
		left.Clear(bit)
		p := h.Base.Add(bit)
		e := h.at(p)
		if e.rnr || !(t.longAgo(e, rttNs, nowNs) || own && t.bypass(h, p, first, nowNs)) {
			if !t.cfg.Mode.RecencyEndsScan || e.rnr {
				continue
			}
			limit = p
			break
		}
		h.makeDue(bit, true)
		r.Chosen[w].Set(bit)
	}
	if own {
		h.ownScanned(t, limit, nowNs)
	}
}

// longAgo is the check of recency (FAL-D16).
func (t *Transmitter) longAgo(e *txEntry, rttNs, nowNs int64) bool {
	if t.cfg.Mode.RecencyByEACK {
		return nowNs-e.sentNs >= rttNs
	}
	return e.sentNs+t.rttNs < nowNs
}

// bypass are the cases of an EACK-OWN without that check (FAL-D17).
func (t *Transmitter) bypass(h *txHalf, p PSN, first bool, nowNs int64) bool {
	m := t.cfg.Mode
	return m.OWNFirstBypass && (!h.bypassed || nowNs >= h.bypassEndNs) ||
		m.OWNSmallerBypass && h.scanned && p.Before(h.lowest) ||
		m.OWNScanExitBypass && h.scanned && first && p == h.scanEnd
}

// ownScanned keeps what the bypasses ask for, and lets first transmissions wait.
func (h *txHalf) ownScanned(t *Transmitter, end PSN, nowNs int64) {
	if !h.bypassed || nowNs >= h.bypassEndNs {
		h.bypassed, h.bypassEndNs = true, nowNs+t.rtoNs
	}
	h.scanned, h.lowest, h.scanEnd = true, h.Base, end
	h.paused = t.cfg.Mode.OWNPause
}

// unpause ends the wait of first transmissions once the base is near enough.
func (t *Transmitter) unpause(w Window) {
	h := &t.w[w]
	h.paused = h.paused && h.Next.From(h.Base) > pauseSlack[w]
}
