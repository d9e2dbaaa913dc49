package falcon

import "hcacosim/model/falcon/wire"

// Decides FAL-D21 and FAL-D23.

// Times are those that an ACK or a NACK came with, in ns of the transmitter's clock; T4 is the time of the call.
type Times struct{ T1Ns, T2Ns int64 }

// TxResult is what followed from an ACK, a NACK or a timer. The caller brings it to the transaction sublayer and to
// congestion control.
type TxResult struct {
	Verdict AckVerdict
	Base    [windows]PSN    // before the call; bit 0 of Acked
	Acked   [windows]Bitmap // packets that are acknowledged now
	Chosen  [windows]Bitmap // packets that are due now to be sent again, bit 0 the base behind the call
	RTTNs   int64           // the sample; 0 where none was taken
	OWN     bool            // an EACK with an OWN
	Nacked  Nacked
	Fatal   bool // the connection ended: FAL-D20
}

// Nacked is the packet that a NACK refused, for the transaction sublayer and congestion control. Code 0: none.
type Nacked struct {
	Window  Window
	PSN     PSN
	RSN     uint32
	Of      Kind
	Code    wire.NackCode
	ULPCode uint8
}

// NumAcked is how many packets were acknowledged.
func (r *TxResult) NumAcked() uint32 { return r.Acked[Requests].Count() + r.Acked[Data].Count() }

// Ack takes an ACK (FAL-D15 to FAL-D19).
func (t *Transmitter) Ack(a *Ack, at Times, nowNs int64, r *TxResult) {
	*r = TxResult{Base: [windows]PSN{t.w[Requests].Base, t.w[Data].Base}}
	if !t.takeBases(a.RequestBase, a.DataBase, at.T1Ns, nowNs, r) {
		return
	}
	if t.cfg.RACK {
		t.rack.note(t.cfg, at.T1Ns, t.rttNs, nowNs)
	}
	r.RTTNs = t.sample(nowNs - at.T1Ns)
	if a.EACK {
		t.report(Requests, a.Request, a.Request, r)
		t.report(Data, a.DataAck, a.DataRx, r)
		r.OWN = a.RequestOWN || a.DataOWN
	}
	if t.cfg.RACK {
		t.rackAck(a, nowNs, r)
	} else if a.EACK {
		t.early(Requests, a.Request, a.RequestOWN, r.RTTNs, nowNs, r)
		t.early(Data, a.DataRx, a.DataOWN, r.RTTNs, nowNs, r)
	}
	t.ackEndsProbe(nowNs)
}

// takeBases is what ACKs and NACKs have in common: FAL-D15 without the bitmaps.
func (t *Transmitter) takeBases(requestBase, dataBase PSN, t1Ns, nowNs int64, r *TxResult) bool {
	q, d := &t.w[Requests], &t.w[Data]
	r.Verdict = Judge(&q.TxWindow, &d.TxWindow, requestBase, dataBase)
	if r.Verdict != AckTaken || t.dead {
		return false
	}
	r.Acked[Requests] = q.advance(requestBase)
	r.Acked[Data] = d.advance(dataBase)
	t.unpause(Requests)
	t.unpause(Data)
	return true
}

// advance moves the base and forgets what is before it.
func (h *txHalf) advance(to PSN) (freed Bitmap) {
	freed = h.Outstanding().And(FirstOnes(to.From(h.Base)))
	h.free(freed)
	n := to.From(h.Base)
	h.TxWindow.Advance(to)
	h.due.Shift(n)
	h.again.Shift(n)
	return freed
}

// report takes the bitmaps of an EACK (FAL-D15). What is acknowledged is told with the base before the call as bit 0.
func (t *Transmitter) report(w Window, ack, rx Bitmap, r *TxResult) {
	h := &t.w[w]
	newly := h.Received
	freed := h.Report(t.cfg.Mode, ack, rx)
	h.free(freed)
	r.Acked[w] = r.Acked[w].Or(freed.Up(h.Base.From(r.Base[w])))
	if newly = h.Received.Without(newly); newly.Any() && t.cfg.Mode.ULPTimeout {
		t.waitForULP(h, newly)
	}
}

// sample takes an RTT (FAL-D23).
func (t *Transmitter) sample(rttNs int64) int64 {
	if !t.rttKnown {
		t.rttNs, t.rttKnown = rttNs, true
	} else {
		t.rttNs = t.rttNs - t.rttNs/4 + rttNs/4
	}
	return rttNs
}

// Nack takes a NACK (FAL-D21).
func (t *Transmitter) Nack(n *Nack, at Times, nowNs int64, r *TxResult) {
	*r = TxResult{Base: [windows]PSN{t.w[Requests].Base, t.w[Data].Base}}
	if !t.takeBases(n.RequestBase, n.DataBase, at.T1Ns, nowNs, r) {
		return
	}
	rttNs := nowNs - at.T1Ns
	if t.cfg.Mode.NackRTTByT2 {
		rttNs = at.T2Ns - at.T1Ns
	}
	if t.cfg.RACK {
		t.rack.note(t.cfg, at.T1Ns, t.rttNs, nowNs)
	}
	r.RTTNs = t.sample(rttNs)
	t.ackEndsProbe(nowNs)
	t.refused(n, nowNs, r)
}

// refused does what the code of a NACK asks for.
func (t *Transmitter) refused(n *Nack, nowNs int64, r *TxResult) {
	h := &t.w[n.Window]
	bit := n.PSN.From(h.Base)
	if !h.Outstanding().Has(bit) || !n.Code.Known(t.cfg.Mode) {
		return
	}
	e := h.at(n.PSN)
	r.Nacked = Nacked{Window: n.Window, PSN: n.PSN, RSN: e.rsn, Of: e.of, Code: n.Code, ULPCode: n.ULPCode}
	code := resyncFor(n.Code)
	switch {
	case n.Code == wire.NackRNR:
		t.notReady(h, bit, n.RNRTimeoutNs, nowNs)
	case code != 0:
		t.replace(h, bit, code, &r.Chosen[n.Window])
	}
}

// notReady lets a packet wait for its receiver.
func (t *Transmitter) notReady(h *txHalf, bit uint32, timeoutNs, nowNs int64) {
	e := h.at(h.Base.Add(bit))
	if e.kind == Resync {
		return
	}
	if !t.cfg.Mode.RNRTimerExact {
		timeoutNs = max(timeoutNs, t.rtoNs)
	}
	h.due.Clear(bit)
	e.retries, e.rnr, e.endNs = 0, true, nowNs+timeoutNs
	t.firstEndNs = min(t.firstEndNs, e.endNs)
}
