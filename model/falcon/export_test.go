package falcon

import "encoding/binary"

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

// Clone is a copy that shares nothing.
func (t *Transmitter) Clone() *Transmitter {
	c := *t
	for w := range c.w {
		c.w[w].ring = append([]txEntry(nil), t.w[w].ring...)
	}
	return &c
}

// Again is what counts as sent again and outstanding.
func (t *Transmitter) Again(w Window) Bitmap { return t.w[w].again }

// Entry is what a PSN carries now.
func (t *Transmitter) Entry(w Window, p PSN) (kind, of Kind, rsn uint32) {
	e := t.w[w].at(p)
	return e.kind, e.of, e.rsn
}

// Retries is how often a packet has timed out.
func (t *Transmitter) Retries(w Window, p PSN) uint8 { return t.w[w].at(p).retries }

// Clear makes times 0 that a world without time does not have.
func (t *Transmitter) Clear() {
	t.rttNs, t.rttKnown = 0, true
	for w := range t.w {
		t.w[w].bypassEndNs = 0
	}
}

func appendFlags(b []byte, flags ...bool) []byte {
	v := byte(0)
	for i, f := range flags {
		if f {
			v |= 1 << i
		}
	}
	return append(b, v)
}

// AppendState appends what tells a transmitter from another, in a world without time.
func (t *Transmitter) AppendState(b []byte) []byte {
	b = appendFlags(b, t.dead)
	b = append(b, t.arPercent, byte(t.rack.latestT1Ns), byte(t.rack.timeoutNs))
	b = appendFlags(b, t.rack.known, t.rack.atRest)
	for w := range t.w {
		h := &t.w[w]
		b = binary.LittleEndian.AppendUint32(b, uint32(h.Base))
		b = append(b, byte(h.Next.From(h.Base)), byte(h.requests), byte(h.retransmitted))
		for _, m := range []Bitmap{h.Acked, h.Received, h.due, h.again} {
			b = binary.LittleEndian.AppendUint16(b, uint16(m.Lo))
		}
		b = appendFlags(b, h.paused)
		if t.cfg.RACK {
			b = append(b, byte(h.eackBase))
		}
		for left := h.Outstanding(); left.Any(); {
			bit := left.First()
			left.Clear(bit)
			e := h.at(h.Base.Add(bit))
			b = append(b, byte(e.kind), byte(e.code), e.retries)
			b = appendFlags(b, e.rnr, e.early)
		}
	}
	return b
}

// AppendState appends what tells a receiver from another, in a world without time.
func (r *Receiver) AppendState(b []byte) []byte {
	b = appendFlags(b, r.dead, r.running)
	b = append(b, byte(r.count), byte(r.ask.Lo))
	for w := range r.w {
		h := &r.w[w]
		b = binary.LittleEndian.AppendUint32(b, uint32(h.Base))
		b = binary.LittleEndian.AppendUint16(b, uint16(h.Rx.Lo))
		b = binary.LittleEndian.AppendUint16(b, uint16(h.Ack.Lo))
		b = appendFlags(b, h.OWN)
	}
	return b
}

// OWNScannedFrom makes believe that an EACK-OWN was scanned from a PSN on.
func (t *Transmitter) OWNScannedFrom(w Window, p PSN) {
	t.w[w].scanned, t.w[w].lowest, t.w[w].scanEnd = true, p, t.w[w].Next
}
