package falcon

// TransmittedAt notes that a packet left again at a time, whether it was due or not: a trace says so.
func (t *Transmitter) TransmittedAt(w Window, p PSN, nowNs int64) {
	h := &t.w[w]
	bit := p.From(h.Base)
	if h.Outstanding().Has(bit) {
		h.due.Clear(bit)
		t.leave(h.at(p), p, nowNs)
	}
}

// KnowRTT sets the smoothed RTT.
func (t *Transmitter) KnowRTT(ns int64) { t.rttNs, t.rttKnown = ns, true }

// RACKTimeoutNs is how long ago a lost packet left.
func (t *Transmitter) RACKTimeoutNs() int64 { return t.rack.timeoutNs }
