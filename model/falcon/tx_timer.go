package falcon

import (
	"hcacosim/model/falcon/mode"
	"hcacosim/model/falcon/wire"
)

// Decides FAL-D20.

// NextTimerNs is when Expire may have something to do; it may be too soon, never too late.
func (t *Transmitter) NextTimerNs() int64 {
	if t.dead {
		return never
	}
	return min(t.firstEndNs, t.probeNs)
}

// Expire takes the time: packets whose timer has ended are due to be sent again, or a Resync takes their place, or the
// connection ends (FAL-D20); a tail loss probe is due (FAL-D19).
func (t *Transmitter) Expire(nowNs int64, r *TxResult) {
	*r = TxResult{Base: [windows]PSN{t.w[Requests].Base, t.w[Data].Base}}
	if t.dead {
		return
	}
	if nowNs >= t.firstEndNs {
		t.firstEndNs = never
		for w := range t.w {
			t.expire(Window(w), nowNs, r)
		}
	}
	if nowNs >= t.probeNs {
		t.probe(r)
	}
}

// expire looks at the timers of a window and notes when the first of the others ends.
func (t *Transmitter) expire(w Window, nowNs int64, r *TxResult) {
	h := &t.w[w]
	for left := h.Outstanding().Without(h.due); left.Any(); {
		bit := left.First()
		left.Clear(bit)
		e := h.at(h.Base.Add(bit))
		if nowNs < e.endNs {
			t.firstEndNs = min(t.firstEndNs, e.endNs)
			continue
		}
		t.timeOut(h, bit, &r.Chosen[w])
	}
	r.Fatal = t.dead
}

// TimeOut ends the timer of one outstanding packet at once, for a caller that keeps timers itself.
func (t *Transmitter) TimeOut(w Window, p PSN, r *TxResult) {
	*r = TxResult{Base: [windows]PSN{t.w[Requests].Base, t.w[Data].Base}}
	h := &t.w[w]
	if bit := p.From(h.Base); h.Outstanding().Without(h.due).Has(bit) && !t.dead {
		t.timeOut(h, bit, &r.Chosen[w])
		r.Fatal = t.dead
	}
}

// timeOut counts a timeout, and says what follows.
func (t *Transmitter) timeOut(h *txHalf, bit uint32, chosen *Bitmap) {
	e := h.at(h.Base.Add(bit))
	most := t.cfg.MaxRetransmits
	switch {
	case e.rnr: // the receiver asked for the wait
	case t.cfg.Mode.RetryLimit == mode.ResyncFirst && e.retries >= most:
		if e.kind == Resync {
			t.dead = true
			return
		}
		t.replace(h, bit, wire.ResyncRetransmit, chosen)
		return
	default:
		e.retries++
		t.dead = t.cfg.Mode.RetryLimit == mode.FatalAtMax && e.retries >= most ||
			t.cfg.Mode.RetryLimit == mode.FatalAboveMax && e.retries > most
	}
	if !t.dead {
		h.makeDue(bit, false)
		chosen.Set(bit)
	}
}

// waitForULP gives what was received and not acknowledged a timeout of its own.
func (t *Transmitter) waitForULP(h *txHalf, newly Bitmap) {
	for left := newly.And(h.Outstanding()).Without(h.due); left.Any(); {
		bit := left.First()
		left.Clear(bit)
		if e := h.at(h.Base.Add(bit)); !e.rnr {
			e.endNs = e.sentNs + t.cfg.ULPTimeoutNs
			t.firstEndNs = min(t.firstEndNs, e.endNs)
		}
	}
}
