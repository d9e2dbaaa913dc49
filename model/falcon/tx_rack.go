package falcon

// Decides FAL-D18 and FAL-D19.

// rack is what RACK keeps of the ACKs that came.
type rack struct {
	latestT1Ns, timeoutNs int64
	known, atRest         bool
}

// note takes the t1 of an ACK or NACK, unless there was a later one (FAL-D18).
func (k *rack) note(cfg *TransmitterConfig, t1Ns, rttNs, nowNs int64) {
	if k.known && t1Ns < k.latestT1Ns {
		return
	}
	k.known, k.latestT1Ns = true, t1Ns
	k.timeoutNs = nowNs - t1Ns + max(rttNs/4, cfg.RACKWindowNs)
}

// rackAck sends again what left long enough before something that has arrived.
func (t *Transmitter) rackAck(a *Ack, nowNs int64, r *TxResult) {
	bases := [windows]PSN{a.RequestBase, a.DataBase}
	for w := range t.w {
		h := &t.w[w]
		if beyond := h.eackBase.Before(bases[w]); a.EACK {
			if t.rack.atRest = false; beyond {
				h.eackBase = bases[w]
			}
		} else if beyond {
			t.rack.atRest = true
		}
	}
	if t.rack.atRest {
		return
	}
	for w := range t.w {
		t.rackScan(Window(w), nowNs, r)
	}
}

func (t *Transmitter) rackScan(w Window, nowNs int64, r *TxResult) {
	h := &t.w[w]
	most := [windows]uint32{Requests: RequestPSNs, Data: DataPSNs}[w]
	end := h.eackBase.Add(most)
	for left := h.unreceived().Without(h.due); left.Any(); {
		bit := left.First()
		left.Clear(bit)
		e := h.at(h.Base.Add(bit))
		if !e.rnr && h.Base.Add(bit).Before(end) && e.sentNs <= t.rack.latestT1Ns && nowNs-e.sentNs >= t.rack.timeoutNs {
			h.makeDue(bit, true)
			r.Chosen[w].Set(bit)
		}
	}
}

// unreceived is what no EACK has named as received.
func (h *txHalf) unreceived() Bitmap { return h.Outstanding().Without(h.Received) }

const leastProbeNs = 50_000

// armProbe lets the wait for a probe begin anew (FAL-D19).
func (t *Transmitter) armProbe(nowNs int64) {
	if t.cfg.TLP == NoProbe || t.probed {
		return
	}
	t.probeNs = never
	if t.w[Requests].unreceived().Any() || t.w[Data].unreceived().Any() {
		t.probeNs = nowNs + max(2*t.rttNs+t.cfg.AckTimeoutNs, leastProbeNs)
	}
}

func (t *Transmitter) ackEndsProbe(nowNs int64) {
	t.probed = false
	t.armProbe(nowNs)
}

// probe lets the probe be sent.
func (t *Transmitter) probe(r *TxResult) {
	t.probeNs, t.probed = never, true
	for w := range t.w {
		h := &t.w[w]
		left := h.unreceived()
		if !left.Any() {
			continue
		}
		bit := left.First()
		if t.cfg.TLP == LastUnreceived {
			bit = uint32(left.Highest())
		}
		if !h.due.Has(bit) {
			h.makeDue(bit, true)
			r.Chosen[w].Set(bit)
		}
		if !t.cfg.TLPPerWindow {
			return
		}
	}
}
