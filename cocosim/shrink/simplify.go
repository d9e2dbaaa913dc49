package shrink

import (
	"slices"

	"hcacosim/cocosim/manifest"
	"hcacosim/model/sim"
	"hcacosim/model/stages"
	"hcacosim/model/wire"
)

// simplify makes the records that are left plain: packets without payload to look at, fields of records 0.
func (s *shrinker) simplify(records []sim.Offer) []sim.Offer {
	m, err := manifest.Find(s.spec.Dut)
	if err != nil {
		return records
	}
	stage, ok := stages.Lookup(m.Model)
	if !ok {
		return records
	}
	for i := range records {
		if s.late() {
			break
		}
		if stage.Ports[records[i].Port].Kind == sim.Axis {
			records = s.plainPacket(records, i)
		} else {
			records = s.plainFields(records, i, m)
		}
	}
	return records
}

// with is records with another record i.
func with(records []sim.Offer, i int, r sim.Offer) []sim.Offer {
	out := slices.Clone(records)
	out[i] = r
	return out
}

// try keeps a record if the run still fails in the same way.
func (s *shrinker) try(records []sim.Offer, i int, r sim.Offer) ([]sim.Offer, bool) {
	list := with(records, i, r)
	if s.runs++; s.same(&s.spec, list) {
		s.tell(list)
		return list, true
	}
	return records, false
}

// plainPacket sets the payload to zeros, with the ICRC that it then has.
func (s *shrinker) plainPacket(records []sim.Offer, i int) []sim.Offer {
	r := records[i]
	link := wire.LinkIB
	if r.User&1 == 0 {
		link = wire.LinkEthernet
	}
	var p wire.Packet
	r.Data = slices.Clone(r.Data)
	wire.Decode(link, r.Data, &p)
	if len(p.Payload) == 0 || p.ICRC() != wire.ICRCGood {
		return records
	}
	clear(p.Payload)
	wire.PutICRC(r.Data, &p.Location)
	records, _ = s.try(records, i, r)
	return records
}

// plainFields sets one field after the other to 0.
func (s *shrinker) plainFields(records []sim.Offer, i int, m *manifest.Manifest) []sim.Offer {
	at := 0
	for _, f := range m.Ports[records[i].Port].Layout {
		r := records[i]
		r.Data = slices.Clone(r.Data)
		if clearBits(r.Data, at, f.Width.Bits) {
			records, _ = s.try(records, i, r)
		}
		at += f.Width.Bits
	}
	return records
}

// clearBits reports whether it changed anything.
func clearBits(b []byte, at, n int) (changed bool) {
	for i := at; i < at+n && i < 8*len(b); i++ {
		if b[i/8]>>(i%8)&1 != 0 {
			b[i/8] &^= 1 << (i % 8)
			changed = true
		}
	}
	return changed
}
