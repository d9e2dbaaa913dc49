package falcon

import "hcacosim/model/falcon/wire"

// Decides FAL-D22.

// Replace lets a Resync take the place of an outstanding packet that cannot be delivered: local xLR, or a transaction
// that timed out (FAL-D22). It reports whether there was such a packet that is no Resync yet.
func (t *Transmitter) Replace(w Window, p PSN, code wire.ResyncCode) bool {
	h := &t.w[w]
	var chosen Bitmap
	if bit := p.From(h.Base); h.Outstanding().Has(bit) && !t.dead {
		t.replace(h, bit, code, &chosen)
	}
	return chosen.Any()
}

// replace keeps PSN, RSN and type of a packet, once.
func (t *Transmitter) replace(h *txHalf, bit uint32, code wire.ResyncCode, chosen *Bitmap) {
	e := h.at(h.Base.Add(bit))
	if e.kind == Resync {
		return
	}
	e.kind, e.code, e.retries, e.rnr = Resync, code, 0, false
	h.makeDue(bit, true)
	chosen.Set(bit)
}
