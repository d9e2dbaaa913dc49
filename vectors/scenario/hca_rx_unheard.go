package scenario

// readUnheard has QPs that are dead read as often as they may: none of it is answered, so none gives its place back
// (PSN-5).
func (d *hcaRxPeer) readUnheard() {
	for _, p := range d.used {
		for n := 0; n < p.reads && p.unheard && d.readsMore(); n++ {
			d.readByte(p, "a READ that nobody hears of")
		}
	}
}

// readBeyond ends a part with one READ more of these QPs: it is refused.
func (d *hcaRxPeer) readBeyond() {
	for _, p := range d.used {
		if p.unheard && !p.sends && p.back == nil && d.readsMore() {
			d.readByte(p, "a READ beyond those that nobody hears of")
		}
	}
}

// readsMore reports whether a READ of a byte belongs to this part, whether it is executed or not.
func (d *hcaRxPeer) readsMore() bool { return d.more() && d.plan.pieces-d.memory.pieces > 0 }

// readByte sends a READ of a byte, whether the QP may read or not.
func (d *hcaRxPeer) readByte(p *hcaRxQP, why string) {
	s, _ := d.read(p, 6)
	s.RKey, s.VA, s.DMALen, p.next = p.key, hcaRxVA, 1, s.PSN.Add(1)
	p.kept[0] = s
	d.frame(s.Encap.Link(), s.Append(nil, nil), why)
}
