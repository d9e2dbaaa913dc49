package scenario

import (
	"hcacosim/model/hca"
	"hcacosim/model/ib"
)

// hcaRxNarrow is how far a peer is with a WRITE whose key is set anew in the middle of it.
type hcaRxNarrow uint8

const (
	hcaRxWide    hcaRxNarrow = iota
	hcaRxBegun               // its First ended a part
	hcaRxNarrows             // its key was set anew since, for fewer bytes
)

// beginsWrite sends the First of a WRITE of three packets, which ends a part, and reports whether it is executed: the
// next part goes on with it, and its key allows less by then.
func (d *hcaRxPeer) beginsWrite(p *hcaRxQP) bool {
	if d.top != nil || d.wears || d.part == hcaRxParts-1 || p.rights&1 == 0 {
		return false
	}
	before := *p
	p.sends, p.verb, p.narrow = true, ib.WriteFirst, hcaRxBegun
	s := d.small(p, ib.WriteFirst, 2*p.pmtu+d.r.Between(1, p.pmtu))
	p.left, p.begun = int(s.DMALen)-p.pmtu, s.VA
	d.send(s, p.pmtu, "the First of a WRITE whose key will allow less")
	if !d.took(p) {
		*p = before
		return false
	}
	return true
}

// readsKiB ends a part with a READ of a whole KiB or four, and reports whether it is executed: its key allows no READ
// any more when it comes again, which is silent then (RSP-6).
func (d *hcaRxPeer) readsKiB(p *hcaRxQP) bool {
	bytes := 4096
	if d.piecesLeft() <= bytes/hca.ReadPieceBytes+1 {
		bytes = 1024
	}
	room := p.reads > d.served[p.spec.DestQP] && d.piecesLeft() > bytes/hca.ReadPieceBytes+1
	if d.top != nil || d.wears || d.part == hcaRxParts-1 || !p.allows(6) || !room {
		return false
	}
	before := *p
	s, _ := d.read(p, 6)
	s.RKey, s.VA, s.DMALen = p.key, hcaRxVA+uint64(d.r.Below(4096)), uint32(bytes)
	p.next = s.PSN.Add(int32(max(1, bytes/p.pmtu)))
	p.kept[0] = s
	if d.send(s, 0, "a READ of a KiB, or four"); !d.took(p) {
		*p = before
		return false
	}
	p.shuts = true
	return true
}

// narrow sets the key anew, so that it allows the next packet of the WRITE and nothing behind it, or a byte less than
// what is left, or all of that (RSP-1); or, when that WRITE is through, as it was.
func (d *hcaRxPeer) narrow(p *hcaRxQP) hca.HcaRxOp {
	q := hca.MRQuery{Op: hca.MRSet, RKey: p.key, PD: p.receive.PD, VA: p.va, Length: p.length, Need: p.rights,
		Base: p.base}
	if p.narrow++; p.narrow > hcaRxNarrows {
		p.narrow = hcaRxWide
		return hca.HcaRxOp{To: hca.ToKeys, Record: q.Append(nil), Why: "key: as it was"}
	}
	allows := [...]int{p.pmtu, p.pmtu, p.pmtu, p.left - 1, p.left}[d.r.Below(5)]
	q.Length = p.begun - p.va + uint64(p.pmtu+allows)
	return hca.HcaRxOp{To: hca.ToKeys, Record: q.Append(nil), Why: "key: less than is left of a WRITE"}
}

// restOfWrites goes on with the WRITEs whose keys allow less.
func (d *hcaRxPeer) restOfWrites() {
	for _, p := range d.used {
		for p.narrow == hcaRxNarrows && p.sends && d.more() {
			s, n, _ := d.request(p)
			d.frame(s.Encap.Link(), s.Append(nil, d.g.random[d.r.Below(1000):][:n]), "the rest of a WRITE, its key allows less")
		}
	}
}
