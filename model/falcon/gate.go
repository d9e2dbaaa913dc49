package falcon

// Decides FAL-D11.

// Gate says what keeps a packet from leaving.
type Gate uint8

const (
	Open       Gate = iota
	Nothing         // there is nothing to be sent
	GateDead        // the connection ended with a fatal error (FAL-D20)
	GateGap         // the gap after the last packet (FAL-D14)
	GatePaused      // the pause after an EACK-OWN (FAL-D17)
	GateWindow      // the transmit window is full
	GateFcwnd
	GateNcwnd
)

// Slack of the pause after an EACK-OWN, PSNs (FAL-D17).
var pauseSlack = [windows]uint32{Requests: 32, Data: 64}

// MaySend says whether a packet of a kind may leave for the first time (FAL-D11).
func (t *Transmitter) MaySend(kind Kind, nowNs int64) Gate {
	w := kind.Window()
	h := &t.w[w]
	ahead := h.Next.From(h.Base)
	switch {
	case t.dead:
		return GateDead
	case nowNs < t.nextNs:
		return GateGap
	case h.Full():
		return GateWindow
	case h.paused && ahead > pauseSlack[w]:
		return GatePaused
	case !t.inFcwnd(ahead):
		return GateFcwnd
	case kind.Request() && h.requests >= t.ncwnd:
		return GateNcwnd
	}
	return Open
}

// mayResend says whether a packet that is due may leave again.
func (t *Transmitter) mayResend(h *txHalf, ahead uint32, of Kind, nowNs int64) Gate {
	switch {
	case t.dead:
		return GateDead
	case nowNs < t.nextNs:
		return GateGap
	case !t.inFcwnd(ahead):
		return GateFcwnd
	case of.Request() && h.retransmitted >= t.ncwnd:
		return GateNcwnd
	}
	return Open
}

// inFcwnd reports whether a PSN so far ahead of the base is inside the congestion window.
func (t *Transmitter) inFcwnd(ahead uint32) bool {
	if t.cfg.Mode.FcwndFloored {
		return ahead < max(1, t.fcwnd/CwndOne)
	}
	return ahead*CwndOne < t.fcwnd
}
